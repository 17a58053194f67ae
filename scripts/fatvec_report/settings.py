# SPDX-License-Identifier: Apache-2.0
"""Formats beside CSR: whose speed, and when a conversion pays; kernels and schedules, and settings
that were swept within one run: what each value costs against the best."""

import re

import numpy as np
import pandas as pd

from . import analysis, style
from .load import Run, union
from .names import RAW, SPEAKING, SPECIALISED
from .page import Block, Details, Picture, headed, table
from .speed import paged
from .style import FORMATS, INK, LABELS, SMALL, Sheet, by_matrix, even, over_values, pages, pick
from .style import short, step, strip, ticks

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
    return rows[rows.over_csr.notna()]


def _formats(view, rows: pd.DataFrame, title: str):
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
    rows["mark"] = rows.over_csr_mark
    columns = sorted(rows.k.unique())
    heads = "matrix | format | size <- size times | set-up (ms) <- ms .3g" + "".join(
        f" | k = {k} <- {k} count" for k in columns
    )

    def tables(part: pd.DataFrame) -> list[Block]:
        groups = part.groupby(["matrix", "format"], sort=False)
        own = groups[["size", "ms"]].median().assign(size_mark="", ms_mark=groups.mark.agg(union))
        wide = analysis.wide(part, ["matrix", "format"], "k", "break_even", columns)
        wide = own.join(wide).reset_index()
        never = wide[map(str, columns)].isna().all(axis=1)
        paying, rest = table(wide[~never], heads, 2), table(wide[never], heads, 2)
        folded = Details(f"{never.sum()} that never pay", [rest])
        return [*([paying] if paying.rows else []), *([folded] if rest.rows else [])]

    return [*headed("When a conversion pays"), *view.apart(rows, tables)]


FEWEST = 3  # distinct values that make a sweep
MOST_PANELS = 12


def kind(values: pd.Series) -> str:
    """'numeric' (64), 'block' (32x4) or 'choice'."""
    distinct = [str(value) for value in values.unique() if value != ""]
    for name, pattern in (("numeric", "[0-9]{1,18}"), ("block", "[0-9]{1,18}x[0-9]{1,18}")):
        if distinct and all(re.fullmatch(pattern, value) for value in distinct):
            return name
    return "choice"


def swept(run: Run) -> dict[str, str]:
    """Parameters of which some variant has several values: name to kind."""
    return {name: what for name in run.parameters if (what := kind(run.rows[name])) != "choice"}


def sweeps(run: Run, parameter: str) -> list[tuple[str, pd.DataFrame]]:
    """Per variant with a sweep of that parameter its title and table: k, value (block: x and y,
    too), relative: the best setting's time for the same problem over this one's."""
    rows = run.measured[run.measured[parameter] != ""]
    others = [name for name in run.parameters if name != parameter]
    found = []
    for _, group in rows.groupby(["contender", "backend", "format", *others], sort=False):
        if group[parameter].nunique() < FEWEST:
            continue
        best = group.groupby(run.problem_keys).seconds.transform("min")
        part = group.assign(relative=best / group.seconds, value=group[parameter])
        if kind(part.value) == "block":
            part[["x", "y"]] = part.value.str.split("x", expand=True).astype(int)
        else:
            part["value"] = part.value.astype(int)
        title = f"{group.contender.iloc[0]} {run.describe(group.iloc[0], parameter)}"
        found.append((title.rstrip(), part))
    return found


def choices(run: Run) -> list[tuple[str, pd.DataFrame]]:
    """Per contender and format with several variants (kernels, schedules, algorithms) its title and
    table: value, the variant, and relative: the fastest variant's time for the same problem over
    this one's. Of a swept setting the best counts."""
    names = [name for name in run.parameters if name in SPEAKING]
    found = []
    for title, group in run.measured.groupby(["contender", "format"], sort=False):
        best = analysis.fastest(group, [*run.problem_keys, "backend", *names])
        words = best[names].to_numpy().tolist()
        best = best.assign(value=[" ".join(filter(None, row)) or "plain" for row in words])
        if best.value.nunique() > 1:
            fastest = best.groupby(run.problem_keys).seconds.transform("min")
            best = best.assign(relative=fastest / best.seconds)
            found.append((", ".join(filter(None, title)), best))
    return found


def settings(view) -> list[Block]:
    run, blocks = view.run, []
    if variants := choices(run):
        blocks.append(
            Picture(
                "variants",
                "Per contender and format: each variant's speed relative to the fastest variant, "
                "a mark per case.",
                lambda: _choices(view, variants),
                "A mark is one matrix, layout and k; 1: the fastest variant there.",
            )
        )
    for parameter, what in swept(run).items():
        found, words = sweeps(run, parameter), parameter.replace("_", " ")
        if what == "block":
            found = [
                (f"{title}, k = {k}", rows[rows.k == k])
                for title, rows in found
                for k in pick(rows.k, 3)
            ]
        draw, sheets = _blocks if what == "block" else _numeric, pages(found, MOST_PANELS)
        blocks += [
            Picture(
                f"sweep-{words.replace(' ', '-')}" + f"-{position}" * (len(sheets) > 1),
                f"Speed relative to the best setting over {words}: "
                f"{', '.join(title for title, _ in sheet)}.",
                lambda sheet=sheet, draw=draw, words=words: draw(view, sheet, words),
            )
            for position, sheet in enumerate(sheets, 1)
        ]
    return blocks


def _numeric(view, found: list[tuple[str, pd.DataFrame]], parameter: str):
    """Over the setting, one panel per variant, one line per k: geometric mean over the matrices."""
    sheet = Sheet(len(found), 3 if len(found) > 4 else 2, 2.7, sharey=True)
    columns = pick([k for _, rows in found for k in rows.k], 5)
    for axis, (title, rows) in zip(sheet.axes, found):
        for position, k in enumerate(columns):
            means = rows[rows.k == k].groupby("value").relative.apply(analysis.geometric_mean)
            if len(means):
                sheet.line(axis, means.index, means, **step(position))
            sheet.key(f"k = {k}", **step(position))
        over_values(axis, rows.value)
        axis.set(ylim=(0, 1.05), title=short(title, 44))
    sheet.outer("speed / best setting's", parameter)
    facts = f"{view.facts()}; geometric mean over matrices and layouts"
    return sheet.done(f"Sweep: {parameter}", facts)


def _blocks(view, found: list[tuple[str, pd.DataFrame]], parameter: str):
    """Over x and y of the block, one panel per variant and k."""
    sheet = Sheet(len(found), 3, 2.9)
    for axis, (title, rows) in zip(sheet.axes, found):
        means = rows.groupby(["y", "x"]).relative.apply(analysis.geometric_mean).unstack()
        axis.imshow(means, cmap="cividis", vmin=0, vmax=1, aspect="auto", origin="lower")
        for (row, column), value in np.ndenumerate(means.to_numpy()):
            if not np.isnan(value):
                looks = {"ha": "center", "va": "center", "fontsize": SMALL}
                colour = "white" if value < 0.6 else INK
                axis.text(column, row, f"{value:.0%}", color=colour, **looks)
        axis.set_xticks(range(len(means.columns)), means.columns)
        axis.set_yticks(range(len(means.index)), means.index)
        axis.grid(visible=False)
        axis.set(title=short(title, 40), xlabel=f"{parameter} x", ylabel=f"{parameter} y")
    says = "share of the best block's speed, geometric mean over matrices and layouts"
    return sheet.done(f"Sweep: {parameter}", f"{view.facts()}; {says}")


def _choices(view, found: list[tuple[str, pd.DataFrame]]):
    """A dot per case, a bar at the geometric mean."""
    longest = max(rows.value.nunique() for _, rows in found)
    sheet = Sheet(len(found), 2, 0.3 * longest + 0.95, sharex=True)
    for position, (axis, (title, rows)) in enumerate(zip(sheet.axes, found)):
        groups = rows.groupby("value", sort=False).relative
        for place, (_, values) in enumerate(groups):
            mean = analysis.geometric_mean(values)
            strip(axis, values, place, rows.contender.iloc[0], mean)
        ticks(axis, list(groups.groups), 40)
        axis.set(ylim=(groups.ngroups - 0.4, -0.6), xlim=(0, 1.04), title=title)
        axis.tick_params(axis="x", labelbottom=True)
        last = position + sheet.columns >= len(found)
        axis.set_xlabel("speed / best variant's (bar: geometric mean)" if last else "")
    return sheet.done("Which kernel, which schedule", view.facts())
