# SPDX-License-Identifier: Apache-2.0
"""Result files of the documents are what fatvec-bench wrote."""

import csv
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
SCRIPT = ROOT / "scripts" / "fatvec_docs" / "rows.py"
CASE = {
    "name": "matrix:gen:stencil7:9/contender:fatvec-portable/backend:openmp/format:csr"
    "/kernel:csr-portable/layout:row/k:4",
    "median_seconds": 1.25e-5,
    "spread": 0.0321,
    "bound_fraction": 0.5,
    "GFLOPS": 2.5,
    "repetitions": 20,
    "verified": 1.0,
}
CONTEXT = {
    "device": "A CPU",
    "threads": "2",
    "date": "2026-11-21T10:40:00+00:00",
    "git_hash": "0123456789",
    "compiler": "GNU 12.2.0",
    "dry_run": "false",
}


class Rows(unittest.TestCase):
    def setUp(self):
        store = tempfile.TemporaryDirectory()
        self.addCleanup(store.cleanup)
        self.folder = pathlib.Path(store.name)

    def run_it(self, context, *cases):
        results = {"context": context, "benchmarks": cases}
        (self.folder / "in.json").write_text(json.dumps(results))
        command = [
            sys.executable,
            "-B",
            SCRIPT,
            self.folder / "in.json",
            self.folder / "epyc-3.26",
            "run",
        ]
        return subprocess.run(command, capture_output=True, text=True)

    def test_verified_cases_become_rows_and_the_origin_is_told(self):
        wrong = {**CASE, "verified": 0.0}
        skipped = {"name": CASE["name"], "error_occurred": True, "error_message": "skipped: no"}
        done = self.run_it(CONTEXT, wrong, CASE, skipped)
        self.assertEqual(done.returncode, 0, done.stderr)
        with (self.folder / "epyc-3.26.csv").open() as table:
            (row,) = csv.DictReader(table)
        expected = (
            "gen:stencil7:9 4 fatvec-portable csr kernel:csr-portable 12.50 0.032 0.500 2.50 20"
        )
        self.assertEqual(list(row.values()), expected.split())
        about = json.loads((self.folder / "epyc-3.26.json").read_text())
        self.assertEqual(about["machine"], "A CPU, 2 threads")
        self.assertEqual((about["date"], about["commit"]), ("2026-11-21", "0123456"))
        self.assertEqual(about["command"], "run")

    def test_vectors_have_a_length_and_an_operation(self):
        name = "vector:1000/operation:dot/contender:raw-serial/scalar:int/layout:column/k:1"
        self.assertEqual(self.run_it(CONTEXT, {**CASE, "name": name}).returncode, 0)
        with (self.folder / "epyc-3.26.csv").open() as table:
            (row,) = csv.DictReader(table)
        expected = "vector:1000 1 raw-serial dot scalar:int".split()
        self.assertEqual(list(row.values())[:5], expected)

    def test_a_dry_run_is_refused(self):
        done = self.run_it({**CONTEXT, "dry_run": "true"}, CASE)
        self.assertEqual((done.returncode, (self.folder / "epyc-3.26.csv").exists()), (2, False))
        self.assertIn("dry run", done.stderr)


if __name__ == "__main__":
    unittest.main()
