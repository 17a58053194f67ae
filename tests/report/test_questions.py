# SPDX-License-Identifier: Apache-2.0
"""The published systems' questions, and products with their copies, on examples small enough to do
by hand; pictures are drawn."""

import unittest

from cases import cases, made, seen
import matplotlib.pyplot as plt
from fatvec_report import papers, published, speed
from fatvec_report.page import Picture, Table
from fatvec_report.views import views

BSR = "mkl/backend:openmp/format:bsr"
TILES = "raw-openmp/backend:openmp/format:bsr/kernel:tiles/block_size:3"
HLL = "raw-openmp/backend:openmp/format:hll/schedule:guided/storage:row-major"
ONE_BY_ONE = "raw-openmp/backend:openmp/format:csr/kernel:column-by-column/copies:"
RAW8 = "raw-openmp/backend:openmp/format:csr/schedule:dynamic/chunk:8"
TEXTBOOK = "raw-{}/backend:{}/format:{}/kernel:textbook"
BLOCKS = f"{BSR} 1 | {BSR}/block_size:2 4 | {BSR}/block_size:7 2 | raw64 1 | {TILES} 5"


class Question(unittest.TestCase):
    def answer(self, ask, *texts, matrix="m", **context):
        """The tables of a section on files of 1, 4, ... threads; its pictures are drawn."""
        files = [
            ({"cpu": "c", "threads": str(4**at), **context}, cases(text, matrix=matrix))
            for at, text in enumerate(texts)
        ]
        (view,) = views(made(*files))
        blocks = ask(view)
        for block in blocks:
            if isinstance(block, Picture):
                figure = block.draw()
                self.assertTrue(any(axis.lines for axis in figure.axes), block.name)
                plt.close(figure)
        return [block for block in blocks if isinstance(block, Table)]

    def test_best_block_size_of_each_contender_stands_in_its_cell(self):
        (table,) = self.answer(papers.stec, BLOCKS, matrix="gen:twin:ldoor")
        columns = "matrix|k|mkl|raw-openmp|published: BSR|published: library".split("|")
        self.assertEqual(table.columns, columns)
        row = ["ldoor (twin, spread estimated)", "1", "1.00 (7)", "0.40 (3)", "7.14", "25.9"]
        self.assertEqual(table.rows, [row])
        self.assertEqual(self.answer(papers.stec, f"{BSR} 1"), [])  # which names no size

    def test_sizes_stand_beside_the_published_figures_too(self):
        def ask(view):
            return published.beside_published([view])

        tables = self.answer(ask, f"fatvec 1 | {BLOCKS}", matrix="gen:twin:ldoor")
        (table,) = [table for table in tables if "[1] MKL BSR" in table.columns]
        row = dict(zip(table.columns, table.rows[0]))
        self.assertEqual((row["[1] MKL BSR"], row["[1] CSR"]), ("1.00 (7)", "2.00"))

    def test_means_over_the_suite(self):
        """Each storage and schedule by itself, over the same on one thread."""
        csr, hll = (TEXTBOOK.format("openmp", "openmp", name) for name in ("csr", "hll"))
        plain, padded = (TEXTBOOK.format("serial", "serial", name) for name in ("csr", "hll"))
        row, column = "/storage:row-major", "/storage:column-major"

        def file(m, n):
            lines = {f"{csr}/schedule:dynamic/chunk:{at}": at for at in (1, 2)}
            lines |= {f"{csr}/schedule:balanced": 4}
            own = [f"{name} {by * s} {at}" for name, by in lines.items() for s, at in (m, n)]
            own += [f"{hll}/schedule:guided{at} {m[0]} m" for at in (row, column)]
            own += [f"{plain} 8 m", f"{plain} 4 n", f"{padded}{row} 8 m", f"{padded}{column} 4 m"]
            return " | ".join([*own, "serial 1 m", "raw64 0.1 m"])

        (table,) = self.answer(papers.calzetta, file((8, "m"), (8, "n")), file((2, "m"), (4, "n")))
        rows = {(row[0], row[2]): row[3:] for row in table.rows}
        # one thread: GFLOPS 2 / 8 and 2 / 8; the serial loop 2 / 8 and 2 / 4
        alone = ["0.25", "–", "0.25", "0.38", "1.00×", "100%", "2"]
        self.assertEqual(rows["csr dynamic", "1"], alone)
        # GFLOPS 1 and 1/2; speedups 4 and 2
        four = ["0.75", "–", "0.19", "0.38", "3.00×", "75%", "2"]
        self.assertEqual(rows["csr dynamic", "4"], four)
        self.assertEqual(rows["csr balanced", "4"][3:], ["0.38", "3.00×", "75%", "2"])
        self.assertEqual(rows["hll row-major guided", "4"][3:], ["0.25", "4.00×", "100%", "1"])
        self.assertEqual(rows["hll column-major guided", "4"][3:5], ["0.50", "4.00×"])
        one = file((8, "m"), (8, "n"))
        self.assertEqual(self.answer(papers.calzetta, one), [])  # one number of threads

    def test_speed_of_each_format_by_deviation(self):
        text = "raw64 2 {0} | {1} 4 {0} | {2} 1 {0} | fatvec 1 {0}"
        deviations = {"b": 60.0, "gen:twin:cant": 20.25, "a": 0.0}
        all_of_them = " | ".join(
            text.format(f"{matrix} row_deviation={deviation}", RAW8, HLL)
            for matrix, deviation in deviations.items()
        )
        (table,) = self.answer(papers.fraga, all_of_them)
        columns = ["matrix", "deviation (%)", "published (%)", "csr", "hll"]
        self.assertEqual(table.columns, columns)
        rows = [
            ["a", "0.00", "–", "1.00", "2.00"],
            ["cant (twin, spread estimated)", "20.25", "20.20", "1.00", "2.00"],
            ["b", "60.00", "–", "1.00", "2.00"],
        ]
        self.assertEqual(table.rows, rows)
        self.assertEqual(self.answer(papers.fraga, "raw64 2 a | raw64 2 b | raw64 2 c"), [])

    def test_k_products_over_one_product(self):
        text = " | ".join(
            f"raw64 {rows} {at} | {ONE_BY_ONE}no {k} {at} | {ONE_BY_ONE}yes {2 * k * rows} {at}"
            for rows in (1, 10)
            for k in (2, 4)
            for at in [f"m{rows} k={k} rows={rows}"]
        )
        (table,) = self.answer(papers.gollmann, text)
        rows = [
            ["raw-openmp", "row", "2", "0.20×", "4.00×", "2.00×", "4.00×"],
            ["raw-openmp", "row", "4", "0.40×", "8.00×", "4.00×", "8.00×"],
        ]
        self.assertEqual(table.rows, rows)

    def test_plain_kernels_are_compared_with_plain_ones_of_the_same_contender(self):
        plain = TEXTBOOK.format("openmp", "openmp", "csr")
        text = f"{ONE_BY_ONE}no 6 | raw64 1 | {plain} 3 | fatvec 1"
        (run,) = made(({}, cases(text, k=2, rows=5)))
        found = papers.one_against_many(run)
        self.assertEqual((list(found.together), set(found.contender)), ([3], {"raw-openmp"}))

    def test_dry_runs_are_asked_nothing(self):
        self.assertEqual(self.answer(papers.all_questions, BLOCKS, dry_run="true"), [])
        self.assertEqual(len(self.answer(papers.all_questions, BLOCKS)), 1)


class Copies(unittest.TestCase):
    """GFLOPS are 2 k / seconds."""

    def test_gflops_count_the_copies(self):
        timed = {"copy_in_bytes": 1.0, "copy_out_bytes": 1.0, "copy_in_seconds": 2.0}
        timed |= {"copy_out_seconds": 1.0, "pinned_in_seconds": 0.5, "pinned_out_seconds": 0.5}
        view = seen(cases("fatvec 1 | team 3 | cusparse 2", gpu=True, k=2, **timed))
        fatvec, cusparse = speed.copied(view.run).itertuples()
        self.assertEqual((fatvec.GFLOPS, fatvec.out, fatvec.both), (4, 4 / 2, 4 / 4))
        self.assertEqual((fatvec.pinned_out, fatvec.pinned_both), (4 / 1.5, 4 / 2))
        self.assertEqual((cusparse.GFLOPS, cusparse.both), (2, 4 / 5))
        rows = speed.copies(view)[-1].rows
        self.assertEqual(rows[0][2:], ["2", "4.00", "2.00", "1.00", "2.67", "2.00"])

    def test_without_pinned_memory_there_are_no_columns_of_it(self):
        timed = {"copy_in_bytes": 1.0, "copy_out_bytes": 1.0, "copy_in_seconds": 1.0}
        view = seen(cases("fatvec 1", **timed, copy_out_seconds=2.0))
        self.assertEqual(speed.copies(view)[-1].rows[0][3:], ["2.00", "0.67", "0.50"])

    def test_no_copies_no_section(self):
        none = {"copy_in_bytes": 0.0, "copy_out_bytes": 0.0}
        none |= {"copy_in_seconds": 0.0, "copy_out_seconds": 0.0}
        for more in ({}, none):
            self.assertEqual(speed.copies(seen(cases("fatvec 1 | mkl 2", **more))), [])


if __name__ == "__main__":
    unittest.main()
