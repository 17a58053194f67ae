# SPDX-License-Identifier: Apache-2.0
"""What portability is worth, on examples small enough to do by hand."""

import unittest

from cases import cases, made
from fatvec_report import costs, portability, summary
from fatvec_report.views import views

CPU = (
    "fatvec 4 bound=0.5 | team 2 bound=0.8 | raw 1 bound=2 | portable 5 | portable-hll 4 | "
    "hll 8 | fatvec 1 k=3 | kk 2 | serial 3"
)
GPU = (
    "fatvec 1 bound=0.2 | team skipped | portable 2.5 | portable-hll 5 | hll skipped | "
    "cusparse 0.5 | kk 1 | kokkoskernels/backend:cuda/format:hll wrong"
)


def trials(*files):
    """(device, cases) pairs; "g" is a GPU."""
    runs = [({"gpu" if on == "g" else "cpu": on}, cases(text, on == "g")) for on, text in files]
    found = views(made(*runs))
    return found, portability.trials(found)


def metric(*files):
    """By application and format: PP by both efficiencies."""
    found = trials(*files)[1]
    table = portability.metric(found, portability.efficiencies(found))
    return table.set_index(["application_name", "format"])


class Portability(unittest.TestCase):
    FILES = (("c", CPU), ("g", GPU), ("d", "serial 1"))  # on d fatvec was not tried: none of H

    def test_pp_is_the_harmonic_mean_relative_to_the_fastest_verified_contender(self):
        found = metric(*self.FILES)
        for name, shape, expected in (
            ("specialised", costs.ANY, 2 / (2 / 1 + 1 / 0.5)),
            ("portable", costs.ANY, 2 / (4 / 1 + 2.5 / 0.5)),  # HLL here, CSR there
            ("kokkoskernels", costs.ANY, 2 / (2 / 1 + 1 / 0.5)),
            ("portable", "csr", 2 / (5 / 1 + 2.5 / 0.5)),
            ("portable", "hll", 2 / (4 / 1 + 5 / 0.5)),
            ("specialised", "csr", 2 / (2 / 1 + 1 / 0.5)),
            ("specialised", "hll", 0),
            ("hand-written", costs.ANY, 0),
        ):
            self.assertAlmostEqual(found.application[name, shape], expected, msg=(name, shape))
        expected = 2 / (1 / 0.8 + 1 / 0.2)
        self.assertAlmostEqual(found.architectural["specialised", costs.ANY], expected)
        self.assertEqual(found.architectural["specialised", "hll"], 0)

    def test_unsupported_on_one_platform_is_zero_and_shown(self):
        found, platforms = trials(*self.FILES)
        self.assertEqual(list(platforms), ["c (CPU)", "g (GPU)"])
        *_, best, _, formats = portability.across_platforms(found)
        lines = [
            ["portable", "0.22", "0.22", "0 of 1"],
            ["specialised", "0.50", "0.50", "0 of 1"],
            ["hand-written", "0", "0", "1 of 1"],
            ["kokkoskernels", "0.50", "0.50", "0 of 1"],
        ]
        self.assertEqual([line[:3] + line[5:6] for line in best.rows], lines)
        self.assertEqual(formats.rows, [["csr", "0.20", "0.50", "0"], ["hll", "0.14", "0", "0"]])

    def test_hand_written_is_the_best_of_each_platform(self):
        raw = "raw-cuda/backend:cuda/format:hll 4"
        found = metric(("c", "fatvec 1 | serial 2 | raw 4"), ("g", f"fatvec 1 | {raw}")).application
        self.assertAlmostEqual(found["hand-written", costs.ANY], 2 / (2 / 1 + 4 / 1))
        self.assertEqual(found["hand-written", "csr"], 0)
        self.assertEqual((found["portable", costs.ANY], found["specialised", "csr"]), (0, 1))

    def test_a_platform_with_the_portable_kernel_only_counts(self):
        found = metric(("c", "fatvec 1 | portable 2"), ("g", "portable 1")).application
        pair = (found["specialised", costs.ANY], found["portable", costs.ANY])
        self.assertEqual(pair, (0, 2 / (2 + 1)))

    def test_problems_count_once_where_all_tried_them_and_as_zero_where_nobody_did(self):
        table = portability.efficiencies(trials(*self.FILES)[1])
        self.assertEqual({problem.split("\t")[-1] for problem in table.problem}, {"1"})
        both = "fatvec 1 | fatvec wrong n"
        found = metric(("c", both), ("g", both)).application
        self.assertEqual(list(found.loc["specialised"].loc[[costs.ANY]]), [1, 0])
        found = metric(("c", "fatvec 2 | mkl 1"), ("c", "fatvec 1"), ("g", "fatvec 1")).application
        self.assertAlmostEqual(found["specialised", costs.ANY].item(), 2 / (2 + 1))

    def test_one_platform_has_no_portability(self):
        found, _ = trials(*self.FILES)
        self.assertEqual(summary.versions(found), "")
        self.assertEqual(len(portability.platforms(found[:1])), 1)
        self.assertEqual(portability.across_platforms(found[:1]), [])


if __name__ == "__main__":
    unittest.main()
