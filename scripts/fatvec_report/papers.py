# SPDX-License-Identifier: Apache-2.0
"""The papers' own questions, asked of the kernels of a run: which block size is best, what threads
bring, what unequal rows cost, what a product of several columns saves."""

import pandas as pd
from matplotlib.ticker import FuncFormatter

from . import analysis
from .load import Run, union, unions
from .names import ANSWERS, RAW, SPECIALISED, matrix_key
from .page import Block, Picture, gflops, headed, marked, table
from .published import read
from .style import FORMATS, INK, Sheet, pick, plain, step, stroke

WAYS = {
    "together": ("-", "one product of k columns"),
    "apart": ("--", "k products of one column"),
    "copied": (":", "k products, each on copies"),
}
ONE_BY_ONE = "column-by-column"  # the kernel that makes k products of one column
MEANS = "GFLOPS mean_GFLOPS per_thread serial speedup efficiency".split()  # of averages()
# Hand-written kernels that are as plain as that one.
PLAIN = ("textbook", "columns-outside", "grid-stride")


def block_sizes(run: Run) -> pd.DataFrame:
    """Of every contender with BSR its best block size per matrix and k: matrix, k, contender,
    GFLOPS, block_size. Only rows that name a size count: the others' is not in the results."""
    rows = run.measured
    if "block_size" not in run.parameters:
        return rows.head(0)
    rows = rows[rows.format.eq("bsr") & rows.block_size.ne("")]
    best = analysis.fastest(rows, [*run.problem_keys, "contender", "backend"])
    return analysis.in_order(run, best)


def averages(runs: list[Run], threads: list[int]) -> pd.DataFrame:
    """The papers' own OpenMP kernels (kernel:textbook), each format, storage and schedule a line,
    of chunks the best, by number of threads: format, line, k, threads, matrices, and arithmetic
    means over the matrices, as Calzetta and Lori take them: GFLOPS, mean_GFLOPS (of mean times),
    per_thread (GFLOPS / threads), serial (GFLOPS of the serial kernel of that format and storage),
    speedup over the same kernel and schedule on one thread, and efficiency; mark. Only matrices
    that every number of threads has."""
    rows = analysis.together(runs, threads)
    named = ["kernel", "storage", "schedule"]
    rows = rows.reindex(columns=list(dict.fromkeys([*rows, *named])))
    rows[named] = rows[named].fillna("")
    rows = rows[rows.role.eq(RAW) & rows.kernel.eq("textbook")]
    same = ["format", "storage", "matrix", "k", *(["layout"] if "layout" in rows else [])]
    serial = analysis.fastest(rows[rows.backend.eq("serial")], same).set_index(same)
    serial = serial[["GFLOPS", "mark"]].add_prefix("serial_")
    keys = [*same, "schedule"]
    table = analysis.fastest(rows[rows.backend.eq("openmp")], [*keys, "threads"])
    table = table[table.groupby(keys).threads.transform("nunique").eq(len(threads))]
    if table.empty:
        return table
    table = table.join(serial, on=same)
    table = analysis.over_one_thread(table, keys)
    line = table.format + " " + table.storage + " " + table.schedule
    table = table.assign(
        line=line.str.split().str.join(" "),
        mark=unions(table.mark, table.serial_mark),
        serial=table.serial_GFLOPS,
        per_thread=table.GFLOPS / table.threads,
    )
    means = table.groupby(["k", "format", "line", "threads"]).agg(
        matrices=("matrix", "nunique"),
        mark=("mark", union),
        **{name: (name, "mean") for name in MEANS},
    )
    return means.reset_index()


def over_deviation(run: Run) -> pd.DataFrame:
    """Per matrix, its fewest columns, format and role (fatvec, raw) the fastest row: matrix,
    row_deviation (mean absolute deviation of the rows' lengths in percent of their mean), format,
    role, GFLOPS, what."""
    rows = run.measured
    rows = rows[rows.k.eq(rows.k.min()) & rows.row_deviation.notna() & rows.format.ne("")]
    rows = rows[rows.role.isin([SPECIALISED, RAW])]
    return analysis.fastest(rows, ["matrix", "format", "role"])


def one_against_many(run: Run) -> pd.DataFrame:
    """Per contender, layout, rows of the matrix and k: seconds of its best product of all columns
    by CSR, of hand-written ones the plain kernel where it was measured (together), and of its k
    products of one column in place (apart) and on copies (copied); mark."""
    rows = run.measured
    rows = rows[rows.format.eq("csr")]
    if "y_layout" in rows:
        rows = rows[rows.y_layout.ne("column")]
    keys = ["contender", "layout", "rows", "k"]
    if "kernel" not in rows or "layout" not in rows or not rows.kernel.eq(ONE_BY_ONE).any():
        return pd.DataFrame(columns=[*keys, *WAYS, "mark"])
    apart = rows.kernel.eq(ONE_BY_ONE)
    rows = rows.assign(way=apart.map({True: "apart", False: "together"}))
    if "copies" in rows:
        rows.loc[apart & rows.copies.eq("yes"), "way"] = "copied"
    rows = rows[rows.contender.isin(rows.contender[apart].unique())]
    plain = rows.kernel.isin(PLAIN)
    has_plain = rows.contender.isin(rows[plain].contender.unique())
    rows = rows[plain | ~has_plain | rows.way.ne("together")]
    best = analysis.fastest(rows, [*keys, "way"])
    table = analysis.wide(best, keys, "way", "seconds", list(WAYS))
    table = table.assign(mark=best.groupby(keys).mark.agg(union)).reset_index()
    return table.dropna(subset=["together"]).sort_values(keys, ignore_index=True)


def all_questions(view) -> list[Block]:
    """Those that the run can answer."""
    if view.run.dry:
        return []
    return [block for ask in (stec, calzetta, fraga, gollmann) for block in ask(view)]


def stec(view) -> list[Block]:
    """The best block size of every contender with blocks, as in his columns MKL and cuSPARSE."""
    rows = block_sizes(view.run)
    if rows.empty:
        return []
    cells = map(marked, rows.GFLOPS.map(gflops), rows.mark, rows.block_size)
    rows = rows.assign(cell=list(cells), mark="")
    best = analysis.fastest(rows, ["matrix", "k", "contender"])
    wide = analysis.wide(best, ["matrix", "k"], "contender", "cell").reset_index()
    columns = [(name, name, "") for name in ["matrix", "k", *rows.contender.unique()]]
    library = "mkl_bsr" if view.platform == "cpu" else "cusparse_bsr"
    printed = read("stec_gflops.csv")
    for title, name in (("BSR", f"openacc_{view.platform}_bsr"), ("library", library)):
        if name in printed:
            wide[name] = wide.matrix.map(matrix_key).map(printed[name])
            columns.append((f"published: {title}", name, "gflops"))
    return [*headed("Best block size (Stec and Stpiczyński, table II)"), table(wide, columns, 1)]


def calzetta(view) -> list[Block]:
    """Means over the suite for each number of threads."""
    rows = averages(view.runs, view.threads) if len(view.runs) > 1 else pd.DataFrame()
    if rows.empty or rows.matrices.max() < 2:
        return []
    columns = (
        "kernel <- line | k | threads | GFLOPS <- GFLOPS gflops | "
        "of mean times <- mean_GFLOPS gflops | "
        "GFLOPS per thread <- per_thread gflops | serial: GFLOPS <- serial gflops | "
        "speedup <- speedup times | efficiency <- efficiency share | matrices"
    )
    return [
        *headed("Means over the suite by number of threads (Calzetta and Lori)"),
        Picture(
            "averages",
            "Lines: mean GFLOPS per thread, speedup and efficiency over the threads.",
            lambda: _averages(view, rows),
        ),
        table(rows, columns, 1),
    ]


def _averages(view, rows: pd.DataFrame):
    """A row of panels per format, a line per storage and schedule; of the fewest columns."""
    rows = rows[rows.k.eq(rows.k.min())]
    kinds = {"per_thread": "GFLOPS per thread", "speedup": "speedup", "efficiency": "efficiency"}
    formats, threads = list(rows.groupby("format")), sorted(rows.threads.unique())
    sheet = Sheet(3 * len(formats), 3, 2.9)
    panels = [(group, kind) for _, group in formats for kind in kinds]
    for axis, (group, kind) in zip(sheet.axes, panels):
        for position, (name, line) in enumerate(group.groupby("line", sort=False)):
            sheet.line(axis, line.threads, line[kind], name, **step(position))
        sheet.over_counts(axis, threads, kind)
        axis.set(title=f"{group.format.iloc[0]}: {kinds[kind]}", xlabel="threads")
    facts = f"{view.device}; {rows.matrices.max()} matrices, k = {rows.k.min()}"
    return sheet.done("Means over the suite, the papers' OpenMP kernels", facts)


def fraga(view) -> list[Block]:
    """Speed over the deviation of row lengths."""
    rows = over_deviation(view.run)
    if rows.row_deviation.nunique() < 3:
        return []
    own = rows[rows.role.eq(RAW)]
    names, own = own.format.unique(), own.sort_values("row_deviation")
    wide = analysis.wide(own, ["matrix"], "format", "GFLOPS")
    wide["deviation"] = own.groupby("matrix").row_deviation.first()
    wide = wide.reset_index()
    printed = read("fraga_deviation.csv").get("percent_average_deviation", {})
    wide["published"] = wide.matrix.map(matrix_key).map(printed)
    columns = [
        "matrix | deviation (%) <- deviation .2f | published (%) <- published .2f",
        *((name, name, "gflops") for name in names),
    ]
    return [
        *headed("Speed over the deviation of row lengths (Fraga)"),
        Picture(
            "deviation",
            "Marks: GFLOPS over the deviation of row lengths, one per matrix and format.",
            lambda: _over_deviation(view, rows),
        ),
        table(wide, columns, 1),
    ]


def _over_deviation(view, rows: pd.DataFrame):
    """A mark per matrix and format; hand-written and fatvec side by side."""
    titles = {RAW: "hand-written", SPECIALISED: f"fatvec, {ANSWERS[SPECIALISED]}"}
    sides = [name for name in titles if rows.role.eq(name).any()]
    sheet = Sheet(len(sides), 2, 3.6, sharex=True, sharey=True)
    for axis, side in zip(sheet.axes, sides):
        for name in dict.fromkeys(rows.format):
            group = rows[rows.role.eq(side) & rows.format.eq(name)]
            looks = {**stroke(name, FORMATS), "linestyle": "none"}
            sheet.line(axis, group.row_deviation, group.GFLOPS, name, **looks)
        plain(axis, "y")
        axis.set_xscale("symlog", linthresh=1)
        axis.set_xlim(-0.12, rows.row_deviation.max() * 1.2)  # room for whole markers
        axis.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
        axis.set_title(titles[side])
        axis.set_xlabel("mean absolute deviation of row lengths (% of the mean)")
    sheet.axes[0].set_ylabel("GFLOPS")
    facts = f"{view.facts()}; k = {rows.k.min()}, fastest kernel of each format"
    return sheet.done("Speed over the deviation of row lengths", facts)


def gollmann(view) -> list[Block]:
    """One product of K columns against K products, over N and K."""
    rows = one_against_many(view.run)
    rows = rows[rows.k > 1]
    if rows.rows.nunique() < 2 or rows.k.nunique() < 2:
        return []
    for way in ("apart", "copied"):
        rows[f"{way}_ratio"] = rows[way] / rows.together
    ratios = rows.groupby(["contender", "layout", "k"], sort=False)[["apart_ratio", "copied_ratio"]]
    wide = ratios.agg(["min", "max"]).dropna(how="all")
    wide = wide.set_axis([" ".join(column) for column in wide], axis=1)
    wide = wide.join(rows.groupby(["contender", "layout", "k"]).mark.agg(union)).reset_index()
    columns = "contender | layout | K <- k" + "".join(
        f" | {words}: {bound} <- {way}_ratio {of} times"
        for of, bound in (("min", "least"), ("max", "greatest"))
        for way, words in (("apart", "in place"), ("copied", "copied"))
    )
    return [
        *headed("One product of K columns against K products (Gollmann, figure 5)"),
        Picture(
            "n-by-k",
            "Lines: seconds over the rows, a panel per contender and layout, K by colour.",
            lambda: _one_against_many(view, rows),
        ),
        table(wide, columns, 2),
    ]


def _one_against_many(view, rows: pd.DataFrame):
    """A panel per contender and layout, a colour per k, a dash per way."""
    groups, columns = list(rows.groupby(["contender", "layout"], sort=False)), pick(rows.k, 5)
    sheet = Sheet(len(groups), 2, 3.3, sharex=True)
    for axis, ((contender, layout), group) in zip(sheet.axes, groups):
        for position, k in enumerate(columns):
            part = group[group.k.eq(k)].sort_values("rows")
            sheet.key(f"K = {k}", **step(position))
            for way, (dash, _) in WAYS.items():
                sheet.line(axis, part.rows, part[way], **step(position), linestyle=dash)
        plain(axis, "xy")
        axis.set(title=f"{contender}, layout {layout}", xlabel="N, rows of the matrix")
        axis.set_ylabel("seconds")
    for way, (dash, words) in WAYS.items():
        if rows[way].notna().any():
            sheet.key(words, color=INK, linestyle=dash)
    return sheet.done("Runtime over N and K", f"{view.facts()}; both axes logarithmic")
