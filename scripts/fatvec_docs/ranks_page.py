# SPDX-License-Identifier: Apache-2.0
"""Tables and picture of docs/lab/0049 and 0050, for results.py; the model is in ranks_model.py."""

from __future__ import annotations

import csv
import pathlib

import ranks_model as model

LAB = pathlib.Path(__file__).resolve().parents[2] / "docs" / "lab"
H100 = "lab/0046/h100x2-2026-11-27-puts.csv"
BESIDE_PEERS = "archive/0050/epyc-2026-11-27.csv"
EXCHANGES = {  # what a page calls it: file below docs/lab, exchange there
    "2 H100, NCCL puts": ("0046/h100x2-2026-11-27-puts.csv", "nccl puts"),
    "2 H100, pinned host memory": ("0046/h100x2-2026-11-26.csv", "mpi through pinned host memory"),
    "2 CPU ranks, shared memory": (BESIDE_PEERS, None),
}
GRIDS = {"weak": (115, 115, 114), "strong": (160, 160, 160)}  # those that were measured
CUTS = {"blocks": model.blocks, "ranges": model.ranges}
RANKS = [2, 8, 64, 512, 4096]
K = 8


def fitted(name: str, k: int = K) -> model.Fit:
    file, exchange = EXCHANGES[name]
    return model.fit(model.read(LAB / file, exchange), k)


def table(lines: list[list[str]]) -> str:
    rows = [f"| {' | '.join(line)} |" for line in lines]
    return "\n".join([rows[0], "|---" * len(lines[0]) + "|", *rows[1:]])


def fit_table() -> str:
    lines = [
        [
            "fitted to",
            "k",
            "launch, µs",
            "a million rows, µs",
            "exchange, µs",
            "GB/s",
            "worst error",
        ]
    ]
    for name, (file, exchange) in EXCHANGES.items():
        measured = model.read(LAB / file, exchange)
        for k in (1, 8, 32):
            if len({row.rows for row in measured if row.k == k}) < 2:
                continue  # of one size no line can be drawn
            fit = fitted(name, k)
            lines.append(
                [
                    name,
                    str(k),
                    f"{1e6 * fit.launch:.1f}",
                    f"{1e12 * fit.seconds_per_row:.0f}",
                    f"{1e6 * fit.overhead:.0f}",
                    f"{fit.bandwidth / 1e9:.3g}",
                    f"{fit.worst:.1%}",
                ]
            )
    return table(lines)


def efficiency_table() -> str:
    lines = [["suite, cut, exchange", *(f"{ranks} ranks" for ranks in RANKS)]]
    for suite, grid in GRIDS.items():
        for cut, surface in CUTS.items():
            for name in list(EXCHANGES)[:2]:
                fit = fitted(name)
                lines.append([f"{suite}, {cut}, {name.partition(', ')[2]}"])
                for ranks in RANKS:
                    ways = [
                        f"{model.efficiency(fit, suite, surface, grid, K, ranks, way):.2f}"
                        for way in (False, True)
                    ]
                    lines[-1].append(" … ".join(sorted(set(ways))))
    return table(lines)


def peers_table() -> str:
    """Milliseconds of each contender, and of the faster peer over fatvec's."""
    with (LAB / BESIDE_PEERS).open() as file:
        rows = list(csv.DictReader(file))
    names = ["fatvec", *sorted({row["version"] for row in rows} - {"fatvec"})]
    lines = [["ranks", "k", *names, "faster peer / fatvec"]]
    for cell in sorted({(int(row["ranks"]), int(row["k"])) for row in rows}):
        seconds = {
            row["version"]: float(row["seconds"])
            for row in rows
            if (int(row["ranks"]), int(row["k"])) == cell
        }
        ratio = min(seconds[name] for name in names[1:]) / seconds["fatvec"]
        times = [f"{1e3 * seconds[name]:.3g}" for name in names]
        lines.append([*map(str, cell), *times, f"{ratio:.2f}"])
    return table(lines)


def plot(axes) -> None:
    name = next(iter(EXCHANGES))
    fit = fitted(name)
    ranks = [2**n for n in range(13)]
    for suite, colour in (("weak", "#0072b2"), ("strong", "#d55e00")):
        for cut, style in (("blocks", "-"), ("ranges", "--")):
            lines = [
                [model.efficiency(fit, suite, CUTS[cut], GRIDS[suite], K, n, way) for n in ranks]
                for way in (True, False)
            ]
            axes.plot(ranks, lines[0], style, color=colour, label=f"{suite}, {cut}: model")
            if cut == "blocks":
                axes.fill_between(
                    ranks,
                    *lines,
                    color=colour,
                    alpha=0.12,
                    label=f"{suite}, blocks: messages in turn … at once",
                )
        rows = model.read(LAB / EXCHANGES[name][0], EXCHANGES[name][1])
        seconds = {row.ranks: row.seconds for row in rows if (row.suite, row.k) == (suite, K)}
        share = 2 if suite == "strong" else 1
        measured = [1, seconds[1] / seconds[2] / share]
        axes.plot([1, 2], measured, "o", color=colour, label=f"{suite}: measured")
    axes.axvspan(2, ranks[-1], color="#888888", alpha=0.08)
    axes.text(90, 1.01, "beyond 2 ranks: model, not measured", ha="center", fontsize=9)
    axes.set_xscale("log", base=2)
    axes.set_xticks(ranks, map(str, ranks))
    axes.set(xlabel="ranks, one GPU each", ylabel="efficiency", ylim=(0, 1.08))
    axes.set_title("A model fitted to 1 and 2 H100s: 27-point stencil, k = 8, puts", fontsize=11)
    axes.legend(frameon=False, fontsize=9, loc="upper center", bbox_to_anchor=(0.5, -0.14), ncols=2)
