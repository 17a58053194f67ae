# SPDX-License-Identifier: Apache-2.0
"""What a report is made of; markdown.py and html.py know how each of these looks. And numbers as
they are to be read."""

from __future__ import annotations

import dataclasses
from typing import Callable, Iterator, Union

import pandas as pd


@dataclasses.dataclass
class Heading:
    text: str
    level: int = 4  # 2: a part, 3: a section, 4: within a section


@dataclasses.dataclass
class Text:
    text: str


@dataclasses.dataclass
class Bullets:
    items: list[str]


@dataclasses.dataclass
class Table:
    """Cells as they are to be read; the first `left` columns are words, the others numbers; those
    in `strong` stand out."""

    columns: list[str]
    rows: list[list[str]]
    left: int
    strong: tuple[int, ...] = ()


@dataclasses.dataclass
class Picture:
    """Drawn when the report is written; `alt` says what is to be seen, for those who cannot."""

    name: str
    alt: str
    draw: Callable[[], object]  # -> matplotlib Figure
    caption: str = ""


@dataclasses.dataclass
class Drawn:
    vector: bytes  # SVG
    bitmap: bytes  # PNG
    inches: float  # its width, at which the type has its size


@dataclasses.dataclass
class Details:
    """Folded until somebody asks for it."""

    summary: str
    blocks: list[Block]


@dataclasses.dataclass
class Verdict:
    """The answer in large print: (a number or a name, the sentence that it is the start of)."""

    title: str
    claims: list[tuple[str, str]]


Block = Union[Heading, Text, Bullets, Table, Picture, Details, Verdict]
NONE = "–"


def flat(blocks: list[Block]) -> Iterator[Block]:
    """Those within folded ones, too, in the order of the page."""
    for block in blocks:
        yield block
        if isinstance(block, Details):
            yield from flat(block.blocks)


def folded(blocks: list[Block]) -> Details:
    """All of them behind one line that says what they are."""
    tables = [len(block.rows) for block in flat(blocks) if isinstance(block, Table)]
    pictures = sum(isinstance(block, Picture) for block in flat(blocks))
    parts = [f"{len(tables)} table{'s' * (len(tables) > 1)}, {sum(tables)} rows"] if tables else []
    return Details(
        "; ".join([*([f"{pictures} picture{'s' * (pictures > 1)}"] if pictures else []), *parts])
        or "More",
        blocks,
    )


def without_empty(table: Table) -> Table:
    """Without columns of numbers in which every cell is a dash."""
    kept = [
        column
        for column in range(len(table.columns))
        if column < table.left or any(row[column] != NONE for row in table.rows)
    ]
    return Table(
        [table.columns[column] for column in kept],
        [[row[column] for column in kept] for row in table.rows],
        table.left,
        tuple(kept.index(column) for column in table.strong if column in kept),
    )


def number(value: float, form: str = "{:.2f}") -> str:
    return NONE if pd.isna(value) else form.format(value)


def gflops(value: float) -> str:
    """Three significant digits, without exponents."""
    return number(
        value,
        "{:.0f}"
        if value >= 100
        else "{:.1f}"
        if value >= 10
        else "{:.2f}"
        if value >= 0.1
        else "{:.2g}",
    )


def times(value: float) -> str:
    """A ratio of speeds."""
    return number(
        value,
        "{:.0f}×" if value >= 100 else "{:.2f}×" if value >= 0.095 or value == 0 else "{:.2g}×",
    )


def count(value: float) -> str:
    """A number of products: rounded up as far as it matters."""
    return NONE if pd.isna(value) else f"{value:.1f}" if value < 10 else f"{value:,.0f}"


def share(value: float) -> str:
    return number(value, "{:.0%}")


def word(value: object) -> str:
    return NONE if pd.isna(value) or value == "" else str(value)
