// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>

#include <fatvec/formats/csr.hpp>
#include <fatvec/formats/detail/rows.hpp>

// The example of docs/extending.md: a format in one file.

namespace fatvec {
namespace detail {

// snippet: band functors
/// How far the entries of the matrix reach to the left and to the right of the diagonal.
template <class Csr>
struct FindBand {
  using value_type = Kokkos::MinMaxScalar<std::int64_t>;
  Csr csr;

  KOKKOS_FUNCTION void operator()(std::int64_t i, value_type& band) const {
    for (std::int64_t n = csr.row_map(i); n < csr.row_map(i + 1); ++n) {
      const std::int64_t distance = csr.entries(n) - i;
      if (distance < band.min_val) band.min_val = distance;
      if (distance > band.max_val) band.max_val = distance;
    }
  }
};

/// Adds the entries of row i to their slots, which hold zeros.
template <class Csr, class Values>
struct FillBand {
  Csr csr;
  Values values;
  std::int64_t lower;

  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    for (std::int64_t n = csr.row_map(i); n < csr.row_map(i + 1); ++n)
      values(i, csr.entries(n) - i + lower) += csr.values(n);
  }
};
// end of snippet

/// Row i's columns within the band and the matrix: first(i) <= j < last(i).
struct BandRows {
  std::int64_t lower;
  std::int64_t upper;
  std::int64_t cols;

  KOKKOS_FUNCTION std::int64_t first(std::int64_t i) const { return i > lower ? i - lower : 0; }
  KOKKOS_FUNCTION std::int64_t last(std::int64_t i) const {
    return i + upper < cols ? i + upper + 1 : cols;
  }
  KOKKOS_FUNCTION std::int64_t operator()(std::int64_t i) const {
    return last(i) > first(i) ? last(i) - first(i) : 0;
  }
};

/// The inverse of FillBand: everything that the band stores of row i.
template <class Csr, class Values>
struct DrainBand {
  Csr csr;
  Values values;
  BandRows band;

  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    std::int64_t n = csr.row_map(i);
    for (std::int64_t j = band.first(i); j < band.last(i); ++j, ++n) {
      csr.entries(n) = static_cast<typename Csr::ordinal_type>(j);
      csr.values(n) = values(i, j - i + band.lower);
    }
  }
};

}  // namespace detail

// snippet: band format
/// A band, stored whole: element (i, j) is values(i, j - i + lower()), in the layout that the
/// device likes best. No indices at all; what is not an entry within the band is a stored zero, and
/// multiplied.
template <class Scalar, class Ordinal = std::int32_t, class Device = Kokkos::DefaultExecutionSpace,
          class Offset = std::int32_t>
class BandMatrix : public FormatTraits<Scalar, Ordinal, Device, Offset> {
  using Traits = FormatTraits<Scalar, Ordinal, Device, Offset>;

 public:
  static constexpr const char* name = "band";
  static constexpr bool keeps_pattern = false;
  using typename Traits::memory_space;
  using Csr = CsrMatrix<Scalar, Ordinal, Device, Offset>;
  using Values = Kokkos::View<Scalar**, typename Traits::device_type>;

  Values values;  ///< rows × width

  [[nodiscard]] Ordinal rows() const { return rows_; }
  [[nodiscard]] Ordinal cols() const { return cols_; }
  [[nodiscard]] std::int64_t nnz() const { return nnz_; }
  [[nodiscard]] std::int64_t stored_entries() const {
    return static_cast<std::int64_t>(values.size());
  }
  [[nodiscard]] std::uint64_t bytes() const { return values.size() * sizeof(Scalar); }
  [[nodiscard]] std::int64_t lower() const { return lower_; }  ///< diagonals below the main one
  [[nodiscard]] detail::BandRows row_access() const { return {lower_, upper_, cols_}; }
  // end of snippet

  // snippet: band conversion
  template <class ExecSpace>
  static Footprint footprint(const ExecSpace& exec, const Csr& csr, const FormatOptions& = {}) {
    const auto [left, right] = reach(exec, csr);
    const double slots = static_cast<double>(csr.rows()) * static_cast<double>(right - left + 1);
    return {slots, slots * sizeof(Scalar)};
  }

  /// Throws CapacityError, before allocating, where the band exceeds options.memory_limit (default:
  /// the free memory).
  template <class ExecSpace>
  static BandMatrix from_csr(const ExecSpace& exec, const Csr& csr,
                             const FormatOptions& options = {}) {
    const Footprint need = footprint(exec, csr);
    detail::require_fits<memory_space>("Band", need, options.memory_limit,
                                       "every diagonal between the outermost two");
    const auto [left, right] = reach(exec, csr);
    BandMatrix band;
    band.rows_ = csr.rows();
    band.cols_ = csr.cols();
    band.nnz_ = csr.nnz();
    band.lower_ = -left;
    band.upper_ = right;
    band.values =
        Values(Kokkos::view_alloc(exec, "fatvec::band::values"), csr.rows(), right - left + 1);
    Kokkos::parallel_for("fatvec::BandMatrix::fill", detail::Range<ExecSpace>(exec, 0, csr.rows()),
                         detail::FillBand<Csr, Values>{csr, band.values, band.lower_});
    return band;
  }
  // end of snippet

  /// Every slot within the matrix is an entry of the result.
  template <class ExecSpace>
  Csr to_csr(const ExecSpace& exec) const {
    detail::checked_count<Offset>(static_cast<double>(stored_entries()), "entries");
    const detail::BandRows band = row_access();
    auto row_map = detail::allocate<typename Csr::Offsets>(exec, "fatvec::csr::row_map", rows_ + 1);
    const std::int64_t nnz = detail::offsets_from_lengths(exec, row_map, rows_, band);
    const Csr csr(rows_, cols_, row_map,
                  detail::allocate<typename Csr::Ordinals>(exec, "fatvec::csr::entries", nnz),
                  detail::allocate<typename Csr::Scalars>(exec, "fatvec::csr::values", nnz));
    Kokkos::parallel_for("fatvec::BandMatrix::to_csr", detail::Range<ExecSpace>(exec, 0, rows_),
                         detail::DrainBand<Csr, Values>{csr, values, band});
    return csr;
  }

 private:
  /// The outermost diagonals, the main one being 0 and always among them.
  template <class ExecSpace>
  static std::pair<std::int64_t, std::int64_t> reach(const ExecSpace& exec, const Csr& csr) {
    Kokkos::MinMaxScalar<std::int64_t> found;
    Kokkos::parallel_reduce("fatvec::BandMatrix::reach",
                            detail::Range<ExecSpace>(exec, 0, csr.rows()),
                            detail::FindBand<Csr>{csr}, Kokkos::MinMax<std::int64_t>(found));
    if (csr.nnz() == 0) return {0, 0};
    return {std::min<std::int64_t>(found.min_val, 0), std::max<std::int64_t>(found.max_val, 0)};
  }

  Ordinal rows_ = 0;
  Ordinal cols_ = 0;
  std::int64_t nnz_ = 0;
  std::int64_t lower_ = 0;
  std::int64_t upper_ = 0;
};

static_assert(SparseFormat<BandMatrix<double>>);

}  // namespace fatvec
