// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include <fatvec/distributed/communicator.hpp>
#include <fatvec/distributed/partition.hpp>

namespace fatvec::distributed {

/// Neighbouring rows of a buffer that go to one rank, or come from one.
struct Neighbour {
  int rank = 0;
  std::int64_t first = 0;  ///< row of the buffer
  std::int64_t rows = 0;   ///< at least 1
};

/// Which rows of X a product exchanges: found once, when a matrix is built.
struct HaloPlan {
  std::vector<Neighbour> receives;      ///< in the order of the ranks
  std::vector<Neighbour> sends;         ///< the same
  std::vector<std::int32_t> send_rows;  ///< this rank's rows of X, in the order in which they go

  [[nodiscard]] std::int64_t received_rows() const;
  [[nodiscard]] std::int64_t sent_rows() const {
    return static_cast<std::int64_t>(send_rows.size());
  }
};

/// Asks the owners for the rows `columns` of X: ascending, distinct, none of them this rank's.
/// Each row comes once, whatever number of entries want it, which is the least that a product with
/// this partition can receive. Collective.
HaloPlan make_halo_plan(const Communicator& communicator, const Partition& x_rows,
                        const std::vector<std::int64_t>& columns);

}  // namespace fatvec::distributed
