# SPDX-License-Identifier: Apache-2.0
"""The page: every section and picture of made-up results, well-formed and self-contained."""

import html.parser
import json
import re
import unittest

import whole
import pandas

VOID = {"meta", "link", "img", "source", "br", "hr", "input"}
SECTIONS = (
    "Summary;What portability costs;GFLOPS per matrix;Speed over k;"
    "Against hand-written code and libraries;The worst cells;Share of the bandwidth bound;Roofline;"
    "Formats;Kernels, schedules and settings;Threads;All comparisons;"
    "Set-up and spread of fatvec's best;Over ranks;All ranks;Performance portability;"
    "Beside published figures;Failed and skipped;Provenance"
).split(";")


def setUpModule():
    global FOLDER, PAGE
    FOLDER, PAGE = whole.of_a_module()


class Reader(html.parser.HTMLParser):
    """Elements must close in the order in which they opened."""

    def __init__(self):
        super().__init__()
        self.open, self.images, self.ids, self.links = [], [], [], []

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        if tag not in VOID:
            self.open.append(tag)
        if tag == "img":
            self.images.append(attributes)
        if "id" in attributes:
            self.ids.append(attributes["id"])
        self.links += [attributes[name] for name in ("href", "src") if name in attributes]

    def handle_endtag(self, tag):
        assert self.open and self.open[-1] == tag, f"</{tag}> within {self.open}"
        self.open.pop()


class Page(unittest.TestCase):
    def setUp(self):
        self.reader = Reader()
        self.reader.feed(PAGE)

    def test_every_section_is_there(self):
        for title in SECTIONS:
            title = re.escape(title.replace("'", "&#39;"))
            self.assertRegex(PAGE, rf"<h[23] id=[^>]*>{title}</h")

    def test_no_column_holds_dashes_only(self):
        tables = re.findall(r"<tbody>(.*?)</tbody>", PAGE, re.DOTALL)
        self.assertGreater(len(tables), 10)
        for table in tables:
            rows = [re.findall(r"<td([^>]*)>(.*?)</td>", row) for row in table.split("<tr>")]
            for column in zip(*filter(None, rows)):
                numbers = "word" not in column[0][0]
                self.assertFalse(numbers and {text for _, text in column} == {"–"}, table[:300])

    def test_what_portability_costs_stands_in_both_pages(self):
        text = (FOLDER / "out" / "report.md").read_text()
        for backend in ("openmp", "cuda"):
            part = text.split(f"#### {backend}, layout row", 1)[1].split("###", 1)[0]
            for shape in ("csr", "ellpack", "hll", "best format"):
                self.assertRegex(part, rf"\n\| k = \d+, {shape} +\|", backend)
            self.assertEqual("launch-bound" in part, backend == "cuda")
        self.assertEqual(PAGE.count(">portable / specialised</th>"), 2)
        self.assertIn("**What to use** For each k", text)

    def test_it_is_well_formed_and_its_links_lead_somewhere(self):
        self.assertEqual(self.reader.open, [])
        self.assertEqual(len(self.reader.ids), len(set(self.reader.ids)))
        for link in self.reader.links:
            self.assertTrue(
                link.startswith("data:") or link[1:] in self.reader.ids and link[0] == "#",
                link[:80],
            )
        self.assertNotRegex(PAGE, r"<script [^>]*src|@import|url\(|https?:|fetch\(|XMLHttpRequest")

    def test_every_picture_is_embedded_described_and_a_file(self):
        files = {path.name for path in (FOLDER / "out" / "figures").iterdir()}
        names = [
            name.removeprefix("figure-") for name in self.reader.ids if name.startswith("figure-")
        ]
        self.assertEqual(files, {f"{name}.{kind}" for name in names for kind in ("png", "svg")})
        self.assertEqual(len(self.reader.images), len(names))
        for part in ("gflops", "over-k", "ratios", "bound", "roofline", "formats", "variants"):
            self.assertTrue({f"cpu-4-cpu-{part}", f"gpu-gpu-{part}"} <= set(names), part)
        self.assertTrue(
            {"cpu-4-cpu-scaling", "cpu-4-cpu-sweep-chunk", "gpu-gpu-sweep-block", "portability"}
            <= set(names)
        )
        for part in ("efficiency", "speed-up", "volume", "overlap", "memory"):
            self.assertIn(f"weak-gpu-ranks-{part}", names)
        for image in self.reader.images:
            self.assertRegex(image["src"], r"^data:image/png;base64,[A-Za-z0-9+/=]{1000,}$")
            self.assertGreater(len(image["alt"]), 30)

    def test_markdown_has_the_same_pictures(self):
        text = (FOLDER / "out" / "report.md").read_text()
        pictures = re.findall(r"!\[[^\]]+\]\((figures/[^)]+)\)", text)
        self.assertEqual(len(pictures), len(self.reader.images))
        self.assertTrue(all((FOLDER / "out" / name).is_file() for name in pictures))

    def test_the_first_screen_answers_before_the_contents(self):
        first = PAGE[PAGE.index("<h1>") : PAGE.index("<nav")]
        self.assertEqual(first.count('class="verdict"'), 3)  # a CPU, a GPU and ranks
        self.assertEqual(first.count("<strong>What to use</strong>"), 2)
        for pattern in (
            r"is the fastest in \d+ of \d+ cases, in .*?; over all cases [\d.]+×[†‡]* the speed",
            r"<strong>\d+%[†‡]*</strong> of the specialised kernels.*?portability costs",
            r"<strong>[\d.]+×[†‡]*</strong> the best library",
            r"<strong>[\d.]+×[†‡]*</strong> the best hand-written kernel",
        ):
            self.assertEqual(len(re.findall(pattern, first)), 2, pattern)

    def test_what_few_look_up_is_folded(self):
        for title in ("All comparisons", "Kernels, schedules and settings", "Provenance"):
            after = PAGE[re.search(rf"<h[23] id=[^>]*>{title}</h", PAGE).end() :][:400]
            self.assertIn("<details><summary>", after, title)
        failed = PAGE[re.search(r">Failed \(\d+\)</h", PAGE).end() :]
        self.assertLess(failed.index("<table>"), failed.index("<details>"))  # a failure is in sight

    def test_every_row_is_in_the_csv(self):
        table = pandas.read_csv(FOLDER / "out" / "results.csv")
        self.assertEqual(
            len(table),
            sum(len(json.loads(path.read_text())["benchmarks"]) for path in FOLDER.glob("*.json")),
        )
        self.assertEqual(
            set(table.matrix),
            {
                "cant (twin, spread estimated)",
                "dc1 (twin, spread estimated)",
                "gen:stencil27:115x115x115",
            },
        )


if __name__ == "__main__":
    unittest.main()
