// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fatvec/distributed/build.hpp>
#include <fatvec/generate/generate.hpp>

namespace fatvec::distributed {

/// A generated matrix, each rank making its rows alone, evenly spread: the same matrix for any
/// number of ranks. Generators have 32-bit rows and columns. Collective; throws what
/// generate::generate() does, on all ranks.
template <class Device = Kokkos::DefaultExecutionSpace, class Offset = std::int32_t>
auto generate(const Communicator& communicator, const fatvec::generate::Spec& spec,
              const Options& options = {}) {
  using fatvec::generate::RowRange;
  const auto limit = limit_of_rank(communicator, 0, options.memory_limit);
  std::int64_t all_rows = 0;
  const GlobalCsr<double> mine = communicator.agree([&] {
    const auto choose = [&](std::int64_t n) {
      all_rows = n;
      const Partition even = Partition::even(n, communicator.size());
      return RowRange{even.begin(communicator.rank()), even.end(communicator.rank())};
    };
    const auto rows = within(limit, options.memory_limit,
                             [&] { return fatvec::generate::generate_rows(spec, choose, limit); });
    return with_global_columns(rows);
  });
  return from_rows<Device, Offset>(communicator, Partition::even(communicator, all_rows), mine,
                                   options);
}

}  // namespace fatvec::distributed
