// SPDX-License-Identifier: Apache-2.0
#include <fatvec/app/ranks/session.hpp>

#include <mpi.h>

#include <chrono>
#include <cstdio>
#include <thread>

namespace fatvec::ranks {

Session::Session(bool wanted) : started_(wanted) {
  if (!wanted) return;
  int level = 0;
  MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &level);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
}

/// Waits for the others, so that none ends while another one still has something to say.
Session::~Session() {
  if (started_) MPI_Finalize();
}

int Session::complain(int exit_code, const std::string& message) const {
  // Not with {fmt}, which throws where nobody reads the complaint.
  if (speaks()) std::fprintf(stderr, "%s\n", message.c_str());
  if (!started_) return exit_code;
  MPI_Request all_failed = MPI_REQUEST_NULL;
  MPI_Ibarrier(MPI_COMM_WORLD, &all_failed);
  constexpr auto step = std::chrono::milliseconds(10);
  constexpr auto patience = std::chrono::seconds(5);
  for (auto waited = step; waited < patience; waited += step) {
    int done = 0;
    MPI_Test(&all_failed, &done, MPI_STATUS_IGNORE);
    if (done != 0) return exit_code;
    std::this_thread::sleep_for(step);
  }
  std::this_thread::sleep_for(20 * step * rank_);  // one of those that fail speaks
  if (!speaks()) std::fprintf(stderr, "rank %d: %s\n", rank_, message.c_str());
  std::fflush(stderr);
  MPI_Abort(MPI_COMM_WORLD, exit_code);
  return exit_code;
}

}  // namespace fatvec::ranks
