# SPDX-License-Identifier: Apache-2.0
"""What a report is made of, numbers as they are to be read, and the pages that the templates make
of both: one self-contained HTML page without a request, and GitHub-flavoured Markdown."""

from __future__ import annotations

import base64
import dataclasses
import functools
import html
import pathlib
import re
from typing import Callable, Iterator

import jinja2
import pandas as pd

NONE = "–"


class Block:
    @property
    def kind(self) -> str:
        """By which the templates know it."""
        return type(self).__name__.lower()


@dataclasses.dataclass
class Heading(Block):
    text: str
    level: int = 4  # 2: a part, 3: a section, 4: within a section
    anchor: str = ""


@dataclasses.dataclass
class Text(Block):
    text: str


@dataclasses.dataclass
class Bullets(Block):
    items: list[str]


@dataclasses.dataclass
class Picture(Block):
    """Drawn when the report is written; `alt` says what is to be seen, for those who cannot."""

    name: str
    alt: str
    draw: Callable[[], object]  # -> matplotlib Figure
    caption: str = ""
    drawn: dict = dataclasses.field(default_factory=dict)  # "svg", "png", "narrow" (PNG): bytes

    def source(self, name: str) -> str:
        """A PNG as a data URI."""
        return f"data:image/png;base64,{base64.b64encode(self.drawn[name]).decode()}"


@dataclasses.dataclass
class Details(Block):
    """Folded until somebody asks for it."""

    summary: str
    blocks: list[Block]


@dataclasses.dataclass
class Table(Block):
    """Cells as they are to be read; the first `left` columns are words, the others numbers; those
    in `strong` stand out."""

    columns: list[str]
    rows: list[list[str]]
    left: int
    strong: tuple[int, ...] = ()

    @property
    def kept(self) -> list[int]:
        """All columns but those of numbers in which every cell is a dash."""
        return [
            at
            for at in range(len(self.columns))
            if at < self.left or any(row[at] != NONE for row in self.rows)
        ]

    def bold(self, row: list[str], at: int) -> bool:
        return at in self.strong and row[at] != NONE

    @property
    def markdown(self) -> str:
        """Padded, so that it can be read as it is."""
        kept = self.kept
        lines = [[markdown(self.columns[at]) for at in kept]]
        for row in self.rows:
            marks = ["**" * self.bold(row, at) for at in kept]
            lines.append([f"{mark}{markdown(row[at])}{mark}" for at, mark in zip(kept, marks)])
        widths = [max(3, *map(len, column)) for column in zip(*lines)]
        word = [at < self.left for at in kept]
        lines.insert(1, ["-" * (width - 1) + "-:"[not left] for width, left in zip(widths, word)])
        sides = [str.ljust if left else str.rjust for left in word]
        lines = [
            " | ".join(pad(*cell) for pad, *cell in zip(sides, line, widths)) for line in lines
        ]
        return "\n".join(f"| {line} |" for line in lines)


@dataclasses.dataclass
class Verdict(Block):
    """The answer in large print: (a number or a name, the sentence that it is the start of)."""

    title: str
    claims: list[tuple[str, str]]
    uses: Table | None = None  # what to use, the first of the answers
    uses_says = (
        "For each k what is nearest to the fastest in the sum over the cases: its share of the "
        "fastest one's speed, mean and worst, over the cases that it has, and the median spread of "
        "its repetitions."
    )


TEMPLATES = pathlib.Path(__file__).with_name("templates")


@functools.cache
def _texts() -> dict[str, str]:
    parts = re.split(r"(?m)^# (.+)\n", (TEMPLATES / "texts.md.j2").read_text("utf-8"))
    return dict(zip(parts[1::2], parts[2::2]))


def says(title: str, **values) -> list[Block]:
    """What texts.md.j2 says below this heading: its paragraphs and lists."""
    looks = {"trim_blocks": True, "finalize": lambda value: str(value).replace("\n", " ")}
    text = jinja2.Template(_texts().get(title, ""), **looks).render(NONE=NONE, **values)
    found: list[Block] = []
    for part in filter(None, map(str.strip, re.split(r"\n\s*\n", text))):
        first, *items = (" ".join(each.splitlines()) for each in re.split(r"(?:^|\n)- ", part))
        found.append(Bullets(items) if items else Text(first))
    return found


def headed(title: str) -> list[Block]:
    return [Heading(title), *says(title)]


def number(value: float, form: str = ".2f") -> str:
    return NONE if pd.isna(value) else format(value, form)


def gflops(value: float) -> str:
    """Three significant digits, without exponents."""
    steps = ((100, ".0f"), (10, ".1f"), (0.1, ".2f"))
    return number(value, next((form for least, form in steps if value >= least), ".2g"))


def times(value: float) -> str:
    """A ratio of speeds."""
    small = ".2f" if value >= 0.095 or value == 0 else ".2g"
    return number(value, ".0f" if value >= 100 else small) + "×" * (not pd.isna(value))


def count(value: float) -> str:
    """A number of products: rounded up as far as it matters."""
    return number(value, ".1f" if value < 10 else ",.0f")


def share(value: float) -> str:
    return number(value, ".0%")


def word(value: object) -> str:
    return NONE if pd.isna(value) or value == "" else str(value)


def marked(text: str, mark: object, count: object = "") -> str:
    """A cell: a number, the marks of what it rests on beside it, then a count in brackets."""
    if text == NONE:
        return NONE
    return text + (mark if isinstance(mark, str) else "") + (f" ({count})" if count != "" else "")


READ = {"": word, "gflops": gflops, "times": times, "count": count, "share": share}
READ["pp"] = lambda value: "0" if value == 0 else number(value)  # where zero has its own meaning


def _column(text: str) -> tuple[str, str, str]:
    title, _, source = (part.strip() for part in text.partition("<-"))
    column, _, form = source.rpartition(" ") if " " in source else (source or title, "", "")
    return title, column, form


def table(rows: pd.DataFrame, columns: str | list, left: int, strong: tuple = ()) -> Table:
    """A table of these columns: 'title <- column form' parted by '|', or a list of such texts and
    of (title, column, form) where one is a name from the results. The title alone is a column of
    that name. form: a name in READ or as of format(); none: as it stands. Beside a number stands
    the mark of column_mark; where there is none, that of `mark`, unless it is without a form; then
    column_count, if there is one."""
    wanted: list[tuple[str, str, str]] = []
    for part in [columns] if isinstance(columns, str) else columns:
        wanted += [part] if isinstance(part, tuple) else map(_column, part.split("|"))
    cells = []
    for _, column, form in wanted:
        read = READ.get(form) or functools.partial(number, form=form)
        texts = [read(value) for value in rows[column]]
        own = [f"{column}_mark", *(["mark"] if form else [])]
        marks = next((rows[name] for name in own if name in rows), [""] * len(rows))
        counts = rows.get(f"{column}_count", [""] * len(rows))
        cells.append(list(map(marked, texts, marks, counts)))
    titles = [title for title, _, _ in wanted]
    return Table(titles, [list(row) for row in zip(*cells)], left, strong)


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
    parts = [f"{pictures} picture{'s' * (pictures > 1)}"] if pictures else []
    parts += [f"{len(tables)} table{'s' * (len(tables) > 1)}, {sum(tables)} rows"] if tables else []
    return Details("; ".join(parts) or "More", blocks)


def markdown(text: str) -> str:
    """A text of one line that is shown as it is: as no HTML, mark-up, link or table."""
    text = re.sub(r"([\\`*\[\]|~$])", r"\\\1", " ".join(text.split()))
    text = re.sub(r"&(?=#?\w+;)", "&amp;", text).replace("<", "&lt;")
    text = re.sub(r"(?<![^\W_])_|_(?![^\W_])", r"\\_", text)  # not within words
    text = re.sub(r":(?=//)|(?<=\bwww)\.|@", r"\\\g<0>", text, flags=re.IGNORECASE)
    text = re.sub(r"(?<!\S)#", r"\\#", text)
    return re.sub(r"^(\d*)([-+.)](?=\s|$)|>|--)", r"\1\\\2", text)


def _unbroken(value: object) -> object:
    """ "k = 4" does not break."""
    if type(value) is not str:
        return value
    return re.sub(r"\b([kK]) = (?=\d)", "\\1\u00a0=\u00a0", value)


def unique(text: str, taken: dict[str, int]) -> str:
    """The text as an anchor or the name of a file, with a number where it is taken."""
    slug = found = re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-") or "part"
    while found in taken:
        taken[slug] += 1
        found = f"{slug}-{taken[slug]}"
    taken[found] = 1
    return found


def page(title: str, blocks: list[Block], ending: str) -> str:
    """`ending`: "html" or "md". The blocks before the first heading come before the contents."""
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(TEMPLATES),
        autoescape=ending == "html",
        finalize=_unbroken if ending == "html" else None,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        undefined=jinja2.StrictUndefined,
    )
    environment.filters["md"] = markdown
    environment.filters["line"] = lambda text: html.escape(" ".join(text.split()))
    taken: dict[str, int] = {}
    for block in flat(blocks):
        if isinstance(block, Heading):
            block.anchor = unique(block.text, taken)
    start = next((at for at, block in enumerate(blocks) if block.kind == "heading"), len(blocks))
    template = environment.get_template(f"page.{ending}.j2")
    return template.render(title=title, first=blocks[:start], body=blocks[start:], NONE=NONE)
