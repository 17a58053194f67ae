# SPDX-License-Identifier: Apache-2.0
"""Plans: the format and kernel for a matrix and k, by the traffic model or by measurements."""

from __future__ import annotations

import time
from typing import Any, NamedTuple

import numpy as np

from . import _arrays, _core
from ._matrix import CsrMatrix, Operand, op_named


class Prediction(NamedTuple):
    """What the model expects of one way to multiply (fatvec::Prediction)."""

    format: str
    kernel: str
    packed: bool  # X and Y through row-major copies
    fits: bool  # into the memory that is free
    seconds: float  # of one product
    bytes: float  # that one product moves through main memory
    matrix_bytes: float
    setup_seconds: float  # of the conversion from CSR
    break_even: float  # products after which it has paid; 0 for CSR, infinite for never


class Measurement(NamedTuple):
    """What `tune` found of one choice."""

    format: str
    kernel: str
    policy: str  # "": the kernel's own
    packed: bool
    seconds: float  # of one product: the least that was seen


class Plan(Operand):
    """A product that is ready to run: op(A) in the chosen format. `plan` and `tune` make one.

    shape is that of op(A), k the columns it was made for (others are as correct); format, kernel,
    policy and packed are the choice, reason says why in a sentence, ranking lists the predictions,
    the best first, and measured what `tune` timed, the fastest first.
    """

    __slots__ = ("_matrix", "measured")

    measured: list[Measurement]

    @property
    def k(self) -> int:
        return self._core.k

    @property
    def format(self) -> str:
        return self._core.format

    @property
    def kernel(self) -> str:
        return self._core.kernel

    @property
    def policy(self) -> str:
        return self._core.policy

    @property
    def packed(self) -> bool:
        return self._core.packed

    @property
    def reason(self) -> str:
        return self._core.reason

    @property
    def ranking(self) -> list[Prediction]:
        return [Prediction(**entry) for entry in self._core.ranking]

    def update(self, data: Any) -> None:
        """Takes new values of A, in the order of its entries, without a second conversion; for a
        plan made with keep_value_map=True.

        data: one dimension, as many elements as A has entries, of A's type and where A is. A plan
        of CSR shares it. On a GPU the values are stored on the stream that data's library uses; use
        the same for products. Raises ShapeError for another number of values, TypeError for another
        type or device, UsageError without keep_value_map.
        """
        data = _arrays.readable("data", data, self.dtype)
        self._core.update(data, _arrays.stream(data))

    def __repr__(self) -> str:
        rows, cols = self.shape
        return f"<fatvec.Plan {rows} x {cols}, k = {self.k}, {self.kernel} on {self.dtype}>"


def formats() -> list[str]:
    """Names of the formats that plans have."""
    return list(_core.kernels)


def plan(
    A: CsrMatrix,
    k: int,
    format: str | None = None,
    *,
    layout: str = "row",
    op: str = "N",
    products: float = 1000,
    keep_value_map: bool = False,
) -> Plan:
    """A plan for products of op(A) with k columns.

    format: one of formats(), or None for what the traffic model chooses. layout: "row" or "column",
    what lies together in X and Y. products: how many are expected, so whether a conversion pays.
    keep_value_map: remembers where A's values are stored, for Plan.update.
    Measures the machine the first time; converts A, but for CSR without op, which shares A's
    arrays. Raises UsageError for unknown names, CapacityError where the format does not fit.
    """
    kernel = None
    if format is not None:
        if format not in _core.kernels:
            raise _core.UsageError(
                f"unknown format {format!r}; plans have: {', '.join(_core.kernels)}."
            )
        kernel = _core.kernels[format]
    return _plan(A, k, layout, op, products, kernel, "", False, keep_value_map)


def _plan(
    A: CsrMatrix,
    k: int,
    layout: str,
    op: str,
    products: float,
    kernel: str | None,
    policy: str,
    packed: bool,
    keep_value_map: bool = False,
) -> Plan:
    if not isinstance(A, CsrMatrix):
        raise TypeError(f"plans are of matrices of fatvec.csr(), not of {type(A).__name__}")
    if layout not in ("row", "column"):
        raise _core.UsageError(f"unknown layout {layout!r}; there are: row, column.")
    made = Plan()
    type_of = _core.plans[A.dtype, A.device]
    made._core = type_of(
        A._core,
        k,
        getattr(_core.Layout, layout),
        products,
        op_named(op),
        kernel,
        policy,
        packed,
        keep_value_map,
    )
    made._matrix = A  # whose arrays a plan of CSR shares
    made.shape = (made._core.rows, made._core.cols)
    made.dtype, made.device, made.measured = A.dtype, A.device, []
    return made


def tune(
    A: CsrMatrix,
    k: int,
    *,
    layout: str = "row",
    op: str = "N",
    seconds: float = 0.1,
    all: bool = False,
) -> Plan:
    """The plan that measurements on this machine find to be the fastest, for k columns of random X.

    Every format whose prediction is within four times the best (all=True: every one) is verified
    against CSR and timed in turns for `seconds`, then the policies of the two fastest kernels. What
    does not fit into memory beside those is left out.
    Nothing is kept from one call to the next. Raises Error where a result is wrong, and UsageError
    where A holds NaN or Inf, of which no result can be verified.
    """
    if not seconds > 0:
        raise _core.UsageError(f"tune: seconds is {seconds}; a choice is timed for more than 0.")
    first = _plan(A, k, layout, op, 1e30, None, "", False)
    ranking = first.ranking
    near = 4 * min(p.seconds for p in ranking if p.fits)
    wanted = [(p.kernel, "", p.packed) for p in ranking if p.fits and (all or p.seconds <= near)]
    bench = _Bench(A, k, layout, op, seconds)
    bench.measure(wanted)
    if not bench.times:
        bench.measure([bench.plain])
    policies_of = type(first._core).policies
    best = list(dict.fromkeys((m.kernel, m.packed) for m in bench.measured()))[:2]
    bench.measure([(kernel, p, packed) for kernel, packed in best for p in policies_of(kernel)])
    measured = bench.measured()
    winner = measured[0]
    chosen = bench.plans[winner.kernel, winner.policy, winner.packed]
    chosen.measured = measured
    return chosen


class _Bench:
    """Plans of one matrix that are timed in turns on the same X."""

    def __init__(self, A: CsrMatrix, k: int, layout: str, op: str, seconds: float) -> None:
        self.arguments = (A, k, layout, op, 1.0)
        self.seconds = seconds
        self.plans: dict[tuple[str, str, bool], Plan] = {}
        self.times: dict[tuple[str, str, bool], float] = {}
        self.plain = (_core.kernels["csr"], "", False)
        plain = _plan(*self.arguments, *self.plain)
        self.ready = {self.plain: plain}
        rows, cols = plain.shape
        X = np.random.default_rng(1).standard_normal((cols, k)).astype(A.dtype)
        order = "C" if layout == "row" else "F"
        self.X, self.wait = _placed(A, np.asarray(X, order=order))
        self.Y, _ = _placed(A, np.full((rows, k), np.nan, A.dtype, order))
        self.right = _on_host(plain @ self.X)
        if not np.isfinite(self.right).all():
            raise _core.UsageError(
                "tune: A's values are not all finite, and no result can be verified; tune a matrix "
                "with other values."
            )

    def measure(self, choices: list[tuple[str, str, bool]]) -> None:
        new = []
        for choice in choices:
            if choice in self.plans:
                continue
            try:
                made = self.ready.get(choice) or _plan(*self.arguments, *choice)
            except _core.CapacityError:
                continue
            self.Y[...] = np.nan
            self.run(made)
            scale = np.abs(self.right).max(initial=0.0)
            error = np.abs(_on_host(self.Y) - self.right).max(initial=0.0)
            if not error <= 1e3 * np.finfo(self.right.dtype).eps * scale:
                raise _core.Error(f"tune: {choice[0]} gives a wrong result, {error} off.")
            self.plans[choice] = made
            self.times[choice] = float("inf")
            new.append(choice)
        rounds = 5
        for _ in range(rounds):
            for choice in new:
                self.run(self.plans[choice])
                end = time.perf_counter() + self.seconds / rounds
                while (start := time.perf_counter()) < end:
                    self.run(self.plans[choice])
                    taken = time.perf_counter() - start
                    self.times[choice] = min(self.times[choice], taken)

    def run(self, made: Plan) -> None:
        made._core.multiply(1.0, self.X, 0.0, self.Y)
        self.wait()

    def measured(self) -> list[Measurement]:
        found = [
            Measurement(self.plans[choice].format, *choice, taken)
            for choice, taken in self.times.items()
        ]
        return sorted(found, key=lambda m: m.seconds)


def _placed(A: CsrMatrix, array: np.ndarray) -> tuple[Any, Any]:
    """The array where A is, and what waits for products there."""
    if A.device == "cpu":
        return array, lambda: None
    package, device = A._home
    if package == "torch":
        import torch

        return torch.from_numpy(array).to(device), torch.cuda.synchronize
    import cupy

    return cupy.asarray(array), cupy.cuda.Device().synchronize


def _on_host(array: Any) -> np.ndarray:
    if isinstance(array, np.ndarray):
        return np.array(array)
    return array.cpu().numpy() if _arrays.package(array) == "torch" else array.get()
