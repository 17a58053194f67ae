// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Core.hpp>
#include <Kokkos_Profiling_ScopedRegion.hpp>
#include <algorithm>
#include <array>

#include <fatvec/formats/csr.hpp>
#include <fatvec/formats/detail/blocks.hpp>
#include <fatvec/formats/detail/padded.hpp>
#include <fatvec/formats/detail/row_access.hpp>

namespace fatvec {

/// BSR, block compressed rows (Stec and Stpiczyński): CSR of dense blocks of block_size ×
/// block_size elements. Block row i holds blocks n, row_map(i) <= n < row_map(i + 1), of block
/// column entries(n), ascending. block(n) is a View of block n's elements, which are values n ·
/// block_size² ... in this Layout: LayoutLeft, column-major as in the paper, or LayoutRight.
///
/// One index serves block_size² elements, and a row of X as many rows of Y, for the price of fill:
/// a block that holds one entry stores all its elements. Blocks at the lower and the right edge are
/// stored whole; what is outside the matrix is zero there, and kernels neither read X nor write Y
/// for it. Fill cannot be told from entries that are zero. It is multiplied: an Inf or NaN in X
/// reaches every row of a block, and to_csr gives it back as explicit zeros. Names follow
/// KokkosSparse::Experimental::BsrMatrix; the paper's are ptrB and ptrE, cols, vals.
template <class Scalar, class Ordinal = std::int32_t, class Device = Kokkos::DefaultExecutionSpace,
          class Offset = std::int32_t, class Layout = Kokkos::LayoutLeft>
class BsrMatrix : public FormatTraits<Scalar, Ordinal, Device, Offset> {
  using Traits = FormatTraits<Scalar, Ordinal, Device, Offset>;
  static_assert(detail::is_column_major<Layout> || detail::is_row_major<Layout>,
                "the layout of a format is Kokkos::LayoutLeft or Kokkos::LayoutRight");

 public:
  static constexpr const char* name = "bsr";
  static constexpr bool keeps_pattern = false;
  static constexpr int max_block_size = detail::max_block_size;
  using typename Traits::memory_space;
  using typename Traits::Offsets;
  using typename Traits::Ordinals;
  using typename Traits::Scalars;
  using array_layout = Layout;  ///< within a block
  template <class Other>
  using WithLayout = BsrMatrix<Scalar, Ordinal, Device, Offset, Other>;
  using Csr = CsrMatrix<Scalar, Ordinal, Device, Offset>;
  using Rows = detail::CsrRows<Offset>;  ///< of blocks

  Offsets row_map;   ///< block_rows + 1 offsets, in blocks
  Ordinals entries;  ///< block column of each block
  Scalars values;    ///< block_size² for each block

  [[nodiscard]] KOKKOS_FUNCTION Ordinal rows() const { return rows_; }
  [[nodiscard]] KOKKOS_FUNCTION Ordinal cols() const { return cols_; }
  [[nodiscard]] KOKKOS_FUNCTION int block_size() const { return block_size_; }
  [[nodiscard]] std::int64_t block_rows() const { return detail::blocks_along(rows_, block_size_); }
  [[nodiscard]] std::int64_t block_cols() const { return detail::blocks_along(cols_, block_size_); }
  [[nodiscard]] std::int64_t blocks() const { return static_cast<std::int64_t>(entries.extent(0)); }
  /// Block n, 0 <= n < blocks(), as a matrix of its own, for kernels of your own: usable on the
  /// device.
  [[nodiscard]] KOKKOS_FUNCTION detail::SlotView<Scalar, Layout, Device> block(
      std::int64_t n) const {
    const auto size = static_cast<std::size_t>(block_size_);
    return detail::SlotView<Scalar, Layout, Device>(values.data() + n * block_size_ * block_size_,
                                                    size, size);
  }
  [[nodiscard]] std::int64_t nnz() const { return nnz_; }
  [[nodiscard]] std::int64_t stored_entries() const {
    return static_cast<std::int64_t>(values.extent(0));
  }
  [[nodiscard]] auto arrays() const {
    return std::array{detail::span_of_array("row_map", row_map),
                      detail::span_of_array("entries", entries),
                      detail::span_of_array("values", values)};
  }
  [[nodiscard]] std::uint64_t bytes() const { return detail::bytes_of_arrays(*this); }
  [[nodiscard]] Rows row_access() const { return {row_map.data()}; }
  [[nodiscard]] detail::BlockAccess block_access() const {
    constexpr bool by_columns = detail::is_column_major<Layout>;
    return {block_size_, by_columns ? 1 : block_size_, by_columns ? block_size_ : 1};
  }

  /// Sizes with blocks of 1, 2, ... max_block_size rows; the matrix's structure is read once for
  /// each, in one launch.
  template <class ExecSpace>
  static std::array<Footprint, max_block_size> footprints(const ExecSpace& exec, const Csr& csr) {
    return footprints_of(exec, detail::sorted_by_column(exec, csr), 1);
  }
  template <class ExecSpace>
  static Footprint footprint(const ExecSpace& exec, const Csr& csr,
                             const FormatOptions& options = {}) {
    const int size = checked_block_size(options);
    const Csr sorted = detail::sorted_by_column(exec, csr);
    return footprint_of(exec, sorted, size == 0 ? chosen_block_size(exec, sorted) : size);
  }

  /// The block size that from_csr takes where it is given none.
  template <class ExecSpace>
  static int choose_block_size(const ExecSpace& exec, const Csr& csr) {
    return chosen_block_size(exec, detail::sorted_by_column(exec, csr));
  }

  /// Rows need not be sorted; duplicates are summed. Where no block size is given it is the
  /// best_block_size, judged by some thousand entries from all over the matrix.
  /// Throws UsageError for a block size beyond max_block_size and CapacityError, before entries and
  /// values are allocated, where the arrays exceed options.memory_limit (default: the free memory)
  /// or Offset cannot count the blocks.
  template <class ExecSpace>
  static BsrMatrix from_csr(const ExecSpace& exec, const Csr& csr,
                            const FormatOptions& options = {}) {
    const Kokkos::Profiling::ScopedRegion region("fatvec::BsrMatrix::from_csr");
    const Csr sorted = detail::sorted_by_column(exec, csr);
    BsrMatrix bsr;
    bsr.rows_ = csr.rows();
    bsr.cols_ = csr.cols();
    bsr.nnz_ = csr.nnz();
    bsr.block_size_ = checked_block_size(options);
    if (bsr.block_size_ == 0) bsr.block_size_ = chosen_block_size(exec, sorted);
    const auto occupied = occupied_blocks(sorted, bsr.block_size_);
    const std::int64_t block_rows = bsr.block_rows();
    bsr.row_map = detail::allocate<Offsets>(exec, "fatvec::bsr::row_map",
                                            static_cast<std::size_t>(block_rows) + 1);
    Kokkos::parallel_for("fatvec::BsrMatrix::count", detail::Range<ExecSpace>(exec, 0, block_rows),
                         detail::StoreCounts<Csr>{occupied, bsr.row_map});
    const std::int64_t blocks =
        detail::offsets_from_lengths(exec, bsr.row_map, block_rows, bsr.row_map);
    const Footprint need = footprint_with(static_cast<double>(blocks), bsr.block_size_, block_rows);
    detail::require_fits<memory_space>(
        "BSR", need, options.memory_limit,
        detail::concat("blocks of ", bsr.block_size_, " x ", bsr.block_size_, " that store ",
                       static_cast<std::int64_t>(need.stored_entries), " elements for ", bsr.nnz_,
                       " entries; CSR needs ", human_bytes(static_cast<double>(csr.bytes()))));
    detail::checked_count<Offset>(static_cast<double>(blocks), "BSR blocks");
    bsr.entries =
        detail::allocate<Ordinals>(exec, "fatvec::bsr::entries", static_cast<std::size_t>(blocks));
    bsr.values = detail::allocate_zeros<Scalars>(exec, "fatvec::bsr::values", need.stored_entries);
    Kokkos::parallel_for("fatvec::BsrMatrix::list",
                         detail::Range<ExecSpace>(exec, 0, bsr.block_rows()),
                         detail::ListBlocks<Csr>{occupied, bsr.row_map, bsr.entries});
    const auto parts = detail::RowParts::of<ExecSpace>(bsr.rows(), bsr.nnz());
    Kokkos::parallel_for("fatvec::BsrMatrix::fill", parts.items(exec),
                         detail::FillBlocks<Csr>{sorted, bsr.stored_blocks(), parts});
    exec.fence("fatvec::BsrMatrix::from_csr");  // a sorted copy goes at the end of this function
    return bsr;
  }

  /// Every element that a block stores within the matrix is an entry of the result, sorted by
  /// column. Throws CapacityError where Offset cannot count them.
  template <class ExecSpace>
  Csr to_csr(const ExecSpace& exec) const {
    detail::checked_count<Offset>(static_cast<double>(stored_entries()), "entries");
    const Csr csr = detail::csr_of_lengths<Csr>(exec, rows_, cols_, stored_blocks(), rows_);
    Kokkos::parallel_for("fatvec::BsrMatrix::to_csr", detail::Range<ExecSpace>(exec, 0, rows_),
                         detail::DrainBlocks<Csr>{csr, stored_blocks()});
    return csr;
  }

  /// The block size that takes the fewest bytes, the smallest of equals: what a product reads of A,
  /// all else being the same.
  static int best_block_size(const std::array<Footprint, max_block_size>& list) {
    const auto fewer_bytes = [](const Footprint& a, const Footprint& b) {
      return a.bytes < b.bytes;
    };
    return static_cast<int>(std::min_element(list.begin(), list.end(), fewer_bytes) -
                            list.begin()) +
           1;
  }

 private:
  [[nodiscard]] detail::StoredBlocks<Csr> stored_blocks() const {
    return {row_map, entries, values, block_access(), cols_};
  }

  static int checked_block_size(const FormatOptions& options) {
    if (options.block_size < 0 || options.block_size > max_block_size) {
      throw UsageError(detail::concat("BSR wants a block size of 1 to ", max_block_size,
                                      ", or 0 for the one of fewest bytes, not ",
                                      options.block_size, "."));
    }
    return static_cast<int>(options.block_size);
  }
  static detail::OccupiedBlocks<Csr> occupied_blocks(const Csr& sorted, int size) {
    return {sorted.row_map, sorted.entries, sorted.rows(), size};
  }
  template <class ExecSpace>
  static int chosen_block_size(const ExecSpace& exec, const Csr& sorted) {
    constexpr std::int64_t enough = 1 << 12;  // entries that show what blocks there are
    const std::int64_t period = std::max<std::int64_t>((sorted.nnz() + enough - 1) / enough, 1);
    return best_block_size(footprints_of(exec, sorted, period));
  }
  /// With a period beyond 1 from a sample of the entries.
  template <class ExecSpace>
  static std::array<Footprint, max_block_size> footprints_of(const ExecSpace& exec,
                                                             const Csr& sorted,
                                                             std::int64_t period) {
    const auto blocks = detail::count_blocks(exec, sorted, 1, max_block_size, period);
    std::array<Footprint, max_block_size> list;
    for (int size = 1; size <= max_block_size; ++size)
      list[size - 1] =
          footprint_with(blocks[size - 1], size, detail::blocks_along(sorted.rows(), size));
    return list;
  }
  template <class ExecSpace>
  static Footprint footprint_of(const ExecSpace& exec, const Csr& sorted, int size) {
    return footprint_with(detail::count_blocks(exec, sorted, size, 1, 1)[0], size,
                          detail::blocks_along(sorted.rows(), size));
  }
  static Footprint footprint_with(double blocks, int size, std::int64_t block_rows) {
    const double elements = blocks * size * size;
    return {elements, elements * sizeof(Scalar) + blocks * sizeof(Ordinal) +
                          static_cast<double>(block_rows + 1) * sizeof(Offset)};
  }

  Ordinal rows_ = 0;
  Ordinal cols_ = 0;
  int block_size_ = 1;
  std::int64_t nnz_ = 0;
};

static_assert(SparseFormat<BsrMatrix<double>>);

}  // namespace fatvec
