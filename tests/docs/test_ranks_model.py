# SPDX-License-Identifier: Apache-2.0
"""The model of docs/lab/0049: surfaces against counted ones, the fit against known numbers."""

import itertools
import math
import pathlib
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts" / "fatvec_docs"))
import ranks_model as model

STEPS = list(itertools.product((-1, 0, 1), repeat=3))


def counted(grid, owner):
    """The most rows, rows received and messages of a rank, from every entry of the stencil."""
    rows, received = {}, {}
    for point in itertools.product(*map(range, grid)):
        rank = owner(point)
        rows[rank] = rows.get(rank, 0) + 1
        for step in STEPS:
            near = tuple(p + s for p, s in zip(point, step))
            if all(0 <= n < extent for n, extent in zip(near, grid)) and owner(near) != rank:
                received.setdefault(rank, {})[near] = owner(near)
    messages = [len(set(owners.values())) for owners in received.values()]
    return model.Surface(max(rows.values()), max(map(len, received.values())), max(messages))


class Surfaces(unittest.TestCase):
    def test_blocks_are_those_counted(self):
        for grid, cut in (((6, 6, 6), (3, 3, 3)), ((4, 6, 8), (1, 2, 4)), ((5, 5, 8), (1, 1, 2))):
            with self.subTest(grid=grid, cut=cut):
                sides = [extent // parts for extent, parts in zip(grid, cut)]

                def owner(point, sides=sides):
                    return tuple(p // side for p, side in zip(point, sides))

                self.assertEqual(model.block(grid, cut), counted(grid, owner))

    def test_ranges_are_those_counted_but_for_ends_of_lines(self):
        for grid, ranks in (((8, 8, 8), 2), ((8, 8, 8), 4), ((8, 8, 8), 16), ((16, 16, 4), 32)):
            with self.subTest(grid=grid, ranks=ranks):
                share = math.prod(grid) // ranks

                def owner(point, grid=grid, share=share):
                    return (point[0] + grid[0] * (point[1] + grid[1] * point[2])) // share

                count, surface = counted(grid, owner), model.ranges(grid, ranks)
                self.assertEqual(surface.rows, count.rows)
                self.assertGreaterEqual(surface.halo, count.halo)
                self.assertLessEqual(surface.halo - count.halo, 6 * (grid[0] + 1))
                self.assertGreaterEqual(surface.messages, count.messages)

    def test_the_cut_with_the_smallest_surface_is_taken(self):
        self.assertEqual(model.blocks((8, 8, 8), 8), model.block((8, 8, 8), (2, 2, 2)))
        self.assertEqual(model.blocks((4, 4, 64), 8), model.block((4, 4, 64), (1, 1, 8)))

    def test_a_weak_grid_grows_first_as_it_was_measured(self):
        self.assertEqual(model.grown((115, 115, 114), 1), (115, 115, 114))
        self.assertEqual(model.grown((115, 115, 114), 2), (115, 115, 228))
        self.assertEqual(model.grown((115, 115, 114), 4096), (16 * 115, 16 * 115, 16 * 114))


class Fits(unittest.TestCase):
    def test_numbers_that_made_the_times_come_back(self):
        rows = []
        for ranks, n, k in itertools.product((1, 2), (1e6, 2e6, 5e6), (1, 8)):
            received = 8.0 * k * 1e4 * n / 1e6 if ranks == 2 else 0
            local = 5e-6 + n * k * 1e-11
            exchange = 2e-5 + received / 2e11 if received else 0
            rows.append(model.Row("strong", ranks, k, n, received, local + exchange, local))
        for k in (1, 8):
            got = model.fit(rows, k)
            self.assertAlmostEqual(got.launch / 5e-6, 1, 6)
            self.assertAlmostEqual(got.seconds_per_row / (k * 1e-11), 1, 6)
            self.assertAlmostEqual(got.overhead / 2e-5, 1, 6)
            self.assertAlmostEqual(got.bandwidth / 2e11, 1, 6)
            self.assertLess(got.worst, 1e-6)

    def test_no_number_is_negative(self):
        self.assertEqual(model.line_through([(1.0, 1.0), (2.0, 4.0)])[0], 0)
        self.assertEqual(model.line_through([(1.0, 4.0), (2.0, 1.0)])[1], 0)
        self.assertEqual(model.line_through([(1.0, 3.0), (1.0, 3.0)]), (3.0, 0.0))

    def test_rows_of_one_rank_alone_are_refused(self):
        with self.assertRaises(ValueError):
            model.fit([model.Row("weak", 1, 8, 1e6, 0, 1e-3, 1e-3)], 8)


class Efficiencies(unittest.TestCase):
    FIT = model.Fit(0, 1e-10, 2e-5, 2e11, 0)

    def test_one_rank_has_one(self):
        for suite, cut in itertools.product(("weak", "strong"), (model.blocks, model.ranges)):
            self.assertEqual(model.efficiency(self.FIT, suite, cut, (20, 20, 20), 8, 1), 1)

    def test_messages_one_after_another_cost_more(self):
        at_once, after = (
            model.efficiency(self.FIT, "strong", model.blocks, (160, 160, 160), 8, 64, way)
            for way in (True, False)
        )
        self.assertLess(after, at_once)
        self.assertLess(at_once, 1)

    def test_the_measured_rows_are_met(self):
        path = ROOT / "docs" / "lab" / "0046" / "h100x2-2026-11-26.csv"
        fitted = model.fit(model.read(path, "nccl"), 8)
        self.assertLess(fitted.worst, 0.05)
        rows = [row for row in model.read(path, "nccl") if row.k == 8]
        measured = {(row.suite, row.ranks): row.seconds for row in rows}
        weak = model.efficiency(fitted, "weak", model.ranges, (115, 115, 114), 8, 2)
        self.assertAlmostEqual(weak, measured["weak", 1] / measured["weak", 2], delta=0.02)
        strong = model.efficiency(fitted, "strong", model.ranges, (160, 160, 160), 8, 2)
        speed_up = measured["strong", 1] / measured["strong", 2]
        self.assertAlmostEqual(2 * strong, speed_up, delta=0.04)


if __name__ == "__main__":
    unittest.main()
