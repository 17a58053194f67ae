// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cfloat>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

#include <fatvec/core/error.hpp>
#include <fatvec/core/execution.hpp>
#include <fatvec/core/memory.hpp>
#include <fatvec/formats/csr.hpp>

/// Values of A in single precision, beside X, Y and sums in double: half of their bytes, where each
/// value survives.
namespace fatvec {

/// How far rounding may move a value of A, relative to it.
struct ErrorBound {
  double relative = 0x1p-24;  ///< half a unit in the last place of float: what rounding costs
};

/// The bound `relative`: from 0, with which values must be floats already. Throws UsageError for
/// numbers below 0, from 1 on, and NaN.
inline ErrorBound within(double relative) {
  if (!(relative >= 0 && relative < 1))
    throw UsageError(detail::concat("within: a relative error is from 0 to below 1, not ", relative,
                                    "; half a unit in the last place of float is 6e-8."));
  return {relative};
}

/// A, to be stored in single precision: what analyse() makes a plan of. A is not copied.
template <class Csr>
struct SinglePrecision {
  Csr matrix;        ///< of doubles
  ErrorBound bound;  ///< of each value
};

/// A with values that are to be stored as floats, where each of them survives that within `bound`.
template <class Scalar, class Ordinal, class Device, class Offset>
SinglePrecision<CsrMatrix<Scalar, Ordinal, Device, Offset>> single_precision(
    const CsrMatrix<Scalar, Ordinal, Device, Offset>& a, ErrorBound bound = {}) {
  static_assert(std::is_same_v<std::remove_const_t<Scalar>, double>,
                "single_precision takes a matrix of doubles");
  return {a, within(bound.relative)};
}

namespace detail {

/// What rounding did to values: the largest relative error, and the first value that it refused.
struct Roundings {
  static constexpr std::int64_t none = INT64_MAX;
  double largest_error = 0;
  std::int64_t refused = none;
};

/// Rounds values to floats, and stores them where `to` is an array. A value is refused where it
/// overflows, becomes denormal, or moves by more than the bound; what a float can be (zero, Inf and
/// NaN among it) never is.
struct RoundValues {
  using value_type = Roundings;
  const double* from;
  float* to;
  double bound;

  KOKKOS_FUNCTION void operator()(std::int64_t n, Roundings& found) const {
    const double value = from[n];
    const auto rounded = static_cast<float>(value);
    if (to != nullptr) to[n] = rounded;
    if (static_cast<double>(rounded) == value || value != value) return;
    const double error = Kokkos::abs(static_cast<double>(rounded) - value) / Kokkos::abs(value);
    const bool normal = Kokkos::isfinite(rounded) && Kokkos::abs(rounded) >= FLT_MIN;
    if (!normal || error > bound)
      found.refused = Kokkos::min(found.refused, n);
    else
      found.largest_error = Kokkos::max(found.largest_error, error);
  }
  KOKKOS_FUNCTION void init(Roundings& found) const { found = Roundings(); }
  KOKKOS_FUNCTION void join(Roundings& found, const Roundings& more) const {
    found.largest_error = Kokkos::max(found.largest_error, more.largest_error);
    found.refused = Kokkos::min(found.refused, more.refused);
  }
};

/// Why entry n of A is refused, in words; on the host, after the fact.
template <class Csr>
std::string refusal(const Csr& a, std::int64_t n, double value, const ErrorBound& bound) {
  const auto row_map = host_copy(a.row_map);
  const auto* const first = row_map.data();
  const std::int64_t row = std::upper_bound(first, first + a.rows() + 1, n) - first - 1;
  const auto column = host_copy(Kokkos::subview(a.entries, std::pair(n, n + 1)));
  const auto rounded = static_cast<float>(value);
  std::string why = concat("moves by ", std::abs(rounded - value) / std::abs(value),
                           " of itself when it is rounded, more than ", bound.relative,
                           "; allow more by within(), or keep A");
  if (!std::isfinite(rounded)) why = "is beyond the largest float, 3.4e38; keep A";
  if (std::abs(rounded) < FLT_MIN)
    why = "is below the smallest normal float, 1.2e-38; scale A, or keep it";
  return concat("single_precision: the value ", value, " in row ", row, ", column ",
                static_cast<std::int64_t>(column(0)), " (from 0) of A, ", a.rows(), " x ", a.cols(),
                ", ", why, " in double.");
}

/// Looks at values of A's entries, and rounds them where `to` is an array of as many. Returns the
/// largest relative error. Throws PrecisionError for the first that is refused; blocks.
template <class ExecSpace, class Csr>
double round_values(const ExecSpace& exec, const Csr& a, const typename Csr::Scalars& values,
                    float* to, const ErrorBound& bound) {
  Roundings found;
  Kokkos::parallel_reduce("fatvec::single_precision",
                          Range<ExecSpace>(exec, 0, static_cast<std::int64_t>(values.extent(0))),
                          RoundValues{values.data(), to, bound.relative}, found);
  exec.fence("fatvec::single_precision");
  const std::int64_t n = found.refused;
  if (n == Roundings::none) return found.largest_error;
  const auto value = host_copy(Kokkos::subview(values, std::pair(n, n + 1)));
  throw PrecisionError(refusal(a, n, value(0), bound));
}

}  // namespace detail

/// A with its values as floats. Shares the pattern, whose owner stays A where its arrays are const.
template <class Csr>
struct Rounded {
  CsrMatrix<float, typename Csr::ordinal_type, detail::SpaceOf<typename Csr::device_type>,
            typename Csr::offset_type>
      matrix;
  double largest_error = 0;  ///< of all values, relative
};

/// Rounds A's values in one pass on exec, which has to reach them; blocks. Throws PrecisionError,
/// which names the value, its row and its column, for the first one that overflows, becomes
/// denormal or moves by more than the bound; CapacityError where the copy exceeds memory_limit
/// (bytes; default: the free memory).
template <class ExecSpace, class Csr>
Rounded<Csr> rounded(const ExecSpace& exec, const SinglePrecision<Csr>& a,
                     std::optional<std::uint64_t> memory_limit = {}) {
  const Csr& csr = a.matrix;
  using Floats = decltype(Rounded<Csr>::matrix);
  const auto nnz = static_cast<double>(csr.nnz());
  detail::require_fits<typename Floats::memory_space>(
      "single precision", {nnz, nnz * sizeof(float)}, memory_limit, "a float for each value of A");
  const auto values = detail::allocate<typename Floats::Scalars>(
      exec, "fatvec::single_precision::values", csr.nnz());
  const double error = detail::round_values(exec, csr, csr.values, values.data(), a.bound);
  const auto pattern = detail::without_const(csr);
  return {Floats(csr.rows(), csr.cols(), csr.row_map, pattern.entries, values), error};
}

}  // namespace fatvec
