// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <string>
#include <vector>

#include <fatvec/formats/detail/rows.hpp>
#include <fatvec/kernels/concepts.hpp>
#include <fatvec/kernels/shared/output.hpp>

#include "band.hpp"

// The example of docs/extending.md: a kernel in one file.

namespace fatvec {
namespace detail {

// snippet: band product
/// A row per work-item, column by column.
template <class T, class Values, class X, class Output>
struct BandProduct {
  Values values;
  BandRows band;
  X x;
  Output output;
  std::int64_t k;
  bool by_fours;

  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    std::int64_t c = 0;
    for (; by_fours && c + 4 <= k; c += 4) multiply<4>(i, c);
    for (; c < k; ++c) multiply<1>(i, c);
  }

  /// Columns c, c + 1, ..., c + width - 1, whose sums stay in registers.
  template <int width>
  KOKKOS_FUNCTION void multiply(std::int64_t i, std::int64_t c) const {
    T sums[width] = {};
    for (std::int64_t j = band.first(i); j < band.last(i); ++j)
      for (int w = 0; w < width; ++w) sums[w] += values(i, j - i + band.lower) * x(j, c + w);
    output.store(i, c, sums);
  }
};
// end of snippet

}  // namespace detail

// snippet: band kernel
struct BandRow {
  static constexpr const char* name = "band-row";
  template <class Scalar, class Ordinal, class Device, class Offset>
  using Matrix = BandMatrix<Scalar, Ordinal, Device, Offset>;

  struct Policy {
    int columns = 4;  ///< of X at a time, 1 or 4

    static std::vector<Policy> tuning_range() { return {{1}, {4}}; }
    [[nodiscard]] std::string to_string() const { return detail::concat("columns:", columns); }
  };
  using HostPolicy = Policy;  // the same on hosts and devices
  using DevicePolicy = Policy;

  template <class ExecSpace, class M, class X, class Output>
  static void run(const ExecSpace& exec, const Policy& policy, const M& matrix, const X& x,
                  const Output& output, std::int64_t k) {
    using T = typename M::value_type;
    using Product = detail::BandProduct<T, typename M::Values, X, Output>;
    Kokkos::parallel_for(
        "fatvec::BandRow", detail::Range<ExecSpace>(exec, 0, matrix.rows()),
        Product{matrix.values, matrix.row_access(), x, output, k, policy.columns == 4});
  }
};
// end of snippet

template <class Scalar, class Ordinal, class Device, class Offset>
struct DefaultKernel<BandMatrix<Scalar, Ordinal, Device, Offset>> {
  using type = BandRow;
};

static_assert(SpmmKernel<BandRow>);

}  // namespace fatvec
