# SPDX-License-Identifier: Apache-2.0
"""The list of lab pages in docs/lab/README.md: of each page what was found.

lab_index.py [--check]      --check: write nothing, fail where the committed list differs

What stands above the list is written by hand. A page of docs/lab or docs/lab/archive has its
finding in a paragraph between its title and its first section, which begins with **Found:**. A page
that is in both has its full text in the archive, and stands in the first list only.
"""

import pathlib
import re
import sys

LAB = pathlib.Path(__file__).resolve().parents[2] / "docs" / "lab"
INDEX = LAB / "README.md"
NAME = "[0-9][0-9][0-9][0-9]-*.md"
HEAD = re.compile(r"# (\d{4}) (.+)\n\n\*\*Found:\*\* ((?:.+\n)+)\n## ")
LIST = re.compile(r"(?<=<!-- list of pages -->\n).*(?=<!-- end -->)", re.DOTALL)


def pages() -> list[pathlib.Path]:
    """Those of docs/lab, then those of its archive, each in the order of their numbers."""
    return sorted(LAB.glob(NAME)) + sorted((LAB / "archive").glob(NAME))


def sections(text: str) -> dict[str, str]:
    """Heading of the second level -> text below it."""
    parts = re.split(r"^## (.+)\n", text, flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2]))


def entry_of(page: pathlib.Path) -> str:
    head = HEAD.match(page.read_text())
    if not head:
        raise SystemExit(f"{page}: no '**Found:** ...' between the title and the first section")
    number, title, found = head.groups()
    return f"| [{number}]({page.relative_to(LAB)}) | {title} | {' '.join(found.split())} |\n"


def table(folder: pathlib.Path) -> str:
    shortened = {page.name for page in LAB.glob(NAME)} if folder != LAB else set()
    listed = [page for page in pages() if page.parent == folder and page.name not in shortened]
    entries = [entry_of(page) for page in listed]
    return "| page | on | found |\n|---|---|---|\n" + "".join(entries)


def main() -> int:
    text = f"## Pages\n\n{table(LAB)}\n## Archive\n\n{table(LAB / 'archive')}"
    text, count = LIST.subn(lambda _: text, INDEX.read_text())
    if not count:
        raise SystemExit(f"{INDEX}: no place for the list of pages")
    if INDEX.read_text() == text:
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
