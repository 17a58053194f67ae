# SPDX-License-Identifier: Apache-2.0
"""Sparse matrix times fat vector, Y = beta Y + alpha A X, for NumPy, SciPy, CuPy and PyTorch.

    A = fatvec.csr(S)      # S: scipy.sparse CSR; copies nothing
    Y = A @ X              # X: n x k in any layout, or one vector of n

docs/python.md has the rest.
"""

from ._core import CapacityError, Error, InputError, ShapeError, UsageError, __version__
from ._matrix import CsrMatrix, csr, residual, spmm, spmm_dot
from ._operator import linear_operator
from ._plan import Measurement, Plan, Prediction, formats, plan, tune

__all__ = [
    "CapacityError",
    "CsrMatrix",
    "Error",
    "InputError",
    "Measurement",
    "Plan",
    "Prediction",
    "ShapeError",
    "UsageError",
    "__version__",
    "csr",
    "formats",
    "linear_operator",
    "plan",
    "residual",
    "spmm",
    "spmm_dot",
    "tune",
]
