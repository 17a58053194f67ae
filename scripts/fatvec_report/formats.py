# SPDX-License-Identifier: Apache-2.0
"""Formats beside CSR: whose speed, and when a conversion pays."""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from . import analysis, style
from .load import union
from .names import RAW, SPECIALISED
from .page import Block, Details, headed, table
from .speed import paged
from .style import FORMATS, LABELS, Sheet, by_matrix, even, pick

MOST = 15  # matrices on one page


def formats(view) -> list[Block]:
    blocks: list[Block] = []
    for wanted, name, who in (
        (SPECIALISED, "formats", "fatvec's"),
        (RAW, "formats-raw", "the hand-written"),
    ):
        rows = against_csr(view, wanted)
        if rows.format.nunique() > 1:
            alt = f"Marks: speed of {who} kernels of each format over those of CSR per matrix and k"
            drawn = paged(view, rows, name, MOST, _formats, alt)
            folded = [Details("The same of the hand-written kernels", drawn)]
            blocks += drawn if wanted == SPECIALISED else folded
    return [*blocks, *_break_even(view)]


def against_csr(view, wanted: str) -> pd.DataFrame:
    rows = analysis.formats(view.run, wanted)
    return rows[rows.csr_seconds.notna()]


def _formats(view, rows: pd.DataFrame, title: str) -> plt.Figure:
    """Speed of each format's best kernel over CSR's, matrices below each other, one panel per k."""
    counts = rows.groupby("k").size()  # a panel of few marks tells little
    columns = pick(counts.index[2 * counts >= counts.max()], 4)
    matrices = list(dict.fromkeys(rows.matrix))
    names = [name for name in dict.fromkeys(rows.format) if name != "csr"]
    # inches, so that the marks of one matrix do not touch the next one's
    row = max(0.26, 0.1 * len(names) + 0.08)
    height = len(matrices) * row + LABELS
    sheet = Sheet(len(columns), 4, height, sharey=True, sharex=True)
    for axis, k in zip(sheet.axes, columns):
        wide = rows[rows.k == k].pivot_table(index="matrix", columns="format", values="over_csr")
        wide = wide.reindex(index=matrices, columns=names)
        for offset, name in enumerate(names):
            places = np.arange(len(matrices)) + (offset - (len(names) - 1) / 2) * 0.1 / row
            colour = style.look(name, FORMATS)[0]
            axis.hlines(places, 1, wide[name], color=colour, linewidth=1.6, zorder=3)
            sheet.marks(axis, wide[name].to_numpy(), places, name, FORMATS)
        axis.set(xscale="log", title=f"k = {k}", xlabel="speed / CSR's")
        by_matrix(axis, matrices)
    for axis in sheet.axes:
        even(axis)
    kind = "fatvec's" if rows.role.iloc[0] == SPECIALISED else "hand-written"
    facts = f"{view.facts()}; right of the line: faster than CSR"
    return sheet.done(f"Formats against CSR, {kind} kernels{title}", facts)


def _break_even(view) -> list[Block]:
    rows = against_csr(view, SPECIALISED)
    rows = rows[rows.format != "csr"]
    if rows.empty:
        return []
    rows = rows.assign(size=rows.stored_entries / rows.nnz, ms=rows.setup_seconds * 1e3)
    rows["mark"] = rows.break_even_mark
    columns = sorted(rows.k.unique())
    heads = "matrix | format | size <- size times | set-up (ms) <- ms .3g" + "".join(
        f" | k = {k} <- {k} count" for k in columns
    )

    def tables(part: pd.DataFrame) -> list[Block]:
        groups = part.groupby(["matrix", "format"], sort=False)
        own = groups[["size", "ms"]].median().assign(size_mark="", ms_mark=groups.mark.agg(union))
        wide = own.join(analysis.wide(part, ["matrix", "format"], "k", "break_even"))
        wide = wide.reset_index().assign(**{str(k): float("nan") for k in {*columns} - {*part.k}})
        never = wide[map(str, columns)].isna().all(axis=1)
        paying, rest = table(wide[~never], heads, 2), table(wide[never], heads, 2)
        folded = Details(f"{never.sum()} that never pay", [rest])
        return [*([paying] if paying.rows else []), *([folded] if rest.rows else [])]

    return [*headed("When a conversion pays"), *view.apart(rows, tables)]
