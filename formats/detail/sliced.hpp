// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <string>

#include <fatvec/formats/csr.hpp>
#include <fatvec/formats/detail/padded.hpp>
#include <fatvec/formats/detail/slices.hpp>

namespace fatvec::detail {

/// One slice as an ELLPACK matrix of its own: rank-2 Views of rows × width, no ownership.
template <class Scalar, class Ordinal, class Device, class Layout>
struct SliceViews {
  SlotView<Ordinal, Layout, Device> entries;  ///< column indices, -1 in padding
  SlotView<Scalar, Layout, Device> values;
};

/// What HLL and SELL share: stored rows cut into slices of consecutive rows, each an ELLPACK matrix
/// of its own width in this Layout. Slot j of row r of slice s is entry
///
///     slice_offsets(s) + r + j · (rows of the slice)      LayoutLeft
///     slice_offsets(s) + r · (width of the slice) + j     LayoutRight
///
/// of the arrays. The last slice has the rows that are left. Padding comes after a row's entries
/// and holds index -1, value 0; kernels never read it.
template <class Scalar, class Ordinal, class Device, class Offset, class Layout>
class SlicedEllpack : public FormatTraits<Scalar, Ordinal, Device, Offset> {
  using Traits = FormatTraits<Scalar, Ordinal, Device, Offset>;
  static_assert(is_column_major<Layout> || is_row_major<Layout>,
                "the layout of a format is Kokkos::LayoutLeft or Kokkos::LayoutRight");

 public:
  static constexpr Ordinal padding_index = -1;
  using typename Traits::memory_space;
  using typename Traits::Offsets;
  using typename Traits::Ordinals;
  using typename Traits::Scalars;
  using array_layout = Layout;
  using Csr = CsrMatrix<Scalar, Ordinal, Device, Offset>;

  Offsets slice_offsets;  ///< slices + 1 offsets into entries and values
  Ordinals row_lengths;   ///< rows: entries of each stored row
  Ordinals entries;       ///< column indices, padding included
  Scalars values;         ///< values, padding included

  [[nodiscard]] KOKKOS_FUNCTION Ordinal rows() const { return rows_; }
  [[nodiscard]] KOKKOS_FUNCTION Ordinal cols() const { return cols_; }
  [[nodiscard]] KOKKOS_FUNCTION Ordinal slice_size() const { return slice_size_; }
  [[nodiscard]] KOKKOS_FUNCTION std::int64_t slices() const {
    return slices_of(rows_, slice_size_);
  }
  [[nodiscard]] std::int64_t nnz() const { return nnz_; }
  [[nodiscard]] std::int64_t stored_entries() const {
    return static_cast<std::int64_t>(values.extent(0));
  }

  /// Slice s, 0 <= s < slices(), for kernels of your own: usable on the device.
  [[nodiscard]] KOKKOS_FUNCTION SliceViews<Scalar, Ordinal, Device, Layout> slice(
      std::int64_t s) const {
    const std::int64_t left = rows_ - s * slice_size_;
    const auto height = static_cast<std::size_t>(left < slice_size_ ? left : slice_size_);
    const auto first = slice_offsets(s);
    const auto width = static_cast<std::size_t>(slice_offsets(s + 1) - first) / height;
    return {SlotView<Ordinal, Layout, Device>(entries.data() + first, height, width),
            SlotView<Scalar, Layout, Device>(values.data() + first, height, width)};
  }

 protected:
  SlicedEllpack() = default;
  SlicedEllpack(const Csr& csr, Ordinal slice_size)
      : rows_(csr.rows()), cols_(csr.cols()), slice_size_(slice_size), nnz_(csr.nnz()) {}

  [[nodiscard]] Footprint footprint_of_slots(double slots) const {
    return {slots, slots * (sizeof(Scalar) + sizeof(Ordinal)) +
                       static_cast<double>(rows_) * sizeof(Ordinal) +
                       static_cast<double>(slices() + 1) * sizeof(Offset)};
  }

  Ordinal rows_ = 0;
  Ordinal cols_ = 0;
  Ordinal slice_size_ = 32;
  std::int64_t nnz_ = 0;
};

/// Builds the slices of a matrix that knows its extents and the order of its rows. Throws
/// CapacityError, before entries and values are allocated, where they exceed the memory limit or
/// Offset cannot count the slots.
template <class ExecSpace, class Csr, class Matrix, class Order>
void fill_slices(const ExecSpace& exec, const Csr& csr, Matrix& matrix, const char* title,
                 const std::string& what, const Footprint& need, const FormatOptions& options,
                 const Order& order) {
  using Offsets = typename Matrix::Offsets;
  require_fits<typename Matrix::memory_space>(
      title, need, options.memory_limit,
      concat(what, ", each padded to its longest; CSR needs ",
             human_bytes(static_cast<double>(csr.bytes()))));
  checked_count<typename Matrix::offset_type>(need.stored_entries, concat(title, " slots").c_str());
  matrix.row_lengths = row_lengths(exec, csr, order);
  matrix.slice_offsets = allocate<Offsets>(exec, "fatvec::slice_offsets", matrix.slices() + 1);
  const SliceSlots<typename Matrix::ConstOffsets, Order> slots{csr.row_map, csr.rows(),
                                                               matrix.slice_size(), order};
  offsets_from_lengths(exec, matrix.slice_offsets, matrix.slices(), slots);
  fill_padded(exec, csr, matrix, need.stored_entries);
}

}  // namespace fatvec::detail
