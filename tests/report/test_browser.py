# SPDX-License-Identifier: Apache-2.0
"""The page as a browser shows it, where there is one."""

import json
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

import from_tree
import whole
from fatvec_report import style

BROWSER = next(
    filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None
)


def setUpModule():
    global FOLDER, PAGE
    FOLDER, PAGE = whole.of_a_module()


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

# A container has few MB of /dev/shm.
FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"]


@unittest.skipUnless(BROWSER, "no chromium, chromium-browser or google-chrome on PATH")
class Browser(unittest.TestCase):
    def browse(self, name, text):
        """The page after loading, and what the console said. Nothing outside resolves.
        FATVEC_SCREENSHOTS: a folder for pictures of it."""
        (FOLDER / name).write_text(text)
        with tempfile.TemporaryDirectory() as profile:
            done = subprocess.run(
                [
                    BROWSER,
                    *FLAGS,
                    "--enable-logging=stderr",
                    "--allow-file-access-from-files",
                    "--host-resolver-rules=MAP * ~NOTFOUND",
                    f"--user-data-dir={profile}",
                    "--window-size=1400,2400",
                    "--dump-dom",
                    *self.screenshot(name),
                    (FOLDER / name).as_uri(),
                ],
                text=True,
                capture_output=True,
                timeout=300,
            )
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout, [line for line in done.stderr.splitlines() if "CONSOLE" in line]

    def screenshot(self, name):
        folder = os.environ.get("FATVEC_SCREENSHOTS")
        return (
            [f"--screenshot={pathlib.Path(folder, name).resolve().with_suffix('.png')}"]
            if folder
            else []
        )

    def check(self, probe, width):
        """What holds at every width."""
        self.assertLessEqual(probe["wide"], width)
        self.assertEqual(probe["overlaps"], [])
        self.assertGreaterEqual(min(probe["text"]), 12)
        self.assertLessEqual(max(probe["text"]) / min(probe["text"]), 1.35)
        self.assertEqual(probe["sideways"], [])
        self.assertGreaterEqual(min(probe["labels"]), 11)  # pixels of a picture's smallest type
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
            self.assertTrue(
                complete and width > 300 and height > 100, (name, complete, width, height)
            )
        self.check(probe, 1400)

    def test_a_click_sorts_and_a_word_filters(self):
        dom, _ = self.browse("sorted.html", PAGE.replace("</body>", PROBE))
        probe = self.probe(dom)
        numbers = [float(text.rstrip("×†‡")) for text in probe["falling"]]
        self.assertGreater(len(set(numbers)), 2)
        self.assertEqual(numbers, sorted(numbers, reverse=True))
        rising = [float(text.rstrip("×†‡")) for text in probe["rising"]]
        self.assertEqual(rising, sorted(numbers))
        self.assertEqual(probe["words"], sorted(probe["words"], key=str.lower))
        self.assertTrue(probe["kept"] and all("hll" in row for row in probe["kept"]), probe["kept"])
        self.assertRegex(probe["said"], rf"^{len(probe['kept'])} of \d+ rows$")

    def test_a_phone_scrolls_tables_but_neither_pictures_nor_the_page(self):
        (FOLDER / "probe.html").write_text(PAGE.replace("</body>", PROBE))
        dom, console = self.browse("phone.html", FRAME)
        self.assertEqual(console, [])
        self.check(self.probe(dom), 390)

    def test_a_page_of_full_size_is_small_enough_to_open_in_a_second(self):
        """The results of docs/results. Time is printed, not tested: what makes it is limited."""
        results = FOLDER / "measured"
        results.mkdir()
        from_tree.write(results)
        page = whole.write(results, *sorted(results.glob("*.json")))
        self.assertGreater(page.count("<figure "), 10)
        self.assertLess(len(page), 5_000_000)
        probe = self.probe(self.browse("loaded.html", page.replace("</body>", LOADED))[0])
        self.assertLess(probe["elements"], 10_000)
        print(f"{len(page) / 1e6:.1f} MB and {probe['elements']} elements", end=", ")
        print(f"loaded in {probe['milliseconds']:.0f} ms")

    def test_it_prints(self):
        target = FOLDER / "report.pdf"
        with tempfile.TemporaryDirectory() as profile:
            subprocess.run(
                [
                    BROWSER,
                    *FLAGS,
                    f"--user-data-dir={profile}",
                    f"--print-to-pdf={target}",
                    (FOLDER / "out" / "report.html").as_uri(),
                ],
                check=True,
                capture_output=True,
                timeout=300,
            )
        self.assertGreater(target.stat().st_size, 100_000)

    def test_an_error_would_be_noticed(self):
        _, console = self.browse(
            "broken.html",
            "<!DOCTYPE html><script>nothing_of_that_name()</script><img "
            "src='http://example.invalid/x.png'>",
        )
        self.assertTrue(any("nothing_of_that_name" in line for line in console), console)


if __name__ == "__main__":
    unittest.main()
