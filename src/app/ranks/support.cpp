// SPDX-License-Identifier: Apache-2.0
#include <chrono>
#include <cstdio>
#include <cstring>
#include <thread>
#include <vector>

#include <fatvec/app/ranks/product.hpp>

namespace fatvec::ranks {

Range range_of(const Communicator& communicator, std::int64_t value) {
  std::int64_t ends[2] = {value, -value};
  MPI_Allreduce(MPI_IN_PLACE, ends, 2, MPI_INT64_T, MPI_MIN, communicator.get());
  Range range{.least = ends[0], .most = -ends[1], .sum = value};
  MPI_Allreduce(MPI_IN_PLACE, &range.sum, 1, MPI_INT64_T, MPI_SUM, communicator.get());
  return range;
}

int ranks_per_gpu([[maybe_unused]] const Communicator& communicator) {
#if defined(KOKKOS_ENABLE_CUDA)
  const cudaDeviceProp gpu = Kokkos::Cuda().cuda_device_prop();
  constexpr int bytes = sizeof gpu.uuid;
  std::vector<char> all = communicator.agree(
      [&] { return std::vector<char>(static_cast<std::size_t>(bytes) * communicator.size()); });
  MPI_Allgather(&gpu.uuid, bytes, MPI_BYTE, all.data(), bytes, MPI_BYTE, communicator.get());
  std::int64_t same = 0;
  for (std::size_t at = 0; at < all.size(); at += bytes)
    same += std::memcmp(all.data() + at, &gpu.uuid, bytes) == 0 ? 1 : 0;
  return static_cast<int>(range_of(communicator, same).most);
#else
  return 1;
#endif
}

bool built_with_nccl() {
#if defined(FATVEC_HAVE_NCCL) && defined(KOKKOS_ENABLE_CUDA)
  return true;
#else
  return false;
#endif
}

void wait_for_all(const Communicator& communicator) {
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Ibarrier(communicator.get(), &request);
  for (int done = 0; done == 0; std::this_thread::sleep_for(std::chrono::milliseconds(1)))
    MPI_Test(&request, &done, MPI_STATUS_IGNORE);
}

void end_all_unless_all_failed(MPI_Comm ranks, int exit_code, const std::string& message) {
  MPI_Request all_failed = MPI_REQUEST_NULL;
  MPI_Ibarrier(ranks, &all_failed);
  constexpr auto step = std::chrono::milliseconds(1);
  constexpr auto patience = std::chrono::seconds(5);
  for (auto waited = step; waited < patience; waited += step) {
    int done = 0;
    MPI_Test(&all_failed, &done, MPI_STATUS_IGNORE);
    if (done != 0) return;
    std::this_thread::sleep_for(step);
  }
  int rank = 0;
  MPI_Comm_rank(ranks, &rank);
  std::fprintf(stderr, "rank %d: %s\n", rank, message.c_str());
  std::fflush(stderr);
  MPI_Abort(MPI_COMM_WORLD, exit_code);
}

}  // namespace fatvec::ranks
