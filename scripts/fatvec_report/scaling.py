# SPDX-License-Identifier: Apache-2.0
"""Speed over threads: speedup and efficiency of each contender, from runs that differ in the number
of threads."""

from __future__ import annotations

import pandas as pd

from . import analysis
from .load import Run


def speedups(runs: list[Run], threads: list[int]) -> pd.DataFrame:
    """One row per problem, contender and number of threads: seconds, reference ("raw-serial", the
    same run's or else that of the run with the fewest threads; without any, "1 thread": the
    contender itself there), speedup, efficiency = speedup / threads. Rows without a reference are
    left out."""
    keys = runs[0].problem_keys
    parts = []
    for run, count in zip(runs, threads):
        best = analysis.fastest(run.measured, [*keys, "contender"])
        parts.append(
            best[[*keys, "contender", "backend", "seconds", "GFLOPS"]].assign(threads=count)
        )
    table = pd.concat(parts, ignore_index=True)
    if table.empty:
        return table.assign(
            reference="",
            reference_seconds=float("nan"),
            speedup=float("nan"),
            efficiency=float("nan"),
        )
    serial = table[table.backend == "serial"]
    within = analysis.fastest(serial, [*keys, "threads"])[[*keys, "threads", "seconds"]].rename(
        columns={"seconds": "within"}
    )
    first = serial[serial.threads == serial.threads.min()]
    across = analysis.fastest(first, keys)[[*keys, "seconds"]].rename(columns={"seconds": "across"})
    alone = table[(table.threads == 1) & (table.backend != "serial")][
        [*keys, "contender", "seconds"]
    ].rename(columns={"seconds": "alone"})
    table = table[table.backend != "serial"]
    table = table.merge(within, on=[*keys, "threads"], how="left").merge(
        across, on=keys, how="left"
    )
    table = table.merge(alone, on=[*keys, "contender"], how="left")
    serial_seconds = table.within.fillna(table.across)
    table["reference"] = serial_seconds.notna().map({True: "raw-serial", False: "1 thread"})
    table["reference_seconds"] = serial_seconds.fillna(table.alone)
    table["speedup"] = table.reference_seconds / table.seconds
    table["efficiency"] = table.speedup / table.threads
    return (
        table.drop(columns=["within", "across", "alone"])
        .dropna(subset=["speedup"])
        .reset_index(drop=True)
    )
