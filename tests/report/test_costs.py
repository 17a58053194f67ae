# SPDX-License-Identifier: Apache-2.0
"""What portability costs, on examples small enough to do by hand."""

import unittest

from cases import cases, seen
from fatvec_report import costs, summary


class Cost(unittest.TestCase):
    """GFLOPS are 2 k / seconds."""

    def summary(self, text, **options):
        self.view = seen(cases(text, **options))
        return costs.summary(self.view.costs)

    def row(self, text, shape="csr", **options):
        found = self.summary(text, **options)
        (row,) = found[found.format == shape].itertuples()
        return row

    def test_the_four_answers_are_geometric_means_over_the_matrices(self):
        row = self.row(
            "portable 2 m | portable 8 n | fatvec 1 m | fatvec 2 n | raw 1 m | raw 0.25 n | "
            "mkl 4 m | mkl 16 n"
        )
        self.assertAlmostEqual(row.portable, 0.5)  # of 1 and 1/4
        self.assertAlmostEqual(row.fatvec, 2**0.5)  # of 2 and 1
        self.assertAlmostEqual(row.raw, 4)  # of 2 and 8
        self.assertAlmostEqual(row.peer, 0.25)  # of 1/2 and 1/8
        self.assertAlmostEqual(row.ratio, (1 / 2 * 1 / 4) ** 0.5)
        self.assertEqual((row.worst, row.worst_matrix, row.matrices), (0.25, "n", 2))

    def test_each_role_counts_with_its_best_and_backends_stay_apart(self):
        row = self.row(
            "portable 4 | portable-range 2 | fatvec 2 | team 1 | raw 8 | raw64 4 | "
            "serial 0.5 | mkl 4 | eigen/backend:openmp/format:csr 1"
        )
        self.assertEqual([round(getattr(row, side), 9) for side in costs.SIDES], [1, 2, 0.5, 2])
        self.assertEqual((row.backend, row.ratio), ("openmp", 0.5))

    def test_only_matrices_that_both_did_and_that_are_verified_count(self):
        row = self.row(
            "portable 2 m | fatvec 1 m | portable 1 n | fatvec wrong n | portable skipped o | "
            "fatvec 0.01 o | portable 4 p | fatvec 4 p | raw 1 p | raw 0.01 n"
        )
        self.assertEqual((row.matrices, row.raw_count, row.peer_count), (2, 1, 0))
        self.assertAlmostEqual(row.portable, 0.5**0.5)  # of 1 and 1/2
        self.assertAlmostEqual(row.fatvec, 1)  # of 2 and 1/2
        self.assertEqual((row.raw, row.worst), (2, 0.5))
        cells = ["k = 1, csr", "2", "0.71", "1.00", "2.00 (1)", "–", "0.71×", "0.50×", "m"]
        self.assertEqual(costs.cost(self.view)[-1].rows[0], cells)

    def test_a_format_without_a_role_shows_the_others(self):
        sell = "fatvec/backend:openmp/format:sell/kernel:sell-row"
        self.summary(f"portable 2 | portable-hll 4 | {sell} 1")
        lines = {line[0][7:]: line[2:4] for line in costs.cost(self.view)[-1].rows}
        shown = {"csr": ["1.00", "–"], "hll": ["0.50", "–"], "sell": ["–", "2.00"]}
        self.assertEqual(lines, {**shown, "best format": ["1.00", "2.00"]})

    def test_the_best_format_may_differ_from_role_to_role(self):
        row = self.row(
            "portable 2 | portable-hll 1 | fatvec 0.5 | hll 4 | raw-hll 1 | raw 2 | mkl 4 | "
            "mkl/backend:openmp/format:bsr 0.25",
            costs.ANY,
        )
        self.assertEqual([round(getattr(row, side), 9) for side in costs.SIDES], [2, 4, 2, 8])
        self.assertEqual(row.ratio, 0.5)

    def test_rows_are_per_layout_k_and_format_in_the_order_of_the_file(self):
        self.summary(
            " | ".join(
                f"hll 1 {at} | portable-hll 2 {at} | fatvec 1 {at} | portable {slow} {at}"
                for layout, slow in (("row", 4), ("column", 10))
                for at in (f"layout={layout} k=1", f"layout={layout} k=8")
            )
        )
        row_title, row, column_title, column = costs.cost(self.view)
        titles = ("openmp, layout row", "openmp, layout column")
        self.assertEqual((row_title.text, column_title.text), titles)
        shapes = ("hll", "csr", "best format")
        order = [f"k = {k}, {shape}" for k in ("1", "8") for shape in shapes]
        self.assertEqual([line[0] for line in row.rows], order)
        for table, slow in ((row, "0.25×"), (column, "0.10×")):
            ratios = ["0.50×", slow, "0.50×", "0.50×", slow, "0.50×"]
            self.assertEqual([line[6] for line in table.rows], ratios)

    def test_launch_bound_matrices_are_apart_on_gpus(self):
        text = (
            "portable 40e-6 m | fatvec 20e-6 m | portable 8e-6 n | fatvec 10e-6 n | "
            "portable 12e-6 o | fatvec 9e-6 o | portable 6e-6 p | fatvec 2e-6 p"
        )
        row = self.row(text, gpu=True)
        # 10 microseconds are not launch-bound
        self.assertEqual((row.matrices, row.launch_bound, row.worst_matrix), (2, 2, "m"))
        self.assertAlmostEqual(row.ratio, (1 / 2 * 10 / 8) ** 0.5)
        self.assertAlmostEqual(row.launch_ratio, (9 / 12 * 2 / 6) ** 0.5)
        self.assertEqual(costs.cost(self.view)[-1].rows[0][-3:], ["2", "0.50×", "m"])
        self.assertEqual(summary.claims(self.view)[1][0], "79%")
        row = self.row(text)
        self.assertEqual((row.matrices, row.launch_bound, row.worst), (4, 0, 1 / 3))

    def test_without_the_portable_kernel_there_is_no_section(self):
        self.summary("fatvec 1 | mkl 1")
        self.assertEqual(costs.cost(self.view), [])


if __name__ == "__main__":
    unittest.main()
