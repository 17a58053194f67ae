# SPDX-License-Identifier: Apache-2.0
"""What portability is worth, on examples small enough to do by hand."""

import unittest

from cases import FATVEC, HLL, MKL, OPENMP, PORTABLE, PORTABLE_HLL, SERIAL, TEAM, case, made, on_gpu
from fatvec_report import costs, portability, summary
from fatvec_report.views import views


def by_application(found):
    metric = portability.metric(found, portability.efficiencies(found))
    return metric.set_index(["application_name", "format"])


class Portability(unittest.TestCase):
    def setUp(self):
        cpu = [
            case(FATVEC, 4, bound=0.5),
            case(TEAM, 2, bound=0.8),
            case(OPENMP + "2", 1, bound=2),
            case(PORTABLE, 5),
            case(PORTABLE_HLL, 4),
            case(HLL, 8),
            case(FATVEC, 1, k=3),
            case("kokkoskernels/backend:openmp/format:csr", 2),
            case(SERIAL, 3),
        ]
        other = [case(SERIAL, 1)]  # a machine on which fatvec was not tried is none of H
        gpu = [
            case(on_gpu(FATVEC), 1, bound=0.2),
            case(on_gpu(TEAM), 0, reason="skipped: no"),
            case(on_gpu(PORTABLE), 2.5),
            case(on_gpu(PORTABLE_HLL), 5),
            case(on_gpu(HLL), 0, reason="skipped: no"),
            case("cusparse/backend:cuda/format:csr/algorithm:alg2", 0.5),
            case("kokkoskernels/backend:cuda/format:csr", 1),
            case("kokkoskernels/backend:cuda/format:hll", 0.1, verified=0.0),
        ]
        self.views = views(made(({"cpu": "c"}, cpu), ({"gpu": "g"}, gpu), ({"cpu": "d"}, other)))
        self.found = portability.trials(self.views)
        self.table = portability.efficiencies(self.found)
        self.metric = by_application(self.found)

    def test_pp_is_the_harmonic_mean_relative_to_the_fastest_verified_contender(self):
        self.assertEqual(list(self.found), ["c (CPU)", "g (GPU)"])
        self.assertAlmostEqual(
            self.metric.application["specialised", costs.ANY], 2 / (2 / 1 + 1 / 0.5)
        )
        self.assertAlmostEqual(
            self.metric.architectural["specialised", costs.ANY], 2 / (1 / 0.8 + 1 / 0.2)
        )
        self.assertAlmostEqual(
            self.metric.application["portable", costs.ANY], 2 / (4 / 1 + 2.5 / 0.5)
        )  # HLL here, CSR there
        self.assertAlmostEqual(
            self.metric.application["kokkoskernels", costs.ANY], 2 / (2 / 1 + 1 / 0.5)
        )

    def test_each_format_has_a_pp_of_its_own(self):
        self.assertAlmostEqual(self.metric.application["portable", "csr"], 2 / (5 / 1 + 2.5 / 0.5))
        self.assertAlmostEqual(self.metric.application["portable", "hll"], 2 / (4 / 1 + 5 / 0.5))
        self.assertAlmostEqual(self.metric.application["specialised", "csr"], 2 / (2 / 1 + 1 / 0.5))

    def test_unsupported_on_one_platform_is_zero_and_shown(self):
        self.assertEqual(
            (
                self.metric.application["specialised", "hll"],
                self.metric.architectural["specialised", "hll"],
            ),
            (0, 0),
        )
        self.assertEqual(
            (
                self.metric.application["hand-written", costs.ANY],
                self.metric.application["hand-written", "csr"],
            ),
            (0, 0),
        )
        *_, best, _, formats = portability.across_platforms(self.views)
        self.assertEqual(
            [line[:3] + line[5:6] for line in best.rows],
            [
                ["portable", "0.22", "0.22", "0 of 1"],
                ["specialised", "0.50", "0.50", "0 of 1"],
                ["hand-written", "0", "0", "1 of 1"],
                ["kokkoskernels", "0.50", "0.50", "0 of 1"],
            ],
        )
        self.assertEqual(formats.rows, [["csr", "0.20", "0.50", "0"], ["hll", "0.14", "0", "0"]])
        self.assertIn("| hand-written  |            **0** |    0 |", best.markdown)

    def test_hand_written_is_the_best_of_each_platform(self):
        found = portability.trials(
            views(
                made(
                    ({"cpu": "c"}, [case(FATVEC, 1), case(SERIAL, 2), case(OPENMP + "2", 4)]),
                    (
                        {"gpu": "g"},
                        [case(on_gpu(FATVEC), 1), case("raw-cuda/backend:cuda/format:hll", 4)],
                    ),
                )
            )
        )
        metric = by_application(found).application
        self.assertAlmostEqual(metric["hand-written", costs.ANY], 2 / (2 / 1 + 4 / 1))
        self.assertEqual(
            (
                metric["hand-written", "csr"],
                metric["portable", costs.ANY],
                metric["specialised", "csr"],
            ),
            (0, 0, 1),
        )

    def test_a_platform_with_the_portable_kernel_only_counts(self):
        found = portability.trials(
            views(
                made(
                    ({"cpu": "c"}, [case(FATVEC, 1), case(PORTABLE, 2)]),
                    ({"gpu": "g"}, [case(on_gpu(PORTABLE), 1)]),
                )
            )
        )
        metric = by_application(found).application
        self.assertEqual(
            (metric["specialised", costs.ANY], metric["portable", costs.ANY]), (0, 2 / (2 + 1))
        )

    def test_a_problem_that_one_platform_did_not_try_does_not_count(self):
        self.assertEqual({problem.split("\t")[-1] for problem in self.table.problem}, {"1"})

    def test_a_problem_that_all_tried_and_nobody_did_counts_as_zero(self):
        found = portability.trials(
            views(
                made(
                    *(
                        (
                            {place: place},
                            [case(contender, 1), case(contender, 1, "n", verified=0.0)],
                        )
                        for place, contender in (("cpu", FATVEC), ("gpu", on_gpu(FATVEC)))
                    )
                )
            )
        )
        metric = portability.metric(found, portability.efficiencies(found))
        self.assertEqual(
            list(
                metric[
                    (metric.application_name == "specialised") & (metric.format == costs.ANY)
                ].application
            ),
            [1, 0],
        )

    def test_a_problem_in_two_files_counts_once_by_the_first(self):
        found = portability.trials(
            views(
                made(
                    ({"cpu": "c"}, [case(FATVEC, 2), case(MKL, 1)]),
                    ({"cpu": "c"}, [case(FATVEC, 1)]),
                    ({"gpu": "g"}, [case(on_gpu(FATVEC), 1)]),
                )
            )
        )
        metric = by_application(found).application
        self.assertAlmostEqual(metric["specialised", costs.ANY], 2 / (2 + 1))

    def test_one_platform_has_no_portability(self):
        self.assertEqual(summary.versions(self.views), "")
        self.assertEqual(len(portability.platforms(self.views[:1])), 1)
        self.assertEqual(portability.across_platforms(self.views[:1]), [])


if __name__ == "__main__":
    unittest.main()
