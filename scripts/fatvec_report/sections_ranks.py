# SPDX-License-Identifier: Apache-2.0
"""The section about one matrix over many ranks: the suites weak and strong."""

from __future__ import annotations

from . import figures_ranks, ranks
from .page import NONE, Block, Picture, Table, Text, gflops, number, share, times

# (name, counter, its unit's size, axis, title, what the picture shows)
PICTURES = [
    (
        "efficiency",
        "efficiency",
        1,
        "efficiency",
        "Efficiency over ranks",
        "efficiency over the number of ranks; the dashed line is 1",
    ),
    (
        "speed-up",
        "speed_up",
        1,
        "times one rank's work a second",
        "Speed-up over ranks",
        "speed-up over the number of ranks; dashed: ideal",
    ),
    (
        "volume",
        "exchanged_bytes",
        1e6,
        "MB a product, all ranks",
        "What ranks exchange",
        "megabytes exchanged in a product",
    ),
    (
        "overlap",
        "overlap",
        1,
        "share hidden",
        "Exchange hidden behind the local part",
        "the share of the exchange that the local part hides",
    ),
    (
        "memory",
        "rank_memory_bytes",
        1e6,
        "MB on the fullest rank",
        "Memory of a rank",
        "megabytes of matrix, vectors and buffers of a rank",
    ),
]


def over_ranks(view) -> list[Block]:
    rows = ranks.with_speed_up(view.run)
    if view.run.dry or rows.empty:
        return []
    weak = view.run.context.get("suite") == "weak"
    says = (
        "Weak scaling: the grid grows with the ranks; efficiency is the time of one rank over the "
        "time of all."
        if weak
        else "Strong scaling: one matrix, however many ranks; efficiency is the time of one rank "
        "over that of all, divided by their number."
    )
    blocks: list[Block] = [
        Text(
            f"{says} One rank was measured in the same run; times are the slowest rank's. Hidden "
            "is the share of the exchange and the halo part, run alone, that a whole product does "
            "not take beyond its local part."
        )
    ]
    for name, column, unit, label, title, alt in PICTURES:
        shown = rows[
            rows[column].notna()
            & ((rows.ranks > 1) | (column not in ("exchanged_bytes", "overlap")))
        ]
        if len(shown):
            blocks.append(
                Picture(
                    f"{view.prefix}ranks-{name}",
                    f"Lines: {alt}, a panel per matrix, a line per k.",
                    lambda shown=shown, column=column, unit=unit, label=label, title=title: (
                        figures_ranks.over_ranks(view, shown, column, unit, label, title)
                    ),
                )
            )
    return blocks


def all_ranks(view) -> list[Block]:
    lines = []
    for _, row in ranks.with_speed_up(view.run).iterrows():
        mean = row.nnz / row.ranks
        lines.append(
            [
                row.matrix,
                view.run.describe(row),
                str(row.k),
                str(row.ranks),
                number(row.seconds * 1e3, ".4f"),
                number(row.waited_seconds * 1e3, ".4f"),
                share(row.spread),
                gflops(row.GFLOPS),
                number(row.efficiency, ".3f"),
                times(row.speed_up),
                number(row.exchanged_bytes / 1e6, ".3f"),
                share(row.overlap) if row.ranks > 1 else NONE,
                number(row.most_rank_nnz / mean if mean else float("nan"), ".3f"),
                number(row.slowest_rank, ".0f"),
                number(row.rank_memory_bytes / 1e6, ".1f"),
            ]
        )
    return [
        Table(
            [
                "matrix",
                "how",
                "k",
                "ranks",
                "ms, median",
                "ms, waited for",
                "spread",
                "GFLOPS",
                "efficiency",
                "speed-up",
                "MB exchanged",
                "hidden",
                "entries, most/mean",
                "slowest rank",
                "MB a rank",
            ],
            lines,
            left=2,
            strong=(7,),
        )
    ]
