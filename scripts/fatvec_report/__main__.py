# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import argparse
import pathlib
import sys

import pandas as pd

from . import analysis, markdown
from .figures import draw
from .load import BadInput, Run, load
from .sections import SECTIONS


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="scripts/report", description="Tables and plots from results of fatvec-bench.",
                                     epilog="Exit status: 0 done, 2 a result that cannot be used.")
    parser.add_argument("results", nargs="+", metavar="RESULTS.json", type=pathlib.Path, help="JSON of fatvec-bench, one file per run")
    parser.add_argument("-o", "--output", metavar="DIR", type=pathlib.Path, default=pathlib.Path("report"),
                        help="gets report.md, results.csv and the pictures (default: report)")
    return parser.parse_args()


def csv(runs: list[Run]) -> pd.DataFrame:
    """Every case of every run, measured or not."""
    table = pd.concat([run.rows.assign(run=run.label) for run in runs], ignore_index=True)
    return table[["run", *[column for column in table.columns if column != "run"]]]


def write(runs: list[Run], folder: pathlib.Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    csv(runs).to_csv(folder / "results.csv", index=False)
    text = ["# fatvec benchmark report", "All rows: [results.csv](results.csv). Ratios between contenders hold only within one run."]
    pictures = []
    for run in runs:
        table = analysis.compare(run)
        text.append(f"## {run.label}")
        if len(table):
            for name in draw(run, table, folder, suffix=f"-{run.label}" if len(runs) > 1 else ""):
                text.append(f"![{name}]({name})")
                pictures.append(str(folder / name))
        text += [markdown.render(block) for section in SECTIONS for block in section(run, table)]
        print(f"{run.label}:")
        for line in analysis.headline(run, table):
            print(f"  {line}")
    (folder / "report.md").write_text("\n\n".join(text) + "\n")
    print(f"table: {folder / 'report.md'}\nrows: {folder / 'results.csv'}\npictures (and .svg): {' '.join(pictures) or 'none'}")


def main() -> int:
    arguments = parse_arguments()
    try:
        runs = [load(path) for path in arguments.results]
    except BadInput as error:
        print(f"report: {error}", file=sys.stderr)
        return 2
    labels = [run.label for run in runs]
    for position, run in enumerate(runs):  # two files of one name stay apart
        if labels.count(run.label) > 1:
            run.label = f"{run.label}-{position + 1}"
    write(runs, arguments.output)
    return 0


sys.exit(main())
