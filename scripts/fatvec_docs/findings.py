# SPDX-License-Identifier: Apache-2.0
"""What the five published systems found beside what a run of scripts/reproduce shows.

    PYTHONPATH=scripts .venv/bin/python scripts/fatvec_docs/findings.py REPORT FOLDER/NAME.csv

REPORT holds the folders SYSTEM that scripts/reproduce wrote. Writes NAME.csv, a line a finding,
and NAME.json, where it is from; results.py makes the table of the lab page from these. A machine
with a GPU is asked about that. Systems of which REPORT has nothing are left out.
"""

from __future__ import annotations

import csv
import json
import pathlib
import sys
from collections.abc import Iterator

import pandas as pd
from fatvec_report import analysis, papers, published
from fatvec_report.load import BadInput, load
from fatvec_report.names import RAW, matrix_key, role
from fatvec_report.views import View, views

Finding = tuple[str, str, str]  # what, as published, as in this run
TEXTBOOK = {"csr": ("textbook", "block-2d"), "ellpack": ("textbook", "textbook-block-2d")}


def ratio(values: pd.Series) -> str:
    """Geometric mean, least and greatest."""
    values = values.dropna()
    if values.empty:
        return "–"
    mean = analysis.geometric_mean(values)
    return f"{mean:.2f} ({values.min():.2f} to {values.max():.2f}, {len(values)} cases)"


def table(name: str) -> pd.DataFrame:
    found = pd.read_csv(published.FOLDER / name)
    return found.set_index(found.matrix.map(matrix_key))


def hand_written(view: View) -> pd.DataFrame:
    rows = view.run.measured
    rows = rows[rows.role.eq(RAW)]
    return rows if "kernel" in rows else rows.assign(kernel="")


def by_format(rows: pd.DataFrame) -> pd.DataFrame:
    """Best GFLOPS: a row per matrix, a column per format."""
    return rows.groupby(["matrix", "format"]).GFLOPS.max().unstack()


def textbook(rows: pd.DataFrame, formats: dict) -> pd.DataFrame:
    """The papers' own kernels of these formats."""
    kept = [
        rows[rows.format.eq(name) & rows.kernel.isin(kernels)] for name, kernels in formats.items()
    ]
    return by_format(pd.concat(kept)).reindex(columns=list(formats))


def best_of(found: pd.DataFrame, name: str) -> str:
    """In how many rows a column is the greatest."""
    found = found.dropna(how="all")
    return f"{int(found.idxmax(axis=1).eq(name).sum())} of {len(found)} matrices"


def best_counts(found: pd.DataFrame) -> str:
    """In how many rows each column is the greatest."""
    best = found.dropna(how="all").idxmax(axis=1).value_counts()
    return ", ".join(f"{name} {count}" for name, count in best.items())


def balayre(view: View) -> Iterator[Finding]:
    his = table("balayre_overall.csv")
    rows = hand_written(view)
    pair = by_format(rows[rows.format.isin(["csr", "ellpack"])])
    yield (
        "CRS, not ELLPACK, is the best structure",
        f"{int(his.best_structure.eq('CRS').sum())} of {len(his)} matrices (table 3.4)",
        best_of(pair, "csr"),
    )
    for backend, number in (("serial", "1"), ("openmp", "2"), ("cuda", "3")):
        kernels = textbook(rows[rows.backend.eq(backend)], TEXTBOOK)
        if kernels.dropna().empty:
            continue
        his = table(f"balayre_{backend}_gflops.csv")
        yield (
            f"{backend}: speed of CRS over ELLPACK, kernels as printed",
            f"{ratio(his.crs / his.ellpack)}, of a smaller ELLPACK (table 3.{number})",
            ratio(kernels.csr / kernels.ellpack),
        )
    fat = rows[rows.format.eq("csr")].groupby(["matrix", "k"]).GFLOPS.max().unstack()
    if {1, 6} <= set(fat.columns):
        yield (
            "GFLOPS of fat vectors: k = 6 over k = 1, CRS",
            "not tabulated",
            ratio(fat[6] / fat[1]),
        )


def calzetta(view: View) -> Iterator[Finding]:
    if len(view.runs) > 1:
        means = papers.averages(view.runs, view.threads)
        most = means[means.threads.eq(max(view.threads)) & means.k.eq(means.k.min())]
        schedules = r"csr (balanced|guided)|hll \S+ guided"
        most = most[most.line.str.fullmatch(schedules)]
        text = ", ".join(
            f"{row.line} {row.speedup:.2f} and {row.efficiency:.0%}" for row in most.itertuples()
        )
        yield (
            f"mean speedup and efficiency, {max(view.threads)} threads",
            "charts without numbers, 1 to 40 threads",
            text,
        )
    rows = hand_written(view)
    hll = rows[rows.format.eq("hll") & rows.kernel.str.startswith("textbook")]
    if view.platform == "gpu":
        hll = hll[hll.kernel.eq("textbook-thread")]
    else:
        hll = hll[hll.backend.eq("openmp")]
    sides = hll.groupby(["matrix", "storage"]).GFLOPS.max().unstack()
    if {"row-major", "column-major"} <= set(sides.columns):
        yield (
            "HLL: speed of column-major over row-major storage, kernels as printed",
            "column-major coalesces on a GPU (charts)",
            ratio(sides["column-major"] / sides["row-major"]),
        )


def fraga(view: View) -> Iterator[Finding]:
    rows = hand_written(view)
    backend = "cuda" if view.platform == "gpu" else "openmp"
    rows = rows[rows.backend.eq(backend)]
    kernels = {"csr": ("textbook", "thread"), "ellpack": ("textbook", "textbook-thread")}
    speeds = textbook(rows, kernels)
    deviation = rows.groupby("matrix").row_deviation.first().reindex(speeds.index)
    share = speeds.ellpack / speeds.csr
    yield (
        "ELLPACK's speed over CSR's where row lengths deviate by at most 5 %",
        "similar (conclusions; figure 2, 1.45 %)",
        ratio(share[deviation <= 5]),
    )
    yield (
        "the same where they deviate by more than 20 %",
        "multiplications by zero are a major overhead (figures 3 and 4)",
        ratio(share[deviation > 20]),
    )
    if view.platform == "gpu":
        ways = rows[rows.format.eq("csr")].groupby(["matrix", "kernel"]).GFLOPS.max().unstack()
        sizes = rows.groupby("matrix")[["nnz", "rows"]].first().reindex(ways.index)
        longer, gain = sizes.nnz >= 32 * sizes.rows, ways["strip-mining"] / ways["thread"]
        for words, chosen in (("32 or more", longer), ("fewer than 32", ~longer)):
            yield (
                f"CSR on CUDA: speed of strip mining over a thread per row, {words} entries a row",
                "more efficient from 32 entries a row on (conclusions)",
                ratio(gain[chosen]),
            )


def stec(view: View) -> Iterator[Finding]:
    printed = table("stec_gflops.csv")
    formats = ("csr", "ell", "jad", "pjad", "bsr")
    paper = printed[[f"openacc_{view.platform}_{name}" for name in formats]]
    paper.columns = ["csr", "ellpack", "jad", "pjad", "bsr"]
    rows = hand_written(view)
    rows = rows[rows.backend.ne("serial")]
    mine = by_format(rows[rows.format.isin(list(paper.columns))])
    name = "csr" if view.platform == "cpu" else "pjad"
    yield (
        f"{name} is the best of CSR, ELL, JAD, pJAD, BSR",
        f"{best_of(paper, name)} (table II)",
        best_of(mine, name),
    )
    everywhere = f"matrices of which each of these is best, {view.platform.upper()}"
    yield everywhere, f"{best_counts(paper)} (table II)", best_counts(mine)
    library, contender = (
        ("mkl_bsr", "mkl") if view.platform == "cpu" else ("cusparse_bsr", "cusparse")
    )
    everything = view.run.measured
    bsr = everything[everything.contender.eq(contender) & everything.format.eq("bsr")]
    speeds = bsr.groupby("matrix").GFLOPS.max()
    if len(speeds):
        yield (
            f"{contender}'s BSR at its best block size over the best of these",
            f"{ratio(printed[library] / paper.max(axis=1))} (table II)",
            ratio(speeds / mine.max(axis=1)),
        )
        yield (
            f"{contender}'s BSR at its best block size over the hand-written BSR",
            f"{ratio(printed[library] / paper.bsr)}",
            ratio(speeds / mine.bsr),
        )


def gollmann(view: View) -> Iterator[Finding]:
    runs = papers.one_against_many(view.run)
    runs = runs[runs.contender.map(role).eq(RAW) & (runs.k > 1)]
    for way, words in (("apart", "in place"), ("copied", "with the copies")):
        over = runs[way] / runs.together
        if over.notna().any():
            yield (
                f"time of K products over one product of K columns, {words}",
                "K products are always slower (section 5)",
                ratio(over),
            )
    rows = hand_written(view)
    kernel = "grid-stride" if view.platform == "gpu" else "columns-outside"
    rows = rows[
        rows.kernel.eq(kernel) & rows.format.eq("csr") & (rows.k > 1) & rows.backend.ne("serial")
    ]
    sides = rows.groupby(["matrix", "k", "layout"]).seconds.min().unstack()
    if {"row", "column"} <= set(sides.columns):
        yield (
            "time of the column-major layout over the row-major one",
            "almost identical (section 5; both curves are of one kernel)",
            ratio(sides["column"] / sides["row"]),
        )


def gollmann_vectors(view: View) -> Iterator[Finding]:
    rows = view.run.measured
    rows = rows[rows.operation.eq("dot") & rows.k.eq(1) & rows.contender.eq("raw-cuda")]
    if rows.empty:
        return
    sides = rows.groupby(["length", "kernel"]).seconds.min().unstack()
    yield (
        "dot product: time with shared memory over time with warp shuffles",
        "a little slower, but for the longest vector (section 3)",
        ratio(sides["shared-memory"] / sides["shuffle"]),
    )


SYSTEMS = {
    "balayre": balayre,
    "calzetta": calzetta,
    "fraga": fraga,
    "stec": stec,
    "gollmann": gollmann,
}


def asked(files: list[pathlib.Path]) -> View | None:
    """The view of a GPU where there is one, of a CPU else."""
    found = views([load(path) for path in files if path.is_file()])
    return max(found, key=lambda view: (view.platform == "gpu", len(view.runs)), default=None)


def main(report: pathlib.Path, target: pathlib.Path) -> int:
    lines, origin = [], None
    for system, ask in SYSTEMS.items():
        folder = report / system
        found = [(asked([folder / f"{system}.json"]), ask)]
        if system == "calzetta":
            found.append((asked(sorted((folder / "threads").glob("*.json"))), ask))
        if system == "gollmann":
            found.append((asked([folder / "vectors.json"]), gollmann_vectors))
        for view, question in found:
            if view is None or view.run.dry:  # whose times mean nothing
                continue
            origin = origin or view
            lines += [
                (system, *finding)
                for finding in question(view)
                if (system, *finding)[:2] not in [line[:2] for line in lines]
            ]
    if origin is None:
        print(f"findings: {report} has no measured results of scripts/reproduce", file=sys.stderr)
        return 2
    target.parent.mkdir(parents=True, exist_ok=True)
    with target.open("w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerows([("system", "finding", "published", "this_run"), *lines])
    context = origin.run.context
    threads = str(context.get("threads"))
    about = {
        "machine": f"{origin.device}, {threads} thread{'s' * (threads != '1')}",
        "date": str(context.get("date", ""))[:10],
        "commit": str(context.get("git_hash"))[:7],
        "compiler": str(context.get("compiler")),
        "run": "scripts/reproduce of each system, its results through findings.py",
    }
    target.with_suffix(".json").write_text(json.dumps(about, indent=2) + "\n")
    print(f"{target}: {len(lines)} findings")
    return 0


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    try:
        sys.exit(main(*map(pathlib.Path, sys.argv[1:])))
    except BadInput as error:
        print(f"findings: {error}", file=sys.stderr)
        sys.exit(2)
