# SPDX-License-Identifier: Apache-2.0
"""Products of matrices beside SciPy's."""

import gc
import threading
import time

import fatvec
import numpy as np
import pytest
import scipy.sparse
from conftest import assert_product, random_columns, random_matrix


def layouts(X):
    """The same X in every layout that a product takes."""
    padded = np.full((X.shape[0], 2 * X.shape[1] + 3), np.nan, X.dtype)
    padded[:, 1 : 2 * X.shape[1] : 2] = X
    fields = np.zeros(X.shape, [("byte", "u1"), ("x", X.dtype)])
    fields["x"] = X
    frozen = X.copy()
    frozen.flags.writeable = False
    return {
        "row-major": np.ascontiguousarray(X),
        "column-major": np.asfortranarray(X),
        "strided": padded[:, 1 : 2 * X.shape[1] : 2],
        "backwards": np.ascontiguousarray(X[::-1])[::-1],
        "fields of records": fields["x"],
        "read-only": frozen,
    }


@pytest.mark.parametrize("k", [1, 2, 3, 5, 8, 17])
def test_matmul_is_scipys_product_in_every_layout(dtype, k):
    S = random_matrix(83, 61, dtype)
    A = fatvec.csr(S)
    X = random_columns(61, k, dtype)
    for name, laid_out in layouts(X).items():
        Y = A @ laid_out
        assert Y.dtype == dtype, name
        assert_product(Y, S, X)
        for order in "CF":
            out = np.full((83, k), np.nan, dtype, order)
            assert_product(fatvec.spmm(A, laid_out, out), S, X)


def test_y_has_the_order_of_x(dtype):
    A = fatvec.csr(random_matrix(9, 9, dtype))
    assert (A @ np.ones((9, 4), dtype)).flags.c_contiguous
    assert (A @ np.ones((9, 4), dtype, "F")).flags.f_contiguous
    assert (A @ np.ones((12, 4), dtype, "F")[1:10]).flags.f_contiguous
    assert (A @ np.ones((9, 7), dtype)[:, 2:6]).flags.c_contiguous


def test_one_vector_gives_one_vector(dtype):
    S = random_matrix(40, 30, dtype)
    A = fatvec.csr(S)
    x = random_columns(30, 1, dtype)[:, 0]
    assert_product(A @ x, S, x)
    assert_product(A @ np.repeat(x, 3)[::3], S, x)
    out = np.empty(40, dtype)
    assert fatvec.spmm(A, x, out) is out
    assert_product(out, S, x)


def test_alpha_beta_and_out(dtype):
    S = random_matrix(50, 70, dtype)
    A = fatvec.csr(S)
    X = random_columns(70, 4, dtype)
    for order in "CF":
        before = random_columns(50, 4, dtype, seed=3)
        out = np.array(before, order=order)
        assert fatvec.spmm(A, X, out, alpha=-2, beta=0.5) is out
        assert_product(out, S, X, -2, 0.5, before)
        out[:] = np.nan
        assert_product(fatvec.spmm(A, X, out, alpha=3), S, X, 3)
    wide = np.full((50, 9), 7, dtype)
    fatvec.spmm(A, X, out=wide[:, 2:6])
    assert_product(wide[:, 2:6], S, X)
    assert np.all(np.delete(wide, range(2, 6), axis=1) == 7)


@pytest.mark.parametrize("op", ["T", "H"])
def test_transposes(dtype, op):
    S = random_matrix(50, 70, dtype)
    A = fatvec.csr(S)
    X = random_columns(50, 3, dtype)
    assert_product(fatvec.spmm(A, X, op=op), S.T.tocsr(), X)
    assert_product(A.T @ X, S.T.tocsr(), X)
    assert A.T.shape == (70, 50)
    assert_product(A.T.T @ X[:70].repeat(2, axis=0)[:70], S, X[:70].repeat(2, axis=0)[:70])


def test_arrays_are_shared_and_kept_alive(dtype):
    S = random_matrix(30, 30, dtype)
    A = fatvec.csr(S)
    assert np.shares_memory(A.data, S.data) and np.shares_memory(A.indices, S.indices)
    X = random_columns(30, 2, dtype)
    S.data *= 2
    assert_product(A @ X, S, X)
    copy = S.copy()
    core = A._core  # keeps them by itself
    del S, A
    gc.collect()
    Y = np.full((30, 2), np.nan, dtype)
    core.multiply(1.0, X, 0.0, Y)
    assert_product(Y, copy, X)


def test_raw_arrays_with_read_only_parts(dtype):
    S = random_matrix(20, 25, dtype)
    for array in (S.indptr, S.indices, S.data):
        array.flags.writeable = False
    X = random_columns(25, 4, dtype)
    assert_product(fatvec.csr(S.indptr, S.indices, S.data, S.shape) @ X, S, X)
    wide = fatvec.csr(S.indptr.astype("int64"), S.indices.astype("int64"), S.data, S.shape)
    assert_product(wide @ X, S, X)


@pytest.mark.parametrize("shape", [(0, 5), (5, 0), (0, 0), (3, 3)])
@pytest.mark.parametrize("k", [0, 1, 4])
def test_nothing_to_multiply(dtype, shape, k):
    A = fatvec.csr(scipy.sparse.csr_array(shape, dtype=dtype))
    Y = fatvec.spmm(A, np.ones((shape[1], k), dtype), np.full((shape[0], k), np.nan, dtype))
    assert Y.shape == (shape[0], k) and not Y.any()


def test_residual_and_norms(dtype):
    S = random_matrix(60, 60, dtype)
    A = fatvec.csr(S)
    X, B = random_columns(60, 5, dtype), random_columns(60, 5, dtype, seed=2)
    R = fatvec.residual(B, A, X)
    assert_product(R, S, X, -1, 1, B)
    again, squares = fatvec.residual(B, A, X, norms=True)
    assert_product(again, S, X, -1, 1, B)
    np.testing.assert_allclose(squares, (again.astype("float64") ** 2).sum(axis=0))
    in_place = B.copy()
    assert fatvec.residual(in_place, A, X, out=in_place) is in_place
    assert_product(in_place, S, X, -1, 1, B)
    one, square = fatvec.residual(B[:, 0], A, X[:, 0], norms=True)
    assert one.shape == (60,) and square.shape == (1,)


def test_product_and_dot_products(dtype):
    S = random_matrix(60, 60, dtype)
    A = fatvec.csr(S)
    for k in (3, 9, 2):
        X = random_columns(60, k, dtype)
        Y, dots = fatvec.spmm_dot(A, X)
        assert_product(Y, S, X)
        np.testing.assert_allclose(dots, (X.astype("float64") * Y).sum(axis=0), rtol=1e-5)


def test_threads_of_python_may_share_a_matrix(dtype):
    S = random_matrix(300, 300, dtype)
    A, P = fatvec.csr(S), fatvec.plan(fatvec.csr(S), 4)
    X, B = random_columns(300, 4, dtype), random_columns(300, 4, dtype, seed=2)
    norms = fatvec.residual(B, A, X, norms=True)[1]
    failures = []

    def multiply():
        try:
            for _ in range(50):
                assert_product(A @ X, S, X)
                assert_product(P @ X, S, X)
                np.testing.assert_array_equal(fatvec.residual(B, A, X, norms=True)[1], norms)
        except BaseException as error:  # noqa: B036 - the test's thread raises it
            failures.append(error)

    threads = [threading.Thread(target=multiply) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures


def test_other_threads_run_during_a_product():
    A = fatvec.csr(random_matrix(3000, 3000, density=0.1))
    X, Y = random_columns(3000, 128), np.empty((3000, 128))
    started = threading.Event()
    times = []

    def multiply():
        started.set()
        times.append(time.perf_counter())
        A._core.multiply(1.0, X, 0.0, Y)
        times.append(time.perf_counter())

    for _ in range(10):  # a busy machine may give this thread no turn
        times.clear(), started.clear()
        ticks, thread = [], threading.Thread(target=multiply)
        thread.start()
        started.wait()
        while thread.is_alive():
            ticks.append(time.perf_counter())
        begin, end = times
        quarter = (end - begin) / 4
        if any(begin + quarter < tick < end - quarter for tick in ticks):
            return
    pytest.fail("no other thread of Python ran in the middle of a product")


def test_pytorch_tensors():
    torch = pytest.importorskip("torch")
    S = random_matrix(40, 40)
    T = torch.sparse_csr_tensor(S.indptr, S.indices, S.data, S.shape)
    X = random_columns(40, 3)
    for x in (torch.from_numpy(X), torch.from_numpy(np.asfortranarray(X))):
        Y = fatvec.csr(T) @ x
        assert isinstance(Y, torch.Tensor) and Y.stride() == (x.stride(0), x.stride(1))
        assert_product(Y.numpy(), S, X)
