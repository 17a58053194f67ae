# SPDX-License-Identifier: Apache-2.0
"""Who is compared with whom: per problem (a matrix, a k, a layout, ...) the fastest of fatvec, of
each hand-written kernel, of each peer. Ratios are of speeds, fatvec's over the other's, and only
within one run: above 1 fatvec is faster. fatvec means its specialised kernels; the portable one
is a contender of its own, compared in costs.py."""

from __future__ import annotations

import numpy as np
import pandas as pd

from .page import times
from .load import Run
from .names import SPECIALISED, PEER, PORTABLE, RAW, role

ROLES = (SPECIALISED, PORTABLE, RAW, PEER)
NOISY = 0.5  # spread from which a case is called noisy


def fastest(rows: pd.DataFrame, by: list[str]) -> pd.DataFrame:
    """The fastest row of each group, in the order of the file."""
    return rows.loc[rows.groupby(by, sort=False).seconds.idxmin()] if len(rows) else rows


def contenders(run: Run, wanted: str) -> list[str]:
    """The contenders of one role, in the order of the file."""
    return [name for name in run.rows.contender.unique() if role(name) == wanted]


def compare(run: Run) -> pd.DataFrame:
    """One row per problem. Columns: the problem's keys; a GFLOPS column per contender; per role
    (fatvec, raw_best, peer) its GFLOPS and NAME_what; of fatvec's best its seconds, bound_fraction,
    spread, setup_seconds and setup_products (set-up in products); bound (GFLOPS at the bound),
    in_cache (working set within the last-level cache); vs_raw and vs_peer.
    """
    roles = {SPECIALISED: "fatvec", RAW: "raw_best", PEER: "peer"}
    own = ["seconds", "bound_fraction", "spread", "setup_seconds"]
    columns = [
        *run.problem_keys,
        *run.rows.contender.unique(),
        *roles.values(),
        *(f"{name}_what" for name in roles.values()),
        *own,
        "setup_products",
        "bound",
        "in_cache",
    ]
    records = []
    for key, group in run.measured.groupby(run.problem_keys, sort=False):
        record = dict(zip(run.problem_keys, key))
        record.update(group.groupby("contender").GFLOPS.max())
        kinds = group.contender.map(role)
        for wanted, rows in group[kinds.isin(list(roles))].groupby(kinds):
            best = rows.loc[rows.seconds.idxmin()]
            record[roles[wanted]] = best.GFLOPS
            record[f"{roles[wanted]}_what"] = run.describe(best, contender=wanted != SPECIALISED)
            if wanted == SPECIALISED:
                record.update(best[own], setup_products=best.setup_seconds / best.seconds)
        # The same for every contender of a problem: the compulsory traffic does not depend on who
        # moves it.
        record["bound"] = median(
            group.GFLOPS / group.bound_fraction.where(group.bound_fraction > 0)
        )
        record["in_cache"] = bool((group.bytes_per_cache < 1).any())
        records.append(record)
    columns = list(dict.fromkeys(columns))
    table = pd.DataFrame(records).reindex(columns=columns)
    numbers = [
        name
        for name in columns
        if name not in run.problem_keys and not name.endswith("_what") and name != "in_cache"
    ]
    table[numbers] = table[numbers].astype(float)
    table["vs_raw"] = table.fatvec / table.raw_best
    table["vs_peer"] = table.fatvec / table.peer
    return in_order(run, table)


def in_order(run: Run, table: pd.DataFrame) -> pd.DataFrame:
    """Sorted by layout (and the like), matrix and k, names in the order of the file."""
    rest = [name for name in run.problem_keys if name not in ("matrix", "k")]

    def file_order(column: pd.Series) -> pd.Series:
        return (
            column
            if column.name == "k"
            else column.map({name: at for at, name in enumerate(run.rows[column.name].unique())})
        )

    return table.sort_values(
        [*rest, "matrix", "k"], key=file_order, ignore_index=True, kind="stable"
    )


def fatvec_over_raw(run: Run) -> pd.DataFrame:
    """Per problem, format and backend, fatvec's fastest kernel over the fastest hand-written one of
    the same format on the same backend. Columns: those keys, ratio, GFLOPS, what and spread of both
    (raw_GFLOPS, raw_what), bound_fraction."""
    by = [*run.problem_keys, "format", "backend"]
    measured = run.measured
    kinds = measured.contender.map(role)
    sides = []
    for wanted in (SPECIALISED, RAW):
        best = fastest(measured[kinds == wanted], by)
        side = best[[*by, "seconds", "GFLOPS", "spread", "bound_fraction"]].copy()
        side["what"] = [run.describe(row, contender=wanted == RAW) for _, row in best.iterrows()]
        sides.append(side)
    both = sides[0].merge(sides[1], on=by, suffixes=("", "_raw"))
    both["ratio"] = both.seconds_raw / both.seconds
    return both.rename(columns={"GFLOPS_raw": "raw_GFLOPS", "what_raw": "raw_what"})


def geometric_mean(ratios: pd.Series) -> float:
    ratios = ratios[ratios > 0].dropna()
    return float(np.exp(np.log(ratios.astype(float)).mean())) if len(ratios) else float("nan")


def median(values: pd.Series) -> float:
    """NaN where there are none, and quietly."""
    values = values.dropna()
    return float(values.median()) if len(values) else float("nan")


def ratio_summary(ratios: pd.Series, against: str) -> str:
    ratios = ratios.dropna()
    if ratios.empty:
        return f"against {against}: nothing to compare in this run"
    return (
        f"against {against}: {times(geometric_mean(ratios))} (geometric mean over {len(ratios)} "
        "cases; "
        f"{times(ratios.min())} at worst, {times(ratios.max())} at best; at least as fast in "
        f"{int((ratios >= 1).sum())})"
    )


def headline(run: Run, table: pd.DataFrame, same_format: pd.DataFrame) -> list[str]:
    """The run in a few lines; above 1× fatvec is faster."""
    counts = run.rows.status.value_counts()
    lines = [
        "fatvec's best " + ratio_summary(table.vs_raw, "the best hand-written kernel"),
        "fatvec's best of each format "
        + ratio_summary(same_format.ratio, "the best hand-written kernel of that format"),
        "fatvec's best " + ratio_summary(table.vs_peer, "the best peer library"),
    ]
    if table.bound_fraction.notna().any():
        lines.append(
            f"fatvec's best reaches {table.bound_fraction.median():.0%} of the bandwidth bound "
            "(median; "
            f"{table.bound_fraction.min():.0%} to {table.bound_fraction.max():.0%})"
        )
    noisy = run.measured.spread > NOISY
    if noisy.any():
        lines.append(
            f"noise: the repetitions of {int(noisy.sum())} of {len(noisy)} cases spread by more "
            f"than {NOISY:.0%} of their median"
        )
    lines.append(
        f"{counts.get('ok', 0)} of {len(run.rows)} cases "
        f"{'verified (a dry run: not measured)' if run.dry else 'measured and verified'}, "
        f"{counts.get('skipped', 0)} skipped, {counts.get('failed', 0)} failed"
    )
    return lines


def worst(
    run: Run, table: pd.DataFrame, same_format: pd.DataFrame, count: int = 10
) -> pd.DataFrame:
    """The cells in which fatvec is furthest behind, whoever is ahead: the hand-written kernel of
    the same format or the best peer."""
    raw = same_format.assign(against=same_format.raw_what, other_GFLOPS=same_format.raw_GFLOPS)
    peer = table.dropna(subset=["vs_peer"]).assign(
        what=table.fatvec_what,
        GFLOPS=table.fatvec,
        against=table.peer_what,
        other_GFLOPS=table.peer,
        ratio=table.vs_peer,
    )
    columns = [
        *run.problem_keys,
        "what",
        "GFLOPS",
        "against",
        "other_GFLOPS",
        "ratio",
        "spread",
        "bound_fraction",
    ]
    parts = [part[columns] for part in (raw, peer) if len(part)]
    if not parts:
        return pd.DataFrame(columns=columns)
    return pd.concat(parts).sort_values("ratio", kind="stable").head(count).reset_index(drop=True)


def formats(run: Run, wanted: str = SPECIALISED) -> pd.DataFrame:
    """The fastest row of each format for each problem, of one role, with csr_seconds (NaN where CSR
    was not measured), over_csr (speed over CSR's), break_even: products after which the conversion
    has paid, set-up / (t_csr - t_format); NaN: never."""
    measured = run.measured
    best = fastest(
        measured[(measured.contender.map(role) == wanted) & (measured.format != "")],
        [*run.problem_keys, "format"],
    )
    csr = best[best.format == "csr"][[*run.problem_keys, "seconds"]].rename(
        columns={"seconds": "csr_seconds"}
    )
    table = best.merge(csr, on=run.problem_keys, how="left")
    table["over_csr"] = table.csr_seconds / table.seconds
    gain = table.csr_seconds - table.seconds
    table["break_even"] = (table.setup_seconds / gain).where((gain > 0) & (table.format != "csr"))
    return in_order(run, table)
