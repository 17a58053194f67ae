// SPDX-License-Identifier: Apache-2.0
#include <fatvec/distributed/all_to_all.hpp>
#include <fatvec/distributed/halo_plan.hpp>

namespace fatvec::distributed {
namespace {

std::vector<Neighbour> neighbours(const std::vector<std::int64_t>& rows_of_ranks) {
  std::vector<Neighbour> found;
  std::int64_t first = 0;
  for (std::size_t p = 0; p < rows_of_ranks.size(); ++p) {
    if (rows_of_ranks[p] > 0) found.push_back({static_cast<int>(p), first, rows_of_ranks[p]});
    first += rows_of_ranks[p];
  }
  return found;
}

}  // namespace

std::int64_t HaloPlan::received_rows() const {
  return receives.empty() ? 0 : receives.back().first + receives.back().rows;
}

HaloPlan make_halo_plan(const Communicator& communicator, const Partition& x_rows,
                        const std::vector<std::int64_t>& columns) {
  const auto wanted = communicator.agree([&] {
    std::vector<std::int64_t> of_ranks(static_cast<std::size_t>(communicator.size()), 0);
    for (const std::int64_t column : columns)
      ++of_ranks[static_cast<std::size_t>(x_rows.owner(column))];
    return of_ranks;
  });
  const auto asked = all_to_all(communicator, columns, wanted);

  return communicator.agree([&] {
    HaloPlan plan;
    plan.receives = neighbours(wanted);
    plan.sends = neighbours(asked.counts);
    plan.send_rows.reserve(asked.items.size());
    const std::int64_t begin = x_rows.begin(communicator.rank());
    for (const std::int64_t row : asked.items) {
      if (row < begin || row >= x_rows.end(communicator.rank()))
        throw ShapeError("distributed matrix: ranks were given different partitions of X.");
      plan.send_rows.push_back(static_cast<std::int32_t>(row - begin));
    }
    return plan;
  });
}

}  // namespace fatvec::distributed
