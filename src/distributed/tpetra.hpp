// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include <fatvec/distributed/numbering.hpp>

namespace fatvec {
namespace detail {

/// The rows of a Tpetra::Map that are on this rank; the function had another name up to
/// Trilinos 13.
template <class Map>
std::vector<std::int64_t> elements_of(const Map& map) {
  std::size_t count = 0;
  if constexpr (requires { map.getLocalNumElements(); })
    count = map.getLocalNumElements();
  else
    count = map.getNodeNumElements();
  std::vector<std::int64_t> elements(count);
  for (std::size_t n = 0; n < elements.size(); ++n)
    elements[n] = static_cast<std::int64_t>(
        map.getGlobalElement(static_cast<typename Map::local_ordinal_type>(n)));
  return elements;
}

}  // namespace detail

namespace distributed {

/// A filled Tpetra::CrsMatrix, whatever its maps, whose indices count from 0: local row n of Y and
/// X is local row n of its row map and domain map, so that Tpetra's vectors can be multiplied where
/// they lie. Entries are copied, for Tpetra keeps those of the rank's own rows of X and of others
/// in one array. Includes nothing of Trilinos. Collective; errors are thrown on all ranks.
template <class Device = Kokkos::DefaultExecutionSpace, class Offset = std::int32_t, class Tpetra>
auto from_tpetra(const Communicator& communicator, const Tpetra& a, const Options& options = {}) {
  using fatvec::detail::allocate_zeros;
  using Csr = GlobalCsr<typename Tpetra::impl_scalar_type>;
  const auto local = a.getLocalMatrixHost();
  const auto& domain = *a.getDomainMap();
  const auto elements = [&](const auto& map) {
    return communicator.agree([&] { return fatvec::detail::elements_of(map); });
  };
  const auto columns = elements(*a.getColMap());
  const Csr rows = communicator.agree([&] {
    const auto count = static_cast<std::size_t>(local.numRows());
    const Kokkos::DefaultHostExecutionSpace host;
    const auto row_map =
        allocate_zeros<typename Csr::Offsets>(host, "fatvec::csr::row_map", count + 1);
    for (std::size_t i = 0; i < count; ++i)  // Tpetra's may be empty where there are no rows
      row_map(i + 1) = static_cast<std::int64_t>(local.graph.row_map(i + 1));
    const auto nnz = static_cast<std::size_t>(row_map(count));
    const auto entries = allocate_zeros<typename Csr::Ordinals>(host, "fatvec::csr::entries", nnz);
    const auto values = allocate_zeros<typename Csr::Scalars>(host, "fatvec::csr::values", nnz);
    for (std::size_t n = 0; n < nnz; ++n) {
      entries(n) = columns[static_cast<std::size_t>(local.graph.entries(n))];
      values(n) = local.values(n);
    }
    return Csr(static_cast<std::int64_t>(count),
               static_cast<std::int64_t>(domain.getGlobalNumElements()), row_map, entries, values);
  });
  const Numbering of_rows(communicator,
                          static_cast<std::int64_t>(a.getRowMap()->getGlobalNumElements()),
                          elements(*a.getRowMap()));
  const std::optional<Numbering> of_x(std::in_place, communicator,
                                      static_cast<std::int64_t>(domain.getGlobalNumElements()),
                                      elements(domain));
  return from_rows<Device, Offset>(communicator, of_rows, rows, options, of_x);
}

}  // namespace distributed
}  // namespace fatvec
