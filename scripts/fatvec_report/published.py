# SPDX-License-Identifier: Apache-2.0
"""What others have published for the same matrices, from CSV files (bench/suites/published). Side
by side, never as a ratio: the hardware differs."""

from __future__ import annotations

import dataclasses
import pathlib

import pandas as pd

from .names import matrix_key

FOLDER = pathlib.Path(__file__).resolve().parents[2] / "bench" / "suites" / "published"
CRESCENT2 = "CRESCENT2 cluster (Cranfield), Intel Xeon E5-2620"
# Spellings in the published tables that are not the collection's.
SPELLINGS = {"cry10000": "cryg10000", "cfdl": "cfd1", "case14": "cage14", "case15": "cage15"}

SOURCES = [  # (work, hardware as it states it, what can be shown of it)
    (
        "Balayre 2024, sparse matrix × fat vector with OpenMP and CUDA",
        f"{CRESCENT2}; an NVIDIA GPU that it does not name",
        "tables below",
    ),
    (
        "Calzetta and Lori 2025, SpMV in CSR and HLL",
        "two sockets, Intel Xeon Silver 4210 at 2.20 GHz; NVIDIA RTX5000",
        "charts without numbers",
    ),
    (
        "Fraga 2018, SpMV in CSR and ELLPACK with OpenMP and CUDA",
        "two Intel E5-2698 v3 (Haswell), 32 cores; four Tesla K40",
        "charts without numbers",
    ),
    (
        "Stec and Stpiczyński, SpMV with OpenACC",
        "two Intel Xeon Gold 6342 at 2.80 GHz, 48 cores; NVIDIA A40",
        "tables below",
    ),
    ("Gollmann 2020, sparse × dense in CUDA", "not stated", "charts without numbers"),
]


@dataclasses.dataclass
class Published:
    """One table: which of its columns to show (title to the CSV's columns, of which the fastest
    counts), and what fatvec has beside it."""

    file: str
    title: str
    hardware: str
    remark: str
    columns: dict[str, list[str]]
    platform: str  # of the results beside it: "cpu" or "gpu"
    columns_k: tuple[int, ...]  # fatvec's is the best over these k
    formats: tuple[str, ...] = ("csr", "ellpack")  # of fatvec, each in a column of its own
    peer: tuple[str, str, str] | None = (
        None  # title, contender and format of a library that was published and that we run, too
    )
    serial: bool = False  # beside it our serial kernels

    def load(self, folder: pathlib.Path) -> pd.DataFrame:
        """matrix, key and one GFLOPS column per title; empty where the file is not there or is
        another."""
        try:
            raw = pd.read_csv(folder / self.file, comment="#")
        except (OSError, ValueError):
            return pd.DataFrame(columns=["matrix", "key", *self.columns])
        present = {
            title: [name for name in names if name in raw] for title, names in self.columns.items()
        }
        if "matrix" not in raw or not any(present.values()):
            return pd.DataFrame(columns=["matrix", "key", *self.columns])
        table = pd.DataFrame({"matrix": raw.matrix.astype(str).replace(SPELLINGS)})
        table["key"] = table.matrix.map(matrix_key)
        for title, names in present.items():
            table[title] = (
                raw[names].apply(pd.to_numeric, errors="coerce").max(axis=1)
                if names
                else float("nan")
            )
        return table


BLOCKS = "OpenACC, k = 1. In brackets the best block size, where the run searched it."
STEC = {"CSR": "csr", "ELL": "ell", "JAD": "jad", "pJAD": "pjad", "BSR": "bsr"}
TABLES = [
    Published(
        "balayre_serial_gflops.csv",
        "Balayre 2024, one thread",
        CRESCENT2,
        "Its ELLPACK keeps only as many entries of a row as the average row has: a smaller "
        "product.",
        {"CRS": ["crs"], "ELLPACK": ["ellpack"]},
        "cpu",
        (1, 2, 3, 6),
        serial=True,
    ),
    Published(
        "balayre_openmp_gflops.csv",
        "Balayre 2024, OpenMP",
        CRESCENT2,
        "Best over 1 to 16 threads, chunks of 2 to 256, and k = 1, 2, 3, 6; ELLPACK as above.",
        {"CRS": ["crs"], "ELLPACK": ["ellpack"]},
        "cpu",
        (1, 2, 3, 6),
    ),
    Published(
        "balayre_cuda_gflops.csv",
        "Balayre 2024, CUDA",
        f"{CRESCENT2}, an NVIDIA GPU that it does not name",
        "Best over blocks of 8 to 64 × 1 to 16 and k = 1, 2, 3, 6; its times include the copy of "
        "the result to the host.",
        {"CRS": ["crs"], "ELLPACK": ["ellpack"]},
        "gpu",
        (1, 2, 3, 6),
    ),
    Published(
        "stec_gflops.csv",
        "Stec and Stpiczyński, CPU",
        "two Intel Xeon Gold 6342 at 2.80 GHz (48 cores)",
        BLOCKS,
        {title: [f"openacc_cpu_{name}"] for title, name in STEC.items()} | {"MKL BSR": ["mkl_bsr"]},
        "cpu",
        (1,),
        ("csr", "ellpack", "jad", "pjad", "bsr"),
        ("MKL BSR", "mkl", "bsr"),
    ),
    Published(
        "stec_gflops.csv",
        "Stec and Stpiczyński, GPU",
        "NVIDIA A40",
        BLOCKS,
        {title: [f"openacc_gpu_{name}"] for title, name in STEC.items()}
        | {"cuSPARSE BSR": ["cusparse_bsr"]},
        "gpu",
        (1,),
        ("csr", "ellpack", "jad", "pjad", "bsr"),
        ("cuSPARSE BSR", "cusparse", "bsr"),
    ),
]


def measured(view, table: Published) -> pd.DataFrame:
    """What stands beside a published row: per matrix our best GFLOPS in each of its formats and in
    any format, with what that is, and the library's."""
    rows = pd.concat([run.measured for run in view.runs], ignore_index=True)
    rows = rows[rows.k.isin(table.columns_k)]
    fastest = rows[rows.contender.eq("raw-serial" if table.serial else "fatvec")]
    records = []
    for matrix, group in fastest.groupby("matrix", sort=False):
        best = group.loc[group.GFLOPS.idxmax()]
        record = {
            "matrix": matrix,
            "key": matrix_key(matrix),
            "best": best.GFLOPS,
            "what": f"{view.run.describe(best)}, k = {best.k}",
        }
        for name in table.formats:
            record[name], record[f"{name}_size"] = _best(group[group.format.eq(name)])
        if table.peer:
            _, contender, name = table.peer
            record["peer"], record["peer_size"] = _best(
                rows[rows.matrix.eq(matrix) & rows.contender.eq(contender) & rows.format.eq(name)]
            )
        records.append(record)
    numbers = [*table.formats, *(["peer"] if table.peer else [])]
    return pd.DataFrame(
        records,
        columns=["matrix", "key", *numbers, *(f"{name}_size" for name in numbers), "best", "what"],
    )


def _best(rows: pd.DataFrame) -> tuple[float, str]:
    """The best GFLOPS, and the block size where the rows name some: then only those count."""
    if "block_size" in rows and rows.block_size.ne("").any():
        rows = rows[rows.block_size.ne("")]
    if rows.empty:
        return float("nan"), ""
    best = rows.loc[rows.GFLOPS.idxmax()]
    return best.GFLOPS, best.get("block_size", "")
