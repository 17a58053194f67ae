# SPDX-License-Identifier: Apache-2.0
"""Who is compared with whom: per problem (a matrix, a k, a layout, ...) the best of fatvec, of each hand-written kernel, of the peers."""
from __future__ import annotations

import numpy as np
import pandas as pd

from .load import IMPLEMENTATION_KEYS, Run

OURS = "fatvec"
RAW = "raw"


def role(contender: str) -> str:
    """'fatvec', 'raw' (hand-written) or 'peer' (somebody's library)."""
    name = contender.lower()
    if name == OURS:
        return OURS
    return RAW if name.startswith(RAW) or name in ("serial", "openmp", "cuda") else "peer"


def describe(row: pd.Series, own: bool) -> str:
    """What exactly ran: 'hll-row' of fatvec, 'KokkosKernels csr' of a peer."""
    details = [str(row[key]) for key in IMPLEMENTATION_KEYS[1:] if row.get(key, "")]
    kernel = row.get("kernel", "")
    if kernel and row.get("format", "") and kernel.startswith(row["format"]):
        details.remove(row["format"])  # "csr-row" says both
    return " ".join(details) if own else " ".join([row["contender"], *details])


def contenders(run: Run, wanted: str) -> list[str]:
    """The contenders of one role, in the order of the file."""
    return [name for name in run.rows.contender.unique() if role(name) == wanted]


def compare(run: Run) -> pd.DataFrame:
    """One row per problem. Columns: the problem's keys; fatvec, fatvec_what, one GFLOPS column per hand-written contender,
    peer, peer_what, raw_best (GFLOPS; NaN where nothing was measured); vs_raw, vs_peer (ratios, above 1: fatvec is faster);
    bound (GFLOPS at the bound), bound_fraction, spread, setup_seconds, setup_products (setup in products) of fatvec's best.
    """
    columns = [*run.problem_keys, "fatvec", "fatvec_what", *contenders(run, RAW), "raw_best", "peer", "peer_what", "bound",
               "bound_fraction", "spread", "setup_seconds", "setup_products"]
    records = []
    for key, group in run.measured.groupby(run.problem_keys, sort=False):
        record = dict(zip(run.problem_keys, key))
        roles = group.contender.map(role)
        ours, raw, peers = (group[roles == wanted] for wanted in (OURS, RAW, "peer"))
        if len(ours):
            best = ours.loc[ours.GFLOPS.idxmax()]
            record.update(fatvec=best.GFLOPS, fatvec_what=describe(best, own=True),
                          **{name: best.get(name, np.nan) for name in ("bound_fraction", "spread", "setup_seconds")})
            record["setup_products"] = record["setup_seconds"] / best.seconds
        record.update(raw.groupby("contender").GFLOPS.max())
        record["raw_best"] = raw.GFLOPS.max()
        if len(peers):
            best = peers.loc[peers.GFLOPS.idxmax()]
            record.update(peer=best.GFLOPS, peer_what=describe(best, own=False))
        if "bound_fraction" in group:
            # The same for every contender of a problem: the compulsory traffic does not depend on who moves it.
            record["bound"] = (group.GFLOPS / group.bound_fraction).median()
        records.append(record)
    table = pd.DataFrame(records).reindex(columns=columns)
    numbers = [name for name in columns if name not in run.problem_keys and not name.endswith("_what")]
    table[numbers] = table[numbers].astype(float)
    table["vs_raw"] = table.fatvec / table.raw_best
    table["vs_peer"] = table.fatvec / table.peer
    rest = [name for name in run.problem_keys if name not in ("matrix", "k")]

    def file_order(column: pd.Series) -> pd.Series:
        return column if column.name == "k" else column.map({name: at for at, name in enumerate(run.rows[column.name].unique())})

    return table.sort_values([*rest, "matrix", "k"], key=file_order, ignore_index=True)


def geometric_mean(ratios: pd.Series) -> float:
    ratios = ratios.dropna()
    return float(np.exp(np.log(ratios).mean())) if len(ratios) else float("nan")


def ratio_summary(table: pd.DataFrame, column: str, against: str) -> str:
    ratios = table[column].dropna()
    if ratios.empty:
        return f"against {against}: nothing to compare in this run"
    return (f"against {against}: {geometric_mean(ratios):.2f}x (geometric mean over {len(ratios)} cases; "
            f"{ratios.min():.2f}x at worst, {ratios.max():.2f}x at best; at least as fast in {int((ratios >= 1).sum())})")


def headline(run: Run, table: pd.DataFrame) -> list[str]:
    """The run in four lines; above 1x fatvec is faster."""
    counts = run.rows.status.value_counts()
    lines = ["fatvec's best " + ratio_summary(table, "vs_raw", "the best hand-written kernel"),
             "fatvec's best " + ratio_summary(table, "vs_peer", "the best peer library")]
    if table.bound_fraction.notna().any():
        lines.append(f"fatvec's best reaches {table.bound_fraction.median():.0%} of the bandwidth bound (median; "
                     f"{table.bound_fraction.min():.0%} to {table.bound_fraction.max():.0%})")
    lines.append(f"{counts.get('ok', 0)} of {len(run.rows)} cases measured and verified, {counts.get('skipped', 0)} skipped, "
                 f"{counts.get('failed', 0)} failed")
    return lines
