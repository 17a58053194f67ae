// SPDX-License-Identifier: Apache-2.0
#include <filesystem>
#include <numeric>
#include <utility>
#include <vector>

#include <fatvec/app/ranks/product.hpp>
#include <fatvec/distributed/metis.hpp>

namespace fatvec::ranks {
namespace {

using distributed::GlobalCoo;
using distributed::GlobalCsr;
using distributed::Numbering;
using distributed::Partition;

/// The same entries, with the new numbers of their rows.
GlobalCoo<double> with_rows(const std::vector<std::int64_t>& numbers,
                            const GlobalCsr<double>& mine) {
  GlobalCoo<double> coo(mine.cols(), mine.cols(), static_cast<std::size_t>(mine.nnz()));
  for (std::int64_t i = 0; i < mine.rows(); ++i)
    for (std::int64_t n = mine.row_map(i); n < mine.row_map(i + 1); ++n) {
      coo.row(n) = numbers[static_cast<std::size_t>(i)];
      coo.col(n) = mine.entries(n);
      coo.value(n) = mine.values(n);
    }
  return coo;
}

/// Rows travel to the ranks that METIS finds for them. Columns, and with them X and the reference
/// that a product is compared with, keep their numbers.
Rows parted_by_metis(const Communicator& communicator, const Rows& rows,
                     std::optional<std::uint64_t> memory_limit) {
  auto numbers = distributed::partition_by_metis(communicator, rows.partition, rows.mine);
  Numbering numbering(communicator, rows.partition.rows(), numbers);
  const auto now = communicator.agree([&] {
    std::vector<std::int64_t> of_rows(static_cast<std::size_t>(rows.mine.rows()));
    std::iota(of_rows.begin(), of_rows.end(), rows.partition.begin(communicator.rank()));
    return of_rows;
  });
  const auto later = numbering(communicator, now);
  const auto coo = communicator.agree([&] { return with_rows(later, rows.mine); });
  auto mine = gather_rows(communicator, numbering.partition(), coo, memory_limit);
  return communicator.agree([&] {
    return Rows{.partition = numbering.partition(),
                .mine = std::move(mine),
                .duplicates = rows.duplicates,
                .numbering = std::move(numbering),
                .numbers = std::move(numbers)};
  });
}

}  // namespace

Spread spread_of(std::string_view name) {
  if (name == "metis") distributed::require_metis();
  return name == "metis" ? Spread::metis : name == "nonzeros" ? Spread::nonzeros : Spread::even;
}

Rows read_rows(const Communicator& communicator, const std::string& path, Spread spread,
               std::optional<std::uint64_t> memory_limit) {
  const auto file = communicator.agree([&] { return std::filesystem::path(path); });
  const auto coo = distributed::read_entries<double>(communicator, file, memory_limit);
  Partition partition = spread == Spread::nonzeros
                            ? distributed::spread_by_nonzeros(communicator, coo, memory_limit)
                            : Partition::even(communicator, coo.rows);
  auto mine = gather_rows(communicator, partition, coo, memory_limit);
  Rows rows{.partition = std::move(partition), .mine = std::move(mine)};
  rows.duplicates =
      range_of(communicator, static_cast<std::int64_t>(coo.entries()) - rows.mine.nnz()).sum;
  if (spread == Spread::metis) return parted_by_metis(communicator, rows, memory_limit);
  return rows;
}

Rows generate_rows(const Communicator& communicator, const generate::Spec& spec, Spread spread,
                   std::optional<std::uint64_t> memory_limit) {
  std::optional<Partition> partition;
  const auto limit = distributed::limit_of_rank(communicator, 0, memory_limit);
  const auto choose = [&](std::int64_t all) {
    if (!partition) partition = Partition::even(all, communicator.size());
    return generate::RowRange{partition->begin(communicator.rank()),
                              partition->end(communicator.rank())};
  };
  const auto make = [&] {
    return distributed::within(limit, memory_limit,
                               [&] { return generate::generate_rows(spec, choose, limit); });
  };
  auto rows = communicator.agree(make);
  if (spread == Spread::nonzeros) {
    const auto lengths = communicator.agree([&] { return distributed::lengths_of(rows); });
    partition = Partition::by_nonzeros(communicator, *partition, lengths);
    rows = communicator.agree(make);
  }
  const auto nnz = static_cast<std::int64_t>(rows.entries.extent(0));
  distributed::require_fits_on_host(
      communicator, "distributed matrix", static_cast<double>(nnz) * sizeof(std::int64_t),
      memory_limit, [&] { return fatvec::detail::concat("64-bit columns of ", nnz, " entries"); });
  Rows generated = communicator.agree([&] {
    return Rows{.partition = *partition, .mine = distributed::with_global_columns(rows)};
  });
  if (spread == Spread::metis) return parted_by_metis(communicator, generated, memory_limit);
  return generated;
}

}  // namespace fatvec::ranks
