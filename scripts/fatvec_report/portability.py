# SPDX-License-Identifier: Apache-2.0
"""Pennycook, Sewall and Lee's performance portability (arXiv 1611.07409): PP = |H| / sum over the
platforms H of 1 / e_i, zero where one is unsupported. e_i is the application efficiency, the time
of the fastest verified contender of the same run on that platform over the application's (Marowka,
arXiv 2407.00232: the best known there), or the architectural one, the share of the bound."""

import pandas as pd

from . import analysis
from .costs import ANY
from .load import union
from .names import ANSWERS, PEER, PORTABLE, RAW, SPECIALISED
from .page import Block, Picture, Text, table
from .style import LABELS, SMALL, Sheet, strip, ticks

APPLICATIONS = [ANSWERS[kind] for kind in (PORTABLE, SPECIALISED, RAW)]
LOOKS = dict(zip(APPLICATIONS, ("fatvec-portable", "fatvec", "raw-openmp")))  # they look as these
EFFICIENCIES = ("application", "architectural")
KEYS = ["application_name", "format", "problem"]


def platforms(views: list) -> dict[str, list]:
    """H: the devices on which fatvec multiplied, portable or specialised, each with its views. A
    CPU and a GPU are two; so are two CPUs."""
    found: dict[str, list] = {}
    for view in views:
        tried = view.run.rows.role.isin([PORTABLE, SPECIALISED]).any() and len(view.run.measured)
        if tried and view.run.kind == "products" and not view.run.dry:
            found.setdefault(f"{view.device} ({view.platform.upper()})", []).append(view)
    return found


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
    most 1 (caches can beat the bound), and its mark. Applications: APPLICATIONS, in each of their
    formats, too, and the libraries that exist on several platforms."""
    parts = []
    for platform, rows in found.items():
        rows = rows[rows.status == "ok"]
        first = analysis.fastest(rows, ["problem"])
        rows = analysis.against(rows, first, ["problem"], "application").assign(
            platform=platform,
            application_name=rows.role.map(ANSWERS).where(rows.role != PEER, rows.contender),
        )
        each = rows[(rows.role != PEER) & (rows.format != "")]
        parts += [
            analysis.fastest(part, KEYS) for part in (rows.assign(format=ANY), each) if len(part)
        ]
    columns = [*KEYS, "platform", *EFFICIENCIES, "mark"]
    if not parts:
        return pd.DataFrame(columns=columns)
    joined = pd.concat(parts, ignore_index=True)
    joined["mark"] = joined.application_mark
    joined["architectural"] = joined.bound_fraction.clip(upper=1)
    several = joined.groupby("application_name").platform.transform("nunique") > 1
    named = joined.application_name.isin(APPLICATIONS)
    return joined.loc[several | named, columns].reset_index(drop=True)


def metric(found: dict[str, pd.DataFrame], each: pd.DataFrame) -> pd.DataFrame:
    """One row per application (APPLICATIONS first), format and problem: PP of both kinds, 0 where a
    platform has no verified result, and the marks of what it rests on."""
    problems = list(dict.fromkeys(problem for rows in found.values() for problem in rows.problem))
    formats = list(dict.fromkeys([ANY, *each.format]))
    names = list(dict.fromkeys([*APPLICATIONS, *each.application_name]))
    index = pd.MultiIndex.from_product([names, formats, problems], names=KEYS)
    own = index.get_level_values(0).isin(APPLICATIONS) | (index.get_level_values(1) == ANY)
    index = index[own]
    result = pd.DataFrame(index=index, columns=list(EFFICIENCIES), dtype=float)
    for kind in EFFICIENCIES:
        wide = each.set_index([*KEYS, "platform"])[kind].unstack().reindex(columns=list(found))
        result[kind] = (len(found) / (1 / wide).sum(axis=1, skipna=False)).reindex(index).fillna(0)
    result["mark"] = each.groupby(KEYS).mark.agg(union).reindex(index)
    return result.reset_index()


def across_platforms(views: list) -> list[Block]:
    found = trials(views)
    if len(found) < 2:
        return []
    each = efficiencies(found)
    values = metric(found, each)
    if values.empty:
        return [Text("The results of the platforms have no problem (matrix, layout, k) in common.")]
    best, name = values[values.format == ANY], "application_name"
    rows = best.groupby(name, sort=False).agg(
        mark=("mark", union),
        none=("application", lambda values: f"{(values == 0).sum()} of {len(values)}"),
    )
    columns = [f"application <- {name}"]
    medians = {kind: (kind, "median") for kind in EFFICIENCIES} | {"mark": ("mark", union)}
    each = each[each.format == ANY].groupby([name, "platform"]).agg(**medians)
    for kind in EFFICIENCIES:
        least = best[best[kind] == best.groupby(name)[kind].transform("min")].groupby(name)
        rows[kind] = best.groupby(name)[kind].median()
        rows[f"{kind}_min"], rows[f"{kind}_min_mark"] = least[kind].min(), least.mark.agg(union)
        columns.append(f"PP {kind[:4]}., median <- {kind} pp | min <- {kind}_min pp")
    columns.append("unsupported <- none")
    for at, platform in enumerate(found):
        for kind in EFFICIENCIES:
            rows[f"{kind}{at}"] = each[kind].unstack().get(platform)
            rows[f"{kind}{at}_mark"] = each.mark.unstack().get(platform)
            columns.append((f"e {kind[:4]}., {platform}", f"{kind}{at}", ".2f"))
    formats = values[values.format != ANY].groupby(["format", name], sort=False)
    formats = analysis.wide(formats.agg(**medians).reset_index(), ["format"], name, "application")
    says = "In one format on all platforms: PP by application efficiency, median; still "
    says += "relative to the fastest contender in any format."
    shown = ["format", *((title, title, "pp") for title in APPLICATIONS)]
    return [
        Picture(
            "portability",
            "Marks: performance portability per application, one per problem, with medians; left "
            "relative to the fastest contender, right to the bandwidth bound.",
            lambda: _draw(best, list(found)),
        ),
        table(rows.reset_index(), columns, 1, (1, 3)),
        *([Text(says), table(formats.reset_index(), shown, 1)] if len(formats) else []),
    ]


def _draw(values: pd.DataFrame, found: list[str]):
    """PP of each application over all problems: a dot per problem, a bar at the median, by both
    efficiencies."""
    names = list(dict.fromkeys(values.application_name))
    sheet = Sheet(2, 2, 0.55 * len(names) + LABELS, sharey=True, sharex=True)
    against = ("the fastest contender of the same run", "the bandwidth bound")
    for axis, kind, other in zip(sheet.axes, EFFICIENCIES, against):
        for place, name in enumerate(names):
            each = values[values.application_name == name][kind]
            middle = each.median()
            strip(axis, each, place, LOOKS.get(name, name), middle)
            looks = {"textcoords": "offset points", "ha": "center", "fontsize": SMALL}
            axis.annotate(f"{middle:.2f}", (middle, place - 0.36), (0, 1.5), **looks)
        axis.set_xlim(-0.03, 1.03)
        ticks(axis, names)
        axis.set(ylim=(len(names) - 0.3, -0.8), title=f"against {other}")
        axis.set_xlabel(f"PP, {kind} efficiency (bar: median)")
    return sheet.done("Performance portability (PP)", "platforms: " + ", ".join(found))
