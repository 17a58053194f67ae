// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstdint>
#include <sstream>
#include <string>

#include <fatvec/core/error.hpp>
#include <fatvec/formats/detail/blocks.hpp>
#include <fatvec/formats/detail/rows.hpp>
#include <fatvec/formats/transpose.hpp>

/// From a square CSR matrix to its upper triangle, and back.
namespace fatvec::detail {

template <class Csr>
void require_square(const char* format, const Csr& csr) {
  if (csr.rows() != csr.cols())
    throw ShapeError(concat(format, ": the matrix is ", csr.rows(), " x ", csr.cols(),
                            "; only square ones are symmetric. Keep it in another format."));
}

/// Entries of each row that are not below the diagonal.
template <class Csr>
struct UpperLengths {
  Csr csr;

  KOKKOS_FUNCTION std::int64_t operator()(std::int64_t i) const {
    std::int64_t length = 0;
    for (std::int64_t n = csr.row_map(i); n < csr.row_map(i + 1); ++n)
      length += static_cast<std::int64_t>(csr.entries(n)) >= i;
    return length;
  }
};

template <class Csr>
struct CopyUpper {
  Csr from;
  Csr to;

  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    std::int64_t at = to.row_map(i);
    for (std::int64_t n = from.row_map(i); n < from.row_map(i + 1); ++n) {
      if (static_cast<std::int64_t>(from.entries(n)) < i) continue;
      to.entries(at) = from.entries(n);
      to.values(at++) = from.values(n);
    }
  }
};

struct TriangleCounts {
  std::int64_t above = 0;
  std::int64_t below = 0;
  std::int64_t on_diagonal = 0;
};

template <class Csr>
struct CountBelow {
  Csr csr;
  bool on_diagonal;

  KOKKOS_FUNCTION void operator()(std::int64_t i, std::int64_t& count) const {
    for (std::int64_t n = csr.row_map(i); n < csr.row_map(i + 1); ++n) {
      const auto column = static_cast<std::int64_t>(csr.entries(n));
      count += on_diagonal ? column == i : column < i;
    }
  }
};

template <class ExecSpace, class Csr>
TriangleCounts count_triangles(const ExecSpace& exec, const Csr& csr) {
  TriangleCounts counts;
  const Range<ExecSpace> rows(exec, 0, csr.rows());
  Kokkos::parallel_reduce("fatvec::triangles", rows, CountBelow<Csr>{csr, false}, counts.below);
  Kokkos::parallel_reduce("fatvec::triangles", rows, CountBelow<Csr>{csr, true},
                          counts.on_diagonal);
  counts.above = csr.nnz() - counts.below - counts.on_diagonal;
  return counts;
}

/// The first row, and of it the first entry, whose mirror image is missing or another value, or
/// that is in the place of the entry before; rows sorted by column. NaN is the mirror of NaN.
template <class Csr>
struct FindUnsymmetric {
  using Scalar = typename Csr::value_type;
  Csr csr;

  /// The first entry of the matrix that is wrong.
  KOKKOS_FUNCTION void operator()(std::int64_t i, std::int64_t& first) const {
    for (std::int64_t n = csr.row_map(i); n < csr.row_map(i + 1) && n < first; ++n)
      if (is_duplicate(i, n) || !has_mirror(i, n)) first = n;
  }
  [[nodiscard]] KOKKOS_FUNCTION bool is_duplicate(std::int64_t i, std::int64_t n) const {
    return n > static_cast<std::int64_t>(csr.row_map(i)) && csr.entries(n - 1) == csr.entries(n);
  }
  [[nodiscard]] KOKKOS_FUNCTION bool has_mirror(std::int64_t i, std::int64_t n) const {
    const std::int64_t mirror = find(csr.entries(n), i);
    return mirror >= 0 && is_same(csr.values(n), csr.values(mirror));
  }
  /// The entry at (i, j), -1 for none.
  [[nodiscard]] KOKKOS_FUNCTION std::int64_t find(std::int64_t i, std::int64_t j) const {
    const auto end = static_cast<std::int64_t>(csr.row_map(i + 1));
    const std::int64_t at = first_where(csr.row_map(i), end, [&](std::int64_t n) {
      return static_cast<std::int64_t>(csr.entries(n)) >= j;
    });
    return at < end && static_cast<std::int64_t>(csr.entries(at)) == j ? at : -1;
  }
  KOKKOS_FUNCTION static bool is_same(const Scalar& a, const Scalar& b) {
    return a == b || (!(a == a) && !(b == b));
  }
};

/// The entry `n` of a matrix in host memory, or on a device, as a value of the host.
template <class View>
typename View::non_const_value_type element(const View& view, std::int64_t n) {
  typename View::non_const_value_type value{};
  Kokkos::deep_copy(value, Kokkos::subview(view, n));
  return value;
}

/// A value with all of its digits: two that differ in the last one are to look different.
template <class T>
std::string in_full(const T& value) {
  std::ostringstream text;
  text.precision(17);
  text << value;
  return text.str();
}

/// Throws ShapeError with row and column of the first entry that is not symmetric; rows sorted by
/// column.
template <class ExecSpace, class Csr>
void require_symmetric(const ExecSpace& exec, const Csr& csr) {
  constexpr std::int64_t none = INT64_MAX;
  std::int64_t first = none;
  Kokkos::parallel_reduce("fatvec::require_symmetric", Range<ExecSpace>(exec, 0, csr.rows()),
                          FindUnsymmetric<Csr>{csr}, Kokkos::Min<std::int64_t>(first));
  if (csr.rows() == 0 || first == none) return;
  const auto row_map = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), csr.row_map);
  const auto* const offsets = row_map.data();
  const std::int64_t i = std::upper_bound(offsets, offsets + csr.rows() + 1,
                                          static_cast<typename Csr::offset_type>(first)) -
                         offsets - 1;
  const auto j = element(csr.entries, first);
  if (first > static_cast<std::int64_t>(row_map(i)) && element(csr.entries, first - 1) == j)
    throw ShapeError(concat("symmetric: there are two entries at row ", i, ", column ", j,
                            " (from 0); add them up first (csr_from_coo)."));
  const auto begin = static_cast<std::int64_t>(row_map(j));
  const auto end = static_cast<std::int64_t>(row_map(j + 1));
  std::int64_t mirror = begin;
  while (mirror < end && element(csr.entries, mirror) != i) ++mirror;
  const std::string other = mirror < end ? concat("is ", in_full(element(csr.values, mirror)))
                                         : std::string("is not stored");
  throw ShapeError(concat("symmetric: the matrix is not. Its entry at row ", i, ", column ", j,
                          " (from 0) is ", in_full(element(csr.values, first)), ", that at row ", j,
                          ", column ", i, " ", other,
                          ". Keep it in another format, such as CsrMatrix."));
}

/// Adds the entries of both triangles to the lengths of rows.
template <class Csr>
struct CountBoth {
  Csr upper;
  typename Csr::Offsets lengths;

  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    using Offset = typename Csr::offset_type;
    for (std::int64_t n = upper.row_map(i); n < upper.row_map(i + 1); ++n) {
      Kokkos::atomic_add(&lengths(i), Offset{1});
      if (upper.entries(n) != i) Kokkos::atomic_add(&lengths(upper.entries(n)), Offset{1});
    }
  }
};

/// Puts the entries of both triangles into their rows, in no order; counts `left` down.
template <class Csr>
struct ScatterBoth {
  Csr upper;
  Csr both;
  typename Csr::Offsets left;

  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    using Ordinal = typename Csr::ordinal_type;
    for (std::int64_t n = upper.row_map(i); n < upper.row_map(i + 1); ++n) {
      const Ordinal j = upper.entries(n);
      put(i, j, upper.values(n));
      if (j != i) put(j, static_cast<Ordinal>(i), upper.values(n));
    }
  }
  KOKKOS_FUNCTION void put(std::int64_t i, typename Csr::ordinal_type j,
                           const typename Csr::value_type& value) const {
    using Offset = typename Csr::offset_type;
    const std::int64_t at = both.row_map(i + 1) - Kokkos::atomic_fetch_sub(&left(i), Offset{1});
    both.entries(at) = j;
    both.values(at) = value;
  }
};

template <class ExecSpace, class Csr>
Csr both_triangles(const ExecSpace& exec, const Csr& upper, std::int64_t nnz) {
  using Offsets = typename Csr::Offsets;
  checked_count<typename Csr::offset_type>(static_cast<double>(nnz), "entries of both triangles");
  const std::int64_t rows = upper.rows();
  const auto lengths = allocate_zeros<Offsets>(exec, "fatvec::symmetric::lengths", rows);
  const Range<ExecSpace> all(exec, 0, rows);
  Kokkos::parallel_for("fatvec::symmetric::count", all, CountBoth<Csr>{upper, lengths});
  const auto row_map = allocate<Offsets>(exec, "fatvec::csr::row_map", rows + 1);
  offsets_from_lengths(exec, row_map, rows, lengths);
  const Csr both(upper.rows(), upper.cols(), row_map,
                 allocate<typename Csr::Ordinals>(exec, "fatvec::csr::entries", nnz),
                 allocate<typename Csr::Scalars>(exec, "fatvec::csr::values", nnz));
  Kokkos::parallel_for("fatvec::symmetric::scatter", all, ScatterBoth<Csr>{upper, both, lengths});
  sort_rows("fatvec::sort_rows", exec, both.row_map, both.entries, both.values);
  exec.fence("fatvec::SymmetricMatrix::to_csr");  // `lengths` go at the end of this function
  return both;
}

}  // namespace fatvec::detail
