# SPDX-License-Identifier: Apache-2.0
"""Sections about performance portability."""
from __future__ import annotations

import pandas as pd

from . import costs
from .blocks import NONE, Block, Bullets, Heading, Table, Text, gflops, times, word
from .names import ANSWERS, PORTABLE


def cost(view) -> list[Block]:
    if view.costs[PORTABLE].isna().all():
        return []
    gpu = view.platform == "gpu"
    blocks: list[Block] = [
        Text("GFLOPS, geometric means over the matrices, each role with its fastest kernel on one backend, whatever settings were swept."),
        Bullets(["Portable: one source for all backends. Specialised: fatvec's kernels for this platform. Hand-written: without Kokkos.",
                 "A row is over the matrices that the portable and the specialised kernel both did, verified. In brackets: how many of them "
                 f"another role did, if not all. {NONE}: nothing to show.",
                 "The ratio is of speeds: above 1× the portable kernel is faster. Worst: on the worst matrix.",
                 *([f"Launch-bound: the specialised kernel takes less than {costs.LAUNCH_BOUND * 1e6:.0f} µs. These matrices are in the last two "
                    "columns only."] if gpu else [])])]
    for title, part in view.parts(view.costs):
        for backend, cells in part.groupby("backend", sort=False):
            rows = [_cost(row, gpu) for _, row in costs.summary(cells).iterrows()]
            head = ["format", "worst matrix", "k", "matrices", *(ANSWERS[side] for side in costs.SIDES), "portable / specialised", "worst",
                    *(["launch-bound", "their ratio"] if gpu else [])]
            blocks += [Heading(", ".join(filter(None, [backend, title]))), Table(head, rows, left=2, strong=(8,))] if rows else []
    return blocks


def _cost(row: pd.Series, gpu: bool) -> list[str]:
    speeds = [gflops(row[side]) + (f" ({row[f'{side}_count']})" if 0 < row[f"{side}_count"] < row.matrices else "") for side in costs.SIDES]
    apart = [str(row.launch_bound), times(row.launch_ratio)] if gpu else []
    return [row.format, word(row.worst_matrix), str(row.k), str(row.matrices), *speeds, times(row.ratio), times(row.worst), *apart]
