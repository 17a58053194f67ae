// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Core.hpp>
#include <Kokkos_Profiling_ScopedRegion.hpp>

#include <fatvec/formats/csr.hpp>
#include <fatvec/formats/detail/long_rows.hpp>
#include <fatvec/formats/detail/padded.hpp>
#include <fatvec/formats/detail/row_access.hpp>
#include <fatvec/formats/detail/row_order.hpp>
#include <fatvec/formats/detail/slices.hpp>

namespace fatvec {

/// SELL-C-sigma, sliced ELLPACK of sorted rows (Kreutzer, Hager, Wellein, Fehske, Bishop 2014):
/// within windows of sort_window (sigma) consecutive rows the rows are sorted by decreasing length,
/// equal lengths in the matrix's order, and the sorted rows are cut into slices of slice_size (C)
/// rows, each padded to its longest. Slot j of row r of slice s is entry
///
///     slice_offsets(s) + r + j · (rows of the slice)
///
/// and belongs to the matrix's row permutation(s · C + r). The last slice has the rows that are
/// left; sigma should be a multiple of C, lest a slice has rows of two windows. Padding as in
/// EllMatrix: index -1, value 0, never read by kernels. With sigma = 1 this is column-major HLL,
/// and a permutation that permutes nothing.
template <class Scalar, class Ordinal = std::int32_t, class Device = Kokkos::DefaultExecutionSpace,
          class Offset = std::int32_t>
class SellMatrix : public FormatTraits<Scalar, Ordinal, Device, Offset> {
  using Traits = FormatTraits<Scalar, Ordinal, Device, Offset>;

 public:
  static constexpr const char* name = "sell";
  static constexpr Ordinal padding_index = -1;
  using typename Traits::memory_space;
  using typename Traits::Offsets;
  using typename Traits::Ordinals;
  using typename Traits::Scalars;
  using Csr = CsrMatrix<Scalar, Ordinal, Device, Offset>;
  using Rows = detail::Permuted<detail::HllRows<Offset, Ordinal, 0, true>, Ordinal>;

  Ordinals permutation;   ///< rows: the matrix's row of each stored row
  Offsets slice_offsets;  ///< slices + 1 offsets into entries and values
  Ordinals row_lengths;   ///< rows: entries of each stored row
  Ordinals entries;       ///< column indices, padding included
  Scalars values;         ///< values, padding included

  /// Rows far longer than the mean, which GPU kernels share among many threads and add up with
  /// atomics, in an order that may differ from run to run: `= {}` for the same bits every time, and
  /// before row_lengths are changed.
  detail::LongRows<Ordinal, typename Traits::device_type> long_rows;

  SellMatrix() = default;

  [[nodiscard]] Ordinal rows() const { return rows_; }
  [[nodiscard]] Ordinal cols() const { return cols_; }
  [[nodiscard]] Ordinal slice_size() const { return slice_size_; }
  [[nodiscard]] std::int64_t slices() const { return detail::slices_of(rows_, slice_size_); }
  [[nodiscard]] std::int64_t nnz() const { return nnz_; }
  [[nodiscard]] std::int64_t stored_entries() const {
    return static_cast<std::int64_t>(values.extent(0));
  }
  /// Without long_rows: where there are any, a length for each row and a hundredth of their
  /// entries' bytes.
  [[nodiscard]] std::uint64_t bytes() const {
    return detail::view_bytes(permutation) + detail::view_bytes(slice_offsets) +
           detail::view_bytes(row_lengths) + detail::view_bytes(entries) +
           detail::view_bytes(values);
  }
  [[nodiscard]] Rows row_access() const {
    return {{slice_offsets.data(), row_lengths.data(), static_cast<std::uint32_t>(slice_size_),
             static_cast<std::uint32_t>(rows_), true},
            permutation.data()};
  }

  /// Sorts the rows to find out, which takes three indices per row for a while.
  template <class ExecSpace>
  static Footprint footprint(const ExecSpace& exec, const Csr& csr,
                             const FormatOptions& options = {}) {
    return SellMatrix(exec, csr, options).footprint_of(exec, csr);
  }

  /// Throws UsageError for a slice size or a window below 1 and CapacityError, before entries and
  /// values are allocated, for 2^31 rows or where the arrays exceed options.memory_limit (default:
  /// the free memory) or Offset cannot count the slots.
  template <class ExecSpace>
  static SellMatrix from_csr(const ExecSpace& exec, const Csr& csr,
                             const FormatOptions& options = {}) {
    const Kokkos::Profiling::ScopedRegion region("fatvec::SellMatrix::from_csr");
    SellMatrix sell(exec, csr, options);
    const Footprint need = sell.footprint_of(exec, csr);
    detail::require_fits<memory_space>(
        "SELL", need, options.memory_limit,
        detail::concat("slices of ", sell.slice_size_,
                       " sorted rows, each padded to its longest; CSR needs ",
                       human_bytes(static_cast<double>(csr.bytes()))));
    detail::checked_count<Offset>(need.stored_entries, "SELL slots");
    sell.row_lengths = detail::row_lengths(exec, csr, sell.permutation);
    sell.slice_offsets = detail::allocate<Offsets>(exec, "fatvec::sell::slice_offsets",
                                                   static_cast<std::size_t>(sell.slices() + 1));
    detail::offsets_from_lengths(exec, sell.slice_offsets, sell.slices(), sell.slots_of(csr));
    detail::fill_padded(exec, csr, sell, static_cast<std::int64_t>(need.stored_entries));
    sell.long_rows =
        decltype(sell.long_rows)::find_and_hide(exec, sell.row_access(), sell.rows_, sell.nnz_);
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
      : rows_(csr.rows()),
        cols_(csr.cols()),
        slice_size_(detail::checked_rows<Ordinal>("SELL", "slice size", options.slice_size)),
        nnz_(csr.nnz()) {
    detail::require_rows_of_32_bits("SELL", rows_);
    permutation = detail::rows_by_length(
        exec, csr, detail::checked_rows<Ordinal>("SELL", "sort window", options.sort_window));
  }

  [[nodiscard]] detail::SliceSlots<typename Traits::ConstOffsets, Ordinals> slots_of(
      const Csr& csr) const {
    return {csr.row_map, rows_, slice_size_, permutation};
  }
  template <class ExecSpace>
  Footprint footprint_of(const ExecSpace& exec, const Csr& csr) const {
    const double slots = detail::total_slots(exec, slots_of(csr));
    return {slots, slots * (sizeof(Scalar) + sizeof(Ordinal)) +
                       2.0 * static_cast<double>(rows_) * sizeof(Ordinal) +
                       static_cast<double>(slices() + 1) * sizeof(Offset)};
  }

  Ordinal rows_ = 0;
  Ordinal cols_ = 0;
  Ordinal slice_size_ = 32;
  std::int64_t nnz_ = 0;
};

static_assert(SparseFormat<SellMatrix<double>>);

}  // namespace fatvec
