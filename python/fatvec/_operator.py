# SPDX-License-Identifier: Apache-2.0
"""Matrices and plans as LinearOperators of SciPy, or of CuPy where they are on a GPU."""

from __future__ import annotations

from typing import Any

import numpy as np

from . import _core
from ._matrix import CsrMatrix, Operand


def linear_operator(A: Operand) -> Any:
    """A scipy.sparse.linalg.LinearOperator (cupyx.scipy.sparse.linalg's where A is on a GPU) of a
    matrix or a plan, for eigsh, lobpcg, cg and others. Products with the transpose, which a matrix
    has and a plan has not, make it once and keep it: values changed after that are not seen.
    """
    if not isinstance(A, Operand):
        raise TypeError(f"A is to be a matrix of fatvec.csr() or a plan, not {type(A).__name__}")
    if A.device == "cuda":
        from cupyx.scipy.sparse.linalg import LinearOperator
    else:
        from scipy.sparse.linalg import LinearOperator

    class FatvecOperator(LinearOperator):
        def __init__(self) -> None:
            super().__init__(np.dtype(A.dtype), A.shape)
            self._kept: CsrMatrix | None = None

        def _matvec(self, x: Any) -> Any:
            return self._product(A, x)

        def _matmat(self, X: Any) -> Any:
            return self._product(A, X)

        def _rmatvec(self, x: Any) -> Any:
            return self._product(self._transposed(), x)

        def _rmatmat(self, X: Any) -> Any:
            return self._product(self._transposed(), X)

        def _product(self, B: Operand, X: Any) -> Any:
            """Of complex X by its parts; solvers also begin with vectors of other real types."""
            if X.dtype.kind == "c":
                return self._product(B, X.real) + 1j * self._product(B, X.imag)
            return B @ (X if X.dtype == self.dtype else X.astype(self.dtype))

        def _transposed(self) -> CsrMatrix:
            if not isinstance(A, CsrMatrix):
                raise _core.UsageError(
                    "a plan has no transpose: make the operator of the matrix, or of a plan with "
                    'op="T".'
                )
            if self._kept is None:
                self._kept = A.T
            return self._kept

    return FatvecOperator()
