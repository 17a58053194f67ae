#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A result file of docs/ from what fatvec-bench wrote.

rows.py RESULTS.json FILE "COMMAND"     writes FILE.csv, a row for each verified case, and FILE.json

FILE.json says where the rows are from: machine, date, commit, compiler, and the command as it was
given, which nobody else knows. results.py makes tables of both.
"""

import csv
import json
import pathlib
import sys

TABLE = "matrix k contender format settings median_us spread bound_fraction gflops repetitions"
NAMED = {"matrix", "contender", "backend", "format", "layout", "k"}


def row_of(benchmark: dict) -> dict:
    fields = dict(part.split(":", 1) for part in benchmark["name"].split("/"))
    if "vector" in fields:  # the suite of vectors has lengths and operations
        fields["matrix"] = f"vector:{fields.pop('vector')}"
        fields["format"] = fields.pop("operation")
    settings = [f"{key}:{value}" for key, value in fields.items() if key not in NAMED]
    return {
        **{key: fields[key] for key in ("matrix", "k", "contender", "format")},
        "settings": " ".join(settings),
        "median_us": f"{benchmark['median_seconds'] * 1e6:.2f}",
        "spread": f"{benchmark['spread']:.3f}",
        "bound_fraction": f"{benchmark['bound_fraction']:.3f}",
        "gflops": f"{benchmark['GFLOPS']:.2f}",
        "repetitions": benchmark["repetitions"],
    }


def main() -> int:
    if len(sys.argv) != 4:
        print(__doc__, file=sys.stderr)
        return 2
    results, target = json.loads(pathlib.Path(sys.argv[1]).read_text()), pathlib.Path(sys.argv[2])
    context = results["context"]
    if context["dry_run"] == "true":
        print(f"{sys.argv[1]} is a dry run: its times mean nothing", file=sys.stderr)
        return 2
    rows = [row_of(entry) for entry in results["benchmarks"] if entry.get("verified") == 1]
    with target.with_name(target.name + ".csv").open("w", newline="") as file:
        table = csv.DictWriter(file, TABLE.split(), lineterminator="\n")
        table.writeheader()
        table.writerows(rows)
    about = {
        "machine": f"{context['device']}, {context['threads']} threads",
        "date": context["date"][:10],
        "commit": context["git_hash"][:7],
        "compiler": context["compiler"],
        "run": "one run of fatvec-bench, contenders alternating",
        "command": sys.argv[3],
    }
    target.with_name(target.name + ".json").write_text(json.dumps(about, indent=2) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
