# SPDX-License-Identifier: Apache-2.0
"""The page of a report of everything: three numbers of threads, a GPU, ranks, sweeps, twins,
failures. Every section and picture is in it, it is well-formed and self-contained, and a browser
shows it as it should, where there is one."""

import html.parser
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

from cases import ROOT
import from_tree
import pandas
import synthetic
from fatvec_report import style

BROWSER = next(
    filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None
)
VOID = {"meta", "link", "img", "source", "br", "hr", "input"}
SECTIONS = (
    "Summary;What portability costs;GFLOPS per matrix;Speed over k;"
    "Against hand-written code and libraries;The worst cells;Share of the bandwidth bound;Roofline;"
    "Formats;Kernels, schedules and settings;Threads;All comparisons;"
    "Set-up and spread of fatvec's best;Over ranks;All ranks;Performance portability;"
    "Beside published figures;Failed and skipped;Provenance"
).split(";")

# Put into a copy of the page: what a browser made of it.
PROBE = """<script>addEventListener("load", () => {
  document.querySelectorAll("main details").forEach(details => details.open = true);
  const size = element => parseFloat(getComputedStyle(element).fontSize);
  const shown = "h1,h2,h3,h4,p,li,figcaption,summary,img,th,td,.filter";
  const boxes = [...document.querySelectorAll(shown)]
    .filter(element => element.checkVisibility())
    .map(element => [element, element.getBoundingClientRect()])
    .sort(([, a], [, b]) => a.top - b.top);
  const overlaps = [];
  const named = element => element.tagName + " " + element.textContent.slice(0, 40);
  boxes.forEach(([a, box], at) => {
    for (const [b, other] of boxes.slice(at + 1)) {
      if (other.top >= box.bottom - 1) break;
      if (other.left >= box.right - 1 || box.left >= other.right - 1) continue;
      if (!a.contains(b) && !b.contains(a)) overlaps.push([named(a), named(b)]);
    }
  });
  const table = [...document.querySelectorAll("table")]
    .find(table => table.tHead.textContent.includes("geometric mean"));
  const cells = column => [...table.tBodies[0].rows].map(row => row.cells[column].textContent);
  const click = column => {
    table.tHead.rows[0].cells[column].querySelector("button").click();
    return cells(column);
  };
  const filter = document.querySelector(".filter");
  filter.firstChild.value = "hll";
  filter.firstChild.dispatchEvent(new Event("input"));
  const kept = [...filter.nextSibling.querySelectorAll("tbody tr")]
    .filter(row => !row.hidden).map(row => row.textContent);
  const images = [...document.images];
  const inch = image => image.width / image.naturalWidth * 192;  // a PNG's dots an inch
  const right = image => image.getBoundingClientRect().right;
  const wide = image => image.closest(".scroll") || right(image) > innerWidth;
  const words = "main p, main li, td, figcaption, .verdict li";
  document.body.dataset.probe = JSON.stringify({
    images: images.map(image =>
      [image.closest("figure").id, image.complete, image.naturalWidth, image.naturalHeight]),
    labels: images.map(image => inch(image) * SMALLEST / 72),
    sideways: images.filter(wide).map(image => image.closest("figure").id),
    text: [...document.querySelectorAll(words)].map(size),
    wide: document.documentElement.scrollWidth, overlaps, falling: click(2), rising: click(2),
    words: click(6), kept, said: filter.lastChild.textContent});
})</script></body>""".replace("SMALLEST", str(style.SMALL))  # test_pictures.py holds pictures to it
FRAME = """<!DOCTYPE html><body style="margin:0">
<iframe src="probe.html" style="width:390px;height:2400px;border:0"></iframe><script>
addEventListener("load", () => {
  const inner = document.querySelector("iframe").contentDocument;
  document.body.dataset.probe = inner.body.dataset.probe;
})</script></body>"""


# How long it took to load, in milliseconds, and how many elements it has.
LOADED = """<script>addEventListener("load", () => setTimeout(() => {
  const loaded = performance.getEntriesByType("navigation")[0].loadEventEnd;
  document.body.dataset.probe = JSON.stringify(
    {milliseconds: loaded, elements: document.querySelectorAll("*").length});
}))</script></body>"""


def setUpModule():
    """FOLDER gets results, and their report in out/."""
    global FOLDER, PAGE
    store = tempfile.TemporaryDirectory()
    unittest.addModuleCleanup(store.cleanup)
    FOLDER, names = pathlib.Path(store.name), ["gen:twin:cant", "gen:twin:dc1"]
    made = {f"cpu-{count}": synthetic.cpu(names, (1, 4), threads=count) for count in (1, 2, 4)}
    made |= {"gpu": synthetic.gpu(names, (1, 4)), "weak": synthetic.ranks("weak")}
    for name, document in made.items():
        (FOLDER / f"{name}.json").write_text(json.dumps(document))
    (FOLDER / "balayre_cuda_gflops.csv").write_text("matrix,crs,ellpack\ncant,99.3766,110.127\n")
    PAGE = report(FOLDER, "--published", FOLDER)


def report(folder, *arguments):
    """Writes the report of the results in `folder` into `folder`/out. Returns its page."""
    command = [sys.executable, "-m", "fatvec_report", *sorted(folder.glob("*.json")), *arguments]
    command += ["-o", folder / "out"]
    done = subprocess.run(command, cwd=ROOT / "scripts", text=True, capture_output=True)
    assert (done.returncode, done.stderr) == (0, ""), done.stderr
    return (folder / "out" / "report.html").read_text()


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
        text = (FOLDER / "out" / "report.md").read_text()
        self.assertIn("**What to use** For each k", text)
        named = re.findall(r"!\[[^\]]+\]\(figures/([^)]+).png\)", text)
        self.assertEqual(named, names)
        for image in self.reader.images:
            self.assertRegex(image["src"], r"^data:image/png;base64,[A-Za-z0-9+/=]{1000,}$")
            self.assertGreater(len(image["alt"]), 30)

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


@unittest.skipUnless(BROWSER, "no chromium, chromium-browser or google-chrome on PATH")
class Browser(unittest.TestCase):
    def run_on(self, path, *flags):
        """What the browser wrote on its outputs. Nothing outside resolves."""
        # A container has few MB of /dev/shm.
        always = "--headless --no-sandbox --disable-gpu --disable-dev-shm-usage".split()
        with tempfile.TemporaryDirectory() as profile:
            return subprocess.run(
                [BROWSER, *always, f"--user-data-dir={profile}", *flags, path.as_uri()],
                check=True,
                text=True,
                capture_output=True,
                timeout=300,
            )

    def browse(self, name, text):
        """What a script in the page found out, and what the console said. FATVEC_SCREENSHOTS: a
        folder for pictures of it."""
        (FOLDER / name).write_text(text)
        flags = ["--enable-logging=stderr", "--allow-file-access-from-files", "--dump-dom"]
        flags += ["--host-resolver-rules=MAP * ~NOTFOUND", "--window-size=1400,2400"]
        if folder := os.environ.get("FATVEC_SCREENSHOTS"):
            flags.append(f"--screenshot={pathlib.Path(folder, name).resolve().with_suffix('.png')}")
        done = self.run_on(FOLDER / name, *flags)
        found = re.search(r'<body[^>]* data-probe="([^"]*)"', done.stdout)
        probe = json.loads(found[1].replace("&quot;", '"')) if found else None
        return probe, [line for line in done.stderr.splitlines() if "CONSOLE" in line]

    def check(self, probe, width):
        """What holds at every width."""
        self.assertLessEqual(probe["wide"], width)
        self.assertEqual(probe["overlaps"], [])
        self.assertGreaterEqual(min(probe["text"]), 12)
        self.assertLessEqual(max(probe["text"]) / min(probe["text"]), 1.35)
        self.assertEqual(probe["sideways"], [])
        self.assertGreaterEqual(min(probe["labels"]), 11)  # pixels of a picture's smallest type
        self.assertLessEqual(max(probe["labels"]) / min(probe["labels"]), 1.35)

    def test_every_figure_shows_a_click_sorts_and_a_word_filters(self):
        probe, console = self.browse("probe.html", PAGE.replace("</body>", PROBE))
        self.assertEqual(console, [])
        self.assertEqual(len(probe["images"]), PAGE.count("<figure "))
        for name, complete, width, height in probe["images"]:
            self.assertTrue(complete and width > 300 and height > 100, name)
        self.check(probe, 1400)
        falling, rising = (
            [float(text.rstrip("×†‡")) for text in probe[way]] for way in ("falling", "rising")
        )
        self.assertGreater(len(set(falling)), 2)
        self.assertEqual(falling, sorted(falling, reverse=True))
        self.assertEqual(rising, sorted(falling))
        self.assertEqual(probe["words"], sorted(probe["words"], key=str.lower))
        self.assertTrue(probe["kept"] and all("hll" in row for row in probe["kept"]), probe["kept"])
        self.assertRegex(probe["said"], rf"^{len(probe['kept'])} of \d+ rows$")

    def test_a_phone_scrolls_tables_but_neither_pictures_nor_the_page(self):
        (FOLDER / "probe.html").write_text(PAGE.replace("</body>", PROBE))
        probe, console = self.browse("phone.html", FRAME)
        self.assertEqual(console, [])
        self.check(probe, 390)

    def test_a_page_of_full_size_is_small_enough_to_open_in_a_second(self):
        """The results of docs/results. Time is printed, not tested: what makes it is limited."""
        results = FOLDER / "measured"
        results.mkdir()
        from_tree.write(results)
        page = report(results)
        self.assertGreater(page.count("<figure "), 10)
        self.assertLess(len(page), 5_000_000)
        probe, _ = self.browse("loaded.html", page.replace("</body>", LOADED))
        self.assertLess(probe["elements"], 10_000)
        print(f"{len(page) / 1e6:.1f} MB and {probe['elements']} elements", end=", ")
        print(f"loaded in {probe['milliseconds']:.0f} ms")

    def test_it_prints(self):
        target = FOLDER / "report.pdf"
        self.run_on(FOLDER / "out" / "report.html", f"--print-to-pdf={target}")
        self.assertGreater(target.stat().st_size, 100_000)

    def test_an_error_would_be_noticed(self):
        _, console = self.browse("broken.html", "<script>nothing_of_that_name()</script>")
        self.assertTrue(any("nothing_of_that_name" in line for line in console), console)


if __name__ == "__main__":
    unittest.main()
