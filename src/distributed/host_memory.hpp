// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <fatvec/core/memory.hpp>
#include <fatvec/distributed/communicator.hpp>

/// Ranks of one host have its free memory together.
namespace fatvec::distributed {

/// What the ranks of this rank's host want, and have.
struct HostMemory {
  double wanted = 0;  ///< bytes, of all of them together
  int ranks = 1;
  std::uint64_t free = 0;          ///< bytes, for all of them together
  std::uint64_t free_of_rank = 0;  ///< the same, and within this process' own limits
};

/// wanted: bytes of this rank. Taken when all ranks have come here, and before any goes on.
/// Collective.
HostMemory host_memory(const Communicator& communicator, double wanted);

/// Refuses, before any rank allocates, what the ranks of one host have no memory for together.
/// bytes: of this rank; memory_limit: for one rank, in place of what is free. why() says what is
/// counted. Collective; throws CapacityError on all ranks.
template <class Why>
void require_fits_on_host(const Communicator& communicator, const char* what, double bytes,
                          std::optional<std::uint64_t> memory_limit, const Why& why) {
  const HostMemory host = host_memory(communicator, bytes);
  communicator.agree([&] {
    const auto free = static_cast<double>(host.free);
    const auto free_of_rank = static_cast<double>(host.free_of_rank);
    if (memory_limit ? bytes <= static_cast<double>(*memory_limit)
                     : host.wanted <= free && bytes <= free_of_rank)
      return;
    if (memory_limit)
      fatvec::detail::require_fits<Kokkos::HostSpace>(what, {0, bytes}, memory_limit, why());
    using fatvec::detail::concat;
    const bool alone = host.ranks == 1 || bytes > free_of_rank;
    const auto together = alone ? std::string()
                                : concat(human_bytes(host.wanted), " on the ", host.ranks,
                                         " ranks of its host together, ");
    throw CapacityError(
        concat(what, " needs ", human_bytes(bytes), " on this rank (", why(), "), ", together,
               "more than the ", human_bytes(alone ? free_of_rank : free),
               " that are free there; nothing was allocated. Take fewer columns, or more hosts."));
  });
}

/// The part of its host's free memory that this rank may take alone where ranks do not tell each
/// other what they want: as its weight is to that of the ranks there. A limit that was given stays
/// as it is; on a host of one rank there is none. Collective.
std::optional<std::uint64_t> limit_of_rank(const Communicator& communicator, double weight,
                                           std::optional<std::uint64_t> memory_limit);

/// work() within limit_of_rank(..., given). Where none was given, CapacityError says what it is.
template <class Work>
auto within(std::optional<std::uint64_t> limit, std::optional<std::uint64_t> given,
            const Work& work) try {
  return work();
} catch (const CapacityError& error) {
  if (given == limit) throw;
  throw CapacityError(fatvec::detail::concat(
      error.what(), " Without a limit of the caller's, a rank has its part of what the host has ",
      "free: take fewer ranks of a host, or give a limit."));
}

}  // namespace fatvec::distributed
