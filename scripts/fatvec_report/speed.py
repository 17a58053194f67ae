# SPDX-License-Identifier: Apache-2.0
"""Speed: per matrix, over k, beside the bound, and the table of every comparison."""

import numpy as np
import pandas as pd
from matplotlib.patches import Patch

from . import analysis, style
from .load import Run, unions
from .names import PORTABLE, RAW, SPECIALISED
from .page import Block, Picture, Text, gflops, marked, table
from .style import BOUND, INK, LABELS, MUTED, Sheet, by_matrix, look, pages, pick, plain, titled

MOST_BARS, MOST_LINES, MOST_DOTS = 10, 12, 30  # matrices on one page
HOLLOW = {"name": "hollow: fits the cache", "color": MUTED, "marker": "o", "linestyle": "none"}
HOLLOW["markerfacecolor"] = "white"


def paged(view, rows, name: str, most: int, draw, alt: str, caption="") -> list[Block]:
    """A picture per layout (and the like) and page of matrices; caption: a text, or what makes one
    of a page."""
    found = []
    for title, part in view.parts(rows):
        sheets = pages(list(dict.fromkeys(part.matrix)), most)
        for position, matrices in enumerate(sheets, 1):
            place = f", {title}" * bool(title)
            place += f" ({position} of {len(sheets)})" * (len(sheets) > 1)
            found.append((place, matrices, part[part.matrix.isin(matrices)]))
    return [
        Picture(
            name + f"-{position}" * (len(found) > 1),
            f"{alt}{place}: {', '.join(matrices)}.",
            lambda page=page, place=place: draw(view, page, place),
            caption(page) if callable(caption) else caption,
        )
        for position, (place, matrices, page) in enumerate(found, 1)
    ]


def contenders(view, part: pd.DataFrame) -> list[str]:
    """Those that have a point, fatvec first, then the portable kernel, hand-written code, the
    libraries."""
    return [name for name in analysis.contenders(view.run) if part[name].notna().any()]


def by_matrix_and_k(view, part: pd.DataFrame):
    """The contenders, the matrices, and (k, a row per matrix) of four of the k at which the most
    contenders were measured."""
    names, matrices = contenders(view, part), list(dict.fromkeys(part.matrix))
    present = part.groupby("k")[names].apply(lambda rows: rows.notna().any().sum())
    columns = pick(present.index[present == present.max()], 4)
    panels = [(k, part[part.k == k].set_index("matrix").reindex(matrices)) for k in columns]
    return names, matrices, panels


def bars(view) -> list[Block]:
    def caption(page) -> str:
        few = " Four of the k; all of them in the table below and in results.csv."
        panels = page.k.nunique()
        return f"Scales differ from panel to panel.{few * (panels > 4)}" * (panels > 1)

    alt = "Bars: GFLOPS of each contender's fastest variant per matrix and k"
    return paged(view, view.table, "gflops", MOST_BARS, _bars, alt, caption)


def _bars(view, part: pd.DataFrame, title: str):
    """Matrices below each other, one panel per k."""
    names, matrices, panels = by_matrix_and_k(view, part)
    pitch = len(names) + 0.9
    sheet = Sheet(len(panels), 4, len(matrices) * pitch * 0.145 + LABELS, sharey=True)
    for axis, (k, rows) in zip(sheet.axes, panels):
        for position, (name, hatch) in enumerate(zip(names, style.hatches(names))):
            colour = look(name)[0]
            places = np.arange(len(matrices)) * pitch + position
            bar = {"facecolor": colour, "hatch": hatch, "edgecolor": "white", "linewidth": 0}
            axis.barh(places, rows[name].fillna(0), height=0.92, **bar)
            sheet.keys[titled(name)] = Patch(**bar)
            own = name == SPECIALISED
            words = {"color": INK if own else MUTED, "fontweight": "bold" if own else "normal"}
            for place, value, mark in zip(places, rows[name], rows[f"{name}_mark"]):
                at = (0 if pd.isna(value) else value, place)
                words |= {"textcoords": "offset points", "va": "center", "fontsize": style.SMALL}
                axis.annotate(marked(gflops(value), mark), at, (2.5, 0), **words)
        axis.set(title=f"k = {k}", xlabel="GFLOPS")
        axis.set_xlim(right=axis.get_xlim()[1] * 1.15)
        style.ticks(axis, matrices, pitch=pitch, first=(len(names) - 1) / 2)
        axis.set_ylim(len(matrices) * pitch - 0.7, -1.2)
        axis.locator_params(axis="x", nbins=4)
    return sheet.done(f"GFLOPS, each contender at its best{title}", view.facts())


def over_k(view) -> list[Block]:
    several = [part for _, part in view.parts(view.table) if part.k.nunique() > 1]
    if not several:
        return []  # of one k the bars tell as much
    grey = "Grey: above what the measured bandwidth allows without help of the caches."
    alt = "Lines: GFLOPS over k, one panel per matrix"

    def caption(page) -> str:
        return grey if page.bound.notna().any() else ""

    return paged(view, pd.concat(several), "over-k", MOST_LINES, _over_k, alt, caption)


def _lines(view, part: pd.DataFrame, ylabel: str) -> tuple[Sheet, list[pd.DataFrame]]:
    """One panel per matrix, one line per contender over k; the rows of each panel."""
    groups = [group.sort_values("k") for _, group in part.groupby("matrix", sort=False)]
    sheet = Sheet(len(groups), 3 if len(groups) > 4 else 2, 2.8)
    for axis, group in zip(sheet.axes, groups):
        for name in contenders(view, part):
            rows = group.dropna(subset=[name])  # a line goes on over a k that was not measured
            sheet.line(axis, rows.k, rows[name], titled(name), **style.stroke(name))
        style.over_values(axis, group.k)
        axis.set_title(style.short(group.matrix.iloc[0], 40))
    sheet.outer(ylabel, "k, columns of the fat vector")
    return sheet, groups


def _over_k(view, part: pd.DataFrame, title: str):
    """The bound above the lines."""
    sheet, groups = _lines(view, part, "GFLOPS")
    for axis, group in zip(sheet.axes, groups):
        if part.bound.notna().any():
            sheet.line(axis, group.k, group.bound, "bandwidth bound", **BOUND)
        axis.set_yscale("log")
        low, high = axis.get_ylim()
        axis.set_ylim(low, high * 1.9)  # room for a line of text
        plain(axis, "y")
        if part.bound.notna().any():
            top = axis.get_ylim()[1]
            axis.fill_between(group.k, group.bound, top, color="#f1f2f4", zorder=0, linewidth=0)
        shares = group.dropna(subset=["fatvec", "bound_fraction"])
        for last in shares.tail(1).itertuples():
            says = f"{last.bound_fraction:.0%} of the bound at k = {last.k}"
            looks = {"va": "top", "color": style.BLUE, "fontsize": style.SMALL, "zorder": 6}
            axis.text(0.03, 0.96, says, transform=axis.transAxes, **looks)
    return sheet.done(f"Speed over k{title}", f"{view.facts()}; both axes logarithmic")


CLIFF = 1.15  # times the step of the bytes
FEWEST_STEPS = 3


def steps(view) -> list[Block]:
    """Of each contender time(k + 1) / time(k) over the same of the compulsory traffic."""
    rows, keys = view.table.dropna(subset=["bound"]), view.run.problem_keys
    keys = [key for key in keys if key != "k"]
    names = contenders(view, rows)
    shares = rows[names].div(rows.bound, axis=0)  # of the bound: what a cliff takes away
    following = pd.concat([shares, rows[[*keys, "k", "fatvec_mark"]]], axis=1)
    following = following.groupby(keys, sort=False)[[*names, "k", "fatvec_mark"]].shift(-1)
    marks = unions(rows.fatvec_mark, following.fatvec_mark)
    rows = rows.assign(**(shares / following[names]), fatvec_mark=marks, more=following.k)
    rows = rows[rows.more == rows.k + 1].astype({"more": int})
    if len(rows) < FEWEST_STEPS or view.run.dry:
        return []
    alt = "Lines: time of one column more over that of its bytes, over k, one panel per matrix"
    steep = rows[rows.fatvec > CLIFF]
    count = f"fatvec's best: {len(steep)} of {len(rows)} steps are steeper than {CLIFF}."
    steep = steep.sort_values("fatvec", ascending=False, kind="stable").head(10)
    steep = steep.assign(case=view.cases(steep))
    columns = "case | fastest <- fatvec_what | one more <- more | step <- fatvec times"
    return [
        *paged(view, rows, "steps", MOST_LINES, _steps, alt),
        Text(count),
        *([table(steep, columns, 3)] if len(steep) else []),
    ]


def _steps(view, part: pd.DataFrame, title: str):
    """Dashed: a cliff."""
    sheet, groups = _lines(view, part, "time over bytes, k + 1 over k")
    for axis, group in zip(sheet.axes, groups):
        sheet.line(axis, group.k, [CLIFF] * len(group), "a cliff", **BOUND)
    return sheet.done(f"One column more{title}", view.facts())


def of_bound(view) -> list[Block]:
    return paged(
        view,
        view.table.dropna(subset=["bound"]),
        "bound",
        MOST_DOTS,
        _of_bound,
        "Marks: share of the bandwidth bound per matrix, k and contender",
        "The bound: the compulsory traffic (A, the touched rows of X, Y, each once) at the "
        "measured bandwidth. A hollow mark's data fit the last-level cache, where memory bandwidth "
        "is no bound.",
    )


def _of_bound(view, part: pd.DataFrame, title: str):
    """Matrices below each other, one panel per k, one mark per contender."""
    names, matrices, panels = by_matrix_and_k(view, part)
    sheet = Sheet(len(panels), 4, len(matrices) * 0.26 + LABELS, sharey=True, sharex=True)
    for axis, (k, rows) in zip(sheet.axes, panels):
        cached = rows.in_cache.eq(True).to_numpy()
        for name in names:
            value = (rows[name] / rows.bound).to_numpy(dtype=float)
            sheet.marks(axis, value, np.arange(len(matrices)), name, hollow=cached)
        axis.axvline(1, **BOUND)
        axis.set(title=f"k = {k}", xlabel="speed / bound")
        by_matrix(axis, matrices)
    for axis in sheet.axes:
        plain(axis, "x")
    sheet.key(**HOLLOW)
    return sheet.done(f"Share of the bandwidth bound{title}", view.facts())


def roofline(view) -> list[Block]:
    rows = view.run.measured
    rows = rows[(rows.bytes > 0) & (rows.bound_fraction > 0) & (rows.GFLOPS > 0)]
    alt = "Roofline: GFLOPS over flops per byte for every problem, below the measured bandwidth."
    caption = "Each contender's best. The peak of arithmetic is not measured: it has no roof here."
    name = "roofline"
    return [Picture(name, alt, lambda: _roofline(view, rows), caption)] if len(rows) else []


def _roofline(view, rows: pd.DataFrame):
    """Each problem's fastest of each contender over its arithmetic intensity."""
    rows = rows.assign(intensity=rows.GFLOPS * rows.seconds * 1e9 / rows.bytes)
    best = analysis.fastest(rows, [*view.run.problem_keys, "contender"])
    bandwidth = (rows.bytes / rows.seconds / rows.bound_fraction).median() / 1e9
    sheet = Sheet(1, 1, 4.9)
    (axis,) = sheet.axes
    for name in analysis.contenders(view.run):
        points = best[best.contender == name]
        inside = (points.bytes_per_cache < 1).to_numpy()
        if len(points):
            x, y = points.intensity.to_numpy(), points.GFLOPS.to_numpy()
            sheet.marks(axis, x, y, name, hollow=inside)
    sheet.key(**HOLLOW)
    ends = np.array([best.intensity.min() / 1.25, best.intensity.max() * 1.25])
    limit = f"measured bandwidth, {bandwidth:.4g} GB/s"
    sheet.line(axis, ends, ends * bandwidth, limit, **BOUND)
    axis.set_xscale("log")
    axis.set_xlim(*ends)
    axis.set_yscale("log")
    plain(axis, "xy")
    axis.set(xlabel="flops per byte of compulsory traffic", ylabel="GFLOPS")
    return sheet.done("Roofline", f"{view.facts()}; both axes logarithmic")


def comparison(view) -> list[Block]:
    named = analysis.contenders(view.run, PORTABLE, RAW)
    named = [name for name in named if view.table[name].notna().any()]
    columns = [
        "matrix | best of fatvec <- fatvec_what | best library <- peer_what | k",
        *((name, name, "gflops") for name in ["fatvec", *named]),
        "library <- peer gflops | "
        "fatvec / raw <- vs_raw times | fatvec / library <- vs_peer times | "
        "of bound <- bound_fraction share",
    ]
    return view.apart(view.table, lambda part: [table(part, columns, 3, (4,))])


def setup_costs(view) -> list[Block]:
    costs = view.table[(view.table.setup_seconds > 0) | (view.table.spread > 0)]
    costs = costs.assign(ms=costs.setup_seconds * 1e3, mark=costs.fatvec_mark)
    if costs.empty:
        return []
    columns = (
        "matrix | format and kernel <- fatvec_what | k | set-up (ms) <- ms .3g | "
        "in products <- setup_products .3g | spread <- spread share"
    )
    return view.apart(costs, lambda part: [table(part, columns, 2)])


COPIES = {  # of the copies that count
    "out": ["copy_out_seconds"],
    "both": ["copy_in_seconds", "copy_out_seconds"],
    "pinned_out": ["pinned_out_seconds"],
    "pinned_both": ["pinned_in_seconds", "pinned_out_seconds"],
}


def copied(run: Run) -> pd.DataFrame:
    """The fastest row of each problem, backend and contender of which copies were timed, with
    COPIES: its GFLOPS where those copies are within the time."""
    rows = run.measured[run.measured.copy_out_bytes > 0]
    best = analysis.fastest(rows, [*run.problem_keys, "backend", "contender"])
    flops = best.GFLOPS * best.seconds
    within = {
        way: flops / (best.seconds + best[names].sum(axis=1, skipna=False))
        for way, names in COPIES.items()
    }
    return analysis.in_order(run, best.assign(**within))


def copies(view) -> list[Block]:
    rows = copied(view.run)
    if rows.empty:
        return []
    pinned = bool(rows.pinned_both.notna().any())
    columns = (
        "matrix | what | k | alone <- GFLOPS gflops | Y back <- out gflops | "
        "X in, Y back <- both gflops"
        + " | Y back, pinned <- pinned_out gflops | both, pinned <- pinned_both gflops"
        * pinned
    )
    return view.apart(rows, lambda part: [table(part, columns, 3, (4,))])
