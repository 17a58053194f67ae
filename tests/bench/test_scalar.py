# SPDX-License-Identifier: Apache-2.0
"""fatvec-bench --scalar float and --matrix-precision. usage: test_scalar.py PROGRAM TEST_DATA"""

import json
import pathlib
import sys
import tempfile
import unittest

from program import EMPTY_ROWS, fields, results, run

SMALL = ("--dry-run", "--matrix", "gen:stencil7:6")
ROW = "--contender raw-serial --format csr --layout row --k 4".split()
IN_FLOAT = ("--scalar", "float")
LISTED = run("--list", *IN_FLOAT)
SINGLE = ("--matrix-precision", "single")


def errors(rows):
    """Of the rows that are not verified."""
    return {row["name"]: row.get("error_message") for row in rows if row.get("verified") != 1}


@unittest.skipIf(LISTED.returncode != 0, "a build without float")
class InFloat(unittest.TestCase):
    def test_every_row_of_the_demo_suite_is_verified_or_tells_why_not(self):
        document = results("--dry-run", *IN_FLOAT)
        self.assertEqual(document["context"]["scalar"], "float")
        self.assertEqual({fields(row)["scalar"] for row in document["benchmarks"]}, {"float"})
        for name, message in errors(document["benchmarks"]).items():
            self.assertRegex(message, "^skipped: .{10,}", name)
        verified = [fields(row) for row in document["benchmarks"] if row.get("verified") == 1]
        in_double = {fields(row)["contender"] for row in results("--dry-run")["benchmarks"]}
        self.assertEqual({row["contender"] for row in verified}, in_double)
        self.assertLessEqual(
            {"csr-row", "sell-row", "sliced-dia-row"}, {row.get("kernel") for row in verified}
        )

    def test_hand_written_kernels_around_every_width_of_a_tile(self):
        for scaling in ((), ("--alpha=-1.3", "--beta=0.7")):
            rows = results(
                *("--dry-run", *IN_FLOAT, "--contender", "fatvec,raw-serial,raw-openmp"),
                *"--matrix gen:diagonal:50,gen:arrow:200,gen:banded:90:3,gen:stencil7:9".split(),
                *"--k 1,2,3,5,8,9,16,17,33,40 --layout row,column --max-expansion 1000".split(),
                *scaling,
            )["benchmarks"]
            wrong = {name: why for name, why in errors(rows).items() if "in float" not in why}
            self.assertEqual(wrong, {})

    def test_values_of_four_bytes_are_counted(self):
        (row,) = results(*SMALL, *ROW, *IN_FLOAT)["benchmarks"]
        nnz, n, k = 7 * 216 - 6 * 36, 216, 4
        self.assertEqual(row["bytes"], nnz * 8 + (n + 1) * 4 + k * 4 * 2 * n)
        self.assertEqual(row["matrix_bytes"], nnz * 8 + (n + 1) * 4)

    def test_kernels_that_are_in_double_only_say_so(self):
        rows = results(*SMALL, *IN_FLOAT, *"--contender fatvec --layout row --k 1".split())
        for message in errors(rows["benchmarks"]).values():
            self.assertRegex(message, "^skipped: .* in float, but those of .*FATVEC_FLOAT_FORMATS")

    def test_a_value_beyond_float_skips_the_rows(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "large.mtx"
            path.write_text(EMPTY_ROWS.replace("-2\n", "-2e99\n"))
            file = ("--dry-run", "--matrix", str(path))
            (row,) = results(*file, *ROW, *IN_FLOAT)["benchmarks"]
            self.assertRegex(row["error_message"], "^skipped: 1 entries .* beyond what a float")
            self.assertEqual(errors(results(*file, *ROW)["benchmarks"]), {})
        done = run(*SMALL, *ROW, *IN_FLOAT, "--alpha=1e40")
        self.assertEqual(done.returncode, 2)
        self.assertIn("--alpha=1e+40 is beyond what a float can be.", done.stderr)

    def test_rows_of_the_other_scalar_are_not_resumed(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "out.json"
            call = (*SMALL, *ROW, "--output", str(path))
            self.assertEqual(run(*call).returncode, 0)
            before = json.loads(path.read_text())
            done = run(*call, *IN_FLOAT, "--resume")
            self.assertEqual(done.returncode, 2)
            self.assertRegex(done.stderr, "scalar 'double', this run has 'float'.* another file")
            self.assertEqual(json.loads(path.read_text()), before)
            self.assertEqual(run(*call, *IN_FLOAT).returncode, 0)
            self.assertIn("0 are left", run(*call, *IN_FLOAT, "--resume").stderr)

    def test_what_is_in_double_only_is_refused(self):
        for arguments, told in (
            ("--suite vectors", "the suite vectors is in double only"),
            ("--suite weak", "the suite weak is in double only"),
            ("--sweep textbook,fused", "--sweep fused are in double only"),
        ):
            done = run("--dry-run", *IN_FLOAT, *arguments.split())
            self.assertEqual(done.returncode, 2, arguments)
            self.assertIn(told, done.stderr)

    def test_the_table_and_the_list_tell(self):
        self.assertIn("in float; ", run(*SMALL, *ROW, *IN_FLOAT).stdout)
        self.assertNotIn("in float", run(*SMALL, *ROW).stdout)
        self.assertIn("kernel:csr-row", LISTED.stdout)


class Names(unittest.TestCase):
    def test_double_is_the_default(self):
        self.assertEqual(results(*SMALL, *ROW)["context"]["scalar"], "double")

    def test_unknown_scalars_are_usage_errors(self):
        for name in "half", "single", "Float":
            done = run(*SMALL, *ROW, f"--scalar={name}")
            self.assertEqual(done.returncode, 2)
            self.assertIn("this build has double, float", done.stderr)


@unittest.skipIf(LISTED.returncode != 0, "a build without float")
class SinglePrecision(unittest.TestCase):
    def test_kernels_of_the_build_are_verified(self):
        rows = results(
            *("--dry-run", *SINGLE, "--matrix", "gen:stencil7:6,gen:arrow:200"),
            *"--k 1,4,9 --layout row,column --sweep packing --alpha=-1.3 --beta=0.7".split(),
        )["benchmarks"]
        wrong = {name: why for name, why in errors(rows).items() if "row-major copies" not in why}
        self.assertEqual(wrong, {})
        self.assertEqual({fields(row)["precision"] for row in rows}, {"single"})
        kernels = {fields(row)["kernel"] for row in rows}
        self.assertEqual(kernels, {"csr-row", "sliced-dia-row"})

    def test_values_have_four_bytes_and_the_bound_those_of_double(self):
        row_of = ("--format", "csr", "--layout", "row", "--k", "4", "--contender", "fatvec")
        exact, single = (results(*SMALL, *row_of, *more)["benchmarks"] for more in ((), SINGLE))
        exact = next(row for row in exact if fields(row).get("kernel") == "csr-row")
        self.assertEqual(single[0]["bytes"], exact["bytes"])
        nnz = 7 * 216 - 6 * 36
        self.assertEqual(exact["matrix_bytes"] - single[0]["matrix_bytes"], 4 * nnz)

    def test_a_value_that_does_not_survive_skips_the_rows(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "large.mtx"
            path.write_text(EMPTY_ROWS.replace("-2\n", "-2e99\n"))
            rows = results("--dry-run", *SINGLE, "--matrix", str(path))["benchmarks"]
            for row in rows:
                self.assertRegex(row["error_message"], "^skipped: .*-2e.99 in row .* column ")

    def test_what_it_does_not_go_with_is_refused(self):
        for arguments, told in (
            ("--scalar float", "leave out --matrix-precision"),
            ("--suite vectors", "the suite vectors has no --matrix-precision"),
            ("--contender fatvec-portable", "leaves no contender"),
        ):
            done = run("--dry-run", *SINGLE, *arguments.split())
            self.assertEqual(done.returncode, 2)
            self.assertIn(told, done.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
