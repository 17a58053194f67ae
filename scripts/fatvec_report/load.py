# SPDX-License-Identifier: Apache-2.0
"""Reads Google Benchmark JSON of fatvec-bench into one table, one row per measured case."""

from __future__ import annotations

import dataclasses
import json
import pathlib
import re
from typing import Iterable

import pandas as pd

from .names import GPU_BACKENDS, SPEAKING, backend_of, implementation_keys
from .names import matrix_label, parse_name, role

SECONDS = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1.0}
COUNTERS = (
    "GFLOPS bytes bytes_per_cache GBs bound_fraction verified setup_seconds mean_seconds "
    "min_seconds spread capped rows nnz row_deviation stored_entries matrix_bytes "
    "copy_in_bytes copy_out_bytes copy_in_seconds copy_out_seconds pinned_in_seconds "
    "pinned_out_seconds "
    # of the suites of ranks
    "efficiency waited_seconds local_seconds halo_seconds overlap exchanged_bytes "
    "most_received_rows most_neighbours least_rank_nnz most_rank_nnz rank_memory_bytes "
    "slowest_rank"
).split()
LARGEST = 1e18  # of any number in a result, and the whole numbers of names have as many digits
SMALLEST = 1e-18  # what is nearer to zero is zero: its inverse must be a number, too
NO_TEXT = r"\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff"  # in no page
NOISY = 0.2  # spread from which a case is called noisy
MARKS = "†‡"  # beside a number that rests on a noisy row, on a matrix that fits the cache


class BadInput(Exception):
    """A result file that cannot be used; the message names it and says why."""


@dataclasses.dataclass
class Run:
    """One result file, or the part of one that ran on one platform: ratios between contenders hold
    only within it. Columns of `rows`, beside what names and COUNTERS say: role (names.py), seconds,
    mean_GFLOPS, platform, status, reason, mark; how, what exactly ran: 'hll-row', 'csr dynamic
    chunk 64'; what, the same behind its contender: 'kokkoskernels csr'."""

    label: str
    context: dict
    rows: pd.DataFrame
    problem_keys: list[str]  # what tells problems apart: matrix, k, and whatever names carry
    parameters: list[str]  # what tells variants apart, but backend and format

    @property
    def kind(self) -> str:
        """What its rows are of: "vectors" (no matrices, but a length and an operation each),
        "ranks" (one product on a number of ranks each), "products"."""
        marks = {"length": "vectors", "ranks": "ranks"}
        return next((kind for key, kind in marks.items() if key in self.rows), "products")

    @property
    def measured(self) -> pd.DataFrame:
        return self.rows[self.rows.status == "ok"]

    @property
    def dry(self) -> bool:
        return str(self.context.get("dry_run", "")).lower() == "true"

    def describe(self, row: dict, without: str = "") -> str:
        """What exactly ran, but for one setting."""
        settings = {key: row.get(key) for key in self.parameters if key != without}
        settings = {key: value for key, value in settings.items() if value and value == value}
        words = [
            value if key in SPEAKING else f"{key.replace('_', ' ')} {value}"
            for key, value in settings.items()
        ]
        shape = row.get("format", "")
        if shape and not settings.get("kernel", "").startswith(shape):  # "csr-row" says both
            words.insert(0, shape)
        return " ".join(words)


def union(marks: Iterable[str]) -> str:
    """Of a number that rests on several rows."""
    found = "".join(mark for mark in marks if isinstance(mark, str))
    return "".join(mark for mark in MARKS if mark in found)


def unions(*columns: Iterable[str]) -> list[str]:
    """Row by row, of numbers that rest on a row of each of these."""
    return list(map(union, zip(*columns)))


def load(path: str | pathlib.Path) -> Run:
    path = pathlib.Path(path)
    try:
        document = _readable(json.loads(path.read_text(encoding="utf-8")))
        entries = document["benchmarks"]
        cases: dict[str, list[dict]] = {}
        for entry in entries:
            name = readable(entry.get("run_name", entry["name"]), r"\s")
            cases.setdefault(name, []).append(entry)
        records = [_case(path, name, group) for name, group in cases.items()]
    except OSError as error:
        raise BadInput(f"{path}: {error.strerror}") from error
    except (ValueError, KeyError, IndexError, TypeError, AttributeError, RecursionError) as error:
        raise BadInput(
            f"{path}: not a result of fatvec-bench ({type(error).__name__}: {error}); "
            "an interrupted run leaves an incomplete file"
        ) from error
    if not records:
        raise BadInput(f"{path}: holds no benchmarks")
    context = document.get("context") or {}
    return _run(path, context if isinstance(context, dict) else {}, records)


def readable(text: str, more: str = "") -> str:
    """With what no page and no picture can hold, and `more`, as in a Python text: \\x01."""
    return re.sub(
        f"(?! )[{NO_TEXT}{more}]",
        lambda found: found.group().encode("unicode_escape").decode(),
        text,
    )


def _readable(value: object) -> object:
    """All texts within it."""
    if isinstance(value, dict):
        return {readable(key): _readable(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [_readable(inner) for inner in value]
    return readable(value) if isinstance(value, str) else value


def _run(path: pathlib.Path, context: dict, records: list[dict]) -> Run:
    for record in records:
        if length := record["fields"].pop("vector", ""):
            record["fields"] = {"matrix": f"vectors of {length}", **record["fields"]}
            (record["length"],) = _whole(path, "the length of a vector", [length])
    keys = list(dict.fromkeys(key for record in records for key in record["fields"]))
    implementation = {key for record in records for key in implementation_keys(record["fields"])}
    rows = pd.DataFrame([{**record.pop("fields"), **record} for record in records])
    for key in ("matrix", "contender", "k"):
        if key not in keys or rows[key].isna().any():
            raise BadInput(
                f"{path}: a case without '{key}:' in its name; expected "
                "matrix:NAME/contender:NAME/.../k:K"
            )
    rows[keys] = rows[keys].fillna("")
    _whole(path, "the number of threads", [text for text in rows.get("threads", []) if text])
    rows["k"] = _whole(path, "k", rows.k)
    if "ranks" in rows:
        rows["ranks"] = _whole(path, "the number of ranks", rows.ranks)
    for name in ("backend", "format", "threads"):
        rows[name] = rows.get(name, "")
    for name in ("seconds", *COUNTERS):
        rows[name] = pd.to_numeric(rows.get(name, float("nan")), errors="coerce")
    rows["mean_GFLOPS"] = rows.GFLOPS * rows.seconds / rows.mean_seconds  # as papers have them
    rows["matrix"], rows["role"] = rows.matrix.map(matrix_label), rows.contender.map(role)
    default = _default_backend(context)
    default = rows.contender.map(lambda name: backend_of(name, default))
    rows["backend"] = rows.backend.where(rows.backend != "", default)
    rows["platform"] = rows.backend.isin(GPU_BACKENDS).map({True: "gpu", False: "cpu"})
    noisy = (rows.spread > NOISY).map({True: MARKS[0], False: ""})
    rows["mark"] = noisy + (rows.bytes_per_cache < 1).map({True: MARKS[1], False: ""})
    own = implementation | {"matrix", "k", "threads"}
    others = [key for key in keys if key not in own]
    apart = ("contender", "backend", "format")
    parameters = [key for key in keys if key in implementation and key not in apart]
    run = Run(readable(path.stem, r"\s"), context, rows, ["matrix", *others, "k"], parameters)
    rows["how"] = list(map(run.describe, rows.to_dict("records")))
    rows["what"] = (rows.contender + " " + rows.how).str.rstrip()
    return run


def _whole(path: pathlib.Path, what: str, texts: Iterable[str]) -> list[int]:
    numbers = [whole(text) for text in texts]
    for text, number in zip(texts, numbers):
        if not number:
            raise BadInput(f"{path}: {what} is not a whole number from 1 on: '{text[:40]}'")
    return numbers


def whole(text: str) -> int | None:
    """Of at most 18 digits, which every table and picture can hold."""
    return int(text) if re.fullmatch(r"[0-9]{1,18}", text) else None


def _checked(path: pathlib.Path, name: str, entry: dict) -> dict:
    """The entry, of which all numbers that count can be computed with; null is none."""
    entry = dict(entry)
    for key in ("real_time", "repetitions", *COUNTERS):
        value = entry.pop(key, None)
        if value is None:
            continue
        is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
        if not is_number or not -LARGEST <= value <= LARGEST:
            raise BadInput(
                f"{path}: {name[:200]}: {key} is {str(value)[:40]}, which is no number up to "
                f"{LARGEST:g}; measure that row again (delete it, then fatvec-bench --resume)"
            )
        entry[key] = 0 if abs(value) < SMALLEST else value
    return entry


def _default_backend(context: dict) -> str:
    device = re.search(r"Default Device:\s*(\w+)", str(context.get("kokkos_configuration", "")))
    return device.group(1).lower() if device else "openmp"


def _case(path: pathlib.Path, name: str, entries: list[dict]) -> dict:
    """One row from the repetitions and aggregates of one case."""
    row = {"name": name, "fields": parse_name(name)}
    bad = [entry for entry in entries if entry.get("error_occurred") or entry.get("skipped")]
    if bad:
        reason = bad[0].get("error_message") or bad[0].get("skip_message") or "no reason given"
        skipped = bool(bad[0].get("skipped")) or reason.lower().startswith("skip")
        said = re.match(r"(skip(ped)?|failed):\s*", reason, re.IGNORECASE)
        reason = reason[said.end() :] or reason if said else reason
        return {**row, "status": "skipped" if skipped else "failed", "reason": reason}
    entries = [_checked(path, name, entry) for entry in entries]
    repetitions = [entry for entry in entries if entry.get("run_type") != "aggregate"]
    median = next((entry for entry in entries if entry.get("aggregate_name") == "median"), None)
    entry = median or repetitions[0]
    row["seconds"] = entry["real_time"] * SECONDS[entry.get("time_unit", "ns")]
    row.update({counter: entry[counter] for counter in COUNTERS if counter in entry})
    row["repetitions"] = entry.get("repetitions", 1)
    times = pd.Series([repetition["real_time"] for repetition in repetitions])
    if len(times) > 1 and times.median() > 0 and "spread" not in row:
        row["spread"] = (times.quantile(0.9) - times.quantile(0.1)) / times.median()
    if "verified" not in row:
        return {**row, "status": "failed", "reason": "no verification result"}
    # A median of 1 may hide one wrong repetition.
    if row["verified"] < 1 or any(repetition.get("verified", 1) < 1 for repetition in repetitions):
        return {**row, "status": "failed", "reason": "wrong result"}
    if not row["seconds"] > 0 or not row.get("GFLOPS", 0) >= 0 or "GFLOPS" not in row:
        return {**row, "status": "failed", "reason": "no time or no GFLOPS recorded"}
    return {**row, "status": "ok", "reason": ""}
