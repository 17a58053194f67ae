# SPDX-License-Identifier: Apache-2.0
"""Sections about performance portability: what it costs on one platform, and Pennycook's metric
across platforms."""

from __future__ import annotations

import pandas as pd

from . import analysis, costs, figures_ratio, portability
from .page import NONE, Block, Bullets, Heading, Picture, Table, Text, gflops, number, times, word
from .names import ANSWERS, PORTABLE


def cost(view) -> list[Block]:
    if view.costs[PORTABLE].isna().all():
        return []
    gpu = view.platform == "gpu"
    blocks: list[Block] = [
        Text(
            "GFLOPS, geometric means over the matrices, each role with its fastest kernel on one "
            "backend, whatever settings were swept."
        ),
        Bullets(
            [
                "Portable: one source for all backends. Specialised: fatvec's kernels for this "
                "platform. Hand-written: without Kokkos.",
                "A row is over the matrices that the portable and the specialised kernel both "
                "did, verified. In brackets: how many of them "
                f"another role did, if not all. {NONE}: nothing to show.",
                "The ratio is of speeds: above 1× the portable kernel is faster. Worst: on the "
                "worst matrix.",
                *(
                    [
                        "Launch-bound: the specialised kernel takes less than "
                        f"{costs.LAUNCH_BOUND * 1e6:.0f} µs. These matrices are in the last two "
                        "columns only."
                    ]
                    if gpu
                    else []
                ),
            ]
        ),
    ]
    for title, part in view.parts(view.costs):
        for backend, cells in part.groupby("backend", sort=False):
            rows = [_cost(row, gpu) for _, row in costs.summary(cells).iterrows()]
            head = [
                "format",
                "worst matrix",
                "k",
                "matrices",
                *(ANSWERS[side] for side in costs.SIDES),
                "portable / specialised",
                "worst",
                *(["launch-bound", "their ratio"] if gpu else []),
            ]
            blocks += (
                [
                    Heading(", ".join(filter(None, [backend, title]))),
                    Table(head, rows, left=2, strong=(8,)),
                ]
                if rows
                else []
            )
    return blocks


def _cost(row: pd.Series, gpu: bool) -> list[str]:
    speeds = [
        gflops(row[side])
        + (f" ({row[f'{side}_count']})" if 0 < row[f"{side}_count"] < row.matrices else "")
        for side in costs.SIDES
    ]
    apart = [str(row.launch_bound), times(row.launch_ratio)] if gpu else []
    return [
        row.format,
        word(row.worst_matrix),
        str(row.k),
        str(row.matrices),
        *speeds,
        times(row.ratio),
        times(row.worst),
        *apart,
    ]


def _pp(value: float) -> str:
    return "0" if value == 0 else number(value)


def across_platforms(views: list) -> list[Block]:
    found = portability.trials(views)
    if len(found) < 2:
        return []
    table = portability.efficiencies(found)
    metric = portability.metric(found, table)
    if metric.empty:
        return [Text("The results of the platforms have no problem (matrix, layout, k) in common.")]
    best, best_e = metric[metric.format == costs.ANY], table[table.format == costs.ANY]
    rows = []
    for name, group in best.groupby("application_name", sort=False):
        mine = best_e[best_e.application_name == name]
        medians = [
            number(analysis.median(mine[mine.platform == platform][kind]))
            for platform in found
            for kind in portability.EFFICIENCIES
        ]
        unsupported = int((group.application == 0).sum())
        rows.append(
            [
                name,
                _pp(group.application.median()),
                _pp(group.application.min()),
                _pp(group.architectural.median()),
                _pp(group.architectural.min()),
                f"{unsupported} of {len(group)}",
                *medians,
            ]
        )
    head = [
        "application",
        "PP appl., median",
        "min",
        "PP arch., median",
        "min",
        "unsupported",
        *[f"e {kind[:4]}., {platform}" for platform in found for kind in portability.EFFICIENCIES],
    ]
    each = (
        metric[metric.format != costs.ANY]
        .groupby(["format", "application_name"])
        .application.median()
    )
    formats = [
        [shape, *[_pp(each[shape, name]) for name in portability.APPLICATIONS]]
        for shape in dict.fromkeys(metric.format)
        if shape != costs.ANY
    ]
    return [
        Text(
            "Pennycook's metric: PP = |H| / Σ 1/eᵢ over the platforms H, zero where one is not "
            "supported; of each problem "
            "(matrix, layout, k) that was tried on all of them, then the median over the problems."
        ),
        Bullets(
            [
                f"H = {', '.join(found)}.",
                "Application efficiency is relative to the fastest verified contender of the "
                "same run on that platform, whoever "
                "that is; not to the fastest that there may be elsewhere.",
                "Architectural efficiency is the share of the bandwidth bound, counted as 1 "
                "where caches beat it.",
                "Each application takes its fastest format and kernel per platform and problem. "
                "Hand-written: the fastest of the platform's "
                "raw-*.",
            ]
        ),
        Picture(
            "portability",
            "Marks: performance portability per application, one per problem, with medians; left "
            "relative to the "
            "fastest contender, right to the bandwidth bound.",
            lambda: figures_ratio.portability(best, list(found)),
        ),
        Table(head, rows, left=1, strong=(1, 3)),
        *(
            [
                Text(
                    "In one format on all platforms: PP by application efficiency, median; still "
                    "relative to the fastest contender in any format."
                ),
                Table(["format", *portability.APPLICATIONS], formats, left=1),
            ]
            if formats
            else []
        ),
    ]
