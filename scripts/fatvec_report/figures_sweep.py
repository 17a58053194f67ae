# SPDX-License-Identifier: Apache-2.0
"""Pictures of settings: chunk, block and hack sizes, schedules, kernels, threads."""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.lines import Line2D

from . import analysis
from .names import SPECIALISED, role
from .style import INK, MARKERS, STEPS, head, look, over_values, panels, pick, short


def numeric(view, panel_tables: list[tuple[str, pd.DataFrame]], parameter: str) -> plt.Figure:
    """Speed relative to the best setting over the setting, one panel per variant, one line per k:
    geometric mean over the matrices."""
    figure, axes = panels(
        len(panel_tables),
        3 if len(panel_tables) > 4 else 2,
        3.7 if len(panel_tables) > 4 else 4.6,
        2.7,
        sharey=True,
    )
    columns = pick([k for _, table in panel_tables for k in table.k], 5)
    for axis, (title, table) in zip(axes, panel_tables):
        for position, k in enumerate(columns):
            rows = table[table.k == k]
            if len(rows):
                means = rows.groupby("value").relative.apply(analysis.geometric_mean)
                axis.plot(
                    means.index,
                    means,
                    color=STEPS[position],
                    marker=MARKERS[position],
                    markersize=5,
                    linewidth=1.5,
                    markeredgecolor="white",
                    markeredgewidth=0.6,
                )
        over_values(axis, table.value)
        axis.set_ylim(0, 1.05)
        axis.set_title(short(title, 44))
        axis.set_xlabel(parameter.replace("_", " "))
    for position, axis in enumerate(axes):
        axis.set_ylabel(
            "speed / best setting's" if position % (3 if len(axes) > 4 else 2) == 0 else ""
        )
    handles = [
        Line2D([], [], color=STEPS[position], marker=MARKERS[position], linewidth=1.5)
        for position in range(len(columns))
    ]
    head(
        figure,
        f"Sweep: {parameter.replace('_', ' ')}",
        f"{view.facts()}; geometric mean over matrices and layouts",
        handles,
        [f"k = {k}" for k in columns],
    )
    return figure


def blocks(view, panel_tables: list[tuple[str, pd.DataFrame]], parameter: str) -> plt.Figure:
    """Speed relative to the best block over x and y of the block, one panel per variant and k."""
    figure, axes = panels(len(panel_tables), 3, 3.7, 2.9)
    for axis, (title, table) in zip(axes, panel_tables):
        means = table.groupby(["y", "x"]).relative.apply(analysis.geometric_mean).unstack()
        axis.imshow(means, cmap="cividis", vmin=0, vmax=1, aspect="auto", origin="lower")
        for (row, column), value in np.ndenumerate(means.to_numpy()):
            if not np.isnan(value):
                axis.text(
                    column,
                    row,
                    f"{value:.0%}",
                    ha="center",
                    va="center",
                    fontsize=8,
                    color="white" if value < 0.6 else INK,
                )
        axis.set_xticks(range(len(means.columns)), means.columns)
        axis.set_yticks(range(len(means.index)), means.index)
        axis.grid(visible=False)
        axis.set_title(short(title, 40))
        axis.set_xlabel(f"{parameter} x")
        axis.set_ylabel(f"{parameter} y")
    head(
        figure,
        f"Sweep: {parameter}",
        f"{view.facts()}; share of the best block's speed, geometric mean over matrices and "
        "layouts",
    )
    return figure


def choices(view, panel_tables: list[tuple[str, pd.DataFrame]]) -> plt.Figure:
    """Speed of each variant relative to the fastest of its contender and format: a dot per case, a
    bar at the geometric mean."""
    longest = max(table.value.nunique() for _, table in panel_tables)
    figure, axes = panels(len(panel_tables), 2, 5.5, 0.3 * longest + 0.95, sharex=True)
    for position, (axis, (title, table)) in enumerate(zip(axes, panel_tables)):
        names = list(dict.fromkeys(table.value))
        colour, marker, _ = look(table.contender.iloc[0])
        for place, name in enumerate(names):
            values = np.sort(table[table.value == name].relative.to_numpy())
            axis.scatter(
                values,
                place + (np.arange(len(values)) * 0.618 % 1 - 0.5) * 0.5,
                s=13,
                color=colour,
                marker=marker,
                alpha=0.5,
                linewidth=0,
            )
            mean = analysis.geometric_mean(pd.Series(values))
            axis.vlines(mean, place - 0.36, place + 0.36, color=INK, linewidth=2.2, zorder=5)
        axis.set_yticks(range(len(names)), [short(name, 40) for name in names])
        axis.set_ylim(len(names) - 0.4, -0.6)
        axis.set_xlim(0, 1.04)
        axis.tick_params(axis="y", length=0, labelsize=8.5)
        axis.grid(axis="y", visible=False)
        axis.set_title(title)
        axis.tick_params(axis="x", labelbottom=True)
        axis.set_xlabel(
            "speed / best variant's (bar: geometric mean)" if position + 2 >= len(axes) else ""
        )
    head(figure, "Which kernel, which schedule", view.facts())
    return figure


def scaling(view, table: pd.DataFrame) -> plt.Figure:
    """Speedup and efficiency over threads, one column per k: geometric mean over the matrices,
    shaded from worst to best."""
    columns = pick(table.k, 4)
    names = list(dict.fromkeys(table.contender))
    names.sort(key=lambda name: analysis.ROLES.index(role(name)))
    figure, axes = panels(
        2 * len(columns),
        len(columns),
        11 / len(columns) if len(columns) > 2 else 4.6,
        2.6,
        sharey="row",
    )
    threads = sorted(table.threads.unique())
    for row, kind in enumerate(("speedup", "efficiency")):
        for column, k in enumerate(columns):
            axis = axes[row * len(columns) + column]
            for name in reversed(names):
                group = table[(table.k == k) & (table.contender == name)].groupby("threads")[kind]
                means, colour = group.apply(analysis.geometric_mean), look(name)[0]
                if name == SPECIALISED:
                    axis.fill_between(
                        means.index, group.min(), group.max(), color=colour, alpha=0.13, linewidth=0
                    )
                axis.plot(
                    means.index,
                    means,
                    color=colour,
                    marker=look(name)[1],
                    markersize=7 if name == SPECIALISED else 5.6,
                    markeredgecolor="white",
                    markeredgewidth=0.6,
                    linewidth=3 if name == SPECIALISED else 1.4,
                    zorder=3 if name == SPECIALISED else 4,
                )
            axis.plot(
                threads,
                threads if kind == "speedup" else np.ones(len(threads)),
                color=INK,
                linestyle=(0, (5, 3)),
                linewidth=1.1,
            )
            over_values(axis, threads)
            axis.set_title(f"k = {k}" if row == 0 else "")
            axis.set_xlabel("threads" if row else "")
            axis.set_ylabel(kind if column == 0 else "")
    for axis in axes:
        axis.set_ylim(bottom=0)
    handles = [
        Line2D(
            [],
            [],
            color=look(name)[0],
            marker=look(name)[1],
            linewidth=3 if name == SPECIALISED else 1.4,
        )
        for name in names
    ]
    reference = " or ".join(dict.fromkeys(table.reference))
    head(
        figure,
        "Speedup and efficiency over threads",
        f"{view.device}; reference: {reference}; shaded: fatvec's worst to best matrix",
        [*handles, Line2D([], [], color=INK, linestyle=(0, (5, 3)), linewidth=1.1)],
        [*names, "ideal"],
    )
    return figure
