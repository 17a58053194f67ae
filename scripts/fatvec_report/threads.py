# SPDX-License-Identifier: Apache-2.0
"""Speed over threads: speedup and efficiency of each contender, from runs that differ in the number
of threads."""

from __future__ import annotations

import matplotlib.pyplot as plt
import pandas as pd

from . import analysis
from .load import Run
from .names import PEER, SPECIALISED, role
from .page import Block, Picture, Text, table
from .style import BOUND, Sheet, over_values, pick, stroke


def speedups(runs: list[Run], threads: list[int]) -> pd.DataFrame:
    """One row per problem, contender and number of threads: seconds, reference ("raw-serial", the
    same run's or else that of the run with the fewest threads; without any, "1 thread": the
    contender itself there), speedup, efficiency = speedup / threads. Rows without a reference are
    left out."""
    keys = runs[0].problem_keys
    parts = [
        analysis.fastest(run.measured, [*keys, "contender"]).assign(threads=count)
        for run, count in zip(runs, threads)
    ]
    rows = pd.concat(parts, ignore_index=True)
    serial = rows.backend == "serial"
    first = serial & (rows.threads == rows.threads[serial].min())
    for name, chosen, by in (
        ("within", serial, [*keys, "threads"]),
        ("across", first, keys),
        ("alone", ~serial & (rows.threads == 1), [*keys, "contender"]),
    ):
        least = rows[chosen].groupby(by).seconds.min().rename(name)
        rows = rows.merge(least, on=by, how="left")
    rows = rows[rows.backend != "serial"]
    reference = rows.within.fillna(rows.across)
    rows["reference"] = reference.notna().map({True: "raw-serial", False: "1 thread"})
    rows["speedup"] = reference.fillna(rows.alone) / rows.seconds
    rows["efficiency"] = rows.speedup / rows.threads
    return rows.dropna(subset=["speedup"]).reset_index(drop=True)


def over_threads(view) -> list[Block]:
    rows = speedups(view.runs, view.threads) if len(view.runs) > 1 else pd.DataFrame()
    if rows.empty:
        return []
    shown = rows[rows.k.isin(pick(rows.k, 3)) & (rows.contender.map(role) != PEER)]
    most = max(view.threads)
    columns = (
        "matrix | contender | reference | k | "
        + "".join(f"speedup, {count} thr. <- {count} .2f | " for count in view.threads)
        + f"efficiency, {most} thr. <- efficiency share | fastest with <- best"
    )

    def one(part: pd.DataFrame) -> list[Block]:
        by = ["matrix", "contender", "k"]
        last = part.sort_values("threads", kind="stable").groupby(by, sort=False)
        last = last[["reference", "efficiency", "threads"]].last()
        last = last.assign(efficiency=last.efficiency.where(last.threads == most))
        wide = part.pivot(index=by, columns="threads", values="speedup")
        order = part[by].drop_duplicates()
        last = last.join(wide.rename(columns=str)).assign(best=wide.idxmax(axis=1))
        last = last.reindex(columns=[*last.columns, *map(str, set(view.threads) - {*wide})])
        return [table(order.merge(last.reset_index(), on=by), columns, 3)]

    return [
        Text(
            f"From {len(view.runs)} runs, with {', '.join(map(str, view.threads))} threads. "
            "Speedup: the reference's time over this one's; efficiency: speedup / threads. The "
            "reference is the serial kernel raw-serial in CSR or whatever format is its fastest, "
            "of the same run where it has one, else of the run with the fewest threads; without "
            "any, the contender itself on one thread. The table has three k at most and no "
            "libraries; results.csv has every time."
        ),
        Picture(
            f"{view.prefix}scaling",
            "Lines: speedup (above) and efficiency (below) over the number of threads, one column "
            "per k, one line per contender.",
            lambda: _scaling(view, rows),
        ),
        *view.apart(shown, one),
    ]


def _scaling(view, rows: pd.DataFrame) -> plt.Figure:
    """One column per k: geometric mean over the matrices, shaded from worst to best."""
    columns, threads = pick(rows.k, 4), sorted(rows.threads.unique())
    names = sorted(rows.contender.unique(), key=lambda name: analysis.ROLES.index(role(name)))
    sheet = Sheet(2 * len(columns), len(columns), 2.6, sharey="row")
    for position, axis in enumerate(sheet.axes):
        kind = "speedup" if position < len(columns) else "efficiency"
        k = columns[position % len(columns)]
        for name in names:
            group = rows[(rows.k == k) & (rows.contender == name)].groupby("threads")[kind]
            means, looks = group.apply(analysis.geometric_mean), stroke(name)
            if name == SPECIALISED:
                shade = {"color": looks["color"], "alpha": 0.13, "linewidth": 0}
                axis.fill_between(means.index, group.min(), group.max(), **shade)
            sheet.line(axis, means.index, means, name, **looks)
        ideal = threads if kind == "speedup" else [1] * len(threads)
        sheet.line(axis, threads, ideal, "ideal", **BOUND)
        over_values(axis, threads)
        axis.set_title(f"k = {k}" if kind == "speedup" else "")
        axis.set_xlabel("threads" if kind == "efficiency" else "")
        axis.set_ylabel(kind if k == columns[0] else "")
        axis.set_ylim(bottom=0)
    reference = " or ".join(dict.fromkeys(rows.reference))
    return sheet.done(
        "Speedup and efficiency over threads",
        f"{view.device}; reference: {reference}; shaded: fatvec's worst to best matrix",
    )
