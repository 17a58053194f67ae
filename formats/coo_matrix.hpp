// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Core.hpp>
#include <Kokkos_Profiling_ScopedRegion.hpp>
#include <array>
#include <cstdint>

#include <fatvec/formats/csr.hpp>
#include <fatvec/formats/detail/padded.hpp>
#include <fatvec/formats/detail/row_access.hpp>

namespace fatvec {

namespace detail {

/// Rows of row-sorted coordinates, found by searching the row indices.
template <class Ordinal>
struct CooRows {
  static constexpr bool contiguous = true;
  const Ordinal* row_indices;
  std::int64_t nnz;

  KOKKOS_FUNCTION static constexpr std::int64_t row(std::int64_t i) { return i; }
  /// The first entry of row i, or of the next row that has one.
  KOKKOS_FUNCTION std::int64_t begin(std::int64_t i) const {
    std::int64_t first = 0;
    for (std::int64_t left = nnz; left > 0;) {
      const std::int64_t half = left / 2;
      const bool before = row_indices[first + half] < i;
      first += before ? half + 1 : 0;
      left = before ? left - half - 1 : half;
    }
    return first;
  }
  KOKKOS_FUNCTION StridedWalk walk(std::int64_t i) const { return {begin(i), 1}; }
  /// One search finds where they begin; each then begins behind the one before.
  template <class Visit>
  FATVEC_FORCEINLINE_FUNCTION void for_each_row(std::int64_t first, std::int64_t last,
                                                const Visit& visit) const {
    for (std::int64_t n = first < last ? begin(first) : 0; first < last; ++first) {
      visit(first, StridedWalk{n, 1});
      while (n < nnz && row_indices[n] <= first) ++n;
    }
  }
  KOKKOS_FUNCTION static constexpr bool is_contiguous() { return true; }
  KOKKOS_FUNCTION static constexpr std::int64_t interleaved(std::int64_t) { return 1; }
  KOKKOS_FUNCTION std::int64_t length(std::int64_t i) const {
    std::int64_t n = begin(i);
    const std::int64_t first = n;
    while (n < nnz && row_indices[n] == i) ++n;
    return n - first;
  }
  KOKKOS_FUNCTION std::int64_t width(std::int64_t i) const { return length(i); }
  KOKKOS_FUNCTION std::int64_t slots_before(std::int64_t i) const { return begin(i); }
};

/// The row of each entry.
template <class Csr>
struct FillRowIndices {
  typename Csr::ConstOffsets row_map;
  typename Csr::Ordinals row_indices;

  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    for (auto n = row_map(i); n < row_map(i + 1); ++n)
      row_indices(n) = static_cast<typename Csr::ordinal_type>(i);
  }
};

}  // namespace detail

/// Coordinates (COO) sorted by row: entry n is A(row_indices(n), entries(n)) = values(n). It is CSR
/// with a row index for each entry in place of the offsets, so it takes more bytes wherever rows
/// have more than one entry on the average, and a row is found by a search. What is not sorted, as
/// it comes from files or assembly, is a Coo (formats/coo.hpp).
template <class Scalar, class Ordinal = std::int32_t, class Device = Kokkos::DefaultExecutionSpace,
          class Offset = std::int32_t>
class CooMatrix : public FormatTraits<Scalar, Ordinal, Device, Offset> {
  using Traits = FormatTraits<Scalar, Ordinal, Device, Offset>;

 public:
  static constexpr const char* name = "coo";
  using typename Traits::memory_space;
  using typename Traits::Ordinals;
  using typename Traits::Scalars;
  using Csr = CsrMatrix<Scalar, Ordinal, Device, Offset>;
  using Rows = detail::CooRows<Ordinal>;

  Ordinals row_indices;  ///< of each entry, ascending
  Ordinals entries;      ///< its column
  Scalars values;        ///< of each entry

  [[nodiscard]] Ordinal rows() const { return rows_; }
  [[nodiscard]] Ordinal cols() const { return cols_; }
  [[nodiscard]] std::int64_t nnz() const { return static_cast<std::int64_t>(values.extent(0)); }
  [[nodiscard]] std::int64_t stored_entries() const { return nnz(); }
  [[nodiscard]] auto arrays() const {
    return std::array{detail::span_of_array("row_indices", row_indices),
                      detail::span_of_array("entries", entries),
                      detail::span_of_array("values", values)};
  }
  [[nodiscard]] std::uint64_t bytes() const { return detail::bytes_of_arrays(*this); }
  [[nodiscard]] Rows row_access() const { return {row_indices.data(), nnz()}; }

  template <class ExecSpace>
  static Footprint footprint(const ExecSpace&, const Csr& csr, const FormatOptions& = {}) {
    const auto nnz = static_cast<double>(csr.nnz());
    return {nnz, nnz * (2 * sizeof(Ordinal) + sizeof(Scalar))};
  }

  /// Throws CapacityError, before anything is allocated, where the arrays exceed
  /// options.memory_limit (default: the free memory).
  template <class ExecSpace>
  static CooMatrix from_csr(const ExecSpace& exec, const Csr& csr,
                            const FormatOptions& options = {}) {
    const Kokkos::Profiling::ScopedRegion region("fatvec::CooMatrix::from_csr");
    detail::require_fits<memory_space>("COO", footprint(exec, csr), options.memory_limit,
                                       "a row and a column index for each entry");
    CooMatrix coo;
    coo.rows_ = csr.rows();
    coo.cols_ = csr.cols();
    coo.row_indices = detail::allocate<Ordinals>(exec, "fatvec::coo::row_indices", csr.nnz());
    coo.entries = detail::allocate<Ordinals>(exec, "fatvec::coo::entries", csr.nnz());
    coo.values = detail::allocate<Scalars>(exec, "fatvec::coo::values", csr.nnz());
    Kokkos::parallel_for("fatvec::CooMatrix::fill", detail::Range<ExecSpace>(exec, 0, csr.rows()),
                         detail::FillRowIndices<Csr>{csr.row_map, coo.row_indices});
    Kokkos::deep_copy(exec, coo.entries, csr.entries);
    Kokkos::deep_copy(exec, coo.values, csr.values);
    return coo;
  }

  template <class ExecSpace>
  Csr to_csr(const ExecSpace& exec) const {
    return detail::drain_padded<Csr>(exec, *this);
  }

 private:
  Ordinal rows_ = 0;
  Ordinal cols_ = 0;
};

static_assert(SparseFormat<CooMatrix<double>>);

}  // namespace fatvec
