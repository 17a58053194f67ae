# SPDX-License-Identifier: Apache-2.0
"""What portability costs and what it is worth, on examples small enough to do by hand."""
import pathlib
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))
try:
    from fatvec_report import costs, markdown, portability, sections_portability, sections_record
    from fatvec_report.views import views
except ImportError as error:
    print(f"skipped: {error}; scripts/report --prepare installs what is missing")
    sys.exit(77)
from cases import FATVEC, HLL, OPENMP, PORTABLE, SERIAL, TEAM, case, made

MKL = "mkl/backend:openmp/format:csr"
PORTABLE_HLL = PORTABLE.replace("csr", "hll")


def on_gpu(contender):
    return contender.replace("openmp", "cuda")


class Cost(unittest.TestCase):
    """GFLOPS are 2 k / seconds."""

    def summary(self, cases, **keys):
        self.view, = views(made(({"cpu": "c", "gpu": "c"}, cases)))
        table = costs.summary(self.view.costs)
        for key, value in keys.items():
            table = table[table[key] == value]
        return table

    def row(self, cases, **keys):
        table = self.summary(cases, **keys)
        self.assertEqual(len(table), 1)
        return table.iloc[0]

    def test_the_four_answers_are_geometric_means_over_the_matrices(self):
        row = self.row([case(PORTABLE, 2, "m"), case(PORTABLE, 8, "n"), case(FATVEC, 1, "m"), case(FATVEC, 2, "n"), case(OPENMP + "2", 1, "m"),
                        case(OPENMP + "2", 0.25, "n"), case(MKL, 4, "m"), case(MKL, 16, "n")], format="csr")
        self.assertAlmostEqual(row.portable, 0.5)  # of 1 and 1/4
        self.assertAlmostEqual(row.fatvec, 2 ** 0.5)  # of 2 and 1
        self.assertAlmostEqual(row.raw, 4)  # of 2 and 8
        self.assertAlmostEqual(row.peer, 0.25)  # of 1/2 and 1/8
        self.assertAlmostEqual(row.ratio, (1 / 2 * 1 / 4) ** 0.5)
        self.assertEqual((row.worst, row.worst_matrix, row.matrices), (0.25, "n", 2))

    def test_each_role_counts_with_its_best_and_backends_stay_apart(self):
        row = self.row([case(f"{PORTABLE}/policy:team", 4), case(f"{PORTABLE}/policy:range", 2), case(FATVEC, 2), case(TEAM, 1),
                        case(OPENMP + "2", 8),
                        case(OPENMP + "64", 4), case(SERIAL, 0.5), case(MKL, 4), case("eigen/backend:openmp/format:csr", 1)], format="csr")
        self.assertEqual([round(row[side], 9) for side in costs.SIDES], [1, 2, 0.5, 2])
        self.assertEqual((row.backend, row.ratio), ("openmp", 0.5))

    def test_only_matrices_that_both_did_and_that_are_verified_count(self):
        row = self.row([case(PORTABLE, 2, "m"), case(FATVEC, 1, "m"), case(PORTABLE, 1, "n"), case(FATVEC, 0.01, "n", verified=0.0),
                        case(PORTABLE, 0, "o", reason="skipped: no"), case(FATVEC, 0.01, "o"), case(PORTABLE, 4, "p"), case(FATVEC, 4, "p"),
                        case(OPENMP + "2", 1, "p"), case(OPENMP + "2", 0.01, "n")], format="csr")
        self.assertEqual((row.matrices, row.raw_count, row.peer_count), (2, 1, 0))
        self.assertAlmostEqual(row.portable, 0.5 ** 0.5)  # of 1 and 1/2
        self.assertAlmostEqual(row.fatvec, 1)  # of 2 and 1/2
        self.assertEqual((row.raw, row.worst), (2, 0.5))
        cells = sections_portability.cost(self.view)[-1].rows[0]
        self.assertEqual(cells, ["csr", "m", "1", "2", "0.71", "1.00", "2.00 (1)", "–", "0.71×", "0.50×"])

    def test_a_format_without_a_role_shows_the_others(self):
        table = self.summary([case(PORTABLE, 2), case(PORTABLE_HLL, 4), case(HLL.replace("hll", "sell"), 1)]).set_index("format")
        self.assertEqual((table.portable["csr"], table.portable["hll"], table.fatvec["sell"]), (1, 0.5, 2))
        self.assertTrue(table.fatvec[["csr", "hll"]].isna().all() and table.ratio[["csr", "hll", "sell"]].isna().all())
        lines = {line[0]: line[4:6] for line in sections_portability.cost(self.view)[-1].rows}
        self.assertEqual(lines, {"csr": ["1.00", "–"], "hll": ["0.50", "–"], "sell": ["–", "2.00"], "best format": ["1.00", "2.00"]})

    def test_the_best_format_may_differ_from_role_to_role(self):
        row = self.row([case(PORTABLE, 2), case(PORTABLE_HLL, 1), case(FATVEC, 0.5), case(HLL, 4), case("raw-openmp/backend:openmp/format:hll", 1),
                        case(OPENMP + "2", 2), case(MKL, 4), case(MKL.replace("csr", "bsr"), 0.25)], format=costs.ANY)
        self.assertEqual([round(row[side], 9) for side in costs.SIDES], [2, 4, 2, 8])
        self.assertEqual(row.ratio, 0.5)

    def test_rows_are_per_layout_format_and_k_in_the_order_of_the_file(self):
        self.summary([case(contender, seconds * k, k=k, layout=layout) for layout in ("row", "column") for k in (1, 8)
                      for contender, seconds in ((HLL, 1), (PORTABLE_HLL, 2), (FATVEC, 1), (PORTABLE, 4 if layout == "row" else 10))])
        _, _, row_title, row, column_title, column = sections_portability.cost(self.view)
        self.assertEqual((row_title.text, column_title.text), ("openmp, layout row", "openmp, layout column"))
        self.assertEqual([(line[0], line[2]) for line in row.rows],
                         [(shape, k) for shape in ("hll", "csr", "best format") for k in ("1", "8")])
        self.assertEqual([[line[8] for line in table.rows] for table in (row, column)],
                         [["0.50×", "0.50×", "0.25×", "0.25×", "0.50×", "0.50×"], ["0.50×", "0.50×", "0.10×", "0.10×", "0.50×", "0.50×"]])

    def test_launch_bound_matrices_are_apart_on_gpus(self):
        cases = [case(contender, seconds, matrix)
                 for matrix, one, other in (("m", 40e-6, 20e-6), ("n", 8e-6, 10e-6), ("o", 12e-6, 9e-6), ("p", 6e-6, 2e-6))
                 for contender, seconds in ((PORTABLE, one), (FATVEC, other))]
        row = self.row([{**entry, "name": on_gpu(entry["name"]), "run_name": on_gpu(entry["name"])} for entry in cases], format="csr")
        self.assertEqual((row.matrices, row.launch_bound, row.worst_matrix), (2, 2, "m"))  # 10 microseconds are not launch-bound
        self.assertAlmostEqual(row.ratio, (1 / 2 * 10 / 8) ** 0.5)
        self.assertAlmostEqual(row.launch_ratio, (9 / 12 * 2 / 6) ** 0.5)
        self.assertEqual(sections_portability.cost(self.view)[-1].rows[0][-2:], ["2", "0.50×"])
        self.assertIn("0.79× (geometric mean over 2 cases", self.view.headline()[0])
        self.assertIn("without 2 launch-bound cases", self.view.headline()[0])
        row = self.row(cases, format="csr")
        self.assertEqual((row.matrices, row.launch_bound, row.worst), (4, 0, 1 / 3))

    def test_without_the_portable_kernel_there_is_no_section(self):
        self.summary([case(FATVEC, 1), case(MKL, 1)])
        self.assertEqual((sections_portability.cost(self.view), costs.headline(self.view.costs)), ([], []))


class Portability(unittest.TestCase):
    def setUp(self):
        cpu = [case(FATVEC, 4, bound=0.5), case(TEAM, 2, bound=0.8), case(OPENMP + "2", 1, bound=2), case(PORTABLE, 5), case(PORTABLE_HLL, 4),
               case(HLL, 8), case(FATVEC, 1, k=3), case("kokkoskernels/backend:openmp/format:csr", 2), case(SERIAL, 3)]
        other = [case(SERIAL, 1)]  # a machine on which fatvec was not tried is none of H
        gpu = [case(on_gpu(FATVEC), 1, bound=0.2), case(on_gpu(TEAM), 0, reason="skipped: no"), case(on_gpu(PORTABLE), 2.5),
               case(on_gpu(PORTABLE_HLL), 5), case(on_gpu(HLL), 0, reason="skipped: no"),
               case("cusparse/backend:cuda/format:csr/algorithm:alg2", 0.5), case("kokkoskernels/backend:cuda/format:csr", 1),
               case("kokkoskernels/backend:cuda/format:hll", 0.1, verified=0.0)]
        self.views = views(made(({"cpu": "c"}, cpu), ({"gpu": "g"}, gpu), ({"cpu": "d"}, other)))
        self.found = portability.trials(self.views)
        self.table = portability.efficiencies(self.found)
        self.metric = portability.metric(self.found, self.table).set_index(["application_name", "format"])

    def test_pp_is_the_harmonic_mean_relative_to_the_fastest_verified_contender(self):
        self.assertEqual(list(self.found), ["c (CPU)", "g (GPU)"])
        self.assertAlmostEqual(self.metric.application["specialised", costs.ANY], 2 / (2 / 1 + 1 / 0.5))
        self.assertAlmostEqual(self.metric.architectural["specialised", costs.ANY], 2 / (1 / 0.8 + 1 / 0.2))
        self.assertAlmostEqual(self.metric.application["portable", costs.ANY], 2 / (4 / 1 + 2.5 / 0.5))  # HLL here, CSR there
        self.assertAlmostEqual(self.metric.application["kokkoskernels", costs.ANY], 2 / (2 / 1 + 1 / 0.5))

    def test_each_format_has_a_pp_of_its_own(self):
        self.assertAlmostEqual(self.metric.application["portable", "csr"], 2 / (5 / 1 + 2.5 / 0.5))
        self.assertAlmostEqual(self.metric.application["portable", "hll"], 2 / (4 / 1 + 5 / 0.5))
        self.assertAlmostEqual(self.metric.application["specialised", "csr"], 2 / (2 / 1 + 1 / 0.5))

    def test_unsupported_on_one_platform_is_zero_and_shown(self):
        self.assertEqual((self.metric.application["specialised", "hll"], self.metric.architectural["specialised", "hll"]), (0, 0))
        self.assertEqual((self.metric.application["hand-written", costs.ANY], self.metric.application["hand-written", "csr"]), (0, 0))
        *_, best, _, formats = sections_portability.across_platforms(self.views)
        self.assertEqual([line[:3] + line[5:6] for line in best.rows],
                         [["portable", "0.22", "0.22", "0 of 1"], ["specialised", "0.50", "0.50", "0 of 1"], ["hand-written", "0", "0", "1 of 1"],
                          ["kokkoskernels", "0.50", "0.50", "0 of 1"]])
        self.assertEqual(formats.rows, [["csr", "0.20", "0.50", "0"], ["hll", "0.14", "0", "0"]])
        self.assertIn("| hand-written  |            **0** |    0 |", markdown.render(best))

    def test_hand_written_is_the_best_of_each_platform(self):
        found = portability.trials(views(made(({"cpu": "c"}, [case(FATVEC, 1), case(SERIAL, 2), case(OPENMP + "2", 4)]),
                                              ({"gpu": "g"}, [case(on_gpu(FATVEC), 1), case("raw-cuda/backend:cuda/format:hll", 4)]))))
        metric = portability.metric(found, portability.efficiencies(found)).set_index(["application_name", "format"]).application
        self.assertAlmostEqual(metric["hand-written", costs.ANY], 2 / (2 / 1 + 4 / 1))
        self.assertEqual((metric["hand-written", "csr"], metric["portable", costs.ANY], metric["specialised", "csr"]), (0, 0, 1))

    def test_a_platform_with_the_portable_kernel_only_counts(self):
        found = portability.trials(views(made(({"cpu": "c"}, [case(FATVEC, 1), case(PORTABLE, 2)]), ({"gpu": "g"}, [case(on_gpu(PORTABLE), 1)]))))
        metric = portability.metric(found, portability.efficiencies(found)).set_index(["application_name", "format"]).application
        self.assertEqual((metric["specialised", costs.ANY], metric["portable", costs.ANY]), (0, 2 / (2 + 1)))

    def test_a_problem_that_one_platform_did_not_try_does_not_count(self):
        self.assertEqual({problem.split("\t")[-1] for problem in self.table.problem}, {"1"})

    def test_a_problem_that_all_tried_and_nobody_did_counts_as_zero(self):
        found = portability.trials(views(made(*(({place: place}, [case(contender, 1), case(contender, 1, "n", verified=0.0)])
                                                for place, contender in (("cpu", FATVEC), ("gpu", on_gpu(FATVEC)))))))
        metric = portability.metric(found, portability.efficiencies(found))
        self.assertEqual(list(metric[(metric.application_name == "specialised") & (metric.format == costs.ANY)].application), [1, 0])

    def test_a_problem_in_two_files_counts_once_by_the_first(self):
        found = portability.trials(views(made(({"cpu": "c"}, [case(FATVEC, 2), case(MKL, 1)]), ({"cpu": "c"}, [case(FATVEC, 1)]),
                                              ({"gpu": "g"}, [case(on_gpu(FATVEC), 1)]))))
        metric = portability.metric(found, portability.efficiencies(found)).set_index(["application_name", "format"]).application
        self.assertAlmostEqual(metric["specialised", costs.ANY], 2 / (2 + 1))

    def test_one_platform_has_no_portability(self):
        self.assertEqual(sections_record.versions(self.views), "")
        self.assertEqual(len(portability.platforms(self.views[:1])), 1)
        self.assertEqual(sections_portability.across_platforms(self.views[:1]), [])


if __name__ == "__main__":
    unittest.main()
