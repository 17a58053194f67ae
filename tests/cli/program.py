# SPDX-License-Identifier: Apache-2.0
"""Runs the program `fatvec` ($FATVEC_PROGRAM) and keeps what it said."""

import json
import os
import re
import subprocess
import tempfile
import unittest
from pathlib import Path

PROGRAM = os.environ["FATVEC_PROGRAM"]
DATA = Path(os.environ["FATVEC_TEST_DATA"])
OK, BAD_INPUT, VERIFICATION_FAILED = 0, 2, 3


def matrices():
    """The folder of real matrices, None where there is none."""
    folder = os.environ.get("FATVEC_MATRICES", "")
    return Path(folder) if folder and Path(folder).is_dir() else None


def edit_entry(cache, **changes):
    """Changes the one entry of a cache of `fatvec tune`, and returns it as it is then."""
    document = json.loads(cache.read_text())
    (entry,) = document["entries"].values()
    entry.update(changes)
    cache.write_text(json.dumps(document))
    return entry


class CliTest(unittest.TestCase):
    """Each test has an empty folder of its own; the program runs in it."""

    maxDiff = None

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="fatvec-cli-")
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def fatvec(self, *arguments, expect=OK, stdin=None, report_on_stderr=False, **environment):
        """Runs `fatvec ARGUMENTS...`, checks its exit status, and returns the finished process.
        stdin: text or bytes, which come from a pipe."""
        variables = {"OMP_NUM_THREADS": "2", **os.environ, **environment}
        command = [PROGRAM, *map(str, arguments)]
        given = stdin.encode() if isinstance(stdin, str) else stdin
        done = subprocess.run(
            command, cwd=self.folder, env=variables, input=given, capture_output=True, timeout=300
        )
        done.stdout, done.stderr = done.stdout.decode(), done.stderr.decode()
        self.assertEqual(
            done.returncode, expect, f"{' '.join(command)}\n{done.stdout}\n{done.stderr}"
        )
        if expect == OK and not report_on_stderr:
            notes = [
                line for line in done.stderr.splitlines() if not line.startswith("fatvec: note: ")
            ]
            self.assertEqual(notes, [], "a success says nothing on stderr but notes")
        return done

    def json(self, *arguments, **options):
        """The one JSON object that the program wrote to stdout."""
        return json.loads(self.fatvec(*arguments, "--json", **options).stdout)

    def error(self, *arguments, **options):
        """What the program wrote to stderr on refusing its input; nothing may be on stdout."""
        done = self.fatvec(*arguments, expect=BAD_INPUT, **options)
        self.assertEqual(done.stdout, "")
        self.assertTrue(done.stderr.startswith("fatvec"), done.stderr)
        return done.stderr

    def refuses(self, words, *arguments, **options):
        self.assertIn(words, self.error(*arguments, **options))

    def subcommands(self):
        """As the help lists them."""
        listed = self.fatvec("--help").stdout.split("Subcommands:")[1]
        return re.findall(r"^  (\w+) ", listed, re.MULTILINE)

    def write(self, name, text):
        path = self.folder / name
        path.write_text(text)
        return path

    def matrix(self, name, rows, cols, entries):
        """A Matrix Market file of 0-based (row, column, value)."""
        lines = [f"{i + 1} {j + 1} {value}" for i, j, value in entries]
        header = ["%%MatrixMarket matrix coordinate real general", f"{rows} {cols} {len(entries)}"]
        return self.write(name, "\n".join(header + lines) + "\n")

    def dense(self, name, columns):
        """A Matrix Market array file from a list of columns."""
        header = ["%%MatrixMarket matrix array real general", f"{len(columns[0])} {len(columns)}"]
        return self.write(
            name, "\n".join(header + [repr(value) for column in columns for value in column]) + "\n"
        )

    def read_dense(self, path):
        """The columns of a Matrix Market array file that the program wrote."""
        lines = [line for line in Path(path).read_text().splitlines() if not line.startswith("%")]
        rows, cols = map(int, lines[0].split())
        values = list(map(float, lines[1:]))
        self.assertEqual(len(values), rows * cols)
        return [values[c * rows : (c + 1) * rows] for c in range(cols)]
