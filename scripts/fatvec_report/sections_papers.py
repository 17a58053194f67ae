# SPDX-License-Identifier: Apache-2.0
"""The papers' own questions, asked of the hand-written kernels of a run: which structure and method
is best, and by how much."""

from __future__ import annotations

import pandas as pd

from . import published
from .blocks import NONE, Block, Heading, Table, Text, gflops, times, word
from .names import RAW, matrix_key, role

STRUCTURES = {"csr": "CRS", "ellpack": "ELLPACK"}
METHODS = {"serial": "Serial", "openmp": "OpenMP", "cuda": "CUDA"}
COLUMNS = (1, 2, 3, 6)


def balayre(view) -> list[Block]:
    """His tables 3.4 and 3.2 beside the same choice among our hand-written CSR and ELLPACK."""
    if view.run.vectors or view.run.dry:
        return []
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
                times(best.GFLOPS / serial),
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
