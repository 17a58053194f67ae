# SPDX-License-Identifier: Apache-2.0
"""Made-up results in the shape of fatvec-bench's, for tests and for looking at the report's layout.
Nothing in them was measured.

python tests/report/synthetic.py DIR [--large]     writes cpu-1.json, cpu-2.json, ..., gpu.json,
vectors.json, weak.json, strong.json
"""

import json
import pathlib
import sys

from synthetic_rows import GB, document, join, noise, refused, row

NAMES = [
    "gen:twin:cage4",
    "gen:twin:dc1",
    "gen:twin:cant",
    "gen:stencil27:100",
    "gen:twin:webbase-1M",
    "gen:twin:thermal2",
]
MORE = [
    "PR02R",
    "nlpkkt80",
    "Cube_Coup_dt0",
    "roadNet-PA",
    "ML_Laplace",
    "bcsstk17",
    "mhda416",
    "af_1_k101",
    "thermal1",
    "thermomech_TK",
    "raefsky2",
    "rdist2",
    "mcfe",
    "olm1000",
    "lung2",
    "mhd4800a",
    "west2021",
    "adder_dcop_32",
    "mac_econ_fwd500",
    "FEM_3D_thermal1",
    "amazon0302",
    "cop20k_A",
    "olafu",
    "af23560",
]


def portable_variants(backend, share):
    for shape in ("csr", "ellpack", "hll"):
        for policy, part in (("team", 1.0), ("range", 0.8)):
            yield (
                "fatvec-portable",
                backend,
                shape,
                f"kernel:{shape}-portable/policy:{policy}",
                share * part,
            )


def cpu_variants(chunks):
    for kernel in ("csr-row", "csr-team", "ellpack-row", "hll-row"):
        yield "fatvec", "openmp", kernel.split("-")[0], f"kernel:{kernel}", noise(kernel, 0.6, 0.85)
    yield from portable_variants("openmp", 0.6)
    for shape in ("csr", "ellpack", "hll"):
        yield "raw-serial", "serial", shape, "", 0.8
        for schedule in ("static", "balanced"):
            yield "raw-openmp", "openmp", shape, f"schedule:{schedule}", 0.7
        for chunk in chunks:
            for schedule in ("dynamic", "guided"):
                yield (
                    "raw-openmp",
                    "openmp",
                    shape,
                    f"schedule:{schedule}/chunk:{chunk}",
                    0.75 - abs(chunk - 32) / 400,
                )
    for peer in ("kokkoskernels", "mkl", "eigen"):
        yield peer, "openmp", "csr", "", noise(peer, 0.5, 0.75)


def gpu_variants(blocks):
    for kernel in ("csr-row", "csr-team", "ellpack-row", "hll-row"):
        yield (
            "fatvec",
            "cuda",
            kernel.split("-")[0],
            f"kernel:{kernel}",
            noise(kernel + "gpu", 0.5, 0.8),
        )
    yield from portable_variants("cuda", 0.5)
    for block in blocks:
        yield "raw-cuda", "cuda", "csr", f"kernel:block2d/block:{block}", noise(block, 0.3, 0.7)
    for kernel in ("warp-shuffle", "warp-shared", "strip-mined", "tuned"):
        yield "raw-cuda", "cuda", "csr", f"kernel:{kernel}", noise(kernel, 0.4, 0.8)
    for kernel in ("thread-per-row", "warp-shuffle"):
        yield "raw-cuda", "cuda", "hll", f"kernel:{kernel}", noise(kernel + "hll", 0.4, 0.8)
    for algorithm in ("alg1", "alg2", "alg3"):
        yield "cusparse", "cuda", "csr", f"algorithm:{algorithm}", noise(algorithm, 0.5, 0.9)
    yield "kokkoskernels", "cuda", "csr", "", 0.45


def results(variants, matrices, columns, layouts, bandwidth, cache, threads=1):
    for matrix in matrices:
        rows = int(10000 * 10 ** (2.5 * noise(matrix, 0, 1)))
        nnz = int(rows * (3 + 60 * noise(matrix + "row", 0, 1)))
        for layout in layouts:
            for k in columns:
                for contender, backend, shape, setting, share in variants:
                    name = join(
                        f"matrix:{matrix}",
                        f"contender:{contender}",
                        f"backend:{backend}",
                        f"format:{shape}",
                        setting,
                        f"layout:{layout}",
                        f"k:{k}",
                    )
                    if shape == "ellpack" and matrix.endswith(("dc1", "webbase-1M")):
                        yield refused(
                            name,
                            "skipped: ELLPACK needs 160 GB (116835 rows of 114190 entries); "
                            "nothing was allocated.",
                        )
                    elif contender == "eigen" and matrix.endswith("cant") and k == columns[-1]:
                        yield refused(
                            name,
                            "wrong result: row 17, column 0 is 1.0, expected 2.0 (accepted error "
                            "1e-15)",
                        )
                    else:
                        share *= noise(f"{matrix}{shape}", 0.6, 1.2) * noise(name, 0.85, 1.1)
                        portion = {
                            "openmp": 0.55 * (threads / 4) ** 0.85,
                            "serial": 0.14,
                            "cuda": 1,
                        }[backend]
                        speed = bandwidth * share * portion
                        traffic = 12.0 * nnz + 4.0 * rows + 16.0 * rows * k
                        extra = 0.0 if shape == "csr" else 20 * traffic / bandwidth
                        yield row(
                            name,
                            traffic / speed,
                            nnz,
                            rows,
                            k,
                            bandwidth,
                            cache,
                            extra,
                            1.0 if shape == "csr" else noise(matrix, 1.05, 2.5),
                        )


def cpu(matrices, columns, layouts=("row",), threads=4, chunks=(2, 8, 32, 128)):
    return document(
        {
            "device": "Made-up CPU",
            "cpu": "Made-up CPU",
            "threads": str(threads),
            "bandwidth_host_copy_GBs": "40",
        },
        results(list(cpu_variants(chunks)), matrices, columns, layouts, 40 * GB, 32e6, threads),
    )


def gpu(
    matrices, columns, layouts=("row",), blocks=("8x1", "8x4", "16x4", "32x1", "32x4", "64x16")
):
    return document(
        {
            "device": "Made-up GPU",
            "gpu": "Made-up GPU",
            "cpu": "Made-up CPU",
            "threads": "4",
            "bandwidth_cuda_copy_GBs": "4000",
        },
        results(list(gpu_variants(blocks)), matrices, columns, layouts, 4000 * GB, 50e6),
    )


def vectors(lengths=(1000, 100000, 10000000), bandwidth=4000 * GB):
    """The suite of vectors on a GPU."""

    def entries():
        for k, layouts in ((1, ("column",)), (8, ("row", "column"))):
            for layout in layouts:
                for length in lengths if k == 1 else lengths[-1:]:
                    for operation, contender, setting in (
                        ("statistics", "fatvec", ""),
                        ("statistics", "raw-cuda", "kernel:shuffle"),
                        ("statistics", "raw-cuda", "kernel:shared-memory"),
                        ("dot", "fatvec", ""),
                        ("dot", "raw-cuda", "kernel:shuffle"),
                        ("dot", "cublas", ""),
                    ):
                        name = join(
                            f"vector:{length}",
                            f"operation:{operation}",
                            f"contender:{contender}",
                            "backend:cuda",
                            setting,
                            f"layout:{layout}",
                            f"k:{k}",
                        )
                        work = 8.0 * length * k * (2 if operation == "dot" else 1)
                        seconds = 4e-6 + work / bandwidth / noise(name, 0.8, 1.0)
                        entry = row(name, seconds, 0, length, k, bandwidth, 50e6)
                        entry.update(
                            GFLOPS=work / 8 / seconds / 1e9,
                            bytes=work,
                            GBs=work / seconds / GB,
                            bound_fraction=work / bandwidth / seconds,
                        )
                        yield entry

    return document(
        {
            "device": "Made-up GPU",
            "gpu": "Made-up GPU",
            "cpu": "Made-up CPU",
            "threads": "4",
            "suite": "vectors",
        },
        entries(),
    )


def ranks(suite, counts=(1, 2, 4), columns=(1, 8, 32), bandwidth=3000 * GB):
    """The suite weak or strong on GPUs: a fifth of the exchange shows."""

    def entries():
        for k in columns:
            alone = (12.0 * 27 + 16 * k) * 1.5e6 / bandwidth
            for count in counts:
                share = 1.5e6 if suite == "weak" else 1.5e6 / count
                name = (
                    f"matrix:gen:stencil27:115x115x115/ranks:{count}/contender:fatvec/format:csr"
                    f"/exchange:nccl/partition:even/layout:row/k:{k}"
                )
                local, halo = (
                    alone * share / 1.5e6,
                    0 if count == 1 else 1e-5 + 13225 * 8.0 * k / 100e9,
                )
                seconds = local + 0.2 * halo
                entry = row(name, seconds, 27 * share * count, share * count, k, bandwidth, 50e6)
                for member in "bytes", "GBs", "bound_fraction", "bytes_per_cache", "stored_entries":
                    del entry[member]
                entry.update(
                    efficiency=alone / seconds / (1 if suite == "weak" else count),
                    exchanged_bytes=2 * (count - 1) * 13225 * 8.0 * k,
                    most_received_rows=13225.0 * min(count - 1, 2),
                    most_neighbours=min(count - 1, 2),
                    least_rank_nnz=27 * share,
                    most_rank_nnz=27 * share,
                    rank_memory_bytes=(12 * 27 + 16 * k) * share,
                    slowest_rank=count - 1,
                    waited_seconds=seconds + 1e-5,
                )
                if count > 1:
                    entry.update(local_seconds=local, halo_seconds=halo, overlap=0.8)
                yield entry

    return document(
        {
            "device": "Made-up GPU",
            "gpu": "Made-up GPU",
            "cpu": "Made-up CPU",
            "threads": "4",
            "suite": suite,
            "ranks": str(counts[-1]),
            "kokkos_configuration": "Default Device: Cuda",
        },
        entries(),
    )


if __name__ == "__main__":
    folder, large = pathlib.Path(sys.argv[1]), "--large" in sys.argv
    folder.mkdir(parents=True, exist_ok=True)
    matrices = NAMES + [f"gen:twin:{name}" for name in MORE] if large else NAMES
    columns = (1, 2, 3, 4, 6, 8, 16, 32, 64, 128) if large else (1, 4, 16)
    layouts = ("row", "column") if large else ("row",)
    for count in (1, 2, 4):
        (folder / f"cpu-{count}.json").write_text(
            json.dumps(cpu(matrices, columns, layouts, count))
        )
    (folder / "gpu.json").write_text(json.dumps(gpu(matrices, columns, layouts)))
    (folder / "vectors.json").write_text(json.dumps(vectors()))
    for suite in "weak", "strong":
        (folder / f"{suite}.json").write_text(json.dumps(ranks(suite)))
