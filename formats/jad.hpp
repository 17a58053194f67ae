// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Core.hpp>
#include <Kokkos_Profiling_ScopedRegion.hpp>
#include <algorithm>
#include <array>

#include <fatvec/formats/csr.hpp>
#include <fatvec/formats/detail/padded.hpp>
#include <fatvec/formats/detail/row_access.hpp>
#include <fatvec/formats/detail/row_order.hpp>
#include <fatvec/formats/detail/rows.hpp>
#include <fatvec/formats/detail/slices.hpp>

namespace fatvec {
namespace detail {

/// Slots of diagonal j: the rows longer than j, which come first, up to a whole block.
template <class Ordinals>
struct DiagonalSlots {
  Ordinals row_lengths;  ///< decreasing
  std::int64_t rows;
  std::int64_t block_size;
  KOKKOS_FUNCTION std::int64_t operator()(std::int64_t j) const {
    const std::int64_t longer =
        first_where(0, rows, [&](std::int64_t i) { return row_lengths(i) <= j; });
    const std::int64_t whole_blocks = (longer + block_size - 1) / block_size * block_size;
    return whole_blocks < rows ? whole_blocks : rows;
  }
};

}  // namespace detail

/// JAD, jagged diagonals (Saad; Stec and Stpiczyński), and its padded variant pJAD: all rows sorted
/// by decreasing length, equal lengths in the matrix's order. Diagonal j is the j-th entry of every
/// row that has one, in that order. Slot j of sorted row i is entry
///
///     diagonal_offsets(j) + i
///
/// and belongs to the matrix's row permutation(i). JAD stores the entries and nothing else. In pJAD
/// each block of slice_size rows is padded to its first row, so that on a GPU whole blocks begin
/// and end together; the last block has the rows that are left. Padding as in EllMatrix: index -1,
/// value 0, never read by kernels. Stec and Stpiczyński call the arrays perm, ia, rln, ja and a;
/// its brlen, the width of block b, is row_lengths(b · slice_size).
template <class Scalar, class Ordinal, class Device, class Offset, bool padded>
class JaggedMatrix : public FormatTraits<Scalar, Ordinal, Device, Offset> {
  using Traits = FormatTraits<Scalar, Ordinal, Device, Offset>;
  static constexpr const char* title = padded ? "pJAD" : "JAD";

 public:
  static constexpr const char* name = padded ? "pjad" : "jad";
  static constexpr Ordinal padding_index = -1;
  using typename Traits::memory_space;
  using typename Traits::Offsets;
  using typename Traits::Ordinals;
  using typename Traits::Scalars;
  using Csr = CsrMatrix<Scalar, Ordinal, Device, Offset>;
  using Rows = detail::Permuted<detail::JadRows<Offset, Ordinal>, Ordinal>;

  Ordinals permutation;      ///< rows: the matrix's row of each stored row
  Offsets diagonal_offsets;  ///< diagonals + 1 offsets into entries and values
  Ordinals row_lengths;      ///< rows: entries of each stored row
  Ordinals entries;          ///< column indices, padding included
  Scalars values;            ///< values, padding included

  JaggedMatrix() = default;

  [[nodiscard]] Ordinal rows() const { return rows_; }
  [[nodiscard]] Ordinal cols() const { return cols_; }
  [[nodiscard]] Ordinal block_size() const { return block_size_; }  ///< 1 in JAD
  [[nodiscard]] std::int64_t diagonals() const { return diagonals_; }
  [[nodiscard]] std::int64_t nnz() const { return nnz_; }
  [[nodiscard]] std::int64_t stored_entries() const {
    return static_cast<std::int64_t>(values.extent(0));
  }
  [[nodiscard]] auto arrays() const {
    return std::array{detail::span_of_array("permutation", permutation),
                      detail::span_of_array("diagonal_offsets", diagonal_offsets),
                      detail::span_of_array("row_lengths", row_lengths),
                      detail::span_of_array("entries", entries),
                      detail::span_of_array("values", values)};
  }
  [[nodiscard]] std::uint64_t bytes() const { return detail::bytes_of_arrays(*this); }
  [[nodiscard]] Rows row_access() const {
    return {{diagonal_offsets.data(), row_lengths.data(), static_cast<std::uint32_t>(block_size_),
             stored_entries()},
            permutation.data()};
  }

  /// Sorts the rows to find out, which takes three indices per row for a while.
  template <class ExecSpace>
  static Footprint footprint(const ExecSpace& exec, const Csr& csr,
                             const FormatOptions& options = {}) {
    return JaggedMatrix(exec, csr, options).footprint_of(exec, csr);
  }

  /// Throws UsageError for a slice size below 0 (pJAD) and CapacityError, before entries and values
  /// are allocated, for 2^31 rows (pJAD) or where the arrays exceed options.memory_limit (default:
  /// the free memory) or Offset cannot count the slots.
  template <class ExecSpace>
  static JaggedMatrix from_csr(const ExecSpace& exec, const Csr& csr,
                               const FormatOptions& options = {}) {
    const Kokkos::Profiling::ScopedRegion region("fatvec::JaggedMatrix::from_csr");
    JaggedMatrix jad(exec, csr, options);
    const Footprint need = jad.footprint_of(exec, csr);
    detail::require_fits<memory_space>(
        title, need, options.memory_limit,
        detail::concat("blocks of ", jad.block_size_,
                       padded ? " sorted rows, each padded to its longest" : " sorted row",
                       "; CSR needs ", human_bytes(static_cast<double>(csr.bytes()))));
    detail::checked_count<Offset>(need.stored_entries, "slots");
    jad.row_lengths = detail::row_lengths(exec, csr, jad.permutation);
    jad.diagonal_offsets = detail::allocate<Offsets>(exec, "fatvec::jad::diagonal_offsets",
                                                     static_cast<std::size_t>(jad.diagonals_ + 1));
    const detail::DiagonalSlots<Ordinals> diagonal_slots{jad.row_lengths, jad.rows_,
                                                         jad.block_size_};
    detail::offsets_from_lengths(exec, jad.diagonal_offsets, jad.diagonals_, diagonal_slots);
    detail::fill_padded(exec, csr, jad, need.stored_entries);
    return jad;
  }

  template <class ExecSpace>
  Csr to_csr(const ExecSpace& exec) const {
    return detail::drain_padded<Csr>(exec, *this);
  }

 private:
  /// The sorted rows; no entries yet.
  template <class ExecSpace>
  JaggedMatrix(const ExecSpace& exec, const Csr& csr, const FormatOptions& options)
      : rows_(csr.rows()),
        cols_(csr.cols()),
        block_size_(
            padded ? detail::checked_rows<Ordinal>(
                         title, "slice size", options.slice_size == 0 ? 32 : options.slice_size)
                   : 1),
        diagonals_(detail::longest_row(exec, csr)),
        nnz_(csr.nnz()) {
    if (padded) detail::require_rows_of_32_bits(title, rows_);
    permutation = detail::rows_by_length(exec, csr, std::max<std::int64_t>(1, rows_));
  }

  template <class ExecSpace>
  Footprint footprint_of(const ExecSpace& exec, const Csr& csr) const {
    const detail::SliceSlots<typename Traits::ConstOffsets, Ordinals> block_slots{
        csr.row_map, rows_, block_size_, permutation};
    const double slots = detail::total_slots(exec, block_slots);
    return {slots, slots * (sizeof(Scalar) + sizeof(Ordinal)) +
                       2.0 * static_cast<double>(rows_) * sizeof(Ordinal) +
                       static_cast<double>(diagonals_ + 1) * sizeof(Offset)};
  }

  Ordinal rows_ = 0;
  Ordinal cols_ = 0;
  Ordinal block_size_ = 1;
  std::int64_t diagonals_ = 0;
  std::int64_t nnz_ = 0;
};

/// Jagged diagonals without padding.
template <class Scalar, class Ordinal = std::int32_t, class Device = Kokkos::DefaultExecutionSpace,
          class Offset = std::int32_t>
using JadMatrix = JaggedMatrix<Scalar, Ordinal, Device, Offset, false>;
/// Jagged diagonals, blocks of slice_size rows padded.
template <class Scalar, class Ordinal = std::int32_t, class Device = Kokkos::DefaultExecutionSpace,
          class Offset = std::int32_t>
using PjadMatrix = JaggedMatrix<Scalar, Ordinal, Device, Offset, true>;

static_assert(SparseFormat<JadMatrix<double>> && SparseFormat<PjadMatrix<double>>);

}  // namespace fatvec
