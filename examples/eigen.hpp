// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Eigenvalues>
#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include <fatvec/core/error.hpp>

#include "common.hpp"

/// What the solvers of eigenproblems share: the dense problem, on the host, and their checks.
namespace examples {

using HostDense = Kokkos::View<double**, Kokkos::LayoutRight, Kokkos::HostSpace>;
using Dense = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

struct RitzPairs {
  Eigen::VectorXd values;
  Dense coefficients;  ///< of the vectors, in the basis S
};

/// The k lowest Ritz pairs in the span of S, from G = S^T S and H = S^T A S.
inline RitzPairs rayleigh_ritz(const Dense& g, const Dense& h, int k) {
  constexpr double dependent = 1e-12;  // as good as: rounding in G is some 1e-15
  const Eigen::VectorXd scale =
      g.diagonal().unaryExpr([](double square) { return square > 0 ? 1 / std::sqrt(square) : 0; });
  const Eigen::SelfAdjointEigenSolver<Dense> directions(scale.asDiagonal() * g *
                                                        scale.asDiagonal());
  const Eigen::VectorXd& lengths = directions.eigenvalues();  // ascending
  const auto kept = (lengths.array() > dependent * lengths.maxCoeff()).count();
  if (kept < k)
    throw fatvec::Error(fatvec::detail::concat(
        "of the ", k, " vectors of the block ", kept,
        " are left that are independent; lower --k, or the degree of a filter."));
  const Dense q = scale.asDiagonal() * directions.eigenvectors().rightCols(kept) *
                  lengths.tail(kept).cwiseSqrt().cwiseInverse().asDiagonal();
  const Eigen::SelfAdjointEigenSolver<Dense> ritz(q.transpose() * h * q);
  return {ritz.eigenvalues().head(k), q * ritz.eigenvectors().leftCols(k)};
}

/// W = A X - X diag(theta), of A X.
struct SubtractRitzVectors {
  Block x, ax, w;
  Kokkos::View<double*, Device> theta;
  KOKKOS_FUNCTION void operator()(std::int64_t i, int c) const {
    w(i, c) = ax(i, c) - theta(c) * x(i, c);
  }
};

/// The same; returns |w| / theta of each column.
inline std::vector<double> eigen_residuals(const Exec& exec, const Matrix& a, const Block& x,
                                           const Block& ax, const Eigen::VectorXd& theta,
                                           const Block& w) {
  const Kokkos::View<double*, Device> device_theta("theta", theta.size());
  Kokkos::deep_copy(exec, device_theta,
                    Kokkos::View<const double*, Kokkos::HostSpace>(theta.data(), theta.size()));
  for_each_element("eigen_residuals", exec, x.extent_int(0), x.extent_int(1),
                   SubtractRitzVectors{x, ax, w, device_theta});
  const auto squares = column_results<double>(exec, a, w.extent_int(1));
  dot(exec, w, w, squares);
  std::vector<double> norms = squares.on_host(exec);
  for (std::size_t c = 0; c < norms.size(); ++c)
    norms[c] = std::sqrt(norms[c]) / theta[static_cast<Eigen::Index>(c)];
  return norms;
}

/// The largest of the first values.
inline double largest_of(std::vector<double> values, int first) {
  values.resize(static_cast<std::size_t>(first));
  return largest(values);
}

/// The lowest eigenvalues of the 7-point matrix of n × n × n points: sums over the three axes of
/// 2 - 2 cos(i pi / (n + 1)), i = 1 ... n.
inline std::vector<double> exact_eigenvalues(int n, int wanted) {
  const int most = std::min(n, wanted);
  const auto wave = [n](int i) { return 2 - 2 * std::cos(i * Kokkos::numbers::pi / (n + 1)); };
  std::vector<double> sums;
  for (int i = 1; i <= most; ++i)
    for (int j = 1; j <= most; ++j)
      for (int l = 1; l <= most; ++l) sums.push_back(wave(i) + wave(j) + wave(l));
  std::sort(sums.begin(), sums.end());
  sums.resize(static_cast<std::size_t>(wanted));
  return sums;
}

/// The largest |theta / exact - 1| of the lowest `pairs` of them.
inline double largest_eigenvalue_error(int n, int pairs, const Eigen::VectorXd& theta) {
  std::vector<double> errors;
  for (const double exact : exact_eigenvalues(n, pairs))
    errors.push_back(std::abs(theta[static_cast<Eigen::Index>(errors.size())] / exact - 1));
  return largest(errors);
}

}  // namespace examples
