# SPDX-License-Identifier: Apache-2.0
"""How every picture looks: one colour and marker per contender (Okabe and Ito's palette), panels
with a head, scales, pages; as wide as a page's text, or as a phone."""

import math
import textwrap

import matplotlib
import numpy as np

matplotlib.use("Agg")
import matplotlib.pyplot as plt
from matplotlib.layout_engine import TightLayoutEngine
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter, NullLocator

from .names import ESTIMATED, RAW, SPECIALISED

INK, MUTED, GRID = "#222222", "#5f6670", "#e3e6ea"
BLUE, GREEN, RED, ORANGE = "#0072B2", "#009E73", "#D55E00", "#E69F00"
SKY, PURPLE, GREY = "#56B4E9", "#CC79A7", "#8a8f96"
# inches: the page's text, a phone's; a panel's title, tick labels and axis label
WIDTH, PHONE, LABELS = 11.9, 3.76, 0.9
SMALL = 9  # points, of the smallest type: 12 pixels where a picture has its own width

# Colour, marker: what tells contenders apart does not rest on colour alone.
CONTENDERS = {
    "fatvec": (BLUE, "o"),
    "fatvec-portable": (INK, "p"),
    "raw-serial": (GREY, "v"),
    "raw-openmp": (RED, "s"),
    "raw-cuda": (RED, "s"),
    "kokkoskernels": (GREEN, "D"),
    "mkl": (PURPLE, "P"),
    "eigen": (ORANGE, "X"),
    "cusparse": (SKY, "^"),
}
FORMATS = {
    "csr": (INK, "o"),
    "ellpack": (ORANGE, "s"),
    "hll": (SKY, "^"),
    "sell": (GREEN, "D"),
    "jad": (PURPLE, "P"),
    "pjad": (BLUE, "v"),
    "bsr": (RED, "X"),
    "bittcf": (GREY, "*"),
}
SPARE = [(INK, ">"), (SKY, "<"), (PURPLE, "h")]
# For lines without a meaning of their own, with MARKERS beside them.
STEPS = [BLUE, RED, GREEN, ORANGE, PURPLE, SKY, INK]
MARKERS = ["o", "s", "D", "^", "P", "v", "X"]
SIZES = ("linewidth", "markersize", "zorder")
EDGE = {"markeredgecolor": "white", "markeredgewidth": 0.5}
BOUND = {"color": INK, "linestyle": (0, (5, 3)), "linewidth": 1.2, "zorder": 2}

RC = {
    "figure.figsize": (WIDTH, 1),
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
NARROW = RC | {"figure.figsize": (PHONE, 1)}  # every panel below the one before it


def narrow() -> bool:
    return plt.rcParams["figure.figsize"][0] < WIDTH


def look(name: str, known: dict = CONTENDERS) -> tuple[str, str]:
    """The same for a name wherever it appears, also for one that nobody has thought of."""
    return known.get(name.lower()) or SPARE[sum(map(ord, name)) % len(SPARE)]


def hatches(names: list[str]) -> list[str]:
    """Of bars: none, but where an earlier name of the picture has the same colour."""
    colours = [look(name)[0] for name in names]
    return ["////" * colours[:at].count(colour) for at, colour in enumerate(colours)]


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
    """A matrix's name where there is little room; tables say which twins' spread is estimated."""
    name = name.replace(ESTIMATED, "")
    return name if len(name) <= most else f"{name[: most // 2 - 1]}…{name[-(most - most // 2) :]}"


def stroke(name: str, known: dict = CONTENDERS) -> dict:
    """How its line looks; fatvec's is broad and below, so that a line on top of it shows."""
    colour, marker = look(name, known)
    broad = name == SPECIALISED
    sizes = (3.2, 7.5, 3) if broad else (1.4, 9 if marker == "*" else 5.6, 4)
    return {"color": colour, "marker": marker, **dict(zip(SIZES, sizes)), **EDGE}


def step(position: int) -> dict:
    """How the line of a value without a colour of its own looks: of a k, of a way."""
    at = position % len(STEPS)
    return {"color": STEPS[at], "marker": MARKERS[at], **dict(zip(SIZES, (1.6, 5.5, 3))), **EDGE}


def titled(name: str) -> str:
    return f"{name} (hand-written)" if name.startswith(RAW) else name


class Sheet:
    """A picture: panels, in one column where it is narrow, and above them title, facts and a legend
    of what was drawn under a name. `height`: of a panel in inches, labels included."""

    def __init__(self, count: int, columns: int, height: float, **options) -> None:
        self.columns = 1 if narrow() else max(1, min(count, columns))
        lines = math.ceil(count / self.columns)
        options["figsize"] = (plt.rcParams["figure.figsize"][0], height * lines)
        self.figure, axes = plt.subplots(lines, self.columns, squeeze=False, **options)
        self.axes = list(axes.flat[:count])
        for axis in axes.flat[count:]:
            axis.set_visible(False)
        self.keys: dict[str, Line2D | Patch] = {}

    def line(self, axis, x, y, name: str = "", **look) -> None:
        """With its key, unless it has no name."""
        if len(x):
            axis.plot(x, y, **look)
        self.key(name, **look)

    def key(self, name: str, **look) -> None:
        if name:
            self.keys.setdefault(name, Line2D([], [], **look))

    def marks(self, axis, x, y, name: str, known: dict = CONTENDERS, hollow=False) -> None:
        """One mark per value; those where `hollow` is set are empty."""
        colour, marker = look(name, known)
        broad = name == SPECIALISED
        hollow = np.broadcast_to(hollow, np.shape(x))
        for empty in (False, True):
            kept = hollow == empty
            fill = {"facecolor": "white" if empty else colour, "edgecolor": colour}
            size = 44 if broad else 60 if marker == "*" else 26  # a star is thin
            axis.scatter(x[kept], y[kept], s=size, marker=marker, zorder=4 if broad else 3, **fill)
        self.key(titled(name), color=colour, marker=marker, linestyle="none")

    def over_counts(self, axis, counts: list[int], kind: str) -> None:
        """An x axis of numbers of threads or ranks, and what a speedup or an efficiency, where it
        is one, would ideally be."""
        ideal = {"speedup": counts, "speed-up": counts, "efficiency": [1] * len(counts)}
        if kind in ideal:
            self.line(axis, counts, ideal[kind], "ideal", **BOUND)
        over_values(axis, counts)
        axis.set_ylim(bottom=0)

    def outer(self, ylabel: str, xlabel: str) -> None:
        """Labels at the left of the first panel of each line, below every panel."""
        for at, axis in enumerate(self.axes):
            axis.set(xlabel=xlabel, ylabel=ylabel if at % self.columns == 0 else "")

    def done(self, title: str, facts: str):
        """The figure grows by its head, so that the panels keep their size."""
        figure, (width, below) = self.figure, self.figure.get_size_inches()
        title, facts = textwrap.wrap(title, int(width * 8)), textwrap.wrap(facts, int(width * 13))
        columns = lines = 0
        if self.keys:
            names = [textwrap.wrap(name, int(width * 11)) or [""] for name in self.keys]
            columns = int(width / (0.6 + 0.08 * max(len(line) for name in names for line in name)))
            columns = max(1, min(len(names), columns))
            lines = math.ceil(len(names) / columns) * max(map(len, names))
        for axis in self.axes if narrow() else []:  # matplotlib's own wrapping reads a $ as math
            axis.set_title(textwrap.fill(axis.get_title("left"), 24))
            axis.set_xlabel(textwrap.fill(axis.get_xlabel(), 28))
        title_end = 0.13 + 0.29 * len(title)
        facts_end = title_end + 0.17 * len(facts)
        height = below + facts_end + 0.1 + 0.21 * lines
        figure.set_size_inches(width, height)
        left, top = 0.12 / width, lambda inches: 1 - inches / height
        bold = {"fontsize": 13, "fontweight": "bold", "color": INK}
        figure.text(left, top(0.12), "\n".join(title), va="top", **bold)
        grey = {"fontsize": SMALL, "color": MUTED}
        figure.text(left, top(title_end), "\n".join(facts), va="top", **grey)
        if self.keys:
            place = {"loc": "upper left", "bbox_to_anchor": (0.03 / width, top(facts_end))}
            space = {"borderaxespad": 0.2, "handlelength": 2.0, "columnspacing": 1.6}
            looks = {"ncols": columns, "frameon": False, "fontsize": SMALL}
            figure.legend(self.keys.values(), map("\n".join, names), **place, **space, **looks)
        # figure.tight_layout() would leave an engine behind, for which savefig() draws everything
        # once more. Twice, for the ticks depend on the room that the first time leaves.
        for _ in range(2):
            TightLayoutEngine(rect=(0, 0, 1, below / height), h_pad=1.4, w_pad=1.2).execute(figure)
        return figure


def plain(axis, log: str) -> None:
    """Logarithmic axes ("x", "y", "xy") with numbers as people write them, as many as fit."""
    for name in log:
        axis.set(**{f"{name}scale": "log"})
        scale, limits = getattr(axis, f"{name}axis"), getattr(axis, f"get_{name}lim")()
        low, high = sorted(limits)
        decades = math.log10(high / low) if low > 0 else 3
        steps = (1, 2, 5) if decades < (1.8 if name == "x" else 3) else (1,)
        few = (1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8)
        scale.set_major_locator(LogLocator(subs=few if decades < 0.8 else steps))
        _numbers(scale)
        scale.set_minor_formatter(NullFormatter())


def _numbers(scale) -> None:
    scale.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    scale.set_minor_locator(NullLocator())


def over_values(axis, values) -> None:
    """A logarithmic x axis with a tick at each of few values: k, threads, chunk."""
    axis.set_xscale("log", base=2)
    axis.set_xticks(pick(values, 8))
    _numbers(axis.xaxis)


def ticks(axis, rows: list[str], most: int = 26, pitch: float = 1, first: float = 0) -> None:
    """One row per name, from above: `pitch` apart, after `first`."""
    most = most * 2 // 3 if narrow() else most
    places = first + np.arange(len(rows)) * pitch
    axis.set_yticks(places, [short(name, most) for name in rows])
    axis.set_ylim(len(rows) - 0.5, -0.5)
    axis.tick_params(axis="y", length=0)
    axis.grid(axis="y", visible=False)


def by_matrix(axis, matrices: list[str]) -> None:
    """One row per matrix, with a band behind every other one, so that a mark's row can be told."""
    for place in range(1, len(matrices), 2):
        axis.axhspan(place - 0.5, place + 0.5, color="#f4f6f8", zorder=0, linewidth=0)
    ticks(axis, matrices)


def even(axis, name: str = "x") -> None:
    """A logarithmic axis of ratios, never so narrow that noise looks like a result, with the line
    at which nobody is ahead."""
    (axis.axvline if name == "x" else axis.axhline)(1, color=INK, linewidth=1.1, zorder=2)
    axis.set(**{f"{name}scale": "log"})
    low, high = getattr(axis, f"get_{name}lim")()
    axis.set(**{f"{name}lim": (min(low, 0.6), max(high, 1.7))})
    plain(axis, name)


def around(place: float, count: int) -> np.ndarray:
    """Places of `count` marks beside one: golden steps are even, and the same each time."""
    return place + (np.arange(count) * 0.618 % 1 - 0.5) * 0.5


def strip(axis, values, place: float, name: str, mean: float) -> None:
    """A mark per value around a row, and a bar at their mean."""
    (colour, marker), places = look(name), around(place, len(values))
    looks = {"color": colour, "marker": marker, "linewidth": 0, "alpha": 0.5}
    axis.scatter(np.sort(values), places, s=13, **looks)
    axis.vlines(mean, place - 0.36, place + 0.36, color=INK, linewidth=2.2, zorder=5)
