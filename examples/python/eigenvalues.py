# SPDX-License-Identifier: Apache-2.0
"""The smallest eigenvalues of a 3-D Laplacian by SciPy's LOBPCG, whose products with a block of
vectors are fatvec's; and the largest singular values of a matrix, with its transpose.

eigenvalues.py [POINTS [PAIRS]]      POINTS of an edge of the grid, PAIRS of eigenvalues
"""

import sys

import fatvec
import numpy as np
import scipy.sparse
import scipy.sparse.linalg


def laplacian(n: int) -> scipy.sparse.csr_array:
    """The 7-point Laplacian on n x n x n points."""
    line = scipy.sparse.diags_array([-1.0, 2.0, -1.0], offsets=[-1, 0, 1], shape=(n, n))
    eye = scipy.sparse.eye_array(n)
    planes = [(line, eye, eye), (eye, line, eye), (eye, eye, line)]
    return sum(scipy.sparse.kron(scipy.sparse.kron(a, b), c) for a, b, c in planes).tocsr()


def main(points: int = 12, pairs: int = 4) -> None:
    S = laplacian(points)
    A = fatvec.csr(S)  # shares the arrays of S
    plan = fatvec.plan(A, pairs)
    print(plan.reason)

    X = np.random.default_rng(0).standard_normal((S.shape[0], pairs))
    values, vectors = scipy.sparse.linalg.lobpcg(
        fatvec.linear_operator(plan), X, largest=False, tol=1e-6, maxiter=500
    )
    # lobpcg gives back vectors of its own layout; the residual is one pass over A.
    _, squares = fatvec.residual(vectors * values, A, vectors, norms=True)
    exact = 4 * np.sin(np.pi * np.arange(1, points + 1) / (2 * points + 2)) ** 2
    exact = np.sort(np.add.outer(np.add.outer(exact, exact), exact).ravel())[:pairs]
    for value, square, right in zip(np.sort(values), squares, exact):
        print(f"eigenvalue {value:.8f}, exact {right:.8f}, residual {np.sqrt(square):.1e}")
    if not np.allclose(np.sort(values), exact, rtol=1e-6):
        sys.exit("the eigenvalues are not those of the Laplacian")

    B = fatvec.csr(S[: S.shape[0] // 2])
    singular = scipy.sparse.linalg.svds(fatvec.linear_operator(B), 2, return_singular_vectors=False)
    print("largest singular values of half of its rows:", np.sort(singular))


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
