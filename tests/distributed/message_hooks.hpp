// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

/// What goes through MPI_Isend and MPI_Allgather, by MPI's profiling interface: this rank's
/// messages are counted and, on request, late.
namespace fatvec::test {

struct Sent {
  std::int64_t messages = 0;
  std::int64_t bytes = 0;
  std::int64_t rounds = 0;  ///< of all ranks: MPI_Allgather and MPI_Allreduce
};

/// What was sent since the last call.
Sent take_sent();

/// While it lives, every send and every wait is preceded by a pause of up to some milliseconds.
class RandomDelays {
 public:
  explicit RandomDelays(unsigned seed);
  ~RandomDelays();
  RandomDelays(const RandomDelays&) = delete;
  RandomDelays& operator=(const RandomDelays&) = delete;
};

}  // namespace fatvec::test
