// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Core.hpp>
#include <Kokkos_Profiling_ScopedRegion.hpp>
#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>

#include <fatvec/core/execution.hpp>
#include <fatvec/core/vector_of.hpp>
#include <fatvec/formats/csr.hpp>
#include <fatvec/formats/detail/row_access.hpp>
#include <fatvec/formats/detail/row_order.hpp>
#include <fatvec/formats/detail/sliced.hpp>

namespace fatvec {
namespace detail {

/// Rows of a slice, those that suit the executor where none are asked for.
template <class ExecSpace, class Scalar>
constexpr std::int64_t slice_size(const FormatOptions& options) {
  if (options.slice_size != 0) return options.slice_size;
  if constexpr (!is_host<ExecSpace>) return 32;
  return std::max<std::int64_t>(std::bit_floor(vector_bytes / sizeof(Scalar)), 4);
}

}  // namespace detail

/// SELL-C-sigma, sliced ELLPACK of sorted rows (Kreutzer, Hager, Wellein, Fehske, Bishop 2014):
/// within windows of sort_window (sigma) consecutive rows the rows are sorted by decreasing length,
/// equal lengths in the matrix's order, and the sorted rows are cut into column-major slices of
/// slice_size (C) rows, each padded to its longest. Row r of slice s belongs to the matrix's row
/// permutation(s · C + r); slice(s) has the slice's Views, detail::SlicedEllpack says where they
/// lie. The last slice has the rows that are left; sigma should be a multiple of C, lest a slice
/// has rows of two windows. Padding as in EllMatrix: index -1, value 0, never read by kernels. With
/// sigma = 1 this is column-major HLL, and a permutation that permutes nothing.
template <class Scalar, class Ordinal = std::int32_t, class Device = Kokkos::DefaultExecutionSpace,
          class Offset = std::int32_t>
class SellMatrix
    : public detail::SlicedEllpack<Scalar, Ordinal, Device, Offset, Kokkos::LayoutLeft> {
  using Base = detail::SlicedEllpack<Scalar, Ordinal, Device, Offset, Kokkos::LayoutLeft>;

 public:
  static constexpr const char* name = "sell";
  using typename Base::Csr;
  using typename Base::Ordinals;
  using Rows = detail::Permuted<detail::SlicedRows<Offset, Ordinal, true>, Ordinal>;

  Ordinals permutation;  ///< rows: the matrix's row of each stored row

  SellMatrix() = default;

  [[nodiscard]] auto arrays() const {
    return std::array{detail::span_of_array("slice_offsets", this->slice_offsets),
                      detail::span_of_array("row_lengths", this->row_lengths),
                      detail::span_of_array("entries", this->entries),
                      detail::span_of_array("values", this->values),
                      detail::span_of_array("permutation", this->permutation)};
  }
  [[nodiscard]] std::uint64_t bytes() const { return detail::bytes_of_arrays(*this); }
  [[nodiscard]] Rows row_access() const {
    return {{this->slice_offsets.data(), this->row_lengths.data(),
             static_cast<std::uint32_t>(this->slice_size()),
             static_cast<std::uint32_t>(this->rows()), true},
            permutation.data()};
  }

  /// Sorts the rows to find out, which takes three indices per row for a while.
  template <class ExecSpace>
  static Footprint footprint(const ExecSpace& exec, const Csr& csr,
                             const FormatOptions& options = {}) {
    return SellMatrix(exec, csr, options).footprint_of(exec, csr);
  }

  /// Throws UsageError for a slice size below 0 or a window below 1 and CapacityError, before
  /// entries and values are allocated, for 2^31 rows or where the arrays exceed
  /// options.memory_limit (default: the free memory) or Offset cannot count the slots.
  template <class ExecSpace>
  static SellMatrix from_csr(const ExecSpace& exec, const Csr& csr,
                             const FormatOptions& options = {}) {
    const Kokkos::Profiling::ScopedRegion region("fatvec::SellMatrix::from_csr");
    SellMatrix sell(exec, csr, options);
    detail::fill_slices(exec, csr, sell, "SELL",
                        detail::concat("slices of ", sell.slice_size(), " sorted rows"),
                        sell.footprint_of(exec, csr), options, sell.permutation);
    return sell;
  }

  template <class ExecSpace>
  Csr to_csr(const ExecSpace& exec) const {
    return detail::drain_padded<Csr>(exec, *this);
  }

 private:
  /// The sorted rows; no entries yet.
  template <class ExecSpace>
  SellMatrix(const ExecSpace& exec, const Csr& csr, const FormatOptions& options)
      : Base(csr, detail::checked_rows<Ordinal>(
                      "SELL", "slice size",
                      detail::slice_size<typename Base::execution_space, Scalar>(options))) {
    detail::require_rows_of_32_bits("SELL", csr.rows());
    permutation = detail::rows_by_length(
        exec, csr, detail::checked_rows<Ordinal>("SELL", "sort window", options.sort_window));
  }

  template <class ExecSpace>
  Footprint footprint_of(const ExecSpace& exec, const Csr& csr) const {
    const detail::SliceSlots<typename Base::ConstOffsets, Ordinals> slots{
        csr.row_map, this->rows(), this->slice_size(), permutation};
    Footprint footprint = this->footprint_of_slots(detail::total_slots(exec, slots));
    footprint.bytes += static_cast<double>(this->rows()) * sizeof(Ordinal);
    return footprint;
  }
};

static_assert(SparseFormat<SellMatrix<double>>);

}  // namespace fatvec
