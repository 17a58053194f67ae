# SPDX-License-Identifier: Apache-2.0
"""Blocks to GitHub-flavoured Markdown."""
from __future__ import annotations

from .sections import Block, Bullets, Heading, Table, Text


def render(block: Block) -> str:
    if isinstance(block, Heading):
        return ("#### " if block.text.startswith("  ") else "### ") + block.text.strip()
    if isinstance(block, Text):
        return block.text
    if isinstance(block, Bullets):
        return "\n".join(f"- {item}" for item in block.items)
    assert isinstance(block, Table)
    return _table(block)


def _table(table: Table) -> str:
    cells = [table.columns, *([_escape(cell) for cell in row] for row in table.rows)]
    widths = [max(3, *(len(row[column]) for row in cells)) for column in range(len(table.columns))]

    def line(row: list[str]) -> str:
        padded = (cell.ljust(width) if column < table.left else cell.rjust(width) for column, (cell, width) in enumerate(zip(row, widths)))
        return "| " + " | ".join(padded) + " |"

    rule = "|".join("-" * (width + 2) if column < table.left else "-" * (width + 1) + ":" for column, width in enumerate(widths))
    return "\n".join([line(cells[0]), f"|{rule}|", *map(line, cells[1:])])


def _escape(cell: str) -> str:
    return cell.replace("|", "\\|").replace("\n", " ")
