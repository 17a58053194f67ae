# SPDX-License-Identifier: Apache-2.0
"""Matrices and tolerances of the tests, which want NumPy and SciPy."""

import numpy as np
import pytest
import scipy.sparse

import fatvec

SCALARS = [scalar for scalar, device in fatvec._core.matrices if device == "cpu"]


def random_matrix(rows, cols, dtype="float64", density=0.1, seed=0):
    """CSR with empty rows, and with one full row where there are rows."""
    rng = np.random.default_rng(seed)
    S = scipy.sparse.random_array((rows, cols), density=density, rng=rng, dtype=dtype).tolil()
    if rows > 2:
        S[1, :] = 0
        S[2, :] = rng.standard_normal(cols)
    return S.tocsr().astype(dtype)


def random_columns(rows, k, dtype="float64", seed=1):
    return np.random.default_rng(seed).standard_normal((rows, k)).astype(dtype)


def assert_product(Y, S, X, alpha=1.0, beta=0.0, before=None):
    """Y is beta * before + alpha * S @ X, to within the library's bound (docs/limits.md)."""
    X64, S64 = np.asarray(X, np.float64), S.astype(np.float64)
    expected = alpha * (S64 @ X64)
    bound = abs(alpha) * (abs(S64) @ abs(X64))
    if beta != 0:
        expected = expected + beta * np.asarray(before, np.float64)
        bound = bound + abs(beta) * abs(np.asarray(before, np.float64))
    lengths = np.diff(S.indptr).reshape((-1,) + (1,) * (X64.ndim - 1))
    eps = np.finfo(Y.dtype).eps
    assert Y.shape == expected.shape
    assert np.all(np.abs(Y - expected) <= 8 * eps * (lengths + 4) * bound + 1e-300)


@pytest.fixture(params=SCALARS)
def dtype(request):
    return request.param
