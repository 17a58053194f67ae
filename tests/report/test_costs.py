# SPDX-License-Identifier: Apache-2.0
"""What portability costs, on examples small enough to do by hand."""

import unittest

from cases import FATVEC, HLL, MKL, OPENMP, PORTABLE, PORTABLE_HLL, SERIAL, TEAM, case, made, on_gpu
from fatvec_report import costs
from fatvec_report.views import views


class Cost(unittest.TestCase):
    """GFLOPS are 2 k / seconds."""

    def summary(self, cases, **keys):
        (self.view,) = views(made(({"cpu": "c", "gpu": "c"}, cases)))
        table = costs.summary(self.view.costs)
        for key, value in keys.items():
            table = table[table[key] == value]
        return table

    def row(self, cases, **keys):
        table = self.summary(cases, **keys)
        self.assertEqual(len(table), 1)
        return table.iloc[0]

    def test_the_four_answers_are_geometric_means_over_the_matrices(self):
        row = self.row(
            [
                case(PORTABLE, 2, "m"),
                case(PORTABLE, 8, "n"),
                case(FATVEC, 1, "m"),
                case(FATVEC, 2, "n"),
                case(OPENMP + "2", 1, "m"),
                case(OPENMP + "2", 0.25, "n"),
                case(MKL, 4, "m"),
                case(MKL, 16, "n"),
            ],
            format="csr",
        )
        self.assertAlmostEqual(row.portable, 0.5)  # of 1 and 1/4
        self.assertAlmostEqual(row.fatvec, 2**0.5)  # of 2 and 1
        self.assertAlmostEqual(row.raw, 4)  # of 2 and 8
        self.assertAlmostEqual(row.peer, 0.25)  # of 1/2 and 1/8
        self.assertAlmostEqual(row.ratio, (1 / 2 * 1 / 4) ** 0.5)
        self.assertEqual((row.worst, row.worst_matrix, row.matrices), (0.25, "n", 2))

    def test_each_role_counts_with_its_best_and_backends_stay_apart(self):
        row = self.row(
            [
                case(f"{PORTABLE}/policy:team", 4),
                case(f"{PORTABLE}/policy:range", 2),
                case(FATVEC, 2),
                case(TEAM, 1),
                case(OPENMP + "2", 8),
                case(OPENMP + "64", 4),
                case(SERIAL, 0.5),
                case(MKL, 4),
                case("eigen/backend:openmp/format:csr", 1),
            ],
            format="csr",
        )
        self.assertEqual([round(row[side], 9) for side in costs.SIDES], [1, 2, 0.5, 2])
        self.assertEqual((row.backend, row.ratio), ("openmp", 0.5))

    def test_only_matrices_that_both_did_and_that_are_verified_count(self):
        row = self.row(
            [
                case(PORTABLE, 2, "m"),
                case(FATVEC, 1, "m"),
                case(PORTABLE, 1, "n"),
                case(FATVEC, 0.01, "n", verified=0.0),
                case(PORTABLE, 0, "o", reason="skipped: no"),
                case(FATVEC, 0.01, "o"),
                case(PORTABLE, 4, "p"),
                case(FATVEC, 4, "p"),
                case(OPENMP + "2", 1, "p"),
                case(OPENMP + "2", 0.01, "n"),
            ],
            format="csr",
        )
        self.assertEqual((row.matrices, row.raw_count, row.peer_count), (2, 1, 0))
        self.assertAlmostEqual(row.portable, 0.5**0.5)  # of 1 and 1/2
        self.assertAlmostEqual(row.fatvec, 1)  # of 2 and 1/2
        self.assertEqual((row.raw, row.worst), (2, 0.5))
        cells = costs.cost(self.view)[-1].rows[0]
        self.assertEqual(
            cells, ["csr", "m", "1", "2", "0.71", "1.00", "2.00 (1)", "–", "0.71×", "0.50×"]
        )

    def test_a_format_without_a_role_shows_the_others(self):
        table = self.summary(
            [case(PORTABLE, 2), case(PORTABLE_HLL, 4), case(HLL.replace("hll", "sell"), 1)]
        ).set_index("format")
        self.assertEqual(
            (table.portable["csr"], table.portable["hll"], table.fatvec["sell"]), (1, 0.5, 2)
        )
        self.assertTrue(
            table.fatvec[["csr", "hll"]].isna().all()
            and table.ratio[["csr", "hll", "sell"]].isna().all()
        )
        lines = {line[0]: line[4:6] for line in costs.cost(self.view)[-1].rows}
        self.assertEqual(
            lines,
            {
                "csr": ["1.00", "–"],
                "hll": ["0.50", "–"],
                "sell": ["–", "2.00"],
                "best format": ["1.00", "2.00"],
            },
        )

    def test_the_best_format_may_differ_from_role_to_role(self):
        row = self.row(
            [
                case(PORTABLE, 2),
                case(PORTABLE_HLL, 1),
                case(FATVEC, 0.5),
                case(HLL, 4),
                case("raw-openmp/backend:openmp/format:hll", 1),
                case(OPENMP + "2", 2),
                case(MKL, 4),
                case(MKL.replace("csr", "bsr"), 0.25),
            ],
            format=costs.ANY,
        )
        self.assertEqual([round(row[side], 9) for side in costs.SIDES], [2, 4, 2, 8])
        self.assertEqual(row.ratio, 0.5)

    def test_rows_are_per_layout_format_and_k_in_the_order_of_the_file(self):
        self.summary(
            [
                case(contender, seconds * k, k=k, layout=layout)
                for layout in ("row", "column")
                for k in (1, 8)
                for contender, seconds in (
                    (HLL, 1),
                    (PORTABLE_HLL, 2),
                    (FATVEC, 1),
                    (PORTABLE, 4 if layout == "row" else 10),
                )
            ]
        )
        _, _, row_title, row, column_title, column = costs.cost(self.view)
        self.assertEqual(
            (row_title.text, column_title.text), ("openmp, layout row", "openmp, layout column")
        )
        self.assertEqual(
            [(line[0], line[2]) for line in row.rows],
            [(shape, k) for shape in ("hll", "csr", "best format") for k in ("1", "8")],
        )
        self.assertEqual(
            [[line[8] for line in table.rows] for table in (row, column)],
            [
                ["0.50×", "0.50×", "0.25×", "0.25×", "0.50×", "0.50×"],
                ["0.50×", "0.50×", "0.10×", "0.10×", "0.50×", "0.50×"],
            ],
        )

    def test_launch_bound_matrices_are_apart_on_gpus(self):
        cases = [
            case(contender, seconds, matrix)
            for matrix, one, other in (
                ("m", 40e-6, 20e-6),
                ("n", 8e-6, 10e-6),
                ("o", 12e-6, 9e-6),
                ("p", 6e-6, 2e-6),
            )
            for contender, seconds in ((PORTABLE, one), (FATVEC, other))
        ]
        row = self.row(
            [
                {**entry, "name": on_gpu(entry["name"]), "run_name": on_gpu(entry["name"])}
                for entry in cases
            ],
            format="csr",
        )
        self.assertEqual(
            (row.matrices, row.launch_bound, row.worst_matrix), (2, 2, "m")
        )  # 10 microseconds are not launch-bound
        self.assertAlmostEqual(row.ratio, (1 / 2 * 10 / 8) ** 0.5)
        self.assertAlmostEqual(row.launch_ratio, (9 / 12 * 2 / 6) ** 0.5)
        self.assertEqual(costs.cost(self.view)[-1].rows[0][-2:], ["2", "0.50×"])
        self.assertIn("0.79× (geometric mean over 2 cases", self.view.headline()[0])
        self.assertIn("without 2 launch-bound cases", self.view.headline()[0])
        row = self.row(cases, format="csr")
        self.assertEqual((row.matrices, row.launch_bound, row.worst), (4, 0, 1 / 3))

    def test_without_the_portable_kernel_there_is_no_section(self):
        self.summary([case(FATVEC, 1), case(MKL, 1)])
        self.assertEqual(
            (costs.cost(self.view), costs.headline(self.view.costs)), ([], [])
        )


if __name__ == "__main__":
    unittest.main()
