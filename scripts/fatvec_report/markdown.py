# SPDX-License-Identifier: Apache-2.0
"""Blocks to GitHub-flavoured Markdown."""

from __future__ import annotations

from .blocks import Block, Bullets, Details, Heading, Picture, Table, Text, Verdict, without_empty


def page(title: str, blocks: list[Block]) -> str:
    head = [
        f"# {title}",
        "The same as a page with all pictures: [report.html](report.html). All rows: "
        "[results.csv](results.csv).",
    ]
    return "\n\n".join([*head, *map(render, blocks)]) + "\n"


def render(block: Block) -> str:
    if isinstance(block, Heading):
        return f"{'#' * block.level} {block.text}"
    if isinstance(block, Text):
        return block.text
    if isinstance(block, Bullets):
        return "\n".join(f"- {item}" for item in block.items)
    if isinstance(block, Picture):
        return f"![{block.alt}](figures/{block.name}.png)" + (
            f"\n\n{block.caption}" if block.caption else ""
        )
    if isinstance(block, Details):
        inner = "\n\n".join(map(render, block.blocks))
        return f"<details><summary>{block.summary}</summary>\n\n{inner}\n\n</details>"
    if isinstance(block, Verdict):
        return "\n".join(
            [f"**{block.title}**\n", *(f"- **{figure}** {text}" for figure, text in block.claims)]
        )
    assert isinstance(block, Table)
    return _table(without_empty(block))


def _table(table: Table) -> str:
    def cell(column: int, text: str) -> str:
        text = text.replace("|", "\\|").replace("\n", " ")
        return f"**{text}**" if column in table.strong and text != "–" else text

    cells = [
        table.columns,
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
