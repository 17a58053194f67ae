// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Core.hpp>
#include <Kokkos_Profiling_ScopedRegion.hpp>
#include <array>
#include <cstdint>
#include <utility>

#include <fatvec/formats/csr.hpp>
#include <fatvec/formats/detail/blocks.hpp>
#include <fatvec/formats/detail/triangles.hpp>

namespace fatvec {

/// A symmetric matrix, A = Aᵀ, by its upper triangle with the diagonal, in CSR: about half the
/// bytes of CsrMatrix. Complex matrices are symmetric, too, not hermitian.
///
/// Row i holds entries(n), values(n) for row_map(i) <= n < row_map(i + 1): columns i and beyond,
/// ascending, each once. An entry beyond the diagonal stands for its mirror image, too.
template <class Scalar, class Ordinal = std::int32_t, class Device = Kokkos::DefaultExecutionSpace,
          class Offset = std::int32_t>
class SymmetricMatrix : public FormatTraits<Scalar, Ordinal, Device, Offset> {
  using Traits = FormatTraits<Scalar, Ordinal, Device, Offset>;

 public:
  static constexpr const char* name = "symmetric";
  using typename Traits::memory_space;
  using typename Traits::Offsets;
  using typename Traits::Ordinals;
  using typename Traits::Scalars;
  using Csr = CsrMatrix<Scalar, Ordinal, Device, Offset>;

  Csr upper;  ///< rows × rows

  [[nodiscard]] Ordinal rows() const { return upper.rows(); }
  [[nodiscard]] Ordinal cols() const { return upper.rows(); }
  [[nodiscard]] std::int64_t nnz() const { return nnz_; }  ///< of both triangles
  /// Those of one triangle: fewer than nnz().
  [[nodiscard]] std::int64_t stored_entries() const { return upper.nnz(); }
  [[nodiscard]] auto arrays() const { return upper.arrays(); }
  [[nodiscard]] std::uint64_t bytes() const { return upper.bytes(); }

  /// Counts the entries of the upper triangle. The matrix is not compared with its transpose.
  template <class ExecSpace>
  static Footprint footprint(const ExecSpace& exec, const Csr& csr, const FormatOptions& = {}) {
    const std::int64_t entries = detail::offsets_from_lengths(
        exec,
        detail::allocate<Offsets>(exec, "fatvec::symmetric::row_map", std::int64_t{csr.rows()} + 1),
        csr.rows(), detail::UpperLengths<Csr>{csr});
    return footprint_of(csr.rows(), entries);
  }

  /// Throws ShapeError where the matrix is not square, has several entries in one place, or is not
  /// symmetric: it names row and column of the first entry that is not that of the other triangle,
  /// NaN counting as equal to NaN. Throws CapacityError where the triangle exceeds
  /// options.memory_limit (default: the free memory). Rows need not be sorted. Returns when the
  /// matrix is there.
  template <class ExecSpace>
  static SymmetricMatrix from_csr(const ExecSpace& exec, const Csr& csr,
                                  const FormatOptions& options = {}) {
    const Kokkos::Profiling::ScopedRegion region("fatvec::SymmetricMatrix::from_csr");
    detail::require_square(name, csr);
    const Csr sorted = detail::sorted_by_column(exec, csr);
    detail::require_symmetric(exec, sorted);
    return of_sorted(exec, sorted, csr.nnz(), options);
  }

  /// The matrix of which this is one triangle with the diagonal, the upper or the lower one, as in
  /// files. Throws ShapeError where it is not square, has entries on both sides of the diagonal, or
  /// several in one place; CapacityError as from_csr(). Returns when the matrix is there.
  template <class ExecSpace>
  static SymmetricMatrix from_triangle(const ExecSpace& exec, const Csr& triangle,
                                       const FormatOptions& options = {}) {
    const Kokkos::Profiling::ScopedRegion region("fatvec::SymmetricMatrix::from_triangle");
    detail::require_square(name, triangle);
    const detail::TriangleCounts counts = detail::count_triangles(exec, triangle);
    if (counts.above > 0 && counts.below > 0)
      throw ShapeError(detail::concat("symmetric: one triangle is wanted; there are ", counts.above,
                                      " entries above the diagonal and ", counts.below,
                                      " below. A matrix of both goes to from_csr()."));
    const Csr sorted = counts.below > 0 ? detail::transposed(exec, triangle, false)
                                        : detail::sorted_by_column(exec, triangle);
    if (const std::int64_t duplicates = detail::duplicates_of(exec, sorted); duplicates > 0)
      throw ShapeError(detail::concat("symmetric: ", duplicates, " entries of the triangle are in ",
                                      "the place of another; add them up first (csr_from_coo)."));
    return of_sorted(exec, sorted, 2 * triangle.nnz() - counts.on_diagonal, options);
  }

  /// Both triangles, rows sorted by column. Returns when the matrix is there.
  template <class ExecSpace>
  Csr to_csr(const ExecSpace& exec) const {
    return detail::both_triangles(exec, upper, nnz_);
  }

 private:
  static Footprint footprint_of(std::int64_t rows, std::int64_t entries) {
    const auto stored = static_cast<double>(entries);
    return {stored, stored * (sizeof(Scalar) + sizeof(Ordinal)) +
                        (static_cast<double>(rows) + 1) * sizeof(Offset)};
  }

  /// Keeps what is not below the diagonal.
  template <class ExecSpace>
  static SymmetricMatrix of_sorted(const ExecSpace& exec, const Csr& sorted, std::int64_t nnz,
                                   const FormatOptions& options) {
    const std::int64_t rows = sorted.rows();
    const auto row_map = detail::allocate<Offsets>(exec, "fatvec::symmetric::row_map", rows + 1);
    const std::int64_t entries =
        detail::offsets_from_lengths(exec, row_map, rows, detail::UpperLengths<Csr>{sorted});
    detail::require_fits<memory_space>("the upper triangle", footprint_of(rows, entries),
                                       options.memory_limit,
                                       detail::concat(rows, " rows, ", entries, " entries"));
    SymmetricMatrix matrix;
    matrix.nnz_ = nnz;
    matrix.upper = Csr(sorted.rows(), sorted.cols(), row_map,
                       detail::allocate<Ordinals>(exec, "fatvec::symmetric::entries", entries),
                       detail::allocate<Scalars>(exec, "fatvec::symmetric::values", entries));
    Kokkos::parallel_for("fatvec::SymmetricMatrix::fill", detail::Range<ExecSpace>(exec, 0, rows),
                         detail::CopyUpper<Csr>{sorted, matrix.upper});
    exec.fence("fatvec::SymmetricMatrix");  // a sorted copy goes at the end of the caller
    return matrix;
  }

  std::int64_t nnz_ = 0;
};

static_assert(SparseFormat<SymmetricMatrix<double>>);

/// The symmetric matrix of A, whose types it takes: SymmetricMatrix::from_csr().
template <class ExecSpace, class Scalar, class Ordinal, class Device, class Offset>
auto symmetric(const ExecSpace& exec, const CsrMatrix<Scalar, Ordinal, Device, Offset>& a,
               const FormatOptions& options = {}) {
  const auto plain = detail::without_const(a);
  return SymmetricMatrix<std::remove_const_t<Scalar>, std::remove_const_t<Ordinal>, Device,
                         Offset>::from_csr(exec, plain, options);
}

}  // namespace fatvec
