// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <limits>
#include <type_traits>

#include <fatvec/core/macros.hpp>
#include <fatvec/formats/concepts.hpp>
#include <fatvec/formats/multivector.hpp>

/// What can be summed up of a column: its statistics, or its product with another. A source has
///   Value              the result; Value{} is that of an empty column
///   join(value, more)  puts two parts of a column together, in any order but for rounding
///   Lanes<width>       `width` results side by side, as arrays, so that a CPU's vector instructions add to all at once
///   at(i, c, rows)     a cursor on element (i, c) and its neighbours, going on by `rows` rows each time
namespace fatvec {
namespace detail {

/// The types that sums of T are formed in: twice as wide as float, 64 bits for integers.
template <class T>
struct SumTypes {
  static_assert(std::is_same_v<T, float> || std::is_same_v<T, double>,
                "sums are formed of float, double, integers, and (dot products only) "
                "Kokkos::complex of float or double");
  using Sum = double;
  using Total = double;  ///< of what is never negative
  using Magnitude = T;
};
template <class T>
  requires std::is_integral_v<T>
struct SumTypes<T> {
  static_assert(!std::is_same_v<T, bool>, "bool is not a number");
  using Sum = std::conditional_t<std::is_signed_v<T>, std::int64_t, std::uint64_t>;
  using Total = std::uint64_t;
  using Magnitude = std::make_unsigned_t<T>;
};
template <class R>
struct SumTypes<Kokkos::complex<R>> {
  using Sum = Kokkos::complex<typename SumTypes<R>::Sum>;
};

/// a + b and a + b · c; of integers modulo 2^64, for a signed overflow would be undefined.
template <class S>
FATVEC_FORCEINLINE_FUNCTION S plus(const S& a, const S& b) {
  if constexpr (std::is_integral_v<S>)
    return static_cast<S>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
  else
    return a + b;
}
template <class S>
FATVEC_FORCEINLINE_FUNCTION S plus_product(const S& a, const S& b, const S& c) {
  if constexpr (std::is_integral_v<S>)
    return plus(a, static_cast<S>(static_cast<std::uint64_t>(b) * static_cast<std::uint64_t>(c)));
  else
    return a + b * c;
}

/// |x|; of the smallest integer, too.
template <class T>
FATVEC_FORCEINLINE_FUNCTION typename SumTypes<T>::Magnitude magnitude(const T& x) {
  using Magnitude = typename SumTypes<T>::Magnitude;
  if constexpr (std::is_floating_point_v<T>)
    return Kokkos::fabs(x);
  else if constexpr (std::is_unsigned_v<T>)
    return x;
  else
    return x < 0 ? static_cast<Magnitude>(Magnitude{0} - static_cast<Magnitude>(x))
                 : static_cast<Magnitude>(x);
}

}  // namespace detail

/// What one pass finds out about a column. As it stands, it is that of an empty one.
///
/// Sums of float and double are formed in double, those of integers in 64 bits: exact where the
/// true value fits, modulo 2^64 otherwise. One NaN makes the sums, min, max and both norms NaN. Of
/// 0 and -0 either may be min or max; both count as zeros. Squares are not scaled: square_sum
/// overflows where an element exceeds some 1e154, and loses those below 1e-154.
template <class Scalar>
struct VectorStatistics {
  using Types = detail::SumTypes<Scalar>;
  using Limits = std::numeric_limits<Scalar>;
  static_assert(!detail::is_complex<Scalar>,
                "min and max of complex numbers are not defined; take dot(exec, x, x), or Views of "
                "the real and imaginary parts");
  static constexpr Scalar highest = Limits::has_infinity ? Limits::infinity() : Limits::max();
  static constexpr Scalar lowest = Limits::has_infinity ? -Limits::infinity() : Limits::lowest();

  typename Types::Sum sum{};
  typename Types::Total absolute_sum{};  ///< the 1-norm
  typename Types::Total square_sum{};    ///< the square of the 2-norm
  Scalar min = highest;
  Scalar max = lowest;
  std::int64_t zeros = 0;  ///< elements that are 0

  [[nodiscard]] KOKKOS_FUNCTION double norm2() const {
    return Kokkos::sqrt(static_cast<double>(square_sum));
  }
  /// The largest |x|, 0 of an empty column; unsigned for integers, so that the smallest of them has
  /// one.
  [[nodiscard]] KOKKOS_FUNCTION typename Types::Magnitude max_norm() const {
    if (min > max) return 0;
    const auto below = detail::magnitude(min);
    const auto above = detail::magnitude(max);
    return below > above ? below : above;
  }

  KOKKOS_FUNCTION void add(const Scalar& x) {
    const auto size = static_cast<typename Types::Total>(detail::magnitude(x));
    join({static_cast<typename Types::Sum>(x), size,
          detail::plus_product<typename Types::Total>(0, size, size), x, x, x == 0});
  }
  KOKKOS_FUNCTION void join(const VectorStatistics& other) {
    sum = detail::plus(sum, other.sum);
    absolute_sum = detail::plus(absolute_sum, other.absolute_sum);
    square_sum = detail::plus(square_sum, other.square_sum);
    if (other.min < min || other.min != other.min) min = other.min;  // NaN stays
    if (other.max > max || other.max != other.max) max = other.max;
    zeros += other.zeros;
  }
};

namespace detail {

template <class Scalar, int width_>
struct StatisticsLanes {
  static constexpr int width = width_;
  using Value = VectorStatistics<Scalar>;
  using Sum = decltype(Value::sum);
  using Total = decltype(Value::absolute_sum);

  Sum sum[width] = {};
  Total absolute_sum[width] = {};
  Total square_sum[width] = {};
  Scalar min[width];
  Scalar max[width];
  std::int64_t zeros[width] = {};

  KOKKOS_FUNCTION StatisticsLanes() {
    for (int w = 0; w < width; ++w) {
      min[w] = Value::highest;
      max[w] = Value::lowest;
    }
  }
  FATVEC_FORCEINLINE_FUNCTION void add(int w, const Scalar& x) {
    const auto size = static_cast<Total>(magnitude(x));
    sum[w] = plus(sum[w], static_cast<Sum>(x));
    absolute_sum[w] = plus(absolute_sum[w], size);
    square_sum[w] = plus_product(square_sum[w], size, size);
    min[w] = x < min[w] ? x : min[w];
    max[w] = x > max[w] ? x : max[w];
    zeros[w] += x == 0;
  }
  /// Comparisons drop a NaN. A sum of magnitudes keeps it, and nothing else makes that one NaN.
  [[nodiscard]] KOKKOS_FUNCTION Value operator[](int w) const {
    Value value{sum[w], absolute_sum[w], square_sum[w], min[w], max[w], zeros[w]};
    if (absolute_sum[w] != absolute_sum[w])
      value.min = value.max = static_cast<Scalar>(absolute_sum[w]);
    return value;
  }
};

template <class Scalar>
struct StatisticsSource {
  using Value = VectorStatistics<Scalar>;
  template <int width>
  using Lanes = StatisticsLanes<Scalar, width>;

  struct Cursor {
    const Scalar* x;
    std::int64_t step;
    FATVEC_FORCEINLINE_FUNCTION Scalar operator[](int w) const { return x[w]; }
    FATVEC_FORCEINLINE_FUNCTION void advance() { x += step; }
  };

  MultiVectorSpan<const Scalar, Columns::strided> x;

  [[nodiscard]] KOKKOS_FUNCTION Cursor at(std::int64_t i, std::int64_t c, std::int64_t rows) const {
    return {&x(i, c), rows * x.row_stride};
  }
  static KOKKOS_FUNCTION void join(Value& value, const Value& more) { value.join(more); }
  /// Whether holds(row_stride, column_stride) of each operand.
  template <class Holds>
  [[nodiscard]] bool all(const Holds& holds) const {
    return holds(x.row_stride, x.column_stride);
  }
};

/// The type of a dot product of X and Y.
template <class X, class Y>
struct ProductTypes {
  using Sum = std::conditional_t<is_complex<X> || is_complex<Y>, Kokkos::complex<double>, double>;
};
template <class X, class Y>
  requires(std::is_integral_v<X> && std::is_integral_v<Y>)
struct ProductTypes<X, Y> {
  using Sum = std::common_type_t<typename SumTypes<X>::Sum, typename SumTypes<Y>::Sum>;
};
template <class X, class Y>
using ProductSum = typename ProductTypes<X, Y>::Sum;

template <class X, class Y>
struct Pair {
  X x;
  Y y;
};

template <class X, class Y, int width_>
struct DotLanes {
  static constexpr int width = width_;
  using Value = ProductSum<X, Y>;

  Value sum[width] = {};

  FATVEC_FORCEINLINE_FUNCTION void add(int w, const Pair<X, Y>& element) {
    if constexpr (is_complex<X>)
      sum[w] += static_cast<Value>(Kokkos::conj(element.x)) * static_cast<Value>(element.y);
    else
      sum[w] = plus_product(sum[w], static_cast<Value>(element.x), static_cast<Value>(element.y));
  }
  [[nodiscard]] KOKKOS_FUNCTION const Value& operator[](int w) const { return sum[w]; }
};

template <class X, class Y>
struct DotSource {
  using Value = ProductSum<X, Y>;
  template <int width>
  using Lanes = DotLanes<X, Y, width>;

  struct Cursor {
    const X* x;
    const Y* y;
    std::int64_t x_step;
    std::int64_t y_step;
    FATVEC_FORCEINLINE_FUNCTION Pair<X, Y> operator[](int w) const { return {x[w], y[w]}; }
    FATVEC_FORCEINLINE_FUNCTION void advance() {
      x += x_step;
      y += y_step;
    }
  };

  MultiVectorSpan<const X, Columns::strided> x;
  MultiVectorSpan<const Y, Columns::strided> y;

  [[nodiscard]] KOKKOS_FUNCTION Cursor at(std::int64_t i, std::int64_t c, std::int64_t rows) const {
    return {&x(i, c), &y(i, c), rows * x.row_stride, rows * y.row_stride};
  }
  static KOKKOS_FUNCTION void join(Value& value, const Value& more) { value = plus(value, more); }
  template <class Holds>
  [[nodiscard]] bool all(const Holds& holds) const {
    return holds(x.row_stride, x.column_stride) && holds(y.row_stride, y.column_stride);
  }
};

}  // namespace detail
}  // namespace fatvec
