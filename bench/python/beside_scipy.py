# SPDX-License-Identifier: Apache-2.0
"""Products of a 27-point stencil in Python: fatvec beside SciPy, in turns, and what a call costs.

beside_scipy.py [POINTS [K...]]     POINTS of an edge of the grid (64), columns of X (1 4 8 16 32)

Prints one CSV row for each way to multiply: the median and the least of the turns in seconds, the
median of the seconds of all processors together, GFLOPS of the median, and the median of SciPy's
over it. Results are compared with SciPy's. Beside other work set OMP_WAIT_POLICY=passive.
"""

import statistics
import sys
import time

import fatvec
import numpy as np
import scipy.sparse

TURNS = 21
HEAD = "what,k,median_seconds,least_seconds,processor_seconds,gflops,speed_over_scipy"


def stencil(n: int) -> scipy.sparse.csr_array:
    """The 27-point stencil on n x n x n points: 26 on the diagonal, -1 beside it."""
    line = scipy.sparse.diags_array([1.0, 1.0, 1.0], offsets=[-1, 0, 1], shape=(n, n))
    box = scipy.sparse.kron(scipy.sparse.kron(line, line), line)
    S = scipy.sparse.csr_array(27 * scipy.sparse.eye_array(n**3) - box)
    S.sort_indices()
    return S


def seconds_of(run) -> float:
    start = time.perf_counter()
    run()
    return time.perf_counter() - start


def compare(S: scipy.sparse.csr_array, k: int) -> None:
    """All ways to multiply S by one X of k columns."""
    A = fatvec.csr(S)
    X = np.random.default_rng(0).standard_normal((S.shape[1], k))
    Y = np.empty((S.shape[0], k))
    plan = fatvec.plan(A, k)
    ways = {
        "scipy S @ X": lambda: S @ X,
        "fatvec A @ X": lambda: A @ X,
        "fatvec spmm(A X out)": lambda: fatvec.spmm(A, X, Y),
        f"fatvec spmm(plan X out) {plan.kernel}": lambda: fatvec.spmm(plan, X, Y),
    }
    right = S @ X
    for name, run in ways.items():
        if not np.allclose(run(), right, rtol=1e-10, atol=1e-10):
            sys.exit(f"{name}: a wrong result")
    times: dict[str, list[float]] = {name: [] for name in ways}
    processor: dict[str, list[float]] = {name: [] for name in ways}
    for _ in range(TURNS):
        for name, run in ways.items():
            run()  # what the others left in the caches goes
            before = time.process_time()
            times[name].append(seconds_of(run))
            processor[name].append(time.process_time() - before)
    scipys = statistics.median(times["scipy S @ X"])
    for name, taken in times.items():
        median = statistics.median(taken)
        rate = 2e-9 * S.nnz * k / median
        busy = statistics.median(processor[name])
        print(
            f"{name},{k},{median:.4g},{min(taken):.4g},{busy:.4g},{rate:.3g},{scipys / median:.3g}"
        )


def overhead() -> None:
    """A matrix of one entry: the call is all there is."""
    S = scipy.sparse.csr_array(np.ones((1, 1)))
    A, X, Y, calls = fatvec.csr(S), np.ones((1, 8)), np.empty((1, 8)), 1000
    ways = {
        "scipy S @ X 1 x 1": lambda: S @ X,
        "fatvec A @ X 1 x 1": lambda: A @ X,
        "fatvec spmm(A X out) 1 x 1": lambda: fatvec.spmm(A, X, Y),
    }
    for name, run in ways.items():
        taken = [seconds_of(lambda run=run: [run() for _ in range(calls)]) for _ in range(TURNS)]
        taken = [seconds / calls for seconds in taken]
        print(f"{name},8,{statistics.median(taken):.3g},{min(taken):.3g},,,")


def main(points: int = 64, *columns: int) -> None:
    print(HEAD)
    S = stencil(points)
    for k in columns or (1, 4, 8, 16, 32):
        compare(S, k)
    overhead()


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
