# SPDX-License-Identifier: Apache-2.0
"""Who is compared with whom: per problem (a matrix, a k, a layout, ...) the fastest of fatvec, of
each hand-written kernel, of each library. Ratios are of speeds, fatvec's over the other's, and only
within one run: above 1 fatvec is faster. fatvec means its specialised kernels; the portable one
is a contender of its own, compared in costs.py."""

import numpy as np
import pandas as pd

from .load import NOISY, Run, union, unions
from .names import PEER, PORTABLE, RAW, SPECIALISED
from .page import marked

ROLES = (SPECIALISED, PORTABLE, RAW, PEER)
BEST = {SPECIALISED: "fatvec", RAW: "raw_best", PEER: "peer"}  # columns of compare()


def fastest(rows: pd.DataFrame, by: list[str]) -> pd.DataFrame:
    """The fastest row of each group, in the order of the file."""
    return rows.loc[rows.groupby(by, sort=False).seconds.idxmin()] if len(rows) else rows


def wide(rows: pd.DataFrame, by: list[str], column: str, value: str, names=None) -> pd.DataFrame:
    """A row per `by`, per name in `column` (or per one of `names`) a column of `value` and its
    NAME_mark, in the order of the rows, of which each cell has one at most."""
    found, names = rows.set_index([*by, column]), rows[column].unique() if names is None else names
    values, marks = (found[each].unstack().reindex(columns=names) for each in (value, "mark"))
    values = values.rename(columns=str).join(marks.rename(columns="{}_mark".format))
    return values.reindex(rows.set_index(by).index.unique())


def means(values: pd.Series, marks: pd.Series, name: str, worst: str = "") -> dict:
    """The geometric mean as NAME, the least as WORST, and the marks of both."""
    values = values.dropna()
    marks = marks[values.index]
    found = {name: geometric_mean(values), f"{name}_mark": union(marks)}
    least = {worst: values.min(), f"{worst}_mark": union(marks[values == values.min()])}
    return found | (least if worst else {})


def against(rows: pd.DataFrame, others: pd.DataFrame, keys: list[str], name: str, how="left"):
    """Beside each row the one of `others` with its keys: NAME, the speed over its, NAME_mark, and
    other_seconds, other_GFLOPS, other_what, other_mark."""
    others = others.set_index(keys)[["seconds", "GFLOPS", "what", "mark"]].add_prefix("other_")
    rows = rows.join(others, on=keys, how=how)
    rows[name] = rows.other_seconds / rows.seconds
    rows[f"{name}_mark"] = unions(rows.mark, rows.other_mark)
    return rows


def together(runs: list[Run], threads: list[int]) -> pd.DataFrame:
    """The measured rows of runs on these numbers of threads."""
    parts = [run.measured.assign(threads=count) for run, count in zip(runs, threads)]
    return pd.concat(parts, ignore_index=True)


def over_one_thread(rows: pd.DataFrame, keys: list[str]) -> pd.DataFrame:
    """With speedup and efficiency; of `keys` that were not measured on one thread, no rows."""
    rows = against(rows, rows[rows.threads == 1], keys, "speedup", "inner").reset_index(drop=True)
    return rows.assign(mark=rows.speedup_mark, efficiency=rows.speedup / rows.threads)


def contenders(run: Run, *wanted: str) -> list[str]:
    """The contenders of these roles (all), each role's in the order of the file."""
    rows = run.rows
    return [name for role in wanted or ROLES for name in rows.contender[rows.role == role].unique()]


def compare(run: Run) -> pd.DataFrame:
    """One row per problem. Columns: the problem's keys; a GFLOPS column per contender; per role
    (fatvec, raw_best, peer) its GFLOPS and NAME_what; of fatvec's best its seconds, bound_fraction,
    spread, setup_seconds and setup_products (set-up in products); bound (GFLOPS at the bound),
    in_cache (working set within the last-level cache); vs_raw and vs_peer; NAME_mark of numbers.
    """
    rows, keys, names = run.measured, run.problem_keys, run.rows.contender.unique()
    table = wide(fastest(rows, [*keys, "contender"]), keys, "contender", "GFLOPS", names)
    for wanted, name in BEST.items():
        best = fastest(rows[rows.role == wanted], keys).set_index(keys)
        table[name], table[f"{name}_mark"] = best.GFLOPS, best.mark
        table[f"{name}_what"] = best["how" if wanted == SPECIALISED else "what"]
        if wanted == SPECIALISED:
            own = ["seconds", "bound_fraction", "spread", "setup_seconds"]
            table[own], table["setup_products"] = best[own], best.setup_seconds / best.seconds
    # The compulsory traffic does not depend on who moves it.
    bound = rows.GFLOPS / rows.bound_fraction.where(rows.bound_fraction > 0)
    problems = rows.assign(bound=bound, in_cache=rows.bytes_per_cache < 1).groupby(keys)
    table["bound"], table["in_cache"] = problems.bound.median(), problems.in_cache.any()
    for name, other in (("vs_raw", "raw_best"), ("vs_peer", "peer")):
        table[name] = table.fatvec / table[other]
        table[f"{name}_mark"] = unions(table.fatvec_mark, table[f"{other}_mark"])
    table["bound_fraction_mark"] = table.fatvec_mark
    return in_order(run, table.reset_index())


def in_order(run: Run, table: pd.DataFrame, *first: str) -> pd.DataFrame:
    """Sorted by `first`, layout (and the like), matrix and k, names in the order of the file, those
    that it has not last."""

    def file_order(column: pd.Series) -> pd.Series:
        names = run.rows[column.name].unique()
        return column if column.name == "k" else column.map(dict(zip(names, range(len(names)))))

    rest = [name for name in run.problem_keys if name not in ("matrix", "k")]
    by = list(dict.fromkeys([*first, *rest, "matrix", "k"]))
    return table.sort_values(by, key=file_order, ignore_index=True, kind="stable")


def fatvec_over_raw(run: Run) -> pd.DataFrame:
    """Per problem, format and backend, fatvec's fastest kernel over the fastest hand-written one of
    the same format on the same backend: its rows, with what against() puts beside them."""
    rows, by = run.measured, [*run.problem_keys, "format", "backend"]
    own, raw = (fastest(rows[rows.role == wanted], by) for wanted in (SPECIALISED, RAW))
    return against(own, raw, by, "ratio", "inner")


def geometric_mean(ratios: pd.Series) -> float:
    ratios = ratios[ratios > 0].dropna()
    return float(np.exp(np.log(ratios.astype(float)).mean())) if len(ratios) else float("nan")


def counts(run: Run, table: pd.DataFrame) -> list[str]:
    """What a run reached, its noise, and how many cases it has, in a few lines."""
    counts, bound, lines = run.rows.status.value_counts(), table.bound_fraction, []
    if bound.notna().any():
        reached = marked(f"{bound.median():.0%}", union(table.fatvec_mark))
        lines.append(f"fatvec's best reaches {reached} of the bandwidth bound (median)")
    noisy = run.measured.spread > NOISY
    if noisy.any():
        lines.append(
            f"noise: the repetitions of {noisy.sum()} of {len(noisy)} cases spread by more than "
            f"{NOISY:.0%} of their median"
        )
    done = "verified (a dry run: not measured)" if run.dry else "measured and verified"
    lines.append(
        f"{counts.get('ok', 0)} of {len(run.rows)} cases {done}, {counts.get('skipped', 0)} "
        f"skipped, {counts.get('failed', 0)} failed"
    )
    return lines


def worst(run: Run, table: pd.DataFrame, same_format: pd.DataFrame) -> pd.DataFrame:
    """The ten cells in which fatvec is furthest behind, whoever is ahead: the hand-written kernel
    of the same format or the best library."""
    raw = "how GFLOPS mark other_what other_GFLOPS other_mark ratio ratio_mark".split()
    peer = "fatvec_what fatvec fatvec_mark peer_what peer peer_mark vs_peer vs_peer_mark".split()
    peers = table.dropna(subset=["vs_peer"]).rename(columns=dict(zip(peer, raw)))
    parts = [part for part in (same_format, peers) if len(part)] or [same_format]
    cells = pd.concat(parts)[[*run.problem_keys, *raw, "spread", "bound_fraction"]]
    cells = cells.rename(columns={"other_mark": "other_GFLOPS_mark"})
    return cells.sort_values("ratio", kind="stable").head(10).reset_index(drop=True)


def formats(run: Run, wanted: str = SPECIALISED) -> pd.DataFrame:
    """The fastest row of each format for each problem, of one role, with over_csr (speed over CSR;
    NaN: not measured), break_even: products after which the conversion has paid, set-up /
    (t_csr - t_format); NaN: never."""
    keys, rows = run.problem_keys, run.measured
    rows = rows[(rows.role == wanted) & (rows.format != "")]
    best = fastest(rows, [*keys, "format"])
    table = against(best, best[best.format == "csr"], keys, "over_csr")
    gain = table.other_seconds - table.seconds
    pays = (gain > 0) & (table.format != "csr")
    table["break_even"] = (table.setup_seconds / gain).where(pays)
    return in_order(run, table)
