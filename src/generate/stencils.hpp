// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include <fatvec/generate/build.hpp>
#include <fatvec/generate/random.hpp>

namespace fatvec::generate {

/// Which of the points around a grid point couple with it.
enum class Neighbourhood {
  star,  ///< those that differ in one coordinate: 5 points in 2-D, 7 in 3-D
  box    ///< all that differ by at most 1 in every coordinate: 9 points in 2-D, 27 in 3-D
};

/// A Laplacian-like matrix on a grid of nx (fastest) × ny × nz points, cut off at the boundary
/// (Dirichlet). Each point has dof unknowns, numbered consecutively; coupled points share a dense
/// dof × dof block.
///
/// With P points in the full neighbourhood the diagonal is P·dof - 1. Off-diagonal values are -1
/// for dof = 1, which makes the 5- and 7-point matrices the standard Poisson ones, else symmetric
/// and in (-1, -0.5]: always symmetric positive definite.
class Stencil {
 public:
  /// dimensions: 2 or 3. spec.sizes holds as many extents, or one for all of them.
  Stencil(const Spec& spec, int dimensions, Neighbourhood neighbourhood)
      : dof_(spec.dof), star_(neighbourhood == Neighbourhood::star), seed_(spec.seed) {
    const auto extent = [&](std::size_t n) {
      return spec.sizes.size() == 1 ? spec.sizes[0] : spec.sizes.at(n);
    };
    extents_ = {extent(0), extent(1), dimensions == 3 ? extent(2) : 1};
    rows_ = checked_extent(spec, "rows", {extents_[0], extents_[1], extents_[2], dof_});
    const int points = star_ ? 1 + 2 * dimensions : (dimensions == 3 ? 27 : 9);
    diagonal_ = static_cast<double>(points) * static_cast<double>(dof_) - 1;
  }

  [[nodiscard]] std::int32_t rows() const { return rows_; }
  [[nodiscard]] std::int32_t cols() const { return rows_; }

  [[nodiscard]] std::int64_t row_length(std::int64_t row) const {
    const auto [x, y, z] = reach(row / dof_);
    return dof_ * (star_ ? x.points() + y.points() + z.points() - 2
                         : x.points() * y.points() * z.points());
  }

  void fill_row(std::int64_t row, std::int32_t* columns, double* values) const {
    const auto [xs, ys, zs] = reach(row / dof_);
    for (std::int64_t z = zs.first; z <= zs.last; ++z) {
      for (std::int64_t y = ys.first; y <= ys.last; ++y) {
        for (std::int64_t x = xs.first; x <= xs.last; ++x) {
          if (star_ && (x != xs.centre) + (y != ys.centre) + (z != zs.centre) > 1) continue;
          const std::int64_t first = ((z * extents_[1] + y) * extents_[0] + x) * dof_;
          for (std::int64_t column = first; column < first + dof_; ++column) {
            *columns++ = static_cast<std::int32_t>(column);
            *values++ = value(row, column);
          }
        }
      }
    }
  }

 private:
  /// One coordinate of a point and of its neighbours that lie on the grid.
  struct Reach {
    std::int64_t first, centre, last;
    [[nodiscard]] std::int64_t points() const { return last - first + 1; }
  };

  [[nodiscard]] std::array<Reach, 3> reach(std::int64_t point) const {
    const auto around = [](std::int64_t centre, std::int64_t extent) {
      return Reach{std::max<std::int64_t>(centre - 1, 0), centre, std::min(centre + 1, extent - 1)};
    };
    const std::int64_t line = point / extents_[0];
    return {around(point % extents_[0], extents_[0]), around(line % extents_[1], extents_[1]),
            around(line / extents_[1], extents_[2])};
  }

  [[nodiscard]] double value(std::int64_t row, std::int64_t column) const {
    if (row == column) return diagonal_;
    return dof_ == 1 ? -1 : symmetric_coupling(seed_, row, column);
  }

  std::array<std::int64_t, 3> extents_;
  std::int64_t dof_;
  bool star_;
  std::uint64_t seed_;
  std::int32_t rows_;
  double diagonal_;
};

}  // namespace fatvec::generate
