# SPDX-License-Identifier: Apache-2.0
"""Arrays of NumPy, CuPy and PyTorch: which library, where, and new ones like them."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

Array = Any  # a NumPy, CuPy or PyTorch array; the libraries are not imported here
_INDEX_LIMIT = 2**31 - 1


def package(array: Array) -> str:
    """ "numpy", "cupy" or "torch"; TypeError for what is no array of these."""
    if isinstance(array, np.ma.MaskedArray):
        raise TypeError("a masked array is wanted nowhere: nobody looks at masks; fill it first")
    if isinstance(array, np.ndarray):
        return "numpy"
    name = type(array).__module__.partition(".")[0]
    if name in ("cupy", "torch"):
        return name
    raise TypeError(
        f"an array of NumPy, CuPy or PyTorch is wanted, not {type(array).__name__}; "
        "numpy.asarray(...) makes one of sequences"
    )


def device(array: Array) -> str:
    """ "cpu" or "cuda": where the array is."""
    which = package(array)
    if which == "numpy":
        return "cpu"
    return "cuda" if which == "cupy" else array.device.type


def shape_text(array: Array) -> str:
    """ "6 x 2"."""
    return " x ".join(map(str, array.shape))


def dtype_name(array: Array) -> str:
    """ "float64" and the like."""
    return str(array.dtype).rpartition(".")[2]


def require_dtype(name: str, array: Array, wanted: str) -> None:
    """TypeError unless the array's elements are of that type, in this machine's byte order."""
    if array.dtype == wanted if isinstance(array, np.ndarray) else dtype_name(array) == wanted:
        return
    raise TypeError(
        f"{name} is {dtype_name(array)} and A is {wanted}; fatvec converts nothing by itself: "
        "convert one of them"
    )


def require_plain(name: str, array: Array) -> None:
    """TypeError for a tensor of PyTorch whose gradient or sign a product would lose."""
    if package(array) != "torch":
        return
    if array.requires_grad:
        raise TypeError(f"{name} requires a gradient, and products have none; pass {name}.detach()")
    if array.is_neg() or array.is_conj():
        raise TypeError(f"{name} is a view with another sign; pass {name}.resolve_neg()")


def readable(name: str, array: Array, dtype: str) -> Array:
    """The array; of NumPy a copy where its strides go backwards or stand still, or its elements lie
    askew in memory."""
    require_plain(name, array)
    require_dtype(name, array, dtype)
    if isinstance(array, np.ndarray):
        if not array.flags.aligned:
            return np.array(array, order="C")
        if not array.flags.forc and any(
            n > 1 and s <= 0 for n, s in zip(array.shape, array.strides)
        ):
            return np.ascontiguousarray(array)
    return array


def writable(name: str, array: Array, dtype: str) -> Array:
    """The array; UsageError where it cannot be written."""
    from ._core import UsageError

    require_plain(name, array)
    require_dtype(name, array, dtype)
    if isinstance(array, np.ndarray):
        if not array.flags.writeable:
            raise UsageError(
                f"{name}, of {shape_text(array)}, is read-only; give the result memory that can be "
                "written"
            )
        if not array.flags.aligned:
            raise UsageError(
                f"the elements of {name}, of {shape_text(array)}, are not aligned in memory; "
                "numpy.empty(...) makes an array that is"
            )
    return array


def by_columns(array: Array) -> bool:
    """Whether the elements of a column are the neighbours in memory."""
    if array.ndim != 2 or array.shape[1] < 2:
        return False
    if package(array) == "torch":
        return array.stride(0) == 1 and array.stride(1) != 1
    return array.strides[0] == array.itemsize and array.strides[1] != array.itemsize


def empty_like(array: Array, rows: int) -> Array:
    """An array of the same library, type, place, order and number of columns; nothing in it."""
    if isinstance(array, np.ndarray):
        shape = (rows, *array.shape[1:])
        return np.empty(shape, array.dtype, "F" if by_columns(array) else "C")
    shape = (rows, *array.shape[1:])
    if package(array) == "torch":
        return array.new_empty(shape[::-1]).t() if by_columns(array) else array.new_empty(shape)
    cupy = sys.modules["cupy"]
    return cupy.empty(shape, array.dtype, "F" if by_columns(array) else "C")


def empty_sums(array: Array) -> Array:
    """Room for a float64 for each column."""
    columns = array.shape[1] if array.ndim == 2 else 1
    which = package(array)
    if which == "numpy":
        return np.empty(columns)
    if which == "torch":
        return array.new_empty(columns, dtype=sys.modules["torch"].float64)
    return sys.modules["cupy"].empty(columns)


def stream(array: Array) -> int:
    """The address of the stream on which the library computes; 0 on CPUs."""
    if isinstance(array, np.ndarray) or device(array) == "cpu":
        return 0
    if package(array) == "torch":
        return sys.modules["torch"].cuda.current_stream(array.device).cuda_stream
    return sys.modules["cupy"].cuda.get_current_stream().ptr


def as_indices(name: str, array: Array) -> Array:
    """Indices of 32 bits: the array itself, or a copy of one of 64 bits, or askew in memory.
    TypeError for other types, CapacityError beyond 2^31 - 1."""
    from ._core import CapacityError, InputError

    kind = dtype_name(array)
    if kind == "int32":
        if isinstance(array, np.ndarray) and not array.flags.aligned:
            return array.copy()
        return array
    if kind != "int64":
        raise TypeError(f"{name} is {kind}; indices are int32 or int64")
    if package(array) == "torch":
        largest, least = (int(array.max()), int(array.min())) if array.numel() else (0, 0)
    else:
        largest, least = (int(array.max()), int(array.min())) if array.size else (0, 0)
    if largest > _INDEX_LIMIT:
        raise CapacityError(
            f"{name} holds {largest}; fatvec counts rows, columns and entries in 32 bits here, to "
            f"{_INDEX_LIMIT}"
        )
    if least < 0:
        raise InputError(f"{name} holds {least}; indices count from 0")
    if package(array) == "torch":
        return array.to(sys.modules["torch"].int32)
    return array.astype("int32")
