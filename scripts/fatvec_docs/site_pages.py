# SPDX-License-Identifier: Apache-2.0
"""Lays out what the site is made of: a copy of the Markdown, in which links to what is no page lead
to the repository, a page of the results, and pages of the API for the public headers.
site_pages.py TARGET XML HOMEPAGE VERSION FOLDER..."""

import json
import pathlib
import re
import shutil
import sys

from lab_index import pages as lab_pages
from markdown import LINK, is_external, without_code

ROOT = pathlib.Path(__file__).resolve().parents[2]
GUIDES = ROOT / "docs"
FIRST = (
    "quickstart install python cli kokkos kokkoskernels formats choice vectors fused distributed"
)
TOP = ["README.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md", "examples/README.md"]
INTERNAL = {"detail", "host", "device", "portable", "shared", "app"}  # not included by users
DATA = {".csv", ".gz", ".json", ".svg", ".png", ".mtx", ".hpp", ".cpp"}


def pages() -> list[pathlib.Path]:
    """The Markdown that becomes pages."""
    guides = [p for p in sorted(GUIDES.rglob("*.md"))]
    return [*(ROOT / name for name in TOP), *sorted((ROOT / "packaging").rglob("*.md")), *guides]


def title(page: pathlib.Path) -> str:
    return page.read_text().partition("\n")[0].lstrip("# ")


def is_there(file: pathlib.Path, of_site: set) -> bool:
    """Whether the site has this file."""
    return file in of_site or (
        file.is_relative_to(GUIDES) and file.is_file() and file.suffix in DATA
    )


def rewritten(page: pathlib.Path, homepage: str, of_site: set) -> str:
    """The page's text, links that lead out of the site to the repository."""
    text, parts, end = page.read_text(), [], 0
    for match in LINK.finditer(without_code(text)):
        # words may hold code, which is blank in what was searched
        whole = LINK.match(text, match.start())
        target = whole[3].partition("#")[0]
        file = (page.parent / target).resolve()
        if is_external(whole[3]) or not target or is_there(file, of_site):
            continue
        address = f"{homepage}/tree/main/{file.relative_to(ROOT).as_posix()}"
        parts += [text[end : whole.start()], f"[{whole[2]}]({address})"]
        end = whole.end()
    return "".join(parts) + text[end:]


def toctree(caption: str, entries: list[str]) -> str:
    options = f":caption: {caption}\n:titlesonly:\n:hidden:\n"
    return "\n".join(["```{toctree}", options, *entries, "```", ""])


def stem(page: pathlib.Path) -> str:
    return page.relative_to(ROOT).with_suffix("").as_posix()


def index(version: str) -> str:
    """The first page: the README, and the order of the side bar."""
    names = [f"docs/{name}" for name in FIRST.split()]
    lab = stem(GUIDES / "lab" / "README.md")
    rest = [stem(p) for p in sorted(GUIDES.glob("*.md")) if p.stem != "README"]
    names += [name for name in rest if name not in names]
    project = ["README", "CONTRIBUTING", "SECURITY", "CHANGELOG", "examples/README"]
    project += [stem(p) for p in sorted((ROOT / "packaging").rglob("*.md"))]
    return "\n".join(
        [
            f"# fatvec {version}\n",
            "[All guides](docs/README.md) · [API reference](api/index.rst) ·",
            "[lab: decisions and findings](docs/lab/README.md) · [results](results.md)\n",
            "```{include} README.md\n:start-line: 1\n```\n",
            toctree("fatvec", ["docs/README"]),
            toctree("Guides", names),
            toctree("Reference", ["api/index", "results", lab]),
            toctree("Project", project),
        ]
    )


def results() -> str:
    """A table of the files of measured rows."""
    rows = []
    for file in sorted((GUIDES / "results").glob("*.json")):
        about = json.loads(file.read_text())
        path = f"docs/results/{file.stem}.csv"
        run = about["run"].replace("|", "\\|")
        about = [about[key].replace("|", "\\|") for key in ("date", "machine")]
        rows.append(f"| [{file.stem}]({path}) | {' | '.join(about)} | `{run}` |")
    head = "# Results\n\nRows that the tables of the guides are made of, as CSV, and what ran."
    return "\n".join([head, "", "| file | date | machine | run |", "|---|---|---|---|", *rows, ""])


def heading(text: str, line: str) -> str:
    return f"{text}\n{line * len(text)}\n\n"


def api(target: pathlib.Path, folders: list[str]) -> None:
    """A page for each folder, with its headers that users include, and their index."""
    (target / "api").mkdir(parents=True)
    names = [pathlib.Path(folder).name for folder in folders]
    index = heading("API reference", "=")
    index += "What each public header promises: shapes, layout, errors.\n\n.. toctree::\n\n"
    (target / "api" / "index.rst").write_text(index + "".join(f"   {name}\n" for name in names))
    for folder, name in zip(folders, names):
        text = heading(name, "=")
        for path in sorted((ROOT / folder).rglob("*.hpp")):
            header = path.relative_to(ROOT).as_posix().removeprefix("src/")
            if not INTERNAL & set(path.relative_to(ROOT).parts):
                text += heading(f"<fatvec/{header}>", "-") + f".. doxygenfile:: {header}\n\n"
        (target / "api" / f"{name}.rst").write_text(text)


def as_breathe_finds_it(xml: pathlib.Path) -> None:
    """Doxygen's XML with files named by their paths, for several have one name; without private
    members, and without the text of namespaces, which would stand on each page."""

    def named(match) -> str:
        text = (xml / f"{match[1]}.xml").read_text()
        path = re.findall(r'<location file="([^"]+)"/>', text)[-1]
        return f'<compound refid="{match[1]}" kind="file"><name>{path}</name>'

    file = xml / "index.xml"
    pattern = r'<compound refid="([^"]+)" kind="file"><name>[^<]*</name>'
    file.write_text(re.sub(pattern, named, file.read_text()))
    text = r"<briefdescription>(?:(?!</?sectiondef).)*</detaileddescription>(?=\s*<location)"
    private = r'<sectiondef kind="private.*?</sectiondef>'
    for file in xml.glob("*.xml"):
        without = text if file.name.startswith("namespace") else private
        # the description of the compound itself is its last
        file.write_text(re.sub(without, "", file.read_text(), flags=re.DOTALL))


def write(target: pathlib.Path, homepage: str, version: str, folders: list[str]) -> None:
    shutil.rmtree(target, ignore_errors=True)
    of_site, findings = set(pages()), set(lab_pages())
    for file in sorted(GUIDES.rglob("*")):
        if file.suffix in DATA and is_there(file, of_site):
            copy = target / file.relative_to(ROOT)
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(file, copy)
    for page in of_site:
        copy = target / page.relative_to(ROOT)
        copy.parent.mkdir(parents=True, exist_ok=True)
        # the lab's index lists its pages; in the side bar they would be too many
        text = rewritten(page, homepage, of_site)
        if page in findings:
            text = f"---\norphan: true\n---\n\n{text}"
        copy.write_text(text)
    (target / "index.md").write_text(index(version))
    (target / "results.md").write_text(results())
    api(target, folders)


if __name__ == "__main__":
    as_breathe_finds_it(pathlib.Path(sys.argv[2]))
    write(pathlib.Path(sys.argv[1]), *sys.argv[3:5], sys.argv[5:])
