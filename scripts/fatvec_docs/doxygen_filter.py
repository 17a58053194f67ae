# SPDX-License-Identifier: Apache-2.0
"""Doxygen's input filter for the guides, which are written for GitHub: headings get their anchors,
links to headings become references, links to files that are no pages lead to the repository.
doxygen_filter.py HOMEPAGE FILE"""

import pathlib
import sys

from markdown import HEADING, LINK, is_external, slug, without_code

ROOT = pathlib.Path(__file__).resolve().parents[2]


def page_anchor(page: pathlib.Path, heading: str) -> str:
    return f"{page.relative_to(ROOT).with_suffix('').as_posix().replace('/', '_')}-{heading}"


def is_page(path: pathlib.Path) -> bool:
    return path.suffix == ".md" and path.parent in (ROOT, ROOT / "docs")


def filtered(page: pathlib.Path, homepage: str) -> str:
    text = page.read_text()

    def link(match) -> str:
        picture, words, target = match.groups()
        path, _, anchor = target.partition("#")
        file = (page.parent / path).resolve() if path else page
        if is_external(target) or picture:
            return match[0]
        if not is_page(file):
            return f"[{words}]({homepage}/tree/main/{file.relative_to(ROOT).as_posix()})"
        return f"[{words}](@ref {page_anchor(file, anchor)})" if anchor else match[0]

    def heading(match) -> str:
        return (
            f"{match[0].rstrip()} {{#{page_anchor(page, slug(match[2]))}}}"
            if len(match[1]) > 1
            else match[0]
        )

    parts, end = [], 0
    prose = without_code(text)
    for match in sorted([*LINK.finditer(prose), *HEADING.finditer(prose)], key=lambda m: m.start()):
        if match.start() < end:
            continue  # a link in a heading
        pattern, replacement = (LINK, link) if match.re is LINK else (HEADING, heading)
        parts += [text[end : match.start()], replacement(pattern.match(text, match.start()))]
        end = match.end()
    return "".join(parts) + text[end:]


if __name__ == "__main__":
    sys.stdout.reconfigure(encoding="utf-8")
    sys.stdout.write(filtered(pathlib.Path(sys.argv[2]).resolve(), sys.argv[1]))
