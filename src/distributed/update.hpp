// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <vector>

#include <fatvec/distributed/halo.hpp>

namespace fatvec {
namespace detail {

/// Values of the local part: of each row a run of them, where first(i) says.
template <class Csr>
struct StoreLocal {
  typename Csr::Scalars from;
  Kokkos::View<const typename Csr::offset_type*, typename Csr::device_type> first;
  typename Csr::ConstOffsets row_map;
  typename Csr::Scalars to;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    const auto begin = row_map(i);
    for (auto n = begin; n < row_map(i + 1); ++n) to(n) = from(first(i) + (n - begin));
  }
};

/// Values of the halo part: what of a boundary row lies before and behind its local entries.
template <class Csr>
struct StoreHalo {
  typename Csr::Scalars from;
  Kokkos::View<const typename Csr::offset_type*, typename Csr::device_type> first;
  typename Csr::ConstOffsets local_map;
  Kokkos::View<const std::int32_t*, typename Csr::device_type> boundary;
  std::int32_t columns_before;
  Csr halo;
  KOKKOS_FUNCTION void operator()(std::int64_t b) const {
    const auto i = boundary(b);
    const auto begin = halo.row_map(b);
    const auto end = halo.row_map(b + 1);
    auto right = begin;
    while (right < end && halo.entries(right) < columns_before) ++right;
    const auto behind = first(i) + (local_map(i + 1) - local_map(i));
    for (auto n = begin; n < end; ++n)
      halo.values(n) = n < right ? from(first(i) - (right - n)) : from(behind + (n - right));
  }
};

}  // namespace detail

namespace distributed {

/// Where the values of a rank's rows go when they are updated: to the local part and to the halo.
template <class Csr>
class ValueSource {
 public:
  using ExecSpace = typename Csr::execution_space;

  /// Of the local part in CSR, with what split() found out.
  ValueSource(const Csr& local, const std::vector<typename Csr::offset_type>& first_local,
              std::int32_t columns_before)
      : row_map_(local.row_map),
        values_(local.values),
        first_(detail::to_device<typename Csr::device_type>(first_local, "fatvec::halo::first")),
        columns_before_(columns_before) {}

  /// The local part's values.
  [[nodiscard]] const typename Csr::Scalars& local() const { return values_; }

  /// Stores this rank's values, in the order of their global columns. Throws ShapeError for another
  /// number of them.
  void store(const ExecSpace& exec, const typename Csr::Scalars& from,
             const Halo<Csr>& halo) const {
    const std::size_t wanted = values_.extent(0) + halo.matrix().values.extent(0);
    if (from.extent(0) != wanted)
      throw ShapeError(detail::concat("distributed update: ", from.extent(0), " values (",
                                      from.label(), ") for the ", wanted,
                                      " entries of this rank's rows."));
    Kokkos::parallel_for(
        "fatvec::halo::store_local",
        detail::Range<ExecSpace>(exec, 0, static_cast<std::int64_t>(first_.extent(0))),
        detail::StoreLocal<Csr>{from, first_, row_map_, values_});
    Kokkos::parallel_for("fatvec::halo::store_halo",
                         detail::Range<ExecSpace>(exec, 0, halo.matrix().rows()),
                         detail::StoreHalo<Csr>{.from = from,
                                                .first = first_,
                                                .local_map = row_map_,
                                                .boundary = halo.boundary(),
                                                .columns_before = columns_before_,
                                                .halo = halo.matrix()});
  }

 private:
  typename Csr::ConstOffsets row_map_;
  typename Csr::Scalars values_;
  Kokkos::View<typename Csr::offset_type*, typename Csr::device_type> first_;
  std::int32_t columns_before_;
};

}  // namespace distributed
}  // namespace fatvec
