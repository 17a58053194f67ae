# SPDX-License-Identifier: Apache-2.0
"""The page: every section and picture of made-up results, well-formed and self-contained, and in a browser where there is one."""
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

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))
try:
    import matplotlib  # noqa: F401, what the report needs
    import pandas
except ImportError as error:
    print(f"skipped: {error}; scripts/report --prepare installs what is missing")
    sys.exit(77)
import synthetic

BROWSER = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
VOID = {"meta", "link", "img", "br", "hr", "input"}
SECTIONS = ["Summary", "What portability costs", "GFLOPS per matrix", "Speed over k", "Against hand-written code and peers", "The worst cells",
            "Share of the bandwidth bound", "Roofline", "Formats", "Kernels, schedules and settings", "Threads", "All comparisons",
            "Set-up and spread of fatvec&#x27;s best", "Performance portability", "Ours beside published figures", "Failed and skipped", "Provenance"]


def setUpModule():
    """One report of everything: three numbers of threads, a GPU, sweeps, twins, failures."""
    global FOLDER, PAGE, STORE
    STORE = tempfile.TemporaryDirectory()
    FOLDER = pathlib.Path(STORE.name)
    names = ["gen:twin:cant", "gen:twin:dc1"]
    for count in (1, 2, 4):
        (FOLDER / f"cpu-{count}.json").write_text(json.dumps(synthetic.cpu(names, (1, 4), threads=count)))
    (FOLDER / "gpu.json").write_text(json.dumps(synthetic.gpu(names, (1, 4))))
    (FOLDER / "balayre_cuda_gflops.csv").write_text("matrix,crs,ellpack\ncant,99.3766,110.127\n")
    done = subprocess.run([sys.executable, "-m", "fatvec_report", *map(str, FOLDER.glob("*.json")), "-o", str(FOLDER / "out"),
                           "--published", str(FOLDER)], cwd=ROOT / "scripts", text=True, capture_output=True)
    assert (done.returncode, done.stderr) == (0, ""), done.stderr
    PAGE = (FOLDER / "out" / "report.html").read_text()


def tearDownModule():
    STORE.cleanup()


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
            self.assertRegex(PAGE, rf"<h[23] id=[^>]*>{re.escape(title)}</h")

    def test_it_is_well_formed_and_its_links_lead_somewhere(self):
        self.assertEqual(self.reader.open, [])
        self.assertEqual(len(self.reader.ids), len(set(self.reader.ids)))
        for link in self.reader.links:
            self.assertTrue(link.startswith("data:") or link[1:] in self.reader.ids and link[0] == "#", link[:80])
        self.assertNotRegex(PAGE, r"<script [^>]*src|@import|url\(|https?:|fetch\(|XMLHttpRequest")

    def test_every_picture_is_embedded_described_and_a_file(self):
        files = {path.name for path in (FOLDER / "out" / "figures").iterdir()}
        names = [name.removeprefix("figure-") for name in self.reader.ids if name.startswith("figure-")]
        self.assertEqual(files, {f"{name}.{kind}" for name in names for kind in ("png", "svg")})
        self.assertEqual(len(self.reader.images), len(names))
        for part in ("gflops", "over-k", "ratios", "bound", "roofline", "formats", "variants"):
            self.assertTrue({f"cpu-4-cpu-{part}", f"gpu-gpu-{part}"} <= set(names), part)
        self.assertTrue({"cpu-4-cpu-scaling", "cpu-4-cpu-sweep-chunk", "gpu-gpu-sweep-block", "portability"} <= set(names))
        for image in self.reader.images:
            self.assertRegex(image["src"], r"^data:image/(png|svg\+xml);base64,[A-Za-z0-9+/=]{1000,}$")
            self.assertGreater(len(image["alt"]), 30)

    def test_markdown_has_the_same_pictures(self):
        text = (FOLDER / "out" / "report.md").read_text()
        pictures = re.findall(r"!\[[^\]]+\]\((figures/[^)]+)\)", text)
        self.assertEqual(len(pictures), len(self.reader.images))
        self.assertTrue(all((FOLDER / "out" / name).is_file() for name in pictures))

    def test_the_first_screen_answers_before_the_contents(self):
        first = PAGE[PAGE.index("<h1>"):PAGE.index("<nav")]
        self.assertEqual(first.count('class="verdict"'), 2)  # a CPU and a GPU
        self.assertEqual(len(re.findall(r"is the fastest in \d+ of \d+ cases, [\d.]+× the speed of the best other .*?; in ", first)), 2)
        self.assertEqual(len(re.findall(r"<strong>\d+%</strong> of the specialised kernels.*?portability costs", first)), 2)
        for who in ("library", "hand-written kernel"):
            self.assertEqual(len(re.findall(rf"<strong>[\d.]+×</strong> the best {who}", first)), 2)

    def test_what_few_look_up_is_folded(self):
        for title in ("All comparisons", "Kernels, schedules and settings", "Provenance"):
            after = PAGE[re.search(rf"<h[23] id=[^>]*>{title}</h", PAGE).end():][:400]
            self.assertIn("<details><summary>", after, title)
        failed = PAGE[re.search(r">Failed \(\d+\)</h", PAGE).end():]
        self.assertLess(failed.index("<table>"), failed.index("<details>"))  # a failure is in sight

    def test_no_column_holds_dashes_only(self):
        for table in re.findall(r"<tbody>(.*?)</tbody>", PAGE, re.DOTALL):
            rows = [re.findall(r"<td( class=\"word\")?>(.*?)</td>", row) for row in table.splitlines() if row]
            for column in zip(*rows):
                self.assertTrue(column[0][0] or any(text != "–" for _, text in column), table[:300])

    def test_what_portability_costs_stands_in_both_pages(self):
        text = (FOLDER / "out" / "report.md").read_text()
        for backend in ("openmp", "cuda"):
            part = text.split(f"#### {backend}, layout row", 1)[1].split("###", 1)[0]
            for shape in ("csr", "ellpack", "hll", "best format"):
                self.assertRegex(part, rf"\n\| {shape} +\|", backend)
            self.assertEqual("launch-bound" in part, backend == "cuda")
        self.assertRegex(text, r"\n\| portable +\|.+\n\| specialised +\|.+\n\| hand-written +\|.+\n\| kokkoskernels +\|")
        self.assertEqual(PAGE.count(">portable / specialised</th>"), 2)

    def test_every_row_is_in_the_csv(self):
        table = pandas.read_csv(FOLDER / "out" / "results.csv")
        self.assertEqual(len(table), sum(len(json.loads(path.read_text())["benchmarks"]) for path in FOLDER.glob("*.json")))
        self.assertEqual(set(table.matrix), {"cant (twin)", "dc1 (twin)"})


# Put into a copy of the page: what a browser made of it.
PROBE = """<script>addEventListener("load", () => {
  document.querySelectorAll("main details").forEach(details => details.open = true);
  const size = element => parseFloat(getComputedStyle(element).fontSize);
  const boxes = [...document.querySelectorAll("h1,h2,h3,h4,p,li,figcaption,summary,img,th,td,.filter")]
    .filter(element => element.checkVisibility()).map(element => [element, element.getBoundingClientRect()])
    .sort(([, a], [, b]) => a.top - b.top);
  const overlaps = [];
  boxes.forEach(([a, box], at) => {
    for (const [b, other] of boxes.slice(at + 1)) {
      if (other.top >= box.bottom - 1) break;
      if (other.left < box.right - 1 && box.left < other.right - 1 && !a.contains(b) && !b.contains(a))
        overlaps.push([a.tagName + " " + a.textContent.slice(0, 40), b.tagName + " " + b.textContent.slice(0, 40)]);
    }
  });
  const table = [...document.querySelectorAll("table")].find(table => table.tHead.textContent.includes("geometric mean"));
  const cells = column => [...table.tBodies[0].rows].map(row => row.cells[column].textContent);
  const click = column => { table.tHead.rows[0].cells[column].querySelector("button").click(); return cells(column); };
  const filter = document.querySelector(".filter");
  filter.firstChild.value = "hll";
  filter.firstChild.dispatchEvent(new Event("input"));
  const kept = [...filter.nextSibling.querySelectorAll("tbody tr")].filter(row => !row.hidden).map(row => row.textContent);
  document.body.dataset.probe = JSON.stringify({
    images: [...document.images].map(image => [image.closest("figure").id, image.complete, image.naturalWidth, image.naturalHeight]),
    labels: [...document.images].map(image => image.width / parseFloat(image.style.getPropertyValue("--inches")) * 9.5 / 72),
    text: [...document.querySelectorAll("main p, main li, td, figcaption, .verdict li")].map(size),
    wide: document.documentElement.scrollWidth, overlaps, falling: click(3), rising: click(3), words: click(1), kept,
    said: filter.lastChild.textContent});
})</script></body>"""
FRAME = """<!DOCTYPE html><body style="margin:0"><iframe src="probe.html" style="width:390px;height:2400px;border:0"></iframe><script>
addEventListener("load", () => document.body.dataset.probe = document.querySelector("iframe").contentDocument.body.dataset.probe)</script></body>"""


# A container has few MB of /dev/shm.
FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"]


@unittest.skipUnless(BROWSER, "no chromium, chromium-browser or google-chrome on PATH")
class Browser(unittest.TestCase):
    def browse(self, name, text):
        """The page after loading, and what the console said. Nothing outside resolves. FATVEC_SCREENSHOTS: a folder for pictures of it."""
        (FOLDER / name).write_text(text)
        with tempfile.TemporaryDirectory() as profile:
            done = subprocess.run([BROWSER, *FLAGS, "--enable-logging=stderr",
                                   "--allow-file-access-from-files", "--host-resolver-rules=MAP * ~NOTFOUND", f"--user-data-dir={profile}",
                                   "--window-size=1400,2400", "--dump-dom", *self.screenshot(name), (FOLDER / name).as_uri()],
                                  text=True, capture_output=True, timeout=300)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout, [line for line in done.stderr.splitlines() if "CONSOLE" in line]

    def screenshot(self, name):
        folder = os.environ.get("FATVEC_SCREENSHOTS")
        return [f"--screenshot={pathlib.Path(folder, name).resolve().with_suffix('.png')}"] if folder else []

    def check(self, probe, width):
        """What holds at every width."""
        self.assertLessEqual(probe["wide"], width)
        self.assertEqual(probe["overlaps"], [])
        self.assertGreaterEqual(min(probe["text"]), 12)
        self.assertLessEqual(max(probe["text"]) / min(probe["text"]), 1.35)
        self.assertGreaterEqual(min(probe["labels"]), 10.5)  # pixels of a picture's tick labels
        self.assertLessEqual(max(probe["labels"]) / min(probe["labels"]), 1.35)

    def probe(self, dom):
        found = re.search(r'<body[^>]* data-probe="([^"]*)"', dom)
        self.assertTrue(found, "the page did not finish loading")
        return json.loads(found.group(1).replace("&quot;", '"'))

    def test_no_errors_and_every_figure_shows(self):
        dom, console = self.browse("probe.html", PAGE.replace("</body>", PROBE))
        self.assertEqual(console, [])
        probe = self.probe(dom)
        self.assertEqual(len(probe["images"]), PAGE.count("<figure "))
        for name, complete, width, height in probe["images"]:
            self.assertTrue(complete and width > 300 and height > 100, (name, complete, width, height))
        self.check(probe, 1400)

    def test_a_click_sorts_and_a_word_filters(self):
        dom, _ = self.browse("sorted.html", PAGE.replace("</body>", PROBE))
        probe = self.probe(dom)
        numbers = [float(text.rstrip("×")) for text in probe["falling"]]
        self.assertGreater(len(set(numbers)), 2)
        self.assertEqual(numbers, sorted(numbers, reverse=True))
        self.assertEqual(probe["rising"], [f"{value:.2f}×" for value in sorted(numbers)])
        self.assertEqual(probe["words"], sorted(probe["words"], key=str.lower))
        self.assertTrue(probe["kept"] and all("hll" in row for row in probe["kept"]), probe["kept"])
        self.assertRegex(probe["said"], rf"^{len(probe['kept'])} of \d+ rows$")

    def test_a_phone_scrolls_tables_and_not_the_page(self):
        (FOLDER / "probe.html").write_text(PAGE.replace("</body>", PROBE))
        dom, console = self.browse("phone.html", FRAME)
        self.assertEqual(console, [])
        self.check(self.probe(dom), 390)

    def test_it_prints(self):
        target = FOLDER / "report.pdf"
        with tempfile.TemporaryDirectory() as profile:
            subprocess.run([BROWSER, *FLAGS, f"--user-data-dir={profile}", f"--print-to-pdf={target}",
                            (FOLDER / "out" / "report.html").as_uri()], check=True, capture_output=True, timeout=300)
        self.assertGreater(target.stat().st_size, 100_000)

    def test_an_error_would_be_noticed(self):
        _, console = self.browse("broken.html", "<!DOCTYPE html><script>nothing_of_that_name()</script><img src='http://example.invalid/x.png'>")
        self.assertTrue(any("nothing_of_that_name" in line for line in console), console)


if __name__ == "__main__":
    unittest.main()
