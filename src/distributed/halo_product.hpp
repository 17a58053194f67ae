// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <fatvec/core/instantiate.hpp>
#include <fatvec/kernels/csr.hpp>

namespace fatvec::detail {

/// The rows of a CSR matrix, of which row b is row boundary[b] of Y.
template <class Scalar, class Device, class Offset>
using HaloSlots = Slots<Permuted<CsrRows<Offset>, std::int32_t>, Scalar, std::int32_t, Device>;

/// The same of a matrix and the Y rows of its own, distinct.
template <class Csr, class Boundary>
auto halo_slots(const Prepared<Csr>& a, const Boundary& boundary) {
  using S =
      HaloSlots<typename Csr::value_type, typename Csr::device_type, typename Csr::offset_type>;
  const auto slots = slots_of(a);
  return S{.access = {slots.access, boundary.data()},
           .entries = slots.entries,
           .values = slots.values,
           .y_rows = slots.y_rows,
           .x_rows = slots.x_rows,
           .count = slots.count,
           .slots = slots.slots,
           .nnz = slots.nnz,
           .segments = slots.segments};
}

/// Rows of X as they come, each in one stretch.
template <class T>
using ReceivedRows = MultiVectorSpan<const T, Columns::contiguous>;

/// Gives the sum of row b to the output, as row boundary[b], by the kernel of CSR. For the ordinary
/// output, which adds to Y with beta = 1, it is compiled once, in fatvec::mpi.
template <class ExecSpace, class S, class T, class Output>
void multiply_halo(const ExecSpace& exec, const S& a, const ReceivedRows<T>& x,
                   const Output& output, std::int64_t k) {
  if (a.rows() == 0 || k == 0) return;
  if constexpr (is_scaled_sum<Output>)
    if (output.alpha == T{}) return;
  CsrRow::run(exec, PolicyOn<CsrRow, ExecSpace>{}, a, x, output, k);
}

}  // namespace fatvec::detail

#define FATVEC_HALO(how, Space, Scalar, Offset)                                              \
  how template void fatvec::detail::multiply_halo(                                           \
      const Space&, const fatvec::detail::HaloSlots<Scalar, Space::device_type, Offset>&,    \
      const fatvec::detail::ReceivedRows<Scalar>&, const fatvec::detail::ScaledSum<Scalar>&, \
      std::int64_t);
FATVEC_EXTERN(FATVEC_HALO)
