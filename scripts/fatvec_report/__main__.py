# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import argparse
import concurrent.futures
import contextlib
import functools
import io
import multiprocessing
import os
import pathlib
import sys
import warnings

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from PIL import Image

from . import published, sections
from .load import BadInput, Run, load
from .page import Picture, flat, page
from .summary import headline, versions
from .style import NARROW, RC
from .views import View, views

TITLE = "fatvec benchmark report"
WIDTH = 30  # of the bar


class Progress:
    """A bar on the terminal of the standard error, nothing elsewhere. It has no colour, and is
    empty until `steps` is set to how many there will be."""

    def __init__(self) -> None:
        self.steps = 0
        self._begun = 0
        self._shown = sys.stderr.isatty()

    def step(self, what: str) -> None:
        """The next step begins, which does `what`."""
        if self._shown:
            filled = "#" * min(WIDTH, WIDTH * self._begun // max(self.steps, 1))
            print(f"\r[{filled:<{WIDTH}}] {what:<45.45}", end="", file=sys.stderr, flush=True)
        self._begun += self.steps > 0

    def close(self) -> None:
        """Removes the bar, before something else is printed; the next step draws it again."""
        if self._shown:
            print(f"\r{'':79}\r", end="", file=sys.stderr, flush=True)


def parse_arguments(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="scripts/report",
        description="A page of tables and pictures from results of fatvec-bench.",
        epilog="Several files: runs that differ in the number of threads are put together "
        "(speedup, efficiency); CPU and GPU runs give the "
        "performance-portability metric. Exit status: 0 done, 2 a result that cannot be used or "
        "a folder that cannot be written.",
    )
    add = functools.partial(parser.add_argument, type=pathlib.Path)
    add("results", nargs="+", metavar="RESULTS.json", help="JSON of fatvec-bench, one a run")
    says = "gets report.html (all in one file), report.md, results.csv, figures/ (default: report)"
    add("-o", "--output", metavar="DIR", default=pathlib.Path("report"), help=says)
    says = "CSV files of published figures (default: bench/suites/published; without: no section)"
    add("--published", metavar="DIR", default=published.FOLDER, help=says)
    return parser.parse_args(arguments)


def csv(runs: list[Run]) -> str:
    """Every case of every run, measured or not."""
    rows = pd.concat([run.rows.assign(run=run.label) for run in runs], ignore_index=True)
    rows = rows.drop(columns=["mark", "role", "how", "what"])
    return rows.set_index("run").to_csv()


PICTURES: list[Picture] = []  # what the processes of draw_all() inherit: none can be sent to them


def draw(position: int) -> dict[str, bytes]:
    """That of PICTURES, as wide as a page, and narrow as a phone. A PNG has 256 colours, for it is
    embedded, and two pixels for one of the page."""
    found = {"svg": io.BytesIO(), "png": io.BytesIO(), "narrow": io.BytesIO()}
    for name, looks in (("png", RC), ("narrow", NARROW)):
        with plt.rc_context(looks):
            figure = PICTURES[position].draw()
            if looks is RC:
                figure.savefig(found["svg"], format="svg", metadata={"Date": None})
            figure.set_dpi(192)
            figure.canvas.draw()
            image = Image.fromarray(np.array(figure.canvas.buffer_rgba())).convert("RGB")
            image.quantize(256, Image.Quantize.FASTOCTREE).save(found[name], "png")
            plt.close(figure)
    return {name: file.getvalue() for name, file in found.items()}


def draw_all(pictures: list[Picture], progress: Progress) -> None:
    """By as many processes as there are processors."""
    PICTURES[:] = pictures
    # Of letters that the font has not, and of axes without values: no user can help.
    warnings.simplefilter("ignore", UserWarning)
    # Python 3.12 warns of threads in the process that forks: they are the idle ones of numpy.
    warnings.filterwarnings("ignore", "This process .* is multi-threaded", DeprecationWarning)
    processes = max(1, min(len(pictures), os.cpu_count() or 1))
    fork = multiprocessing.get_context("fork")
    with concurrent.futures.ProcessPoolExecutor(processes, fork) as pool:
        made = pool.map(draw, range(len(pictures)))
        for picture in pictures:
            progress.step(f"drawing {picture.name}")
            picture.drawn = next(made)


def save(path: pathlib.Path, content: str | bytes) -> None:
    """The whole file or none of it."""
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        part.write_bytes(content.encode() if isinstance(content, str) else content)
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)


def write(runs: list[Run], seen: list[View], folder: pathlib.Path, progress: Progress) -> int:
    """All files of the report. Returns the number of pictures."""
    blocks = sections.write(seen)
    pictures = [block for block in flat(blocks) if isinstance(block, Picture)]
    pages = {
        "results.csv": lambda: csv(runs),
        "report.md": lambda: page(TITLE, blocks, "md"),
        "report.html": lambda: page(TITLE, blocks, "html"),
    }
    progress.steps = len(pictures) + len(pages)
    draw_all(pictures, progress)
    (folder / "figures").mkdir(parents=True, exist_ok=True)
    for picture in pictures:
        for kind in ("svg", "png"):
            save(folder / "figures" / f"{picture.name}.{kind}", picture.drawn[kind])
    for name, content in pages.items():
        progress.step(f"writing {name}")
        save(folder / name, content())
    return len(pictures)


def tell(seen: list[View], folder: pathlib.Path, pictures: int) -> None:
    """Says what was found, and where the files are."""
    for view in seen:
        print(f"{view.title}:", *(f"  {line}" for line in headline(view)), sep="\n")
    for what, name in (("page", "report.html"), ("text", "report.md"), ("rows", "results.csv")):
        print(f"{what}: {folder / name}")
    print(f"pictures: {pictures}, each as PNG and SVG, in {folder / 'figures'}")


def main(command_line: list[str] | None = None) -> int:
    """With these arguments, or the process's."""
    arguments = parse_arguments(command_line)
    published.FOLDER = arguments.published
    try:
        with contextlib.closing(Progress()) as progress:
            runs = []
            for path in arguments.results:
                progress.step(f"reading {path.name}")
                runs.append(load(path))
            labels = [run.label for run in runs]
            for position, run in enumerate(runs):  # two files of one name stay apart
                if labels.count(run.label) > 1:
                    run.label = f"{run.label}-{position + 1}"
            progress.step("comparing")
            seen = views(runs)
            if text := versions(seen):
                progress.close()
                print(f"report: note: {text}", file=sys.stderr)
            pictures = write(runs, seen, arguments.output, progress)
        tell(seen, arguments.output, pictures)
    except BadInput as error:
        print(f"report: {error}", file=sys.stderr)
        return 2
    except OSError as error:
        print(f"report: {error.filename or arguments.output}: {error.strerror}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.stdout.reconfigure(errors="backslashreplace")  # for terminals without ×, and odd folders
    sys.exit(main())
