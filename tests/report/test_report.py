# SPDX-License-Identifier: Apache-2.0
"""Reading results, and the program. Run by CTest with the Python of .venv; sample.json is made up,
its figures are easy to check by head."""

import contextlib
import io
import json
import pathlib
import re
import tempfile
import types
import unittest

from cases import ROOT

from fatvec_report import analysis
from fatvec_report.__main__ import main
from fatvec_report.load import BadInput, load
from fatvec_report.names import implementation_keys, matrix_key, matrix_label, parse_name, role
from fatvec_report.views import views
import synthetic

SAMPLE = ROOT / "tests" / "data" / "report" / "sample.json"


class Names(unittest.TestCase):
    def test_values_may_hold_colons_and_slashes(self):
        fields = parse_name("matrix:gen:stencil27:100/kernel:csr/row/k:8/iterations:20/manual_time")
        self.assertEqual(fields, {"matrix": "gen:stencil27:100", "kernel": "csr/row", "k": "8"})

    def test_what_stands_with_the_contender_is_a_setting_of_it(self):
        fields = parse_name(
            "matrix:m/contender:raw-cuda/backend:cuda/format:csr/block:32x4/anything:1/threads:2"
            "/scalar:float/layout:row/new:1/k:8"
        )
        self.assertEqual(
            implementation_keys(fields), ["contender", "backend", "format", "block", "anything"]
        )

    def test_twins_are_called_twins_and_found_again(self):
        self.assertEqual(matrix_label("gen:twin:cage4"), "cage4 (twin)")
        self.assertEqual(
            {
                matrix_key(name)
                for name in ("cage4 (twin)", "cage4", "data/cage4.mtx.gz", "Cage4.mtx")
            },
            {"cage4"},
        )

    def test_the_portable_kernel_has_a_role_of_its_own(self):
        roles = {
            "fatvec": "fatvec",
            "fatvec-portable": "portable",
            "raw-serial": "raw",
            "raw-openmp": "raw",
            "raw-cuda": "raw",
            "mkl": "peer",
            "kokkoskernels": "peer",
            "cusparse": "peer",
            "fatvec-else": "peer",
        }
        self.assertEqual({name: role(name) for name in roles}, roles)


class Loading(unittest.TestCase):
    def setUp(self):
        self.run_ = load(SAMPLE)

    def test_repetitions_become_one_row_with_the_median(self):
        row = self.run_.rows[
            (self.run_.rows.matrix == "data/cage4.mtx") & (self.run_.rows.status == "ok")
        ]
        self.assertEqual(len(row), 1)
        self.assertAlmostEqual(row.seconds.iloc[0], 11e-6)
        self.assertAlmostEqual(row.spread.iloc[0], 1.6 / 11)  # p90 11.8, p10 10.2

    def test_a_wrong_result_is_failed_and_a_skip_keeps_its_reason(self):
        rows = self.run_.rows
        self.assertEqual(list(rows[rows.reason == "wrong result"].contender), ["raw-openmp"])
        self.assertEqual(
            list(rows[rows.status == "skipped"].reason),
            ["ELLPACK would take 160 GB; csr and hll fit"],
        )
        self.assertEqual(list(rows[rows.reason == "out of memory"].status), ["failed"])

    def test_backends_are_known_where_names_leave_them_out(self):
        rows = self.run_.rows
        self.assertEqual(
            dict(zip(rows.contender, rows.backend)),
            {
                "fatvec": "openmp",
                "raw-serial": "serial",
                "raw-openmp": "openmp",
                "kokkoskernels": "openmp",
            },
        )

    def test_unusable_files_are_named(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "half.json"
            for text in (
                '{"benchmarks": [',
                "[]",
                '"text"',
                "null",
                '{"benchmarks": []}',
                '{"benchmarks": [1]}',
                '{"benchmarks": [{"name": "other/8", "real_time": 1}]}',
                '{"benchmarks": [{"name": "matrix:m/contender:c/k:many", "error_occurred": true}]}',
                '{"benchmarks": [{"name": "matrix:m/contender:c/k:99999999999999999999", '
                '"error_occurred": true}]}',
                '{"benchmarks": [{"name": "vector:long/contender:c/k:1", "error_occurred": true}]}',
                '{"benchmarks": ' + "[" * 100000 + "]" * 100000 + "}",
            ):
                path.write_text(text)
                with self.assertRaisesRegex(BadInput, "half.json"):
                    load(path)
            with self.assertRaisesRegex(BadInput, "No such file"):
                load(pathlib.Path(folder) / "none.json")
            with self.assertRaisesRegex(BadInput, "directory"):
                load(folder)


class Views(unittest.TestCase):
    def load(self, *documents):
        with tempfile.TemporaryDirectory() as folder:
            runs = []
            for position, document in enumerate(documents):
                path = pathlib.Path(folder) / f"run-{position}.json"
                path.write_text(json.dumps(document))
                runs.append(load(path))
            return views(runs)

    def test_runs_that_differ_in_threads_are_one_view_and_a_gpu_is_another(self):
        names = ["gen:twin:cage4"]
        found = self.load(
            *(synthetic.cpu(names, (1,), threads=count, chunks=()) for count in (4, 1, 2)),
            synthetic.gpu(names, (1,)),
        )
        self.assertEqual(
            [(view.platform, view.threads) for view in found], [("cpu", [1, 2, 4]), ("gpu", [4])]
        )
        self.assertEqual(found[0].run.label, "run-0")

    def test_two_runs_with_the_same_threads_stay_apart(self):
        document = synthetic.cpu(["gen:twin:cage4"], (1,), chunks=())
        self.assertEqual([view.threads for view in self.load(document, document)], [[4], [4]])

    def test_threads_in_names_are_runs(self):
        document = synthetic.cpu(["gen:twin:cage4"], (1,), chunks=())
        for entry in list(document["benchmarks"]):
            if "backend:openmp" in entry["name"]:
                other = dict(entry)
                for count, target in ((1, other), (4, entry)):
                    target["name"] = target["run_name"] = target["name"].replace(
                        "/layout", f"/threads:{count}/layout"
                    )
                document["benchmarks"].append(other)
        (view,) = self.load(document)
        self.assertEqual(view.threads, [1, 4])
        self.assertTrue(all((run.rows.backend == "serial").any() for run in view.runs))
        self.assertEqual(set(view.run.rows[view.run.rows.backend == "openmp"].threads), {"4"})


class Comparison(unittest.TestCase):
    def setUp(self):
        self.table = analysis.compare(load(SAMPLE))

    def test_best_against_best(self):
        row = self.table[(self.table.matrix == "gen:stencil27:100") & (self.table.k == 1)].iloc[0]
        self.assertEqual(
            (row.fatvec, row.fatvec_what, row["raw-serial"], row["raw-openmp"]),
            (4, "csr-row", 1, 5),
        )
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
    def report(self, *arguments, err=None):
        """In this process, since a new one would first read pandas and matplotlib."""
        out, err = io.StringIO(), err or io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            status = main(list(map(str, arguments)))
        return types.SimpleNamespace(
            returncode=status, stdout=out.getvalue(), stderr=err.getvalue()
        )

    def edited(self, folder, edit):
        document = json.loads(SAMPLE.read_text())
        edit(document)
        path = pathlib.Path(folder) / "edited.json"
        path.write_text(json.dumps(document))
        return path

    def test_vectors_have_pages_of_their_own(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "vectors.json"
            path.write_text(json.dumps(synthetic.vectors()))
            done = self.report(path, "-o", folder)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            figures = {path.name for path in (pathlib.Path(folder) / "figures").iterdir()}
            self.assertEqual(
                {name for name in figures if name.endswith(".png")},
                {"vectors-runtime.png", "vectors-bandwidth.png"},
            )
            text = (pathlib.Path(folder) / "report.md").read_text()
            self.assertIn("Runtime over the length".lower(), text.lower())
            self.assertIn("raw-cuda shared-memory", text)
            self.assertRegex(text, r"\| statistics +\| row +\| +8 \| 10,000,000 \|")
            self.assertNotIn("## Roofline", text)

    def test_vectors_beside_products(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "vectors.json"
            path.write_text(json.dumps(synthetic.vectors()))
            done = self.report(SAMPLE, path, "-o", folder)
            self.assertEqual(done.returncode, 0, done.stderr)
            text = (pathlib.Path(folder) / "report.md").read_text()
            self.assertIn("Roofline", text)
            self.assertIn("Columns of multivectors", text)

    def test_writes_everything_and_nothing_half(self):
        with tempfile.TemporaryDirectory() as folder:
            done = self.report(SAMPLE, "-o", folder)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            self.assertEqual(
                {path.name for path in pathlib.Path(folder).iterdir()},
                {"report.html", "report.md", "results.csv", "figures"},
            )
            figures = {path.name for path in (pathlib.Path(folder) / "figures").iterdir()}
            for name in ("gflops", "over-k", "ratios", "bound", "roofline", "variants"):
                self.assertTrue({f"{name}.png", f"{name}.svg"} <= figures, name)
            text = (pathlib.Path(folder) / "report.md").read_text()
            for expected in (
                "ELLPACK would take 160 GB",
                "wrong result",
                "| bandwidth_GBps.triad",
                "Example CPU",
                "**24.0**",
            ):
                self.assertIn(expected, text)

    def test_a_terminal_shows_the_share_that_is_done(self):
        screen = io.StringIO()
        screen.isatty = lambda: True
        with tempfile.TemporaryDirectory() as folder:
            done = self.report(SAMPLE, SAMPLE, "-o", folder, err=screen)
        drawn = done.stderr.split("\r")
        self.assertTrue(all(len(line) <= 80 for line in drawn), drawn)
        bars = [re.fullmatch(r"\[(#*) *\] (\w+)\b.*", line) for line in drawn]
        steps = [found.group(2) for found in bars if found]
        self.assertEqual(list(dict.fromkeys(steps)), ["reading", "comparing", "drawing", "writing"])
        filled = [found.group(1) for found in bars if found]
        self.assertEqual(filled, sorted(filled))
        self.assertGreater(len(filled[-1]), 25)
        self.assertEqual(drawn[-2:], [" " * 79, ""], "the bar stays")

    def test_only_failures(self):
        def edit(document):
            document["benchmarks"] = [
                entry for entry in document["benchmarks"] if entry.get("error_occurred")
            ]

        with tempfile.TemporaryDirectory() as folder:
            done = self.report(self.edited(folder, edit), "-o", folder)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            self.assertIn("0 of 2 cases measured", done.stdout)
            self.assertIn("out of memory", (pathlib.Path(folder) / "report.html").read_text())

    def test_rows_may_lack_counters_and_files_their_context(self):
        def edit(document):
            del document["context"]
            for entry in document["benchmarks"]:
                for key in ("bytes", "bound_fraction", "setup_seconds", "spread"):
                    entry.pop(key, None)

        with tempfile.TemporaryDirectory() as folder:
            done = self.report(self.edited(folder, edit), "-o", folder)
            self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_dry_runs_and_other_versions_are_said_to_be(self):
        with tempfile.TemporaryDirectory() as folder:
            dry = self.edited(
                folder,
                lambda document: document["context"].update(dry_run="true", git_hash="fedcba98"),
            )
            done = self.report(SAMPLE, dry, "-o", folder)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn("different versions", done.stderr)
            text = (pathlib.Path(folder) / "report.md").read_text()
            self.assertIn("is a dry run", text)
            self.assertIn(
                "different versions of fatvec: sample from unknown version (0123456789); edited "
                "from unknown version (fedcba98)",
                text,
            )

    def test_bad_input_is_status_2(self):
        done = self.report("nowhere.json")
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn("nowhere.json", done.stderr)

    def test_a_folder_that_cannot_be_written_is_status_2(self):
        with tempfile.NamedTemporaryFile() as file:
            done = self.report(SAMPLE, "-o", file.name)
            self.assertEqual(done.returncode, 2)
            self.assertIn(file.name, done.stderr)


if __name__ == "__main__":
    unittest.main()
