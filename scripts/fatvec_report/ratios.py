# SPDX-License-Identifier: Apache-2.0
"""fatvec against hand-written code and libraries: means, distributions, the worst cells."""

import numpy as np
import pandas as pd
from matplotlib.transforms import ScaledTranslation

from . import analysis
from .load import union, unions
from .names import PEER
from .page import Block, Heading, Picture, table, times
from .style import CONTENDERS, FORMATS, INK, SMALL, Sheet, around, even, look, narrow, pick

ALL_PEERS = "best library"


def ratios(view) -> list[Block]:
    sides, best = [], view.table
    if len(view.same_format):
        same = view.same_format.assign(line=view.same_format.format)
        sides.append(("fatvec / hand-written, same format and backend", same))
    peers = analysis.contenders(view.run, PEER)
    lines = [(best.fatvec / best[name], best[f"{name}_mark"], name) for name in peers]
    if len(peers) > 1:
        lines.append((best.vs_peer, best.vs_peer_mark, ALL_PEERS))
    lines = [
        best.assign(ratio=ratio, line=line, ratio_mark=unions(best.fatvec_mark, mark))
        for ratio, mark, line in lines
    ]
    lines = pd.concat(lines).dropna(subset=["ratio"]) if lines else best.head(0)
    if len(lines):
        sides.append(("fatvec's best / each library's best", lines))
    if not sides:
        return []
    picture = Picture(
        "ratios",
        "Above, for each comparison, the share of cases up to each ratio; below, every case over k "
        "with the geometric means.",
        lambda: _distribution(view, sides),
        "Left of (below) the line at 1 fatvec is slower. fatvec / hand-written: per matrix, layout "
        "and k fatvec's fastest kernel over the fastest hand-written kernel of the same format and "
        "backend. Best against best: whatever settings were swept, the fastest counts.",
    )
    return [picture, *(block for side in sides for block in _means(view, *side))]


def _means(view, title: str, rows: pd.DataFrame) -> list[Block]:
    raw = "other_GFLOPS" in rows
    rows = rows.assign(case=view.cases(rows))
    if raw:
        rows = rows.assign(line=rows.backend + ", " + rows.format)
        rows = pd.concat([rows, rows.assign(line="all")])
    order = dict.fromkeys(rows.line)
    means = rows.sort_values("ratio", kind="stable").groupby("line")
    means = means.agg(
        case=("case", "first"),
        cases=("ratio", "size"),
        mean=("ratio", analysis.geometric_mean),
        mean_mark=("ratio_mark", union),
        worst=("ratio", "min"),
        worst_mark=("ratio_mark", "first"),
        best=("ratio", "max"),
        best_mark=("ratio_mark", "last"),
        fast=("ratio", lambda values: (values >= 1).mean()),
        fast_mark=("ratio_mark", union),
    )
    columns = (
        f"{'backend, format' if raw else 'against'} <- line | cases | "
        "geometric mean <- mean times | worst <- worst times | best <- best times | "
        "at least as fast <- fast share | worst case <- case"
    )
    return [Heading(title), table(means.reindex(order).reset_index(), columns, 1, (2,))]


def _distribution(view, sides: list[tuple[str, pd.DataFrame]]):
    """Per comparison (title, table with ratio, k and line) a column: above the share of the cases
    up to each ratio, a curve per line; below every case over k with the geometric means, where one
    line sums the others up that one only."""
    keys = max(rows.line.nunique() for _, rows in sides)
    sheet = Sheet(2 * len(sides), len(sides), 2.9 + 0.2 * keys * narrow())
    for column, (title, rows) in enumerate(sides):
        above, below = sheet.axes[column], sheet.axes[len(sides) + column]
        for name, group in rows.groupby("line", sort=False):
            values = np.sort(group.ratio)
            steps = np.concatenate([values[:1], values]), np.linspace(0, 1, len(values) + 1)
            label = f"{name}: {times(analysis.geometric_mean(group.ratio))}, n = {len(values)}"
            looks = {"linewidth": 1.8, "markersize": 4.5, "label": label, **_line(name)}
            above.step(*steps, where="post", markevery=max(1, len(values) // 8), **looks)
        even(above)
        above.set(title=title, xlabel="fatvec / other; legend: mean")
        above.set(ylabel="share of cases", ylim=(-0.03, 1.03))
        beside = {"bbox_to_anchor": (1.01, 0.97)}
        if narrow():
            below_it = ScaledTranslation(0, -0.55, sheet.figure.dpi_scale_trans)
            beside = {"bbox_to_anchor": (0, 0), "bbox_transform": above.transAxes + below_it}
        looks = {"frameon": False, "fontsize": SMALL, "borderaxespad": 0}
        above.legend(loc="upper left", **looks, **beside)
        sums = rows.line == ALL_PEERS
        _over_k(below, rows[sums] if sums.any() else rows)
        below.set_xlabel(f"k; {title}" if narrow() else below.get_xlabel())
    facts = f"{view.facts()}; ratios of speeds, above 1 fatvec is faster"
    return sheet.done("fatvec against the others, one run", facts)


def _line(name: str) -> dict:
    """Of a format, of a contender, or of all together."""
    known = FORMATS if name in FORMATS else CONTENDERS
    colour, marker = (INK, "o") if name == ALL_PEERS else look(name, known)
    return {"color": colour, "marker": marker}


def _over_k(axis, rows: pd.DataFrame) -> None:
    columns = sorted(rows.k.unique())
    labelled = pick(columns, 6 if narrow() else 10)  # so that numbers do not touch
    for position, k in enumerate(columns):
        group = rows[rows.k == k].sort_values("ratio")
        group["place"] = around(position, len(group))
        for name, part in group.groupby("line", sort=False):
            dots = {"s": 15, "alpha": 0.7, "linewidth": 0, "zorder": 3}
            axis.scatter(part.place, part.ratio, **dots, **_line(name))
        mean = analysis.geometric_mean(group.ratio)
        axis.hlines(mean, position - 0.36, position + 0.36, color=INK, linewidth=2.2, zorder=5)
        says = {"ha": "center", "va": "bottom", "fontsize": SMALL, "color": INK}
        text = times(mean).removesuffix("×") if k in labelled else ""
        axis.text(position, 1.0, text, transform=axis.get_xaxis_transform(), **says)
    even(axis, "y")
    axis.set_xticks([columns.index(k) for k in labelled], labelled)
    axis.set(xlim=(-0.6, len(columns) - 0.4), xlabel="k (bar and number: geometric mean)")
    axis.set_ylabel("fatvec / other")
    axis.grid(axis="x", visible=False)


def worst(view) -> list[Block]:
    cells = analysis.worst(view.run, view.table, view.same_format)
    cells = cells[cells.ratio < 1]
    cells = cells.assign(case=view.cases(cells))
    columns = (
        "case | fatvec <- how | against <- other_what | fatvec GFLOPS <- GFLOPS gflops | "
        "its GFLOPS <- other_GFLOPS gflops | ratio <- ratio times | spread <- spread share | "
        "of bound <- bound_fraction share"
    )
    return [table(cells, columns, 3, (5,))] if len(cells) else []
