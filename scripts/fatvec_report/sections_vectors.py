# SPDX-License-Identifier: Apache-2.0
"""The section about vectors: statistics, dot products and norms."""

from __future__ import annotations

from . import figures_vectors
from .page import NONE, Block, Picture, Table, Text, number, share


def over_length(view) -> list[Block]:
    rows = view.run.measured
    rows = rows[rows.k == 1]
    if rows.length.nunique() < 2:
        return []
    return [
        Text(
            "Every version leaves its result where it computed it. The dashed line: the bytes of "
            "the operands, read once at the fastest pattern "
            "that the same run measured (a copy on a GPU; read, copy or triad on a host). "
            "Vectors that fit a cache may be faster."
        ),
        Picture(
            f"{view.prefix}vectors-runtime",
            "Lines: seconds over the length of the vector, a panel per operation, a line per "
            "version.",
            lambda: figures_vectors.over_length(
                view, rows, "seconds", "seconds", "Runtime over the length"
            ),
        ),
        Picture(
            f"{view.prefix}vectors-bandwidth",
            "Lines: share of the measured bandwidth over the length, a panel per operation.",
            lambda: figures_vectors.over_length(
                view,
                rows,
                "bound_fraction",
                "bandwidth / measured",
                "Share of the bandwidth over the length",
            ),
        ),
    ]


def seven_figures(view) -> list[Block]:
    """Gollmann's first question: one pass for seven figures of a vector, by each version."""
    rows = view.run.measured
    rows = rows[rows.k.eq(1) & rows.operation.eq("statistics")]
    if rows.length.nunique() < 2:
        return []
    rows = rows.assign(
        version=[view.run.describe(row, contender=True) for _, row in rows.iterrows()]
    )
    times = rows.groupby(["length", "version"], sort=False).seconds.min().unstack("version")
    times = times.reindex(columns=list(dict.fromkeys(rows.version))).sort_index()
    lines = [
        [f"{length:,}", *(number(value * 1e6, ".1f") for value in found)]
        for length, found in zip(times.index, times.to_numpy())
    ]
    return [
        Text(
            "µs for the sum, the sums of magnitudes and of squares, the max-norm, least, greatest "
            "and number of zeros of a vector of N elements, in one pass. Gollmann 2020 compares "
            "shared memory with warp shuffles (exercises 1 to 3)."
        ),
        Table(["N", *times.columns], lines, left=0),
    ]


def multivectors(view) -> list[Block]:
    rows = view.run.measured
    rows = rows[rows.k > 1]
    if rows.empty:
        return []
    rows = rows.assign(
        version=[view.run.describe(row, contender=True) for _, row in rows.iterrows()]
    )
    versions = list(dict.fromkeys(rows.version))
    lines = []
    for (operation, layout, k, length), group in rows.groupby(
        ["operation", "layout", "k", "length"], sort=False
    ):
        fractions = group.set_index("version").bound_fraction
        lines.append(
            [
                operation,
                layout,
                str(k),
                f"{length:,}",
                *(share(fractions[name]) if name in fractions else NONE for name in versions),
            ]
        )
    return [
        Text(
            "Share of the measured bandwidth, every element counted once. fatvec takes all "
            "columns in one pass, the others one after the "
            "other."
        ),
        Table(["operation", "layout", "k", "rows", *versions], lines, left=2, strong=(4,)),
    ]


def all_times(view) -> list[Block]:
    rows = view.run.measured
    lines = [
        [
            row.operation,
            f"{row.length:,}",
            row.layout,
            str(row.k),
            view.run.describe(row, contender=True),
            number(row.seconds * 1e6, ".1f"),
            share(row.spread),
            number(row.GBs, ".1f"),
            share(row.bound_fraction),
        ]
        for _, row in rows.iterrows()
    ]
    return [
        Table(
            [
                "operation",
                "N",
                "layout",
                "k",
                "version",
                "µs, median",
                "spread",
                "GB/s",
                "of the bandwidth",
            ],
            lines,
            left=1,
        )
    ]
