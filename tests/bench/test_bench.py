# SPDX-License-Identifier: Apache-2.0
"""fatvec-bench from outside. usage: test_bench.py PROGRAM TEST_DATA"""
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest
import unittest.mock

from program import DATA, PROGRAM, fields, results, run

COUNTERS = """GFLOPS GBs bytes bound_fraction verified setup_seconds median_seconds mean_seconds min_seconds spread capped matrix_bytes
    stored_entries rows nnz""".split()
CONTEXT = """fatvec_version git_hash git_dirty compiler compiler_flags build_type kokkos_version kokkos_configuration
    kokkoskernels_version device cpu threads usable_processors bandwidth_host_read_GBs bandwidth_host_copy_GBs
    bandwidth_host_triad_GBs suite dry_run cache date caches host_name""".split()
SMALL = ("--matrix", "gen:stencil7:6")
SCALINGS = ((), ("--alpha=-1.5", "--beta=0.5"))  # Y is NaN before the first


class Suite(unittest.TestCase):
    """The whole demo suite, dry."""

    @classmethod
    def setUpClass(cls):
        cls.document = results("--dry-run")
        cls.rows = cls.document["benchmarks"]

    def test_every_row_is_verified_or_tells_why_not(self):
        for row in self.rows:
            if row.get("error_occurred"):
                self.assertRegex(row["error_message"], "^skipped: .{10,}", row["name"])
            else:
                self.assertEqual(row["verified"], 1, row["name"])
                self.assertEqual([key for key in COUNTERS if key not in row], [], row["name"])
                self.assertEqual(row["repetitions"], 1)
                self.assertGreater(row["GFLOPS"], 0)

    def test_names_parse_and_differ(self):
        self.assertEqual(len({row["name"] for row in self.rows}), len(self.rows))
        for row in self.rows:
            for key in ("matrix", "contender", "format", "layout", "k"):
                self.assertIn(key, fields(row))
            if fields(row)["contender"] == "fatvec":
                self.assertIn("kernel", fields(row))
        self.assertTrue({"fatvec", "raw-serial", "kokkoskernels"} <= {fields(row)["contender"] for row in self.rows})

    def test_context_tells_where_it_came_from(self):
        self.assertEqual([key for key in CONTEXT if key not in self.document["context"]], [])
        self.assertEqual(self.document["context"]["dry_run"], "true")

    def test_a_bound_thread_does_not_hide_the_other_processors(self):
        with unittest.mock.patch.dict(os.environ, OMP_PROC_BIND="true", OMP_NUM_THREADS="2"):
            where = results(*SMALL, "--dry-run", "--contender", "raw-serial")["context"]
        self.assertGreaterEqual(int(where["usable_processors"]), min(2, len(os.sched_getaffinity(0))))


class Measured(unittest.TestCase):
    def test_a_timed_row(self):
        rows = results(*SMALL, "--contender", "raw-serial", "--format", "csr", "--k", "4", "--layout", "row",
                       "--max-seconds", "1")["benchmarks"]
        self.assertEqual(len(rows), 1)
        row = rows[0]
        seconds = row["median_seconds"]
        self.assertGreaterEqual(row["repetitions"], 20)
        self.assertEqual(row["capped"], 0)
        self.assertAlmostEqual(row["real_time"] * 1e-3, seconds, delta=1e-6 * seconds)
        self.assertLessEqual(row["min_seconds"], seconds)
        nnz, n, k = 7 * 216 - 6 * 36, 216, 4
        self.assertEqual((row["nnz"], row["rows"]), (nnz, n))
        self.assertEqual(row["bytes"], nnz * 12 + (n + 1) * 4 + k * 8 * 2 * n)
        self.assertAlmostEqual(row["GFLOPS"] * 1e9 * seconds, 2 * nnz * k, delta=1)

    def test_repetitions_that_are_asked_for(self):
        one = (*SMALL, "--contender", "raw-serial", "--format", "csr", "--k", "1", "--layout", "row")
        row, = results(*one, "--repetitions", "3000")["benchmarks"]
        self.assertGreaterEqual(row["repetitions"], 3000)
        self.assertEqual(row["capped"], 0)
        self.assertLessEqual(row["min_seconds"], row["mean_seconds"])
        row, = results(*one, "--repetitions", "3000", "--max-seconds", "0")["benchmarks"]
        self.assertEqual((row["repetitions"], row["capped"]), (3, 1))

    def test_a_scaled_row_reads_y_too(self):
        row = results(*SMALL, "--contender", "raw-serial", "--format", "csr", "--k", "4", "--layout", "row", "--max-seconds", "0",
                      *SCALINGS[1])["benchmarks"][0]
        self.assertEqual(row["verified"], 1)  # after the repetitions, each of which changed Y
        self.assertEqual(row["bytes"], (7 * 216 - 6 * 36) * 12 + 217 * 4 + 4 * 8 * 3 * 216)

    def test_a_capped_row_says_so(self):
        row = results(*SMALL, "--contender", "raw-serial", "--format", "csr", "--k", "1", "--layout", "row",
                      "--max-seconds", "0")["benchmarks"][0]
        self.assertEqual((row["repetitions"], row["capped"]), (3, 1))


class HandWritten(unittest.TestCase):
    """The raw CPU contenders on awkward matrices, with numbers of columns around every width of a register tile."""

    GENERATED = ("gen:diagonal:50", "gen:arrow:200", "gen:banded:90:3", "gen:uniform:70x33:5", "gen:uniform:20x400:30",
                 "gen:powerlaw:300:4", "gen:empty:0", "gen:empty:40x7", "gen:diagonal:1")
    # rows 1, 3 and 5 to 7 empty: the first, one in between, the last ones
    EMPTY_ROWS = "%%MatrixMarket matrix coordinate real general\n7 3 3\n2 3 1.5\n4 1 -2\n4 2 0.25\n"
    NO_ROWS = "%%MatrixMarket matrix coordinate real general\n0 0 0\n"

    def check(self, matrices):
        for scaling in SCALINGS:
            with self.subTest(scaling=scaling):
                self.check_scaled(matrices, *scaling)

    def check_scaled(self, matrices, *scaling):
        rows = results("--dry-run", "--matrix", ",".join(map(str, matrices)), "--contender", "raw-serial,raw-openmp", *scaling,
                       "--layout", "row,column", "--k", "1,2,3,5,8,9,16,17,33,40", "--max-expansion", "1000")["benchmarks"]
        self.assertEqual([(row["name"], row.get("error_message")) for row in rows if row.get("verified") != 1], [])
        self.assertEqual(len({fields(row)["matrix"] for row in rows}), len(matrices))
        self.assertEqual({fields(row)["format"] for row in rows}, {"csr", "ellpack", "hll", "jad", "pjad", "bsr"})
        self.assertLessEqual({"row-major", "column-major"}, {fields(row).get("storage") for row in rows})

    def test_textbook_kernels(self):
        """What runs only with --sweep textbook, for more than a column, padding, and rows of different lengths."""
        rows = results("--dry-run", "--matrix", "gen:uniform:70x33:5,gen:arrow:200,gen:empty:40x7", "--sweep", "textbook", "--contender",
                       "raw-serial", "--layout", "row,column", "--k", "1,3", "--max-expansion", "1000", *SCALINGS[1])["benchmarks"]
        if "contender:raw-openmp" in run("--list").stdout:
            rows += results("--dry-run", "--matrix", "gen:uniform:70x33:5,gen:empty:40x7", "--sweep", "textbook", "--contender", "raw-openmp",
                            "--layout", "row,column", "--k", "1,3", "--max-expansion", "1000")["benchmarks"]
        self.assertEqual([(row["name"], row.get("error_message")) for row in rows if row.get("verified") != 1], [])
        kernels = {(fields(row)["contender"], fields(row)["kernel"], fields(row)["format"], fields(row).get("storage"))
                   for row in rows if "kernel" in fields(row)}
        for contender in {fields(row)["contender"] for row in rows}:
            self.assertLessEqual({(contender, "textbook", "csr", None), (contender, "textbook", "ellpack", "row-major"),
                                  (contender, "textbook", "ellpack", "column-major"), (contender, "textbook", "hll", "row-major"),
                                  (contender, "textbook", "hll", "column-major"), (contender, "column-by-column", "csr", None)}, kernels)

    def test_generated_matrices(self):
        self.check(self.GENERATED)

    def test_every_block_size(self):
        rows = results("--dry-run", "--matrix", "gen:stencil9:7x5:dof=3,gen:uniform:71x34:5", "--contender", "raw-serial,raw-openmp",
                       "--format", "bsr", "--sweep", "block_size", "--layout", "row,column", "--k", "1,9",
                       "--max-expansion", "1000")["benchmarks"]
        self.assertEqual([(row["name"], row.get("error_message")) for row in rows if row.get("verified") != 1], [])
        self.assertEqual({fields(row).get("block_size") for row in rows}, {None, *map(str, range(1, 17))})

    def test_both_orders_of_slots(self):
        rows = results("--dry-run", "--matrix", "gen:stencil9:7x5:dof=3", "--contender", "fatvec", "--backend", "openmp",
                       "--sweep", "storage", "--layout", "row", "--k", "1,9", "--max-expansion", "1000")["benchmarks"]
        self.assertEqual([(row["name"], row.get("error_message")) for row in rows if row.get("verified") != 1], [])
        orders = {(f["format"], f.get("storage")) for f in map(fields, rows)}
        for swept in ("ellpack", "hll", "bsr"):
            self.assertLessEqual({(swept, "row-major"), (swept, "column-major")}, orders)

    def test_real_matrices(self):
        self.check(sorted(DATA.glob("*.mtx*")))

    def test_empty_rows_and_no_rows(self):
        with tempfile.TemporaryDirectory() as folder:
            files = [pathlib.Path(folder) / "empty_rows.mtx", pathlib.Path(folder) / "no_rows.mtx"]
            files[0].write_text(self.EMPTY_ROWS)
            files[1].write_text(self.NO_ROWS)
            self.check(files)


class Selection(unittest.TestCase):
    def test_lists_select(self):
        rows = results("--dry-run", *SMALL, "--contender", "fatvec,raw-serial", "--k", "3,5", "--layout", "column",
                       "--format", "csr", "--kernel", "csr-row")["benchmarks"]
        cases = {(f["contender"], f.get("kernel"), f["layout"], f["k"]) for f in map(fields, rows)}
        self.assertEqual(cases, {(contender, kernel, "column", k) for k in ("3", "5")
                                 for contender, kernel in (("fatvec", "csr-row"), ("raw-serial", None))})

    def test_a_file_is_named_by_its_stem(self):
        matrices = f"{DATA / 'west2021.mtx.gz'},gen:banded:50:2"
        rows = results("--dry-run", "--matrix", matrices, "--k", "2", "--layout", "row")["benchmarks"]
        self.assertEqual({fields(row)["matrix"] for row in rows}, {"west2021", "gen:banded:50:2"})

    def test_too_large_a_format_is_a_skipped_row(self):
        rows = results("--dry-run", *SMALL, "--k", "1", "--layout", "row", "--contender", "fatvec",
                       "--max-expansion", "1.02")["benchmarks"]  # grid points at the boundary are padded
        skipped = {fields(row)["format"]: row["error_message"] for row in rows if row.get("error_occurred")}
        self.assertIn("ellpack", skipped)
        self.assertRegex(skipped["ellpack"], "^skipped: ELLPACK needs .* Formats that fit: csr")
        self.assertTrue(any(fields(row)["format"] == "csr" and row.get("verified") == 1 for row in rows))

    def test_unknown_names_are_usage_errors_that_list_what_exists(self):
        for option, known in (("--contender", "raw-serial"), ("--format", "ellpack"), ("--kernel", "csr-row"),
                              ("--layout", "column"), ("--backend", "serial"), ("--suite", "demo"), ("--sweep", "all")):
            done = run("--dry-run", option, "nonsense")
            self.assertEqual(done.returncode, 2, option)
            self.assertIn("nonsense", done.stderr)
            self.assertIn(known, done.stderr)

    def test_a_sweep_of_other_builds_is_a_note(self):
        named = (*SMALL, "--contender", "raw-serial", "--format", "csr", "--k", "1", "--layout", "row", "--dry-run")
        without = results(*named)["benchmarks"]
        self.assertEqual([row["name"] for row in results(*named, "--sweep", "block,chunk")["benchmarks"]], [row["name"] for row in without])
        listed = run("--list").stdout
        for sweep in "block", "chunk":
            told = run(*named, "--sweep", sweep).stderr
            self.assertEqual(f"no variants for the sweep '{sweep}'" in told, f"(with --sweep {sweep})" not in listed)

    def test_other_wrong_usage(self):
        for arguments in (("--nonsense",), ("--k", "0"), ("--k", "x"), ("--matrix", "gen:nonsense:3"),
                          ("--matrix", "/nowhere/a.mtx"), ("--contender", "kokkoskernels", "--format", "hll"),
                          ("--benchmark_nonsense=1",), (*SMALL, *SMALL)):
            done = run("--dry-run", *arguments)
            self.assertEqual(done.returncode, 2, (arguments, done.stderr))
            self.assertIn("fatvec-bench: ", done.stderr)

    def test_numbers_are_finite_and_fit(self):
        for option, value in (("--alpha", "nan"), ("--beta", "inf"), ("--alpha", "1x"), ("--k", "9" * 20), ("--k", "3000000000"), ("--k", "1,0"),
                              ("--length", "1e3"), ("--length", "9" * 20), ("--max-seconds", "nan"), ("--max-expansion", "inf")):
            done = run("--dry-run", *SMALL, f"{option}={value}")
            self.assertEqual(done.returncode, 2, (option, value, done.stderr))
            self.assertRegex(done.stderr, f"^fatvec-bench: {option}: wants a ")

    def test_a_file_name_that_cannot_stand_in_json(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.fsencode(folder) + b"/a\xff.mtx"
            with open(path, "w") as file:
                file.write(HandWritten.NO_ROWS)
            done = subprocess.run([PROGRAM, "--dry-run", "--matrix", path], capture_output=True)
        self.assertEqual(done.returncode, 2)
        self.assertIn(b"is not UTF-8", done.stderr)

    def test_a_matrix_that_cannot_be_read_is_told(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "a.mtx"
            path.write_text(HandWritten.EMPTY_ROWS[:-5])
            self.assertEqual(run("--dry-run", "--matrix", str(path), "--format", "csr", "--k", "1").returncode, 2)

    def test_closed_standard_output(self):
        done = subprocess.run([PROGRAM, "--list"], stderr=subprocess.PIPE, text=True, preexec_fn=lambda: os.close(1))
        self.assertEqual(done.returncode, 1)
        self.assertIn("standard output", done.stderr)

    def test_help_and_list(self):
        self.assertIn("--resume", run("--help").stdout)
        listed = run("--list").stdout
        for name in ("demo", "fatvec", "kernel:csr-row", "raw-serial", "kokkoskernels"):
            self.assertIn(name, listed)


class Peers(unittest.TestCase):
    """Other libraries keep the contract that our kernels keep, on matrices that are awkward for them."""

    PEERS, COLUMNS, LAYOUTS = ("kokkoskernels", "mkl", "eigen", "cusparse"), ("1", "2", "3", "8", "17"), ("row", "column")
    MATRICES = {  # name: rows, columns, entries (from 1)
        "tall": (37, 5, [(i, 1 + i * i % 4, i / 3) for i in range(2, 36)]),  # empty: first and last row, last column
        "wide": (5, 41, [(3, j, 1 / j) for j in range(1, 42)] + [(5, 41, -2.0)]),  # one dense row, mostly empty ones
        "one": (1, 1, [(1, 1, 0.5)]),
        "zeros": (33, 33, [(i, 34 - i, 0.0) for i in range(1, 34)]),  # explicit ones; a slice of 32 rows and one row
    }

    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.matrices = ["gen:stencil27:11", "gen:stencil9:9:dof=3", str(DATA / "west2021.mtx.gz")]  # the first: work for all threads
        for name, (rows, columns, entries) in cls.MATRICES.items():
            path = pathlib.Path(folder.name) / f"{name}.mtx"
            lines = ["%%MatrixMarket matrix coordinate real general", f"{rows} {columns} {len(entries)}"]
            path.write_text("\n".join(lines + [f"{i} {j} {value}" for i, j, value in entries]) + "\n")
            cls.matrices.append(str(path))
        listed = run("--list").stdout
        cls.built = [peer for peer in cls.PEERS if f"contender:{peer}/" in listed]
        cls.rows = [results("--dry-run", "--matrix", ",".join(cls.matrices), "--contender", ",".join(cls.built), *scaling,
                            "--k", ",".join(cls.COLUMNS), "--layout", ",".join(cls.LAYOUTS))["benchmarks"]
                    for scaling in SCALINGS]

    def check(self, peer, reason="nothing may be skipped"):
        if peer not in self.built:
            self.skipTest(f"this build has no {peer}")
        for rows, scaling in zip(self.rows, SCALINGS):
            with self.subTest(scaling=scaling):
                self.check_rows(rows, peer, reason)

    def check_rows(self, rows, peer, reason):
        verified, formats = set(), {True: set(), False: set()}
        for row in rows:
            f = fields(row)
            if f["contender"] != peer:
                continue
            formats["error_occurred" in row].add(f["format"])
            if row.get("error_occurred"):
                self.assertRegex(row["error_message"], f"^skipped: .*{reason}", row["name"])
            else:
                self.assertEqual(row["verified"], 1, row["name"])
                verified.add((f["matrix"], f["layout"], f["k"]))
        self.assertEqual(len(verified), len(self.matrices) * len(self.LAYOUTS) * len(self.COLUMNS))
        self.assertLessEqual(formats[True], formats[False], "a format that is never verified")

    def test_kokkoskernels(self):
        self.check("kokkoskernels", "Kokkos Kernels wants rows and columns that are multiples of the block size")

    def test_mkl(self):
        self.check("mkl", "(MKL wants rows and columns that are multiples of the block size|mkl_sparse_.* answered .*not supported)")

    def test_eigen(self):
        self.check("eigen")

    def test_cusparse(self):
        self.check("cusparse", "(cuSPARSE has no|cuSPARSE wants|cusparseSp.* answered|HLL needs)")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
