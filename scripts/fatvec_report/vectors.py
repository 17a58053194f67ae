# SPDX-License-Identifier: Apache-2.0
"""Vectors: statistics, dot products and norms over their length and by version."""

import functools

import pandas as pd

from . import analysis
from .page import Block, Picture, table
from .style import BOUND, Sheet, plain, stroke

DASHES = ["-", (0, (4, 2)), (0, (1, 1.5))]  # of a contender's versions


def versions(view) -> pd.DataFrame:
    """The measured rows, with the version's name, microseconds and the length as it is read."""
    rows = view.run.measured
    return rows.assign(version=rows.what, us=rows.seconds * 1e6, N=rows.length.map("{:,}".format))


def over_length(view) -> list[Block]:
    rows = versions(view).loc[lambda rows: rows.k == 1]
    if rows.length.nunique() < 2:
        return []
    pictures = (
        ("runtime", "seconds", "seconds", "Runtime"),
        ("bandwidth", "bound_fraction", "bandwidth / measured", "Share of the bandwidth"),
    )
    return [
        Picture(
            f"vectors-{name}",
            f"Lines: {label} over the length, a panel per operation, a line per version.",
            functools.partial(_over_length, view, rows, value, label, f"{title} over the length"),
        )
        for name, value, label, title in pictures
    ]


def _over_length(view, rows: pd.DataFrame, value: str, label: str, title: str):
    """`value` (a column) over the length, a panel per operation, a line per version; where it is a
    time, that of the bound, too."""
    lines = versions(view).groupby("version", sort=False).contender.first()
    dashes = lines.groupby(lines).cumcount() % len(DASHES)
    groups = list(rows.groupby("operation", sort=False))
    sheet = Sheet(len(groups), 2, 3.3)
    for axis, (operation, group) in zip(sheet.axes, groups):
        for name, contender in lines.items():
            points = group[group.version == name].sort_values("length")
            looks = {**stroke(contender), "linestyle": DASHES[dashes[name]]}
            sheet.line(axis, points.length, points[value], name, **looks)
        bound = (group.seconds * group.bound_fraction).groupby(group.length).median()
        if value == "seconds":
            axis.plot(bound.index, bound, **BOUND)
        else:
            axis.axhline(1, **BOUND)
        plain(axis, "xy")
        axis.set(title=operation, xlabel="N, elements of the vector", ylabel=label)
    sheet.key("at the measured bandwidth", **BOUND)
    return sheet.done(title, f"{view.facts()}; both axes logarithmic")


def seven_figures(view) -> list[Block]:
    """Gollmann's first question: one pass for seven figures of a vector, by each version."""
    rows = versions(view).loc[lambda rows: rows.k.eq(1) & rows.operation.eq("statistics")]
    if rows.length.nunique() < 2:
        return []
    rows = analysis.fastest(rows, ["length", "version"])
    wide = analysis.wide(rows.sort_values("length", kind="stable"), ["N"], "version", "us")
    columns = ["N", *((name, name, ".1f") for name in rows.version.unique())]
    return [table(wide.reset_index(), columns, 0)]


def multivectors(view) -> list[Block]:
    rows = versions(view).loc[lambda rows: rows.k > 1]
    if rows.empty:
        return []
    by = ["operation", "layout", "k", "N"]
    rows = rows.drop_duplicates([*by, "version"])
    wide = analysis.wide(rows, by, "version", "bound_fraction").reset_index()
    columns = [
        "operation | layout | k | rows <- N",
        *((name, name, "share") for name in rows.version.unique()),
    ]
    return [table(wide, columns, 2, (4,))]


def all_times(view) -> list[Block]:
    columns = (
        "operation | N | layout | k | version | µs, median <- us .1f | spread <- spread share | "
        "GB/s <- GBs .1f | of the bandwidth <- bound_fraction share"
    )
    return [table(versions(view), columns, 1)]
