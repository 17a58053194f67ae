# SPDX-License-Identifier: Apache-2.0
"""CSR matrices of Python's arrays, and products."""

from __future__ import annotations

import operator
from typing import Any, overload

from . import _arrays, _core
from ._arrays import Array

_OPS = {"N": _core.Op.none, "T": _core.Op.transpose, "H": _core.Op.conjugate_transpose}


def op_named(op: str) -> Any:
    """The operation of "N", "T" or "H"; UsageError for other names."""
    try:
        return _OPS[op]
    except (KeyError, TypeError):
        raise _core.UsageError(f"unknown operation {op!r}; there are: N, T, H.") from None


class Operand:
    """What multiplies: a matrix or a plan."""

    __array_ufunc__ = None  # NumPy leaves `X @ A` to us, who have no such product
    __slots__ = ("_core", "device", "dtype", "shape", "__weakref__")

    _core: Any
    shape: tuple[int, int]
    dtype: str
    device: str

    def __matmul__(self, X: Array) -> Array:
        """A @ X: X of n x k, or one vector of n."""
        return _multiply(self, X, None, 1.0, 0.0)


class CsrMatrix(Operand):
    """A matrix of CSR arrays, which it shares with what it was made of: `csr` makes one.

    shape, dtype ("float64" or "float32") and device ("cpu" or "cuda") say what it is, indptr,
    indices and data are its arrays (None where a transpose has its own). Values may be changed in
    place; the pattern may not: nobody looks at it again.
    """

    __slots__ = ("_home", "data", "indices", "indptr")

    indptr: Array
    indices: Array
    data: Array

    @property
    def nnz(self) -> int:
        """Entries, explicit zeros and duplicates included."""
        return self._core.nnz

    @property
    def T(self) -> CsrMatrix:
        """The transpose, a matrix of its own, made each time this is read: keep it."""
        transpose = CsrMatrix()
        transpose._core = self._core.transposed()
        transpose.shape = self.shape[::-1]
        transpose.dtype, transpose.device = self.dtype, self.device
        transpose._home = self._home
        transpose.indptr = transpose.indices = transpose.data = None
        return transpose

    def __repr__(self) -> str:
        rows, cols = self.shape
        return f"<fatvec.CsrMatrix {rows} x {cols}, {self.nnz} entries of {self.dtype}>"


@overload
def csr(A: Any, /) -> CsrMatrix: ...
@overload
def csr(indptr: Array, indices: Array, data: Array, shape: tuple[int, int], /) -> CsrMatrix: ...
def csr(*parts: Any) -> CsrMatrix:
    """A CSR matrix of fatvec's: csr(A) of A in CSR from scipy.sparse, cupyx.scipy.sparse or PyTorch
    (sparse_csr), or csr(indptr, indices, data, shape) of its arrays.

    Shares the arrays and keeps them alive; indices of 64 bits are copied into 32. Offsets and
    columns are checked in one pass. Raises TypeError for other formats and types, ShapeError and
    InputError for arrays that do not fit together, CapacityError beyond 2^31 - 1.
    """
    if len(parts) == 1:
        parts = _parts_of(parts[0])
    if len(parts) != 4:
        raise TypeError(f"csr(A) or csr(indptr, indices, data, shape); got {len(parts)} arguments")
    indptr, indices, data, shape = parts
    if len(shape) != 2:
        raise _core.ShapeError(f"a matrix has two dimensions, not those of {tuple(shape)}")
    rows, cols = (_extent(n) for n in shape)
    device, scalar = _arrays.device(data), _arrays.dtype_name(data)
    for name, array in (("indptr", indptr), ("indices", indices)):
        if _arrays.package(array) != _arrays.package(data) or _arrays.device(array) != device:
            raise TypeError(f"{name} and data are to be arrays of one library, on one device")
    matrix = CsrMatrix()
    matrix.indptr = _arrays.as_indices("indptr", indptr)
    matrix.indices = _arrays.as_indices("indices", indices)
    if _arrays.package(data) == "numpy" and not data.flags.aligned:
        raise _core.ShapeError(
            f"the {data.size} elements of data are not aligned in memory; "
            "numpy.require(data, requirements='A') copies them"
        )
    _arrays.require_plain("data", data)
    matrix.data = data
    matrix._home = (_arrays.package(data), getattr(data, "device", None))  # of arrays like A's
    matrix.shape, matrix.dtype, matrix.device = (rows, cols), scalar, device
    type_of = _core.matrices.get((scalar, device))
    if type_of is None:
        known = ", ".join(f"{s} on {d}" for s, d in _core.matrices)
        raise TypeError(f"no products for A of {scalar} on {device}; this build has {known}")
    matrix._core = type_of(rows, cols, matrix.indptr, matrix.indices, matrix.data)
    return matrix


def _extent(n: Any) -> int:
    n = operator.index(n)
    if n > 2**31 - 1:
        raise _core.CapacityError(
            f"a matrix has up to {2**31 - 1} rows and columns here, not {n}: 32-bit indices"
        )
    if n < 0:
        raise _core.ShapeError(f"a matrix cannot have {n} rows or columns")
    return n


def _parts_of(A: Any) -> tuple[Array, Array, Array, tuple[int, int]]:
    """indptr, indices, data and shape of a matrix of another library."""
    if getattr(A, "format", None) == "csr":  # SciPy, CuPy
        return A.indptr, A.indices, A.data, A.shape
    if str(getattr(A, "layout", "")) == "torch.sparse_csr":
        return A.crow_indices(), A.col_indices(), A.values(), tuple(A.shape)
    if hasattr(A, "tocsr"):
        raise TypeError(f"A is in the format {A.format}; csr(A.tocsr()) converts it first")
    if hasattr(A, "to_sparse_csr"):
        raise TypeError("A is a tensor in another layout; csr(A.to_sparse_csr()) converts it first")
    raise TypeError(f"csr() takes a sparse matrix in CSR, not {type(A).__name__}")


def _require_operand(A: Any) -> None:
    if not isinstance(A, Operand):
        raise TypeError(
            f"A is to be a matrix of fatvec.csr() or a plan, not {type(A).__name__}; "
            "fatvec.csr(A) shares the arrays of a CSR matrix"
        )


def _result(A: Operand, X: Array, out: Array | None, rows: int) -> Array:
    if out is None:
        return _arrays.empty_like(X, rows)
    _arrays.package(out)
    if out.ndim != X.ndim:
        raise _core.ShapeError(f"out has {out.ndim} dimensions and X {X.ndim}")
    return _arrays.writable("out", out, A.dtype)


def _multiply(A: Operand, X: Array, out: Array | None, alpha: float, beta: float) -> Array:
    X = _arrays.readable("X", X, A.dtype)
    Y = _result(A, X, out, A.shape[0])
    A._core.multiply(alpha, X, beta, Y, _arrays.stream(X))
    return Y


def spmm(
    A: Operand,
    X: Array,
    out: Array | None = None,
    alpha: float = 1.0,
    beta: float = 0.0,
    op: str = "N",
) -> Array:
    """beta * out + alpha * op(A) @ X, in `out` where it is given, else in a new array.

    op: "N" for A, "T" for its transpose, "H" for the conjugate one (the same of real numbers); with
    a matrix they make the transpose in every call, so keep A.T or a plan for more. beta = 0
    overwrites out, whatever it holds. Raises ShapeError where extents do not conform or out shares
    memory with X or A.
    """
    _require_operand(A)
    if beta != 0 and out is None:
        raise _core.UsageError(f"spmm: beta is {beta}, of an `out` that is not given.")
    operation = op_named(op)
    if op == "N":
        return _multiply(A, X, out, alpha, beta)
    if not isinstance(A, CsrMatrix):
        raise _core.UsageError("spmm: a plan has its operation from plan(A, k, op=...).")
    X = _arrays.readable("X", X, A.dtype)
    Y = _result(A, X, out, A.shape[1])
    A._core.multiply_op(operation, alpha, X, beta, Y, _arrays.stream(X))
    return Y


@overload
def residual(B: Array, A: Operand, X: Array, out: Array | None = None) -> Array: ...
@overload
def residual(
    B: Array, A: Operand, X: Array, out: Array | None = None, *, norms: bool
) -> tuple[Array, Array]: ...
def residual(
    B: Array, A: Operand, X: Array, out: Array | None = None, *, norms: bool = False
) -> Any:
    """R = B - A @ X in one pass; with norms=True (R, squares), the squares of the 2-norms of R's
    columns in float64. `out` may be B itself."""
    _require_operand(A)
    X = _arrays.readable("X", X, A.dtype)
    B = _arrays.readable("B", B, A.dtype)
    R = _result(A, X, out, A.shape[0])
    squares = _arrays.empty_sums(X) if norms else None
    A._core.residual(B, X, R, squares, _arrays.stream(X))
    return (R, squares) if norms else R


def spmm_dot(
    A: Operand, X: Array, out: Array | None = None, alpha: float = 1.0, beta: float = 0.0
) -> tuple[Array, Array]:
    """(Y, dots): Y = beta * out + alpha * A @ X of a square A, and in the same pass the dot product
    of each column of X with that of Y, in float64."""
    _require_operand(A)
    if beta != 0 and out is None:
        raise _core.UsageError(f"spmm_dot: beta is {beta}, of an `out` that is not given.")
    X = _arrays.readable("X", X, A.dtype)
    Y = _result(A, X, out, A.shape[0])
    dots = _arrays.empty_sums(X)
    A._core.multiply_and_dot(alpha, X, beta, Y, dots, _arrays.stream(X))
    return Y, dots
