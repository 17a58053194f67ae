# SPDX-License-Identifier: Apache-2.0
"""Blocks to one self-contained HTML page without a request: pictures are data URIs, page.js sorts
and filters tables."""

from __future__ import annotations

import base64
import pathlib
import re
from html import escape as escape_html

from .blocks import (
    NONE,
    Block,
    Bullets,
    Details,
    Drawn,
    Heading,
    Picture,
    Table,
    Text,
    Verdict,
    flat,
    without_empty,
)

STYLE, SCRIPT = (pathlib.Path(__file__).with_name(f"page.{kind}") for kind in ("css", "js"))
VECTOR_LIMIT = 150_000  # bytes; a picture that would be larger as SVG is embedded as PNG


def escape(text: str) -> str:
    """As HTML; "k = 4" does not break."""
    return re.sub(r"\b([kK]) = (?=\d)", "\\1\u00a0=\u00a0", escape_html(text))


def page(title: str, blocks: list[Block], drawn: dict[str, Drawn]) -> str:
    """The blocks before the first heading come before the contents."""
    anchors = _anchors(blocks)
    contents = [
        f'<li class="level-{block.level}"><a '
        f'href="#{anchors[id(block)]}">{escape(block.text)}</a></li>'
        for block in blocks
        if isinstance(block, Heading) and block.level < 4
    ]
    start = next(
        (position for position, block in enumerate(blocks) if isinstance(block, Heading)),
        len(blocks),
    )
    first, body = (
        "\n".join(_render(block, anchors, drawn) for block in part)
        for part in (blocks[:start], blocks[start:])
    )
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="icon" href="data:,">
<title>{escape(title)}</title>
<style>
{STYLE.read_text()}</style>
</head>
<body>
<header><h1>{escape(title)}</h1></header>
{first}
<nav aria-label="Contents"><details open><summary>Contents</summary><ol>
{chr(10).join(contents)}
</ol></details></nav>
<main>
{body}
</main>
<footer><p>All rows are in results.csv, each picture is in figures/ as PNG and SVG.
Written by scripts/report of fatvec.</p></footer>
<script>
{SCRIPT.read_text()}</script>
</body>
</html>
"""


def _anchors(blocks: list[Block]) -> dict[int, str]:
    """A unique name for every heading."""
    names: dict[int, str] = {}
    for block in flat(blocks):
        if isinstance(block, Heading):
            slug = re.sub(r"[^a-z0-9]+", "-", block.text.lower()).strip("-") or "part"
            taken = set(names.values())
            names[id(block)] = next(
                name
                for name in (slug, *(f"{slug}-{n}" for n in range(2, len(blocks) + 2)))
                if name not in taken
            )
    return names


def _render(block: Block, anchors: dict[int, str], drawn: dict[str, Drawn]) -> str:
    if isinstance(block, Heading):
        return f'<h{block.level} id="{anchors[id(block)]}">{escape(block.text)}</h{block.level}>'
    if isinstance(block, Text):
        return f"<p>{escape(block.text)}</p>"
    if isinstance(block, Bullets):
        return "<ul>" + "".join(f"<li>{escape(item)}</li>" for item in block.items) + "</ul>"
    if isinstance(block, Picture):
        return _picture(block, drawn[block.name])
    if isinstance(block, Details):
        inner = "\n".join(_render(each, anchors, drawn) for each in block.blocks)
        return f"<details><summary>{escape(block.summary)}</summary>\n{inner}\n</details>"
    if isinstance(block, Verdict):
        claims = "".join(
            f"<li><strong>{escape(figure)}</strong> {escape(text)}</li>"
            for figure, text in block.claims
        )
        return (
            '<section class="verdict"><p '
            f'class="subject">{escape(block.title)}</p><ul>{claims}</ul></section>'
        )
    assert isinstance(block, Table)
    return _table(without_empty(block))


def _picture(picture: Picture, drawn: Drawn) -> str:
    kind, data = (
        ("svg+xml", drawn.vector) if len(drawn.vector) <= VECTOR_LIMIT else ("png", drawn.bitmap)
    )
    source = f"data:image/{kind};base64,{base64.b64encode(data).decode()}"
    caption = f"<figcaption>{escape(picture.caption)}</figcaption>" if picture.caption else ""
    return (
        f'<figure id="figure-{picture.name}"><div class="scroll" role="region" tabindex="0" '
        f'aria-label="Picture {picture.name}">'
        f'<img alt="{escape(picture.alt)}" decoding="async" style="--inches:{drawn.inches:.2f}" '
        f'src="{source}"></div>{caption}</figure>'
    )


def _table(table: Table) -> str:
    def cell(tag: str, column: int, text: str) -> str:
        kinds = ["word"] * (column < table.left) + ["long"] * (tag == "th" and len(text) > 16)
        kind = f' class="{" ".join(kinds)}"' if kinds else ""
        scope = ' scope="col"' if tag == "th" else ""
        text = escape(text)
        if column in table.strong and tag == "td" and text != NONE:
            text = f"<b>{text}</b>"
        return f"<{tag}{scope}{kind}>{text}</{tag}>"

    def line(tag: str, row: list[str]) -> str:
        return (
            "<tr>" + "".join(cell(tag, column, text) for column, text in enumerate(row)) + "</tr>"
        )

    return (
        '<div class="scroll" role="region" tabindex="0" aria-label="Table"><table>\n<thead>'
        + line("th", table.columns)
        + "</thead>\n<tbody>\n"
        + "\n".join(line("td", row) for row in table.rows)
        + "\n</tbody></table></div>"
    )
