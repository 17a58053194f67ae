# SPDX-License-Identifier: Apache-2.0
"""Results small enough to do their arithmetic by hand. Imported before fatvec_report, which it
finds; where its packages are missing the test is skipped."""

import json
import pathlib
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "scripts"), str(ROOT / "scripts" / "fatvec_docs")]
try:
    import matplotlib  # noqa: F401
    from fatvec_report.load import load
except ImportError as error:
    print(f"skipped: {error}; scripts/report --prepare installs what is missing")
    sys.exit(77)


def case(
    contender, seconds, matrix="m", k=1, layout="row", bound=0.5, setup=0.0, verified=1.0, reason=""
):
    """contender: 'fatvec/backend:openmp/format:csr/kernel:csr-row'. nnz is 1e9, so that GFLOPS = 2
    k / seconds."""
    name = f"matrix:{matrix}/contender:{contender}/layout:{layout}/k:{k}"
    common = {
        "name": name,
        "run_name": name,
        "run_type": "iteration",
        "repetitions": 1,
        "real_time": seconds,
        "time_unit": "s",
    }
    if reason:
        return {**common, "error_occurred": True, "error_message": reason}
    return {
        **common,
        "GFLOPS": 2 * k / seconds,
        "bytes": 12e9,
        "bound_fraction": bound,
        "verified": verified,
        "setup_seconds": setup,
        "spread": 0.01,
        "nnz": 1e9,
        "stored_entries": 1e9,
    }


def made(*files):
    """Runs of (context, cases) pairs."""
    with tempfile.TemporaryDirectory() as folder:
        runs = []
        for position, (context, cases) in enumerate(files):
            path = pathlib.Path(folder) / f"run-{position}.json"
            path.write_text(json.dumps({"context": context, "benchmarks": cases}))
            runs.append(load(path))
        return runs


FATVEC = "fatvec/backend:openmp/format:csr/kernel:csr-row"
PORTABLE = "fatvec-portable/backend:openmp/format:csr/kernel:csr-portable"
TEAM = "fatvec/backend:openmp/format:csr/kernel:csr-team"
HLL = "fatvec/backend:openmp/format:hll/kernel:hll-row"
PORTABLE_HLL = PORTABLE.replace("csr", "hll")
MKL = "mkl/backend:openmp/format:csr"
SERIAL = "raw-serial/backend:serial/format:csr"
OPENMP = "raw-openmp/backend:openmp/format:csr/schedule:dynamic/chunk:"


def on_gpu(contender):
    return contender.replace("openmp", "cuda")
