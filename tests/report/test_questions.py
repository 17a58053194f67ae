# SPDX-License-Identifier: Apache-2.0
"""The published systems' questions, on examples small enough to do by hand; pictures are drawn."""

import unittest

from cases import FATVEC, OPENMP, SERIAL, case, made
import matplotlib.pyplot as plt
from fatvec_report import papers, published, questions
from fatvec_report.page import Picture, Table
from fatvec_report.views import views

MKL = "mkl/backend:openmp/format:bsr"
HLL = "raw-openmp/backend:openmp/format:hll/schedule:guided/storage:"
HLL_SERIAL = "raw-serial/backend:serial/format:hll/storage:"
ONE_BY_ONE = "raw-openmp/backend:openmp/format:csr/kernel:column-by-column/copies:"


def with_counters(entry, **counters):
    return {**entry, **counters}


class Question(unittest.TestCase):
    def answer(self, ask, *files):
        """The tables of a section; its pictures are drawn."""
        (view,) = views(made(*files))
        blocks = ask(view)
        for block in blocks:
            if isinstance(block, Picture):
                figure = block.draw()
                self.assertTrue(any(axis.lines for axis in figure.axes), block.name)
                plt.close(figure)
        return [block for block in blocks if isinstance(block, Table)]


class BlockSizes(Question):
    CASES = [
        case(MKL, 1, "gen:twin:ldoor"),
        case(MKL + "/block_size:2", 4, "gen:twin:ldoor"),
        case(MKL + "/block_size:7", 2, "gen:twin:ldoor"),
        case(OPENMP + "64", 1, "gen:twin:ldoor"),
        case("raw-openmp/backend:openmp/format:bsr/kernel:tiles/block_size:3", 5, "gen:twin:ldoor"),
    ]

    def test_best_size_of_each_contender_stands_in_its_cell(self):
        (table,) = self.answer(papers.stec, ({"cpu": "c"}, self.CASES))
        self.assertEqual(
            table.columns,
            ["matrix", "k", "mkl", "raw-openmp", "published: BSR", "published: library"],
        )
        self.assertEqual(
            table.rows, [["ldoor (twin)", "1", "1.00 (7)", "0.40 (3)", "7.14", "25.9"]]
        )

    def test_sizes_stand_beside_the_published_figures_too(self):
        found = views(made(({"cpu": "c"}, [case(FATVEC, 1, "gen:twin:ldoor"), *self.CASES])))
        tables = [
            block
            for block in published.beside_published(found)
            if isinstance(block, Table) and "[1] MKL BSR" in block.columns
        ]
        self.assertEqual(len(tables), 1)
        row = dict(zip(tables[0].columns, tables[0].rows[0]))
        self.assertEqual((row["[1] MKL BSR"], row["[1] CSR"]), ("1.00 (7)", "2.00"))

    def test_runs_without_sizes_have_no_such_table(self):
        self.assertEqual(self.answer(papers.stec, ({"cpu": "c"}, [case(MKL, 1)])), [])


class Averages(Question):
    def file(self, threads, seconds):
        cases = [case(SERIAL, 8, "m"), case(SERIAL, 4, "n"), case(HLL_SERIAL + "row-major", 6, "m")]
        for matrix, time in zip("mn", seconds):
            cases += [case(OPENMP + "64", time, matrix), case(OPENMP + "8", 2 * time, matrix)]
        cases.append(case(HLL + "row-major", 3, "m"))
        return {"cpu": "c", "threads": str(threads)}, cases

    def test_means_over_the_suite(self):
        (table,) = self.answer(papers.calzetta, self.file(1, (8, 8)), self.file(4, (2, 4)))
        rows = {(row[0], row[2]): row[3:] for row in table.rows}
        # GFLOPS 2 / 8 and 2 / 8; speedups 1 and 1/2
        self.assertEqual(rows["csr", "1"], ["0.25", "0.25", "0.75×", "75%", "2"])
        # GFLOPS 1 and 1/2; speedups 4 and 1
        self.assertEqual(rows["csr", "4"], ["0.75", "0.19", "2.50×", "62%", "2"])
        # against the serial kernel of its own format: 6 / 3
        self.assertEqual(rows["hll row-major", "4"], ["0.67", "0.17", "2.00×", "50%", "1"])

    def test_one_number_of_threads_has_no_means(self):
        self.assertEqual(self.answer(papers.calzetta, self.file(1, (8, 8))), [])


class Deviation(Question):
    def cases(self, deviations):
        hll = HLL + "row-major"
        return [
            with_counters(case(who, seconds, matrix), row_deviation=deviation)
            for matrix, deviation in deviations
            for who, seconds in ((OPENMP + "64", 2), (OPENMP + "8", 4), (hll, 1), (FATVEC, 1))
        ]

    def test_speed_of_each_format_by_deviation(self):
        deviations = [("b", 60.0), ("gen:twin:cant", 20.25), ("a", 0.0)]
        (table,) = self.answer(papers.fraga, ({"cpu": "c"}, self.cases(deviations)))
        self.assertEqual(table.columns, ["matrix", "deviation (%)", "published (%)", "csr", "hll"])
        self.assertEqual(
            table.rows,
            [
                ["a", "0.00", "–", "1.00", "2.00"],
                ["cant (twin)", "20.25", "20.20", "1.00", "2.00"],
                ["b", "60.00", "–", "1.00", "2.00"],
            ],
        )

    def test_results_without_deviation_have_no_such_picture(self):
        cases = [case(OPENMP + "64", 2, matrix) for matrix in "abc"]
        self.assertEqual(self.answer(papers.fraga, ({"cpu": "c"}, cases)), [])


class OneAgainstMany(Question):
    def test_k_products_over_one_product(self):
        cases = [
            with_counters(case(who, seconds * rows, f"m{rows}", k), rows=rows)
            for rows in (1, 10)
            for k in (2, 4)
            for who, seconds in (
                (OPENMP + "64", 1),
                (ONE_BY_ONE + "no", k / rows),
                (ONE_BY_ONE + "yes", 2 * k),
            )
        ]
        (table,) = self.answer(papers.gollmann, ({"cpu": "c"}, cases))
        self.assertEqual(
            table.rows,
            [
                ["raw-openmp", "row", "2", "0.20×", "4.00×", "2.00×", "4.00×"],
                ["raw-openmp", "row", "4", "0.40×", "8.00×", "4.00×", "8.00×"],
            ],
        )

    def test_plain_kernels_are_compared_with_plain_ones(self):
        textbook = "raw-openmp/backend:openmp/format:csr/kernel:textbook"
        (run,) = made(
            (
                {},
                [
                    with_counters(case(who, seconds, k=2), rows=5)
                    for who, seconds in ((ONE_BY_ONE + "no", 6), (OPENMP + "64", 1), (textbook, 3))
                ],
            )
        )
        self.assertEqual(list(questions.one_against_many(run).together), [3])

    def test_contenders_without_k_products_are_left_out(self):
        (run,) = made(
            (
                {},
                [
                    with_counters(case(who, 1, k=2), rows=5)
                    for who in (FATVEC, ONE_BY_ONE + "no", OPENMP + "64")
                ],
            )
        )
        self.assertEqual(set(questions.one_against_many(run).contender), {"raw-openmp"})


class All(Question):
    def test_dry_runs_are_asked_nothing(self):
        context = {"cpu": "c", "dry_run": "true"}
        self.assertEqual(
            self.answer(papers.all_questions, (context, BlockSizes.CASES)), []
        )
        self.assertEqual(
            len(self.answer(papers.all_questions, ({"cpu": "c"}, BlockSizes.CASES))), 1
        )
        self.assertTrue((published.FOLDER / "fraga_deviation.csv").is_file())


if __name__ == "__main__":
    unittest.main()
