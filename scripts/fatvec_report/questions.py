# SPDX-License-Identifier: Apache-2.0
"""What the published systems asked, as tables of a run: the best size of a block, means over a
suite for each number of threads, speed over the deviation of row lengths, one product against k."""

from __future__ import annotations

import pandas as pd

from . import analysis
from .load import Run, union, unions
from .names import RAW, SPECIALISED, role

ONE_BY_ONE = "column-by-column"  # the kernel that makes k products of one column
MEANS = "GFLOPS mean_GFLOPS per_thread serial speedup efficiency".split()  # of averages()
# Hand-written kernels that are as plain as that one.
PLAIN = ("textbook", "columns-outside", "grid-stride")


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
    """The papers' own OpenMP kernels (kernel:textbook), each format, storage and schedule a line,
    of chunks the best, by number of threads: format, line, k, threads, matrices, and arithmetic
    means over the matrices, as Calzetta and Lori take them: GFLOPS, mean_GFLOPS (of mean times),
    per_thread (GFLOPS / threads), serial (GFLOPS of the serial kernel of that format and storage),
    speedup over the same kernel and schedule on one thread, and efficiency; mark. Only matrices
    that every number of threads has."""
    parts = [run.measured.assign(threads=count) for run, count in zip(runs, threads)]
    rows = pd.concat(parts, ignore_index=True)
    named = ["kernel", "storage", "schedule"]
    rows = rows.reindex(columns=list(dict.fromkeys([*rows, *named])))
    rows[named] = rows[named].fillna("")
    rows = rows[rows.contender.map(role).eq(RAW) & rows.kernel.eq("textbook")]
    same = ["format", "storage", "matrix", "k", *(["layout"] if "layout" in rows else [])]
    serial = analysis.fastest(rows[rows.backend.eq("serial")], same).set_index(same)
    serial = serial[["GFLOPS", "mark"]].add_prefix("serial_")
    keys = [*same, "schedule"]
    table = analysis.fastest(rows[rows.backend.eq("openmp")], [*keys, "threads"])
    table = table[table.groupby(keys).threads.transform("nunique").eq(len(threads))]
    if table.empty:
        return table
    table = table.join(serial, on=same)
    table = analysis.over_one_thread(table, keys)
    line = table.format + " " + table.storage + " " + table.schedule
    table = table.assign(
        line=line.str.split().str.join(" "),
        mark=unions(table.mark, table.serial_mark),
        serial=table.serial_GFLOPS,
        per_thread=table.GFLOPS / table.threads,
    )
    means = table.groupby(["k", "format", "line", "threads"]).agg(
        matrices=("matrix", "nunique"),
        mark=("mark", union),
        **{name: (name, "mean") for name in MEANS},
    )
    return means.reset_index()


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
    products of one column in place (apart) and on copies (copied); mark."""
    rows = run.measured
    rows = rows[rows.format.eq("csr")]
    if "y_layout" in rows:
        rows = rows[rows.y_layout.ne("column")]
    keys = ["contender", "layout", "rows", "k"]
    if "kernel" not in rows or "layout" not in rows or not rows.kernel.eq(ONE_BY_ONE).any():
        return pd.DataFrame(columns=[*keys, "together", "apart", "copied", "mark"])
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
    best = analysis.fastest(rows, [*keys, "way"])
    table = best.set_index([*keys, "way"]).seconds.unstack("way")
    table = table.reindex(columns=["together", "apart", "copied"])
    table = table.assign(mark=best.groupby(keys).mark.agg(union)).reset_index()
    return table.dropna(subset=["together"]).sort_values(keys, ignore_index=True)
