// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Core.hpp>
#include <cmath>
#include <complex>
#include <cstdint>
#include <limits>
#include <vector>

/// The reference every kernel is checked against: a plain serial CSR product in extended precision.
/// It shares no code with the kernels and reads its operands only through operator().
namespace fatvec::verify {

template <class T>
struct WideOf {
  using type = long double;
  using Real = T;
  static type of(const T& value) { return static_cast<type>(value); }
};
template <class R>
struct WideOf<Kokkos::complex<R>> {
  using type = std::complex<long double>;
  using Real = R;
  static type of(const Kokkos::complex<R>& value) { return {value.real(), value.imag()}; }
};

/// |value|. Where a long double holds the square of every product of two doubles, no care of
/// overflow is needed, which takes std::abs of complex numbers most of its time.
inline long double magnitude_of(long double value) {
  return std::abs(value);
}
inline long double magnitude_of(const std::complex<long double>& value) {
  constexpr int needed = 4 * std::numeric_limits<double>::max_exponent;
  if constexpr (std::numeric_limits<long double>::max_exponent > needed)
    return std::sqrt(std::norm(value));
  else
    return std::abs(value);
}

/// What the real numbers of a kernel are to the oracle: their relative distance, the smallest
/// normal and the largest one.
struct Rounding {
  long double eps;
  long double smallest;
  long double largest;
  long double of_values = 0;  ///< relative error of A's values as they are stored

  template <class Real>
  static constexpr Rounding of() {
    using Limits = std::numeric_limits<Real>;
    return {static_cast<long double>(Limits::epsilon()), static_cast<long double>(Limits::min()),
            static_cast<long double>(Limits::max())};
  }
};

/// What Y should be, and how far rounding may carry a kernel from it.
template <class T>
struct Reference {
  using Wide = typename WideOf<T>::type;
  std::int64_t rows = 0;
  std::int64_t k = 0;
  std::vector<Wide> value;  ///< rows × k, row-major: beta · Y + alpha · A · X
  std::vector<long double>
      allowed;  ///< rows × k: 8 · eps · (len_i + 4) · (|alpha| · Σ|a_ij||x_j| + |beta||y_i|),
                ///< and the relative error of A's values times |alpha| · Σ|a_ij||x_j|
  long double largest = 0;  ///< number of the kernel's type: beyond, it has ±Inf
};

/// csr, x and y live on the host; x is cols × k, y rows × k (its values before the product; not
/// read where beta = 0). With alpha = 0 neither csr nor x is read. The kernel's rounding may be
/// that of another type than that of the operands, which hold its numbers.
template <class Csr, class X, class Y, class T = typename Y::non_const_value_type>
Reference<T> reference_product(
    const T& alpha, const Csr& csr, const X& x, const T& beta, const Y& y,
    const Rounding& rounding = Rounding::of<typename WideOf<T>::Real>()) {
  using Wide = WideOf<T>;
  Reference<T> reference;
  reference.rows = csr.rows();
  reference.k = static_cast<std::int64_t>(x.extent(1));
  reference.value.resize(reference.rows * reference.k);
  reference.allowed.resize(reference.rows * reference.k);
  const auto [eps, smallest, largest, of_values] = rounding;
  reference.largest = largest;
  const bool overwrite = beta == T{};
  std::int64_t at = 0;
  for (std::int64_t i = 0; i < reference.rows; ++i) {
    const std::int64_t begin = csr.row_map(i);
    const std::int64_t end = alpha == T{} ? begin : csr.row_map(i + 1);
    for (std::int64_t c = 0; c < reference.k; ++c, ++at) {
      typename Wide::type sum{};
      long double magnitude = 0;
      for (std::int64_t n = begin; n < end; ++n) {
        const auto product = Wide::of(csr.values(n)) * Wide::of(x(csr.entries(n), c));
        sum += product;
        magnitude += magnitude_of(product);
      }
      reference.value[at] = Wide::of(alpha) * sum;
      magnitude *= magnitude_of(Wide::of(alpha));
      const long double of_stored_values = of_values * magnitude;
      if (!overwrite) {
        reference.value[at] += Wide::of(beta) * Wide::of(y(i, c));
        magnitude += magnitude_of(Wide::of(beta) * Wide::of(y(i, c)));
      }
      // Products below the smallest normal number lose their relative accuracy.
      reference.allowed[at] =
          8 * eps * static_cast<long double>(end - begin + 4) * (magnitude + smallest) +
          of_stored_values;
    }
  }
  return reference;
}

/// How a result compares with its reference.
struct Verdict {
  bool passed = true;
  double l2 = 0;      ///< ||Y - reference||_2, over the finite elements
  double max = 0;     ///< largest |Y - reference|
  double scaled = 0;  ///< largest |Y - reference| over what rounding allows; passed means at most 1
  std::int64_t worst_row = -1;  ///< where `scaled` is largest, from 0; -1 where Y has no elements
  std::int64_t worst_column = -1;
  double expected = 0;  ///< there; of complex numbers the real part, as of what it is
  double got = 0;
};

template <class T, class Y>
Verdict compare(const Reference<T>& reference, const Y& y) {
  Verdict verdict;
  long double squares = 0;
  std::int64_t at = 0;
  for (std::int64_t i = 0; i < reference.rows; ++i) {
    for (std::int64_t c = 0; c < reference.k; ++c, ++at) {
      const auto got = WideOf<T>::of(y(i, c));
      const long double error = magnitude_of(got - reference.value[at]);
      double scaled = 0;
      if (std::isfinite(error)) {
        squares += error * error;
        verdict.max = std::max(verdict.max, static_cast<double>(error));
        scaled = error == 0 ? 0 : static_cast<double>(error / reference.allowed[at]);
      } else {
        // Both overflow or both are undefined: the same non-finite number, after rounding the
        // reference to T.
        const auto same = [&](long double a, long double b) {
          using Real = typename WideOf<T>::Real;
          constexpr long double infinity = std::numeric_limits<long double>::infinity();
          const auto rounded = std::abs(b) > reference.largest
                                   ? std::copysign(infinity, b)
                                   : static_cast<long double>(static_cast<Real>(b));
          return (std::isnan(a) && std::isnan(rounded)) || a == rounded;
        };
        const bool equal = same(std::real(got), std::real(reference.value[at])) &&
                           same(std::imag(got), std::imag(reference.value[at]));
        scaled = equal ? 0 : std::numeric_limits<double>::infinity();
      }
      if (scaled > verdict.scaled || verdict.worst_row < 0) {
        verdict.scaled = std::max(scaled, verdict.scaled);
        verdict.worst_row = i;
        verdict.worst_column = c;
        verdict.expected = static_cast<double>(std::real(reference.value[at]));
        verdict.got = static_cast<double>(std::real(got));
      }
    }
  }
  verdict.l2 = static_cast<double>(std::sqrt(squares));
  verdict.passed = verdict.scaled <= 1;
  return verdict;
}

}  // namespace fatvec::verify
