# SPDX-License-Identifier: Apache-2.0
"""Rows of labelled boxes as SVG: what the pictures of the formats are made of. The same input gives
the same bytes."""

from __future__ import annotations

from xml.sax.saxutils import escape

# Of Okabe and Ito's palette for all kinds of colour vision, lightened: black text is legible on
# each.
ROWS = ("#a9d5ee", "#f7cf8a", "#99d8c5", "#eebbd4")
PADDING = "#ffffff"
OFFSET = "#e8e8e8"


def color_of_row(row: int) -> str:
    return ROWS[row % len(ROWS)]


class Drawing:
    cell_width, cell_height, line, left = 34, 24, 32, 160

    def __init__(self, title: str, cells: int):
        self.width = self.left + cells * self.cell_width + 12
        self.y = 44
        self.parts = [
            f'<text x="10" y="26" font-size="15" font-weight="bold">{escape(title)}</text>'
        ]

    def text(self, x: int, words: str, anchor: str = "start") -> None:
        self.parts.append(
            f'<text x="{x}" y="{self.y + 17}" text-anchor="{anchor}">{escape(words)}</text>'
        )

    def gap(self) -> None:
        self.y += self.line // 2

    def row(self, label: str, cells: list[tuple[str, str | None]], bars: list[int] = ()) -> None:
        """A label and a box for each (text, colour), without a colour none, dashed for padding;
        bars before some of them."""
        self.text(self.left - 10, label, "end")
        for n, (words, color) in enumerate(cells):
            x = self.left + n * self.cell_width
            if color is not None:
                dashes = ' stroke-dasharray="3 2"' if color == PADDING else ""
                self.parts.append(
                    f'<rect x="{x}" y="{self.y}" width="{self.cell_width}" '
                    f'height="{self.cell_height}" '
                    f'fill="{color}" stroke="#555555"{dashes}/>'
                )
            self.text(x + self.cell_width // 2, words, "middle")
        for n in bars:
            x = self.left + n * self.cell_width
            self.parts.append(
                f'<path d="M{x} {self.y - 3}v{self.cell_height + 6}" stroke="#222222" '
                'stroke-width="3"/>'
            )
        self.y += self.line

    def svg(self) -> str:
        height = self.y + 4
        head = (
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{self.width}" height="{height}" '
            f'viewBox="0 0 {self.width} {height}" '
            f'font-family="DejaVu Sans Mono, Menlo, Consolas, monospace" font-size="13">'
        )
        return "\n".join(
            [
                head,
                f'<rect width="{self.width}" height="{height}" fill="#fcfcfc"/>',
                *self.parts,
                "</svg>",
                "",
            ]
        )
