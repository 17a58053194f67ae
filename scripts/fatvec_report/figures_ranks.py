# SPDX-License-Identifier: Apache-2.0
"""Pictures of the suites weak and strong: a number over the ranks."""

from __future__ import annotations

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.lines import Line2D

from .style import BOUND, MARKERS, STEPS, head, over_values, panels, pick, short


def over_ranks(
    view, rows: pd.DataFrame, value: str, unit: float, label: str, title: str
) -> plt.Figure:
    """`value` (a column, in `unit`) over the ranks: a panel per matrix, a line per way and k."""
    ways = rows.apply(lambda row: view.run.describe(row), axis=1)
    lines = list(dict.fromkeys(zip(ways, rows.k)))
    lines = [lines[at] for at in pick(range(len(lines)), len(STEPS))]
    one_way = len({way for way, _ in lines}) == 1
    groups = list(rows.groupby("matrix", sort=False))
    figure, axes = panels(len(groups), 2, 5.2, 3.3)
    for axis, (matrix, group) in zip(axes, groups):
        for (way, k), colour, marker in zip(lines, STEPS, MARKERS):
            points = group[(ways[group.index] == way) & (group.k == k)].sort_values("ranks")
            axis.plot(
                points.ranks,
                points[value] / unit,
                color=colour,
                marker=marker,
                markersize=6,
                linewidth=1.8,
            )
        counts = sorted(group.ranks.unique())
        if value == "efficiency":
            axis.axhline(1, **BOUND)
        if value == "speed_up":
            axis.plot(counts, counts, **BOUND)
        over_values(axis, counts)
        axis.set_ylim(bottom=0)
        axis.set_title(short(matrix, 40))
        axis.set_xlabel("ranks")
        axis.set_ylabel(label)
    handles = [
        Line2D([], [], color=colour, marker=marker)
        for _, colour, marker in zip(lines, STEPS, MARKERS)
    ]
    names = [f"k = {k}" if one_way else f"{way}, k = {k}" for way, k in lines]
    if value in ("efficiency", "speed_up"):
        handles.append(Line2D([], [], **BOUND))
        names.append("ideal")
    head(figure, title, view.facts(), handles, names)
    return figure
