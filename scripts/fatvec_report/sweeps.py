# SPDX-License-Identifier: Apache-2.0
"""Settings that were swept within one run: which there are, and what each value costs against the
best."""

from __future__ import annotations

import re

import pandas as pd

from . import analysis
from .load import Run
from .names import SPEAKING

FEWEST = 3  # distinct values that make a sweep


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


def settings(run: Run, parameter: str) -> list[tuple[str, pd.DataFrame]]:
    """Per variant with a sweep of that parameter its title and table: k, value (block: x and y,
    too), relative: the best setting's time for the same problem over this one's."""
    rows = run.measured[run.measured[parameter] != ""]
    variant = [
        "contender",
        "backend",
        "format",
        *(name for name in run.parameters if name != parameter),
    ]
    result = []
    for _, group in rows.groupby(variant, sort=False):
        if group[parameter].nunique() < FEWEST:
            continue
        best = group.groupby(run.problem_keys).seconds.transform("min")
        table = group.assign(relative=best / group.seconds, value=group[parameter])
        if kind(table.value) == "block":
            table[["x", "y"]] = table.value.str.split("x", expand=True).astype(int)
        else:
            table["value"] = table.value.astype(int)
        result.append((run.describe(group.iloc[0], contender=True, without=parameter), table))
    return result


def choices(run: Run) -> list[tuple[str, pd.DataFrame]]:
    """Per contender and format with several variants (kernels, schedules, algorithms) its title and
    table: value, the variant, and relative: the fastest variant's time for the same problem over
    this one's. Of a swept setting the best counts."""
    names = [name for name in run.parameters if name in SPEAKING]
    result = []
    for (contender, shape), group in run.measured.groupby(["contender", "format"], sort=False):
        best = analysis.fastest(group, [*run.problem_keys, "backend", *names])
        value = (
            best[names].apply(lambda row: " ".join(filter(None, row)) or "plain", axis=1)
            if names
            else pd.Series(dtype=str)
        )
        if value.nunique() < 2:
            continue
        fastest = best.groupby(run.problem_keys).seconds.transform("min")
        result.append(
            (
                f"{contender}, {shape}" if shape else contender,
                best.assign(value=value, relative=fastest / best.seconds),
            )
        )
    return result
