# SPDX-License-Identifier: Apache-2.0
"""What the published systems asked, as tables of a run: the best size of a block, means over a
suite for each number of threads, speed over the deviation of row lengths, one product against k."""

from __future__ import annotations

import pandas as pd

from . import analysis
from .load import Run
from .names import RAW, SPECIALISED, role

ONE_BY_ONE = "column-by-column"  # the kernel that makes k products of one column
PLAIN = ("textbook", "grid-stride")  # hand-written kernels that are as plain as that one


def block_sizes(run: Run) -> pd.DataFrame:
    """Of every contender with BSR its best block size per matrix and k: matrix, k, contender,
    GFLOPS, block_size. Only rows that name a size count: the others' is not in the results."""
    rows = run.measured
    if "block_size" not in run.parameters:
        return rows.head(0)
    rows = rows[rows.format.eq("bsr") & rows.block_size.ne("")]
    best = analysis.fastest(rows, [*run.problem_keys, "contender", "backend"])
    return analysis.in_order(run, best)


def averages(runs: list[Run], threads: list[int]) -> pd.DataFrame:
    """Hand-written OpenMP, each format and storage at its best schedule, by number of threads:
    line, k, threads, matrices, and arithmetic means over the matrices, as Calzetta and Lori take
    them: GFLOPS, per_thread (GFLOPS / threads), speedup over the serial kernel of the same format,
    or else of CSR, and efficiency. Only matrices that every number of threads has."""
    parts = []
    for run, count in zip(runs, threads):
        rows = run.measured
        rows = rows[rows.contender.map(role).eq(RAW) & rows.backend.isin(["serial", "openmp"])]
        storage = rows.storage if "storage" in rows else ""
        parts.append(rows.assign(line=(rows.format + " " + storage).str.strip(), threads=count))
    rows = pd.concat(parts, ignore_index=True)
    keys = ["line", "matrix", "k", *(["layout"] if "layout" in rows else [])]
    serial = analysis.fastest(rows[rows.backend.eq("serial")], keys)
    csr = serial[serial.line.eq("csr")][[*keys[1:], "seconds"]]
    openmp = analysis.fastest(rows[rows.backend.eq("openmp")], [*keys, "threads"])
    table = openmp.merge(serial[[*keys, "seconds"]], on=keys, how="left", suffixes=("", "_own"))
    table = table.merge(csr, on=keys[1:], how="left", suffixes=("", "_csr"))
    table["speedup"] = table.seconds_own.fillna(table.seconds_csr) / table.seconds
    table = table.dropna(subset=["speedup"])
    everywhere = table.groupby(keys).threads.transform("nunique").eq(len(threads))
    table = table[everywhere]
    table["per_thread"] = table.GFLOPS / table.threads
    table["efficiency"] = table.speedup / table.threads
    means = table.groupby(["line", "k", "threads"], sort=False).agg(
        matrices=("matrix", "nunique"),
        GFLOPS=("GFLOPS", "mean"),
        per_thread=("per_thread", "mean"),
        speedup=("speedup", "mean"),
        efficiency=("efficiency", "mean"),
    )
    return means.reset_index().sort_values(["k", "line", "threads"], ignore_index=True)


def over_deviation(run: Run) -> pd.DataFrame:
    """Per matrix, its fewest columns, format and role (fatvec, raw) the fastest row: matrix,
    row_deviation (mean absolute deviation of the rows' lengths in percent of their mean), format,
    role, GFLOPS, what."""
    rows = run.measured
    rows = rows[rows.k.eq(rows.k.min()) & rows.row_deviation.notna() & rows.format.ne("")]
    rows = rows.assign(role=rows.contender.map(role))
    rows = rows[rows.role.isin([SPECIALISED, RAW])]
    best = analysis.fastest(rows, ["matrix", "format", "role"])
    what = [run.describe(row, contender=True) for _, row in best.iterrows()]
    return best.assign(what=what)


def one_against_many(run: Run) -> pd.DataFrame:
    """Per contender, layout, rows of the matrix and k: seconds of its best product of all columns
    by CSR, of hand-written ones the plain kernel where it was measured (together), and of its k
    products of one column in place (apart) and on copies (copied)."""
    rows = run.measured
    rows = rows[rows.format.eq("csr")]
    empty = pd.DataFrame(
        columns=["contender", "layout", "rows", "k", "together", "apart", "copied"]
    )
    if "kernel" not in rows or "layout" not in rows or not rows.kernel.eq(ONE_BY_ONE).any():
        return empty
    copies = rows.copies if "copies" in rows else ""
    way = pd.Series("together", index=rows.index)
    way[rows.kernel.eq(ONE_BY_ONE)] = "apart"
    way[rows.kernel.eq(ONE_BY_ONE) & (copies == "yes")] = "copied"
    rows = rows.assign(way=way)
    asked = rows[rows.kernel.eq(ONE_BY_ONE)].contender.unique()
    rows = rows[rows.contender.isin(asked)]
    plain = rows.kernel.isin(PLAIN)
    has_plain = rows.contender.isin(rows[plain].contender.unique())
    rows = rows[plain | ~has_plain | rows.way.ne("together")]
    keys = ["contender", "layout", "rows", "k"]
    table = rows.groupby([*keys, "way"]).seconds.min().unstack("way")
    table = table.reindex(columns=["together", "apart", "copied"]).reset_index()
    return table.dropna(subset=["together"]).sort_values(keys, ignore_index=True)
