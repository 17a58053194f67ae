# SPDX-License-Identifier: Apache-2.0
"""Speed over threads, from runs that differ in their number; and of one matrix over many ranks, the
suites weak and strong: speedup and efficiency."""

import functools

import pandas as pd

from . import analysis
from .load import Run, union, unions
from .names import PEER, SPECIALISED, role
from .page import Block, Picture, marked, table
from .style import STEPS, Sheet, narrow, pick, short, step, stroke


def speedups(runs: list[Run], threads: list[int]) -> pd.DataFrame:
    """One row per problem, contender and number of threads: seconds, speedup over the same
    contender on one thread, each at its best, efficiency = speedup / threads. Contenders without a
    run on one thread, and serial ones, are left out."""
    keys, rows = [*runs[0].problem_keys, "contender"], analysis.together(runs, threads)
    rows = analysis.fastest(rows[rows.backend != "serial"], [*keys, "threads"])
    return analysis.over_one_thread(rows, keys)


def over_threads(view) -> list[Block]:
    rows = speedups(view.runs, view.threads) if len(view.runs) > 1 else pd.DataFrame()
    if rows.empty:
        return []
    shown = rows[rows.k.isin(pick(rows.k, 3)) & (rows.role != PEER)]
    most = max(view.threads)
    columns = (
        "matrix | contender | k | "
        + "".join(f"speedup, {count} thr. <- {count} .2f | " for count in view.threads)
        + f"efficiency, {most} thr. <- efficiency share | fastest with <- best"
    )

    def one(part: pd.DataFrame) -> list[Block]:
        by = ["matrix", "contender", "k"]
        wide = analysis.wide(part, by, "threads", "speedup", view.threads)
        last = part[part.threads == most].set_index(by)[["efficiency", "mark"]]
        wide = wide.join(last.rename(columns={"mark": "efficiency_mark"}))
        wide["best"] = part.set_index("threads").groupby(by).speedup.idxmax()
        return [table(wide.reset_index(), columns, 2)]

    return [
        Picture(
            "scaling",
            "Lines: speedup (above) and efficiency (below) over the number of threads, one column "
            "per k, one line per contender.",
            lambda: _scaling(view, rows),
        ),
        *view.apart(shown, one),
    ]


def _scaling(view, rows: pd.DataFrame):
    """One column per k: geometric mean over the matrices, shaded from worst to best."""
    columns, threads = pick(rows.k, 4), sorted(rows.threads.unique())
    names = sorted(rows.contender.unique(), key=lambda name: analysis.ROLES.index(role(name)))
    sheet = Sheet(2 * len(columns), len(columns), 2.6, sharey="none" if narrow() else "row")
    for position, axis in enumerate(sheet.axes):
        kind = "speedup" if position < len(columns) else "efficiency"
        k = columns[position % len(columns)]
        for name in names:
            group = rows[(rows.k == k) & (rows.contender == name)].groupby("threads")[kind]
            means, looks = group.apply(analysis.geometric_mean), stroke(name)
            if name == SPECIALISED:
                shade = {"color": looks["color"], "alpha": 0.13, "linewidth": 0}
                axis.fill_between(means.index, group.min(), group.max(), **shade)
            sheet.line(axis, means.index, means, name, **looks)
        sheet.over_counts(axis, threads, kind)
        axis.set(title=f"k = {k}", xlabel="threads")
        axis.set_ylabel(kind if position % sheet.columns == 0 else "")
    return sheet.done(
        "Speedup and efficiency over threads",
        f"{view.device}; over the same contender on one thread; shaded: fatvec's worst to best",
    )


MEGA, SPEED = 1e6, "times one rank's work a second"
PICTURES = [  # name, counter, its unit's size, axis, title
    ("efficiency", "efficiency", 1, "efficiency", "Efficiency over ranks"),
    ("speed-up", "speed_up", 1, SPEED, "Speed-up over ranks"),
    ("volume", "exchanged_bytes", MEGA, "MB a product, all ranks", "What ranks exchange"),
    ("overlap", "overlap", 1, "share hidden", "Exchange hidden behind the local part"),
    ("memory", "rank_memory_bytes", MEGA, "MB on the fullest rank", "Memory of a rank"),
]


def with_speed_up(run: Run) -> pd.DataFrame:
    """The measured rows; speed_up: the work that all ranks do in a second, over that
    of one; efficiency_mark: of the row's and of one rank's."""
    keys = [*run.problem_keys, "how"]
    keys.remove("ranks")
    rows = run.measured
    alone = rows[rows.ranks == 1].groupby(keys).mark.agg(union).rename("alone_mark")
    rows = rows.join(alone, on=keys)
    return rows.assign(
        speed_up=rows.efficiency * rows.ranks, efficiency_mark=unions(rows.mark, rows.alone_mark)
    )


def claims(run: Run) -> list[tuple[str, str]]:
    """The verdict: the worst and the best efficiency on the most ranks."""
    rows = with_speed_up(run)
    rows = rows[(rows.ranks == rows.ranks.max()) & rows.efficiency.notna()]
    if rows.empty:
        return []
    low, high = rows.loc[rows.efficiency.idxmin()], rows.loc[rows.efficiency.idxmax()]
    least, most = (marked(f"{row.efficiency:.3f}", row.efficiency_mark) for row in (low, high))
    says = (
        f"is the least efficiency on {low.ranks} ranks: {low.matrix}, k = {low.k}; the highest is "
        f"{most} ({high.matrix}, k = {high.k})."
    )
    return [(least, says)]


def over_ranks(view) -> list[Block]:
    rows = with_speed_up(view.run)
    if view.run.dry or rows.empty:
        return []
    blocks: list[Block] = []
    for name, column, unit, label, title in PICTURES:
        many = (rows.ranks > 1) | (column not in ("exchanged_bytes", "overlap"))
        shown = rows[rows[column].notna() & many].assign(shown=rows[column] / unit)
        if len(shown):
            alt = f"Lines: {title}, {label}; a panel per matrix, a line per k, dashed: ideal."
            draw = functools.partial(_over_ranks, view, shown, name, label, title)
            blocks.append(Picture(f"ranks-{name}", alt, draw))
    return blocks


def _over_ranks(view, rows: pd.DataFrame, name: str, label: str, title: str):
    """A panel per matrix, a line per way and k."""
    lines = list(dict.fromkeys(zip(rows.how, rows.k)))
    lines = [lines[at] for at in pick(range(len(lines)), len(STEPS))]
    groups = list(rows.groupby("matrix", sort=False))
    sheet = Sheet(len(groups), 2, 3.3)
    for axis, (matrix, group) in zip(sheet.axes, groups):
        for at, (way, k) in enumerate(lines):
            points = group[(group.how == way) & (group.k == k)].sort_values("ranks")
            words = f"k = {k}" if rows.how.nunique() == 1 else f"{way}, k = {k}"
            sheet.line(axis, points.ranks, points.shown, words, **step(at))
        sheet.over_counts(axis, sorted(group.ranks.unique()), name)
        axis.set(title=short(matrix, 40), xlabel="ranks", ylabel=label)
    return sheet.done(title, view.facts())


def all_ranks(view) -> list[Block]:
    rows = with_speed_up(view.run)
    mean = (rows.nnz / rows.ranks).where(rows.nnz > 0)
    rows = rows.assign(
        ms=rows.seconds * 1e3,
        waited=rows.waited_seconds * 1e3,
        MB=rows.exchanged_bytes / 1e6,
        hidden=rows.overlap.where(rows.ranks > 1),
        balance=rows.most_rank_nnz / mean,
        memory=rows.rank_memory_bytes / 1e6,
        speed_up_mark=rows.efficiency_mark,
        **dict.fromkeys(["MB_mark", "balance_mark", "slowest_rank_mark", "memory_mark"], ""),
    )
    columns = (
        "matrix | how | k | ranks | ms, median <- ms .4f | ms, waited for <- waited .4f | "
        "spread <- spread share | GFLOPS <- GFLOPS gflops | efficiency <- efficiency .3f | "
        "speed-up <- speed_up times | MB exchanged <- MB .3f | hidden <- hidden share | "
        "entries, most/mean <- balance .3f | slowest rank <- slowest_rank .0f | "
        "MB a rank <- memory .1f"
    )
    return [table(rows, columns, 2, (7,))]
