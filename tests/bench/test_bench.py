# SPDX-License-Identifier: Apache-2.0
"""fatvec-bench from outside. usage: test_bench.py PROGRAM TEST_DATA (standard library only)"""
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

PROGRAM, DATA = sys.argv[1], pathlib.Path(sys.argv[2])
COUNTERS = """GFLOPS GBs bytes bound_fraction verified setup_seconds median_seconds min_seconds spread capped matrix_bytes
    stored_entries rows nnz""".split()
CONTEXT = """fatvec_version git_hash git_dirty compiler compiler_flags build_type kokkos_version kokkos_configuration
    kokkoskernels_version device cpu threads usable_processors bandwidth_host_read_GBs bandwidth_host_copy_GBs
    bandwidth_host_triad_GBs suite dry_run cache date caches host_name""".split()
SMALL = ("--matrix", "gen:stencil7:6")


def run(*arguments):
    return subprocess.run([PROGRAM, *arguments], capture_output=True, text=True, timeout=250)


def unique_keys(pairs):
    keys = [key for key, _ in pairs]
    assert len(keys) == len(set(keys)), f"a key appears twice: {keys}"
    return dict(pairs)


def results(*arguments, status=0):
    """The document that a run writes; dry unless it says otherwise."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "out.json"
        done = run(*arguments, f"--benchmark_out={path}")
        assert done.returncode == status, f"{arguments}: exit {done.returncode}\n{done.stdout}\n{done.stderr}"
        return json.loads(path.read_text(), object_pairs_hook=unique_keys)


def fields(row):
    """key:value pairs of a name; a key ends at its first ':'."""
    return dict(part.split(":", 1) for part in row["name"].split("/"))


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


class Measured(unittest.TestCase):
    def test_a_timed_row(self):
        rows = results(*SMALL, "--contender", "raw-serial", "--k", "4", "--layout", "row", "--max-seconds", "1")["benchmarks"]
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

    def test_a_capped_row_says_so(self):
        row = results(*SMALL, "--contender", "raw-serial", "--k", "1", "--layout", "row", "--max-seconds", "0")["benchmarks"][0]
        self.assertEqual((row["repetitions"], row["capped"]), (3, 1))


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
                              ("--layout", "column"), ("--backend", "serial"), ("--suite", "demo")):
            done = run("--dry-run", option, "nonsense")
            self.assertEqual(done.returncode, 2, option)
            self.assertIn("nonsense", done.stderr)
            self.assertIn(known, done.stderr)

    def test_other_wrong_usage(self):
        for arguments in (("--nonsense",), ("--k", "0"), ("--k", "x"), ("--matrix", "gen:nonsense:3"),
                          ("--matrix", "/nowhere/a.mtx"), ("--contender", "raw-serial", "--format", "hll"),
                          ("--benchmark_nonsense=1",), (*SMALL, *SMALL)):
            done = run("--dry-run", *arguments)
            self.assertEqual(done.returncode, 2, (arguments, done.stderr))
            self.assertIn("fatvec-bench: ", done.stderr)

    def test_help_and_list(self):
        self.assertIn("--benchmark_out", run("--help").stdout)
        listed = run("--list").stdout
        for name in ("demo", "fatvec", "kernel:csr-row", "raw-serial", "kokkoskernels"):
            self.assertIn(name, listed)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
