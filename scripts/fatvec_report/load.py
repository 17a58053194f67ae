# SPDX-License-Identifier: Apache-2.0
"""Reads Google Benchmark JSON of fatvec-bench into one table, one row per measured case."""
from __future__ import annotations

import dataclasses
import json
import pathlib

import pandas as pd

SECONDS = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1.0}
# Google Benchmark's own additions to a case's name; they do not tell cases apart.
DECORATIONS = {"iterations", "repeats", "min_time", "min_warmup_time", "threads"}
MARKS = {"manual_time", "real_time", "process_time"}
# What describes an implementation. Every other key:value of a name describes the problem, so that an unknown key can only split
# a comparison, never mix two problems into one.
IMPLEMENTATION_KEYS = ("contender", "backend", "format", "kernel", "schedule", "variant", "algorithm", "policy")
COUNTERS = ("GFLOPS", "bytes", "bound_fraction", "verified", "setup_seconds", "spread")


class BadInput(Exception):
    """A result file that cannot be used; the message names it and says why."""


@dataclasses.dataclass
class Run:
    """One result file: ratios between contenders hold only within it."""

    label: str
    context: dict
    rows: pd.DataFrame

    @property
    def measured(self) -> pd.DataFrame:
        return self.rows[self.rows.status == "ok"]

    @property
    def problem_keys(self) -> list[str]:
        """The columns that tell problems apart: matrix and k first, then whatever else the names carry."""
        return self.rows.attrs["problem_keys"]


def parse_name(name: str) -> dict[str, str]:
    """'matrix:gen:stencil27:100/contender:fatvec/k:8/manual_time' to its keys and values (values may hold ':' and '/')."""
    fields: dict[str, str] = {}
    last = None
    for part in name.split("/"):
        key, colon, value = part.partition(":")
        if colon:
            fields[key] = value
            last = key
        elif part not in MARKS and last:
            fields[last] += "/" + part
    return {key: value for key, value in fields.items() if key not in DECORATIONS}


def load(path: str | pathlib.Path) -> Run:
    path = pathlib.Path(path)
    try:
        document = json.loads(path.read_text())
        entries = document["benchmarks"]
    except OSError as error:
        raise BadInput(f"{path}: {error.strerror}") from error
    except (ValueError, KeyError, TypeError) as error:
        raise BadInput(f"{path}: not a result of fatvec-bench ({error}); an interrupted run leaves an incomplete file") from error
    if not entries:
        raise BadInput(f"{path}: holds no benchmarks")
    cases: dict[str, list[dict]] = {}
    for entry in entries:
        cases.setdefault(entry.get("run_name", entry["name"]), []).append(entry)
    records = [_case(name, group) for name, group in cases.items()]
    keys = list(dict.fromkeys(key for record in records for key in record["fields"]))
    rows = pd.DataFrame([{**record.pop("fields"), **record} for record in records])
    for key in ("matrix", "contender", "k"):
        if key not in rows or rows[key].isna().any():
            raise BadInput(f"{path}: a case without '{key}:' in its name; expected matrix:NAME/contender:NAME/.../k:K")
    rows[keys] = rows[keys].fillna("")
    rows["k"] = rows["k"].astype(int)
    others = [key for key in keys if key not in IMPLEMENTATION_KEYS and key not in ("matrix", "k")]
    rows.attrs["problem_keys"] = ["matrix", *others, "k"]
    return Run(label=path.stem, context=document.get("context", {}), rows=rows)


def _case(name: str, entries: list[dict]) -> dict:
    """One row from the repetitions and aggregates of one case."""
    failed = next((entry for entry in entries if entry.get("error_occurred") or entry.get("skipped")), None)
    if failed:
        reason = failed.get("error_message") or failed.get("skip_message") or "no reason given"
        skipped = bool(failed.get("skipped")) or reason.lower().startswith("skip")
        return {"name": name, "fields": parse_name(name), "status": "skipped" if skipped else "failed",
                "reason": reason.partition(":")[2].strip() or reason if skipped and reason.lower().startswith("skip") else reason}
    repetitions = [entry for entry in entries if entry.get("run_type") != "aggregate"]
    median = next((entry for entry in entries if entry.get("aggregate_name") == "median"), None)
    entry = median or repetitions[0]
    row = {"name": name, "fields": parse_name(name), "seconds": entry["real_time"] * SECONDS[entry.get("time_unit", "ns")]}
    row.update({counter: entry[counter] for counter in COUNTERS if counter in entry})
    row["repetitions"] = entry.get("repetitions", 1)
    if len(repetitions) > 1 and "spread" not in row:
        times = pd.Series([repetition["real_time"] for repetition in repetitions])
        row["spread"] = (times.quantile(0.9) - times.quantile(0.1)) / times.median()
    if "verified" not in row:
        return {**row, "status": "failed", "reason": "no verification result"}
    # A median of 1 may hide one wrong repetition.
    if row["verified"] < 1 or any(repetition.get("verified", 1) < 1 for repetition in repetitions):
        return {**row, "status": "failed", "reason": "wrong result"}
    return {**row, "status": "ok", "reason": ""}
