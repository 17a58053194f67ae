# SPDX-License-Identifier: Apache-2.0
"""Products with the copies of X and Y between the host and the device within the time
(fatvec-bench --transfers), as Balayre and Gollmann measured them."""

from __future__ import annotations

import pandas as pd

from . import analysis
from .load import Run
from .page import Block, table

WAYS = {  # of the copies that count
    "out": ["copy_out_seconds"],
    "both": ["copy_in_seconds", "copy_out_seconds"],
    "pinned_out": ["pinned_out_seconds"],
    "pinned_both": ["pinned_in_seconds", "pinned_out_seconds"],
}


def found(run: Run) -> pd.DataFrame:
    """The fastest row of each problem, backend and contender of which copies were timed, with
    WAYS: its GFLOPS where those copies are within the time."""
    rows = run.measured.reindex(columns=list(dict.fromkeys([*run.rows, *sum(WAYS.values(), [])])))
    rows = rows[rows.get("copy_out_bytes", pd.Series(0.0, rows.index)) > 0]
    if rows.empty:
        return rows
    best = analysis.fastest(rows, [*run.problem_keys, "backend", "contender"])
    flops = best.GFLOPS * best.seconds
    within = {
        way: flops / (best.seconds + best[names].sum(axis=1, skipna=False))
        for way, names in WAYS.items()
    }
    return analysis.in_order(run, best.assign(**within))


def copies(view) -> list[Block]:
    rows = found(view.run)
    if rows.empty:
        return []
    pinned = bool(rows.pinned_both.notna().any())
    columns = (
        "matrix | what | k | alone <- GFLOPS gflops | Y back <- out gflops | "
        "X in, Y back <- both gflops"
        + " | Y back, pinned <- pinned_out gflops | both, pinned <- pinned_both gflops"
        * pinned
    )
    return view.apart(rows, lambda part: [table(part, columns, 3, (4,))])
