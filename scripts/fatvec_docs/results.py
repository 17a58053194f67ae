# SPDX-License-Identifier: Apache-2.0
"""Tables and pictures of README.md and docs/ from the result files in the tree.

    scripts/report --prepare && .venv/bin/python scripts/fatvec_docs/results.py [--check]

A table stands between `<!-- table: NAME -->` and `<!-- end -->`. A picture holds the checksum of
the result file it shows, so that --check needs no comparison of pixels. --check writes nothing and
fails where a page or a picture is not what the files say. A result file FILE.csv, or FILE.csv.gz
beyond 200 KB, has FILE.json beside it: machine, date, commit, compiler, and which run it is of.
"""

import hashlib
import json
import pathlib
import re
import sys

import numpy as np
import pandas as pd
from PIL import Image  # of matplotlib

ROOT = pathlib.Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
FINDINGS = "lab/archive/0051-findings-of-five-systems.md"
PAGES = ["README.md", "docs/performance.md", f"docs/{FINDINGS}"]
H200 = "results/h200-2026-11-28.csv"
ROWS_H100 = "results/gpu-rows-2026-11-28.csv"
XEON = "results/floor-xeon-2026-11-28.csv"
H200_COLUMNS = "results/h200-2026-11-24.csv"  # of a picture of lab 0006
EPYC = "results/floor-epyc-2026-11-29.csv"
KINDS = {
    "portable": "fatvec, portable kernel",
    "specialised": "fatvec, specialised kernels",
    "hand_written": "best hand-written kernel",
    "library": "best library",
}
# Others are libraries.
CONTENDERS = {
    "fatvec": "specialised",
    "fatvec-portable": "portable",
    "raw-serial": "hand_written",
    "raw-openmp": "hand_written",
    "raw-cuda": "hand_written",
}


def load(path: str) -> pd.DataFrame:
    return pd.read_csv(DOCS / path)


def caption(path: str, holds: str = "all rows") -> str:
    about = json.loads((DOCS / f"{path.partition('.csv')[0]}.json").read_text())
    origin = f"{about['machine']}, {about['date']}, commit {about['commit']}"
    return f"({origin}: [{holds}]({{docs}}{path}))"


def geometric_mean(values: pd.Series) -> float:
    return float(np.exp(np.log(values).mean()))


def fastest(path: str) -> pd.DataFrame:
    """Microseconds of the fastest format of each kind of kernel, by matrix and k."""
    rows = load(path)
    cell = ["matrix", "k"]
    if "contender" in rows:  # a row for each contender
        rows["kind"] = rows.contender.map(CONTENDERS).fillna("library")
        return rows.pivot_table(index=cell, columns="kind", values="median_us", aggfunc="min")
    if "hand_written_us" in rows:  # a column for each kind: matrices on which all of them ran
        rows = rows.groupby("matrix").filter(lambda matrix: matrix.hand_written_us.notna().any())
    times = rows.groupby(cell).min(numeric_only=True).rename(columns={"fatvec_us": "specialised"})
    return times.rename(columns=lambda column: column.removesuffix("_us")).filter(KINDS)


def table(heading: str, columns: list, rows: list[tuple[str, list[str]]]) -> str:
    lines = [[heading, f"k = {columns[0]}", *map(str, columns[1:])]]
    lines += [[label, *cells] for label, cells in rows]
    lines = [f"| {' | '.join(line)} |" for line in lines]
    return "\n".join([lines[0], "|---" * (len(columns) + 1) + "|", *lines[1:]])


def ratio_cells(ratio: pd.Series, ks: list[int]) -> list[str]:
    """Of each k and of all the geometric mean over the matrices; the worst and the best cell."""
    means = [geometric_mean(ratio.xs(k, level="k")) for k in ks] + [geometric_mean(ratio)]
    return [f"{mean:.2f}" for mean in means] + [f"{ratio.min():.2f} … {ratio.max():.2f}"]


def speed_table(path: str, names: dict[str, str] | None = None) -> str:
    """Speed over that of the best library; kinds of kernels may have other names."""
    labels = {**KINDS, **(names or {})}
    times = fastest(path)
    ks = sorted(times.index.unique("k"))
    rows = []
    for kind in (kind for kind in KINDS if kind in times):
        cells = ratio_cells(times["library"] / times[kind], ks)
        rows.append((labels[kind], ["1"] * len(cells) if kind == "library" else cells))
    return f"{table('', [*ks, 'all', 'cells from … to'], rows)}\n\n{caption(path)}"


def rows_table(path: str) -> str:
    """Speed of each format over that of the hand-written kernel of the same format."""
    measured = load(path)
    ks = sorted(measured.k.unique())
    shown = []
    for name in ("csr", "sell"):
        of_format = measured[measured.format == name].set_index(["matrix", "k"])
        ratio = of_format.hand_written_us / of_format.after_us
        shown.append((name.upper(), ratio_cells(ratio, ks)))
    return f"{table('', [*ks, 'all', 'cells from … to'], shown)}\n\n{caption(path)}"


def findings_table() -> str:
    """Each system's findings as published, and a column for each run (findings.py)."""
    folder = (DOCS / FINDINGS).parent / "0051"
    files = sorted(path.relative_to(DOCS) for path in folder.glob("*.csv"))
    runs = {chr(ord("A") + n): load(str(path)) for n, path in enumerate(files)}
    key = ["system", "finding"]
    rows = pd.concat(runs.values()).drop_duplicates(key)[[*key, "published"]]
    for name, run in runs.items():
        rows = rows.merge(run[[*key, "this_run"]].rename(columns={"this_run": name}), how="left")
    rows["order"] = rows.system.map({name: n for n, name in enumerate(rows.system.unique())})
    rows = rows.sort_values("order", kind="stable").drop(columns="order").fillna("–")
    head = ["system", "finding", "published", *(f"run {name}" for name in runs)]
    lines = [head, ["---"] * len(head), *rows.to_numpy().tolist()]
    origins = [
        f"Run {name} {caption(str(path), 'summary; rows not kept')}".replace(
            "{docs}lab/archive/", ""
        )
        for name, path in zip(runs, files)
    ]
    return "\n".join([*(f"| {' | '.join(line)} |" for line in lines), "", *origins])


TABLES = {
    "findings": findings_table,
    "h200": lambda: speed_table(H200, {"specialised": "fatvec"}),
    "h100-rows": lambda: rows_table(ROWS_H100),
    "epyc": lambda: speed_table(EPYC),
    "xeon": lambda: speed_table(XEON),
}


def plot_speed(axes) -> None:
    times = fastest(H200)
    colours = {"specialised": "#d55e00", "hand_written": "#009e73"}
    for kind, colour in colours.items():
        by_k = (times["library"] / times[kind]).groupby("k")
        mean = by_k.apply(geometric_mean)
        label = "fatvec" if kind == "specialised" else KINDS[kind]
        axes.plot(mean.index, mean, "o-", color=colour, label=label)
        if kind == "specialised":
            axes.fill_between(mean.index, by_k.min(), by_k.max(), color=colour, alpha=0.12)
    axes.axhline(1, color="black", linewidth=1, label=KINDS["library"])
    axes.set_xscale("log", base=2)
    axes.set(xlabel="k, columns of X and Y", ylabel="speed over the best library's")
    axes.set_ylim(0, None)
    axes.set_xticks(mean.index, map(str, mean.index))
    axes.set_title("Sparse matrix times k vectors, H200: meshes and stencils", fontsize=11)
    axes.legend(frameon=False, loc="lower center", ncols=2, fontsize=9)


def plot_columns(axes) -> None:
    rows = load(H200_COLUMNS)
    rows = rows[(rows.contender == "fatvec") & (rows.run == "sweep")]
    names = {
        "gen:stencil27:100": "27-point",
        "gen:stencil7:128": "7-point",
        "gen:stencil27:55:dof=3": "27-point, three unknowns",
    }
    for matrix, label in names.items():
        best = rows[rows.matrix == matrix].groupby("k").gflops.max()
        axes.plot(best.index, best, "o-", markersize=3, label=label)
    axes.set(xlabel="k, columns of X and Y", ylabel="GFLOPS", xlim=(0, 100), ylim=(0, None))
    axes.set_title("The best format over k, H200", fontsize=11)
    axes.legend(frameon=False, fontsize=9)


PICTURES = {
    "images/h200-speed.png": (H200, plot_speed),
    "images/h200-columns.png": (H200_COLUMNS, plot_columns),
}


def checksum(path: str) -> str:
    return hashlib.sha256((DOCS / path).read_bytes()).hexdigest()


def draw(picture: str) -> None:
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    path, plot = PICTURES[picture]
    figure, axes = plt.subplots(figsize=(8, 4), layout="constrained")
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(alpha=0.3)
    plot(axes)
    figure.savefig(DOCS / picture, dpi=110, metadata={"Software": None, "Source": checksum(path)})
    plt.close(figure)


def is_drawn(picture: str) -> bool:
    file = DOCS / picture
    return file.exists() and Image.open(file).info.get("Source") == checksum(PICTURES[picture][0])


def renewed(page: str) -> str:
    """The page with its tables as the result files have them."""
    docs = "docs/" if page == "README.md" else ""

    def replace(match: re.Match) -> str:
        name = match[1]
        if name not in TABLES:
            raise SystemExit(f"{page}: no table '{name}'; there are {', '.join(TABLES)}")
        return f"<!-- table: {name} -->\n{TABLES[name]().replace('{docs}', docs)}\n<!-- end -->"

    marked = re.compile(r"<!-- table: (\S+) -->\n.*?<!-- end -->", re.DOTALL)
    return marked.sub(replace, (ROOT / page).read_text())


def main() -> int:
    check = sys.argv[1:] == ["--check"]
    stale = []
    for page in PAGES:
        text = renewed(page)
        if text != (ROOT / page).read_text():
            stale.append(page)
            if not check:
                (ROOT / page).write_text(text)
    for picture in PICTURES:
        if not is_drawn(picture):
            stale.append(f"docs/{picture}")
            if not check:
                draw(picture)
    if check and stale:
        print(f"not what the result files say: {', '.join(stale)}")
        print("this renews them: .venv/bin/python scripts/fatvec_docs/results.py")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
