# SPDX-License-Identifier: Apache-2.0
"""Pennycook, Sewall and Lee's performance portability (arXiv 1611.07409): PP = |H| / sum over the platforms H of 1 / e_i, zero where
one is unsupported. e_i is the application efficiency, the time of the fastest verified contender of the same run on that platform
over the application's (Marowka, arXiv 2407.00232: the best known there), or the architectural one, the share of the bound."""
from __future__ import annotations

import pandas as pd

from . import analysis
from .names import OURS, role

BEST = "fatvec, best kernel"
EFFICIENCIES = ("application", "architectural")


def harmonic(efficiencies: pd.Series, platforms: int) -> float:
    """PP of one application on one problem; a missing or a zero efficiency is an unsupported platform."""
    supported = efficiencies[efficiencies > 0]
    return platforms / float((1 / supported).sum()) if len(supported) == platforms else 0.0


def platforms(views: list) -> dict[str, list]:
    """H: the devices on which fatvec was tried, each with its views. A CPU and a GPU are two; so are two CPUs."""
    found: dict[tuple[str, str], list] = {}
    for view in views:
        if not view.run.dry and len(view.run.measured) and view.run.rows.contender.eq(OURS).any():
            found.setdefault((view.platform, view.device), []).append(view)
    return {f"{device} ({platform.upper()})": group for (platform, device), group in found.items()}


def efficiencies(views: list) -> pd.DataFrame:
    """One row per platform, problem that was tried on every platform, and application: e of both kinds, at most 1 (caches can beat
    the bound). Applications: fatvec with its best kernel, each of its kernels alone, and peers that exist on several platforms."""
    keys = list(dict.fromkeys(key for view in views for key in view.run.problem_keys))
    parts, tried = [], {}
    for name, group in platforms(views).items():
        for view in group:
            rows = view.run.rows.reindex(columns=list(dict.fromkeys([*view.run.rows.columns, *keys, "kernel"]))).copy()
            rows[[*keys, "kernel"]] = rows[[*keys, "kernel"]].fillna("")
            new = ~rows[keys].apply(tuple, axis=1).isin(tried.setdefault(name, set()))  # a problem in two files: the first counts
            rows = rows[new]
            tried[name] |= set(rows[keys].apply(tuple, axis=1))
            parts.append(_of(rows, keys).assign(platform=name))
    table = pd.concat(parts, ignore_index=True) if parts else pd.DataFrame(columns=[*keys, "application_name", *EFFICIENCIES, "platform"])
    if tried:
        common = set.intersection(*tried.values())
        table = table[table[keys].apply(tuple, axis=1).isin(common)] if len(table) else table
    several = table.groupby("application_name").platform.nunique() if len(table) else pd.Series(dtype=int)
    mine = table.application_name.map(lambda name: name.startswith(OURS))
    return table[mine | (table.application_name.map(several) > 1)].reset_index(drop=True)


def _of(rows: pd.DataFrame, keys: list[str]) -> pd.DataFrame:
    measured = rows[rows.status == "ok"]
    best = measured.groupby(keys).seconds.min().rename("best_seconds").reset_index()
    kinds = measured.contender.map(role)
    ours, peers = measured[kinds == OURS], measured[kinds == "peer"]
    applications = [analysis.fastest(ours, keys).assign(application_name=BEST),
                    analysis.fastest(ours, [*keys, "format", "kernel"]).assign(
                        application_name=lambda table: "fatvec " + table.kernel.where(table.kernel != "", table.format)),
                    analysis.fastest(peers, [*keys, "contender"]).assign(application_name=lambda table: table.contender)]
    table = pd.concat([part for part in applications if len(part)] or applications[:1]).merge(best, on=keys)
    table["application"] = (table.best_seconds / table.seconds).clip(upper=1)
    table["architectural"] = table.bound_fraction.clip(upper=1)
    return table[[*keys, "application_name", *EFFICIENCIES]]


def metric(views: list, table: pd.DataFrame) -> pd.DataFrame:
    """One row per application and problem: PP of both kinds. A problem that an application did not do anywhere counts, as 0."""
    keys = list(dict.fromkeys(key for view in views for key in view.run.problem_keys))
    count = len(platforms(views))
    problems = table[keys].drop_duplicates()
    records = []
    for name in table.application_name.unique():
        grouped = dict(list(table[table.application_name == name].groupby(keys)))
        for key in problems.itertuples(index=False, name=None):
            rows = grouped.get(key)
            pp = {kind: harmonic(rows[kind], count) if rows is not None else 0.0 for kind in EFFICIENCIES}
            records.append({"application_name": name, **dict(zip(keys, key)), **pp})
    return pd.DataFrame(records, columns=["application_name", *keys, *EFFICIENCIES])
