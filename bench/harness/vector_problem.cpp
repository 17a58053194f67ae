// SPDX-License-Identifier: Apache-2.0
#include "harness/vector_problem.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include <fatvec/core/error.hpp>
#include <fatvec/formats/concepts.hpp>

#include "harness/bandwidth.hpp"

namespace fatvec::bench {

// A functor that a GPU runs needs external linkage under nvcc; hence no anonymous namespace.
namespace vectors {

/// SplitMix64 (Steele, Lea and Flood, OOPSLA 2014) of the position.
KOKKOS_INLINE_FUNCTION double element(int operand, std::int64_t row, std::int64_t column) {
  std::uint64_t z = (static_cast<std::uint64_t>(row << 16) +
                     static_cast<std::uint64_t>(2 * column + operand) + 1) *
                    0x9e3779b97f4a7c15ULL;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
  z ^= z >> 31;
  return z % 64 == 0 ? 0 : static_cast<double>(z >> 11) * 0x1p-52 - 1;
}

/// An element of a vector of ints.
KOKKOS_INLINE_FUNCTION int whole(double element) {
  return static_cast<int>(1000 * element);
}

template <class T>
struct Fill {
  T* to;
  int operand;
  std::int64_t n;
  std::int64_t k;
  bool by_rows;
  KOKKOS_FUNCTION void operator()(std::int64_t at) const {
    const double value =
        by_rows ? element(operand, at / k, at % k) : element(operand, at % n, at / n);
    if constexpr (std::is_same_v<T, int>)
      to[at] = whole(value);
    else
      to[at] = value;
  }
};

template <class T, class ExecSpace, class View>
void fill(View (&operands)[2], std::int64_t n, std::int64_t k, product::Layout layout) {
  if (operands[1].data() != nullptr) return;
  const double bytes = 2.0 * sizeof(T) * static_cast<double>(n) * static_cast<double>(k);
  const auto half = free_memory<typename View::memory_space>() / 2;
  detail::require_fits<typename View::memory_space>("the suite of vectors", {0, bytes}, half,
                                                    "two operands");
  for (int operand = 0; operand < 2; ++operand) {
    operands[operand] = detail::allocate<View>(
        ExecSpace(), "fatvec::bench::vector",
        sizeof(T) * std::max<std::size_t>(1, static_cast<std::size_t>(n * k)));
    Kokkos::parallel_for("fatvec::bench::fill",
                         Kokkos::RangePolicy<ExecSpace, Kokkos::IndexType<std::int64_t>>(0, n * k),
                         Fill<T>{reinterpret_cast<T*>(operands[operand].data()), operand, n, k,
                                 layout == product::Layout::row});
  }
  Kokkos::fence("fatvec::bench::fill");
}

template <class ExecSpace, class View>
void fill(View (&operands)[2], std::int64_t n, std::int64_t k, product::Layout layout,
          bool in_int) {
  in_int ? fill<int, ExecSpace>(operands, n, k, layout)
         : fill<double, ExecSpace>(operands, n, k, layout);
}

}  // namespace vectors

VectorOperands VectorProblem::operands(const std::string& backend) {
  VectorOperands found{.n = n_, .k = k_, .layout = layout_};
  if (backend != "cuda") {
    vectors::fill<Kokkos::DefaultHostExecutionSpace>(host_, n_, k_, layout_, in_int_);
    found.first = host_[0].data();
    found.second = host_[1].data();
  }
#if defined(KOKKOS_ENABLE_CUDA)
  if (backend == "cuda") {
    vectors::fill<Kokkos::Cuda>(device_, n_, k_, layout_, in_int_);
    found.first = device_[0].data();
    found.second = device_[1].data();
  }
#endif
  return found;
}

double VectorProblem::element(int operand, std::int64_t row, std::int64_t column) const {
  const double element = vectors::element(operand, row, column);
  return in_int_ ? vectors::whole(element) : element;
}

/// Textbook loops in extended precision. Rounding errors of a sum of n add up to some √n · eps of
/// the sum of magnitudes if they are of either sign; four times that still tells one element of 10⁸
/// that is missing. Sums of ints have none.
void VectorProblem::find_answers() {
  const double rounding = in_int_ ? 0
                                  : 4 * std::numeric_limits<double>::epsilon() *
                                        (16 + std::sqrt(static_cast<double>(n_)));
  for (std::int64_t c = 0; c < k_; ++c) {
    long double sum = 0, asum = 0, squares = 0, dot = 0, magnitudes = 0;
    double min = std::numeric_limits<double>::infinity(), max = -min, zeros = 0;
    for (std::int64_t i = 0; i < n_; ++i) {
      const double x = element(0, i, c);
      const long double product = static_cast<long double>(x) * element(1, i, c);
      sum += x;
      asum += std::abs(x);
      squares += static_cast<long double>(x) * x;
      dot += product;
      magnitudes += std::abs(product);
      min = std::min(min, x);
      max = std::max(max, x);
      zeros += x == 0;
    }
    const auto rounded = [&](long double value, long double scale) {
      return Wanted{static_cast<double>(value), rounding * static_cast<double>(scale)};
    };
    const double max_norm = n_ == 0 ? 0 : std::max(-min, max);
    answers_.push_back({{rounded(sum, asum),
                         rounded(asum, asum),
                         rounded(squares, squares),
                         {max_norm, 0},
                         {min, 0},
                         {max, 0},
                         {zeros, 0}},
                        rounded(dot, magnitudes),
                        rounded(asum, asum),
                        rounded(std::sqrt(squares), std::sqrt(squares))});
  }
}

std::optional<std::string> VectorProblem::difference(Operation operation,
                                                     const std::vector<double>& numbers) {
  if (answers_.empty()) find_answers();
  std::vector<Wanted> wanted;
  for (const auto& column : answers_) {
    if (operation == Operation::statistics)
      wanted.insert(wanted.end(), column.statistics.begin(), column.statistics.end());
    else
      wanted.push_back(operation == Operation::dot    ? column.dot
                       : operation == Operation::asum ? column.asum
                                                      : column.nrm2);
  }
  if (numbers.size() != wanted.size())
    return detail::concat("verification failed: ", numbers.size(), " numbers instead of ",
                          wanted.size(), ".");
  for (std::size_t at = 0; at < wanted.size(); ++at) {
    const auto& [value, allowed] = wanted[at];
    if (std::abs(numbers[at] - value) <= allowed) continue;
    const std::size_t of_column = wanted.size() / answers_.size();
    return fmt::format(
        "verification failed: number {} of column {} is {:.17g}, expected {:.17g} to within "
        "{:.17g}.",
        at % of_column, at / of_column, numbers[at], value, allowed);
  }
  return std::nullopt;
}

}  // namespace fatvec::bench
