# SPDX-License-Identifier: Apache-2.0
"""What results in the shape of fatvec-bench's consist of: names, rows, the document around them."""

import zlib

GB = 1e9


def noise(text, low=0.7, high=1.0):
    """The same number for the same text, between low and high."""
    return low + (high - low) * (zlib.crc32(text.encode()) % 10007) / 10007


def join(*parts):
    """A row's name of its parts, but the empty ones."""
    return "/".join(filter(None, parts))


def row(name, seconds, nnz, rows, k, bandwidth, cache, setup=0.0, stored=1.0):
    work = 12.0 * nnz + 4.0 * rows + 16.0 * rows * k
    return {
        **_common(name, 20, seconds * 1e3),
        **{"GFLOPS": 2 * nnz * k / seconds / 1e9, "bytes": work, "GBs": work / seconds / GB},
        **{"bytes_per_cache": work / cache, "bound_fraction": work / bandwidth / seconds},
        **{"capped": 0.0, "matrix_bytes": 12.0 * nnz * stored, "stored_entries": nnz * stored},
        **{"median_seconds": seconds, "min_seconds": seconds * 0.95, "setup_seconds": setup},
        **{"nnz": float(nnz), "rows": float(rows), "spread": noise(name, 0.01, 0.2)},
        "verified": 1.0,
    }


def _common(name, repetitions, time):
    named = {"name": name, "run_name": name, "run_type": "iteration", "repetition_index": 0}
    counts = {"repetitions": repetitions, "threads": 1, "iterations": int(time > 0)}
    return {**named, **counts, "real_time": time, "cpu_time": time, "time_unit": "ms"}


def refused(name, reason):
    return {**_common(name, 1, 0.0), "error_occurred": True, "error_message": reason}


def document(context, entries):
    return {
        "context": {
            "date": "2026-11-21T10:40:00+00:00",
            "host_name": "made-up",
            "compiler": "GNU 12.2.0",
            "fatvec_version": "0.1.0",
            "git_hash": "0123456789abcdef",
            "dry_run": "false",
            "suite": "made-up",
            **context,
        },
        "benchmarks": list(entries),
    }
