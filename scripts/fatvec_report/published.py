# SPDX-License-Identifier: Apache-2.0
"""What others have published for the same matrices (bench/suites/published) beside what a run
measured, never as a ratio, for the hardware differs. published.csv says which columns of which
table, and what of fatvec stands beside it; works.csv, what each work publishes."""

from __future__ import annotations

import pathlib

import pandas as pd

from .names import matrix_key
from .page import NONE, Block, Heading, Text, gflops, marked, table, word

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
