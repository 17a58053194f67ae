# SPDX-License-Identifier: Apache-2.0
"""What portability costs: the portable kernel beside the specialised kernels, hand-written code and
libraries, all in one format, on one backend and within one run. Each role counts with its fastest
verified kernel, whatever settings were swept."""

from __future__ import annotations

import pandas as pd

from . import analysis
from .load import Run
from .names import GPU_BACKENDS, SPECIALISED, PEER, PORTABLE, RAW, role

ANY = "best format"
SIDES = (PORTABLE, SPECIALISED, RAW, PEER)
LAUNCH_BOUND = 10e-6  # seconds: on a GPU the launch takes a large part of a shorter product


def cells(run: Run) -> pd.DataFrame:
    """One row per problem, backend and format, and one over all formats (ANY). Columns: those keys,
    the best GFLOPS of each role (NaN: nothing verified), ratio (speed of the portable kernel over
    the specialised one's), launch_bound (the specialised one is so short)."""
    by = [*run.problem_keys, "backend", "format"]
    rows = run.measured.assign(role=run.measured.contender.map(role))
    rows = pd.concat([rows[rows.format != ""], rows.assign(format=ANY)], ignore_index=True)
    best = analysis.fastest(rows, [*by, "role"]).set_index([*by, "role"])
    table = best.GFLOPS.unstack().reindex(columns=SIDES)
    seconds = best.seconds.unstack().reindex(columns=SIDES)
    table["ratio"] = seconds[SPECIALISED] / seconds[PORTABLE]
    table["launch_bound"] = (seconds[SPECIALISED] < LAUNCH_BOUND) & table.index.get_level_values(
        "backend"
    ).isin(GPU_BACKENDS)
    places = {
        name: at
        for at, name in enumerate([*run.rows.backend.unique(), *run.rows.format.unique(), ANY])
    }
    return analysis.in_order(run, table.reset_index()).sort_values(
        ["backend", "format", "k"],
        key=lambda column: column if column.name == "k" else column.map(places),
        ignore_index=True,
        kind="stable",
    )


def summary(table: pd.DataFrame) -> pd.DataFrame:
    """One row per backend, format and k of cells of one layout. The means are over the same
    matrices: those that the portable and the specialised kernel both did, or the one that there is;
    launch-bound ones apart. Columns: those keys, matrices (their number), the GFLOPS of each role
    and ROLE_count (over how many matrices), ratio, worst, worst_matrix; launch_bound (a number),
    launch_ratio."""
    records = []
    for key, group in table.groupby(["backend", "format", "k"], sort=False):
        needed = [side for side in (PORTABLE, SPECIALISED) if group[side].notna().any()]
        if not needed:
            continue
        both = group.dropna(subset=needed)
        short, rest = both[both.launch_bound], both[~both.launch_bound]
        ratios = rest.set_index("matrix").ratio.dropna()
        records.append(
            {
                **dict(zip(("backend", "format", "k"), key)),
                "matrices": len(rest),
                **{side: analysis.geometric_mean(rest[side]) for side in SIDES},
                **{f"{side}_count": rest[side].count() for side in SIDES},
                "ratio": analysis.geometric_mean(ratios),
                "worst": ratios.min(),
                "worst_matrix": ratios.idxmin() if len(ratios) else "",
                "launch_bound": len(short),
                "launch_ratio": analysis.geometric_mean(short.ratio),
            }
        )
    return pd.DataFrame(records)


def headline(table: pd.DataFrame) -> list[str]:
    """All cells in one line; none where the portable kernel was not measured."""
    if table[PORTABLE].isna().all():
        return []
    each = table[(table.format != ANY) & table.ratio.notna()]
    apart = int(each.launch_bound.sum())
    return [
        "the portable kernel in each format "
        + analysis.ratio_summary(
            each[~each.launch_bound].ratio, "the specialised kernel of that format"
        )
        + (f"; without {apart} launch-bound cases" if apart else "")
    ]
