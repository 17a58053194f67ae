# SPDX-License-Identifier: Apache-2.0
"""Reading results, and the program. Run by CTest with the Python of .venv; sample.json is made up,
its figures are easy to check by head."""

import io
import json
import pathlib
import re
import tempfile
import types
import unittest

from cases import ROOT, ReportTest, made, program

from fatvec_report import analysis, page
from fatvec_report.load import BadInput, load
from fatvec_report.names import implementation_keys, matrix_key, matrix_label, parse_name, role
from fatvec_report.views import views
import synthetic

SAMPLE = ROOT / "tests" / "data" / "report" / "sample.json"


class Texts(unittest.TestCase):
    def test_every_text_has_the_heading_of_a_part(self):
        code = "".join(path.read_text() for path in (ROOT / "scripts/fatvec_report").glob("*.py"))
        for heading in page._texts():
            self.assertRegex(code, rf'(Section|headed)\("{re.escape(heading)}"', heading)

    def test_launches_are_told_of_on_gpus_only(self):
        for platform in "gpu", "cpu":
            view = types.SimpleNamespace(platform=platform)
            told = str(page.says("What portability costs", view=view, LAUNCH_BOUND=1e-5))
            self.assertEqual("Launch-bound" in told, platform == "gpu")


class Names(unittest.TestCase):
    def test_values_may_hold_colons_and_slashes(self):
        fields = parse_name("matrix:gen:stencil27:100/kernel:csr/row/k:8/iterations:20/manual_time")
        self.assertEqual(fields, {"matrix": "gen:stencil27:100", "kernel": "csr/row", "k": "8"})

    def test_what_stands_with_the_contender_is_a_setting_of_it(self):
        fields = parse_name(
            "matrix:m/contender:raw-cuda/backend:cuda/format:csr/block:32x4/anything:1/threads:2"
            "/scalar:float/layout:row/new:1/k:8"
        )
        keys = ["contender", "backend", "format", "block", "anything"]
        self.assertEqual(implementation_keys(fields), keys)

    def test_twins_are_called_twins_and_found_again(self):
        self.assertEqual(matrix_label("gen:twin:cage4"), "cage4 (twin)")
        self.assertEqual(matrix_label("gen:twin:cant:500"), "cant:500 (twin, spread estimated)")
        names = ("cage4 (twin, spread estimated)", "cage4", "data/cage4.mtx.gz", "Cage4.mtx")
        self.assertEqual({matrix_key(name) for name in names}, {"cage4"})

    def test_the_portable_kernel_has_a_role_of_its_own(self):
        for wanted, names in (
            ("fatvec", "fatvec"),
            ("portable", "fatvec-portable"),
            ("raw", "raw-serial raw-openmp raw-cuda"),
            ("peer", "mkl kokkoskernels cusparse fatvec-else"),
        ):
            self.assertEqual({role(name) for name in names.split()}, {wanted})


class Loading(unittest.TestCase):
    def setUp(self):
        self.rows = load(SAMPLE).rows

    def test_repetitions_become_one_row_with_the_median(self):
        rows = self.rows[(self.rows.matrix == "data/cage4.mtx") & (self.rows.status == "ok")]
        (row,) = rows.itertuples()
        self.assertAlmostEqual(row.seconds, 11e-6)
        self.assertAlmostEqual(row.spread, 1.6 / 11)  # p90 11.8, p10 10.2

    def test_a_wrong_result_is_failed_and_a_skip_keeps_its_reason(self):
        rows = self.rows
        self.assertEqual(list(rows[rows.reason == "wrong result"].contender), ["raw-openmp"])
        skipped = ["ELLPACK would take 160 GB; csr and hll fit"]
        self.assertEqual(list(rows[rows.status == "skipped"].reason), skipped)
        self.assertEqual(list(rows[rows.reason == "out of memory"].status), ["failed"])

    def test_backends_are_known_where_names_leave_them_out(self):
        found = dict(zip(self.rows.contender, self.rows.backend))
        self.assertEqual(found.pop("raw-serial"), "serial")
        self.assertEqual(found, dict.fromkeys(("fatvec", "raw-openmp", "kokkoskernels"), "openmp"))

    def test_unusable_files_are_named(self):
        entry = '{"benchmarks": [{"name": "%s", "error_occurred": true}]}'
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "half.json"
            for text in (
                *('{"benchmarks": [', "[]", '"text"', "null", '{"benchmarks": []}'),
                *('{"benchmarks": [1]}', '{"benchmarks": [{"name": "other/8", "real_time": 1}]}'),
                entry % "matrix:m/contender:c/k:many",
                entry % "matrix:m/contender:c/k:99999999999999999999",
                entry % "vector:long/contender:c/k:1",
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
        return views(made(*(document.values() for document in documents)))

    def cpu(self, threads=4):
        return synthetic.cpu(["gen:twin:cage4"], (1,), threads=threads, chunks=())

    def test_runs_that_differ_in_threads_are_one_view_and_a_gpu_is_another(self):
        gpu = synthetic.gpu(["gen:twin:cage4"], (1,))
        found = self.load(*map(self.cpu, (4, 1, 2)), gpu)
        platforms = [(view.platform, view.threads) for view in found]
        self.assertEqual(platforms, [("cpu", [1, 2, 4]), ("gpu", [4])])
        self.assertEqual(found[0].run.label, "run-0")

    def test_two_runs_with_the_same_threads_stay_apart(self):
        self.assertEqual([one.threads for one in self.load(self.cpu(), self.cpu())], [[4], [4]])

    def test_threads_in_names_are_runs(self):
        document = self.cpu()
        for entry in list(document["benchmarks"]):
            if "backend:openmp" in entry["name"]:
                other = dict(entry)
                for count, target in ((1, other), (4, entry)):
                    name = target["name"].replace("/layout", f"/threads:{count}/layout")
                    target["name"] = target["run_name"] = name
                document["benchmarks"].append(other)
        (view,) = self.load(document)
        self.assertEqual(view.threads, [1, 4])
        self.assertTrue(all((run.rows.backend == "serial").any() for run in view.runs))
        self.assertEqual(set(view.run.rows[view.run.rows.backend == "openmp"].threads), {"4"})


class Comparison(unittest.TestCase):
    def setUp(self):
        self.table = analysis.compare(load(SAMPLE)).set_index(["matrix", "k"])

    def test_best_against_best(self):
        row = self.table.loc[("gen:stencil27:100", 1)]
        best = (row.fatvec, row.fatvec_what, row["raw-serial"], row["raw-openmp"], row.peer_what)
        self.assertEqual(best, (4, "csr-row", 1, 5, "kokkoskernels csr"))
        numbers = (row.vs_raw, row.vs_peer, row.bound, row.bound_fraction)
        self.assertEqual([round(value, 9) for value in numbers], [0.8, 1.25, 8, 0.5])

    def test_failed_rows_are_never_compared(self):
        rows = self.table.loc["data/cage4.mtx"]
        self.assertTrue(rows[["raw_best", "peer", "vs_raw", "vs_peer"]].isna().all(axis=None))


class Program(ReportTest):
    def figures(self):
        return {path.name for path in (self.folder / "out" / "figures").iterdir()}

    def edited(self, edit):
        document = json.loads(SAMPLE.read_text())
        edit(document)
        return self.write(document, "edited.json")

    def test_vectors_have_pages_of_their_own(self):
        path = self.write(synthetic.vectors(), "vectors.json")
        self.assertEqual(self.report(path)[1], "")
        images = {name for name in self.figures() if name.endswith(".png")}
        self.assertEqual(images, {"vectors-runtime.png", "vectors-bandwidth.png"})
        text = self.text()
        self.assertIn("raw-cuda shared-memory", text)
        self.assertRegex(text, r"\| statistics +\| row +\| +8 \| 10,000,000 \|")
        self.assertNotIn("## Roofline", text)
        self.report(SAMPLE, path)
        self.assertIn("Roofline", self.text())
        self.assertIn("Columns of multivectors", self.text())

    def test_writes_everything_and_nothing_half(self):
        self.assertEqual(self.report(SAMPLE, draw_all=program.draw_all)[1], "")
        names = {path.name for path in (self.folder / "out").iterdir()}
        self.assertEqual(names, {"report.html", "report.md", "results.csv", "figures"})
        for name in ("gflops", "over-k", "ratios", "bound", "roofline", "variants"):
            self.assertTrue({f"{name}.png", f"{name}.svg"} <= self.figures(), name)
        said = ("ELLPACK would take 160 GB", "wrong result", "| bandwidth_GBps.triad", "**24.0**")
        for expected in (*said, "Example CPU"):
            self.assertIn(expected, self.text())

    def test_a_terminal_shows_the_share_that_is_done(self):
        screen = io.StringIO()
        screen.isatty = lambda: True
        drawn = self.report(SAMPLE, err=screen)[1].split("\r")
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
            failed = [entry for entry in document["benchmarks"] if entry.get("error_occurred")]
            document["benchmarks"] = failed

        out, err = self.report(self.edited(edit))
        self.assertEqual(err, "")
        self.assertIn("0 of 2 cases measured", out)
        self.assertIn("out of memory", self.text())

    def test_rows_may_lack_counters_and_files_their_context(self):
        def edit(document):
            del document["context"]
            for entry in document["benchmarks"]:
                for key in ("bytes", "bound_fraction", "setup_seconds", "spread"):
                    entry.pop(key, None)

        self.assertEqual(self.report(self.edited(edit))[1], "")

    def test_dry_runs_and_other_versions_are_said_to_be(self):
        def edit(document):
            document["context"].update(dry_run="true", git_hash="fedcba98")

        versions = (
            "different versions of fatvec: sample from unknown version (0123456789); edited from "
            "unknown version (fedcba98)"
        )
        self.assertIn(versions, self.report(SAMPLE, self.edited(edit))[1])
        self.assertIn("is a dry run", self.text())
        self.assertIn(versions, self.text())

    def test_bad_input_and_a_folder_that_cannot_be_written_are_status_2(self):
        out, err = self.report("nowhere.json", status=2)
        self.assertEqual(out, "")
        self.assertIn("nowhere.json", err)
        (self.folder / "out").write_text("")
        self.assertIn(str(self.folder / "out"), self.report(SAMPLE, status=2)[1])


if __name__ == "__main__":
    unittest.main()
