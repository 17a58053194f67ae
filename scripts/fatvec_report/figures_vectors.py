# SPDX-License-Identifier: Apache-2.0
"""Pictures of the suite of vectors: runtime over the length, and how near each version comes to the
bandwidth."""

from __future__ import annotations

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.lines import Line2D

from .names import SPECIALISED
from .style import BOUND, head, look, panels, plain

DASHES = ["-", (0, (4, 2)), (0, (1, 1.5))]  # of a contender's versions


def versions(view) -> dict[str, tuple[str, dict]]:
    """Each version's name to its contender and how its line looks."""
    found: dict[str, tuple[str, dict]] = {}
    for _, row in view.run.measured.iterrows():
        name = view.run.describe(row, contender=True)
        if name not in found:
            colour, marker, _ = look(row.contender)
            earlier = sum(contender == row.contender for contender, _ in found.values())
            found[name] = (
                row.contender,
                {
                    "color": colour,
                    "marker": marker,
                    "linestyle": DASHES[earlier % len(DASHES)],
                    "linewidth": 3 if row.contender == SPECIALISED else 1.4,
                    "markersize": 7 if row.contender == SPECIALISED else 5.4,
                    "markeredgecolor": "white",
                    "markeredgewidth": 0.5,
                    "zorder": 3 if row.contender == SPECIALISED else 4,
                },
            )
    return found


def over_length(view, rows: pd.DataFrame, value: str, label: str, title: str) -> plt.Figure:
    """`value` (a column) over the length, a panel per operation, a line per version; where it is a
    time, that of the bound, too."""
    lines = versions(view)
    names = rows.apply(lambda row: view.run.describe(row, contender=True), axis=1)
    groups = list(rows.groupby("operation", sort=False))
    figure, axes = panels(len(groups), 2, 5.2, 3.3)
    for axis, (operation, group) in zip(axes, groups):
        for name, (_, style) in lines.items():
            points = group[names[group.index] == name].sort_values("length")
            if len(points):
                axis.plot(points.length, points[value], **style)
        if value == "seconds":
            bound = (group.seconds * group.bound_fraction).groupby(group.length).median()
            axis.plot(bound.index, bound, **BOUND)
        else:
            axis.axhline(1, **BOUND)
        axis.set_yscale("log")
        plain(axis, "xy")
        axis.set_title(operation)
        axis.set_xlabel("N, elements of the vector")
        axis.set_ylabel(label)
    handles = [*(Line2D([], [], **style) for _, style in lines.values()), Line2D([], [], **BOUND)]
    head(
        figure,
        title,
        f"{view.facts()}; both axes logarithmic",
        handles,
        [*lines, "at the measured bandwidth"],
    )
    return figure
