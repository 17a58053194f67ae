# SPDX-License-Identifier: Apache-2.0
"""Products with the copies of X and Y within the time, on examples done by hand."""

import unittest

from cases import cases, seen
from fatvec_report import speed


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
