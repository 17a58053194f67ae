# SPDX-License-Identifier: Apache-2.0
"""What portability costs and what it is worth, on examples small enough to do by hand."""
import pathlib
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))
try:
    from fatvec_report import portability, sections_record
    from fatvec_report.views import views
except ImportError as error:
    print(f"skipped: {error}; scripts/report --prepare installs what is missing")
    sys.exit(77)
from cases import FATVEC, OPENMP, SERIAL, TEAM, case, made


class Portability(unittest.TestCase):
    def setUp(self):
        cpu = [case(FATVEC, 4, bound=0.5), case(TEAM, 2, bound=0.8), case(OPENMP + "2", 1, bound=2), case(FATVEC, 1, k=3)]
        other = [case(SERIAL, 1)]  # a machine on which fatvec was not tried is none of H
        gpu = [case(FATVEC.replace("openmp", "cuda"), 1, bound=0.2), case(TEAM.replace("openmp", "cuda"), 0, reason="skipped: no"),
               case("cusparse/backend:cuda/format:csr/algorithm:alg2", 0.5), case("kokkoskernels/backend:cuda/format:csr", 0.1, verified=0.0)]
        self.views = views(made(({"cpu": "c"}, cpu), ({"gpu": "g"}, gpu), ({"cpu": "d"}, other)))
        self.table = portability.efficiencies(self.views)

    def test_pp_is_the_harmonic_mean_relative_to_the_fastest_verified_contender(self):
        metric = portability.metric(self.views, self.table).set_index("application_name")
        self.assertEqual(list(portability.platforms(self.views)), ["c (CPU)", "g (GPU)"])
        self.assertAlmostEqual(metric.application["fatvec, best kernel"], 2 / (1 / 0.5 + 1 / 0.5))  # 1/2 here, 0.5/1 there
        self.assertAlmostEqual(metric.architectural["fatvec, best kernel"], 2 / (1 / 0.8 + 1 / 0.2))
        self.assertAlmostEqual(metric.application["fatvec csr-row"], 2 / (1 / 0.25 + 1 / 0.5))

    def test_unsupported_on_one_platform_is_zero(self):
        metric = portability.metric(self.views, self.table).set_index("application_name")
        self.assertEqual((metric.application["fatvec csr-team"], metric.architectural["fatvec csr-team"]), (0, 0))

    def test_a_problem_that_one_platform_did_not_try_does_not_count(self):
        self.assertEqual(set(self.table.k), {1})

    def test_one_platform_has_no_portability(self):
        self.assertEqual(sections_record.versions(self.views), "")
        self.assertEqual(len(portability.platforms(self.views[:1])), 1)


if __name__ == "__main__":
    unittest.main()
