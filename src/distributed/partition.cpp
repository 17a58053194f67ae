// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <numeric>
#include <utility>

#include <fatvec/distributed/partition.hpp>

namespace fatvec::distributed {

using detail::concat;

Sums sums_of(const Communicator& communicator, std::int64_t mine) {
  Sums sums;
  MPI_Exscan(&mine, &sums.before, 1, MPI_INT64_T, MPI_SUM, communicator.get());
  if (communicator.rank() == 0) sums.before = 0;  // left alone by MPI_Exscan
  MPI_Allreduce(&mine, &sums.total, 1, MPI_INT64_T, MPI_SUM, communicator.get());
  return sums;
}

Partition Partition::even(std::int64_t rows, int parts) {
  if (rows < 0 || parts < 1)
    throw ShapeError(concat("Partition::even: ", rows, " rows in ", parts,
                            " parts; wanted at least 0 rows and 1 part."));
  std::vector<std::int64_t> offsets(static_cast<std::size_t>(parts) + 1);
  const std::int64_t share = rows / parts;
  const std::int64_t longer = rows % parts;  // the first parts have one row more
  for (std::int64_t p = 0; p <= parts; ++p)
    offsets[static_cast<std::size_t>(p)] = p * share + std::min(p, longer);
  return Partition(std::move(offsets));
}

Partition Partition::even(const Communicator& communicator, std::int64_t rows) {
  return communicator.agree([&] { return even(rows, communicator.size()); });
}

Partition Partition::of_offsets(std::vector<std::int64_t> offsets) {
  if (offsets.size() < 2 || offsets.front() != 0 || !std::is_sorted(offsets.begin(), offsets.end()))
    throw ShapeError(concat("Partition::of_offsets: ", offsets.size(),
                            " offsets; wanted one more than ranks, from 0 on, never falling."));
  return Partition(std::move(offsets));
}

Partition Partition::of_local_rows(const Communicator& communicator, std::int64_t rows) {
  auto offsets = communicator.agree([&] {
    if (rows < 0) throw ShapeError(concat("Partition::of_local_rows: ", rows, " rows."));
    return std::vector<std::int64_t>(static_cast<std::size_t>(communicator.size()) + 1, 0);
  });
  MPI_Allgather(&rows, 1, MPI_INT64_T, offsets.data() + 1, 1, MPI_INT64_T, communicator.get());
  std::partial_sum(offsets.begin(), offsets.end(), offsets.begin());
  return Partition(std::move(offsets));
}

Partition Partition::by_nonzeros(const Communicator& communicator, const Partition& current,
                                 const std::vector<std::int64_t>& lengths) {
  const int rank = communicator.rank();
  const std::int64_t parts = communicator.size();
  std::vector<std::int64_t> cuts, offsets;
  communicator.agree([&] {
    if (current.parts() != parts || static_cast<std::int64_t>(lengths.size()) != current.size(rank))
      throw ShapeError(concat("Partition::by_nonzeros: ", lengths.size(), " lengths, and a ",
                              "partition of ", current.parts(), " parts; wanted ", parts,
                              " parts and a length for each row of this rank."));
    cuts.assign(static_cast<std::size_t>(parts) + 1, 0);
    offsets = cuts;
  });
  const auto [before, total] =
      sums_of(communicator, std::accumulate(lengths.begin(), lengths.end(), std::int64_t{0}));

  // Each rank finds the cuts that lie in its rows: the first row with p / parts of all entries
  // before it. The others say 0, and the maximum has them all.
  std::int64_t p = 1;
  while (p < parts && part_begin(total, p, parts) <= before) ++p;
  std::int64_t sum = before;
  for (std::size_t i = 0; i < lengths.size(); ++i) {
    sum += lengths[i];
    for (; p < parts && part_begin(total, p, parts) <= sum; ++p)
      cuts[static_cast<std::size_t>(p)] = current.begin(rank) + static_cast<std::int64_t>(i) + 1;
  }
  MPI_Allreduce(cuts.data(), offsets.data(), static_cast<int>(cuts.size()), MPI_INT64_T, MPI_MAX,
                communicator.get());
  offsets.back() = current.rows();
  if (total > 0) return of_offsets(std::move(offsets));
  return even(communicator, current.rows());
}

int Partition::owner(std::int64_t row) const {
  const auto after = std::upper_bound(offsets_.begin(), offsets_.end(), row);
  return static_cast<int>(after - offsets_.begin()) - 1;
}

}  // namespace fatvec::distributed
