# SPDX-License-Identifier: Apache-2.0
"""The first screen: who is fastest, by how much, what portability costs; and the summary by k."""

import pandas as pd

from . import analysis, costs, scaling
from .load import union
from .names import RAW, role
from .page import NONE, Block, Bullets, Heading, Text, Verdict, marked, share, table, times
from .views import commit


def verdict(view) -> Verdict:
    return Verdict(view.title, claims(view), what_to_use(view))


def claims(view) -> list[tuple[str, str]]:
    """A figure and what it says, the first ones first."""
    if view.run.dry:
        return [("Dry run", "Results were verified, times mean nothing.")]
    if view.run.kind == "ranks":
        return scaling.claims(view.run)
    some = len(view.run.measured)
    return [_fastest(view), *_portability(view), *_against(view)] if some else []


def headline(view) -> list[str]:
    """A run in a few lines, for a terminal."""
    return [*map(" ".join, claims(view)), *analysis.counts(view.run, view.table)]


def what_to_use(view):
    """A table, where there are products: per k the contender and format that is nearest to the
    fastest in the sum over the cases, of the k that at least half as many matrices have as the
    most; neighbours with one answer are a row. Its share of the fastest one's speed is the
    geometric mean over the cases that it has."""
    if view.run.dry or view.run.kind != "products":
        return None
    rows, keys = view.run.measured, view.run.problem_keys
    best = analysis.fastest(rows, [*keys, "contender", "format"])
    first = analysis.fastest(best, keys)
    best = analysis.against(best, first, keys, "share")
    best["use"] = (best.contender + " " + best.format).str.strip()
    matrices = rows.groupby("k").matrix.nunique()
    answers: list[tuple[str, list[int]]] = []
    for k, count in matrices.items():
        near = best[best.k == k].groupby("use", sort=False).share.sum()
        use = near.idxmax() if 2 * count >= matrices.max() else ""
        if not answers or answers[-1][0] != use:
            answers.append((use, []))
        answers[-1][1].append(k)
    records = []
    for use, ks in (answer for answer in answers if answer[0]):
        cases = best[best.k.isin(ks) & best.use.eq(use)]
        records.append(
            {
                "k": " to ".join(dict.fromkeys(map(str, (ks[0], ks[-1])))),
                "use": use,
                "cases": f"{len(cases)} of {first.k.isin(ks).sum()}",
                "spread": cases.spread.dropna().median(),
                "spread_mark": union(cases.mark),
                **analysis.means(cases.share, cases.share_mark, "share", "worst"),
            }
        )
    columns = (
        "k | use | cases | of the fastest <- share share | worst <- worst share | "
        "noise <- spread share"
    )
    return table(pd.DataFrame(records), columns, 2, (3,))


def _fastest(view) -> tuple[str, str]:
    """The contender that is first most often, with its lead over (or its lag behind) the best of
    the others."""
    keys = view.run.problem_keys
    best = analysis.fastest(view.run.measured, [*keys, "contender"])
    first = analysis.fastest(best, keys)
    name = first.contender.mode(dropna=False).iloc[0]
    won = first[first.contender == name]
    text = f"is the fastest in {len(won)} of {len(first)} cases"
    formats = won[won.format != ""].format.value_counts()
    if len(formats):
        counts = (f"{shape} ({count})" for shape, count in formats.head(3).items())
        text += ", in " + ", ".join(counts) + " and others" * (len(formats) > 3)
    mine, others = best[best.contender == name], best[best.contender != name]
    both = analysis.against(mine, analysis.fastest(others, keys), keys, "lead", "inner")
    if len(both):
        mean = marked(times(analysis.geometric_mean(both.lead)), union(both.lead_mark))
        text += f"; over all cases {mean} the speed of the best other (geometric mean)"
    return name + " (hand-written)" * (role(name) == RAW), text + "."


def _portability(view) -> list[tuple[str, str]]:
    cells = view.costs
    cells = cells[(cells.format == costs.ANY) & cells.ratio.notna() & ~cells.launch_bound]
    if cells.empty:
        return []
    mean = analysis.geometric_mean(cells.ratio)
    cost = f"portability costs {share(1 - mean)}" if mean < 1 else "portability costs nothing"
    says = "of the specialised kernels' speed is reached by the one portable source"
    says += f": {cost}, best format against best format."
    return [_claim(view, cells, "ratio", share, says)]


def _claim(view, rows: pd.DataFrame, column: str, read, says: str) -> tuple[str, str]:
    """The mean of a ratio, and behind what it says the worst case."""
    low = rows.loc[[rows[column].idxmin()]]
    worst = marked(read(low[column].item()), low[f"{column}_mark"].item())
    mean = marked(read(analysis.geometric_mean(rows[column])), union(rows[f"{column}_mark"]))
    return mean, f"{says} Worst: {worst} on {view.cases(low)[0]}."


def _against(view) -> list[tuple[str, str]]:
    found = []
    for column, who in (("vs_peer", "library"), ("vs_raw", "hand-written kernel")):
        ratios = view.table[view.table[column].notna()]
        if len(ratios):
            fast = f"At least as fast in {(ratios[column] >= 1).sum()} of {len(ratios)} cases."
            says = f"the best {who}'s speed, by fatvec's best. {fast}"
            found.append(_claim(view, ratios, column, times, says))
    return found


def summary(views: list) -> list[Block]:
    blocks: list[Block] = []
    for view in views:
        counts = Bullets(analysis.counts(view.run, view.table))
        shown = [] if view.run.kind == "ranks" else [*_cached(view), *_per_k(view)]
        blocks += [Heading(view.title), *shown, counts]
    return blocks


def _cached(view) -> list[Block]:
    """A sentence where no operands exceed the host's last-level cache."""
    shares = view.run.measured.bytes_per_cache.dropna()
    size = float(view.run.context.get("last_level_cache_bytes", "nan"))
    if shares.empty or shares.max() >= 1 or not size > 0:
        return []
    return [
        Text(
            f"No matrix of this run exceeds the host's last-level cache ({size * 1e-6:.0f} MB), "
            f"with its X and Y: the largest takes {shares.max():.0%} of it. What main memory would "
            "allow bounds none of these numbers."
        )
    ]


def versions(views: list) -> str:
    """A sentence where the files were not written by one version of fatvec; else nothing."""
    found: dict[str, list[str]] = {}
    for run in (run for view in views for run in view.runs):
        version = run.context.get("fatvec_version", "unknown version")
        found.setdefault(f"{version} ({commit(run.context)})", []).append(run.label)
    parts = [f"{', '.join(dict.fromkeys(runs))} from {version}" for version, runs in found.items()]
    says = f"The results come from different versions of fatvec: {'; '.join(parts)}."
    return says if len(found) > 1 else ""


def _per_k(view) -> list[Block]:
    rows = []
    for k, part in view.table.groupby("k"):
        same = view.same_format[view.same_format.k == k]
        raw, raw_mark = same.ratio, same.ratio_mark
        peer = part.vs_peer.dropna()
        if not (len(peer) or raw.notna().any() or part.vs_raw.notna().any()):
            continue  # nothing beside fatvec
        where = part.loc[peer.idxmin()] if len(peer) else None
        rows.append(
            {
                "k": f"k = {k}",
                "where": NONE if where is None else f"{where.matrix}, {where.peer_what}",
                **analysis.means(raw, raw_mark, "same", "same_worst"),
                **analysis.means(part.vs_raw, part.vs_raw_mark, "raw"),
                **analysis.means(peer, part.vs_peer_mark, "peer", "peer_worst"),
                "same_count": raw.count(),
                "raw_count": part.vs_raw.count(),
                "peer_count": peer.count(),
                "bound": part.bound_fraction.dropna().median(),
                "bound_mark": union(part.fatvec_mark),
            }
        )
    columns = (
        " <- k | "
        "fatvec / hand-written, same format <- same times | worst <- same_worst times | "
        "best / best hand-written <- raw times | best / best library <- peer times | "
        "worst <- peer_worst times | of bound, median <- bound share | "
        "worst case against a library <- where"
    )
    says = (
        "Geometric means over matrices and layouts; above 1 fatvec is faster; in brackets the "
        "number of cases."
    )
    return [Text(says), table(pd.DataFrame(rows), columns, 1, (1, 4))] if rows else []
