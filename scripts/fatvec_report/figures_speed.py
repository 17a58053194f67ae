# SPDX-License-Identifier: Apache-2.0
"""Pictures of speed: per matrix, over k, beside the bound. Each takes a view and one page of its
comparison."""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from . import analysis
from .page import gflops
from .names import SPECIALISED, RAW
from .style import (
    BLUE,
    BOUND,
    INK,
    LABELS,
    MUTED,
    by_matrix,
    head,
    look,
    over_values,
    panels,
    pick,
    plain,
    short,
)


def drawn(view, part: pd.DataFrame) -> list[str]:
    """The contenders that have a point, fatvec first, then the portable kernel, hand-written code,
    the peers."""
    names = [name for wanted in analysis.ROLES for name in analysis.contenders(view.run, wanted)]
    return [name for name in names if part[name].notna().any()]


def _label(name: str) -> str:
    return f"{name} (hand-written)" if name.startswith(RAW) else name


def most_compared(part: pd.DataFrame, names: list[str]) -> pd.Series:
    """The k at which the most contenders were measured."""
    present = part.groupby("k")[names].apply(lambda rows: rows.notna().any().sum())
    return part.k[part.k.map(present) == present.max()]


def bars(view, part: pd.DataFrame, title: str) -> plt.Figure:
    """GFLOPS of each contender's best, matrices below each other, one panel per k."""
    names = drawn(view, part)
    columns = pick(most_compared(part, names), 4)
    matrices = list(dict.fromkeys(part.matrix))
    pitch = len(names) + 0.9
    figure, axes = panels(
        len(columns),
        len(columns),
        11 / len(columns) if len(columns) > 2 else 4.6,
        len(matrices) * pitch * 0.13 + LABELS,
        sharey=True,
    )
    for axis, k in zip(axes, columns):
        rows = part[part.k == k].set_index("matrix").reindex(matrices)
        for position, name in enumerate(names):
            colour, _, hatch = look(name)
            places = np.arange(len(matrices)) * pitch + position
            axis.barh(
                places,
                rows[name].fillna(0),
                height=0.92,
                color=colour,
                hatch=hatch,
                edgecolor="white",
                linewidth=0,
            )
            for place, value in zip(places, rows[name]):
                axis.annotate(
                    gflops(value),
                    (0 if pd.isna(value) else value, place),
                    (2.5, 0),
                    textcoords="offset points",
                    va="center",
                    fontsize=7.5,
                    color=INK if name == SPECIALISED else MUTED,
                    fontweight="bold" if name == SPECIALISED else "normal",
                )
        axis.set_title(f"k = {k}")
        axis.set_xlabel("GFLOPS")
        axis.set_xlim(right=axis.get_xlim()[1] * 1.15)
        axis.grid(axis="y", visible=False)
        axis.set_ylim(len(matrices) * pitch - 0.7, -1.2)
        axis.set_yticks(
            np.arange(len(matrices)) * pitch + (len(names) - 1) / 2,
            [short(name) for name in matrices],
        )
        axis.tick_params(axis="y", length=0)
        axis.locator_params(axis="x", nbins=4)
    handles = [
        Patch(facecolor=look(name)[0], hatch=look(name)[2], edgecolor="white", linewidth=0)
        for name in names
    ]
    head(
        figure,
        f"GFLOPS, each contender at its best{title}",
        view.facts(),
        handles,
        [_label(name) for name in names],
    )
    return figure


def over_k(view, part: pd.DataFrame, title: str) -> plt.Figure:
    """GFLOPS over k, one panel per matrix, one line per contender, the bound above them."""
    names = drawn(view, part)
    groups = list(part.groupby("matrix", sort=False))
    bounded = part.bound.notna().any()
    figure, axes = panels(
        len(groups), 3 if len(groups) > 4 else 2, 3.7 if len(groups) > 4 else 4.6, 2.7
    )
    for axis, (matrix, group) in zip(axes, groups):
        group = group.sort_values("k")
        for name in reversed(names):
            colour, marker, _ = look(name)
            broad = name == SPECIALISED  # broad and below, so that a line on top of it shows
            rows = group.dropna(subset=[name])  # a line goes on over a k that was not measured
            axis.plot(
                rows.k,
                rows[name],
                color=colour,
                marker=marker,
                markeredgecolor="white",
                markeredgewidth=0.5,
                linewidth=3.6 if broad else 1.4,
                markersize=7.5 if broad else 5.6,
                zorder=3 if broad else 4,
            )
        if bounded:
            axis.plot(group.k, group.bound, **BOUND)
        over_values(axis, group.k)
        axis.set_yscale("log")
        low, high = axis.get_ylim()
        axis.set_ylim(low, high * 1.9)  # room for a line of text
        plain(axis, "y")
        if bounded:
            axis.fill_between(
                group.k, group.bound, axis.get_ylim()[1], color="#f1f2f4", zorder=0, linewidth=0
            )
        axis.set_title(short(matrix, 40))
        shares = group.dropna(subset=["fatvec", "bound_fraction"])
        if len(shares):
            last = shares.iloc[-1]
            axis.text(
                0.03,
                0.96,
                f"{last.bound_fraction:.0%} of the bound at k = {last.k}",
                transform=axis.transAxes,
                va="top",
                color=BLUE,
                fontsize=8,
                zorder=6,
            )
    for position, axis in enumerate(axes):
        axis.set_ylabel("GFLOPS" if position % (3 if len(groups) > 4 else 2) == 0 else "")
        axis.set_xlabel("k, columns of the fat vector")
    handles = [
        Line2D(
            [],
            [],
            color=look(name)[0],
            marker=look(name)[1],
            linewidth=3.6 if name == SPECIALISED else 1.4,
            markeredgecolor="white",
            markeredgewidth=0.5,
            markersize=7.5 if name == SPECIALISED else 5.6,
        )
        for name in names
    ]
    head(
        figure,
        f"Speed over k{title}",
        f"{view.facts()}; both axes logarithmic",
        [*handles, *([Line2D([], [], **BOUND)] if bounded else [])],
        [*map(_label, names), *(["bandwidth bound"] if bounded else [])],
    )
    return figure


def of_bound(view, part: pd.DataFrame, title: str) -> plt.Figure:
    """Share of the bandwidth bound, matrices below each other, one panel per k, one mark per
    contender."""
    names = drawn(view, part)
    columns = pick(most_compared(part, names), 4)
    matrices = list(dict.fromkeys(part.matrix))
    figure, axes = panels(
        len(columns),
        len(columns),
        11 / len(columns) if len(columns) > 2 else 4.6,
        len(matrices) * 0.26 + LABELS,
        sharey=True,
        sharex=True,
    )
    places = np.arange(len(matrices))
    for axis, k in zip(axes, columns):
        rows = part[part.k == k].set_index("matrix").reindex(matrices)
        cached = rows.in_cache.eq(True).to_numpy()
        for name in reversed(names):
            colour, marker, _ = look(name)
            value = (rows[name] / rows.bound).to_numpy(dtype=float)
            for inside in (False, True):
                axis.scatter(
                    value[cached == inside],
                    places[cached == inside],
                    marker=marker,
                    s=44 if name == SPECIALISED else 26,
                    linewidth=1.1,
                    facecolor="white" if inside else colour,
                    edgecolor=colour,
                    zorder=4 if name == SPECIALISED else 3,
                )
        axis.axvline(1, **BOUND)
        axis.set_title(f"k = {k}")
        axis.set_xlabel("speed / bound")
        by_matrix(axis, matrices)
    for axis in axes:
        plain(axis, "x")
    handles = [
        Line2D([], [], color=look(name)[0], marker=look(name)[1], linestyle="none")
        for name in names
    ]
    hollow = Line2D([], [], color=MUTED, marker="o", markerfacecolor="white", linestyle="none")
    head(
        figure,
        f"Share of the bandwidth bound{title}",
        view.facts(),
        [*handles, hollow],
        [*map(_label, names), "hollow: fits the cache"],
    )
    return figure


def roofline(view) -> plt.Figure:
    """Each problem's fastest of each contender over its arithmetic intensity, below the measured
    bandwidth."""
    run, keys = view.run, view.run.problem_keys
    rows = run.measured
    rows = rows[(rows.bytes > 0) & (rows.bound_fraction > 0) & (rows.GFLOPS > 0)]
    rows = rows.assign(intensity=rows.GFLOPS * rows.seconds * 1e9 / rows.bytes)
    best = analysis.fastest(rows, [*keys, "contender"])
    bandwidth = (rows.bytes / rows.seconds / rows.bound_fraction).median() / 1e9
    figure, (axis,) = panels(1, 1, 8.5, 4.9)
    names = [
        name
        for wanted in analysis.ROLES
        for name in analysis.contenders(run, wanted)
        if (best.contender == name).any()
    ]
    for name in reversed(names):
        colour, marker, _ = look(name)
        points = best[best.contender == name]
        for inside, group in points.groupby(points.bytes_per_cache < 1):
            axis.scatter(
                group.intensity,
                group.GFLOPS,
                marker=marker,
                s=40 if name == SPECIALISED else 22,
                linewidth=1,
                edgecolor=colour,
                facecolor="none" if inside else colour,
                alpha=0.85,
                zorder=4 if name == SPECIALISED else 3,
            )
    ends = np.array([best.intensity.min() / 1.25, best.intensity.max() * 1.25])
    axis.plot(ends, ends * bandwidth, **BOUND)
    axis.set_xscale("log")
    axis.set_yscale("log")
    axis.set_xlim(*ends)
    plain(axis, "xy")
    axis.set_xlabel("flops per byte of compulsory traffic")
    axis.set_ylabel("GFLOPS")
    handles = [
        Line2D([], [], color=look(name)[0], marker=look(name)[1], linestyle="none")
        for name in names
    ]
    hollow = Line2D([], [], color=MUTED, marker="o", markerfacecolor="none", linestyle="none")
    head(
        figure,
        "Roofline",
        f"{view.facts()}; both axes logarithmic",
        [*handles, hollow, Line2D([], [], **BOUND)],
        [
            *map(_label, names),
            "hollow: fits the cache",
            f"measured bandwidth, {bandwidth:.4g} GB/s",
        ],
    )
    return figure
