# SPDX-License-Identifier: Apache-2.0
"""What others have published for the same matrices (bench/suites/published) beside what a run
measured, never as a ratio, for the hardware differs: published.csv says which columns of which
table, and what of fatvec stands beside it; works.csv, what each work publishes. And from all files
of a report serial, OpenMP and CUDA side by side, as in Balayre's tables 3.2 to 3.4 and figures 3.5
to 3.8 and 3.13 to 3.20, and in Fraga's figures 6 to 8."""

import pathlib

import pandas as pd

from .load import unions
from .names import RAW, matrix_key
from .page import NONE, Block, Heading, Picture, Text, folded, gflops, marked, table, word
from .style import LABELS, Sheet, by_matrix, plain, step

HERE = pathlib.Path(__file__).resolve().parent
FOLDER = HERE.parents[1] / "bench" / "suites" / "published"
# Spellings in the published tables that are not the collection's.
SPELLINGS = {"cry10000": "cryg10000", "cfdl": "cfd1", "case14": "cage14", "case15": "cage15"}


def read(name: str) -> pd.DataFrame:
    """A published table by matrix; empty where it is not there or is another."""
    try:
        found = pd.read_csv(FOLDER / name, comment="#")
        found = found.set_index(found.matrix.astype(str).replace(SPELLINGS).map(matrix_key))
        return found[~found.index.duplicated()]
    except (OSError, ValueError, AttributeError):
        return pd.DataFrame()


def printed(about) -> pd.DataFrame:
    """By matrix: the GFLOPS that a line of published.csv names, a column per title."""
    columns = dict(pair.split("=") for pair in about.columns.split(";"))
    found = read(about.file)
    if not set(columns.values()) & set(found.columns):
        return pd.DataFrame(columns=list(columns))
    found = found.reindex(columns=list(columns.values())).apply(pd.to_numeric, errors="coerce")
    return found.set_axis(list(columns), axis=1)


def _cells(rows: pd.DataFrame, by: list[str]) -> pd.Series:
    """The best GFLOPS as it is to be read, and the block size where the rows name some: then only
    those count."""
    rows = rows.assign(size=rows.block_size.fillna("") if "block_size" in rows else "")
    some = rows["size"].ne("").groupby([rows[name] for name in by]).transform("any")
    rows = rows[rows["size"].ne("") | ~some]
    best = rows.loc[rows.groupby(by, sort=False).GFLOPS.idxmax()].set_index(by)
    cells = map(marked, best.GFLOPS.map(gflops), best.mark, best["size"])
    return pd.Series(list(cells), best.index, dtype=object)


def measured(view, about) -> pd.DataFrame:
    """What stands beside a published row, by matrix: the best GFLOPS in each of the table's
    formats, the library's, and in any format with what that is."""
    rows = pd.concat([run.measured for run in view.runs], ignore_index=True)
    rows = rows[rows.k.isin(map(int, str(about.k).split()))]
    own = rows[rows.contender.eq(about.contender)]
    if own.empty:
        return pd.DataFrame()
    formats = about.formats.split()
    found = _cells(own, ["matrix", "format"]).unstack().reindex(columns=formats)
    found.columns = [name.upper().replace("PJ", "pJ") for name in formats]
    if about.peer:
        contender, name = about.peer.lower().split()
        library = rows[rows.contender.eq(contender) & rows.format.eq(name)]
        found[about.peer] = _cells(library, ["matrix"]) if len(library) else NONE
    best = own.loc[own.groupby("matrix", sort=False).GFLOPS.idxmax()].set_index("matrix")
    found["best"] = pd.Series(map(marked, best.GFLOPS.map(gflops), best.mark), best.index)
    found["which"] = best.how + ", k = " + best.k.astype(str)
    return found.reindex(best.index)


def beside_published(views: list) -> list[Block]:
    blocks: list[Block] = []
    for about in pd.read_csv(HERE / "published.csv", keep_default_na=False).itertuples():
        given = printed(about).map(gflops).add_prefix("published: ")
        mine = [
            (view, found)
            for view in views
            if view.platform == about.platform
            and not view.run.dry
            and len(found := measured(view, about))
            and found.index.map(matrix_key).isin(given.index).any()
        ]
        if not mine:
            continue
        matrices = list(dict.fromkeys(name for _, found in mine for name in found.index))
        rows = pd.DataFrame({"matrix": matrices}, index=map(matrix_key, matrices))
        rows = rows.join(given, how="inner").set_index("matrix")
        rows = rows.loc[[name for name in matrices if name in rows.index]]
        for position, (_, found) in enumerate(mine, 1):
            rows = rows.join(found.add_prefix(f"[{position}] "))
        rows = rows.map(word).reset_index()
        titles = "; ".join(f"[{at}] {view.title}" for at, (view, _) in enumerate(mine, 1))
        serial = "; kernels raw-serial." if about.contender == "raw-serial" else "."
        blocks += [
            Heading(about.title),
            Text(f"Published on {about.hardware}. {about.remark} Measured: {titles}{serial}"),
            table(rows, " | ".join(rows.columns), 1),
        ]
    if not blocks:
        return []
    works = pd.read_csv(HERE / "works.csv")
    return [table(works, " | ".join(works.columns), 3), *blocks]


STRUCTURES = {"csr": "CRS", "ellpack": "ELLPACK"}
METHODS = {"serial": "Serial", "openmp": "OpenMP", "cuda": "CUDA"}
COLUMNS = (1, 2, 3, 6)  # that Balayre has
GFLOPS = ["GFLOPS", "mean_GFLOPS"]
SHOWN = [*GFLOPS, *(f"{name}_mark" for name in GFLOPS)]


def hand_written(views: list) -> pd.DataFrame:
    """The hand-written CSR and ELLPACK of all runs on Balayre's and Fraga's matrices."""
    runs = [run for view in views for run in view.runs if run.kind == "products" and not run.dry]
    if not runs:
        return pd.DataFrame()
    rows = pd.concat([run.measured for run in runs], ignore_index=True)
    for key in {"scalar", "precision"} & {*rows.columns}:  # published figures are in double
        rows = rows[rows[key].fillna("").isin(["", "double"])]
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
    rows = hand_written(views)
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


def _marks(found: pd.DataFrame):
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
