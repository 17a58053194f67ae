// SPDX-License-Identifier: Apache-2.0
// Compiled where CMake finds no MPI.
#include <fatvec/app/ranks/session.hpp>
#include <fatvec/core/error.hpp>

#include "distributed/rank_session.hpp"

namespace fatvec::bench {

int run_on_ranks(const Options&, const Suite& suite) {
  throw UsageError(detail::concat("--suite ", suite.name, ": ", ranks::no_mpi));
}

}  // namespace fatvec::bench
