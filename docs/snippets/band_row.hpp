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
/// A row per work-item: its sums of up to 8 columns of X at a time stay in registers.
template <class T, class Values, class X>
struct BandProduct {
  static constexpr int tile = 8;
  Values values;
  BandRows band;
  X x;
  Epilogue<T> epilogue;
  std::int64_t k;
  int columns;  ///< at a time, at most `tile`

  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    for (std::int64_t c = 0; c < k; c += columns) {
      const int count = static_cast<int>(k - c < columns ? k - c : columns);
      T sums[tile] = {};
      for (std::int64_t j = band.first(i); j < band.last(i); ++j)
        for (int w = 0; w < count; ++w) sums[w] += values(i, j - i + band.lower) * x(j, c + w);
      epilogue.store(i, c, sums, count);
    }
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
    int columns = 8;  ///< of X at a time, 1 to 8

    static std::vector<Policy> tuning_range() { return {{1}, {2}, {4}}; }
    [[nodiscard]] std::string to_string() const { return detail::concat("columns:", columns); }
  };
  using HostPolicy = Policy;  // the same on hosts and devices
  using DevicePolicy = Policy;

  template <class ExecSpace, class M, class X, class T>
  static void run(const ExecSpace& exec, const Policy& policy, const M& matrix, const X& x,
                  const detail::Epilogue<T>& epilogue, std::int64_t k) {
    using Product = detail::BandProduct<T, typename M::Values, X>;
    Kokkos::parallel_for(
        "fatvec::BandRow", detail::Range<ExecSpace>(exec, 0, matrix.rows()),
        Product{matrix.values, matrix.row_access(), x, epilogue, k, policy.columns});
  }
};
// end of snippet

template <class Scalar, class Ordinal, class Device, class Offset>
struct DefaultKernel<BandMatrix<Scalar, Ordinal, Device, Offset>> {
  using type = BandRow;
};

static_assert(SpmmKernel<BandRow>);

}  // namespace fatvec
