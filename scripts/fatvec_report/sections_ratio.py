# SPDX-License-Identifier: Apache-2.0
"""Sections that compare: with hand-written code, with peers, across settings and threads."""

from __future__ import annotations

import pandas as pd

from . import analysis, figures_ratio, figures_sweep, scaling, sweeps
from .page import Block, Heading, Picture, Table, Text, gflops, number, share, times, word
from .names import PEER, role
from .style import pages, pick

MOST_PANELS = 12


def _case(view, row: pd.Series) -> str:
    others = [
        str(row[key]) for key in view.run.problem_keys if key not in ("matrix", "k") and row[key]
    ]
    return ", ".join([row.matrix, *others, f"k = {row.k}"])


def ratios(view) -> list[Block]:
    sides = []
    if len(view.same_format):
        sides.append(
            (
                "fatvec / hand-written, same format and backend",
                view.same_format.assign(line=view.same_format.format),
            )
        )
    table = view.table
    peers = [
        table.assign(ratio=table.fatvec / table[name], line=name)
        for name in analysis.contenders(view.run, PEER)
    ]
    best = (
        [table.assign(ratio=table.vs_peer, line=figures_ratio.ALL_PEERS)] if len(peers) > 1 else []
    )
    peers = pd.concat([*peers, *best]).dropna(subset=["ratio"]) if peers else table.head(0)
    if len(peers):
        sides.append(("fatvec's best / each peer's best", peers))
    if not sides:
        return []
    blocks: list[Block] = [
        Picture(
            f"{view.prefix}ratios",
            "Above, for each comparison, the share of cases up to each ratio; below, every case "
            "over k with the geometric means.",
            lambda: figures_ratio.distribution(view, sides),
            "Left of (below) the line at 1 fatvec is slower. fatvec / hand-written: per matrix, "
            "layout and k fatvec's fastest kernel over the "
            "fastest hand-written kernel of the same format and backend. Best against best: "
            "whatever settings were swept, the fastest counts.",
        )
    ]
    for title, table in sides:
        raw = "raw_GFLOPS" in table
        rows = []
        for key, group in [
            *table.groupby(["backend", "format"] if raw else ["line"], sort=False),
            *([(("all",), table)] if raw else []),
        ]:
            low = group.sort_values("ratio", kind="stable").iloc[0]
            rows.append(
                [
                    ", ".join(key),
                    _case(view, low),
                    str(len(group)),
                    times(analysis.geometric_mean(group.ratio)),
                    times(low.ratio),
                    times(group.ratio.max()),
                    share((group.ratio >= 1).mean()),
                ]
            )
        blocks += [
            Heading(title),
            Table(
                [
                    "backend, format" if raw else "against",
                    "worst case",
                    "cases",
                    "geometric mean",
                    "worst",
                    "best",
                    "at least as fast",
                ],
                rows,
                left=2,
                strong=(3,),
            ),
        ]
    return blocks


def worst(view) -> list[Block]:
    cells = analysis.worst(view.run, view.table, view.same_format)
    cells = cells[cells.ratio < 1]
    rows = [
        [
            _case(view, row),
            word(row.what),
            row.against,
            gflops(row.GFLOPS),
            gflops(row.other_GFLOPS),
            times(row.ratio),
            share(row.spread),
            share(row.bound_fraction),
        ]
        for _, row in cells.iterrows()
    ]
    if not rows:
        return []
    return [
        Text(
            "Where fatvec is furthest behind a hand-written kernel of the same format, or behind "
            "the best peer (at most ten, worst first)."
        ),
        Table(
            [
                "case",
                "fatvec",
                "against",
                "fatvec GFLOPS",
                "its GFLOPS",
                "ratio",
                "spread",
                "of bound",
            ],
            rows,
            left=3,
            strong=(5,),
        ),
    ]


def settings(view) -> list[Block]:
    run, blocks = view.run, []
    choices = sweeps.choices(run)
    if choices:
        blocks.append(
            Picture(
                f"{view.prefix}variants",
                "Per contender and format: each variant's speed relative to the fastest variant, "
                "a mark per case.",
                lambda: figures_sweep.choices(view, choices),
                "A mark is one matrix, layout and k; 1: the fastest variant there.",
            )
        )
    for parameter, kind in sweeps.swept(run).items():
        tables = sweeps.settings(run, parameter)
        draw = figures_sweep.blocks if kind == "block" else figures_sweep.numeric
        if kind == "block":
            tables = [
                (f"{title}, k = {k}", table[table.k == k])
                for title, table in tables
                for k in figures_sweep.pick(table.k, 3)
            ]
        sheets = pages(tables, MOST_PANELS)
        for position, sheet in enumerate(sheets, 1):
            name = f"{view.prefix}sweep-{parameter.replace('_', '-')}" + (
                f"-{position}" if len(sheets) > 1 else ""
            )
            alt = (
                f"Speed relative to the best setting over {parameter.replace('_', ' ')}: "
                f"{', '.join(title for title, _ in sheet)}."
            )
            blocks.append(
                Picture(
                    name,
                    alt,
                    lambda sheet=sheet, draw=draw, parameter=parameter: draw(
                        view, sheet, parameter
                    ),
                )
            )
    return blocks


def threads(view) -> list[Block]:
    if len(view.runs) < 2:
        return []
    table = scaling.speedups(view.runs, view.threads)
    if table.empty:
        return []
    blocks: list[Block] = [
        Text(
            f"From {len(view.runs)} runs, with {', '.join(map(str, view.threads))} threads. "
            "Speedup: the reference's time over this one's; "
            "efficiency: speedup / threads. The reference is the serial kernel raw-serial in CSR "
            "or whatever format is its fastest, of the same run "
            "where it has one, else of the run with the fewest threads; without any, the "
            "contender itself on one thread. "
            "The table has three k at most and no peers; results.csv has every time."
        ),
        Picture(
            f"{view.prefix}scaling",
            "Lines: speedup (above) and efficiency (below) over the number of threads, one "
            "column per k, one line per contender.",
            lambda: figures_sweep.scaling(view, table),
        ),
    ]
    shown = table[table.k.isin(pick(table.k, 3)) & (table.contender.map(role) != PEER)]
    for title, part in view.parts(shown):
        blocks += [Heading(title)] if title else []
        rows = []
        for (matrix, contender, k), group in part.groupby(["matrix", "contender", "k"], sort=False):
            group = group.set_index("threads")
            best = group.speedup.idxmax()
            most = group.loc[group.index.max()]
            rows.append(
                [
                    matrix,
                    contender,
                    most.reference,
                    str(k),
                    *[number(group.speedup.get(count_)) for count_ in view.threads],
                    share(most.efficiency),
                    str(best),
                ]
            )
        blocks.append(
            Table(
                [
                    "matrix",
                    "contender",
                    "reference",
                    "k",
                    *[f"speedup, {count_} thr." for count_ in view.threads],
                    f"efficiency, {view.threads[-1]} thr.",
                    "fastest with",
                ],
                rows,
                left=3,
            )
        )
    return blocks
