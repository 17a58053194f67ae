# SPDX-License-Identifier: Apache-2.0
"""scripts/tune-under-load goes through its three runs and writes a row for each k; its times are
not looked at."""

import pathlib
import subprocess
import sys
import unittest

SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "scripts" / "tune-under-load"
PROGRAM = sys.argv.pop() if len(sys.argv) > 1 else "build/openmp/bin/fatvec"


def run(*arguments):
    return subprocess.run(
        [sys.executable, "-B", SCRIPT, *arguments], capture_output=True, text=True
    )


class TuneUnderLoad(unittest.TestCase):
    def test_writes_a_row_for_each_k(self):
        result = run(
            "gen:stencil5:20", "-k", "3", "--seconds", "0.001", "--busy", "1", "--program", PROGRAM
        )
        self.assertEqual(result.returncode, 0, result.stderr)
        head, _, *rows = result.stdout.splitlines()
        self.assertEqual([row.split("|")[1].strip() for row in rows], ["3"])
        for row in rows:
            self.assertEqual(row.count("|"), head.count("|"))

    def test_says_what_is_missing(self):
        result = run("gen:stencil5:20", "--program", "no/such/program")
        self.assertEqual(result.returncode, 2)
        self.assertIn("no program no/such/program", result.stderr)

    def test_ends_with_the_error_of_the_program(self):
        result = run("no_such_file.mtx", "--program", PROGRAM)
        self.assertEqual(result.returncode, 2)
        self.assertIn("no_such_file.mtx", result.stderr)


if __name__ == "__main__":
    unittest.main()
