# SPDX-License-Identifier: Apache-2.0
"""The report's arithmetic, on examples small enough to do by hand."""
import json
import pathlib
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))
try:
    from fatvec_report import analysis, portability, published, scaling, sections_record, sweeps
    from fatvec_report.load import load
    from fatvec_report.views import commit, views
except ImportError as error:
    print(f"skipped: {error}; scripts/report --prepare installs what is missing")
    sys.exit(77)


def case(contender, seconds, matrix="m", k=1, layout="row", bound=0.5, setup=0.0, verified=1.0, reason=""):
    """contender: 'fatvec/backend:openmp/format:csr/kernel:csr-row'. nnz is 1e9, so that GFLOPS = 2 k / seconds."""
    name = f"matrix:{matrix}/contender:{contender}/layout:{layout}/k:{k}"
    common = {"name": name, "run_name": name, "run_type": "iteration", "repetitions": 1, "real_time": seconds, "time_unit": "s"}
    if reason:
        return {**common, "error_occurred": True, "error_message": reason}
    return {**common, "GFLOPS": 2 * k / seconds, "bytes": 12e9, "bound_fraction": bound, "verified": verified, "setup_seconds": setup, "spread": 0.01,
            "nnz": 1e9, "stored_entries": 1e9}


def made(*files):
    """Runs of (context, cases) pairs."""
    with tempfile.TemporaryDirectory() as folder:
        runs = []
        for position, (context, cases) in enumerate(files):
            path = pathlib.Path(folder) / f"run-{position}.json"
            path.write_text(json.dumps({"context": context, "benchmarks": cases}))
            runs.append(load(path))
        return runs


FATVEC = "fatvec/backend:openmp/format:csr/kernel:csr-row"
TEAM = "fatvec/backend:openmp/format:csr/kernel:csr-team"
HLL = "fatvec/backend:openmp/format:hll/kernel:hll-row"
SERIAL = "raw-serial/backend:serial/format:csr"
OPENMP = "raw-openmp/backend:openmp/format:csr/schedule:dynamic/chunk:"


class Ratios(unittest.TestCase):
    def test_kokkos_over_raw_is_of_one_format_and_backend(self):
        run, = made(({}, [case(FATVEC, 4), case(TEAM, 3), case(HLL, 1), case(OPENMP + "2", 2.4), case(OPENMP + "64", 6),
                          case("raw-openmp/backend:openmp/format:hll/schedule:guided", 2), case(SERIAL, 0.5)]))
        table = analysis.kokkos_over_raw(run).set_index("format")
        self.assertAlmostEqual(table.ratio["csr"], 2.4 / 3)  # the serial kernel is faster, but on another backend
        self.assertEqual((table.what["csr"], table.raw_what["csr"]), ("csr-team", "raw-openmp csr dynamic chunk 2"))
        self.assertAlmostEqual(table.ratio["hll"], 2)

    def test_the_worst_cell_comes_first_whoever_is_ahead(self):
        run, = made(({}, [case(FATVEC, 4), case(OPENMP + "2", 2), case("mkl/backend:openmp/format:csr", 1),
                          case(FATVEC, 1, k=2), case("mkl/backend:openmp/format:csr", 3, k=2)]))
        table = analysis.worst(run, analysis.compare(run), analysis.kokkos_over_raw(run))
        self.assertEqual([(row.against, row.k) for row in table.itertuples()],
                         [("mkl csr", 1), ("raw-openmp csr dynamic chunk 2", 1), ("mkl csr", 2)])
        self.assertEqual(list(table.ratio), [0.25, 0.5, 3])

    def test_break_even_is_setup_over_gain_and_never_where_there_is_no_gain(self):
        run, = made(({}, [case(FATVEC, 4), case(TEAM, 3), case(HLL, 1, setup=10), case(FATVEC, 2, k=8), case(HLL, 2.5, k=8, setup=10)]))
        table = analysis.formats(run).set_index(["format", "k"])
        self.assertAlmostEqual(table.break_even["hll", 1], 10 / (3 - 1))
        self.assertAlmostEqual(table.over_csr["hll", 1], 3)
        self.assertTrue(table.break_even.isna()["hll", 8] and table.break_even.isna()["csr", 1])

    def test_sweeps_are_relative_to_the_best_setting_of_the_same_problem(self):
        run, = made(({}, [case(OPENMP + chunk, seconds, matrix) for matrix in ("m", "n")
                          for chunk, seconds in (("2", 4), ("16", 2), ("128", 8))] + [case(FATVEC, 1), case(TEAM, 2)]))
        self.assertEqual(sweeps.swept(run), {"chunk": "numeric"})
        (title, table), = sweeps.settings(run, "chunk")
        self.assertEqual(title, "raw-openmp csr dynamic")
        self.assertEqual(table.groupby("value").relative.apply(analysis.geometric_mean).round(9).to_dict(), {2: 0.5, 16: 1, 128: 0.25})
        (title, table), = sweeps.choices(run)
        self.assertEqual((title, dict(zip(table.value, table.relative))), ("fatvec, csr", {"csr-row": 1, "csr-team": 0.5}))


class Threads(unittest.TestCase):
    def files(self, serial=True):
        return [({"cpu": "c", "threads": str(count)}, [case(FATVEC, seconds), *([case(SERIAL, 6)] if serial else [])])
                for count, seconds in ((1, 5), (4, 2))]

    def test_speedup_is_against_the_serial_kernel_of_the_same_run(self):
        view, = views(made(*self.files()))
        table = scaling.speedups(view.runs, view.threads)
        self.assertEqual(set(table.reference), {"raw-serial"})
        self.assertEqual(list(table.speedup), [6 / 5, 3])
        self.assertEqual(list(table.efficiency), [6 / 5, 0.75])

    def test_or_else_against_one_thread(self):
        view, = views(made(*self.files(serial=False)))
        table = scaling.speedups(view.runs, view.threads)
        self.assertEqual(set(table.reference), {"1 thread"})
        self.assertEqual(list(table.speedup), [1, 2.5])
        self.assertEqual(list(table.efficiency), [1, 0.625])


class Portability(unittest.TestCase):
    def setUp(self):
        cpu = [case(FATVEC, 4, bound=0.5), case(TEAM, 2, bound=0.8), case(OPENMP + "2", 1, bound=2), case(FATVEC, 1, k=3)]
        other = [case(SERIAL, 1)]  # a machine on which fatvec was not tried is none of H
        gpu = [case(FATVEC.replace("openmp", "cuda"), 1, bound=0.2), case(TEAM.replace("openmp", "cuda"), 0, reason="skipped: no"),
               case("cusparse/backend:cuda/format:csr/algorithm:alg2", 0.5), case("kokkoskernels/backend:cuda/format:csr", 0.1, verified=0.0)]
        self.views = views(made(({"cpu": "c"}, cpu), ({"gpu": "g"}, gpu), ({"cpu": "d"}, other)))
        self.table = portability.efficiencies(self.views)

    def test_pp_is_the_harmonic_mean_relative_to_the_fastest_verified_contender(self):
        metric = portability.metric(self.views, self.table).set_index("application_name")
        self.assertEqual(list(portability.platforms(self.views)), ["c (CPU)", "g (GPU)"])
        self.assertAlmostEqual(metric.application["fatvec, best kernel"], 2 / (1 / 0.5 + 1 / 0.5))  # 1/2 here, 0.5/1 there
        self.assertAlmostEqual(metric.architectural["fatvec, best kernel"], 2 / (1 / 0.8 + 1 / 0.2))
        self.assertAlmostEqual(metric.application["fatvec csr-row"], 2 / (1 / 0.25 + 1 / 0.5))

    def test_unsupported_on_one_platform_is_zero(self):
        metric = portability.metric(self.views, self.table).set_index("application_name")
        self.assertEqual((metric.application["fatvec csr-team"], metric.architectural["fatvec csr-team"]), (0, 0))

    def test_a_problem_that_one_platform_did_not_try_does_not_count(self):
        self.assertEqual(set(self.table.k), {1})

    def test_one_platform_has_no_portability(self):
        self.assertEqual(sections_record.versions(self.views), "")
        self.assertEqual(len(portability.platforms(self.views[:1])), 1)


class Published(unittest.TestCase):
    def test_real_matrices_and_twins_stand_beside_what_was_published(self):
        found = views(made(({"cpu": "c"}, [case(FATVEC, 1, "gen:twin:cage4", k=2), case(HLL, 4, "gen:twin:cage4", k=3),
                                           case(FATVEC, 1, "x/cant.mtx", k=6), case(FATVEC, 1e-3, "x/cant.mtx", k=128)])))
        before = published.FOLDER
        with tempfile.TemporaryDirectory() as folder:
            published.FOLDER = pathlib.Path(folder)
            self.assertEqual(sections_record.beside_published(found), [])
            (published.FOLDER / "balayre_openmp_gflops.csv").write_text("matrix,crs,ellpack\ncage4,0.385164,0.334653\ncant,29.7794,27.6956\n")
            (published.FOLDER / "stec_gflops.csv").write_text("something else\n")
            table = sections_record.beside_published(found)[-1]
            (published.FOLDER / "stec_gflops.csv").write_text("matrix,openacc_cpu_csr,mkl_bsr\nldoor,9.42,25.91\n")
            ldoor = views(made(({"cpu": "c"}, [case(FATVEC, 1, "gen:twin:ldoor", k=1), case(HLL, 0.5, "gen:twin:ldoor", k=1),
                                               case("mkl/backend:openmp/format:bsr", 2, "gen:twin:ldoor", k=1)])))
            stec = sections_record.beside_published(ldoor)[-1]
        published.FOLDER = before
        row = dict(zip(stec.columns, stec.rows[0]))
        self.assertEqual([row[name] for name in ("published: CSR", "published: JAD", "published: MKL BSR", "[1] BSR", "[1] MKL BSR")],
                         ["9.42", "–", "25.9", "–", "1.00"])
        self.assertEqual(row["[1] best"], "4.00")  # in HLL, which the table has not
        self.assertEqual(table.rows, [["cage4 (twin)", "0.39", "0.33", "4.00", "–", "4.00", "csr-row, k = 2"],
                                      ["x/cant.mtx", "29.8", "27.7", "12.0", "–", "12.0", "csr-row, k = 6"]])  # k = 128 was not published


class Commit(unittest.TestCase):
    def test_changes_that_are_in_no_commit_show(self):
        self.assertEqual(commit({"git_hash": "0123456789abcdef", "git_dirty": "false"}), "0123456789")
        self.assertEqual(commit({"git_hash": "0123456789abcdef", "git_dirty": "true"}), "0123456789+")


if __name__ == "__main__":
    unittest.main()
