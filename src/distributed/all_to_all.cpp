// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <fatvec/distributed/all_to_all.hpp>

namespace fatvec::detail {

std::vector<std::int64_t> swap_counts(const distributed::Communicator& communicator,
                                      const std::vector<std::int64_t>& counts) {
  auto received = communicator.agree([&] { return std::vector<std::int64_t>(counts.size()); });
  MPI_Alltoall(counts.data(), 1, MPI_INT64_T, received.data(), 1, MPI_INT64_T, communicator.get());
  return received;
}

namespace {

constexpr std::size_t longest_message = std::size_t{1} << 30;  // MPI counts with an int

/// transfer(pointer, bytes, rank) for the share of each rank, cut into messages.
template <class Pointer, class Transfer>
void for_each_message(Pointer at, const std::vector<std::int64_t>& counts, std::size_t item_bytes,
                      const Transfer& transfer) {
  for (std::size_t p = 0; p < counts.size(); ++p) {
    std::size_t bytes = static_cast<std::size_t>(counts[p]) * item_bytes;
    while (bytes > 0) {
      const std::size_t now = std::min(bytes, longest_message);
      transfer(at, static_cast<int>(now), static_cast<int>(p));
      at += now;
      bytes -= now;
    }
  }
}

}  // namespace

void swap_items(const distributed::Communicator& communicator, const std::byte* items,
                const std::vector<std::int64_t>& counts, std::byte* received,
                const std::vector<std::int64_t>& received_counts, std::size_t item_bytes) {
  std::vector<MPI_Request> requests;
  communicator.agree([&] {
    std::size_t messages = 0;
    const auto count = [&](const std::byte*, int, int) { ++messages; };
    for_each_message(items, counts, item_bytes, count);
    for_each_message(items, received_counts, item_bytes, count);
    requests.reserve(messages);
  });
  for_each_message(received, received_counts, item_bytes, [&](std::byte* to, int bytes, int from) {
    MPI_Irecv(to, bytes, MPI_BYTE, from, 0, communicator.get(), &requests.emplace_back());
  });
  for_each_message(items, counts, item_bytes, [&](const std::byte* from, int bytes, int to) {
    MPI_Isend(from, bytes, MPI_BYTE, to, 0, communicator.get(), &requests.emplace_back());
  });
  MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
}

}  // namespace fatvec::detail
