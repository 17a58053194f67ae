# SPDX-License-Identifier: Apache-2.0
"""What portability costs: the portable kernel beside the specialised kernels, hand-written code and
libraries, all in one format, on one backend and within one run. Each role counts with its fastest
verified kernel, whatever settings were swept."""

import pandas as pd

from . import analysis
from .load import Run, unions
from .names import ANSWERS, GPU_BACKENDS, PORTABLE, SPECIALISED
from .page import Block, Heading, table

ANY = "best format"
SIDES = tuple(ANSWERS)
LAUNCH_BOUND = 10e-6  # seconds: on a GPU the launch takes a large part of a shorter product


def cells(run: Run) -> pd.DataFrame:
    """One row per problem, backend and format, and one over all formats (ANY). Columns: those keys,
    the best GFLOPS of each role (NaN: nothing verified), ratio (speed of the portable kernel over
    the specialised one's), launch_bound (the specialised one is so short)."""
    by = [*run.problem_keys, "backend", "format"]
    rows = run.measured
    rows = pd.concat([rows[rows.format != ""], rows.assign(format=ANY)], ignore_index=True)
    best = analysis.fastest(rows, [*by, "role"])
    found, seconds = (
        analysis.wide(best, by, "role", value, SIDES) for value in ("GFLOPS", "seconds")
    )
    found["ratio"] = seconds[SPECIALISED] / seconds[PORTABLE]
    found["ratio_mark"] = unions(found.portable_mark, found.fatvec_mark)
    on_gpu = found.index.get_level_values("backend").isin(GPU_BACKENDS)
    found["launch_bound"] = (seconds[SPECIALISED] < LAUNCH_BOUND) & on_gpu
    return analysis.in_order(run, found.reset_index(), "backend", "format", "k")


def summary(found: pd.DataFrame) -> pd.DataFrame:
    """One row per backend, format and k of cells of one layout. The means are over the same
    matrices: those that the portable and the specialised kernel both did, or the one that there is;
    launch-bound ones apart. Columns: those keys, matrices (their number), the GFLOPS of each role
    and ROLE_count (over how many matrices), ratio, worst, worst_matrix; launch_bound (a number),
    launch_ratio; NAME_mark of numbers."""
    records, by = [], ["backend", "format", "k"]
    for key, group in found.groupby(by, sort=False):
        needed = [side for side in (PORTABLE, SPECIALISED) if group[side].notna().any()]
        if not needed:
            continue
        both = group.dropna(subset=needed)
        short, rest = both[both.launch_bound], both[~both.launch_bound]
        ratios = rest.set_index("matrix").ratio.dropna()
        record = dict(zip(by, key)) | {"matrices": len(rest), "launch_bound": len(short)}
        for side in SIDES:
            record |= analysis.means(rest[side], rest[f"{side}_mark"], side)
            record[f"{side}_count"] = rest[side].count()
        record |= analysis.means(rest.ratio, rest.ratio_mark, "ratio", "worst")
        record["worst_matrix"] = ratios.idxmin() if len(ratios) else ""
        record |= analysis.means(short.ratio, short.ratio_mark, "launch_ratio")
        records.append(record)
    return pd.DataFrame(records)


def cost(view) -> list[Block]:
    if view.costs[PORTABLE].isna().all():
        return []
    gpu = view.platform == "gpu"
    columns = (
        "k, format <- label | matrices | "
        + "".join(f"{ANSWERS[side]} <- {side} gflops | " for side in SIDES)
        + "portable / specialised <- ratio times | worst <- worst times"
        + " | launch-bound <- launch_bound | their ratio <- launch_ratio times" * gpu
        + " | worst matrix <- worst_matrix"
    )
    blocks: list[Block] = []
    for title, part in view.parts(view.costs):
        for backend, each in part.groupby("backend", sort=False):
            rows = summary(each)
            if rows.empty:
                continue
            for side in SIDES:
                count = rows[f"{side}_count"].astype(object)
                rows[f"{side}_count"] = count.where(count < rows.matrices, "")
            rows = rows.sort_values("k", kind="stable")  # formats keep their order
            rows["label"] = "k = " + rows.k.astype(str) + ", " + rows.format
            heading = Heading(", ".join(filter(None, [backend, title])))
            blocks += [heading, table(rows, columns, 1, (6,))]
    return blocks
