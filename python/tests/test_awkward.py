# SPDX-License-Identifier: Apache-2.0
"""What cannot be multiplied is refused, with the exception that Python has for it."""

import subprocess
import sys

import fatvec
import numpy as np
import pytest
import scipy.sparse
from conftest import random_matrix


@pytest.fixture
def A():
    return fatvec.csr(random_matrix(6, 4))


def test_errors_are_pythons_own():
    for error in (fatvec.ShapeError, fatvec.InputError, fatvec.UsageError):
        assert issubclass(error, fatvec.Error) and issubclass(error, ValueError)
    assert issubclass(fatvec.CapacityError, fatvec.Error)
    assert issubclass(fatvec.CapacityError, MemoryError)


def test_shapes(A):
    text = r"^spmm: X is 5 x 2, wanted 4 x 2 for A \(csr\) of 6 x 4\.$"
    with pytest.raises(fatvec.ShapeError, match=text):
        A @ np.ones((5, 2))
    with pytest.raises(ValueError, match="spmm: Y is 6 x 3, wanted 6 x 2"):
        fatvec.spmm(A, np.ones((4, 2)), np.empty((6, 3)))
    with pytest.raises(ValueError, match="3 dimensions"):
        A @ np.ones((4, 2, 2))
    with pytest.raises(ValueError, match="0 dimensions"):
        A @ np.array(1.0)
    with pytest.raises(ValueError, match="out has 1 dimensions and X 2"):
        fatvec.spmm(A, np.ones((4, 1)), np.empty(6))
    with pytest.raises(ValueError, match="B is 5 x 2, wanted 6 x 2"):
        fatvec.residual(np.ones((5, 2)), A, np.ones((4, 2)))


@pytest.mark.parametrize("wrong", ["int64", "float32", "complex128", "float16", ">f8", "object"])
def test_types_of_x_and_out(A, wrong):
    with pytest.raises(TypeError, match="A is float64"):
        A @ np.ones((4, 2)).astype(wrong)
    with pytest.raises(TypeError, match="A is float64"):
        fatvec.spmm(A, np.ones((4, 2)), np.ones((6, 2)).astype(wrong))


def test_what_is_no_array(A):
    for x in ([1, 2, 3, 4], 2.0, None, "x", scipy.sparse.eye_array(4)):
        with pytest.raises(TypeError, match="an array of NumPy"):
            A @ x
    with pytest.raises(TypeError):
        np.ones((2, 6)) @ A


@pytest.mark.parametrize("wrong", ["int64", "complex128", "float16"])
def test_types_of_a(wrong):
    S = random_matrix(5, 5).toarray().astype(wrong)
    with pytest.raises(TypeError, match="no products for A of|an array"):
        fatvec.csr(np.array([0, 1], "int32"), np.array([0], "int32"), S[2, :1], (1, 1))


def test_lists_are_no_arrays():
    with pytest.raises(TypeError, match="list"):
        fatvec.csr([0, 1], [0], [1.0], (1, 1))


def test_what_is_no_csr_matrix():
    with pytest.raises(TypeError, match=r"tocsr\(\)"):
        fatvec.csr(random_matrix(4, 4).tocsc())
    with pytest.raises(TypeError, match="sparse matrix in CSR"):
        fatvec.csr(np.eye(3))
    with pytest.raises(TypeError, match="2 arguments"):
        fatvec.csr(1, 2)
    with pytest.raises(TypeError, match="fatvec.csr"):
        fatvec.spmm(random_matrix(4, 4), np.ones((4, 1)))
    with pytest.raises(TypeError, match="uint32; indices are int32 or int64"):
        S = random_matrix(4, 4)
        fatvec.csr(S.indptr.astype("uint32"), S.indices, S.data, S.shape)


@pytest.mark.parametrize(
    "indptr, indices, shape, text",
    [
        ([0, 1], [0], (2, 2), "wants rows . 1 offsets"),
        ([0, 1], [0, 1], (1, 2), "entries"),
        ([0, 2, 1], [0], (2, 2), "row"),
        ([1, 1], [0], (1, 2), "0"),
        ([0, 1], [2], (1, 2), "column"),
        ([0, 1], [-1], (1, 2), "column"),
        ([], [], (0, 0), "wants rows . 1 offsets"),
    ],
)
def test_arrays_that_are_no_matrix(indptr, indices, shape, text):
    for kind in ("int32", "int64"):
        with pytest.raises(ValueError, match=text if kind == "int32" else None):
            data = np.ones(1 if len(indices) == 2 else len(indices))
            fatvec.csr(np.array(indptr, kind), np.array(indices, kind), data, shape)


def test_strided_and_flat_arrays_of_a():
    S = random_matrix(6, 6)
    with pytest.raises(ValueError, match="data has 1 dimensions and a stride of 2; one dimension"):
        fatvec.csr(S.indptr, S.indices, np.repeat(S.data, 2)[::2], S.shape)


def test_indices_beyond_32_bits():
    few, one = np.array([0, 2**31]), np.ones(1)
    with pytest.raises(MemoryError, match="indptr holds 2147483648"):
        fatvec.csr(few, np.array([0]), one, (1, 1))
    with pytest.raises(fatvec.CapacityError, match="indices holds 4294967296"):
        fatvec.csr(np.array([0, 1]), np.array([2**32]), one, (1, 1))
    with pytest.raises(fatvec.CapacityError, match="2147483647 rows and columns"):
        fatvec.csr(np.array([0, 1]), np.array([0]), one, (1, 2**31))
    with pytest.raises(fatvec.ShapeError):
        fatvec.csr(np.array([0, 1]), np.array([0]), one, (-1, 1))


def test_out_that_cannot_be_written(A):
    out = np.empty((6, 2))
    out.flags.writeable = False
    with pytest.raises(ValueError, match="out, of 6 x 2, is read-only"):
        fatvec.spmm(A, np.ones((4, 2)), out)
    with pytest.raises(ValueError, match="negative"):
        fatvec.spmm(A, np.ones((4, 2)), np.empty((6, 2))[::-1])
    with pytest.raises(fatvec.ShapeError, match="overlap"):
        fatvec.spmm(
            A, np.ones((4, 2)), np.lib.stride_tricks.as_strided(np.empty(20), (6, 2), (8, 8))
        )


def test_memory_that_is_not_aligned(A):
    askew = np.frombuffer(bytearray(12 * 8 + 1), "u1")[1:].view("f8").reshape(6, 2)
    with pytest.raises(ValueError, match="not aligned"):
        fatvec.spmm(A, np.ones((4, 2)), askew)
    askew[:] = np.arange(12).reshape(6, 2)
    np.testing.assert_array_equal(A @ askew[:4], A @ askew[:4].copy())
    indices = np.frombuffer(b"x" + np.arange(4, dtype="i4").tobytes(), "u1")[1:].view("i4")
    kept = fatvec.csr(np.arange(5, dtype="i4"), indices, np.ones(4), (4, 4))
    np.testing.assert_array_equal(kept @ askew[:4], askew[:4])
    data = np.frombuffer(b"x" + np.ones(4).tobytes(), "u1")[1:].view("f8")
    with pytest.raises(fatvec.ShapeError, match="4 elements of data are not aligned"):
        fatvec.csr(np.arange(5), np.arange(4), data, (4, 4))


def test_values_are_never_copied():
    with pytest.raises(fatvec.ShapeError, match="stride of -1"):
        fatvec.csr(np.arange(5), np.arange(4), np.ones(4)[::-1], (4, 4))


def test_masks_are_refused(A):
    with pytest.raises(TypeError, match="mask"):
        A @ np.ma.masked_array(np.ones((4, 2)), mask=True)
    with pytest.raises(TypeError, match="an array of NumPy"):
        fatvec.spmm(A, np.ones((4, 2)), out=[1, 2])


def test_matrices_of_one_dimension():
    one = scipy.sparse.csr_array(np.ones(3))
    if one.ndim == 1:
        with pytest.raises(ValueError, match="two dimensions"):
            fatvec.csr(one)


def test_memory_that_is_shared():
    S = random_matrix(6, 6)
    A = fatvec.csr(S)
    X = np.ones((6, 2))
    with pytest.raises(fatvec.ShapeError, match="share memory"):
        fatvec.spmm(A, X, X)
    with pytest.raises(fatvec.ShapeError, match="Y lies on A's values"):
        fatvec.spmm(A, np.ones(6), S.data[:6])
    both = np.ones((6, 4))
    fatvec.spmm(A, both[:, :2], both[:, 2:])
    np.testing.assert_allclose(both[:, 2:], S @ both[:, :2])


def test_options(A):
    with pytest.raises(fatvec.UsageError, match="beta is 2"):
        fatvec.spmm(A, np.ones((4, 2)), beta=2)
    with pytest.raises(fatvec.UsageError, match="N, T, H"):
        fatvec.spmm(A, np.ones((4, 2)), op="C")
    with pytest.raises(TypeError):
        fatvec.spmm(A, np.ones((4, 2)), alpha=1j)


def test_matrices_and_plans_may_outlive_python():
    """Kokkos ends before module globals are dropped: nothing is said, and nothing crashes."""
    done = subprocess.run(
        [sys.executable, "-c", OUTLIVES_PYTHON], capture_output=True, text=True, timeout=120
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == "multiplied\n" + 5 * "Error\n"


OUTLIVES_PYTHON = """
import atexit, sys, numpy, scipy.sparse, fatvec
def late():
    X = numpy.ones((9, 2))
    for call in (
        lambda: A @ X,
        lambda: fatvec.spmm_dot(P, X),
        lambda: fatvec.residual(X, A, X, norms=True),
        lambda: fatvec.plan(A, 2),
        lambda: A.T,
    ):
        try:
            call()
        except fatvec.Error as error:
            print(type(error).__name__)
atexit.register(late)
A = fatvec.csr(scipy.sparse.eye_array(9, format="csr"))
P = fatvec.plan(A, 2, "sell")
fatvec.spmm_dot(P, numpy.ones((9, 2)))
sys.kept = (A, P, A.T)
print("multiplied")
"""


@pytest.mark.parametrize("call", ["A @ X", "fatvec.csr(S)"])
def test_threads_may_work_while_python_ends(call):
    """They stop, or are told so; before Python 3.14 their end was the process's."""
    code = f"""
import threading, time, numpy, scipy.sparse, fatvec
S = scipy.sparse.eye_array(200_000, format="csr")
A, X = fatvec.csr(S), numpy.ones((200_000, 8))
def work():
    try:
        while True: {call}
    except fatvec.Error:
        pass
for _ in range(4):
    threading.Thread(target=work, daemon=True).start()
time.sleep(0.2)
print("end", flush=True)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout, done.stderr) == (0, "end\n", "")


def test_a_forked_child_may_end():
    code = """
import os, sys, numpy, scipy.sparse, fatvec
fatvec.csr(scipy.sparse.eye_array(9, format="csr")) @ numpy.ones((9, 2))
child = os.fork()
if child == 0:
    sys.exit(7)
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout) == (0, "7\n"), done.stderr
