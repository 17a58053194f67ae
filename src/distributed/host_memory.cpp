// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <fatvec/distributed/host_memory.hpp>

namespace fatvec::distributed {

HostMemory host_memory(const Communicator& communicator, double wanted) {
  using fatvec::detail::available_memory, fatvec::detail::left_by_control_groups;
  HostMemory memory;
  MPI_Comm host = MPI_COMM_NULL;
  MPI_Comm_split_type(communicator.get(), MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &host);
  MPI_Comm_size(host, &memory.ranks);
  MPI_Allreduce(&wanted, &memory.wanted, 1, MPI_DOUBLE, MPI_SUM, host);
  // A limit of the address space is each process' own.
  std::exception_ptr failure;
  try {
    memory.free = std::min(available_memory(), left_by_control_groups());
    memory.free_of_rank = std::min(memory.free, fatvec::detail::left_of_address_space());
  } catch (const std::exception&) {
    failure = std::current_exception();
  }
  MPI_Allreduce(MPI_IN_PLACE, &memory.free, 1, MPI_UINT64_T, MPI_MIN, host);
  MPI_Comm_free(&host);
  communicator.agree([&] {
    if (failure) std::rethrow_exception(failure);
  });
  return memory;
}

std::optional<std::uint64_t> limit_of_rank(const Communicator& communicator, double weight,
                                           std::optional<std::uint64_t> memory_limit) {
  const HostMemory host = host_memory(communicator, weight + 1);
  if (memory_limit || host.ranks == 1) return memory_limit;
  return static_cast<std::uint64_t>(static_cast<double>(host.free) * (weight + 1) / host.wanted);
}

}  // namespace fatvec::distributed
