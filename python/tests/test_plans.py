# SPDX-License-Identifier: Apache-2.0
"""Plans, tuning and solvers of SciPy that multiply by fatvec."""

import sys
import threading
import time

import fatvec
import numpy as np
import pytest
import scipy.sparse
import scipy.sparse.linalg
from conftest import assert_product, random_columns, random_matrix
from fatvec import _plan


def laplacian(n, dtype="float64"):
    """The 5-point Laplacian on n x n points."""
    line = scipy.sparse.diags_array([-1.0, 2.0, -1.0], offsets=[-1, 0, 1], shape=(n, n))
    eye = scipy.sparse.eye_array(n)
    return scipy.sparse.csr_array(
        scipy.sparse.kron(line, eye) + scipy.sparse.kron(eye, line), dtype=dtype
    )


@pytest.mark.parametrize("format", fatvec.formats())
@pytest.mark.parametrize("layout", ["row", "column"])
def test_every_format(dtype, format, layout):
    S = random_matrix(80, 90, dtype)
    P = fatvec.plan(fatvec.csr(S), 4, format, layout=layout)
    assert (P.format, P.shape, P.k, P.dtype) == (format, (80, 90), 4, dtype)
    for k in (4, 7):
        X = np.array(random_columns(90, k, dtype), order="C" if layout == "row" else "F")
        assert_product(P @ X, S, X)
        out = np.ones((80, k), dtype)
        assert_product(fatvec.spmm(P, X, out, 2, -1), S, X, 2, -1, np.ones((80, k)))


def test_fused_products_of_plans(dtype):
    S = random_matrix(70, 70, dtype)
    X, B = random_columns(70, 4, dtype), random_columns(70, 4, dtype, seed=2)
    for format in fatvec.formats():
        P = fatvec.plan(fatvec.csr(S), 2, format)
        R, squares = fatvec.residual(B, P, X, norms=True)
        assert_product(R, S, X, -1, 1, B)
        np.testing.assert_allclose(squares, (R.astype("float64") ** 2).sum(axis=0))
        Y, dots = fatvec.spmm_dot(P, X)
        np.testing.assert_allclose(dots, (X.astype("float64") * Y).sum(axis=0), rtol=1e-4)


def test_the_models_choice_has_a_reason_and_a_ranking(dtype):
    S = laplacian(40, dtype)
    P = fatvec.plan(fatvec.csr(S), 8)
    assert P.format in fatvec.formats() and P.reason.endswith(".")
    assert {p.format for p in P.ranking} <= set(fatvec.formats())
    assert all(isinstance(p.seconds, float) for p in P.ranking)
    assert repr(P).startswith("<fatvec.Plan 1600 x 1600, k = 8")
    assert_product(P @ np.ones((1600, 8), dtype), S, np.ones((1600, 8), dtype))


def test_plans_of_transposes(dtype):
    S = random_matrix(50, 30, dtype)
    X = random_columns(50, 2, dtype)
    for format in fatvec.formats():
        P = fatvec.plan(fatvec.csr(S), 2, format, op="T")
        assert P.shape == (30, 50)
        assert_product(P @ X, S.T.tocsr(), X)


@pytest.mark.parametrize("format", fatvec.formats())
@pytest.mark.parametrize("op", ["N", "T"])
def test_new_values(dtype, format, op):
    S = random_matrix(70, 90, dtype)
    P = fatvec.plan(fatvec.csr(S.copy()), 3, format, op=op, keep_value_map=True)
    S.data = np.random.default_rng(7).standard_normal(S.nnz).astype(dtype)
    P.update(S.data)
    opS = S if op == "N" else S.T.tocsr()
    X = random_columns(opS.shape[1], 3, dtype)
    assert_product(P @ X, opS, X)
    with pytest.raises(fatvec.ShapeError):
        P.update(S.data[1:])
    with pytest.raises(TypeError):
        P.update(S.data.astype("int32"))


def test_new_values_want_to_be_announced(dtype):
    S = random_matrix(20, 20, dtype)
    with pytest.raises(fatvec.UsageError, match="keep_value_map"):
        fatvec.plan(fatvec.csr(S), 3).update(S.data)


def test_new_values_live_as_long_as_the_plan_reads_them(dtype):
    """Of those that threads hand over at once, too."""
    n = 100_000
    A = fatvec.csr(scipy.sparse.csr_array(scipy.sparse.eye_array(n, dtype=dtype)))
    P = fatvec.plan(A, 1, "csr", keep_value_map=True)
    P.update(np.ones(n, dtype))
    end = time.monotonic() + 1

    def update(value):
        while time.monotonic() < end:
            P.update(np.full(n, value, dtype))

    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        threads = [threading.Thread(target=update, args=(value,)) for value in (1, 2, 3)]
        for thread in threads:
            thread.start()
        x = np.ones(n, dtype)
        while time.monotonic() < end:
            assert set(np.unique(P @ x)) <= {1, 2, 3}
    finally:
        sys.setswitchinterval(interval)
        for thread in threads:
            thread.join()


def test_unknown_names(dtype):
    A = fatvec.csr(random_matrix(5, 5, dtype))
    with pytest.raises(fatvec.UsageError, match="unknown format 'coo'; plans have: csr, hll"):
        fatvec.plan(A, 1, "coo")
    with pytest.raises(fatvec.UsageError, match="row, column"):
        fatvec.plan(A, 1, layout="left")
    with pytest.raises(fatvec.ShapeError):
        fatvec.plan(A, 0)
    with pytest.raises(fatvec.UsageError, match="products"):
        fatvec.plan(A, 1, products=-1)
    with pytest.raises(TypeError, match="fatvec.csr"):
        fatvec.plan(random_matrix(5, 5), 1)
    with pytest.raises(fatvec.UsageError, match="op="):
        fatvec.spmm(fatvec.plan(A, 1), np.ones((5, 1), dtype), op="T")


def test_tune_takes_the_fastest_that_it_measured(dtype):
    S = laplacian(20, dtype)
    P = fatvec.tune(fatvec.csr(S), 4, seconds=0.001)
    assert P.measured[0].kernel == P.kernel and P.measured[0].policy == P.policy
    assert [m.seconds for m in P.measured] == sorted(m.seconds for m in P.measured)
    X = random_columns(400, 4, dtype)
    assert_product(P @ X, S, X)


def test_tune_leaves_out_what_does_not_fit_beside_the_rest(dtype, monkeypatch):
    make, kernels = _plan._plan, fatvec._core.kernels

    def crowded(A, k, layout, op, products, kernel, *rest):
        if kernel == kernels["sell"]:
            raise fatvec.CapacityError("SELL needs more than is free")
        return make(A, k, layout, op, products, kernel, *rest)

    monkeypatch.setattr(_plan, "_plan", crowded)
    bench = _plan._Bench(fatvec.csr(laplacian(20, dtype)), 4, "row", "N", 0.01)
    bench.measure([(kernels["sell"], "", False)])
    assert bench.measured() == []
    bench.measure([(kernels[name], "", False) for name in ("csr", "sell", "bsr")])
    assert {m.format for m in bench.measured()} == {"csr", "bsr"}
    assert all(0 < m.seconds < 1 for m in bench.measured())


def test_solvers_of_scipy(dtype):
    S = laplacian(15, dtype)
    right = np.sort(scipy.sparse.linalg.eigsh(S.astype("float64"), 3)[0])
    A = fatvec.csr(S)
    for made in (A, fatvec.plan(A, 1, "sell")):
        L = fatvec.linear_operator(made)
        assert L.dtype == dtype and L.shape == S.shape
        np.testing.assert_allclose(np.sort(scipy.sparse.linalg.eigsh(L, 3)[0]), right, rtol=1e-4)
        b = np.ones(225, dtype)
        x, info = scipy.sparse.linalg.cg(L, b, rtol=1e-4)
        assert info == 0 and np.linalg.norm(S @ x - b) <= 2e-3 * np.linalg.norm(b)
    X = random_columns(225, 3, dtype)
    values, _ = scipy.sparse.linalg.lobpcg(L, X, tol=1e-3, maxiter=200)
    np.testing.assert_allclose(np.sort(values), right, rtol=1e-3)


def test_adjoints_of_operators(dtype):
    S = random_matrix(20, 30, dtype)
    A = fatvec.csr(S)
    L = fatvec.linear_operator(A)
    X = random_columns(20, 3, dtype)
    assert_product(L.rmatmat(X), S.T.tocsr(), X)
    assert_product(L.T @ X[:, 0], S.T.tocsr(), X[:, 0])
    z = random_columns(30, 1, dtype)[:, 0] * (1 + 2j)
    np.testing.assert_allclose(L @ z, S @ z, rtol=1e-4, atol=1e-5)
    with pytest.raises(fatvec.UsageError, match="transpose"):
        fatvec.linear_operator(fatvec.plan(A, 1)).rmatvec(X[:, 0])
