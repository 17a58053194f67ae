# SPDX-License-Identifier: Apache-2.0
"""fatvec multiply: every kernel, layout and backend of the build; files in and out; checks."""

import itertools
import json
import subprocess
import unittest

from program import DATA, PROGRAM, VERIFICATION_FAILED, CliTest, matrices

SMALL = [(0, 0, 2), (0, 2, -1), (2, 1, 4)]  # 3 x 4; row 1 and column 3 are empty
SINGLE = ("--matrix-precision", "single")
X = [[1.0, 2.0, 3.0, 4.0], [0.5, -1.0, 0.0, 8.0]]
AX = [[-1.0, 0.0, 8.0], [1.0, 0.0, -4.0]]
BUILD = json.loads(subprocess.run([PROGRAM, "list", "--json"], capture_output=True).stdout)
BACKENDS = BUILD["backends"]


class EveryKernel(CliTest):
    def sweep(self, matrix, *cases):
        """Verifies the matrix with every kernel and backend of the build, for each layout and k."""
        for kernel, backend, (layout, k) in itertools.product(BUILD["kernels"], BACKENDS, cases):
            with self.subTest(
                matrix=matrix, kernel=kernel["name"], backend=backend, layout=layout, k=k
            ):
                result = self.json(
                    *("multiply", matrix, "--kernel", kernel["name"], "--backend", backend),
                    *("--layout", layout, "--k", k, "--verify", "--repeat", 0),
                )
                self.assertTrue(result["verified"]["passed"])
                self.assertLessEqual(result["verified"]["scaled"], 1)
                said = [result[key] for key in ("kernel", "format", "backend", "layout", "k")]
                self.assertEqual(said, [kernel["name"], kernel["format"], backend, layout, k])

    def test_k(self):
        """By name and number; tests/conformance has all k of all kernels."""
        self.sweep(DATA / "olm1000.mtx.gz", ("row", 1), ("row", 17), ("column", 1), ("column", 9))

    def test_many_columns(self):
        self.sweep(DATA / "cage4.mtx.gz", ("row", 300), ("column", 256))

    def test_shapes(self):
        for matrix in "gen:uniform:50x7:3", "gen:empty:0", "gen:empty:4x0", "gen:empty:0x4":
            self.sweep(matrix, ("row", 3))

    def test_every_format_storage_and_slice(self):
        storages = "column-major", "row-major"
        for format_name, storage, size in itertools.product(BUILD["formats"], storages, (1, 7)):
            result = self.json(
                *("multiply", DATA / "mhda416.mtx.gz", "-k", 5, "--format", format_name),
                *("--storage", storage, "--hack-size", size, "--slice-size", size),
                *("--sort-window", 2 * size, "--verify", "--alpha=-0.5", "--beta", 2),
            )
            self.assertEqual((result["format"], result["verified"]["passed"]), (format_name, True))

    @unittest.skipUnless(matrices(), "FATVEC_MATRICES is not set")
    def test_real_matrices(self):
        for path in sorted(matrices().glob("*.mtx.gz")):
            for format_name in "csr", "sell":
                with self.subTest(matrix=path.name, format=format_name):
                    result = self.json(
                        "multiply", path, "--k", 6, "--format", format_name, "--verify"
                    )
                    self.assertTrue(result["verified"]["passed"])


class OtherStorage(CliTest):
    """Rows in another order, and one triangle: the products are A's."""

    def test_reordered_rows(self):
        for matrix in "gen:stencil7:9", "gen:powerlaw:200:4", "gen:empty:3":
            for layout, k in itertools.product(("row", "column"), (1, 9)):
                result = self.json(
                    *("multiply", matrix, "--reorder", "rcm", "--k", k, "--layout", layout),
                    *("--beta", 2, "--verify", "--repeat", 0),
                )
                self.assertTrue(result["verified"]["passed"])
                self.assertEqual((result["format"], result["reordered"]), ("csr", True))
        left = self.json("multiply", "gen:stencil7:9", "--reorder", "automatic", "--verify")
        self.assertFalse(left["reordered"])
        self.assertTrue(left["verified"]["passed"])
        self.refuses("square", "multiply", "gen:uniform:9x8:2", "--reorder", "rcm")
        for other in ("--format", "hll"), ("--symmetric",):
            self.error("multiply", "gen:stencil7:9", "--reorder", "rcm", *other)

    @unittest.skipUnless("openmp" in BACKENDS, "symmetric storage is multiplied on the host")
    def test_one_triangle(self):
        for layout, k in itertools.product(("row", "column"), (1, 9)):
            result = self.json(
                *("multiply", "gen:stencil27:6", "--symmetric", "--backend", "openmp", "--k", k),
                *("--layout", layout, "--alpha", 2, "--beta", -1, "--verify", "--repeat", 0),
            )
            self.assertTrue(result["verified"]["passed"])
            self.assertEqual(result["format"], "symmetric")
            self.assertLess(result["stored_entries"], result["matrix"]["nnz"])
        on_host = ("--symmetric", "--backend", "openmp")
        text = self.fatvec("multiply", "gen:stencil7:5", *on_host).stdout
        self.assertIn("entries of one triangle", text)
        said = self.error("multiply", "gen:powerlaw:40:3", *on_host)
        self.assertIn("symmetric", said)
        if "cuda" in BACKENDS:
            said = self.error("multiply", "gen:stencil7:5", "--symmetric", "--backend", "cuda")
            self.assertIn("on CPUs", said)


class Report(CliTest):
    def test_json(self):
        result = self.json(
            "multiply", DATA / "cage4.mtx.gz", "--k", 3, "--format", "ellpack", "--repeat", 4
        )
        self.assertEqual(result["matrix"]["nnz"], 49)
        self.assertEqual((result["stored_entries"], result["matrix_bytes"]), (54, 684))
        self.assertEqual(
            (result["repetitions"], result["alpha"], result["beta"], result["seed"]), (4, 1, 0, 1)
        )
        self.assertGreater(result["seconds"], 0)
        self.assertAlmostEqual(result["gflops"], 2e-9 * 49 * 3 / result["seconds"])
        self.assertNotIn("verified", result)
        self.assertNotIn("expected", result)

    def test_text(self):
        text = self.fatvec("multiply", DATA / "cage4.mtx.gz", "--verify").stdout
        self.assertLessEqual(len(text.splitlines()), 20)
        self.assertRegex(text, r"verified +passed: error L2 .*, max .*, scaled ")
        self.assertRegex(text, r"time +\d.* s, median of 10 further runs")
        self.assertRegex(text, r"rate +\d.* GFLOPS")

    def test_norms_of_x_and_y(self):
        arguments = ("multiply", self.matrix("a.mtx", 3, 4, SMALL), "--x", self.dense("x.mtx", X))
        for layout in "row", "column":
            result = self.json(*arguments, "--layout", layout, "--beta", 0)
            for name, columns in (("x", X), ("y", AX)):
                self.assertEqual(
                    result[name]["norm1"], [sum(map(abs, column)) for column in columns]
                )
                self.assertEqual(
                    result[name]["max_norm"], [max(map(abs, column)) for column in columns]
                )
                for found, column in zip(result[name]["norm2"], columns):
                    self.assertAlmostEqual(found, sum(value**2 for value in column) ** 0.5)
        text = self.fatvec(*arguments).stdout
        self.assertRegex(text, r"X +1-norm 19.5, 2-norm 9.7596\d*, max-norm 8\n")
        self.assertRegex(text, r"Y +1-norm 14, 2-norm 9.0553\d*, max-norm 8\n")

    def test_norms_of_nothing_and_of_what_is_not_a_number(self):
        self.assertEqual(self.json("multiply", "gen:empty:0")["y"]["norm2"], [0])
        y = self.json(
            "multiply",
            self.matrix("a.mtx", 2, 1, [(1, 0, 1)]),
            "--x",
            self.dense("x.mtx", [[float("nan")]]),
        )["y"]
        self.assertEqual(y["norm2"], [None])

    def test_first_run_only(self):
        result = self.json("multiply", DATA / "cage4.mtx.gz", "--repeat", 0)
        self.assertEqual(result["seconds"], result["first_run_seconds"])


class Files(CliTest):
    def setUp(self):
        super().setUp()
        self.a = self.matrix("a.mtx", 3, 4, SMALL)
        self.x = self.dense("x.mtx", X)

    def test_x_from_a_file(self):
        result = self.json("multiply", self.a, "--x", self.x, "--output", "y.mtx", "--verify")
        self.assertEqual((result["k"], result["output"]), (2, "y.mtx"))
        self.assertEqual(self.read_dense(self.folder / "y.mtx"), AX)

    def test_x_from_the_standard_input(self):
        x = self.x.read_bytes()
        self.fatvec("multiply", self.a, "--x", "-", "--output", "y.mtx", stdin=x)
        self.assertEqual(self.read_dense(self.folder / "y.mtx"), AX)

    def test_one_operand_at_most_from_the_standard_input(self):
        for command in (["-", "--x", "-"], [self.a, "--x", "-", "--expect", "-"]):
            message = self.fatvec("multiply", *command, expect=2).stderr
            self.assertIn("Only one operand can be read from the standard input", message)

    def test_alpha_and_beta(self):
        y0 = self.dense("y0.mtx", [[1.0, 2.0, 3.0], [10.0, 20.0, 30.0]])
        self.fatvec(
            *("multiply", self.a, "--x", self.x, "--y", y0, "--alpha", 2, "--beta", -1),
            *("--output", "y.mtx", "--verify"),
        )
        self.assertEqual(
            self.read_dense(self.folder / "y.mtx"), [[-3.0, -2.0, 13.0], [-8.0, -20.0, -38.0]]
        )

    def test_beta_zero_ignores_what_y_held(self):
        self.fatvec("multiply", "gen:empty:3", "--output", "y.mtx")
        self.assertEqual(self.read_dense(self.folder / "y.mtx"), [[0.0, 0.0, 0.0]])

    def test_expect(self):
        e = self.dense("e.mtx", [[-1.000001, 0.0, 8.00001], AX[1]])
        result = self.json("multiply", self.a, "--x", self.x, "--expect", e)
        self.assertTrue(result["expected"]["passed"])
        self.assertAlmostEqual(result["expected"]["max"], 1e-5)
        exact = self.dense("exact.mtx", AX)
        self.fatvec("multiply", self.a, "--x", self.x, "--expect", exact, "--tolerance", 0)

    def test_mismatch_names_the_worst_element(self):
        e = self.dense("e.mtx", [AX[0], [1.1, 0.0, -3.0]])
        done = self.fatvec(
            "multiply", self.a, "--x", self.x, "--expect", e, "--json", expect=VERIFICATION_FAILED
        )
        self.assertRegex(
            done.stderr,
            r"^fatvec: verification failed: .*e\.mtx; worst is row 2, column 1 .* -3, got -4",
        )
        result = self.json(
            "multiply", self.a, "--x", self.x, "--expect", e, expect=VERIFICATION_FAILED
        )["expected"]
        self.assertEqual(result["worst"], {"row": 2, "column": 1, "expected": -3.0, "got": -4.0})
        self.assertFalse(result["passed"])
        self.fatvec("multiply", self.a, "--x", self.x, "--expect", e, "--tolerance", 0.5)

    def test_not_a_number_is_a_mismatch(self):
        x = self.write("nan.mtx", "%%MatrixMarket matrix array real general\n4 1\nnan\n1\n1\n1\n")
        e = self.dense("e.mtx", [[1.0, 0.0, 4.0]])
        done = self.fatvec("multiply", self.a, "--x", x, "--expect", e, expect=VERIFICATION_FAILED)
        self.assertIn("row 0, column 0", done.stderr)
        self.fatvec("multiply", self.a, "--x", x, "--verify")

    def test_output_reads_back_as_the_expected_result(self):
        for name in "y.mtx", "y.mtx.gz":
            call = ("multiply", DATA / "west2021.mtx.gz", "--k", 7, "--beta", 0.25, "--seed")
            self.fatvec(*call, 3, "--output", name)
            self.fatvec(*call, 3, "--expect", name, "--tolerance", 0)
            self.fatvec(*call, 4, "--expect", name, expect=VERIFICATION_FAILED)

    def test_random_operands_do_not_depend_on_the_threads(self):
        for threads in "1", "2", "5":
            call = ("multiply", "gen:stencil5:30", "--k", 4, "--beta", 1, "-o", f"{threads}.mtx")
            self.fatvec(*call, OMP_NUM_THREADS=threads)
        texts = {(self.folder / f"{threads}.mtx").read_text() for threads in "125"}
        self.assertEqual(len(texts), 1)

    def test_output_on_stdout_keeps_the_report_off_it(self):
        for arguments in (
            ("multiply", self.a, "--x", self.x, "--output"),
            ("generate", "diagonal", "4", "-o"),
        ):
            done = self.fatvec(*arguments, "/dev/stdout", report_on_stderr=True)
            self.assertTrue(done.stdout.startswith("%%MatrixMarket"))
            self.assertNotIn("written", done.stdout)
            self.assertIn("written", done.stderr)


class Refusals(CliTest):
    def test_unknown_endings(self):
        error = self.error("multiply", "gen:arrow:4", "--output", "y.foo")
        self.assertIn("y.foo: the name's ending says what is written: .npy", error)
        self.assertFalse((self.folder / "y.foo").exists())
        self.refuses("fatvec convert", "generate", "arrow:4", "-o", "a.npz")
        self.refuses("fatvec convert", "generate", "arrow:4", "-o", "a.npz.gz")

    def test_ranks_that_do_not_know_of_one_another(self):
        for ranks, rank, told in ((2, 0, True), (2, 1, False), (1, 0, False)):
            environment = {"OMPI_COMM_WORLD_SIZE": str(ranks), "OMPI_COMM_WORLD_RANK": str(rank)}
            done = self.fatvec("multiply", "gen:arrow:4", **environment)
            self.assertEqual("--distributed spreads" in done.stderr, told, done.stderr)

    def test_format_that_does_not_fit(self):
        error = self.error(
            "multiply", "gen:arrow:120000", "--format", "ellpack", "--memory-limit", "16GB"
        )
        self.assertRegex(error, r"172\.8 GB .* 16\.0 GB .*Formats that fit: csr .*hll")

    def test_operands_that_do_not_fit(self):
        self.assertRegex(
            self.error("multiply", "gen:diagonal:1000", "--k", 10**9),
            r"\d TB .*X of 1000 x 1000000000",
        )
        self.assertRegex(self.error("multiply", "gen:diagonal:1000", "--k", 2**62), r"\d EB ")

    def test_block_size_beyond_the_largest(self):
        error = self.error("multiply", "gen:diagonal:5", "--format", "bsr", "--block-size", 17)
        self.assertIn("block size of 1 to 16", error)

    def test_kernel_of_another_format(self):
        error = self.error("multiply", "gen:diagonal:5", "--kernel", "hll-row", "--format", "csr")
        self.assertIn("kernel hll-row multiplies the format hll, not csr", error)

    def test_wrong_sizes(self):
        a = self.matrix("a.mtx", 3, 4, SMALL)
        x = self.dense("x.mtx", X)
        short = self.dense("short.mtx", [[1.0, 2.0, 3.0]])
        self.assertRegex(
            self.error("multiply", a, "--x", short),
            r"short\.mtx: --x holds a 3 x 1 multivector; .* 4 x k",
        )
        y_error = self.error("multiply", a, "--x", x, "--beta", 1, "--y", short)
        self.assertRegex(y_error, r"short\.mtx: --y holds a 3 x 1 .* 3 x 2")
        self.assertRegex(
            self.error("multiply", a, "--x", x, "--expect", short),
            r"short\.mtx: --expect holds a 3 x 1 .* 3 x 2",
        )
        none = self.write("none.mtx", "%%MatrixMarket matrix array real general\n4 0\n")
        self.error("multiply", a, "--x", none)

    def test_output_over_an_input(self):
        a = self.matrix("a.mtx", 3, 4, SMALL)
        before = a.read_text()
        self.refuses("would replace the input", "multiply", "a.mtx", "--output", a)
        self.assertEqual(a.read_text(), before)

        with open(a) as file:
            done = subprocess.run(
                [PROGRAM, "multiply", "-", "--output", "a.mtx"],
                stdin=file,
                capture_output=True,
                text=True,
                cwd=self.folder,
            )
        self.assertEqual(done.returncode, 2)
        self.assertIn("would replace the input -", done.stderr)
        self.assertEqual(a.read_text(), before)

    def test_names_that_are_none(self):
        for option in ("--x", "--y", "--expect", "--output"):
            told = self.error("multiply", "gen:arrow:4", "--beta", 1, option, "")
            self.assertIn(f"{option}: wants the name of a file, not an empty one.", told)
        told = self.error("multiply", "gen:arrow:4", "--output", "-")
        self.assertIn("/dev/stdout", told)

    def test_numbers_are_decimal(self):
        result = self.json("multiply", "gen:arrow:4", "-k", "010", "--repeat", "08")
        self.assertEqual(result["k"], 10)
        self.refuses(
            " 8.0 MB that the memory limit",
            *("multiply", "gen:diagonal:1000000", "--memory-limit", "08MB"),
        )

    def test_kokkos_does_not_abort(self):
        for name, value, least in (
            ("KOKKOS_NUM_THREADS", "abc", 1),
            ("KOKKOS_NUM_THREADS", "0", 1),
            ("KOKKOS_NUM_THREADS", "", 1),
            ("KOKKOS_DEVICE_ID", "-1", 0),
        ):
            done = self.fatvec("info", "gen:arrow:4", expect=2, **{name: value})
            self.assertIn(f"{name}={value}: wants a whole number of at least {least}", done.stderr)
        self.fatvec("info", "gen:arrow:4", KOKKOS_NUM_THREADS=" 1 ")

    def test_no_partial_output(self):
        a = self.matrix("a.mtx", 3, 4, SMALL)
        self.refuses("no/y.mtx", "multiply", a, "--output", "no/y.mtx")
        self.error("multiply", a, "--expect", "missing.mtx", "--output", "y.mtx")
        self.assertEqual([path.name for path in self.folder.iterdir()], ["a.mtx"])

    def test_y_without_beta(self):
        self.refuses("--beta", "multiply", "gen:diagonal:5", "--y", "y.mtx")


THIRDS = [(0, 0, 1 / 3), (0, 2, -1), (2, 1, 0.1)]


class Precision(CliTest):
    """--matrix-precision single and --scalar float: what is stored and what is verified."""

    def setUp(self):
        super().setUp()
        self.thirds = self.matrix("thirds.mtx", 3, 4, THIRDS)
        call = [PROGRAM, "multiply", "gen:diagonal:3", *SINGLE, "--repeat", "0"]
        done = subprocess.run(call, capture_output=True, text=True)
        if done.returncode != 0 and "FATVEC_SINGLE_FORMATS" in done.stderr:
            self.skipTest("a build without FATVEC_SINGLE_FORMATS")

    def refused(self, call, told):
        self.assertRegex(self.error(*call), told)

    def test_orders_and_triangles_are_in_double(self):
        for storage in (("--reorder", "rcm"), ("--symmetric",)):
            for scalar in (SINGLE, ("--scalar", "float")):
                self.refused(("multiply", "gen:diagonal:3", *storage, *scalar), "in double")
        for command in ("analyse", "tune"):
            self.refused((command, "gen:diagonal:3", "--reorder", "rcm", *SINGLE), "in double")
        self.refused(("analyse", "gen:diagonal:3", "--backend", "all", *SINGLE), "in double")
        self.refused(("analyse", "gen:diagonal:3", "--copies", "once"), "--backend all")

    def test_operands_beyond_a_float_are_refused(self):
        x = self.dense("x.mtx", [[1.0, 2.0, 1e300]])
        call = ("multiply", "gen:diagonal:3", "--scalar", "float")
        self.refused((*call, "--x", x), r"--x: row 3, column 1 has 1e\+300, beyond what a float")
        y = self.dense("y.mtx", [[1.0, -1e39, 0.0]])
        self.refused(
            (*call, "-k", 1, "--beta", 1, "--y", y), r"--y: row 2, column 1 has -1e\+39, beyond"
        )

    def test_every_kernel_of_the_build_is_verified(self):
        formats = {"csr", "sliced-dia"}
        for format, layout, k in itertools.product(formats, ("row", "column"), (1, 4, 9)):
            with self.subTest(format=format, layout=layout, k=k):
                call = ("multiply", DATA / "olm1000.mtx.gz", "-f", format, "--layout", layout)
                call += ("--k", k, "--verify", "--repeat", 0)
                exact = self.json(*call)
                single = self.json(*call, *SINGLE)
                self.assertTrue(single["verified"]["passed"])
                self.assertEqual(single["matrix_precision"], "single")
                self.assertLess(single["matrix_bytes"], 0.75 * exact["matrix_bytes"])
                self.assertAlmostEqual(single["matrix_error"], 2.466e-8, delta=1e-11)
                self.assertTrue(self.json(*call, "--scalar", "float")["verified"]["passed"])

    def test_results_are_those_of_rounded_values(self):
        x = self.dense("ones.mtx", [[1.0, 1.0, 1.0, 1.0]])
        call = ("multiply", self.thirds, "--x", x, "--repeat", 0)
        exact, single = (
            self.json(*call, "--expect", self.dense("y.mtx", [[1 / 3 - 1, 0, 0.1]]), *more)
            for more in ((), SINGLE)
        )
        self.assertLess(exact["expected"]["max"], 1e-15)
        self.assertTrue(1e-9 < single["expected"]["max"] < 2e-8, single["expected"])

    def test_a_value_that_does_not_survive_is_refused_by_its_place(self):
        for more, told in (
            (("--matrix-error", "1e-9"), r"0\.333333 in row 0, column 0 .* more than 1e-09"),
            (("--matrix-error", "1"), "relative error is from 0 to below 1"),
        ):
            self.refused(("multiply", self.thirds, *SINGLE, *more), told)
        large = self.matrix("large.mtx", 3, 4, [*THIRDS[:2], (2, 1, 1e99)])
        told = r"1e\+99 in row 2, column 1 .*beyond the largest float"
        for command in ("multiply", "analyse", "tune"):
            self.refused((command, large, *SINGLE), told)
        info = self.json("info", large)["single_precision"]
        self.assertEqual(info, {"possible": False, "matrix_error": None})
        info = self.json("info", self.thirds)["single_precision"]
        self.assertAlmostEqual(info["matrix_error"], 2.98e-8, delta=1e-10)

    def test_what_does_not_go_together_is_refused(self):
        for more, told in (
            (("--matrix-error", "1e-7"), "--matrix-error is for --matrix-precision single"),
            ((*SINGLE, "--scalar", "float"), "With --scalar float A's values are floats"),
            (("--scalar", "float", "--alpha", "1e40"), "beyond what a float can be"),
            ((*SINGLE, "-f", "jad"), "no kernel 'jad-row' for values of A in single precision"),
        ):
            self.refused(("multiply", self.thirds, *more), told)

    def test_analyse_and_tune_know_of_it(self):
        exact = self.json("analyse", DATA / "olm1000.mtx.gz", "--k", 1)
        single = self.json("analyse", DATA / "olm1000.mtx.gz", "--k", 1, *SINGLE)
        self.assertAlmostEqual(single["matrix_error"], 2.466e-8, delta=1e-11)

        def bytes_of(result, format):
            ranking = result["workloads"][0]["ranking"]
            return next(p["matrix_bytes"] for p in ranking if p["format"] == format)

        self.assertEqual(bytes_of(exact, "csr") - bytes_of(single, "csr"), 4 * exact["nnz"])
        for format in ("csr", "sliced-dia"):
            call = ("multiply", DATA / "olm1000.mtx.gz", "-f", format, "--repeat", 0)
            self.assertEqual(
                bytes_of(single, format), self.json(*call, *SINGLE)["matrix_bytes"], format
            )
        call = ("tune", DATA / "olm1000.mtx.gz", "--k", 1, "--seconds", 0, "--default-policies")
        tuned = self.json(*call, "--no-cache", *SINGLE)
        (workload,) = tuned["workloads"]
        self.assertTrue(workload["measured"])
        self.assertEqual({m["problem"] for m in workload["measured"]}, {""})
