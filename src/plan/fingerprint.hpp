// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Core.hpp>
#include <Kokkos_Profiling_ScopedRegion.hpp>
#include <cstdint>

#include <fatvec/formats/csr.hpp>
#include <fatvec/formats/detail/rows.hpp>

namespace fatvec {
namespace detail {

/// Sums a hash of (place, number) over an array, which does not depend on the order of the
/// additions.
template <class Array>
struct HashSum {
  Array array;
  std::uint64_t salt;

  KOKKOS_FUNCTION static std::uint64_t mixed(
      std::uint64_t x) {  // the finaliser of splitmix64 (Steele, Lea and Flood, 2014)
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9U;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebU;
    return x ^ (x >> 31);
  }
  KOKKOS_FUNCTION void operator()(std::int64_t n, std::uint64_t& sum) const {
    sum +=
        mixed(mixed(salt + static_cast<std::uint64_t>(n)) + static_cast<std::uint64_t>(array(n)));
  }
};

template <class ExecSpace, class Array>
std::uint64_t hash_sum(const ExecSpace& exec, const Array& array, std::uint64_t salt) {
  std::uint64_t sum = 0;
  Kokkos::parallel_reduce("fatvec::fingerprint",
                          Range<ExecSpace>(exec, 0, static_cast<std::int64_t>(array.extent(0))),
                          HashSum<Array>{array, salt}, sum);
  return sum;
}

}  // namespace detail

/// A number that tells structures apart: of the extents, the row offsets and the column indices,
/// not of the values. The same on every machine and for every width of the indices. One pass over
/// the structure; blocks.
template <class ExecSpace, class Scalar, class Ordinal, class Device, class Offset>
std::uint64_t fingerprint(const ExecSpace& exec,
                          const CsrMatrix<Scalar, Ordinal, Device, Offset>& csr) {
  const Kokkos::Profiling::ScopedRegion region("fatvec::fingerprint");
  constexpr std::uint64_t apart = std::uint64_t{1} << 62;  // no offset takes an entry's place
  return detail::hash_sum(exec, csr.row_map, 1) + detail::hash_sum(exec, csr.entries, apart) +
         detail::HashSum<int>::mixed(static_cast<std::uint64_t>(csr.rows())) +
         detail::HashSum<int>::mixed(~static_cast<std::uint64_t>(csr.cols()));
}

}  // namespace fatvec
