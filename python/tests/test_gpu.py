# SPDX-License-Identifier: Apache-2.0
"""Arrays of CuPy and of PyTorch on a GPU, beside SciPy's products."""

import fatvec
import numpy as np
import pytest
import scipy.sparse
from conftest import assert_product, random_columns, random_matrix

if ("float64", "cuda") not in fatvec._core.matrices:
    pytest.skip("this build multiplies on CPUs only", allow_module_level=True)


class CuPy:
    def __init__(self):
        self.cupy = pytest.importorskip("cupy")
        self.sparse = pytest.importorskip("cupyx.scipy.sparse")

    def array(self, array):
        return self.cupy.asarray(array, order="K")

    def matrix(self, S):
        return self.sparse.csr_matrix(scipy.sparse.csr_matrix(S))

    def host(self, array):
        return array.get()

    def on_another_stream(self, work):
        with self.cupy.cuda.Stream(non_blocking=True) as stream:
            result = work()
            stream.synchronize()
        return result


class PyTorch:
    def __init__(self):
        self.torch = pytest.importorskip("torch")
        if not self.torch.cuda.is_available():
            pytest.skip("PyTorch sees no GPU")

    def array(self, array):
        return self.torch.from_numpy(array).cuda()

    def matrix(self, S):
        parts = (self.array(part) for part in (S.indptr, S.indices, S.data))
        return self.torch.sparse_csr_tensor(*parts, S.shape)

    def host(self, array):
        return array.cpu().numpy()

    def on_another_stream(self, work):
        stream = self.torch.cuda.Stream()
        stream.wait_stream(self.torch.cuda.current_stream())
        with self.torch.cuda.stream(stream):
            result = work()
        stream.synchronize()
        return result


@pytest.fixture(params=[CuPy, PyTorch])
def library(request):
    return request.param()


@pytest.mark.parametrize("order", "CF")
@pytest.mark.parametrize("k", [1, 2, 5, 8, 17])
def test_products(library, order, k):
    S = random_matrix(83, 61)
    A = fatvec.csr(library.matrix(S))
    assert A.device == "cuda"
    X = np.asarray(random_columns(61, k), order=order)
    x = library.array(X)
    Y = A @ x
    assert type(Y) is type(x)
    assert_product(library.host(Y), S, X)
    before = np.asarray(random_columns(83, k, seed=3), order=order)
    out = library.array(before)
    assert fatvec.spmm(A, x, out, alpha=-2, beta=0.5) is out
    assert_product(library.host(out), S, X, -2, 0.5, before)
    assert_product(library.host(A.T @ library.array(before)), S.T.tocsr(), before)


def test_one_vector_and_a_subset_of_columns(library):
    S = random_matrix(50, 50)
    A = fatvec.csr(library.matrix(S))
    X = random_columns(50, 6)
    assert_product(library.host(A @ library.array(X[:, 0].copy())), S, X[:, 0])
    assert_product(library.host(A @ library.array(X)[:, 1:4]), S, X[:, 1:4])


@pytest.mark.parametrize("format", fatvec.formats())
def test_plans_and_new_values(library, format):
    S = random_matrix(200, 200)
    S.sum_duplicates()
    A = fatvec.csr(library.matrix(S))
    P = fatvec.plan(A, 8, format, keep_value_map=True)
    assert P.format == format
    X = random_columns(200, 8)
    assert_product(library.host(P @ library.array(X)), S, X)
    S.data = np.random.default_rng(7).standard_normal(S.nnz)
    P.update(library.array(S.data))
    assert_product(library.host(P @ library.array(X)), S, X)


def test_the_choice_of_the_model_and_of_tune(library):
    S = random_matrix(300, 300)
    A = fatvec.csr(library.matrix(S))
    X = random_columns(300, 4)
    for P in (fatvec.plan(A, 4), fatvec.tune(A, 4, seconds=0.01)):
        assert_product(library.host(P @ library.array(X)), S, X)


def test_fused_products(library):
    S = random_matrix(60, 60)
    A = fatvec.csr(library.matrix(S))
    X, B = random_columns(60, 5), random_columns(60, 5, seed=2)
    R, squares = fatvec.residual(library.array(B), A, library.array(X), norms=True)
    R = library.host(R)
    assert_product(R, S, X, -1, 1, B)
    np.testing.assert_allclose(library.host(squares), (R**2).sum(axis=0))
    Y, dots = fatvec.spmm_dot(A, library.array(X))
    np.testing.assert_allclose(library.host(dots), (X * library.host(Y)).sum(axis=0), rtol=1e-10)


def test_the_stream_of_the_caller(library):
    S = random_matrix(500, 500)
    A = fatvec.csr(library.matrix(S))
    X = random_columns(500, 8)
    x = library.array(X)
    for _ in range(20):
        assert_product(library.host(library.on_another_stream(lambda: A @ (x + 0))), S, X)


def test_arrays_on_another_device_are_refused(library):
    S = random_matrix(20, 20)
    A = fatvec.csr(library.matrix(S))
    with pytest.raises(TypeError, match="memory of the GPU|cuda|GPU"):
        A @ random_columns(20, 2)
    with pytest.raises(TypeError):
        fatvec.csr(S) @ library.array(random_columns(20, 2))


def test_linear_operator():
    cupy = pytest.importorskip("cupy")
    linalg = pytest.importorskip("cupyx.scipy.sparse.linalg")
    S = random_matrix(200, 200, density=0.02)
    S = (S + S.T + 20 * scipy.sparse.eye_array(200)).tocsr()
    b = cupy.asarray(random_columns(200, 1)[:, 0])
    solution, status = linalg.cg(fatvec.linear_operator(fatvec.csr(CuPy().matrix(S))), b)
    assert status == 0
    np.testing.assert_allclose(S @ solution.get(), b.get(), atol=1e-3)
