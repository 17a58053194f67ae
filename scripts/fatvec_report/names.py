# SPDX-License-Identifier: Apache-2.0
"""What the names in a result mean: case names, contenders, matrices."""

import functools
import pathlib
import re

# Google Benchmark's own additions to a case's name; they do not tell cases apart.
DECORATIONS = {"iterations", "repeats", "min_time", "min_warmup_time"}
MARKS = {"manual_time", "real_time", "process_time"}

# Keys that describe an implementation wherever they stand; those between contender: and layout: do,
# too.
IMPLEMENTATION = "contender backend format kernel schedule variant algorithm policy".split()
# Keys that describe the problem wherever they stand: they can only split a comparison, never mix
# two problems into one.
PROBLEM = (
    "matrix layout y_layout k scalar precision ordinal offset index alpha beta transpose cache"
).split()
# Parameters whose value says enough on its own: "dynamic", but "chunk 64".
SPEAKING = ("kernel", "schedule", "storage", "variant", "algorithm", "policy", "exchange")

SPECIALISED, PORTABLE, RAW, PEER = "fatvec", "portable", "raw", "peer"
# the roles side by side
ANSWERS = dict(
    zip((PORTABLE, SPECIALISED, RAW, PEER), "portable specialised hand-written library".split())
)
GPU_BACKENDS = {"cuda", "hip", "sycl", "openmptarget", "openacc"}
# of contenders that name none; raw-X runs on X
BACKENDS = {"mkl": "openmp", "eigen": "openmp", "cusparse": "cuda"}
TWIN = "gen:twin:"
ESTIMATED = ", spread estimated"


def parse_name(name: str) -> dict[str, str]:
    """'matrix:gen:stencil27:100/contender:fatvec/k:8/manual_time' to its keys and values (values
    may hold ':' and '/')."""
    fields: dict[str, str] = {}
    last = None
    for part in name.split("/"):
        key, colon, value = part.partition(":")
        if colon:
            fields[key] = value
            last = key
        elif part not in MARKS and last:
            fields[last] += "/" + part
    return {key: value for key, value in fields.items() if key not in DECORATIONS}


def implementation_keys(fields: dict[str, str]) -> list[str]:
    """The keys of one case that tell its implementation; `threads`, which is neither, is not among
    them."""
    inside, keys = False, []
    for key in fields:
        inside = (inside or key == "contender") and key not in ("layout", "k")
        if key in IMPLEMENTATION or (inside and key not in PROBLEM and key != "threads"):
            keys.append(key)
    return keys


def role(contender: str) -> str:
    """'fatvec' (the specialised kernels), 'portable' (one source for all backends), 'raw' (hand-
    written) or 'peer' (a library)."""
    name = contender.lower()
    if name in (SPECIALISED, f"{SPECIALISED}-{PORTABLE}"):
        return SPECIALISED if name == SPECIALISED else PORTABLE
    return RAW if name.startswith(RAW) or name in ("serial", "openmp", "cuda") else PEER


def backend_of(contender: str, default: str) -> str:
    """Where a contender runs whose rows do not say."""
    name = contender.lower()
    return name[len("raw-") :] if name.startswith("raw-") else BACKENDS.get(name, default)


@functools.cache
def estimated() -> set[str]:
    """The twins of which the spread of row lengths is not the matrix's but an estimate."""
    table = pathlib.Path(__file__).resolve().parents[2] / "src" / "generate" / "twin_table.cpp"
    lines = table.read_text().splitlines() if table.is_file() else []
    rows = [re.match(r'\s*\{"([^"]+)".*\bestimated\b', line) for line in lines]
    return {row[1] for row in rows if row}


def matrix_label(name: str) -> str:
    """A structural twin is called one wherever it appears, and what of it is estimated told."""
    if not name.startswith(TWIN):
        return name
    twin = name[len(TWIN) :]
    return f"{twin} (twin{ESTIMATED if twin.partition(':')[0] in estimated() else ''})"


def matrix_key(label: str) -> str:
    """A matrix, its file and its twin have the same key."""
    name = pathlib.PurePosixPath(label.partition(" (twin")[0]).name
    for ending in (".gz", ".mtx"):
        name = name.removesuffix(ending)
    return name.lower()
