# SPDX-License-Identifier: Apache-2.0
"""The papers' own questions, asked of the kernels of a run: which structure, method and block size
is best, what threads bring, what unequal rows cost, what a product of several columns saves."""

from __future__ import annotations

import math

import pandas as pd

from . import analysis, figures_papers, published, questions
from .page import NONE, Block, Heading, Picture, Table, Text, gflops, number, share, times, word
from .names import RAW, matrix_key, role

STRUCTURES = {"csr": "CRS", "ellpack": "ELLPACK"}
METHODS = {"serial": "Serial", "openmp": "OpenMP", "cuda": "CUDA"}
COLUMNS = (1, 2, 3, 6)


def all_questions(view) -> list[Block]:
    """Those that the run can answer."""
    if view.run.kind != "products" or view.run.dry:
        return []
    return [block for ask in (balayre, stec, calzetta, fraga, gollmann) for block in ask(view)]


def stec(view) -> list[Block]:
    """The best block size of every contender with blocks, as in his columns MKL and cuSPARSE."""
    table = questions.block_sizes(view.run)
    if table.empty:
        return []
    names = list(dict.fromkeys(table.contender))
    printed = _read("stec_gflops.csv")
    published_columns = {
        "published: BSR": f"openacc_{view.platform}_bsr",
        "published: library": "mkl_bsr" if view.platform == "cpu" else "cusparse_bsr",
    }
    published_columns = {
        title: name for title, name in published_columns.items() if name in printed
    }
    lines = []
    for (matrix, k), group in table.groupby(["matrix", "k"], sort=False):
        best = analysis.fastest(group, ["contender"]).set_index("contender")
        cells = [
            f"{gflops(best.GFLOPS[name])} ({best.block_size[name]})" if name in best.index else NONE
            for name in names
        ]
        key = matrix_key(matrix)
        known = key in printed.index
        lines.append(
            [
                matrix,
                str(k),
                *cells,
                *(
                    gflops(printed[name][key]) if known else NONE
                    for name in published_columns.values()
                ),
            ]
        )
    return [
        Heading("Best block size (Stec and Stpiczyński, table II)"),
        Text(
            "GFLOPS of each contender's BSR at the block size that is fastest on that matrix, "
            "which stands in brackets. Libraries get the last block padded to a whole one."
        ),
        Table(["matrix", "k", *names, *published_columns], lines, left=1),
    ]


def calzetta(view) -> list[Block]:
    """Means over the suite for each number of threads."""
    if len(view.runs) < 2:
        return []
    table = questions.averages(view.runs, view.threads)
    if table.empty or table.matrices.max() < 2:
        return []
    lines = [
        [
            row.line,
            str(row.k),
            str(row.threads),
            gflops(row.GFLOPS),
            gflops(row.per_thread),
            times(row.speedup),
            share(row.efficiency),
            str(row.matrices),
        ]
        for row in table.itertuples()
    ]
    return [
        Heading("Means over the suite by number of threads (Calzetta and Lori)"),
        Text(
            "Hand-written OpenMP, each format at its best schedule. Arithmetic means over the "
            "matrices, as in the slides; speedup over the serial kernel of the same format."
        ),
        Picture(
            f"{view.prefix}averages",
            "Lines: mean GFLOPS per thread, speedup and efficiency over the threads.",
            lambda: figures_papers.averages(view, table),
        ),
        Table(
            [
                "format",
                "k",
                "threads",
                "GFLOPS",
                "GFLOPS per thread",
                "speedup",
                "efficiency",
                "matrices",
            ],
            lines,
            left=1,
        ),
    ]


def fraga(view) -> list[Block]:
    """Speed over the deviation of row lengths."""
    table = questions.over_deviation(view.run)
    if table.row_deviation.nunique() < 3:
        return []
    lines = []
    hand_written = table[table.role.eq(RAW)]
    names = list(dict.fromkeys(hand_written.format))
    printed = _read("fraga_deviation.csv")
    for matrix, group in hand_written.sort_values("row_deviation").groupby("matrix", sort=False):
        best, key = group.set_index("format").GFLOPS, matrix_key(matrix)
        his = printed.percent_average_deviation.get(key) if len(printed) else None
        lines.append(
            [
                matrix,
                number(group.row_deviation.iloc[0]),
                number(his),
                *(gflops(best[name]) if name in best else NONE for name in names),
            ]
        )
    return [
        Heading("Speed over the deviation of row lengths (Fraga)"),
        Text(
            "The deviation is the mean absolute one in percent of the mean length. The table "
            "has hand-written kernels, the fastest of each format."
        ),
        Picture(
            f"{view.prefix}deviation",
            "Marks: GFLOPS over the deviation of row lengths, one per matrix and format.",
            lambda: figures_papers.over_deviation(view, table),
        ),
        Table(["matrix", "deviation (%)", "published (%)", *names], lines, left=1),
    ]


def gollmann(view) -> list[Block]:
    """One product of K columns against K products, over N and K."""
    table = questions.one_against_many(view.run)
    table = table[table.k > 1]
    if table.rows.nunique() < 2 or table.k.nunique() < 2:
        return []
    lines = []
    for (contender, layout, k), group in table.groupby(["contender", "layout", "k"], sort=False):
        ratio = {way: group[way] / group.together for way in ("apart", "copied")}
        if all(values.isna().all() for values in ratio.values()):
            continue
        lines.append(
            [
                contender,
                layout,
                str(k),
                *(times(ratio[way].min()) for way in ratio),
                *(times(ratio[way].max()) for way in ratio),
            ]
        )
    return [
        Heading("One product of K columns against K products (Gollmann, figure 5)"),
        Text(
            "The time of K products of one column over that of one product, least and greatest "
            "over N: of columns in place, and with the copies of each column."
        ),
        Picture(
            f"{view.prefix}n-by-k",
            "Lines: seconds over the rows, a panel per contender and layout, K by colour.",
            lambda: figures_papers.one_against_many(view, table),
        ),
        Table(
            [
                "contender",
                "layout",
                "K",
                "in place: least",
                "copied: least",
                "in place: greatest",
                "copied: greatest",
            ],
            lines,
            left=2,
        ),
    ]


def balayre(view) -> list[Block]:
    """His tables 3.4 and 3.2 beside the same choice among our hand-written CSR and ELLPACK."""
    rows = _hand_written(view)
    overall, openmp = _read("balayre_overall.csv"), _read("balayre_openmp_gflops.csv")
    if rows.empty or not rows.key.isin(overall.index).any():
        return []
    return [
        Text(
            "Balayre 2024 asked which structure and method is best for each matrix, over k = 1, "
            "2, 3, 6. The published columns are his, on "
            "other "
            "hardware; the others are the hand-written kernels of this run. Speedups are over "
            "serial CSR at its best, as his are."
        ),
        Heading("Best structure and method (his table 3.4)"),
        _overall(rows, overall),
        *(
            [Heading("Hand-written OpenMP (his table 3.2)"), _openmp(rows, openmp)]
            if len(openmp) and rows.backend.eq("openmp").any()
            else []
        ),
    ]


def _hand_written(view) -> pd.DataFrame:
    rows = pd.concat([run.measured for run in view.runs], ignore_index=True)
    rows = rows[
        rows.contender.map(role).eq(RAW) & rows.format.isin(STRUCTURES) & rows.k.isin(COLUMNS)
    ]
    return rows.assign(key=rows.matrix.map(matrix_key))


def _read(name: str) -> pd.DataFrame:
    """A published table by matrix; empty where it is not there."""
    try:
        table = pd.read_csv(published.FOLDER / name)
        return table.set_index(table.matrix.map(matrix_key))
    except (OSError, ValueError, AttributeError):
        return pd.DataFrame()


def _overall(rows: pd.DataFrame, printed: pd.DataFrame) -> Table:
    lines = []
    for matrix, group in rows[rows.key.isin(printed.index)].groupby("matrix", sort=False):
        his, best = printed.loc[matrix_key(matrix)], group.loc[group.GFLOPS.idxmax()]
        serial = group[group.backend.eq("serial") & group.format.eq("csr")].GFLOPS.max()
        lines.append(
            [
                matrix,
                word(his.best_structure),
                word(his.best_method),
                STRUCTURES[best.format],
                METHODS.get(best.backend, best.backend),
                gflops(his.best_gflops),
                times(his.speedup),
                gflops(best.GFLOPS),
                times(best.GFLOPS / serial if serial else math.nan),
            ]
        )
    return Table(
        [
            "matrix",
            "published: structure",
            "method",
            "this run: structure",
            "method",
            "published: GFLOPS",
            "speedup",
            "this run: GFLOPS",
            "speedup",
        ],
        lines,
        left=5,
    )


def _openmp(rows: pd.DataFrame, printed: pd.DataFrame) -> Table:
    rows = rows[rows.backend.eq("openmp") & rows.key.isin(printed.index)]
    lines = []
    for matrix, group in rows.groupby("matrix", sort=False):
        his = printed.loc[matrix_key(matrix)]
        best = group.groupby("format").GFLOPS.max()
        lines.append(
            [
                matrix,
                gflops(his.crs),
                gflops(his.ellpack),
                *(gflops(best[name]) if name in best else NONE for name in STRUCTURES),
            ]
        )
    return Table(["matrix", "published: CRS", "ELLPACK", "this run: CRS", "ELLPACK"], lines, left=1)
