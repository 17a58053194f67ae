#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the cells of a notebook in order, and stores what they print.

notebook.py FILE [--check]     --check: fails instead where a cell prints something else

Jupyter is not wanted: cells are plain Python that prints. What a cell with the tag `own-machine`
prints is not stored.
"""

import argparse
import contextlib
import difflib
import io
import json
import pathlib
import sys


def run(notebook: dict) -> None:
    """Runs the notebook's cells, and puts what they print in the place of their outputs."""
    names = {"__name__": "__main__"}
    code = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    for count, cell in enumerate(code, 1):
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile("".join(cell["source"]), f"cell {count}", "exec"), names)
        lines = printed.getvalue().splitlines(keepends=True)
        own_machine = "own-machine" in cell["metadata"].get("tags", [])
        stored = bool(lines) and not own_machine
        output = {"name": "stdout", "output_type": "stream", "text": lines}
        cell["execution_count"] = None if own_machine else count
        cell["outputs"] = [output] if stored else []


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("file", type=pathlib.Path)
    parser.add_argument("--check", action="store_true")
    arguments = parser.parse_args()
    before = arguments.file.read_text()
    notebook = json.loads(before)
    run(notebook)
    after = json.dumps(notebook, indent=1, ensure_ascii=False) + "\n"
    if not arguments.check:
        arguments.file.write_text(after)
    elif after != before:
        sys.stdout.writelines(difflib.unified_diff(before.splitlines(True), after.splitlines(True)))
        sys.exit(f"{arguments.file}: its cells print something else than it stores")


if __name__ == "__main__":
    main()
