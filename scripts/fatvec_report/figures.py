# SPDX-License-Identifier: Apache-2.0
"""The pictures of a report. A new one is one function (Run, comparison) -> Figure, and one line in FIGURES."""
from __future__ import annotations

import math

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.lines import Line2D
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter, NullLocator

from . import analysis
from .load import Run
from .sections import subtables

# Okabe and Ito's palette; every line also has its own marker. fatvec's is broad and lies below, so that a line on top of it shows.
INK, MUTED, GRID = "#222222", "#5f6670", "#e3e6ea"
OURS = {"color": "#0072B2", "marker": "o", "linewidth": 4.0, "markersize": 8.0, "zorder": 3}
PEER = {"color": "#009E73", "marker": "D", "linewidth": 1.5, "markersize": 4.5, "zorder": 5}
RAW = [{"color": "#999999", "marker": "v"}, {"color": "#D55E00", "marker": "s"}, {"color": "#CC79A7", "marker": "^"},
       {"color": "#E69F00", "marker": "P"}]
RAW_COMMON = {"linewidth": 1.5, "markersize": 4.5, "zorder": 4}
BOUND = {"color": INK, "linestyle": (0, (5, 3)), "linewidth": 1.2, "zorder": 2}

STYLE = {
    "font.family": "DejaVu Sans", "font.size": 10, "axes.edgecolor": "#b5bac1", "axes.labelcolor": MUTED, "axes.titlesize": 10.5,
    "axes.titleweight": "bold", "axes.titlecolor": INK, "axes.titlelocation": "left", "axes.spines.top": False,
    "axes.spines.right": False, "axes.grid": True, "grid.color": GRID, "grid.linewidth": 0.8, "axes.axisbelow": True,
    "xtick.color": MUTED, "ytick.color": MUTED, "xtick.labelcolor": INK, "ytick.labelcolor": INK, "svg.hashsalt": "fatvec",
}


def overview(run: Run, table: pd.DataFrame) -> plt.Figure:
    """GFLOPS over k: one panel per matrix (and layout), one line per contender, the bound above them."""
    panels = [(matrix, title, part) for title, group in subtables(run, table) for matrix, part in group.groupby("matrix", sort=False)]
    titles = {title for _, title, _ in panels}
    columns = min(len(panels), _columns(len(panels), len({matrix for matrix, _, _ in panels})))
    rows = math.ceil(len(panels) / columns)
    width, height = max(3.5 * columns, 7.0), 2.75 * rows + 1.5
    # A column that holds one matrix in several layouts has one scale.
    same = all(panels[position][0] == panels[position - columns][0] for position in range(columns, len(panels)))
    figure, axes = plt.subplots(rows, columns, figsize=(width, height), squeeze=False, sharey="col" if same else False)
    series = _series(run, table)
    for axis, (matrix, title, part) in zip(axes.flat, panels):
        _panel(axis, part, series)
        axis.set_title(matrix, pad=18 if len(titles) > 1 else 8)
        if len(titles) > 1:
            axis.text(0, 1.025, title, transform=axis.transAxes, color=MUTED, fontsize=9, va="bottom")
    for axis in axes.flat[: columns if same else len(panels)]:
        axis.set_ylim(top=axis.get_ylim()[1] * 1.4)  # room for a line of text; shared scales follow
    for axis, (_, _, part) in zip(axes.flat, panels):
        _finish(axis, part)
    for axis in axes.flat[len(panels):]:
        axis.set_visible(False)
    for position in range(len(panels)):
        if position % columns == 0:
            axes.flat[position].set_ylabel("GFLOPS")
        if position + columns >= len(panels):
            axes.flat[position].set_xlabel("k, columns of the fat vector")
    _head(figure, run, series, width, height)
    return figure


def _columns(panels: int, matrices: int) -> int:
    """One row per layout where that fits the page, else as square as can be."""
    return matrices if matrices <= 4 else min(4, math.ceil(math.sqrt(panels)))


def _series(run: Run, table: pd.DataFrame) -> list[tuple[str, str, dict]]:
    """(column of the comparison, label, style) of every line that has a point."""
    raw = [(name, f"{name} (hand-written)", {**style, **RAW_COMMON})
           for name, style in zip(analysis.contenders(run, analysis.RAW), RAW * 4)]
    peers = dict.fromkeys(what.split()[0] for what in table.peer_what.dropna())
    peer = "best peer" + (f" ({', '.join(peers)})" if len(peers) else "")
    lines = [("fatvec", "fatvec", OURS), *raw, ("peer", peer, PEER), ("bound", "bandwidth bound", BOUND)]
    return [line for line in lines if table[line[0]].notna().any()]


def _panel(axis: plt.Axes, part: pd.DataFrame, series: list[tuple[str, str, dict]]) -> None:
    part = part.sort_values("k")
    for column, _, style in series:
        points = part[["k", column]].dropna()
        axis.plot(points.k, points[column], markeredgecolor="white", markeredgewidth=0.8, **style)
    axis.set_xscale("log", base=2)
    axis.set_yscale("log")
    axis.set_xticks(sorted(part.k.unique()))
    axis.xaxis.set_minor_locator(NullLocator())
    axis.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    axis.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
    axis.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    axis.yaxis.set_minor_formatter(NullFormatter())
    axis.yaxis.set_minor_locator(NullLocator())


def _finish(axis: plt.Axes, part: pd.DataFrame) -> None:
    """What needs the final limits: the shade above the bound, and in its corner the reading that matters."""
    limits = axis.get_ylim()
    points = part[["k", "bound"]].dropna()
    axis.fill_between(points.k, points.bound, [limits[1]] * len(points), color="#f1f2f4", zorder=0, linewidth=0)
    axis.set_ylim(limits)
    shares = part.dropna(subset=["fatvec", "bound_fraction"])
    if len(shares):
        last = shares.sort_values("k").iloc[-1]
        axis.text(0.04, 0.95, f"{last.bound_fraction:.0%} of the bound at k = {last.k}", transform=axis.transAxes, va="top",
                  color=OURS["color"], fontsize=8.5, zorder=6)


def _head(figure: plt.Figure, run: Run, series: list, width: float, height: float) -> None:
    """Title, provenance line and legend above the panels, in inches so that any number of rows looks the same."""
    figure.text(0.12 / width, 1 - 0.12 / height, "Sparse matrix × fat vector: speed over k", va="top", fontsize=14, fontweight="bold",
                color=INK)
    figure.text(0.12 / width, 1 - 0.44 / height, provenance_line(run), va="top", fontsize=9, color=MUTED)
    handles = [Line2D([], [], markeredgecolor="white", markeredgewidth=0.8, **style) for _, _, style in series]
    figure.legend(handles, [label for _, label, _ in series], loc="upper left", bbox_to_anchor=(0.03 / width, 1 - 0.62 / height), borderaxespad=0.2,
                  ncols=max(1, min(len(series), int(width // 2.1))), frameon=False, fontsize=9, handlelength=2.2, columnspacing=1.6)
    legend_rows = math.ceil(len(series) / max(1, min(len(series), int(width // 2.1))))
    figure.tight_layout(rect=(0, 0, 1, 1 - (0.7 + 0.22 * legend_rows) / height), h_pad=1.6, w_pad=1.4)


def provenance_line(run: Run) -> str:
    """The few facts without which a picture says nothing; whichever the run recorded."""
    context = run.context
    device = context.get("device") or context.get("cpu") or context.get("host_name", "")
    threads = context.get("threads")
    facts = [str(device), f"{threads} threads" if threads else "", str(context.get("compiler", "")), str(context.get("date", ""))[:10],
             f"fatvec {str(context['git_hash'])[:10]}" if context.get("git_hash") else ""]
    return "; ".join(filter(None, [", ".join(filter(None, facts)), "both axes logarithmic"]))


FIGURES = {"overview": overview}


def draw(run: Run, table: pd.DataFrame, folder, suffix: str = "") -> list[str]:
    """Writes every figure as NAME.png and NAME.svg; returns the names of the PNG files."""
    names = []
    with plt.rc_context(STYLE):
        for name, function in FIGURES.items():
            figure = function(run, table)
            figure.savefig(folder / f"{name}{suffix}.svg", metadata={"Date": None})
            figure.savefig(folder / f"{name}{suffix}.png", dpi=160)
            plt.close(figure)
            names.append(f"{name}{suffix}.png")
    return names
