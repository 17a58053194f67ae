// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Core.hpp>
#include <Kokkos_Profiling_ScopedRegion.hpp>
#include <algorithm>
#include <array>
#include <cstdint>

#include <fatvec/formats/csr.hpp>
#include <fatvec/formats/detail/blocks.hpp>
#include <fatvec/formats/detail/padded.hpp>
#include <fatvec/formats/detail/slice_diagonals.hpp>
#include <fatvec/formats/detail/slices.hpp>
#include <fatvec/formats/sell.hpp>

namespace fatvec {

/// Sliced diagonals: slices of slice_size consecutive rows, whose entries are stored by
/// diagonals. DIA (Saad 2003) has the diagonals of the whole matrix; here each slice has its own,
/// as in row-grouped formats, and is otherwise a slice of SELL (Kreutzer et al. 2014).
///
/// Slice s has slots n, slot_offsets(s) <= n < slot_offsets(s + 1). Bit r of diagonals(n).mask says
/// whether row r of the slice has an entry in slot n; its value is then values(n · slice_size + r).
/// First come the slots of diagonals, ascending: the entry of row r is in column
/// diagonals(n).first_column + r.
/// The column of row 0 may lie outside the matrix where row 0 has no entry. The last slots, one for
/// each n in rest_offsets(s) <= n < rest_offsets(s + 1), hold what is left over, and have a column
/// for each row: entries(n · slice_size + r). Padding, which the last slice has for missing rows,
/// too, is value 0 and column -1; nothing of it reaches a product.
///
/// Entries are left over where a slot of their diagonal would cost more bytes than they do with a
/// column each; values count as 8 bytes, so that slots do not depend on the scalar. So an entry of
/// a grid costs little more than its value, and no matrix many more bytes than in SELL without
/// sorting. Of two entries of a row in one column each has a slot.
template <class Scalar, class Ordinal = std::int32_t, class Device = Kokkos::DefaultExecutionSpace,
          class Offset = std::int32_t>
class SlicedDiaMatrix : public FormatTraits<Scalar, Ordinal, Device, Offset> {
  using Traits = FormatTraits<Scalar, Ordinal, Device, Offset>;

 public:
  static constexpr const char* name = "sliced-dia";
  static constexpr std::int64_t max_slice_size = detail::max_diagonal_rows;
  using typename Traits::memory_space;
  using typename Traits::Offsets;
  using typename Traits::Ordinals;
  using typename Traits::Scalars;
  using Diagonals = Kokkos::View<detail::SlicedDiagonal<Ordinal>*, typename Traits::device_type>;
  using Csr = CsrMatrix<Scalar, Ordinal, Device, Offset>;
  using Access = detail::DiagonalAccess<
      Scalar, Ordinal, Offset,
      detail::is_host<typename Traits::execution_space> ? 0 : detail::max_diagonal_rows>;

  Offsets slot_offsets;  ///< slices + 1 offsets, in slots
  Offsets rest_offsets;  ///< slices + 1 offsets, in slots that have a column for each row
  Diagonals diagonals;   ///< of each slot: the first column of a diagonal, and a mask of rows
  Ordinals entries;      ///< columns of what is left over
  Scalars values;        ///< slice_size for each slot

  [[nodiscard]] KOKKOS_FUNCTION Ordinal rows() const { return rows_; }
  [[nodiscard]] KOKKOS_FUNCTION Ordinal cols() const { return cols_; }
  [[nodiscard]] KOKKOS_FUNCTION Ordinal slice_size() const { return slice_size_; }
  [[nodiscard]] KOKKOS_FUNCTION std::int64_t slices() const {
    return detail::slices_of(rows_, slice_size_);
  }
  [[nodiscard]] std::int64_t nnz() const { return nnz_; }
  [[nodiscard]] std::int64_t stored_entries() const {
    return static_cast<std::int64_t>(values.extent(0));
  }
  [[nodiscard]] auto arrays() const {
    return std::array{detail::span_of_array("slot_offsets", slot_offsets),
                      detail::span_of_array("rest_offsets", rest_offsets),
                      detail::span_of_array("diagonals", diagonals),
                      detail::span_of_array("entries", entries),
                      detail::span_of_array("values", values)};
  }
  [[nodiscard]] std::uint64_t bytes() const { return detail::bytes_of_arrays(*this); }
  /// What kernels see: rows are visited, not indexed.
  [[nodiscard]] Access row_visitor() const {
    return {slot_offsets.data(), rest_offsets.data(), diagonals.data(),
            entries.data(),      values.data(),       static_cast<int>(slice_size_)};
  }

  [[nodiscard]] std::int64_t visited_rows() const { return rows_; }

  /// Values and columns of a slice: rank-2 Views of slice_size × slots, no ownership. The slots
  /// that have columns are the last ones of `values`.
  struct Slice {
    using Values = detail::SlotView<Scalar, Kokkos::LayoutLeft, Device>;
    using Entries = detail::SlotView<Ordinal, Kokkos::LayoutLeft, Device>;
    Values values;
    Entries entries;
  };
  /// Slice s, 0 <= s < slices(), for kernels of your own: usable on the device.
  [[nodiscard]] KOKKOS_FUNCTION Slice slice(std::int64_t s) const {
    const std::int64_t height = slice_size_;
    const auto slots = static_cast<std::size_t>(slot_offsets(s + 1) - slot_offsets(s));
    const auto rest = static_cast<std::size_t>(rest_offsets(s + 1) - rest_offsets(s));
    const auto rows_of_slice = static_cast<std::size_t>(height);
    return {
        typename Slice::Values(values.data() + slot_offsets(s) * height, rows_of_slice, slots),
        typename Slice::Entries(entries.data() + rest_offsets(s) * height, rows_of_slice, rest)};
  }

  /// Goes through the diagonals of each slice to find out.
  template <class ExecSpace>
  static Footprint footprint(const ExecSpace& exec, const Csr& csr,
                             const FormatOptions& options = {}) {
    SlicedDiaMatrix dia(csr, options);
    dia.count_slots(exec, detail::sorted_by_column(exec, csr));
    return dia.footprint_of_slots();
  }

  /// Rows need not be sorted. Throws UsageError for a slice size below 0; one beyond 32 is 32,
  /// which they all are on devices. Throws CapacityError, before entries and values are allocated,
  /// for 2^31 rows or where the arrays exceed options.memory_limit (default: the free memory) or
  /// Offset cannot count the slots.
  template <class ExecSpace>
  static SlicedDiaMatrix from_csr(const ExecSpace& exec, const Csr& csr,
                                  const FormatOptions& options = {}) {
    const Kokkos::Profiling::ScopedRegion region("fatvec::SlicedDiaMatrix::from_csr");
    SlicedDiaMatrix dia(csr, options);
    const Csr sorted = detail::sorted_by_column(exec, csr);
    dia.count_slots(exec, sorted);
    const Footprint need = dia.footprint_of_slots();
    detail::require_fits<memory_space>(
        "sliced diagonals", need, options.memory_limit,
        detail::concat("slices of ", dia.slice_size_, " rows; CSR needs ",
                       human_bytes(static_cast<double>(csr.bytes()))));
    detail::checked_count<Offset>(need.stored_entries, "slots of sliced diagonals");
    const std::int64_t slots = dia.slots_;
    dia.diagonals = detail::allocate<Diagonals>(exec, "fatvec::sliced_dia::diagonals", slots);
    dia.entries = detail::allocate<Ordinals>(exec, "fatvec::sliced_dia::entries",
                                             dia.rest_slots_ * dia.slice_size_);
    dia.values =
        detail::allocate<Scalars>(exec, "fatvec::sliced_dia::values", slots * dia.slice_size_);
    const auto diagonals = diagonals_of(sorted, dia.slice_size_);
    Kokkos::parallel_for("fatvec::SlicedDiaMatrix::fill", diagonals.teams(exec),
                         detail::FillDiagonals<Csr, Diagonals>{
                             diagonals, sorted.values, dia.slot_offsets, dia.rest_offsets,
                             dia.diagonals, dia.entries, dia.values});
    exec.fence(
        "fatvec::SlicedDiaMatrix::from_csr");  // a sorted copy goes at the end of this function
    return dia;
  }

  /// Rows sorted by column.
  template <class ExecSpace>
  Csr to_csr(const ExecSpace& exec) const {
    const Csr csr = detail::csr_of_lengths<Csr>(exec, rows_, cols_, row_visitor(), rows_);
    Kokkos::parallel_for("fatvec::SlicedDiaMatrix::to_csr",
                         detail::Range<ExecSpace>(exec, 0, rows_),
                         detail::DrainDiagonals<Csr, Access>{csr, row_visitor()});
    return csr;
  }

  SlicedDiaMatrix() = default;

 private:
  SlicedDiaMatrix(const Csr& csr, const FormatOptions& options)
      : rows_(csr.rows()), cols_(csr.cols()), nnz_(csr.nnz()) {
    using Exec = typename Traits::execution_space;
    detail::require_rows_of_32_bits("sliced diagonals", csr.rows());
    const auto asked = detail::checked_rows<Ordinal>("sliced diagonals", "slice size",
                                                     detail::slice_size<Exec, Scalar>(options));
    if constexpr (detail::is_host<Exec>)
      slice_size_ = std::min(asked, static_cast<Ordinal>(max_slice_size));
  }

  /// The rule of bytes: the fewest entries that are worth a slot with a first column and a mask.
  static detail::SliceDiagonals<Csr> diagonals_of(const Csr& sorted, Ordinal slice_size) {
    constexpr std::int64_t of_value = 8;
    const std::int64_t of_slot = slice_size * of_value + sizeof(detail::SlicedDiagonal<Ordinal>);
    const std::int64_t of_entry = of_value + sizeof(Ordinal);
    return {sorted.row_map, sorted.entries, sorted.rows(), static_cast<int>(slice_size),
            static_cast<int>((of_slot + of_entry - 1) / of_entry)};
  }

  /// Offsets of slots, which are counted slice by slice.
  template <class ExecSpace>
  void count_slots(const ExecSpace& exec, const Csr& sorted) {
    const auto length = static_cast<std::size_t>(slices()) + 1;
    slot_offsets = detail::allocate<Offsets>(exec, "fatvec::sliced_dia::slot_offsets", length);
    rest_offsets = detail::allocate<Offsets>(exec, "fatvec::sliced_dia::rest_offsets", length);
    const auto diagonals = diagonals_of(sorted, slice_size_);
    Kokkos::parallel_for("fatvec::SlicedDiaMatrix::count", diagonals.teams(exec),
                         detail::CountDiagonals<Csr>{diagonals, slot_offsets, rest_offsets});
    slots_ = detail::offsets_from_lengths(exec, slot_offsets, slices(), slot_offsets);
    rest_slots_ = detail::offsets_from_lengths(exec, rest_offsets, slices(), rest_offsets);
  }
  [[nodiscard]] Footprint footprint_of_slots() const {
    const auto slots = static_cast<double>(slots_);
    const double elements = slots * slice_size_;
    const double left_over = static_cast<double>(rest_slots_) * slice_size_;
    return {elements,
            elements * sizeof(Scalar) + slots * sizeof(detail::SlicedDiagonal<Ordinal>) +
                left_over * sizeof(Ordinal) +
                2 * static_cast<double>(slices() + 1) * sizeof(Offset),
            left_over};
  }

  Ordinal rows_ = 0;
  Ordinal cols_ = 0;
  Ordinal slice_size_ = 32;
  std::int64_t nnz_ = 0;
  std::int64_t slots_ = 0;
  std::int64_t rest_slots_ = 0;
};

static_assert(SparseFormat<SlicedDiaMatrix<double>>);

}  // namespace fatvec
