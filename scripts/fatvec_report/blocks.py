# SPDX-License-Identifier: Apache-2.0
"""What a report is made of; markdown.py and html.py know how each of these looks. And numbers as they are to be read."""
from __future__ import annotations

import dataclasses
from typing import Callable, Union

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
    """Cells as they are to be read; the first `left` columns are words, the others numbers; those in `strong` stand out."""

    columns: list[str]
    rows: list[list[str]]
    left: int
    strong: tuple[int, ...] = ()


@dataclasses.dataclass
class Picture:
    """Drawn when the report is written; `alt` says what there is to be seen, for those who cannot."""

    name: str
    alt: str
    draw: Callable[[], object]  # -> matplotlib Figure
    caption: str = ""


Block = Union[Heading, Text, Bullets, Table, Picture]
NONE = "–"


def number(value: float, form: str = "{:.2f}") -> str:
    return NONE if pd.isna(value) else form.format(value)


def gflops(value: float) -> str:
    """Three significant digits, without exponents."""
    return number(value, "{:.0f}" if value >= 100 else "{:.1f}" if value >= 10 else "{:.2f}" if value >= 0.1 else "{:.2g}")


def times(value: float) -> str:
    """A ratio of speeds."""
    return number(value, "{:.0f}×" if value >= 100 else "{:.2f}×" if value >= 0.095 or value == 0 else "{:.2g}×")


def count(value: float) -> str:
    """A number of products: rounded up as far as it matters."""
    return NONE if pd.isna(value) else f"{value:.1f}" if value < 10 else f"{value:,.0f}"


def share(value: float) -> str:
    return number(value, "{:.0%}")


def word(value: object) -> str:
    return NONE if pd.isna(value) or value == "" else str(value)
