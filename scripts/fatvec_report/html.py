# SPDX-License-Identifier: Apache-2.0
"""Blocks to one self-contained HTML page: no script, no request; pictures are data URIs."""
from __future__ import annotations

import base64
import pathlib
import re
from html import escape

from .blocks import NONE, Block, Bullets, Heading, Picture, Table, Text

STYLE = pathlib.Path(__file__).with_name("page.css")
VECTOR_LIMIT = 400_000  # bytes; a picture that would be larger as SVG is embedded as PNG


def page(title: str, blocks: list[Block], drawn: dict[str, tuple[bytes, bytes]]) -> str:
    """`drawn`: each picture's SVG and PNG."""
    anchors = _anchors(blocks)
    contents = [f'<li class="level-{block.level}"><a href="#{anchors[id(block)]}">{escape(block.text)}</a></li>'
                for block in blocks if isinstance(block, Heading) and block.level < 4]
    body = "\n".join(_render(block, anchors, drawn) for block in blocks)
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
<nav aria-label="Contents"><h2>Contents</h2><ol>
{chr(10).join(contents)}
</ol></nav>
<main>
{body}
</main>
<footer><p>All rows are in results.csv, each picture is in figures/ as PNG and SVG. Written by scripts/report of fatvec.</p></footer>
</body>
</html>
"""


def _anchors(blocks: list[Block]) -> dict[int, str]:
    """A unique name for every heading."""
    names: dict[int, str] = {}
    for block in blocks:
        if isinstance(block, Heading):
            slug = re.sub(r"[^a-z0-9]+", "-", block.text.lower()).strip("-") or "part"
            taken = set(names.values())
            names[id(block)] = next(name for name in (slug, *(f"{slug}-{n}" for n in range(2, len(blocks) + 2))) if name not in taken)
    return names


def _render(block: Block, anchors: dict[int, str], drawn: dict[str, tuple[bytes, bytes]]) -> str:
    if isinstance(block, Heading):
        return f'<h{block.level} id="{anchors[id(block)]}">{escape(block.text)}</h{block.level}>'
    if isinstance(block, Text):
        return f"<p>{escape(block.text)}</p>"
    if isinstance(block, Bullets):
        return "<ul>" + "".join(f"<li>{escape(item)}</li>" for item in block.items) + "</ul>"
    if isinstance(block, Picture):
        return _picture(block, *drawn[block.name])
    assert isinstance(block, Table)
    return _table(block)


def _picture(picture: Picture, vector: bytes, bitmap: bytes) -> str:
    kind, data = ("svg+xml", vector) if len(vector) <= VECTOR_LIMIT else ("png", bitmap)
    source = f"data:image/{kind};base64,{base64.b64encode(data).decode()}"
    caption = f"<figcaption>{escape(picture.caption)}</figcaption>" if picture.caption else ""
    return (f'<figure id="figure-{picture.name}"><div class="scroll" role="region" tabindex="0" aria-label="Picture {picture.name}">'
            f'<img alt="{escape(picture.alt)}" src="{source}"></div>{caption}</figure>')


def _table(table: Table) -> str:
    def cell(tag: str, column: int, text: str) -> str:
        kind = ' class="word"' if column < table.left else ""
        scope = ' scope="col"' if tag == "th" else ""
        text = escape(text)
        return f"<{tag}{scope}{kind}>{f'<b>{text}</b>' if column in table.strong and tag == 'td' and text != NONE else text}</{tag}>"

    def line(tag: str, row: list[str]) -> str:
        return "<tr>" + "".join(cell(tag, column, text) for column, text in enumerate(row)) + "</tr>"

    return ('<div class="scroll" role="region" tabindex="0" aria-label="Table"><table>\n<thead>' + line("th", table.columns) + "</thead>\n<tbody>\n"
            + "\n".join(line("td", row) for row in table.rows) + "\n</tbody></table></div>")
