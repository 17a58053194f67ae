# SPDX-License-Identifier: Apache-2.0
"""What the guides' tools and tests need of Markdown: headings and their anchors as GitHub forms
them, links, blocks of code."""

import re

FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
HEADING = re.compile(r"^(#{1,6}) +(.+?) *$", re.MULTILINE)
LINK = re.compile(r"(!?)\[([^\]]*)\]\(([^()\s]+)\)")
CODE_SPAN = re.compile(r"`[^`\n]*`")


def code_blocks(text: str, language: str) -> list[tuple[int, str]]:
    """(line number, code) of each fenced block of this language."""
    return [
        (text.count("\n", 0, m.start()) + 1, m[2]) for m in FENCE.finditer(text) if m[1] == language
    ]


def without_code(text: str) -> str:
    """The text with everything but the ends of lines in code replaced by spaces: offsets and line
    numbers stay."""

    def blank(match):
        return re.sub(r"[^\n]", " ", match[0])

    return CODE_SPAN.sub(blank, FENCE.sub(blank, text))


def slug(heading: str) -> str:
    """GitHub's anchor of a heading (of equal headings in one page the first)."""
    plain = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).strip().lower()
    return re.sub(r"[^\w\- ]", "", plain).replace(" ", "-")


def anchors(text: str) -> list[str]:
    """The anchors of a page's headings."""
    prose = FENCE.sub(lambda m: "\n" * m[0].count("\n"), text)
    return [slug(m[2]) for m in HEADING.finditer(prose)]


def links(text: str) -> list[tuple[int, str]]:
    """(line number, target) of each link and picture outside code."""
    prose = without_code(text)
    return [(prose.count("\n", 0, m.start()) + 1, m[3]) for m in LINK.finditer(prose)]


def is_external(target: str) -> bool:
    return re.match(r"[a-z]+:", target) is not None
