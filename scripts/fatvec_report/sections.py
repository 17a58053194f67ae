# SPDX-License-Identifier: Apache-2.0
"""The parts of a report. A new part is one function (Run, comparison) -> list of blocks, and one line in SECTIONS."""
from __future__ import annotations

import dataclasses
from typing import Union

import pandas as pd

from . import analysis
from .load import Run


@dataclasses.dataclass
class Heading:
    text: str


@dataclasses.dataclass
class Text:
    text: str


@dataclasses.dataclass
class Bullets:
    items: list[str]


@dataclasses.dataclass
class Table:
    """Cells as they are to be read; the first `left` columns are words, the others numbers."""

    columns: list[str]
    rows: list[list[str]]
    left: int


Block = Union[Heading, Text, Bullets, Table]


def number(value: float, form: str = "{:.2f}") -> str:
    return "–" if pd.isna(value) else form.format(value)


def gflops(value: float) -> str:
    """Three significant digits, without exponents."""
    return number(value, "{:.0f}" if value >= 100 else "{:.1f}" if value >= 10 else "{:.2f}")


def subtables(run: Run, table: pd.DataFrame) -> list[tuple[str, pd.DataFrame]]:
    """The comparison split by what else tells problems apart (layout, scalar, ...), each with its title."""
    keys = [key for key in run.problem_keys if key not in ("matrix", "k")]
    if not keys:
        return [("", table)]
    return [(", ".join(f"{key} {value}" for key, value in zip(keys, values) if value), part)
            for values, part in table.groupby(keys, sort=False)]


def overview(run: Run, table: pd.DataFrame) -> list[Block]:
    return [Bullets(analysis.headline(run, table))]


def comparison(run: Run, table: pd.DataFrame) -> list[Block]:
    raw = analysis.contenders(run, analysis.RAW)
    blocks: list[Block] = [
        Heading("Comparison"),
        Text("GFLOPS = 2·nnz·k / median time, padding not counted. Each contender is represented by its fastest format and kernel; "
             "ratios are fatvec over the other, so above 1 fatvec is faster. Of bound: share of the speed at which the compulsory "
             "traffic would pass at the measured memory bandwidth; above 100 % the caches helped. A dash: not measured, see below."),
    ]
    for title, part in subtables(run, table):
        if title:
            blocks.append(Heading("  " + title))
        rows = []
        for _, row in part.iterrows():
            rows.append([row.matrix, "–" if pd.isna(row.fatvec_what) else row.fatvec_what, "–" if pd.isna(row.peer_what) else row.peer_what,
                         str(row.k), f"**{gflops(row.fatvec)}**" if pd.notna(row.fatvec) else "–", *[gflops(row[name]) for name in raw],
                         gflops(row.peer), number(row.vs_raw), number(row.vs_peer), number(row.bound_fraction, "{:.0%}")])
        blocks.append(Table(["matrix", "best of fatvec", "best peer", "k", "fatvec", *[name.replace("-", " ") for name in raw], "peer",
                             "fatvec / raw", "fatvec / peer", "of bound"], rows, left=3))
    return blocks


def setup_costs(run: Run, table: pd.DataFrame) -> list[Block]:
    costs = table[table.setup_seconds.fillna(0) > 0]
    if costs.empty:
        return []
    rows = [[row.matrix, row.fatvec_what, str(row.k), number(row.setup_seconds * 1e3, "{:.3g}"), number(row.setup_products, "{:.3g}"),
             number(row.spread, "{:.0%}")] for _, row in costs.iterrows()]
    return [Heading("Set-up and spread of fatvec's best"),
            Text("Conversion and analysis are paid once, outside the times above; in products: how many products they cost. "
                 "Spread: (p90 − p10) / median of the repetitions."),
            Table(["matrix", "format and kernel", "k", "set-up (ms)", "in products", "spread"], rows, left=2)]


def not_measured(run: Run, table: pd.DataFrame) -> list[Block]:
    blocks: list[Block] = []
    for status, title in (("failed", "Failed"), ("skipped", "Skipped")):
        bad = run.rows[run.rows.status == status]
        if bad.empty:
            continue
        # One line per reason: which implementations, on which matrices, for which k.
        rows = []
        whats = bad.apply(lambda row: analysis.describe(row, own=False), axis=1)
        for (what, matrix, reason), part in bad.groupby([whats, "matrix", "reason"], sort=False):
            rows.append([what, matrix, reason, ", ".join(str(k) for k in sorted(part.k.unique()))])
        blocks += [Heading(f"{title} ({len(bad)})"), Table(["what", "matrix", "reason", "k"], rows, left=4)]
    return blocks


def provenance(run: Run, table: pd.DataFrame) -> list[Block]:
    rows = []

    def add(prefix: str, value: object) -> None:
        if isinstance(value, dict):
            for key, inner in value.items():
                add(f"{prefix}.{key}" if prefix else key, inner)
        elif isinstance(value, list):
            rows.append([prefix, ", ".join(_flat(item) for item in value)])
        else:
            rows.append([prefix, str(value)])

    add("", run.context)
    return [Heading("Provenance"), Text("As recorded by the run itself."), Table(["what", "value"], rows, left=2)] if rows else []


def _flat(item: object) -> str:
    return " ".join(f"{key} {value}" for key, value in item.items()) if isinstance(item, dict) else str(item)


SECTIONS = [overview, comparison, not_measured, setup_costs, provenance]
