// SPDX-License-Identifier: Apache-2.0
#include <filesystem>
#include <utility>
#include <vector>

#include <fatvec/app/ranks/product.hpp>

namespace fatvec::ranks {
namespace {

using distributed::GlobalCsr;
using distributed::Partition;
using distributed::Spread;

std::vector<std::int64_t> lengths_of(const auto& rows) {
  std::vector<std::int64_t> lengths(static_cast<std::size_t>(rows.rows()));
  for (std::size_t i = 0; i < lengths.size(); ++i)
    lengths[i] = rows.row_map(i + 1) - rows.row_map(i);
  return lengths;
}

}  // namespace

Rows read_rows(const Communicator& communicator, const std::string& path, Spread spread) {
  const auto file = communicator.agree([&] { return std::filesystem::path(path); });
  const auto coo = distributed::read_entries<double>(communicator, file);
  Partition partition = spread == Spread::even ? Partition::even(communicator, coo.rows)
                                               : distributed::spread_by_nonzeros(communicator, coo);
  auto mine = gather_rows(communicator, partition, coo);
  Rows rows{.partition = std::move(partition), .mine = std::move(mine)};
  rows.duplicates =
      range_of(communicator, static_cast<std::int64_t>(coo.entries()) - rows.mine.nnz()).sum;
  return rows;
}

Rows generate_rows(const Communicator& communicator, const generate::Spec& spec, Spread spread,
                   std::optional<std::uint64_t> memory_limit) {
  std::optional<Partition> partition;
  const auto make = [&] {
    return generate::generate_rows(
        spec,
        [&](std::int64_t all) {
          if (!partition) partition = Partition::even(all, communicator.size());
          return generate::RowRange{partition->begin(communicator.rank()),
                                    partition->end(communicator.rank())};
        },
        memory_limit);
  };
  auto rows = communicator.agree(make);
  if (spread == Spread::nonzeros) {
    const auto lengths = communicator.agree([&] { return lengths_of(rows); });
    partition = Partition::by_nonzeros(communicator, *partition, lengths);
    rows = communicator.agree(make);
  }
  return communicator.agree([&] {
    const auto columns = fatvec::detail::allocate<GlobalCsr<double>::Ordinals>(
        Kokkos::DefaultHostExecutionSpace(), "fatvec::csr::entries", rows.entries.extent(0));
    Kokkos::deep_copy(columns, rows.entries);
    return Rows{
        .partition = *partition,
        .mine = GlobalCsr<double>(rows.rows(), rows.cols(), rows.row_map, columns, rows.values)};
  });
}

}  // namespace fatvec::ranks
