# SPDX-License-Identifier: Apache-2.0
"""The benchmark's contenders are right: hand-written kernels and other libraries.
usage: test_contenders.py PROGRAM TEST_DATA"""

import pathlib
import sys
import tempfile
import unittest

from program import DATA, EMPTY_ROWS, NO_ROWS, fields, results, run

SCALINGS = ((), ("--alpha=-1.5", "--beta=0.5"))  # Y is NaN before the first


class HandWritten(unittest.TestCase):
    """The raw CPU contenders on awkward matrices, with numbers of columns around every width of a
    register tile."""

    GENERATED = (
        "gen:diagonal:50",
        "gen:arrow:200",
        "gen:banded:90:3",
        "gen:uniform:70x33:5",
        "gen:uniform:20x400:30",
        "gen:powerlaw:300:4",
        "gen:empty:40x7",
        "gen:diagonal:1",
    )

    def all_verified(self, rows):
        self.assertEqual(
            [(row["name"], row.get("error_message")) for row in rows if row.get("verified") != 1],
            [],
        )

    def check(self, matrices, ks):
        for scaling in SCALINGS:
            with self.subTest(scaling=scaling):
                self.check_scaled(matrices, ks, *scaling)

    def check_scaled(self, matrices, ks, *scaling):
        rows = results(
            *("--dry-run", "--matrix", ",".join(map(str, matrices)), "--k", ks, *scaling),
            *"--contender raw-serial,raw-openmp --layout row,column --max-expansion 1000".split(),
        )["benchmarks"]
        self.all_verified(rows)
        self.assertEqual(len({fields(row)["matrix"] for row in rows}), len(matrices))
        slices = {"sell", "sliced-dia"} if "contender:raw-openmp" in run("--list").stdout else set()
        self.assertEqual(
            {fields(row)["format"] for row in rows},
            {"csr", "ellpack", "hll", "jad", "pjad", "bsr"} | slices,
        )
        self.assertLessEqual(
            {"row-major", "column-major"}, {fields(row).get("storage") for row in rows}
        )

    def test_textbook_kernels(self):
        """What runs only with --sweep textbook, for more than a column, padding, and rows of
        different lengths."""
        rows = results(
            *"--dry-run --matrix gen:uniform:70x33:5,gen:arrow:200,gen:empty:40x7".split(),
            *"--sweep textbook --contender raw-serial --layout row,column --k 1,3".split(),
            *"--max-expansion 1000".split(),
            *SCALINGS[1],
        )["benchmarks"]
        if "contender:raw-openmp" in run("--list").stdout:
            rows += results(
                *"--dry-run --matrix gen:uniform:70x33:5,gen:empty:40x7 --sweep textbook".split(),
                *"--contender raw-openmp --layout row,column --k 1,3 --max-expansion 1000".split(),
            )["benchmarks"]
        self.all_verified(rows)
        kernels = {
            (f["contender"], f["kernel"], f["format"], f.get("storage"))
            for f in map(fields, rows)
            if "kernel" in f
        }
        for contender in {fields(row)["contender"] for row in rows}:
            self.assertLessEqual(
                {
                    (contender, "textbook", "csr", None),
                    (contender, "textbook", "ellpack", "row-major"),
                    (contender, "textbook", "ellpack", "column-major"),
                    (contender, "textbook", "hll", "row-major"),
                    (contender, "textbook", "hll", "column-major"),
                    (contender, "columns-outside", "csr", None),
                    (contender, "column-by-column", "csr", None),
                },
                kernels,
            )

    def test_what_stands_around_a_product(self):
        """Dot products and residuals, in one pass and apart: with their sums."""
        call = """--dry-run --matrix gen:uniform:70x33:5,gen:arrow:200,gen:empty:40x7 --sweep fused
            --format csr,hll,sell --contender fatvec --layout row,column --k 1,5""".split()
        for scaling in SCALINGS:
            rows = [
                row for row in results(*call, *scaling)["benchmarks"] if "around" in fields(row)
            ]
            self.all_verified(rows)
            found = {  # steps, which GPUs have, have no passes
                tuple(fields(row)[key] for key in ("format", "around", "passes"))
                for row in rows
                if fields(row)["around"] != "step"
            }
            self.assertEqual(len(found), 12)

    def test_column_by_column(self):
        """fatvec's product of one column, k times."""
        call = """--dry-run --matrix gen:uniform:70x33:5,gen:empty:40x7 --sweep textbook
            --kernel column-by-column --contender fatvec --layout row,column --k 1,5""".split()
        for scaling in SCALINGS:
            rows = results(*call, *scaling)["benchmarks"]
            self.all_verified(rows)
            found = {(f["copies"], f["layout"], f["k"]) for f in map(fields, rows)}
            self.assertEqual(len(found), 8)

    def test_a_row_major_x_and_a_column_major_y(self):
        """Gollmann's listing 6, and fatvec's kernel: cases of layout row only."""
        call = """--dry-run --matrix gen:uniform:70x33:5,gen:empty:40x7 --sweep textbook
            --format csr --contender fatvec,raw-serial --layout row,column --k 1,5""".split()
        for scaling in SCALINGS:
            rows = results(*call, *scaling)["benchmarks"]
            rows = [row for row in rows if "y_layout" in fields(row)]
            self.all_verified(rows)
            keys = ("contender", "layout", "k")
            found = {tuple(fields(row)[key] for key in keys) for row in rows}
            self.assertEqual(
                found, {(name, "row", k) for name in ("fatvec", "raw-serial") for k in ("1", "5")}
            )

    def test_generated_matrices(self):
        self.check(self.GENERATED, "1,2,3,5,8,9,16,17,33,40")

    def test_every_block_size(self):
        rows = results(
            *"--dry-run --matrix gen:stencil9:7x5:dof=3,gen:uniform:71x34:5".split(),
            *"--contender raw-serial,raw-openmp --format bsr --sweep block_size".split(),
            *"--layout row,column --k 1,9 --max-expansion 1000".split(),
        )["benchmarks"]
        self.all_verified(rows)
        self.assertEqual(
            {fields(row).get("block_size") for row in rows}, {None, *map(str, range(1, 17))}
        )

    def test_both_orders_of_slots(self):
        rows = results(
            *"--dry-run --matrix gen:stencil9:7x5:dof=3 --contender fatvec".split(),
            *"--backend openmp --sweep storage --layout row --k 1,9 --max-expansion 1000".split(),
        )["benchmarks"]
        self.all_verified(rows)
        orders = {(f["format"], f.get("storage")) for f in map(fields, rows)}
        for swept in ("ellpack", "hll", "bsr"):
            self.assertLessEqual({(swept, "row-major"), (swept, "column-major")}, orders)

    def test_real_matrices(self):
        self.check(sorted(DATA.glob("*.mtx*")), "1,17")

    def test_empty_rows_and_no_rows(self):
        with tempfile.TemporaryDirectory() as folder:
            files = [pathlib.Path(folder) / "empty_rows.mtx", pathlib.Path(folder) / "no_rows.mtx"]
            files[0].write_text(EMPTY_ROWS)
            files[1].write_text(NO_ROWS)
            self.check(files, "1,9")


class Peers(unittest.TestCase):
    """Other libraries keep the contract of fatvec's kernels, on matrices that are awkward for
    them."""

    PEERS = ("kokkoskernels", "mkl", "eigen", "cusparse")
    COLUMNS = ("1", "2", "3", "8", "17")
    LAYOUTS = ("row", "column")
    MATRICES = {  # name: rows, columns, entries (from 1)
        # empty: first and last row, last column
        "tall": (37, 5, [(i, 1 + i * i % 4, i / 3) for i in range(2, 36)]),
        # one dense row, mostly empty ones
        "wide": (5, 41, [(3, j, 1 / j) for j in range(1, 42)] + [(5, 41, -2.0)]),
        "one": (1, 1, [(1, 1, 0.5)]),
        # explicit ones; a slice of 32 rows and one row
        "zeros": (33, 33, [(i, 34 - i, 0.0) for i in range(1, 34)]),
    }

    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        # the first: work for all threads
        cls.matrices = ["gen:stencil27:11", "gen:stencil9:9:dof=3", str(DATA / "west2021.mtx.gz")]
        for name, (rows, columns, entries) in cls.MATRICES.items():
            path = pathlib.Path(folder.name) / f"{name}.mtx"
            lines = [
                "%%MatrixMarket matrix coordinate real general",
                f"{rows} {columns} {len(entries)}",
            ]
            path.write_text(
                "\n".join(lines + [f"{i} {j} {value}" for i, j, value in entries]) + "\n"
            )
            cls.matrices.append(str(path))
        listed = run("--list").stdout
        cls.built = [peer for peer in cls.PEERS if f"contender:{peer}/" in listed]
        cls.rows = [
            results(
                *("--dry-run", "--matrix", ",".join(cls.matrices), *scaling),
                *("--contender", ",".join(cls.built), "--k", ",".join(cls.COLUMNS)),
                *("--layout", ",".join(cls.LAYOUTS)),
            )["benchmarks"]
            for scaling in SCALINGS
        ]

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
        self.check("kokkoskernels", "Kokkos Kernels has no merge-path for several columns")
        algorithms = {
            (fields(row)["format"], fields(row).get("algorithm"))
            for row in self.rows[0]
            if fields(row)["contender"] == "kokkoskernels" and row.get("verified") == 1
        }
        self.assertLessEqual({("csr", None), ("csr", "merge-path"), ("bsr", None)}, algorithms)
        self.assertTrue({("bsr", "v41"), ("bsr", "v42")} & algorithms)

    def test_mkl(self):
        self.check("mkl", "mkl_sparse_.* answered .*not supported")

    def test_blocks_that_do_not_divide_the_matrix(self):
        """37 x 5: rows and columns end within the last block of every size but 1."""
        peers = [peer for peer in self.built if peer != "eigen"]
        tall = next(matrix for matrix in self.matrices if matrix.endswith("tall.mtx"))
        call = """--format bsr --sweep block_size --k 1,3 --layout row,column
            --max-expansion 1000""".split()
        for scaling in SCALINGS:
            rows = results(
                "--dry-run", "--matrix", tall, "--contender", ",".join(peers), *call, *scaling
            )["benchmarks"]
            for peer in peers:
                sizes = {
                    fields(row).get("block_size")
                    for row in rows
                    if fields(row)["contender"] == peer and row.get("verified") == 1
                }
                self.assertLessEqual({str(size) for size in range(2, 17)}, sizes, peer)

    def test_eigen(self):
        self.check("eigen")

    def test_cusparse(self):
        self.check("cusparse", "(cuSPARSE has no|cuSPARSE wants|cusparseSp.* answered|HLL needs)")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
