// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_BitManipulation.hpp>
#include <Kokkos_Core.hpp>
#include <Kokkos_Profiling_ScopedRegion.hpp>
#include <array>
#include <cstdint>

#include <fatvec/formats/csr.hpp>
#include <fatvec/formats/detail/blocks.hpp>
#include <fatvec/formats/detail/drain_visited.hpp>

namespace fatvec {

namespace detail {

/// Diagonals whose entries a mask has a bit for.
inline constexpr std::int64_t diagonals_of_mask = 32;

/// The arrays of DIA, for kernels.
template <class Value, class Ordinal, bool column_major>
struct DiaAccess {
  using ordinal_type = Ordinal;
  const Ordinal* offsets;
  const std::uint32_t* masks;
  const Value* values;
  std::int64_t rows;
  std::int64_t diagonals;
  std::int64_t masks_of_row;

  KOKKOS_FUNCTION static std::int64_t row(std::int64_t i) { return i; }
  [[nodiscard]] KOKKOS_FUNCTION std::uint32_t mask(std::int64_t i, std::int64_t n) const {
    return masks[column_major ? n * rows + i : i * masks_of_row + n];
  }
  [[nodiscard]] KOKKOS_FUNCTION const Value& value(std::int64_t i, std::int64_t d) const {
    return values[column_major ? d * rows + i : i * diagonals + d];
  }
  /// Entries of row i.
  [[nodiscard]] KOKKOS_FUNCTION std::int64_t length(std::int64_t i) const {
    std::int64_t length = 0;
    for (std::int64_t n = 0; n < masks_of_row; ++n) length += Kokkos::popcount(mask(i, n));
    return length;
  }

  /// visit(value, column) for each entry of row i, by ascending columns.
  template <int = 1, class Visit>
  KOKKOS_FORCEINLINE_FUNCTION void for_each_entry(std::int64_t i, const Visit& visit) const {
    for (std::int64_t n = 0; n < masks_of_row; ++n)
      for (std::uint32_t left = mask(i, n); left != 0; left &= left - 1) {
        const std::int64_t d =
            n * diagonals_of_mask + Kokkos::Experimental::countr_zero_builtin(left);
        visit(value(i, d), static_cast<Ordinal>(i + offsets[d]));
      }
  }
};

/// The diagonals of a matrix whose rows are sorted by column. A diagonal on which a row has several
/// entries comes as often; the n-th entry that a row has there is on the n-th of them.
template <class Csr>
struct MatrixDiagonals {
  using Counts = Kokkos::View<std::int64_t*, typename Csr::device_type>;
  typename Csr::ConstOffsets row_map;
  typename Csr::Ordinals entries;
  typename Csr::Scalars values;
  std::int64_t rows;
  Counts first;  ///< of each place, the diagonals before it

  /// The place of the diagonal of entry n of row i, among all that the matrix has room for.
  [[nodiscard]] KOKKOS_FUNCTION std::int64_t place(std::int64_t i, std::int64_t n) const {
    return entries(n) - i + rows - 1;
  }
  /// Whether entry n of row i is on the diagonal of the one before.
  [[nodiscard]] KOKKOS_FUNCTION bool repeats(std::int64_t i, std::int64_t n) const {
    return n > row_map(i) && entries(n) == entries(n - 1);
  }
};

/// Counts, in `first`, how often the diagonal of each place comes.
template <class Csr>
struct CountMatrixDiagonals {
  MatrixDiagonals<Csr> diagonals;

  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    std::int64_t copies = 0;
    for (std::int64_t n = diagonals.row_map(i); n < diagonals.row_map(i + 1); ++n) {
      copies = diagonals.repeats(i, n) ? copies + 1 : 1;
      std::int64_t& most = diagonals.first(diagonals.place(i, n));
      if (Kokkos::atomic_load(&most) < copies) Kokkos::atomic_max(&most, copies);
    }
  }
};

/// Lists the diagonals of a place.
template <class Csr>
struct ListDiagonals {
  MatrixDiagonals<Csr> diagonals;
  typename Csr::Ordinals offsets;

  KOKKOS_FUNCTION void operator()(std::int64_t place) const {
    const auto offset = static_cast<typename Csr::ordinal_type>(place - (diagonals.rows - 1));
    for (std::int64_t d = diagonals.first(place); d < diagonals.first(place + 1); ++d)
      offsets(d) = offset;
  }
};

/// Writes row i: its entries, and zeros elsewhere.
template <class Csr, class Dia>
struct FillDia {
  MatrixDiagonals<Csr> diagonals;
  Dia dia;

  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    const auto count = static_cast<std::int64_t>(dia.values.extent(1));
    std::int64_t n = diagonals.row_map(i);
    std::int64_t next = diagonal_of(i, n, -1);
    std::uint32_t mask = 0;
    for (std::int64_t d = 0; d < count; ++d) {
      const bool present = d == next;
      dia.values(i, d) = present ? diagonals.values(n) : typename Csr::value_type{};
      mask |= static_cast<std::uint32_t>(present) << d % diagonals_of_mask;
      if (present) next = diagonal_of(i, ++n, d);
      if (d % diagonals_of_mask == diagonals_of_mask - 1 || d == count - 1) {
        dia.masks(i, d / diagonals_of_mask) = mask;
        mask = 0;
      }
    }
  }

 private:
  /// Of entry n of row i, whose previous entry is on diagonal d; -1 behind the last.
  [[nodiscard]] KOKKOS_FUNCTION std::int64_t diagonal_of(std::int64_t i, std::int64_t n,
                                                         std::int64_t d) const {
    if (n == diagonals.row_map(i + 1)) return -1;
    if (diagonals.repeats(i, n)) return d + 1;
    return diagonals.first(diagonals.place(i, n));
  }
};

}  // namespace detail

/// DIA, the diagonals of the matrix (Saad 2003): element (i, i + offsets(d)) is values(i, d), a
/// rank-2 View in the layout that the device likes best: on GPUs diagonal by diagonal, which is
/// Saad's order, on hosts row by row. Offsets ascend. Values are indexed by row, so that a
/// diagonal has places outside the matrix, too.
///
/// Bit d % 32 of masks(i, d / 32) says whether row i has an entry on diagonal d; elsewhere values
/// are 0, and nothing of them reaches a product. Of two entries of a row in one column each has a
/// diagonal.
///
/// Few diagonals take no index for an entry. Each diagonal takes a value for every row, however few
/// entries it has: SlicedDiaMatrix leaves it out where it has none.
template <class Scalar, class Ordinal = std::int32_t, class Device = Kokkos::DefaultExecutionSpace,
          class Offset = std::int32_t>
class DiaMatrix : public FormatTraits<Scalar, Ordinal, Device, Offset> {
  using Traits = FormatTraits<Scalar, Ordinal, Device, Offset>;
  using Layout = DefaultLayout<Device>;

 public:
  static constexpr const char* name = "dia";
  using typename Traits::memory_space;
  using typename Traits::Ordinals;
  using Masks = Kokkos::View<std::uint32_t**, Layout, typename Traits::device_type>;
  using Values = Kokkos::View<Scalar**, Layout, typename Traits::device_type>;
  using Csr = CsrMatrix<Scalar, Ordinal, Device, Offset>;
  using Access = detail::DiaAccess<Scalar, Ordinal, detail::is_column_major<Layout>>;

  Ordinals offsets;  ///< of each diagonal: column - row
  Masks masks;       ///< rows × (diagonals / 32, rounded up)
  Values values;     ///< rows × diagonals

  [[nodiscard]] KOKKOS_FUNCTION Ordinal rows() const { return rows_; }
  [[nodiscard]] KOKKOS_FUNCTION Ordinal cols() const { return cols_; }
  [[nodiscard]] KOKKOS_FUNCTION std::int64_t diagonals() const {
    return static_cast<std::int64_t>(offsets.extent(0));
  }
  [[nodiscard]] std::int64_t nnz() const { return nnz_; }
  [[nodiscard]] std::int64_t stored_entries() const {
    return static_cast<std::int64_t>(values.size());
  }
  [[nodiscard]] auto arrays() const {
    return std::array{detail::span_of_array("offsets", offsets),
                      detail::span_of_array("masks", masks),
                      detail::span_of_array("values", values)};
  }
  [[nodiscard]] std::uint64_t bytes() const { return detail::bytes_of_arrays(*this); }
  /// What kernels see: rows are visited, not indexed.
  [[nodiscard]] Access row_visitor() const {
    return {offsets.data(), masks.data(), values.data(),
            rows_,          diagonals(),  static_cast<std::int64_t>(masks.extent(1))};
  }
  [[nodiscard]] std::int64_t visited_rows() const { return rows_; }

  /// Goes through all entries for the diagonals, whatever a memory limit says. Throws CapacityError
  /// where no memory is left for what counts them.
  template <class ExecSpace>
  static Footprint footprint(const ExecSpace& exec, const Csr& csr, const FormatOptions& = {}) {
    return find(exec, csr, {}).footprint;
  }

  /// Rows need not be sorted. Throws CapacityError, before the arrays are allocated, where they
  /// exceed options.memory_limit (default: the free memory).
  template <class ExecSpace>
  static DiaMatrix from_csr(const ExecSpace& exec, const Csr& csr,
                            const FormatOptions& options = {}) {
    const Kokkos::Profiling::ScopedRegion region("fatvec::DiaMatrix::from_csr");
    const Found found = find(exec, csr, options);
    detail::require_fits<memory_space>(
        "DIA", found.footprint, options.memory_limit,
        detail::concat(found.count, " diagonals, of ", csr.rows(), " rows each; CSR needs ",
                       human_bytes(static_cast<double>(csr.bytes()))));
    DiaMatrix dia;
    dia.rows_ = csr.rows();
    dia.cols_ = csr.cols();
    dia.nnz_ = csr.nnz();
    dia.offsets = detail::allocate<Ordinals>(exec, "fatvec::dia::offsets", found.count);
    dia.masks =
        detail::allocate<Masks>(exec, "fatvec::dia::masks", csr.rows(), masks_of(found.count));
    dia.values = detail::allocate<Values>(exec, "fatvec::dia::values", csr.rows(), found.count);
    Kokkos::parallel_for("fatvec::DiaMatrix::list",
                         detail::Range<ExecSpace>(exec, 0, places_of(csr)),
                         detail::ListDiagonals<Csr>{found.diagonals, dia.offsets});
    Kokkos::parallel_for("fatvec::DiaMatrix::fill", detail::Range<ExecSpace>(exec, 0, csr.rows()),
                         detail::FillDia<Csr, DiaMatrix>{found.diagonals, dia});
    exec.fence("fatvec::DiaMatrix::from_csr");  // what was found goes at the end of this function
    return dia;
  }

  /// Rows sorted by column.
  template <class ExecSpace>
  Csr to_csr(const ExecSpace& exec) const {
    return detail::drain_visited<Csr>(exec, *this);
  }

 private:
  struct Found {
    detail::MatrixDiagonals<Csr> diagonals;
    std::int64_t count;
    Footprint footprint;
  };

  /// Diagonals that the matrix has room for.
  static std::int64_t places_of(const Csr& csr) {
    return csr.nnz() == 0 ? 0 : std::int64_t{csr.rows()} + csr.cols() - 1;
  }
  static std::int64_t masks_of(std::int64_t diagonals) {
    return (diagonals + detail::diagonals_of_mask - 1) / detail::diagonals_of_mask;
  }

  template <class ExecSpace>
  static Found find(const ExecSpace& exec, const Csr& csr, const FormatOptions& options) {
    using Diagonals = detail::MatrixDiagonals<Csr>;
    const std::int64_t places = places_of(csr);
    const auto counts = static_cast<double>(places) + 1;
    detail::require_fits<memory_space>(
        "DIA", {counts, counts * sizeof(typename Diagonals::Counts::value_type)},
        options.memory_limit,
        detail::concat("to look for diagonals, a counter for each of ", places, " places"));
    const Csr sorted = detail::sorted_by_column(exec, csr);
    const Diagonals diagonals{
        sorted.row_map, sorted.entries, sorted.values, sorted.rows(),
        detail::allocate_zeros<typename Diagonals::Counts>(exec, "fatvec::dia::first",
                                                           static_cast<std::size_t>(places) + 1)};
    Kokkos::parallel_for("fatvec::DiaMatrix::count", detail::Range<ExecSpace>(exec, 0, csr.rows()),
                         detail::CountMatrixDiagonals<Csr>{diagonals});
    const std::int64_t count =
        detail::offsets_from_lengths(exec, diagonals.first, places, diagonals.first);
    const auto rows = static_cast<double>(csr.rows());
    const double slots = rows * static_cast<double>(count);
    const double masks = rows * static_cast<double>(masks_of(count));
    return {diagonals, count,
            Footprint{slots, slots * sizeof(Scalar) + masks * sizeof(std::uint32_t) +
                                 static_cast<double>(count) * sizeof(Ordinal)}};
  }

  Ordinal rows_ = 0;
  Ordinal cols_ = 0;
  std::int64_t nnz_ = 0;
};

static_assert(SparseFormat<DiaMatrix<double>>);

}  // namespace fatvec
