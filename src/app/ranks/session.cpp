// SPDX-License-Identifier: Apache-2.0
#include <fatvec/app/ranks/session.hpp>

#include <mpi.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <string>
#include <thread>
#include <vector>

#include <fatvec/distributed/communicator.hpp>

namespace fatvec::ranks {
namespace {

/// An argument that says what those behind it are for; "-2" is a number.
bool is_option(const std::string& argument) {
  return argument.size() > 1 && argument[0] == '-' && argument[1] != '.' &&
         (argument[1] < '0' || argument[1] > '9');
}

/// The argument at that place, with the option before it or the value behind it.
std::string told(const std::vector<std::string>& arguments, std::size_t at) {
  if (at >= arguments.size()) return "nothing more";
  if (at > 0 && !is_option(arguments[at]) && is_option(arguments[at - 1])) --at;
  const bool has_value =
      is_option(arguments[at]) && at + 1 < arguments.size() && !is_option(arguments[at + 1]);
  return detail::concat("'", arguments[at], has_value ? " " + arguments[at + 1] : "", "'");
}

std::vector<std::string> cut(const std::string& text) {
  std::vector<std::string> arguments;
  for (std::size_t at = 0; at < text.size(); at += arguments.back().size() + 1)
    arguments.emplace_back(text.c_str() + at);
  return arguments;
}

}  // namespace

Session::Session(bool wanted) : started_(wanted) {
  if (!wanted) return;
  int level = 0;
  MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &level);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
}

Session::~Session() {
  if (started_) MPI_Finalize();
}

void Session::require_same_arguments(int argc, char** argv) const {
  if (!started_) return;
  const distributed::Communicator world;
  std::string mine;  // each with the null behind it
  std::string first;
  world.agree([&] {
    for (int n = 1; n < argc; ++n) mine.append(argv[n]).push_back('\0');
  });
  auto size = static_cast<std::int64_t>(mine.size());
  MPI_Bcast(&size, 1, MPI_INT64_T, 0, world.get());
  world.agree([&] {
    first = mine;
    first.resize(static_cast<std::size_t>(size));
  });
  MPI_Bcast(first.data(), static_cast<int>(size), MPI_CHAR, 0, world.get());
  world.agree([&] {
    if (mine == first) return;
    const auto here = cut(mine);
    const auto there = cut(first);
    std::size_t at = 0;
    while (at < here.size() && at < there.size() && here[at] == there[at]) ++at;
    throw UsageError(detail::concat("ranks were given different arguments: ", told(there, at),
                                    " on rank 0, ", told(here, at), " on rank ", world.rank(),
                                    "; give all ranks the same, in the same order."));
  });
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
