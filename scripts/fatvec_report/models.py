# SPDX-License-Identifier: Apache-2.0
"""Serial, OpenMP and CUDA side by side, from all the files of a report: Balayre's tables 3.2 to 3.4
and figures 3.5 to 3.8 and 3.13 to 3.20, Fraga's figures 6 to 8."""

from __future__ import annotations

import matplotlib.pyplot as plt
import pandas as pd

from .load import unions
from .names import RAW, matrix_key
from .page import Block, Heading, Picture, folded, table
from .published import read
from .style import LABELS, Sheet, by_matrix, plain, step

STRUCTURES = {"csr": "CRS", "ellpack": "ELLPACK"}
METHODS = {"serial": "Serial", "openmp": "OpenMP", "cuda": "CUDA"}
COLUMNS = (1, 2, 3, 6)  # that Balayre has
GFLOPS = ["GFLOPS", "mean_GFLOPS"]
SHOWN = [*GFLOPS, *(f"{name}_mark" for name in GFLOPS)]


def measured(views: list) -> pd.DataFrame:
    """The hand-written CSR and ELLPACK of all runs on Balayre's and Fraga's matrices."""
    runs = [run for view in views for run in view.runs if run.kind == "products" and not run.dry]
    if not runs:
        return pd.DataFrame()
    rows = pd.concat([run.measured for run in runs], ignore_index=True)
    rows = rows.assign(key=rows.matrix.map(matrix_key))
    rows = rows[rows.role.eq(RAW) & rows.format.isin(STRUCTURES)]
    rows = rows[rows.backend.isin(METHODS) & rows.k.isin(COLUMNS)]
    return rows[rows.key.isin(read("balayre_overall.csv").index)]


def best(rows: pd.DataFrame, by: list[str]) -> pd.DataFrame:
    """The row of the most GFLOPS of each group, with its structure and method in words."""
    found = rows.loc[rows.groupby(by, sort=False).GFLOPS.idxmax()]
    return found.assign(
        structure=found.format.map(STRUCTURES),
        method=found.backend.map(METHODS),
        **{f"{name}_mark": found.mark for name in GFLOPS},
    ).set_index(by)


def side_by_side(views: list) -> list[Block]:
    rows = measured(views)
    if rows.empty:
        return []
    serial = best(rows[rows.backend.eq("serial") & rows.format.eq("csr")], ["matrix"])
    overall = best(rows, ["matrix"])
    overall = _beside(over(overall, serial), "balayre_overall.csv")
    columns = (
        "matrix | published: structure <- his_best_structure | method <- his_best_method | "
        "measured: structure <- structure | method | published: GFLOPS <- his_best_gflops gflops | "
        "published: speedup <- his_speedup times | measured: GFLOPS <- GFLOPS gflops | "
        "of mean times <- mean_GFLOPS gflops | speedup <- speedup times"
    )
    blocks = [
        Heading("Best structure and method (Balayre's table 3.4)"),
        table(overall, columns, 5),
    ]
    for backend, number in (("openmp", 2), ("cuda", 3)):
        part = rows[rows.backend.eq(backend)]
        if len(part):
            blocks += _structures(part, serial, backend, number)
    if rows.backend.nunique() > 1:
        blocks += _methods(rows)
    return blocks


def over(found: pd.DataFrame, serial: pd.DataFrame) -> pd.DataFrame:
    """With the speedup over serial CSR."""
    found = found.assign(speedup=found.GFLOPS / serial.GFLOPS)
    return found.assign(speedup_mark=unions(found.mark, serial.mark.reindex(found.index)))


def _beside(found: pd.DataFrame, file: str) -> pd.DataFrame:
    """His figures have no marks."""
    his = read(file).add_prefix("his_")
    found = found.reset_index().merge(his, left_on="key", right_index=True)
    return found.assign(**{f"{name}_mark": "" for name in his})


def _structures(rows: pd.DataFrame, serial: pd.DataFrame, backend: str, number: int) -> list:
    """His table 3.2 or 3.3."""
    found = over(best(rows, ["matrix"])[["key", "structure", "GFLOPS", "mark"]], serial)
    for name in STRUCTURES:
        part = best(rows[rows.format.eq(name)], ["matrix"])
        found = found.join(part[SHOWN].add_prefix(f"{name}_"))
    found = _beside(found, f"balayre_{backend}_gflops.csv")
    columns = "matrix | published: best <- his_best_structure | measured: best <- structure"
    for name, title in STRUCTURES.items():
        columns += (
            f" | published: {title} <- his_{title.lower()} gflops"
            f" | measured: {title} <- {name}_GFLOPS gflops"
            f" | of mean times <- {name}_mean_GFLOPS gflops"
        )
    columns += " | published: speedup <- his_speedup times | measured: speedup <- speedup times"
    title = f"Hand-written {METHODS[backend]} (Balayre's table 3.{number})"
    return [Heading(title), table(found, columns, 3)]


def _methods(rows: pd.DataFrame) -> list[Block]:
    """A row per matrix, structure and k, a column per method; a panel per structure and k."""
    found = best(rows, ["matrix", "format", "k", "backend"])
    found.index = found.index.set_levels(found.index.levels[1].map(STRUCTURES), level=1)
    wide = found[SHOWN].unstack("backend")
    wide.columns = [f"{backend}_{name}" for name, backend in wide.columns]
    columns = "matrix | structure <- format | k"
    for name in [name for name in METHODS if rows.backend.eq(name).any()]:
        columns += (
            f" | {METHODS[name]} <- {name}_GFLOPS gflops"
            f" | of mean times <- {name}_mean_GFLOPS gflops"
        )
    return [
        Heading("Serial, OpenMP and CUDA (Balayre's figures 3.5 to 3.20, Fraga's 6 to 8)"),
        Picture(
            "methods",
            "Marks: GFLOPS of the fastest hand-written serial, OpenMP and CUDA kernel per matrix, "
            "a panel per structure and k.",
            lambda: _marks(found),
        ),
        folded([table(wide.reset_index(), columns, 2)]),
    ]


def _marks(found: pd.DataFrame) -> plt.Figure:
    panels = list(found.groupby(["format", "k"]))
    matrices = list(dict.fromkeys(found.index.get_level_values("matrix")))
    height = len(matrices) * 0.2 + LABELS
    sheet = Sheet(len(panels), min(4, found.index.get_level_values("k").nunique()), height)
    for axis, ((structure, k), part) in zip(sheet.axes, panels):
        values = part.droplevel(["format", "k"]).GFLOPS.unstack("backend").reindex(matrices)
        for position, (name, method) in enumerate(METHODS.items()):
            if name in values:
                looks = step(position) | {"linestyle": "none"}
                sheet.line(axis, values[name], range(len(matrices)), method, **looks)
        by_matrix(axis, matrices)
        plain(axis, "x")
        axis.set(title=f"{structure}, k = {k}", xlabel="GFLOPS")
    return sheet.done("Hand-written serial, OpenMP and CUDA kernels", "fastest of each; axes log")
