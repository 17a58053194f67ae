# SPDX-License-Identifier: Apache-2.0
"""Pictures that the published systems drew, of a run."""

from __future__ import annotations

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.lines import Line2D
from matplotlib.ticker import FuncFormatter

from .names import ANSWERS, RAW, SPECIALISED
from .style import FORMATS, INK, MARKERS, STEPS, head, look, over_values, panels, pick, plain

WAYS = {
    "together": ("-", "one product of k columns"),
    "apart": ("--", "k products of one column"),
    "copied": (":", "k products, each on copies"),
}


def over_deviation(view, table: pd.DataFrame) -> plt.Figure:
    """GFLOPS over the deviation of row lengths, a mark per matrix and format; hand-written and
    fatvec side by side."""
    sides = [name for name in (RAW, SPECIALISED) if table.role.eq(name).any()]
    figure, axes = panels(len(sides), 2, 5.6, 3.6, sharex=True, sharey=True)
    names = list(dict.fromkeys(table.format))
    for axis, side in zip(axes, sides):
        for name in names:
            rows = table[table.role.eq(side) & table.format.eq(name)].sort_values("row_deviation")
            colour, marker, _ = look(name, FORMATS)
            axis.plot(
                rows.row_deviation,
                rows.GFLOPS,
                color=colour,
                marker=marker,
                markersize=9 if marker == "*" else 6,  # a star is thin
                linewidth=0.7,
                alpha=0.85,
                markeredgecolor="white",
                markeredgewidth=0.5,
            )
        plain(axis, "y")
        axis.set_xscale("symlog", linthresh=1)
        axis.set_xlim(-0.12, table.row_deviation.max() * 1.2)  # room for whole markers
        axis.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
        axis.set_title({RAW: "hand-written", SPECIALISED: f"fatvec, {ANSWERS[SPECIALISED]}"}[side])
        axis.set_xlabel("mean absolute deviation of row lengths (% of the mean)")
    axes[0].set_ylabel("GFLOPS")
    handles = [
        Line2D([], [], color=look(name, FORMATS)[0], marker=look(name, FORMATS)[1], linewidth=1)
        for name in names
    ]
    head(
        figure,
        "Speed over the deviation of row lengths",
        f"{view.facts()}; k = {table.k.min()}, fastest kernel of each format",
        handles,
        names,
    )
    return figure


def averages(view, table: pd.DataFrame) -> plt.Figure:
    """Means over the suite: GFLOPS per thread, speedup and efficiency over threads, a line per
    format; of the fewest columns."""
    table = table[table.k.eq(table.k.min())]
    kinds = {"per_thread": "GFLOPS per thread", "speedup": "speedup", "efficiency": "efficiency"}
    figure, axes = panels(3, 3, 3.9, 2.9)
    lines = list(dict.fromkeys(table.line))
    for axis, (kind, label) in zip(axes, kinds.items()):
        for position, name in enumerate(lines):
            rows = table[table.line.eq(name)]
            axis.plot(
                rows.threads,
                rows[kind],
                color=STEPS[position % len(STEPS)],
                marker=MARKERS[position % len(MARKERS)],
                markersize=5.5,
                linewidth=1.5,
            )
        if kind != "per_thread":
            threads = sorted(table.threads.unique())
            ideal = threads if kind == "speedup" else [1] * len(threads)
            axis.plot(threads, ideal, color=INK, linestyle=(0, (5, 3)), linewidth=1.1)
        over_values(axis, table.threads)
        axis.set_ylim(bottom=0)
        axis.set_title(label)
        axis.set_xlabel("threads")
    handles = [
        Line2D(
            [],
            [],
            color=STEPS[position % len(STEPS)],
            marker=MARKERS[position % len(MARKERS)],
            linewidth=1.5,
        )
        for position in range(len(lines))
    ]
    ideal = Line2D([], [], color=INK, linestyle=(0, (5, 3)), linewidth=1.1)
    head(
        figure,
        "Means over the suite, hand-written OpenMP",
        f"{view.device}; {table.matrices.max()} matrices, k = {table.k.min()}",
        [*handles, ideal],
        [*lines, "ideal"],
    )
    return figure


def one_against_many(view, table: pd.DataFrame) -> plt.Figure:
    """Runtime over the rows, a panel per contender and layout, a colour per k, a dash per way."""
    groups = list(table.groupby(["contender", "layout"], sort=False))
    columns = pick(table.k, 5)
    figure, axes = panels(len(groups), 2, 5.4, 3.3, sharex=True)
    for axis, ((contender, layout), group) in zip(axes, groups):
        for position, k in enumerate(columns):
            rows = group[group.k.eq(k)].sort_values("rows")
            for way, (dash, _) in WAYS.items():
                axis.plot(
                    rows.rows,
                    rows[way],
                    color=STEPS[position],
                    linestyle=dash,
                    marker=MARKERS[position],
                    markersize=4.5,
                    linewidth=1.5,
                )
        axis.set_yscale("log")
        plain(axis, "xy")
        axis.set_title(f"{contender}, layout {layout}")
        axis.set_xlabel("N, rows of the matrix")
        axis.set_ylabel("seconds")
    handles = [
        Line2D([], [], color=STEPS[position], marker=MARKERS[position], linewidth=1.5)
        for position in range(len(columns))
    ]
    ways = [look for way, look in WAYS.items() if table[way].notna().any()]
    dashes = [Line2D([], [], color=INK, linestyle=dash, linewidth=1.5) for dash, _ in ways]
    head(
        figure,
        "Runtime over N and K",
        f"{view.facts()}; both axes logarithmic",
        [*handles, *dashes],
        [*(f"K = {k}" for k in columns), *(text for _, text in ways)],
    )
    return figure
