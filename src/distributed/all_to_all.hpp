// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

#include <fatvec/distributed/communicator.hpp>

namespace fatvec {
namespace detail {

/// How many items each rank sends here, where counts[p] go to rank p. Collective.
std::vector<std::int64_t> swap_counts(const distributed::Communicator& communicator,
                                      const std::vector<std::int64_t>& counts);

/// The items themselves, as bytes; both arrays hold those of rank 0 first. Only ranks that have
/// something for each other exchange messages, each of at most 1 GB.
void swap_items(const distributed::Communicator& communicator, const std::byte* items,
                const std::vector<std::int64_t>& counts, std::byte* received,
                const std::vector<std::int64_t>& received_counts, std::size_t item_bytes);

}  // namespace detail

namespace distributed {

/// Items that came from the other ranks, those of rank 0 first.
template <class Item>
struct Received {
  std::vector<Item> items;
  std::vector<std::int64_t> counts;  ///< of each rank
};

/// Sends counts[p] of the items to each rank p; they lie in the order of the ranks. Collective.
template <class Item>
Received<Item> all_to_all(const Communicator& communicator, const std::vector<Item>& items,
                          const std::vector<std::int64_t>& counts) {
  static_assert(std::is_trivially_copyable_v<Item>);
  Received<Item> received;
  received.counts = fatvec::detail::swap_counts(communicator, counts);
  std::size_t total = 0;
  for (const std::int64_t count : received.counts) total += static_cast<std::size_t>(count);
  communicator.agree([&] { received.items.resize(total); });
  fatvec::detail::swap_items(communicator, reinterpret_cast<const std::byte*>(items.data()), counts,
                             reinterpret_cast<std::byte*>(received.items.data()), received.counts,
                             sizeof(Item));
  return received;
}

}  // namespace distributed
}  // namespace fatvec
