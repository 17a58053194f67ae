# SPDX-License-Identifier: Apache-2.0
"""The site that the target `site` made: each link leads somewhere, the sources of all pages are
there, and a browser, where there is one, shows each page on a desktop and on a phone without an
error and without scrolling sideways. test_site.py FOLDER (.ci/run site)"""

import functools
import html.parser
import http.server
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import unittest
import urllib.parse

ROOT = pathlib.Path(__file__).resolve().parents[2]
SITE = pathlib.Path(sys.argv[1])
BROWSER = next(
    filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None
)
FLAGS = "--headless --no-sandbox --disable-gpu --disable-dev-shm-usage --enable-logging=stderr"
# Pages one after the other in a frame of each width; then a search.
DRIVER = """<!DOCTYPE html><body><script>
const pause = milliseconds => new Promise(done => setTimeout(done, milliseconds));
(async () => {
  const seen = [];
  for (const width of [1400, 390]) {
    const frame = document.createElement("iframe");
    frame.style = `width:${width}px;height:900px;border:0`;
    document.body.append(frame);
    const show = address => new Promise(done => {
      frame.onload = () => done(frame.contentDocument);
      frame.src = address;
    });
    for (const address of PAGES) {
      const page = await show(address);
      seen.push([address, width, page.documentElement.scrollWidth,
                 page.querySelectorAll("#versions option").length]);
    }
    const page = await show("VERSION/search.html?q=ellpack");
    for (let n = 0; n < 100 && !page.querySelector("#search-results li"); ++n) await pause(100);
    seen.push(["search", width, page.documentElement.scrollWidth,
               page.querySelectorAll("#search-results li").length]);
  }
  document.body.dataset.seen = JSON.stringify(seen);
})();
</script></body>"""


class Page(html.parser.HTMLParser):
    """The addresses that a page names, and the anchors that it has."""

    def __init__(self, file):
        super().__init__()
        self.targets, self.anchors = [], set()
        self.feed(file.read_text())

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        self.anchors |= {attributes.get(name) for name in ("id", "name")}
        self.targets += [attributes[name] for name in ("href", "src") if name in attributes]


@functools.lru_cache(maxsize=None)
def page(file):
    return Page(file)


def dead(file):
    """The addresses within the site that lead nowhere."""
    found = []
    for target in page(file).targets:
        parts = urllib.parse.urlsplit(target)
        if parts.scheme or parts.netloc:
            continue
        path = urllib.parse.unquote(parts.path)
        to = (file.parent / path).resolve() if path else file
        anchor = urllib.parse.unquote(parts.fragment)
        if not to.is_file():
            found.append(f"{file.relative_to(SITE)}: {target}: no such file")
        elif anchor and to.suffix == ".html" and anchor not in page(to).anchors:
            found.append(f"{file.relative_to(SITE)}: {target}: no such anchor")
    return found


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


class Site(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        lists = (ROOT / "CMakeLists.txt").read_text()
        cls.version = re.search(r"project\(fatvec VERSION (\S+)", lists)[1]
        cls.files = sorted(SITE.rglob("*.html"))
        cls.pages = [file.relative_to(SITE).as_posix() for file in cls.files]

    def test_all_documents_are_pages(self):
        top = SITE / self.version
        documents = sorted((ROOT / "docs").rglob("*.md"))
        self.assertGreater(len(documents), 50)
        for name in [*documents, ROOT / "README.md", ROOT / "CHANGELOG.md"]:
            self.assertTrue((top / name.relative_to(ROOT)).with_suffix(".html").is_file(), name)
        for name in ("index", "results", "api/index", "api/formats", "api/kernels", "search"):
            self.assertTrue((top / f"{name}.html").is_file(), name)

    def test_links_lead_somewhere(self):
        self.assertGreater(sum(len(page(file).targets) for file in self.files), 1000)
        self.assertEqual([text for file in self.files for text in dead(file)], [])

    def test_titles_and_the_list_of_versions_have_the_version(self):
        self.assertIn(f'"{self.version}"', (SITE / "versions.js").read_text())
        for file in self.files:
            if file.parent != SITE:
                title = re.search(r"<title>(.*?)</title>", file.read_text(), re.DOTALL)[1]
                self.assertIn(f"fatvec {self.version}", title, file)

    def test_the_api_has_the_words_of_the_headers(self):
        text = (SITE / self.version / "api" / "kernels.html").read_text()
        self.assertIn("spmm", text)
        self.assertIn("&lt;fatvec/kernels/spmm.hpp&gt;", text)

    @unittest.skipUnless(BROWSER, "no chromium, chromium-browser or google-chrome on PATH")
    def test_a_browser_shows_every_page_at_both_widths(self):
        driver = DRIVER.replace("PAGES", json.dumps(self.pages)).replace("VERSION", self.version)
        seen, console = self.browse(driver)
        self.assertEqual(console, [])
        self.assertEqual(len(seen), 2 * len(self.pages) + 2)
        wide = [row for row in seen if row[2] > row[1]]
        self.assertEqual(wide, [])
        self.assertTrue(all(row[3] for row in seen if row[0] != "index.html"), seen)

    def browse(self, driver):
        """What the page noted, and what the console said."""
        handler = functools.partial(Quiet, directory=SITE)
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        (SITE / "driver.html").write_text(driver)
        try:
            with tempfile.TemporaryDirectory() as profile:
                done = subprocess.run(
                    [
                        *(BROWSER, *FLAGS.split(), "--window-size=1500,2000"),
                        "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
                        *(f"--user-data-dir={profile}", "--virtual-time-budget=600000"),
                        *("--dump-dom", f"http://127.0.0.1:{server.server_port}/driver.html"),
                    ],
                    text=True,
                    capture_output=True,
                    timeout=240,
                )
        finally:
            (SITE / "driver.html").unlink()
            server.shutdown()
            server.server_close()
        found = re.search(r'<body[^>]* data-seen="([^"]*)"', done.stdout)
        self.assertTrue(found, done.stderr[-2000:])
        console = [line for line in done.stderr.splitlines() if "CONSOLE" in line]
        return json.loads(found[1].replace("&quot;", '"')), console


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
