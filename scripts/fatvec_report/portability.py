# SPDX-License-Identifier: Apache-2.0
"""Pennycook, Sewall and Lee's performance portability (arXiv 1611.07409): PP = |H| / sum over the
platforms H of 1 / e_i, zero where one is unsupported. e_i is the application efficiency, the time
of the fastest verified contender of the same run on that platform over the application's (Marowka,
arXiv 2407.00232: the best known there), or the architectural one, the share of the bound."""

from __future__ import annotations

import pandas as pd

from . import analysis
from .costs import ANY
from .names import ANSWERS, SPECIALISED, PEER, PORTABLE, RAW, role

APPLICATIONS = [ANSWERS[kind] for kind in (PORTABLE, SPECIALISED, RAW)]
EFFICIENCIES = ("application", "architectural")
KEYS = ["application_name", "format", "problem"]


def platforms(views: list) -> dict[str, list]:
    """H: the devices on which fatvec multiplied, portable or specialised, each with its views. A
    CPU and a GPU are two; so are two CPUs."""
    found: dict[tuple[str, str], list] = {}
    for view in views:
        run = view.run
        if (
            not run.dry
            and run.kind == "products"
            and len(run.measured)
            and run.rows.contender.map(role).isin([PORTABLE, SPECIALISED]).any()
        ):
            found.setdefault((view.platform, view.device), []).append(view)
    return {f"{device} ({platform.upper()})": group for (platform, device), group in found.items()}


def trials(views: list) -> dict[str, pd.DataFrame]:
    """Per platform its rows, failed ones too, of the problems that every platform tried. Of a
    problem in two files the first counts."""
    keys = list(dict.fromkeys(key for view in views for key in view.run.problem_keys))
    found = {}
    for name, group in platforms(views).items():
        parts, known = [], set()
        for view in group:
            fields = view.run.rows.reindex(columns=keys).fillna("").astype(str)
            rows = view.run.rows.assign(problem=fields.agg("\t".join, axis=1))
            parts.append(rows[~rows.problem.isin(known)])
            known |= set(rows.problem)
        found[name] = pd.concat(parts, ignore_index=True)
    common = set.intersection(*(set(rows.problem) for rows in found.values())) if found else set()
    return {name: rows[rows.problem.isin(common)] for name, rows in found.items()}


def efficiencies(found: dict[str, pd.DataFrame]) -> pd.DataFrame:
    """One row per platform, problem, application and format (ANY: its fastest): e of both kinds, at
    most 1 (caches can beat the bound). Applications: APPLICATIONS, in each of their formats, too,
    and the libraries that exist on several platforms."""
    parts = []
    for platform, rows in found.items():
        rows = rows[rows.status == "ok"]
        kinds = rows.contender.map(role)
        rows = rows.assign(
            platform=platform,
            best_seconds=rows.groupby("problem").seconds.transform("min"),
            application_name=kinds.map(ANSWERS).where(kinds != PEER, rows.contender),
        )
        each = rows[(kinds != PEER) & (rows.format != "")]
        parts += [
            analysis.fastest(part, KEYS) for part in (rows.assign(format=ANY), each) if len(part)
        ]
    columns = [*KEYS, "platform", *EFFICIENCIES]
    if not parts:
        return pd.DataFrame(columns=columns)
    table = pd.concat(parts, ignore_index=True)
    table["application"] = table.best_seconds / table.seconds
    table["architectural"] = table.bound_fraction.clip(upper=1)
    several = table.groupby("application_name").platform.transform("nunique") > 1
    return table.loc[several | table.application_name.isin(APPLICATIONS), columns].reset_index(
        drop=True
    )


def metric(found: dict[str, pd.DataFrame], table: pd.DataFrame) -> pd.DataFrame:
    """One row per application (APPLICATIONS first), format and problem: PP of both kinds, 0 where a
    platform has no verified result."""
    problems = list(dict.fromkeys(problem for rows in found.values() for problem in rows.problem))
    formats = list(dict.fromkeys([ANY, *table.format]))
    names = [
        *APPLICATIONS,
        *(name for name in table.application_name.unique() if name not in APPLICATIONS),
    ]
    index = pd.MultiIndex.from_tuples(
        [
            (name, shape, problem)
            for name in names
            for shape in formats
            for problem in problems
            if name in APPLICATIONS or shape == ANY
        ],
        names=KEYS,
    )
    result = pd.DataFrame(index=index, columns=list(EFFICIENCIES), dtype=float)
    for kind in EFFICIENCIES:
        wide = table.set_index([*KEYS, "platform"])[kind].unstack().reindex(columns=list(found))
        result[kind] = (len(found) / (1 / wide).sum(axis=1, skipna=False)).reindex(index).fillna(0)
    return result.reset_index()
