# SPDX-License-Identifier: Apache-2.0
"""Blocks to GitHub-flavoured Markdown."""

from __future__ import annotations

import html
import re

from .blocks import (
    NONE,
    Block,
    Bullets,
    Details,
    Heading,
    Picture,
    Table,
    Text,
    Verdict,
    without_empty,
)


def page(title: str, blocks: list[Block]) -> str:
    head = [
        f"# {escape(title)}",
        "The same as a page with all pictures: [report.html](report.html). All rows: "
        "[results.csv](results.csv).",
    ]
    return "\n\n".join([*head, *map(render, blocks)]) + "\n"


def escape(text: str) -> str:
    """A text of one line that is shown as it is: as no HTML, mark-up, link or table."""
    text = re.sub(r"([\\`*\[\]|~$])", r"\\\1", " ".join(text.split()))
    text = re.sub(r"&(?=#?\w+;)", "&amp;", text).replace("<", "&lt;")
    text = re.sub(r"(?<![^\W_])_|_(?![^\W_])", r"\\_", text)  # not within words
    text = re.sub(r":(?=//)|(?<=\bwww)\.|@", r"\\\g<0>", text, flags=re.IGNORECASE)
    text = re.sub(r"(?<!\S)#", r"\\#", text)
    return re.sub(r"^(\d*)([-+.)](?=\s|$)|>|--)", r"\1\\\2", text)


def render(block: Block) -> str:
    if isinstance(block, Heading):
        return f"{'#' * block.level} {escape(block.text)}"
    if isinstance(block, Text):
        return escape(block.text)
    if isinstance(block, Bullets):
        return "\n".join(f"- {escape(item)}" for item in block.items)
    if isinstance(block, Picture):
        return f"![{escape(block.alt)}](figures/{block.name}.png)" + (
            f"\n\n{escape(block.caption)}" if block.caption else ""
        )
    if isinstance(block, Details):
        inner = "\n\n".join(map(render, block.blocks))
        summary = html.escape(" ".join(block.summary.split()))
        return f"<details><summary>{summary}</summary>\n\n{inner}\n\n</details>"
    if isinstance(block, Verdict):
        claims = (f"- **{escape(figure)}** {escape(text)}" for figure, text in block.claims)
        return "\n".join([f"**{escape(block.title)}**\n", *claims])
    assert isinstance(block, Table)
    return _table(without_empty(block))


def _table(table: Table) -> str:
    def cell(column: int, text: str) -> str:
        strong = column in table.strong and text != NONE
        return f"**{escape(text)}**" if strong else escape(text)

    cells = [
        list(map(escape, table.columns)),
        *([cell(column, text) for column, text in enumerate(row)] for row in table.rows),
    ]
    widths = [max(3, *(len(row[column]) for row in cells)) for column in range(len(table.columns))]

    def line(row: list[str]) -> str:
        padded = (
            text.ljust(width) if column < table.left else text.rjust(width)
            for column, (text, width) in enumerate(zip(row, widths))
        )
        return "| " + " | ".join(padded) + " |"

    rule = "|".join(
        "-" * (width + 2) if column < table.left else "-" * (width + 1) + ":"
        for column, width in enumerate(widths)
    )
    return "\n".join([line(cells[0]), f"|{rule}|", *map(line, cells[1:])])
