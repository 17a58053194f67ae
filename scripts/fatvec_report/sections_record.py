# SPDX-License-Identifier: Apache-2.0
"""Sections that sum up and that keep the record: summary, published figures, what was not measured,
provenance."""

from __future__ import annotations

import dataclasses

import pandas as pd

from . import analysis, published
from .page import NONE, Block, Bullets, Details, Heading, Table, Text, gflops, share, times, word
from .views import commit


def summary(views: list) -> list[Block]:
    blocks: list[Block] = [
        *_warnings(views),
        Text(
            "Ratios between contenders hold only within one run; there is no claim across "
            "machines. Every result was verified "
            "before it was timed."
        ),
    ]
    for view in views:
        if view.run.kind == "ranks":
            blocks += [Heading(view.title), Bullets(view.headline())]
            continue
        blocks += [
            Heading(view.title),
            *_per_k(view),
            Details("Means, worst cases, noise and counts in words", [Bullets(view.headline())]),
        ]
    return blocks


def _warnings(views: list) -> list[Block]:
    notes = [
        f"{view.run.label} is a dry run: its results were verified, its times mean nothing."
        for view in views
        if view.run.dry
    ]
    return [
        *([Bullets(notes)] if notes else []),
        *([Text(text)] if (text := versions(views)) else []),
    ]


def versions(views: list) -> str:
    """A sentence where the files were not written by one version of fatvec; else nothing."""
    found: dict[str, list[str]] = {}
    for view in views:
        for run in view.runs:
            version = (
                f"{run.context.get('fatvec_version', 'unknown version')} ({commit(run.context)})"
            )
            labels = found.setdefault(version, [])
            labels += [run.label] if run.label not in labels else []
    if len(found) < 2:
        return ""
    parts = [f"{', '.join(labels)} from {version}" for version, labels in found.items()]
    return f"The results come from different versions of fatvec: {'; '.join(parts)}."


def _per_k(view) -> list[Block]:
    table, same = view.table, view.same_format
    rows = []
    for k in sorted(table.k.unique()):
        part, raw = table[table.k == k], same[same.k == k].ratio
        peer = part.vs_peer.dropna()
        if not (len(peer) or raw.notna().any() or part.vs_raw.notna().any()):
            continue  # nothing beside fatvec
        where = part.loc[peer.idxmin()] if len(peer) else None
        rows.append(
            [
                f"k = {k}",
                f"{where.matrix}, {where.peer_what}" if where is not None else NONE,
                _mean(raw),
                times(raw.min()),
                _mean(part.vs_raw),
                _mean(peer),
                times(peer.min()),
                share(analysis.median(part.bound_fraction)),
            ]
        )
    if not rows:
        return []
    table = Table(
        [
            "",
            "worst case against a peer",
            "fatvec / hand-written, same format",
            "worst",
            "best / best hand-written",
            "best / best peer",
            "worst",
            "of bound, median",
        ],
        rows,
        left=2,
        strong=(2, 5),
    )
    return [
        Text(
            "Geometric means over matrices and layouts; above 1 fatvec is faster; in brackets "
            "the number of cases."
        ),
        table,
    ]


def _mean(ratios: pd.Series) -> str:
    ratios = ratios.dropna()
    return f"{times(analysis.geometric_mean(ratios))} ({len(ratios)})" if len(ratios) else NONE


def beside_published(views: list) -> list[Block]:
    blocks: list[Block] = []
    for table in published.TABLES:
        printed = table.load(published.FOLDER)
        mine = [
            (view, found)
            for view in views
            if view.platform == table.platform
            and not view.run.dry
            and len(found := published.measured(view, table))
            and found.key.isin(printed.key).any()
        ]
        if not mine:
            continue
        blocks += [
            Heading(table.title),
            Text(
                f"Published on {table.hardware}. {table.remark} Measured: "
                + "; ".join(
                    f"[{position}] {view.title}" for position, (view, _) in enumerate(mine, 1)
                )
                + ("; kernels raw-serial." if table.serial else ".")
            ),
        ]
        columns, rows = ["matrix", *[f"published: {title}" for title in table.columns]], []
        for position in range(1, len(mine) + 1):
            titles = [
                *(name.upper().replace("PJ", "pJ") for name in table.formats),
                *([table.peer[0]] if table.peer else []),
                "best",
                "which",
            ]
            columns += [f"[{position}] {title}" for title in titles]
        for matrix, pairs in _matched(mine):
            row = printed[printed.key == published.matrix_key(matrix)]
            if len(row):
                rows.append(
                    [
                        matrix,
                        *[gflops(row.iloc[0][title]) for title in table.columns],
                        *[cell for found in pairs for cell in _cells(found, table)],
                    ]
                )
        blocks.append(Table(columns, rows, left=1))
    if not blocks:
        return []
    works = Table(
        ["work", "hardware, as it says", "what it publishes"],
        [list(source) for source in published.SOURCES],
        left=3,
    )
    return [
        Text(
            "GFLOPS that others have published for the same matrices, for orientation only: the "
            "hardware differs, so nothing follows about the "
            "codes. A twin is a generated matrix of the same size and structure, not the "
            "published one."
        ),
        works,
        *blocks,
    ]


def _matched(mine: list) -> list[tuple[str, list]]:
    """Every matrix that any of the views has, with each view's row of it or None."""
    matrices = dict.fromkeys(matrix for _, found in mine for matrix in found.matrix)
    return [
        (
            matrix,
            [
                next((row for _, row in found.iterrows() if row.matrix == matrix), None)
                for _, found in mine
            ],
        )
        for matrix in matrices
    ]


def _cells(found: pd.Series | None, table: published.Published) -> list[str]:
    numbers = [*table.formats, *(["peer"] if table.peer else [])]
    if found is None:
        return [NONE] * (len(numbers) + 2)
    sizes = [f" ({found[f'{name}_size']})" if found[f"{name}_size"] else "" for name in numbers]
    return [
        *(gflops(found[name]) + size for name, size in zip(numbers, sizes)),
        gflops(found.best),
        word(found.what),
    ]


def not_measured(views: list) -> list[Block]:
    runs = [run for view in views for run in view.runs]
    # One table of everything; `what` without the settings, of which one contender may have dozens.
    rows = pd.concat(
        [
            run.rows.assign(
                run=run.label,
                variant=[run.describe(row, contender=True) for _, row in run.rows.iterrows()],
            )
            for run in (
                dataclasses.replace(run, rows=run.rows[run.rows.status != "ok"]) for run in runs
            )
        ],
        ignore_index=True,
    )
    blocks: list[Block] = []
    for status, title in (("failed", "Failed"), ("skipped", "Skipped")):
        bad = rows[rows.status == status]
        if bad.empty:
            continue
        columns = ["what", "matrix", "reason", "k", *(["run"] if len(runs) > 1 else [])]
        lines = []
        for (matrix, reason), part in bad.groupby(["matrix", "reason"], sort=False):
            whats = [
                variants.iloc[0]
                if variants.nunique() == 1
                else f"{contender} {shape} ({variants.nunique()} variants)"
                for (contender, shape), variants in part.groupby(
                    ["contender", "format"], sort=False
                ).variant
            ]
            lines.append(
                [
                    ", ".join(whats),
                    matrix,
                    reason,
                    ", ".join(str(k) for k in sorted(part.k.unique())),
                    *[", ".join(part.run.unique())],
                ]
            )
        found = Table(columns, [line[: len(columns)] for line in lines], left=len(columns))
        blocks += [
            Heading(f"{title} ({len(bad)})"),
            found if status == "failed" else Details("What, and why", [found]),
        ]
    return blocks or [Text("Nothing failed and nothing was skipped.")]


def provenance(views: list) -> list[Block]:
    blocks: list[Block] = []
    seen: list[dict] = []
    for run in (run for view in views for run in view.runs):
        if run.context and not any(run.context is context for context in seen):
            seen.append(run.context)
            blocks.append(
                Details(
                    run.label,
                    [
                        Table(
                            ["what", "value"],
                            [list(pair) for pair in _flat("", run.context)],
                            left=2,
                        )
                    ],
                )
            )
    return [Text("As recorded by the runs themselves."), *blocks] if blocks else []


def _flat(prefix: str, value: object) -> list[tuple[str, str]]:
    if isinstance(value, dict):
        return [
            pair
            for key, inner in value.items()
            for pair in _flat(f"{prefix}.{key}" if prefix else key, inner)
        ]
    if isinstance(value, list):
        return [
            (
                prefix,
                ", ".join(
                    " ".join(f"{key} {inner}" for key, inner in item.items())
                    if isinstance(item, dict)
                    else str(item)
                    for item in value
                ),
            )
        ]
    return [(prefix, " ".join(str(value).split()))]
