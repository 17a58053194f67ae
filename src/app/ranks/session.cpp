// SPDX-License-Identifier: Apache-2.0
#include <fatvec/app/ranks/session.hpp>

#include <mpi.h>

#include <algorithm>
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

Session::~Session() {
  if (started_) MPI_Finalize();
}

int Session::finish(int exit_code) {
  return end(exit_code, nullptr);
}

int Session::complain(int exit_code, const std::string& message) {
  // Not with {fmt}, which throws where nobody reads the complaint.
  if (speaks()) std::fprintf(stderr, "%s\n", message.c_str());
  return end(exit_code, &message);
}

/// message: why this rank failed, if it did. A second call has nothing to wait for.
int Session::end(int exit_code, const std::string* message) {
  if (!started_ || ended_) return exit_code;
  ended_ = true;
  // The largest exit code, and how far from the end the first rank is that failed: 0 where none is.
  int ranks = 1;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  int all[2] = {exit_code, message != nullptr ? ranks - rank_ : 0};
  MPI_Request ended = MPI_REQUEST_NULL;
  MPI_Iallreduce(MPI_IN_PLACE, all, 2, MPI_INT, MPI_MAX, MPI_COMM_WORLD, &ended);
  constexpr auto step = std::chrono::milliseconds(1);
  constexpr auto patience = std::chrono::seconds(5);
  for (auto waited = step; message == nullptr || waited < patience; waited += step) {
    int done = 0;
    MPI_Test(&ended, &done, MPI_STATUS_IGNORE);
    if (done != 0) {
      if (message != nullptr && rank_ > 0 && ranks - all[1] == rank_)
        std::fprintf(stderr, "rank %d: %s\n", rank_, message->c_str());
      return all[0];
    }
    std::this_thread::sleep_for(step);
  }
  std::this_thread::sleep_for(200 * step * std::min(rank_, 10));  // one of those that fail speaks
  if (!speaks()) std::fprintf(stderr, "rank %d: %s\n", rank_, message->c_str());
  std::fflush(stderr);
  MPI_Abort(MPI_COMM_WORLD, exit_code);
  return exit_code;
}

}  // namespace fatvec::ranks
