# SPDX-License-Identifier: Apache-2.0
"""How every picture looks: one colour, marker and hatch per contender (Okabe and Ito's palette),
heads, scales, pages."""

from __future__ import annotations

import math
import textwrap

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
from matplotlib.layout_engine import TightLayoutEngine
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter, NullLocator

INK, MUTED, GRID = "#222222", "#5f6670", "#e3e6ea"
BLUE, GREEN, RED, ORANGE, SKY, PURPLE, GREY = (
    "#0072B2",
    "#009E73",
    "#D55E00",
    "#E69F00",
    "#56B4E9",
    "#CC79A7",
    "#8a8f96",
)

# colour, marker, hatch: what tells contenders apart does not rest on colour alone.
CONTENDERS = {
    "fatvec": (BLUE, "o", ""),
    "fatvec-portable": (INK, "p", "oooo"),
    "raw-serial": (GREY, "v", "...."),
    "raw-openmp": (RED, "s", "////"),
    "raw-cuda": (RED, "s", "////"),
    "kokkoskernels": (GREEN, "D", "\\\\\\\\"),
    "mkl": (PURPLE, "P", "||||"),
    "eigen": (ORANGE, "X", "----"),
    "cusparse": (SKY, "^", "xxxx"),
}
FORMATS = {
    "csr": (INK, "o", ""),
    "ellpack": (ORANGE, "s", "////"),
    "hll": (SKY, "^", "\\\\\\\\"),
    "sell": (GREEN, "D", "xxxx"),
    "jad": (PURPLE, "P", "...."),
    "pjad": (BLUE, "v", "oooo"),
    "bsr": (RED, "X", "----"),
    "bittcf": (GREY, "*", "++++"),
}
SPARE = [(INK, ">", "oooo"), (SKY, "<", "++++"), (PURPLE, "h", "**")]
STEPS = [
    BLUE,
    RED,
    GREEN,
    ORANGE,
    PURPLE,
    SKY,
    INK,
]  # for lines without a meaning of their own, with MARKERS beside them
MARKERS = ["o", "s", "D", "^", "P", "v", "X"]
BOUND = {"color": INK, "linestyle": (0, (5, 3)), "linewidth": 1.2, "zorder": 2}

RC = {
    "font.family": "DejaVu Sans",
    "font.size": 9.5,
    "axes.edgecolor": "#b5bac1",
    "axes.labelcolor": MUTED,
    "axes.titlesize": 10,
    "axes.titleweight": "bold",
    "axes.titlecolor": INK,
    "axes.titlelocation": "left",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.color": GRID,
    "grid.linewidth": 0.8,
    "axes.axisbelow": True,
    "xtick.color": MUTED,
    "ytick.color": MUTED,
    "xtick.labelcolor": INK,
    "ytick.labelcolor": INK,
    "svg.hashsalt": "fatvec",
    "hatch.linewidth": 0.5,
    "figure.dpi": 100,
    "axes.formatter.useoffset": False,
    "text.parse_math": False,  # a $ in a name is one
}


def look(name: str, known: dict = CONTENDERS) -> tuple[str, str, str]:
    """The same for a name wherever it appears, also for one that nobody has thought of."""
    return known.get(name.lower()) or SPARE[sum(map(ord, name)) % len(SPARE)]


def pick(values, most: int) -> list:
    """At most `most` of the values, spread evenly, the first and the last among them."""
    values = sorted(set(values))
    if len(values) <= most:
        return values
    return [values[round(position * (len(values) - 1) / (most - 1))] for position in range(most)]


def pages(items: list, most: int) -> list[list]:
    """Pages of equal length."""
    count = math.ceil(len(items) / most)
    size = math.ceil(len(items) / count) if count else 1
    return [items[start : start + size] for start in range(0, len(items), size)]


def short(name: str, most: int = 26) -> str:
    """A matrix's name where there is little room."""
    return name if len(name) <= most else f"{name[: most // 2 - 1]}…{name[-(most - most // 2) :]}"


def head(figure: plt.Figure, title: str, facts: str, handles: list = (), labels: list = ()) -> None:
    """Title, facts and legend above the panels, in inches. The figure grows by them, so that the
    panels keep their size."""
    width, below = figure.get_size_inches()
    facts = textwrap.wrap(facts, int(width * 14))
    columns, lines = 1, 0
    if handles:
        longest = max(map(len, labels))
        columns = max(1, min(len(handles), int(width / (0.6 + 0.08 * longest))))
        lines = math.ceil(len(handles) / columns)
    facts_end = 0.42 + 0.17 * len(facts)
    above = facts_end + 0.1 + 0.21 * lines
    height = below + above
    figure.set_size_inches(width, height)
    figure.text(
        0.12 / width, 1 - 0.12 / height, title, va="top", fontsize=13, fontweight="bold", color=INK
    )
    figure.text(
        0.12 / width, 1 - 0.42 / height, "\n".join(facts), va="top", fontsize=9, color=MUTED
    )
    if handles:
        figure.legend(
            handles,
            labels,
            loc="upper left",
            bbox_to_anchor=(0.03 / width, 1 - facts_end / height),
            borderaxespad=0.2,
            ncols=columns,
            frameon=False,
            fontsize=9,
            handlelength=2.0,
            columnspacing=1.6,
        )
    # figure.tight_layout() would leave an engine behind, for which savefig() draws everything once
    # more. Twice, for the ticks depend on the room that the first time leaves.
    for _ in range(2):
        TightLayoutEngine(rect=(0, 0, 1, below / height), h_pad=1.4, w_pad=1.2).execute(figure)


def plain(axis, log: str = "") -> None:
    """Numbers as people write them; `log`: which axes ("x", "y", "xy") are logarithmic, with as
    many ticks as fit."""
    for name, scale in (("x", axis.xaxis), ("y", axis.yaxis)):
        if name in log:
            (axis.set_xscale if name == "x" else axis.set_yscale)("log")
            low, high = sorted(axis.get_xlim() if name == "x" else axis.get_ylim())
            decades = math.log10(high / low) if low > 0 else 3
            some = decades < (1.8 if name == "x" else 3)
            scale.set_major_locator(
                LogLocator(
                    subs=(1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8)
                    if decades < 0.8
                    else (1, 2, 5)
                    if some
                    else (1,)
                )
            )
            scale.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
            scale.set_minor_formatter(NullFormatter())
            scale.set_minor_locator(NullLocator())


def over_values(axis, values) -> None:
    """A logarithmic x axis with a tick at each of few values: k, threads, chunk."""
    axis.set_xscale("log", base=2)
    axis.set_xticks(pick(values, 8))
    axis.xaxis.set_minor_locator(NullLocator())
    axis.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))


def panels(count: int, columns: int, width: float, height: float, **options):
    """A grid of `count` panels of that size in inches, labels included; returns the figure and the
    axes in use."""
    columns = max(1, min(count, columns))
    lines = math.ceil(count / columns)
    figure, axes = plt.subplots(
        lines,
        columns,
        figsize=(max(width * columns, 7.0), height * lines),
        squeeze=False,
        **options,
    )
    for axis in axes.flat[count:]:
        axis.set_visible(False)
    return figure, list(axes.flat[:count])


LABELS = 0.9  # inches: a panel's title, tick labels and axis label


def by_matrix(axis, matrices: list[str]) -> None:
    """One row per matrix from above, with a band behind every other one, so that a mark's row can
    be told."""
    for place in range(1, len(matrices), 2):
        axis.axhspan(place - 0.5, place + 0.5, color="#f4f6f8", zorder=0, linewidth=0)
    axis.set_yticks(range(len(matrices)), [short(name) for name in matrices])
    axis.set_ylim(len(matrices) - 0.5, -0.5)
    axis.grid(axis="y", visible=False)
    axis.tick_params(axis="y", length=0)
