# SPDX-License-Identifier: Apache-2.0
"""A model of the time of a distributed product over ranks, fitted to measured rows of 1 and 2 ranks
(docs/lab/0049). results.py writes its table and draws its picture.

A rank multiplies its rows in `launch + rows * seconds_per_row`. With other ranks beside it, what it
receives adds `overhead`, once or for each message, and `bytes / bandwidth`: as much of packing,
exchange and halo part as the local part did not hide where it was measured. The surface, in rows
and messages, comes from the way the grid is cut.
"""

from __future__ import annotations

import csv
import dataclasses
import math
import pathlib
import typing


@dataclasses.dataclass(frozen=True)
class Row:
    """One measured product. `rows` and `received`, bytes, are a rank's; `local` is the seconds of
    its local part alone."""

    suite: str
    ranks: int
    k: int
    rows: float
    received: float
    seconds: float
    local: float


@dataclasses.dataclass(frozen=True)
class Fit:
    """Seconds, and bytes per second; `worst` is the largest relative error of a time."""

    launch: float
    seconds_per_row: float
    overhead: float
    bandwidth: float
    worst: float


@dataclasses.dataclass(frozen=True)
class Surface:
    """Of the rank that has most: its rows, the rows of X it receives, and from how many ranks."""

    rows: int
    halo: int
    messages: int


def read(path: pathlib.Path, exchange: str | None = None) -> list[Row]:
    """fatvec's rows of a CSV file of fatvec-bench or scripts/compare-distributed."""
    with path.open() as file:
        lines = [
            line
            for line in csv.DictReader(file)
            if line.get("contender", "fatvec") == "fatvec"
            and exchange in (None, line.get("exchange"))
        ]
    rows = []
    for line in lines:
        ranks = int(line["ranks"])
        rows.append(
            Row(
                line["suite"],
                ranks,
                int(line["k"]),
                int(line["rows"]) / ranks,
                int(line["bytes"]) / ranks,
                float(line["seconds"]),
                float(line["seconds_of_local_part"]),
            )
        )
    return rows


def line_through(points: list[tuple[float, float]]) -> tuple[float, float]:
    """Intercept and slope, neither negative, with the least sum of squares of relative errors."""

    def mean(value: typing.Callable) -> float:
        return sum(value(x, y) / y**2 for x, y in points) / sum(1 / y**2 for _, y in points)

    middle_x, middle_y = mean(lambda x, y: x), mean(lambda x, y: y)
    spread = mean(lambda x, y: (x - middle_x) ** 2)
    slope = mean(lambda x, y: (x - middle_x) * (y - middle_y)) / spread if spread > 0 else 0.0
    if slope <= 0:
        return middle_y, 0.0
    if middle_y < slope * middle_x:
        return 0.0, mean(lambda x, y: x * y) / mean(lambda x, y: x * x)
    return middle_y - slope * middle_x, slope


def fit(rows: list[Row], k: int) -> Fit:
    """The model for k columns; what an exchange costs is fitted to all k together."""
    exchanged = [row for row in rows if row.received > 0]
    if not exchanged or not any(row.k == k for row in rows):
        raise ValueError(f"rows of several ranks and of k = {k} are wanted")
    launch, seconds_per_row = line_through([(row.rows, row.local) for row in rows if row.k == k])
    # A product that took no longer than its local part alone has hidden all of its exchange.
    visible = [
        (row.received, max(row.seconds - row.local, 0.001 * row.seconds)) for row in exchanged
    ]
    overhead, seconds_per_byte = line_through(visible)
    bandwidth = 1 / seconds_per_byte if seconds_per_byte > 0 else math.inf
    model = Fit(launch, seconds_per_row, overhead, bandwidth, 0)
    errors = [
        seconds(model, row.rows, row.received, 1 if row.received else 0) / row.seconds - 1
        for row in rows
        if row.k == k
    ]
    return dataclasses.replace(model, worst=max(map(abs, errors)))


def seconds(model: Fit, rows: float, received: float, messages: int, at_once: bool = True) -> float:
    """Of one product; messages travel at once, or one after another."""
    shown = 0.0
    if messages:
        shown = model.overhead * (1 if at_once else messages) + received / model.bandwidth
    return model.launch + rows * model.seconds_per_row + shown


def arrangements(ranks: int) -> typing.Iterator[tuple[int, int, int]]:
    for x in (n for n in range(1, ranks + 1) if ranks % n == 0):
        for y in (n for n in range(1, ranks // x + 1) if ranks // x % n == 0):
            yield x, y, ranks // x // y


def block(grid: tuple[int, int, int], cut: tuple[int, int, int]) -> Surface:
    """27-point stencil: a block in the middle of a grid that is cut along all axes."""
    sides = [math.ceil(extent / parts) for extent, parts in zip(grid, cut)]
    beside = [min(parts - 1, 2) for parts in cut]
    rows = math.prod(sides)
    with_halo = math.prod(side + more for side, more in zip(sides, beside))
    return Surface(rows, with_halo - rows, math.prod(1 + more for more in beside) - 1)


def blocks(grid: tuple[int, int, int], ranks: int) -> Surface:
    """The cut into blocks with the smallest surface; the last axis is cut first."""
    surfaces = (block(grid, cut) for cut in arrangements(ranks))
    return min(surfaces, key=lambda surface: (surface.rows, surface.halo))


def ranges(grid: tuple[int, int, int], ranks: int) -> Surface:
    """27-point stencil, rows numbered line after line and plane after plane, cut into ranges as
    Partition::even does: that in the middle. Ends of lines are not looked at: a few rows too many.
    """
    total, line, plane = math.prod(grid), grid[0], grid[0] * grid[1]
    rows = math.ceil(total / ranks)
    begin = ranks // 2 * rows
    shifts = sorted(z * plane + y * line for z in (-1, 0, 1) for y in (-1, 0, 1))
    halo, owners, done = 0, set(), 0
    for shift in shifts:  # of the rows and one more at either end
        first, last = max(begin - 1 + shift, done), min(begin + rows + 1 + shift, total)
        for start, end in ((first, min(last, begin)), (max(first, begin + rows), last)):
            if start < end:
                halo += end - start
                owners.update(range(start // rows, (end - 1) // rows + 1))
        done = max(done, last)
    return Surface(rows, halo, len(owners))


def grown(grid: tuple[int, int, int], ranks: int) -> tuple[int, int, int]:
    """The grid of a weak suite that grows along all axes: `ranks` of `grid`, nearly a cube."""
    cut = min(arrangements(ranks), key=lambda parts: (sum(parts), parts))
    return tuple(g * p for g, p in zip(grid, cut))


def efficiency(
    model: Fit,
    suite: str,
    cut: typing.Callable,
    grid: tuple[int, int, int],
    k: int,
    ranks: int,
    at_once: bool = True,
) -> float:
    """Over one rank: 1 where the time is a share of one rank's (strong), or the same (weak)."""
    surface = cut(grown(grid, ranks) if suite == "weak" else grid, ranks)
    spread = seconds(model, surface.rows, 8 * k * surface.halo, surface.messages, at_once)
    alone = seconds(model, math.prod(grid), 0, 0)
    return alone / spread / (ranks if suite == "strong" else 1)
