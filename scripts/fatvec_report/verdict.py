# SPDX-License-Identifier: Apache-2.0
"""The first screen: who is fastest, by how much, in which format, and what portability costs."""

from __future__ import annotations

import pandas as pd

from . import analysis, costs, ranks
from .page import Verdict, share, times
from .names import RAW, role


def verdict(view) -> Verdict:
    if view.run.dry:
        return Verdict(view.title, [("Dry run", "Results were verified, times mean nothing.")])
    if view.run.kind == "ranks":
        return Verdict(view.title, ranks.claims(view.run))
    return Verdict(
        view.title,
        [claim for claim in (_fastest(view), *_portability(view), *_against(view)) if claim],
    )


def _where(view, row: pd.Series) -> str:
    return ", ".join(
        [
            str(row.matrix),
            *(
                str(row[key])
                for key in view.run.problem_keys
                if key not in ("matrix", "k") and row[key]
            ),
            f"k = {row.k}",
        ]
    )


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
        text += ", in " + ", ".join(
            f"{shape} ({count})" for shape, count in formats.head(3).items()
        )
        text += " and others" if len(formats) > 3 else ""
    mine = best[best.contender == name].set_index(keys).seconds
    others = best[best.contender != name].groupby(keys, sort=False).seconds.min()
    lead = (others / mine).dropna()
    if len(lead):
        mean = times(analysis.geometric_mean(lead))
        text += f"; over all cases {mean} the speed of the best other (geometric mean)"
    return name + (" (hand-written)" if role(name) == RAW else ""), text + "."


def _portability(view) -> list[tuple[str, str]]:
    cells = view.costs
    cells = cells[(cells.format == costs.ANY) & cells.ratio.notna() & ~cells.launch_bound]
    if cells.empty:
        return []
    mean, low = analysis.geometric_mean(cells.ratio), cells.loc[cells.ratio.idxmin()]
    cost = f"portability costs {share(1 - mean)}" if mean < 1 else "portability costs nothing"
    return [
        (
            share(mean),
            f"of the specialised kernels' speed is reached by the one portable source: {cost}, "
            "best format against best format. "
            f"Worst: {share(low.ratio)} on {_where(view, low)}.",
        )
    ]


def _against(view) -> list[tuple[str, str]]:
    found = []
    for column, who in (("vs_peer", "library"), ("vs_raw", "hand-written kernel")):
        ratios = view.table[view.table[column].notna()]
        if len(ratios):
            low = ratios.loc[ratios[column].idxmin()]
            found.append(
                (
                    times(analysis.geometric_mean(ratios[column])),
                    f"the best {who}'s speed, by fatvec's best. At least as fast in "
                    f"{int((ratios[column] >= 1).sum())} of {len(ratios)} "
                    f"cases. Worst: {times(low[column])} on {_where(view, low)}.",
                )
            )
    return found
