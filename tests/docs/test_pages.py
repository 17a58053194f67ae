# SPDX-License-Identifier: Apache-2.0
"""Limits of the documents: length, width, words, the form of lab pages; and what is generated is
what the sources say."""

import json
import pathlib
import re
import subprocess
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
SCRIPTS = ROOT / "scripts" / "fatvec_docs"
sys.path.insert(0, str(SCRIPTS))
from lab_index import pages as lab_pages
from lab_index import sections
from markdown import FENCE

FOLDERS = "bench docs examples packaging tests".split()
DOCUMENTS = [
    *sorted(ROOT.glob("*.md")),
    *(p for f in FOLDERS for p in sorted((ROOT / f).rglob("*.md"))),
]
FORM = ["Question", "Prediction", "Measurement", "Decision", "Code"]
# The field has words for these: that many, fatvec's, repaired, transpose, prefetch.
WORDS = re.compile(
    r"\b(so many|ours|theirs|be it|mended|had better|seed 00\d|asks? (ahead|for X))\b", re.I
)
FREE = {"reproduce.md", "cli.md"}  # quotes its sources; is what the programs say
CODE = {
    ".hpp",
    ".cpp",
    ".cu",
    ".py",
    ".md",
    ".cmake",
    ".txt",
    ".in",
    ".sh",
    ".css",
    ".js",
    ".json",
    "",
}


def prose(text: str) -> list[tuple[int, str]]:
    """Numbered lines outside code, tables and pictures."""
    blank = FENCE.sub(lambda block: "\n" * block[0].count("\n"), text)
    return [
        (n, line)
        for n, line in enumerate(blank.split("\n"), 1)
        if not line.lstrip().startswith(("|", "!"))
    ]


def documents() -> list[tuple[str, str]]:
    """Name and text of each page but those that are free."""
    pages = [page for page in DOCUMENTS if page.name not in FREE]
    return [(str(page.relative_to(ROOT)), page.read_text()) for page in pages]


def sources() -> list[tuple[str, str]]:
    """Name and text of each file that people write, but the history and this one."""
    folders = "bench cmake docs examples formats kernels packaging python scripts src tests".split()
    files = [path for folder in folders for path in sorted((ROOT / folder).rglob("*"))]
    files += [ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "CMakeLists.txt"]
    data = [ROOT / "tests" / "data", ROOT / "tests" / "fuzz" / "corpus", ROOT / "docs" / "results"]
    lab = ROOT / "docs" / "lab"
    data += [*lab.glob("[0-9]*/"), *lab.glob("archive/[0-9]*/"), pathlib.Path(__file__)]
    return [
        (str(path.relative_to(ROOT)), path.read_text())
        for path in files
        if path.is_file() and path.suffix in CODE and "__pycache__" not in path.parts
        if not any(path.is_relative_to(place) for place in data)
    ]


def width(line: str) -> int:
    """Columns, without the targets of links."""
    return len(re.sub(r"\]\([^)]*\)", "]", line))


def check(python, script: str) -> None:
    """Fails where what the script makes is not what is in the tree."""
    command = [python, "-B", SCRIPTS / script, "--check"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


class Limits(unittest.TestCase):
    def test_readme_is_one_page_of_120_lines(self):
        self.assertLessEqual((ROOT / "README.md").read_text().count("\n"), 120)

    def test_contributing_is_one_page_of_100_lines(self):
        self.assertLessEqual((ROOT / "CONTRIBUTING.md").read_text().count("\n"), 100)

    def test_performance_has_at_most_1500_words(self):
        self.assertLessEqual(len((ROOT / "docs" / "performance.md").read_text().split()), 1500)

    def test_guides_keep_to_their_words(self):
        for page, words in (("choice", 1650), ("distributed", 1720), ("reproduce", 1000)):
            with self.subTest(page=page):
                text = (ROOT / "docs" / f"{page}.md").read_text()
                self.assertLessEqual(len(text.split()), words)

    def test_readme_shows_code_in_its_first_screen(self):
        self.assertLess((ROOT / "README.md").read_text().split("```cpp")[0].count("\n"), 25)

    def test_find_package_asks_for_the_version_of_the_build(self):
        lists = (ROOT / "CMakeLists.txt").read_text()
        version = re.search(r"project\(fatvec VERSION (\d+\.\d+)", lists)[1]
        asked = {
            (page, found)
            for page, text in documents()
            for found in re.findall(r"find_package\(fatvec (\S+) ", text)
        }
        self.assertGreater(len(asked), 2)
        self.assertEqual({found for _, found in asked}, {version}, asked)

    def test_prose_is_at_most_100_columns_wide(self):
        wide = [
            f"{page}:{n}: {width(line)}"
            for page, text in documents()
            for n, line in prose(text)
            if width(line) > 100
        ]
        self.assertEqual(wide, [])

    def test_tables_are_at_most_200_columns_wide(self):
        wide = [
            f"{page}:{n}: {width(line)}"
            for page, text in documents()
            for n, line in enumerate(text.split("\n"), 1)
            if line.startswith("|") and width(line) > 200
        ]
        self.assertEqual(wide, [])

    def test_python_and_schemas_are_at_most_100_columns_wide(self):
        wide = [
            f"{file}:{n}: {len(line)}"
            for file, text in sources()
            if pathlib.Path(file).suffix in {".py", ".json"}
            for n, line in enumerate(text.split("\n"), 1)
            if len(line) > 100
        ]
        self.assertEqual(wide, [])

    def test_words_are_those_of_the_field(self):
        found = [
            f"{file}:{n}: {match[0]}"
            for file, text in sources()
            for n, line in enumerate(text.split("\n"), 1)
            if (match := WORDS.search(line))
        ]
        self.assertEqual(found, [])


class Lab(unittest.TestCase):
    def test_pages_have_one_form(self):
        self.assertGreater(len(lab_pages()), 30)
        for page in lab_pages():
            with self.subTest(page=page.name):
                text = page.read_text()
                self.assertEqual(list(sections(text)), FORM)
                self.assertTrue(text.startswith(f"# {page.name[:4]} "), "no number in the title")
                empty = [name for name, body in sections(text).items() if not body.strip()]
                self.assertEqual(empty, [])

    def lacks_rows(self, name, text):
        """Whether a page has a measured table, but no file of its rows (from 0069 on one of
        docs/results), and does not say either that they were not kept."""
        rows = re.findall(r"^\|.*", sections(text)["Measurement"], re.M)
        measured = [row for row in rows if len(re.findall(r"\|[^|]*\d[.,]?\d[^|]*(?=\|)", row)) > 1]
        place = r"(\.\./)+results/" if name >= "0069" else ""
        return bool(measured) and not re.search(rf"\]\({place}[^)]+\.(csv|json)|not kept", text)

    def test_measured_tables_have_a_file_of_rows_or_say_that_none_was_kept(self):
        lacking = [
            page.name for page in lab_pages() if self.lacks_rows(page.name, page.read_text())
        ]
        self.assertEqual(lacking, [])

    def test_a_new_page_without_rows_is_found(self):
        table = "## Measurement\n\n| CSR | 1.25 | 17 |\n\n"
        for text, old, new in (
            ("", True, True),
            ("The rows were not kept.", False, False),
            ("[rows](0069/rows.csv)", False, True),
            ("[rows](../results/rows.csv)", False, False),
        ):
            found = [self.lacks_rows(name, table + text) for name in ("0068-a.md", "0069-b.md")]
            self.assertEqual(found, [old, new], text)

    def test_numbers_differ(self):
        """But for a short page and its full text in the archive, which have the same name."""
        names = {page.name for page in lab_pages()}
        self.assertEqual(len({name[:4] for name in names}), len(names))

    def test_a_dozen_pages_of_400_words_lead(self):
        lab = ROOT / "docs" / "lab"
        leading = [page for page in lab_pages() if page.parent == lab]
        self.assertLessEqual(len(leading), 12)
        for page in leading:
            with self.subTest(page=page.name):
                text = page.read_text()
                self.assertLessEqual(len(text.split()), 400)
                if (lab / "archive" / page.name).exists():
                    self.assertIn(f"](archive/{page.name})", text)

    def test_the_code_that_a_page_names_exists(self):
        for page in lab_pages():
            with self.subTest(page=page.name):
                code = sections(page.read_text())["Code"]
                named = re.findall(r"`([\w./-]+/[\w./-]*|[\w-]+\.hpp)`", code)
                folder = ""
                for name in named:
                    folder = name.rpartition("/")[0] or folder
                    path = name if "/" in name else f"{folder}/{name}"
                    self.assertTrue((ROOT / path).exists(), f"{path} does not exist")

    def test_index_lists_what_the_pages_found(self):
        check(sys.executable, "lab_index.py")

    def test_index_leads_with_decisions_of_400_words(self):
        head = (ROOT / "docs" / "lab" / "README.md").read_text().split("<!-- list")[0]
        self.assertLessEqual(len(head.split()), 400)


class Capabilities(unittest.TestCase):
    """The commands of capabilities.md name programs, options and values that exist."""

    ROWS = re.findall(
        r"^\| (?!what|---).* \| (\w+) \| (?:`(.*)`|–) \|$",
        (ROOT / "docs" / "capabilities.md").read_text(),
        re.M,
    )
    SAID = (ROOT / "docs" / "cli.md").read_text()
    SOURCES = "".join(path.read_text() for path in sorted((ROOT / "bench").rglob("*.?pp")))

    def test_all_are_listed(self):
        self.assertEqual(len(self.ROWS), 142)
        self.assertLessEqual({status for status, _ in self.ROWS}, {"works", "partly", "missing"})
        for status, command in self.ROWS:
            self.assertEqual(status == "missing", command == "")

    def test_commands_parse(self):
        for command in sorted({command for _, command in self.ROWS if command}):
            with self.subTest(command=command):
                words = [w for w in command.split() if not re.match(r"[A-Z_]+=", w)]
                self.known(*words)

    def known(self, program, *words):
        if program.startswith("scripts/"):
            self.assertTrue((ROOT / program).is_file())
        else:
            self.assertIn(program, ("fatvec", "fatvec-bench"))
        if program == "scripts/reproduce":
            self.assertRegex((ROOT / program).read_text(), rf"\n  {words[0]}\)")
        section = f"fatvec {words[0]}" if program == "fatvec" else "fatvec-bench"
        if program == "scripts/fetch-matrices":
            return
        said = re.search(rf"#+ {section}\n(?s:.*?)(?=\n#|\Z)", self.SAID)[0]
        for option, value in zip(words, [*words[1:], ""]):
            if not option.startswith("--"):
                continue
            self.assertRegex(said, rf"{option}\b")
            if option == "--suite":
                self.assertTrue((ROOT / "bench" / "suites" / f"{value}.hpp").is_file())
            elif option in ("--sweep", "--kernel", "--contender", "--format"):
                for name in value.split(","):
                    self.assertRegex(self.SOURCES + self.SAID, rf"[\"|]{name}[\"|=]")


class Results(unittest.TestCase):
    def test_each_result_file_says_where_it_is_from(self):
        files = sorted((ROOT / "docs").rglob("*.csv*"))
        self.assertGreater(len(files), 5)
        for file in files:
            with self.subTest(file=file.name):
                self.assertLessEqual(file.stat().st_size, 200_000, "pack it: gzip -9n")
                about = json.loads((file.parent / f"{file.name.split('.csv')[0]}.json").read_text())
                self.assertLessEqual({"machine", "date", "commit", "compiler", "run"}, set(about))
                self.assertRegex(about["date"], r"^20\d\d-\d\d-\d\d$")

    def test_tables_and_pictures_are_of_the_result_files(self):
        python = ROOT / ".venv" / "bin" / "python"
        packages = [python, "-c", "import pandas, PIL"]
        if not python.exists() or subprocess.run(packages, capture_output=True).returncode != 0:
            self.skipTest("no pandas, matplotlib in .venv: scripts/report --prepare installs them")
        check(python, "results.py")


if __name__ == "__main__":
    unittest.main()
