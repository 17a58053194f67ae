// SPDX-License-Identifier: Apache-2.0
// Compiled where CMake finds no MPI.
#include <fatvec/app/ranks/session.hpp>

#include "multiply.hpp"

namespace fatvec::cli {

int multiply_distributed(const MultiplyOptions&) {
  throw UsageError(fmt::format("--distributed: {}", ranks::no_mpi));
}

}  // namespace fatvec::cli
