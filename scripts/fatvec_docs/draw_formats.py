# SPDX-License-Identifier: Apache-2.0
"""Draws how each format stores docs/images/example.mtx: one SVG per format, from what `fatvec
print` says the arrays are.

draw_formats.py FATVEC [--check]      --check: write nothing, fail where a committed picture differs
"""

from __future__ import annotations

import json
import pathlib
import subprocess
import sys
import tempfile

from svg import Drawing, OFFSET, PADDING, color_of_row

ROOT = pathlib.Path(__file__).resolve().parents[2]
IMAGES = ROOT / "docs" / "images"
EXAMPLE = IMAGES / "example.mtx"
STORED = (
    "permutation",
    "row_map",
    "hack_offsets",
    "slice_offsets",
    "diagonal_offsets",
    "slot_offsets",
    "rest_offsets",
    "first_columns",
    "masks",
    "row_lengths",
    "entries",
    "values",
)
OPTIONS = ["--hack-size", "2", "--slice-size", "2", "--sort-window", "4", "--block-size", "2"]
LAYOUTS = {
    "csr": ("CSR: row after row", []),
    "ellpack": ("ELLPACK, column-major: slot after slot of all rows", []),
    "ellpack-row-major": ("ELLPACK, row-major: row after row", ["--storage", "row-major"]),
    "hll": ("HLL, hacks of 2 rows: ELLPACK, hack after hack", []),
    "sell": ("SELL, C = 2, sigma = 4: rows sorted, slice after slice", []),
    "jad": ("JAD: rows sorted, diagonal after diagonal", []),
    "pjad": ("pJAD: JAD, blocks of 2 rows padded to their first", []),
    "sliced-dia": ("Sliced diagonals of 2 rows: diagonals, then what is left over", []),
    "bsr": ("BSR, blocks of 2 x 2, each column-major", []),
}


def printed(program: str, path: pathlib.Path, arguments: list[str]) -> dict:
    command = [program, "print", str(path), "--json", *OPTIONS, *arguments]
    return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def entries(program: str) -> dict[tuple[int, int], float]:
    """(row, column) -> value of the example, from its CSR arrays."""
    csr = printed(program, EXAMPLE, [])["arrays"]
    ends = csr["row_map"]
    return {
        (i, csr["entries"][n]): csr["values"][n]
        for i in range(len(ends) - 1)
        for n in range(ends[i], ends[i + 1])
    }


def row_of_slots(program: str, matrix: dict, arguments: list[str]) -> list[int | None]:
    """The row of each slot's entry, None for padding: what the format stores of a matrix whose
    values are its row numbers."""
    n = max(max(place) for place in matrix) + 1
    lines = ["%%MatrixMarket matrix coordinate integer general", f"{n} {n} {len(matrix)}"]
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "rows.mtx"
        path.write_text("\n".join(lines + [f"{i + 1} {j + 1} {i + 1}" for i, j in matrix]) + "\n")
        values = printed(program, path, arguments)["arrays"]["values"]
    return [int(value) - 1 if value else None for value in values]


def draw_matrix(drawing: Drawing, matrix: dict, n: int) -> None:
    for i in range(n):
        cells = [
            (f"{matrix[i, j]:g}", color_of_row(i)) if (i, j) in matrix else ("", None)
            for j in range(n)
        ]
        drawing.row(f"A, row {i}", cells)
    drawing.gap()


def bars(layout: str, arrays: dict, rows: int) -> list[int]:
    """Where a row, hack, slice, diagonal, column of slots or block of `values` begins."""
    slots = len(arrays["values"])
    for name in ("hack_offsets", "slice_offsets", "diagonal_offsets"):
        if name in arrays:
            return arrays[name][1:-1]
    if "slot_offsets" in arrays:  # slots have two rows
        return list(range(2, slots, 2))
    if layout.startswith("ellpack"):
        return list(range(0, slots, rows if layout == "ellpack" else slots // rows))[1:]
    return arrays["row_map"][1:-1] if layout == "csr" else list(range(4, slots, 4))


def of_rest(arrays: dict, slots: list) -> list:
    """Of sliced diagonals, what slots of two rows have behind the diagonals of each slice."""
    ends, rest = arrays["slot_offsets"], arrays["rest_offsets"]
    first = [ends[s + 1] - (rest[s + 1] - rest[s]) for s in range(len(ends) - 1)]
    return [slot for n, end in zip(first, ends[1:]) for slot in slots[2 * n : 2 * end]]


def draw(layout: str, program: str, matrix: dict) -> str:
    title, arguments = LAYOUTS[layout]
    arguments = ["--format", layout.removesuffix("-row-major"), *arguments]
    result = printed(program, EXAMPLE, arguments)
    arrays, rows = result["arrays"], result["rows"]
    slots = [
        PADDING if row is None else color_of_row(row)
        for row in row_of_slots(program, matrix, arguments)
    ]
    drawing = Drawing(title, cells=12)
    draw_matrix(drawing, matrix, rows)
    for name in (name for name in STORED if name in arrays):
        of_slots = len(arrays[name]) == len(slots) and name in ("entries", "values")
        colors = slots if of_slots else [OFFSET] * len(arrays[name])
        if name == "entries" and "slot_offsets" in arrays:
            colors = of_rest(arrays, slots)
        if name == "permutation":
            colors = [color_of_row(row) for row in arrays[name]]
        drawing.row(
            name,
            [(f"{value:g}", color) for value, color in zip(arrays[name], colors)],
            bars(layout, arrays, rows) if of_slots else [],
        )
    return drawing.svg()


def main() -> int:
    program, check = sys.argv[1], sys.argv[2:] == ["--check"]
    matrix = entries(program)
    differing = []
    for layout in LAYOUTS:
        path, text = IMAGES / f"format-{layout}.svg", draw(layout, program, matrix)
        if path.exists() and path.read_text() == text:
            continue
        differing.append(path.name)
        if not check:
            path.write_text(text)
    if check and differing:
        print(
            f"docs/images: not what the program stores: {' '.join(differing)}; cmake --build "
            "--preset openmp --target docs renews them"
        )
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
