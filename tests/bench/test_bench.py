# SPDX-License-Identifier: Apache-2.0
"""fatvec-bench from outside. usage: test_bench.py PROGRAM TEST_DATA"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest
import unittest.mock

from program import DATA, EMPTY_ROWS, NO_ROWS, PROGRAM, fields, results, run, unique_keys

COUNTERS = """GFLOPS GBs bytes bound_fraction verified setup_seconds median_seconds mean_seconds
    min_seconds spread capped matrix_bytes stored_entries rows nnz row_deviation""".split()
CONTEXT = """fatvec_version git_hash git_dirty compiler compiler_flags build_type kokkos_version
    kokkos_configuration kokkoskernels_version device cpu threads usable_processors
    bandwidth_host_read_GBs bandwidth_host_copy_GBs bandwidth_host_triad_GBs suite dry_run cache
    date caches host_name""".split()
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
        self.assertTrue(
            {"fatvec", "raw-serial", "kokkoskernels"}
            <= {fields(row)["contender"] for row in self.rows}
        )

    def test_context_tells_where_it_came_from(self):
        self.assertEqual([key for key in CONTEXT if key not in self.document["context"]], [])
        self.assertEqual(self.document["context"]["dry_run"], "true")

    def test_a_bound_thread_does_not_hide_the_other_processors(self):
        with unittest.mock.patch.dict(os.environ, OMP_PROC_BIND="true", OMP_NUM_THREADS="2"):
            where = results(*SMALL, "--dry-run", "--contender", "raw-serial")["context"]
        self.assertGreaterEqual(
            int(where["usable_processors"]), min(2, len(os.sched_getaffinity(0)))
        )


class Measured(unittest.TestCase):
    def test_a_timed_row(self):
        rows = results(
            *SMALL,
            *"--contender raw-serial --format csr --k 4 --layout row --max-seconds 1".split(),
        )["benchmarks"]
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
        one = (*SMALL, *"--contender raw-serial --format csr --k 1 --layout row".split())
        (row,) = results(*one, "--repetitions", "3000")["benchmarks"]
        self.assertGreaterEqual(row["repetitions"], 3000)
        self.assertEqual(row["capped"], 0)
        self.assertLessEqual(row["min_seconds"], row["mean_seconds"])
        (row,) = results(*one, "--repetitions", "3000", "--max-seconds", "0")["benchmarks"]
        self.assertEqual((row["repetitions"], row["capped"]), (3, 1))

    def test_a_scaled_row_reads_y_too(self):
        row = results(
            *SMALL,
            *"--contender raw-serial --format csr --k 4 --layout row --max-seconds 0".split(),
            *SCALINGS[1],
        )["benchmarks"][0]
        self.assertEqual(row["verified"], 1)  # after the repetitions, each of which changed Y
        self.assertEqual(row["bytes"], (7 * 216 - 6 * 36) * 12 + 217 * 4 + 4 * 8 * 3 * 216)

    def test_copies_of_x_and_y_are_timed_where_they_are_asked_for(self):
        one = (*SMALL, *"--contender raw-serial --format csr --k 4 --max-seconds 0".split())
        x = y = 8 * 216 * 4
        for more, bytes_in in (((), x), (("--beta", "0.5"), x + y)):
            (row,) = results(*one, "--layout", "row", "--transfers", "all", *more)["benchmarks"]
            self.assertEqual((row["copy_in_bytes"], row["copy_out_bytes"]), (bytes_in, y))
            self.assertGreater(min(row["copy_in_seconds"], row["copy_out_seconds"]), 0)
            self.assertNotIn("pinned_in_seconds", row)  # the host needs no such memory
        (row,) = results(*one, "--layout", "row")["benchmarks"]
        self.assertNotIn("copy_in_bytes", row)

    def test_backends_in_the_hosts_memory_have_no_copies(self):
        one = (*SMALL, *"--contender raw-serial --format csr --k 4 --layout row --dry-run".split())
        (row,) = results(*one, "--transfers", "device")["benchmarks"]
        for name in ("copy_in_bytes", "copy_out_bytes", "copy_in_seconds", "copy_out_seconds"):
            self.assertEqual(row[name], 0, name)
        self.assertIn("all times copies", run(*one, "--transfers", "device").stderr)

    def test_vectors_have_no_copies_to_time(self):
        done = run("--suite", "vectors", "--dry-run", "--transfers", "all")
        self.assertEqual(done.returncode, 2)
        self.assertIn("the suite vectors has none", done.stderr)

    def test_alpha_zero_reads_neither_a_nor_x(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "nan.mtx"
            path.write_text(
                "%%MatrixMarket matrix coordinate real general\n3 3 3\n1 1 nan\n2 1 inf\n3 2 1\n"
            )
            rows = [
                row
                for beta in ("0", "-0.5")
                for row in results(
                    *("--dry-run", "--matrix", str(path)),
                    *("--contender", "fatvec,raw-serial,raw-openmp", "--layout", "row,column"),
                    *("--k", "1,3", "--max-expansion", "1000", "--alpha", "0", f"--beta={beta}"),
                )["benchmarks"]
            ]
        self.assertGreater(len(rows), 100)
        self.assertEqual(
            [(row["name"], row.get("error_message")) for row in rows if row.get("verified") != 1],
            [],
        )

    def test_a_capped_row_says_so(self):
        row = results(
            *SMALL,
            *"--contender raw-serial --format csr --k 1 --layout row --max-seconds 0".split(),
        )["benchmarks"][0]
        self.assertEqual((row["repetitions"], row["capped"]), (3, 1))


class Selection(unittest.TestCase):
    def test_lists_select(self):
        rows = results(
            "--dry-run",
            *SMALL,
            *"--contender fatvec,raw-serial --k 3,5 --layout column --format csr".split(),
            *"--kernel csr-row".split(),
        )["benchmarks"]
        cases = {(f["contender"], f.get("kernel"), f["layout"], f["k"]) for f in map(fields, rows)}
        self.assertEqual(
            cases,
            {
                (contender, kernel, "column", k)
                for k in ("3", "5")
                for contender, kernel in (("fatvec", "csr-row"), ("raw-serial", None))
            },
        )

    def test_a_file_is_named_by_its_stem(self):
        matrices = f"{DATA / 'west2021.mtx.gz'},gen:banded:50:2"
        rows = results("--dry-run", "--matrix", matrices, "--k", "2", "--layout", "row")[
            "benchmarks"
        ]
        self.assertEqual({fields(row)["matrix"] for row in rows}, {"west2021", "gen:banded:50:2"})

    def test_too_large_a_format_is_a_skipped_row(self):
        rows = results(
            "--dry-run",
            *SMALL,
            *"--k 1 --layout row --contender fatvec --max-expansion 1.02".split(),
        )["benchmarks"]  # grid points at the boundary are padded
        skipped = {
            fields(row)["format"]: row["error_message"] for row in rows if row.get("error_occurred")
        }
        self.assertIn("ellpack", skipped)
        self.assertRegex(skipped["ellpack"], "^skipped: ELLPACK needs .* Formats that fit: csr")
        self.assertTrue(
            any(fields(row)["format"] == "csr" and row.get("verified") == 1 for row in rows)
        )

    def test_unknown_names_are_usage_errors_that_list_what_exists(self):
        for option, known in (
            ("--contender", "raw-serial"),
            ("--format", "ellpack"),
            ("--kernel", "csr-row"),
            ("--layout", "column"),
            ("--backend", "serial"),
            ("--suite", "demo"),
            ("--sweep", "all"),
        ):
            done = run("--dry-run", option, "nonsense")
            self.assertEqual(done.returncode, 2, option)
            self.assertIn("nonsense", done.stderr)
            self.assertIn(known, done.stderr)

    def test_a_sweep_of_other_builds_is_a_note(self):
        named = (
            *SMALL,
            *"--contender raw-serial --format csr --k 1 --layout row --dry-run".split(),
        )
        without = results(*named)["benchmarks"]
        self.assertEqual(
            [row["name"] for row in results(*named, "--sweep", "block,chunk")["benchmarks"]],
            [row["name"] for row in without],
        )
        listed = run("--list").stdout
        for sweep in "block", "chunk":
            told = run(*named, "--sweep", sweep).stderr
            self.assertEqual(
                f"no variants for the sweep '{sweep}'" in told,
                f"(with --sweep {sweep})" not in listed,
            )

    def test_other_wrong_usage(self):
        for arguments in (
            ("--nonsense",),
            ("--k", "0"),
            ("--k", "x"),
            ("--matrix", "gen:nonsense:3"),
            ("--matrix", "/nowhere/a.mtx"),
            ("--contender", "kokkoskernels", "--format", "hll"),
            ("--benchmark_nonsense=1",),
            ("--benchmark_repetitions=3",),
            (*SMALL, "--length", "5"),
            (*SMALL, "--no-nccl"),
            ("--suite", "vectors", "--beta", "2"),
            (*SMALL, *SMALL),
        ):
            done = run("--dry-run", *arguments)
            self.assertEqual(done.returncode, 2, (arguments, done.stderr))
            self.assertIn("fatvec-bench: ", done.stderr)

    def test_numbers_are_finite_and_fit(self):
        for option, value in (
            ("--alpha", "nan"),
            ("--beta", "inf"),
            ("--alpha", "1x"),
            ("--k", "9" * 20),
            ("--k", "3000000000"),
            ("--k", "1,0"),
            ("--length", "1e3"),
            ("--length", "9" * 20),
            ("--max-seconds", "nan"),
            ("--max-expansion", "inf"),
        ):
            done = run("--dry-run", *SMALL, f"{option}={value}")
            self.assertEqual(done.returncode, 2, (option, value, done.stderr))
            self.assertRegex(
                done.stderr,
                f"^fatvec-bench: {option}: wants a .*[.]\nSee 'fatvec-bench --help'[.]\n$",
            )

    def test_a_file_name_that_cannot_stand_in_json(self):
        for name, shown, reason in (
            (b"a\xff", '"a\ufffd"', "is not UTF-8"),
            (b"a\x01", r'"a\u0001"', "has a control character"),
            (b"a\nb", r'"a\nb"', "has a control character"),
            (b"\x7f\xc3\xa9", '"\x7f\u00e9"', "has a control character"),
        ):
            with self.subTest(name), tempfile.TemporaryDirectory() as folder:
                path = os.fsencode(folder) + b"/" + name + b".mtx"
                with open(path, "w") as file:
                    file.write(NO_ROWS)
                for more in ((), ("--output", f"{folder}/out.json", "--resume")):
                    done = run("--dry-run", "--matrix", path, *more)
                    self.assertEqual(done.returncode, 2, done.stderr)
                    self.assertIn(f"file name {shown} {reason}", done.stderr)

    def test_any_text_around_the_rows_becomes_json(self):
        """Of the environment, of a folder's name in a message, of Google Benchmark's context."""
        odd = b'\x01 \t\n \x1b[1m " \\ \xff \x7f \xc3\xa9'
        told = '\x01 \t\n \x1b[1m " \\ \ufffd \x7f \u00e9'
        with tempfile.TemporaryDirectory() as folder:
            within = os.fsencode(folder) + b"/" + odd
            os.mkdir(within)
            path, output = within + b"/m.mtx", pathlib.Path(folder) / "out.json"
            with open(path, "w") as file:
                file.write(EMPTY_ROWS[:-5])  # the header is well
            for more in ((), ("--resume",)):
                done = run(
                    *"--dry-run --contender fatvec --format csr --k 1 --layout row".split(),
                    *(b"--benchmark_context=odd=" + odd, "--matrix", path, "--output", output),
                    *more,
                    env={**os.environ, "KMP_ODD": os.fsdecode(odd)},
                    errors="replace",
                )
                self.assertEqual(done.returncode, 2, done.stderr)
                document = json.loads(output.read_text(), object_pairs_hook=unique_keys)
                self.assertEqual(document["context"]["odd"], told)
                self.assertEqual(document["context"]["env_KMP_ODD"], told)
                self.assertIn(f"/{told}/m.mtx", document["benchmarks"][0]["error_message"])

    def test_a_matrix_that_cannot_be_read_is_told(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "a.mtx"
            path.write_text(EMPTY_ROWS[:-5])
            self.assertEqual(
                run("--dry-run", "--matrix", str(path), "--format", "csr", "--k", "1").returncode, 2
            )

    def test_closed_standard_output(self):
        done = subprocess.run(
            [PROGRAM, "--list"], stderr=subprocess.PIPE, text=True, preexec_fn=lambda: os.close(1)
        )
        self.assertEqual(done.returncode, 1)
        self.assertIn("standard output", done.stderr)

    def test_options_and_suites_of_0_1_are_there(self):
        options = """--suite --matrix --k --length --contender --backend --format --kernel --layout
            --sweep --output --alpha --beta --resume --max-seconds --max-expansion --dry-run
            --list""".split()
        self.assertEqual(set(options) - set(run("--help").stdout.split()), set())
        suites = "demo balayre stec calzetta scaling vectors".split()
        self.assertEqual(set(suites) - set(run("--list").stdout.split()), set())

    def test_help_and_list(self):
        self.assertIn("--resume", run("--help").stdout)
        listed = run("--list").stdout
        for name in ("demo", "fatvec", "kernel:csr-row", "raw-serial", "kokkoskernels"):
            self.assertIn(name, listed)
        self.assertLess(listed.index("raw-serial"), listed.index("gen:twin:"))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
