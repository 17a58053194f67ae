# SPDX-License-Identifier: Apache-2.0
"""Pictures of ratios: formats against CSR, fatvec against hand-written code and peers, performance
portability."""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.lines import Line2D

from . import analysis
from .page import times
from .names import ANSWERS, SPECIALISED, PORTABLE, RAW, role
from .style import CONTENDERS, FORMATS, INK, LABELS, by_matrix, head, look, panels, pick, plain

ALL_PEERS = "best peer"
ROLES = {
    ANSWERS[PORTABLE]: "fatvec-portable",
    ANSWERS[SPECIALISED]: "fatvec",
    ANSWERS[RAW]: "raw-openmp",
}  # whose look they have


def _even(axis, vertical: bool = True) -> None:
    """The line at which nobody is ahead."""
    (axis.axvline if vertical else axis.axhline)(1, color=INK, linewidth=1.1, zorder=2)


def _ratio_scale(axis, name: str = "x") -> None:
    """Logarithmic and never so narrow that noise looks like a result."""
    low, high = axis.get_xlim() if name == "x" else axis.get_ylim()
    (axis.set_xlim if name == "x" else axis.set_ylim)(min(low, 0.6), max(high, 1.7))
    plain(axis, name)


def formats(view, table: pd.DataFrame, title: str) -> plt.Figure:
    """Speed of each format's best kernel over CSR's, matrices below each other, one panel per k."""
    counts = table.groupby("k").size()  # a panel of few marks tells little
    columns = pick(counts.index[2 * counts >= counts.max()], 4)
    matrices = list(dict.fromkeys(table.matrix))
    names = [name for name in dict.fromkeys(table.format) if name != "csr"]
    row = max(
        0.26, 0.1 * len(names) + 0.08
    )  # inches, so that the marks of one matrix do not touch the next one's
    figure, axes = panels(
        len(columns),
        len(columns),
        11 / len(columns) if len(columns) > 2 else 4.6,
        len(matrices) * row + LABELS,
        sharey=True,
        sharex=True,
    )
    for axis, k in zip(axes, columns):
        for offset, name in enumerate(names):
            colour, marker, _ = look(name, FORMATS)
            rows = (
                table[(table.k == k) & (table.format == name)]
                .set_index("matrix")
                .over_csr.reindex(matrices)
            )
            places = np.arange(len(matrices)) + (offset - (len(names) - 1) / 2) * 0.1 / row
            axis.hlines(places, 1, rows, color=colour, linewidth=1.6, zorder=3)
            axis.scatter(
                rows,
                places,
                marker=marker,
                s=80 if marker == "*" else 34,  # a star is thin
                color=colour,
                edgecolor="white",
                linewidth=0.5,
                zorder=4,
            )
        axis.set_xscale("log")
        _even(axis)
        axis.set_title(f"k = {k}")
        axis.set_xlabel("speed / CSR's")
        by_matrix(axis, matrices)
    for axis in axes:
        _ratio_scale(axis)
    handles = [
        Line2D([], [], color=look(name, FORMATS)[0], marker=look(name, FORMATS)[1], linewidth=1.6)
        for name in names
    ]
    kind = {"fatvec": "fatvec's", "raw": "hand-written"}[role(table.contender.iloc[0])]
    head(
        figure,
        f"Formats against CSR, {kind} kernels{title}",
        f"{view.facts()}; right of the line: faster than CSR",
        handles,
        names,
    )
    return figure


def _line(name: str) -> tuple[str, str]:
    """Colour and marker of a format, of a contender, or of all together."""
    return (
        (INK, "o")
        if name == ALL_PEERS
        else look(name, FORMATS if name in FORMATS else CONTENDERS)[:2]
    )


def distribution(view, sides: list[tuple[str, pd.DataFrame]]) -> plt.Figure:
    """Per comparison (title, table with ratio, k and line) a column: above the share of the cases
    up to each ratio, a curve per line; below every case over k with the geometric means, where one
    line sums the others up that one only."""
    figure, axes = panels(2 * len(sides), len(sides), 6.2 if len(sides) > 1 else 8, 2.9)
    for column, (title, table) in enumerate(sides):
        above, below = axes[column], axes[len(sides) + column]
        lines = list(table.groupby("line", sort=False))
        for name, group in lines:
            colour, marker = _line(name)
            values = np.sort(group.ratio)
            above.step(
                np.concatenate([values[:1], values]),
                np.linspace(0, 1, len(values) + 1),
                where="post",
                color=colour,
                linewidth=1.8,
                marker=marker,
                markersize=4.5,
                markevery=max(1, len(values) // 8),
                label=f"{name}: {times(analysis.geometric_mean(group.ratio))}, n = {len(values)}",
            )
        above.set_xscale("log")
        _even(above)
        _ratio_scale(above)
        above.set_title(title)
        above.set_xlabel("fatvec / other (geometric mean in the legend)")
        above.set_ylabel("share of cases")
        above.set_ylim(-0.03, 1.03)
        above.legend(
            frameon=False,
            fontsize=8.5,
            loc="upper left",
            bbox_to_anchor=(1.01, 0.97),
            borderaxespad=0,
        )  # beside the curves
        _over_k(below, table[table.line == ALL_PEERS] if (table.line == ALL_PEERS).any() else table)
    head(
        figure,
        "fatvec against the others, one run",
        f"{view.facts()}; ratios of speeds, above 1 fatvec is faster",
    )
    return figure


def _over_k(axis, table: pd.DataFrame) -> None:
    columns = sorted(table.k.unique())
    labelled = pick(columns, 10)  # so that numbers do not touch
    for position, k in enumerate(columns):
        group = table[table.k == k].sort_values("ratio")
        spread = (
            np.arange(len(group)) * 0.618 % 1 - 0.5
        ) * 0.5  # golden steps: even, and the same each time
        for name, rows in group.assign(place=position + spread).groupby("line", sort=False):
            colour, marker = _line(name)
            axis.scatter(
                rows.place,
                rows.ratio,
                s=15,
                marker=marker,
                color=colour,
                alpha=0.7,
                linewidth=0,
                zorder=3,
            )
        mean = analysis.geometric_mean(group.ratio)
        axis.hlines(mean, position - 0.36, position + 0.36, color=INK, linewidth=2.2, zorder=5)
        axis.text(
            position,
            1.0,
            times(mean).removesuffix("×") if k in labelled else "",
            transform=axis.get_xaxis_transform(),
            ha="center",
            va="bottom",
            fontsize=8.5,
            color=INK,
        )
    axis.set_yscale("log")
    _even(axis, vertical=False)
    _ratio_scale(axis, "y")
    axis.set_xticks([columns.index(k) for k in labelled], labelled)
    axis.set_xlim(-0.6, len(columns) - 0.4)
    axis.set_xlabel("k (bar and number: geometric mean)")
    axis.set_ylabel("fatvec / other")
    axis.grid(axis="x", visible=False)


def portability(metric: pd.DataFrame, platforms: list[str]) -> plt.Figure:
    """PP of each application over all problems: a dot per problem, a bar at the median, by both
    efficiencies."""
    names = list(dict.fromkeys(metric.application_name))
    figure, axes = panels(2, 2, 5.5, 0.55 * len(names) + LABELS, sharey=True, sharex=True)
    for axis, kind in zip(axes, ("application", "architectural")):
        for place, name in enumerate(names):
            values = np.sort(metric[metric.application_name == name][kind].to_numpy())
            colour, marker, _ = look(ROLES.get(name, name))
            axis.scatter(
                values,
                place + (np.arange(len(values)) * 0.618 % 1 - 0.5) * 0.5,
                s=13,
                color=colour,
                alpha=0.55,
                linewidth=0,
                marker=marker,
            )
            middle = float(np.median(values))
            axis.vlines(middle, place - 0.36, place + 0.36, color=INK, linewidth=2.2, zorder=5)
            axis.annotate(
                f"{middle:.2f}",
                (middle, place - 0.36),
                (0, 1.5),
                textcoords="offset points",
                ha="center",
                fontsize=8.5,
            )
        axis.set_xlim(-0.03, 1.03)
        axis.set_ylim(len(names) - 0.3, -0.8)
        axis.set_yticks(range(len(names)), names)
        axis.tick_params(axis="y", length=0)
        axis.grid(axis="y", visible=False)
        axis.set_title(
            {
                "application": "against the fastest contender of the same run",
                "architectural": "against the bandwidth bound",
            }[kind]
        )
        axis.set_xlabel(f"PP, {kind} efficiency (bar: median)")
    head(figure, "Performance portability (PP)", "platforms: " + ", ".join(platforms))
    return figure
