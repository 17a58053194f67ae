# SPDX-License-Identifier: Apache-2.0
"""Every link within the repository leads somewhere: files exist, anchors are headings. Links to the
web are not followed."""

import pathlib
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts" / "fatvec_docs"))
from markdown import anchors, is_external, links, slug


def pages() -> list[pathlib.Path]:
    """All Markdown of the source tree but what is built or fetched into it."""
    ignored = {"build", ".deps", ".venv", ".git", "report"}
    folders = [p for p in sorted(ROOT.iterdir()) if p.is_dir() and p.name not in ignored]
    return [
        *sorted(ROOT.glob("*.md")),
        *(page for folder in folders for page in sorted(folder.rglob("*.md"))),
    ]


def broken(page: pathlib.Path) -> list[str]:
    found = []
    for line, target in links(page.read_text()):
        if is_external(target):
            continue
        path, _, anchor = target.partition("#")
        file = page.parent / path if path else page
        where = f"{page.relative_to(ROOT)}:{line}: {target}"
        if not file.exists():
            found.append(f"{where}: no such file")
        elif not file.resolve().is_relative_to(ROOT):
            found.append(f"{where}: outside the repository")
        elif anchor and anchor not in anchors(file.read_text()):
            found.append(
                f"{where}: no such heading; there are {', '.join(anchors(file.read_text()))}"
            )
    return found


class Links(unittest.TestCase):
    def test_they_lead_somewhere(self):
        self.assertGreater(sum(len(links(page.read_text())) for page in pages()), 20)
        self.assertEqual([text for page in pages() for text in broken(page)], [])

    def test_headings_of_a_page_differ(self):
        for page in pages():
            with self.subTest(page=page.name):
                found = [a for a in anchors(page.read_text()) if page.name != "CHANGELOG.md"]
                self.assertEqual(len(found), len(set(found)))

    def test_every_guide_is_in_the_index(self):
        index = ROOT / "docs" / "README.md"
        linked = {
            (index.parent / t.partition("#")[0]).resolve()
            for _, t in links(index.read_text())
            if not is_external(t)
        }
        self.assertEqual(
            [p.name for p in sorted(index.parent.glob("*.md")) if p != index and p not in linked],
            [],
        )


class Anchors(unittest.TestCase):
    """As GitHub forms them."""

    def test_slugs(self):
        cases = {
            "One command each": "one-command-each",
            "Lanes (kernels/device/row_kernel.hpp)": "lanes-kernelsdevicerow_kernelhpp",
            "Stec's Table II on an H200": "stecs-table-ii-on-an-h200",
            "A [link](a.md) and `code`": "a-link-and-code",
        }
        self.assertEqual({heading: slug(heading) for heading in cases}, cases)

    def test_code_has_no_links_and_no_headings(self):
        text = "# A\n```sh\n# B\n[x](y)\n```\n`[x](y)` [b](c#d)\n"
        self.assertEqual((anchors(text), links(text)), (["a"], [(6, "c#d")]))


if __name__ == "__main__":
    unittest.main()
