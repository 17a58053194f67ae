# SPDX-License-Identifier: Apache-2.0
"""Run by CTest with the Python of .venv; sample.json is made up, its figures are easy to check by head."""
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
SAMPLE = ROOT / "tests" / "data" / "report" / "sample.json"
sys.path.insert(0, str(ROOT / "scripts"))
try:
    from fatvec_report import analysis
    from fatvec_report.load import BadInput, load, parse_name
except ImportError as error:
    print(f"skipped: {error}; scripts/report --prepare installs what is missing")
    sys.exit(77)


class Names(unittest.TestCase):
    def test_values_may_hold_colons_and_slashes(self):
        fields = parse_name("matrix:gen:stencil27:100/kernel:csr/row/k:8/iterations:20/manual_time")
        self.assertEqual(fields, {"matrix": "gen:stencil27:100", "kernel": "csr/row", "k": "8"})


class Loading(unittest.TestCase):
    def setUp(self):
        self.run_ = load(SAMPLE)

    def test_repetitions_become_one_row_with_the_median(self):
        row = self.run_.rows[(self.run_.rows.matrix == "data/cage4.mtx") & (self.run_.rows.status == "ok")]
        self.assertEqual(len(row), 1)
        self.assertAlmostEqual(row.seconds.iloc[0], 11e-6)
        self.assertAlmostEqual(row.spread.iloc[0], 1.6 / 11)  # p90 11.8, p10 10.2

    def test_a_wrong_result_is_failed_and_a_skip_keeps_its_reason(self):
        rows = self.run_.rows
        self.assertEqual(list(rows[rows.reason == "wrong result"].contender), ["raw-openmp"])
        self.assertEqual(list(rows[rows.status == "skipped"].reason), ["ELLPACK would take 160 GB; csr and hll fit"])
        self.assertEqual(list(rows[rows.reason == "out of memory"].status), ["failed"])

    def test_unusable_files_are_named(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "half.json"
            for text in ('{"benchmarks": [', "[]", '{"benchmarks": []}', '{"benchmarks": [{"name": "other/8", "real_time": 1}]}'):
                path.write_text(text)
                with self.assertRaisesRegex(BadInput, "half.json"):
                    load(path)
            with self.assertRaisesRegex(BadInput, "No such file"):
                load(pathlib.Path(folder) / "none.json")


class Comparison(unittest.TestCase):
    def setUp(self):
        self.table = analysis.compare(load(SAMPLE))

    def test_best_against_best(self):
        row = self.table[(self.table.matrix == "gen:stencil27:100") & (self.table.k == 1)].iloc[0]
        self.assertEqual((row.fatvec, row.fatvec_what, row["raw-serial"], row["raw-openmp"]), (4, "csr-row", 1, 5))
        self.assertEqual(row.peer_what, "kokkoskernels csr")
        self.assertAlmostEqual(row.vs_raw, 0.8)
        self.assertAlmostEqual(row.vs_peer, 1.25)
        self.assertAlmostEqual(row.bound, 8)
        self.assertAlmostEqual(row.bound_fraction, 0.5)

    def test_failed_rows_are_never_compared(self):
        row = self.table[self.table.matrix == "data/cage4.mtx"].iloc[0]
        self.assertTrue(row.isna()[["raw_best", "peer", "vs_raw", "vs_peer"]].all())

    def test_means_are_geometric(self):
        self.assertAlmostEqual(analysis.geometric_mean(self.table.vs_raw), (0.8 * 1.2) ** 0.5)


class Program(unittest.TestCase):
    def report(self, *arguments):
        return subprocess.run([sys.executable, "-m", "fatvec_report", *map(str, arguments)], cwd=ROOT / "scripts", text=True,
                              capture_output=True)

    def test_writes_everything(self):
        with tempfile.TemporaryDirectory() as folder:
            done = self.report(SAMPLE, "-o", folder)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual({path.name for path in pathlib.Path(folder).iterdir()},
                             {"report.md", "results.csv", "overview.png", "overview.svg"})
            text = (pathlib.Path(folder) / "report.md").read_text()
            for expected in ("ELLPACK would take 160 GB", "wrong result", "| bandwidth_GBps.triad", "Example CPU", "**24.0**"):
                self.assertIn(expected, text)

    def test_only_failures(self):
        document = json.loads(SAMPLE.read_text())
        document["benchmarks"] = [entry for entry in document["benchmarks"] if entry.get("error_occurred")]
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "failures.json"
            path.write_text(json.dumps(document))
            done = self.report(path, "-o", folder)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn("0 of 2 cases measured", done.stdout)

    def test_bad_input_is_status_2(self):
        done = self.report("nowhere.json")
        self.assertEqual((done.returncode, done.stdout), (2, ""))


if __name__ == "__main__":
    unittest.main()
