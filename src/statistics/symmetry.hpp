// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Core.hpp>
#include <Kokkos_Profiling_ScopedRegion.hpp>
#include <cstdint>
#include <string_view>

#include <fatvec/core/error.hpp>
#include <fatvec/formats/csr.hpp>
#include <fatvec/statistics/detail/entry_blocks.hpp>

namespace fatvec {

/// How a matrix compares with its transpose; the strongest that holds. A matrix without entries is
/// `numerical`.
enum class Symmetry {
  not_square,
  none,        ///< some A(i, j) is stored and A(j, i) is not
  structural,  ///< the same positions are stored
  numerical,   ///< A = Aᵀ, exactly
  skew         ///< A = -Aᵀ, exactly
};

/// As the programs spell it.
constexpr std::string_view to_string(Symmetry symmetry) {
  switch (symmetry) {
    case Symmetry::not_square:
      return "not square";
    case Symmetry::none:
      return "none";
    case Symmetry::structural:
      return "structural";
    case Symmetry::numerical:
      return "numerical";
    case Symmetry::skew:
      return "skew";
  }
  return "";
}

namespace detail {

/// Looks up the mirror image of every entry; the reduction's result is the set of violations found.
template <class Csr>
struct SymmetryViolations {
  static constexpr unsigned unsorted = 1, missing = 2, unequal = 4, not_opposite = 8;

  Csr csr;
  EntryBlocks<typename Csr::ConstOffsets> blocks;

  KOKKOS_FUNCTION void operator()(std::int64_t block, unsigned& violations) const {
    blocks.for_each_entry(block, [&](std::int64_t row, std::int64_t n) {
      if (n > static_cast<std::int64_t>(csr.row_map(row)) && csr.entries(n - 1) >= csr.entries(n))
        violations |= unsorted;
      if (violations & (unsorted | missing))
        return;  // the answer is known, only sortedness remains to be checked
      violations |= compare(n, find(csr.entries(n), row));
    });
  }

  KOKKOS_FUNCTION unsigned compare(std::int64_t n, std::int64_t mirror) const {
    if (mirror < 0) return missing;
    const auto value = csr.values(n);
    const auto mirrored = csr.values(mirror);
    return (value == mirrored ? 0U : unequal) | (value == -mirrored ? 0U : not_opposite);
  }

  /// The entry at (row, column), -1 for none.
  KOKKOS_FUNCTION std::int64_t find(std::int64_t row, std::int64_t column) const {
    const auto end = static_cast<std::int64_t>(csr.row_map(row + 1));
    const std::int64_t at = first_where(csr.row_map(row), end, [&](std::int64_t n) {
      return static_cast<std::int64_t>(csr.entries(n)) >= column;
    });
    return at < end && static_cast<std::int64_t>(csr.entries(at)) == column ? at : -1;
  }
};

}  // namespace detail

/// Compares the matrix with its transpose where it lives, in parallel, by binary search: O(nnz ·
/// log(row length)), no memory. Rows must be sorted by column and free of duplicates, as fatvec
/// builds them; ShapeError otherwise.
template <class ExecSpace, class Scalar, class Ordinal, class Device, class Offset>
Symmetry symmetry(const ExecSpace& exec, const CsrMatrix<Scalar, Ordinal, Device, Offset>& csr) {
  using Violations = detail::SymmetryViolations<CsrMatrix<Scalar, Ordinal, Device, Offset>>;
  if (static_cast<std::int64_t>(csr.rows()) != static_cast<std::int64_t>(csr.cols()))
    return Symmetry::not_square;
  if (csr.nnz() == 0) return Symmetry::numerical;

  const Kokkos::Profiling::ScopedRegion region("fatvec::symmetry");
  const detail::EntryBlocks blocks(csr.row_map, csr.nnz());
  unsigned violations = 0;
  Kokkos::parallel_reduce(
      "fatvec::symmetry",
      Kokkos::RangePolicy<ExecSpace, Kokkos::IndexType<std::int64_t>>(exec, 0, blocks.count()),
      Violations{csr, blocks}, Kokkos::BOr<unsigned>(violations));
  if (violations & Violations::unsorted) {
    throw ShapeError(
        "symmetry: the matrix has a row that is not sorted by column or has duplicates; rebuild it "
        "from its entries.");
  }
  if (violations & Violations::missing) return Symmetry::none;
  if (!(violations & Violations::unequal)) return Symmetry::numerical;
  return violations & Violations::not_opposite ? Symmetry::structural : Symmetry::skew;
}

/// The same on the default instance of the matrix's execution space.
template <class Scalar, class Ordinal, class Device, class Offset>
Symmetry symmetry(const CsrMatrix<Scalar, Ordinal, Device, Offset>& csr) {
  return symmetry(typename CsrMatrix<Scalar, Ordinal, Device, Offset>::execution_space(), csr);
}

}  // namespace fatvec
