# SPDX-License-Identifier: Apache-2.0
"""Runs fatvec-bench and reads its results. The tests' arguments: PROGRAM TEST_DATA (standard
library only)."""

import json
import pathlib
import subprocess
import sys
import tempfile

PROGRAM, DATA = sys.argv[1], pathlib.Path(sys.argv[2])

# rows 1, 3 and 5 to 7 empty: the first, one in between, the last ones
EMPTY_ROWS = "%%MatrixMarket matrix coordinate real general\n7 3 3\n2 3 1.5\n4 1 -2\n4 2 0.25\n"
NO_ROWS = "%%MatrixMarket matrix coordinate real general\n0 0 0\n"


def run(*arguments, **options):
    return subprocess.run(
        [PROGRAM, *arguments], capture_output=True, text=True, timeout=250, **options
    )


def unique_keys(pairs):
    keys = [key for key, _ in pairs]
    assert len(keys) == len(set(keys)), f"a key appears twice: {keys}"
    return dict(pairs)


def results(*arguments, status=0):
    """The document that a run writes; dry unless it says otherwise."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "out.json"
        done = run(*arguments, "--output", str(path))
        assert done.returncode == status, (
            f"{arguments}: exit {done.returncode}\n{done.stdout}\n{done.stderr}"
        )
        return json.loads(path.read_text(), object_pairs_hook=unique_keys)


def fields(row):
    """key:value pairs of a name; a key ends at its first ':'."""
    return dict(part.split(":", 1) for part in row["name"].split("/"))
