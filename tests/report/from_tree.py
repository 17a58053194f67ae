# SPDX-License-Identifier: Apache-2.0
"""The results of docs/results as fatvec-bench writes them, for a report of full size.

python tests/report/from_tree.py DIR     writes DIR/h200.json and DIR/epyc.json
"""

import csv
import json
import pathlib
import sys

import synthetic

RESULTS = pathlib.Path(__file__).resolve().parents[2] / "docs" / "results"
# Backend, bytes per second and of the cache, facts that the rows do not hold.
RUNS = {
    "h200": ("cuda", 4.0e12, 50e6, ("h200-2026-11-24", "h200-2026-11-25")),
    "epyc": ("openmp", 50e9, 32e6, ("epyc-2026-11-27",)),
}


def benchmark(row, backend, bandwidth, cache):
    """One row of a CSV. Of rows of the matrix there are made up a twentieth of the entries."""
    seconds, k = float(row["median_us"]) * 1e-6, int(row["k"])
    nnz = round(float(row["gflops"]) * 1e9 * seconds / (2 * k))
    parts = [f"matrix:{row['matrix']}", f"contender:{row['contender']}", f"backend:{backend}"]
    parts += [f"format:{row['format']}", *row["settings"].split(), "layout:row", f"k:{k}"]
    entry = synthetic.row("/".join(parts), seconds, nnz, nnz // 20, k, bandwidth, cache)
    measured = {"spread": float(row["spread"]), "bound_fraction": float(row["bound_fraction"])}
    return {**entry, **measured, "repetitions": int(row["repetitions"])}


def write(folder):
    for name, (backend, bandwidth, cache, files) in RUNS.items():
        rows = {}
        for file in files:
            about = json.loads((RESULTS / f"{file}.json").read_text())
            with open(RESULTS / f"{file}.csv", newline="") as table:
                for row in csv.DictReader(table):
                    entry = benchmark(row, backend, bandwidth, cache)
                    rows.setdefault(entry["name"], entry)
        device = {"gpu": about["machine"]} if backend == "cuda" else {}
        context = {"device": about["machine"], "cpu": about["machine"], "threads": "2", **device}
        bandwidth_key = "cuda" if backend == "cuda" else "host"
        context[f"bandwidth_{bandwidth_key}_copy_GBs"] = f"{bandwidth / 1e9:.0f}"
        context |= {"git_hash": "0" * 40, "compiler": about["compiler"], "suite": name}
        document = synthetic.document(context, rows.values())
        (folder / f"{name}.json").write_text(json.dumps(document))


if __name__ == "__main__":
    target = pathlib.Path(sys.argv[1])
    target.mkdir(parents=True, exist_ok=True)
    write(target)
