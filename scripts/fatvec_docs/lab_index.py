# SPDX-License-Identifier: Apache-2.0
"""docs/lab/README.md, the index of the lab pages, from the pages.

lab_index.py [--check]      --check: write nothing, fail where the committed index differs
"""

import pathlib
import re
import sys
import textwrap

LAB = pathlib.Path(__file__).resolve().parents[2] / "docs" / "lab"
INDEX = LAB / "README.md"
HEAD = """# Lab pages

One finding or decision a page: the question, what was predicted, what was measured, what was
decided, and where the code is. A page tells of its day: where the code moves on, only names are
brought up to date, and a later page says what has changed. Tables that were measured again have
their dates. `python3 scripts/fatvec_docs/lab_index.py` renews this list.

"""


def pages() -> list[pathlib.Path]:
    return sorted(LAB.glob("[0-9][0-9][0-9][0-9]-*.md"))


def sections(text: str) -> dict[str, str]:
    """Heading of the second level -> text below it."""
    parts = re.split(r"^## (.+)\n", text, flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2]))


def entry_of(page: pathlib.Path) -> str:
    text = page.read_text()
    number, title = re.match(r"# (\d{4}) (.+)", text).groups()
    question = " ".join(sections(text)["Question"].split())
    entry = f"- [{number}]({page.name}) {title}: {question}"
    return textwrap.fill(entry, 100, subsequent_indent="  ", break_long_words=False) + "\n"


def main() -> int:
    text = HEAD + "".join(map(entry_of, pages()))
    if INDEX.exists() and INDEX.read_text() == text:
        return 0
    if sys.argv[1:] != ["--check"]:
        INDEX.write_text(text)
        return 0
    print(
        "docs/lab/README.md is not the list of the pages; this renews it: "
        "python3 scripts/fatvec_docs/lab_index.py"
    )
    return 1


if __name__ == "__main__":
    sys.exit(main())
