# SPDX-License-Identifier: Apache-2.0
"""Sections about one view's speed."""

from __future__ import annotations

from typing import Callable

import pandas as pd

from . import analysis, figures_ratio, figures_speed
from .page import (
    NONE,
    Block,
    Details,
    Heading,
    Picture,
    Table,
    Text,
    count,
    gflops,
    number,
    share,
    times,
    word,
)
from .names import SPECIALISED, PORTABLE, RAW
from .style import pages

MOST_BARS, MOST_LINES, MOST_DOTS, MOST_FORMATS = 10, 12, 30, 15  # matrices on one page


def paged(
    view, table, name: str, most: int, draw, alt: str, caption: str | Callable = ""
) -> list[Block]:
    """A picture per layout (and the like) and page of matrices; caption: a text, or what makes one
    of a page."""
    pictures = []
    for title, part in view.parts(table):
        sheets = pages(list(dict.fromkeys(part.matrix)), most)
        for number_, matrices in enumerate(sheets, 1):
            page = part[part.matrix.isin(matrices)]
            place = f", {title}" if title else ""
            sheet = f" ({number_} of {len(sheets)})" if len(sheets) > 1 else ""
            pictures.append((f"{alt}{place}{sheet}: {', '.join(matrices)}.", page, place + sheet))
    names = [
        f"{view.prefix}{name}" + (f"-{position}" if len(pictures) > 1 else "")
        for position in range(1, len(pictures) + 1)
    ]
    return [
        Picture(
            name,
            alt,
            lambda page=page, title=title: draw(view, page, title),
            caption(page) if callable(caption) else caption,
        )
        for name, (alt, page, title) in zip(names, pictures)
    ]


def bars(view) -> list[Block]:
    table = view.table

    def caption(page) -> str:
        panels = page.k.nunique()
        few = " Four of the k; all of them in the table below and in results.csv."
        return f"Scales differ from panel to panel.{few if panels > 4 else ''}" * (panels > 1)

    return paged(
        view,
        table,
        "gflops",
        MOST_BARS,
        figures_speed.bars,
        "Bars: GFLOPS of each contender's fastest variant per matrix and k",
        caption,
    )


def over_k(view) -> list[Block]:
    several = [part for _, part in view.parts(view.table) if part.k.nunique() > 1]
    if not several:
        return []  # of one k the bars tell as much
    return paged(
        view,
        pd.concat(several),
        "over-k",
        MOST_LINES,
        figures_speed.over_k,
        "Lines: GFLOPS over k, one panel per matrix",
        lambda page: (
            "Grey: above what the measured bandwidth allows without help of the caches."
            if page.bound.notna().any()
            else ""
        ),
    )


def of_bound(view) -> list[Block]:
    table = view.table.dropna(subset=["bound"])
    return paged(
        view,
        table,
        "bound",
        MOST_DOTS,
        figures_speed.of_bound,
        "Marks: share of the bandwidth bound per matrix, k and contender",
        "The bound: the compulsory traffic (A, the touched rows of X, Y, each once) at the "
        "measured bandwidth. A hollow mark's data "
        "fit the last-level cache, where memory bandwidth is no bound.",
    )


def roofline(view) -> list[Block]:
    rows = view.run.measured
    if not ((rows.bytes > 0) & (rows.bound_fraction > 0) & (rows.GFLOPS > 0)).any():
        return []
    return [
        Picture(
            f"{view.prefix}roofline",
            "Roofline: GFLOPS over flops per byte for every problem, below the line of the "
            "measured bandwidth.",
            lambda: figures_speed.roofline(view),
            "Every matrix, layout and k at each contender's best. The peak of arithmetic is not "
            "measured, so it has no roof here.",
        )
    ]


def comparison(view) -> list[Block]:
    run, table = view.run, view.table
    others = [
        name
        for wanted in (PORTABLE, RAW)
        for name in analysis.contenders(run, wanted)
        if table[name].notna().any()
    ]
    blocks: list[Block] = [
        Text(
            "GFLOPS = 2·nnz·k / median time, padding not counted. Each contender is represented "
            "by its fastest format and kernel; ratios are "
            "fatvec over the other, so above 1 fatvec is faster. Of bound: share of the speed at "
            "which the compulsory traffic would pass at the "
            "measured memory bandwidth; above 100 % the caches helped. A dash: not measured, see "
            "below."
        )
    ]
    for title, part in view.parts(table):
        blocks += [Heading(title)] if title else []
        rows = [
            [
                row.matrix,
                word(row.fatvec_what),
                word(row.peer_what),
                str(row.k),
                gflops(row.fatvec),
                *[gflops(row[name]) for name in others],
                gflops(row.peer),
                times(row.vs_raw),
                times(row.vs_peer),
                share(row.bound_fraction),
            ]
            for _, row in part.iterrows()
        ]
        blocks.append(
            Table(
                [
                    "matrix",
                    "best of fatvec",
                    "best peer",
                    "k",
                    "fatvec",
                    *others,
                    "peer",
                    "fatvec / raw",
                    "fatvec / peer",
                    "of bound",
                ],
                rows,
                left=3,
                strong=(4,),
            )
        )
    return blocks if len(table) else []


def formats(view) -> list[Block]:
    blocks: list[Block] = []
    for wanted, name, who in (
        (SPECIALISED, "formats", "fatvec's"),
        (RAW, "formats-raw", "the hand-written"),
    ):
        table = analysis.formats(view.run, wanted)
        table = table[table.csr_seconds.notna()]
        if table.format.nunique() > 1:
            drawn = paged(
                view,
                table,
                name,
                MOST_FORMATS,
                figures_ratio.formats,
                f"Marks: speed of {who} kernels of each format over those of CSR per matrix and k",
            )
            blocks += (
                drawn
                if wanted == SPECIALISED
                else [Details("The same of the hand-written kernels", drawn)]
            )
    return [*blocks, *_break_even(view)]


def _break_even(view) -> list[Block]:
    table = analysis.formats(view.run)
    table = table[table.csr_seconds.notna() & (table.format != "csr")]
    if table.empty:
        return []
    columns = sorted(table.k.unique())
    blocks: list[Block] = [
        Heading("When a conversion pays"),
        Text(
            "Products after which a format's set-up has paid against staying with CSR: set-up / "
            "(CSR's time − the format's time), each with "
            f"fatvec's fastest kernel. {NONE}: never, for it is not faster (or was not "
            "measured). Size: stored entries / nonzeros."
        ),
    ]
    for title, part in view.parts(table):
        blocks += [Heading(title)] if title else []
        paying, never = [], []
        for (matrix, shape), group in part.groupby(["matrix", "format"], sort=False):
            by_k = group.set_index("k").break_even
            (paying if by_k.notna().any() else never).append(
                [
                    matrix,
                    shape,
                    times(analysis.median(group.stored_entries / group.nnz)),
                    number(analysis.median(group.setup_seconds) * 1e3, ".3g"),
                    *[count(by_k.get(k)) for k in columns],
                ]
            )
        heads = ["matrix", "format", "size", "set-up (ms)", *[f"k = {k}" for k in columns]]
        blocks += [Table(heads, paying, left=2)] if paying else []
        if never:
            blocks.append(Details(f"{len(never)} that never pay", [Table(heads, never, left=2)]))
    return blocks


def setup_costs(view) -> list[Block]:
    table = view.table
    costs = table[(table.setup_seconds > 0) | (table.spread > 0)]
    if costs.empty:
        return []
    blocks: list[Block] = [
        Text(
            "Conversion and analysis are paid once, outside the times above; in products: how "
            "many products they cost. "
            "Spread: (p90 − p10) / median of the repetitions."
        )
    ]
    for title, part in view.parts(costs):
        blocks += [Heading(title)] if title else []
        rows = [
            [
                row.matrix,
                word(row.fatvec_what),
                str(row.k),
                number(row.setup_seconds * 1e3, ".3g"),
                number(row.setup_products, ".3g"),
                share(row.spread),
            ]
            for _, row in part.iterrows()
        ]
        blocks.append(
            Table(
                ["matrix", "format and kernel", "k", "set-up (ms)", "in products", "spread"],
                rows,
                left=2,
            )
        )
    return blocks
