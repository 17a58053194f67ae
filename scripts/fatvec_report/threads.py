# SPDX-License-Identifier: Apache-2.0
"""Speed over threads: speedup and efficiency of each contender, from runs that differ in the number
of threads."""

from __future__ import annotations

import matplotlib.pyplot as plt
import pandas as pd

from . import analysis
from .load import Run
from .names import PEER, SPECIALISED, role
from .page import Block, Picture, table
from .style import BOUND, Sheet, narrow, over_values, pick, stroke


def speedups(runs: list[Run], threads: list[int]) -> pd.DataFrame:
    """One row per problem, contender and number of threads: seconds, speedup over the same
    contender on one thread, each at its best, efficiency = speedup / threads. Contenders without a
    run on one thread, and serial ones, are left out."""
    keys = [*runs[0].problem_keys, "contender"]
    parts = [
        analysis.fastest(run.measured[run.measured.backend != "serial"], keys).assign(threads=count)
        for run, count in zip(runs, threads)
    ]
    rows = pd.concat(parts, ignore_index=True)
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
        wide = analysis.wide(part, by, "threads", "speedup")
        last = part[part.threads == most].set_index(by)[["efficiency", "mark"]]
        wide = wide.join(last.rename(columns={"mark": "efficiency_mark"}))
        wide["best"] = part.set_index("threads").groupby(by).speedup.idxmax()
        wide = wide.assign(
            **{str(count): float("nan") for count in {*view.threads} - {*part.threads}}
        )
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


def _scaling(view, rows: pd.DataFrame) -> plt.Figure:
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
        ideal = threads if kind == "speedup" else [1] * len(threads)
        sheet.line(axis, threads, ideal, "ideal", **BOUND)
        over_values(axis, threads)
        axis.set(title=f"k = {k}", xlabel="threads")
        axis.set_ylabel(kind if position % sheet.columns == 0 else "")
        axis.set_ylim(bottom=0)
    return sheet.done(
        "Speedup and efficiency over threads",
        f"{view.device}; over the same contender on one thread; shaded: fatvec's worst to best",
    )
