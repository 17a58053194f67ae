# SPDX-License-Identifier: Apache-2.0
"""The record: what was not measured, and provenance."""

import pandas as pd

from .page import Block, Details, Heading, Table, Text, table


def not_measured(views: list) -> list[Block]:
    runs = [run for view in views for run in view.runs]
    rows = pd.concat([run.rows.assign(run=run.label) for run in runs], ignore_index=True)
    blocks: list[Block] = []
    for status, title in (("failed", "Failed"), ("skipped", "Skipped")):
        bad = rows[rows.status == status]
        if bad.empty:
            continue
        groups = bad.groupby(["matrix", "reason"], sort=False)
        lines = groups.agg(
            k=("k", lambda values: ", ".join(map(str, sorted(values.unique())))),
            run=("run", lambda values: ", ".join(values.unique())),
        )
        lines = lines.assign(what=[_variants(part) for _, part in groups]).reset_index()
        columns = "what | matrix | reason | k" + " | run" * (len(runs) > 1)
        found = table(lines, columns, 5)
        shown = found if status == "failed" else Details("What, and why", [found])
        blocks += [Heading(f"{title} ({len(bad)})"), shown]
    return blocks or [Text("Nothing failed and nothing was skipped.")]


def _variants(rows: pd.DataFrame) -> str:
    """Without the settings, of which one contender may have dozens."""
    return ", ".join(
        each.iloc[0] if each.nunique() == 1 else f"{contender} {shape} ({each.nunique()} variants)"
        for (contender, shape), each in rows.groupby(["contender", "format"], sort=False).what
    )


def provenance(views: list) -> list[Block]:
    blocks: list[Block] = []
    seen: list[dict] = []
    for run in (run for view in views for run in view.runs):
        if run.context and not any(run.context is context for context in seen):
            seen.append(run.context)
            pairs = [list(pair) for pair in _flat("", run.context)]
            blocks.append(Details(run.label, [Table(["what", "value"], pairs, 2)]))
    return blocks


def _flat(prefix: str, value: object) -> list[tuple[str, str]]:
    if isinstance(value, dict):
        inner = {f"{prefix}.{key}".lstrip("."): each for key, each in value.items()}
        return [pair for key, each in inner.items() for pair in _flat(key, each)]
    if isinstance(value, list):
        value = ", ".join(
            " ".join(f"{key} {each}" for key, each in item.items())
            if isinstance(item, dict)
            else str(item)
            for item in value
        )
    return [(prefix, " ".join(str(value).split()))]
