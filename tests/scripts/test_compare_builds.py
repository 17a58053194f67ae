# SPDX-License-Identifier: Apache-2.0
"""scripts/compare-builds with programs that are made up here: speeds, failed rows, wrong usage."""

import pathlib
import subprocess
import sys
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "scripts" / "compare-builds"
PROGRAM = """#!{python}
import json, sys
output = sys.argv[sys.argv.index("--output") + 1]
rows = [dict(name="matrix:a/contender:fatvec/format:csr/layout:row/k:%d" % k, verified=verified,
             median_seconds=seconds) for k, seconds, verified in {rows} if seconds]
rows += [dict(name="k:%d" % k, error_occurred=True, error_message="skipped: too large")
         for k, seconds, _ in {rows} if not seconds]
json.dump(dict(context={{}}, benchmarks=rows), open(output, "w"))
sys.exit(max(3 * (verified == 0) for _, _, verified in {rows}))
"""


class CompareBuilds(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def program(self, name: str, rows: list) -> str:
        path = pathlib.Path(self.folder.name) / name
        path.write_text(PROGRAM.format(python=sys.executable, rows=rows))
        path.chmod(0o755)
        return str(path)

    def run_with(self, *arguments):
        command = [sys.executable, "-B", str(SCRIPT), *arguments, "--rounds", "2"]
        return subprocess.run(
            [*command, "--", "--matrix", "a"], capture_output=True, text=True, check=False
        )

    def test_speeds_are_after_over_before(self):
        before = self.program("before", [(1, 1.0, 1.0), (8, 1.0, 1.0)])
        after = self.program("after", [(1, 0.5, 1.0), (8, 1.25, 1.0)])
        done = self.run_with(before, after)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stdout, r"fatvec +1 +1 +2\.000 +2\.000  a csr")
        self.assertRegex(done.stdout, r"fatvec +8 +1 +0\.800 +0\.800  a csr")
        self.assertIn("0.800 matrix:a", done.stdout)

    def test_options_may_have_an_equals_sign(self):
        program = self.program("same", [(1, 1.0, 1.0)])
        command = [sys.executable, "-B", str(SCRIPT), program, program, "--rounds", "1"]
        for given, status in (["--matrix=a"], 0), (["--matrix"], 2):
            done = subprocess.run([*command, "--", *given], capture_output=True, text=True)
            self.assertEqual(done.returncode, status, done.stderr)
        done = subprocess.run(
            [*command, "--csv", f"{self.folder.name}/none/x.csv", "--", "--matrix=a"],
            capture_output=True,
            text=True,
        )
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn("no such folder", done.stderr)

    def test_failed_rows_are_named(self):
        before = self.program("before", [(1, 1.0, 1.0), (8, 1.0, 1.0)])
        after = self.program("after", [(1, 1.0, 1.0), (8, 1.0, 0.0)])
        done = self.run_with(before, after)
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("failed: matrix:a/contender:fatvec/format:csr/layout:row/k:8", done.stdout)

    def test_skipped_rows_are_not_failures(self):
        before = self.program("before", [(1, 1.0, 1.0), (8, None, 1.0)])
        after = self.program("after", [(1, 1.0, 1.0), (8, None, 1.0)])
        done = self.run_with(before, after)
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertNotIn("failed", done.stdout)

    def test_what_is_neither_a_program_nor_a_commit_is_refused(self):
        program = self.program("before", [(1, 1.0, 1.0)])
        done = self.run_with(program, "no-such-build")
        self.assertEqual(done.returncode, 2)
        self.assertIn("'no-such-build' is neither a program nor a commit", done.stderr)


if __name__ == "__main__":
    unittest.main()
