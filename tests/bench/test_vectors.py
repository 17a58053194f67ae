# SPDX-License-Identifier: Apache-2.0
"""fatvec-bench --suite vectors from outside. usage: test_vectors.py PROGRAM TEST_DATA"""

import pathlib
import sys
import tempfile
import unittest

from program import fields, results, run


class Vectors(unittest.TestCase):
    """The suite of vectors: no matrices, the same rows, clock and file."""

    SUITE = ("--suite", "vectors")

    def test_every_contender_is_right(self):
        rows = results("--dry-run", *self.SUITE, "--k", "1,2,3,17,40")["benchmarks"]
        self.assertEqual(
            [(row["name"], row.get("error_message")) for row in rows if row.get("verified") != 1],
            [],
        )
        self.assertEqual(len({row["name"] for row in rows}), len(rows))
        found = {(fields(row)["operation"], fields(row)["contender"]) for row in rows}
        self.assertLessEqual(
            {
                (operation, contender)
                for operation in ("statistics", "dot")
                for contender in ("fatvec", "raw-serial")
            },
            found,
        )
        self.assertLessEqual({("asum", "fatvec"), ("nrm2", "fatvec")}, found)
        self.assertEqual({fields(row)["layout"] for row in rows}, {"row", "column"})

    def test_a_timed_row(self):
        (row,) = results(
            *self.SUITE,
            *"--length 5000 --k 3 --layout row --contender raw-serial".split(),
            *"--benchmark_filter=operation:dot --max-seconds 1".split(),
        )["benchmarks"]
        self.assertEqual(fields(row)["vector"], "5000")
        seconds = row["median_seconds"]
        self.assertGreaterEqual(row["repetitions"], 20)
        self.assertEqual((row["verified"], row["rows"], row["bytes"]), (1, 5000, 2 * 8 * 5000 * 3))
        self.assertAlmostEqual(row["GFLOPS"] * 1e9 * seconds, 2 * 5000 * 3, delta=1)

    def test_ints_are_right_to_the_last_digit(self):
        document = results("--dry-run", *self.SUITE, "--scalar", "int", "--k", "1,3,17")
        rows = document["benchmarks"]
        self.assertEqual(document["context"]["scalar"], "int")
        self.assertEqual([row["name"] for row in rows if row.get("verified") != 1], [])
        self.assertEqual({fields(row)["scalar"] for row in rows}, {"int"})
        self.assertLessEqual({"fatvec", "raw-serial"}, {fields(row)["contender"] for row in rows})
        self.assertEqual(
            {row["bytes"] for row in rows if fields(row)["vector"] == "33"},
            {operands * 4 * 33 * k for operands in (1, 2) for k in (1, 3, 17)},
        )

    def test_ints_are_of_vectors_only(self):
        done = run("--dry-run", "--scalar", "int")
        self.assertEqual(done.returncode, 2)
        self.assertIn("--scalar int is for the suite vectors", done.stderr)
        done = run("--dry-run", *self.SUITE, "--scalar", "int", "--contender", "mkl")
        self.assertEqual(done.returncode, 2, "MKL has no reductions of ints")

    def test_wrong_usage(self):
        for arguments in (
            ("--matrix", "gen:diagonal:5"),
            ("--contender", "nonsense"),
            ("--length", "0"),
            ("--format", "csr"),
        ):
            done = run("--dry-run", *self.SUITE, *arguments)
            self.assertEqual(done.returncode, 2, (arguments, done.stderr))

    def test_too_long_a_vector_is_a_skipped_row(self):
        (row,) = results(
            *self.SUITE,
            *"--length 1000000000000000 --k 1 --layout column --contender raw-serial".split(),
            "--benchmark_filter=operation:dot",
        )["benchmarks"]
        self.assertRegex(row["error_message"], "^skipped: .*16.0 PB")

    def test_resume(self):
        with tempfile.TemporaryDirectory() as folder:
            arguments = (
                "--dry-run",
                *self.SUITE,
                "--k",
                "1",
                "--output",
                str(pathlib.Path(folder) / "out.json"),
            )
            self.assertEqual(run(*arguments).returncode, 0)
            self.assertIn("0 are left", run(*arguments, "--resume").stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
