// SPDX-License-Identifier: Apache-2.0
#include <fatvec/distributed/numbering.hpp>

#include <algorithm>
#include <random>

#include "support.hpp"

namespace fatvec::test {
namespace {

using distributed::Numbering;

/// Rows 0 ... rows - 1, shuffled: what this rank has of them. Ranks have different numbers of rows.
std::vector<std::int64_t> scattered(const Communicator& world, std::int64_t rows, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<std::int64_t> all(static_cast<std::size_t>(rows));
  for (std::size_t n = 0; n < all.size(); ++n) all[n] = static_cast<std::int64_t>(n);
  std::shuffle(all.begin(), all.end(), random);
  std::vector<std::int64_t> mine;
  for (const std::int64_t row : all)
    if (static_cast<int>(random() % static_cast<unsigned>(world.size() + 1)) % world.size() ==
        world.rank())
      mine.push_back(row);
  return mine;
}

/// The same with 64-bit columns, each row's from the last to the first.
distributed::GlobalCsr<double> backwards(const HostCsr& a) {
  using Csr = distributed::GlobalCsr<double>;
  const Csr result(a.rows(), a.cols(), a.row_map, Csr::Ordinals("entries", a.nnz()),
                   Csr::Scalars("values", a.nnz()));
  for (std::int64_t i = 0; i < a.rows(); ++i)
    for (std::int64_t n = a.row_map(i), last = a.row_map(i + 1) - 1; n <= last; ++n) {
      result.entries(n) = a.entries(a.row_map(i) + last - n);
      result.values(n) = a.values(a.row_map(i) + last - n);
    }
  return result;
}

TEST(DistributedNumbering, TakesRowsInAnyOrderOnAnyRank) {
  const Communicator world;
  for (const char* const spec : {"uniform:61x61:5", "stencil5:9x8", "arrow:50", "diagonal:3"}) {
    SCOPED_TRACE(spec);
    const HostCsr serial = whole(spec);
    const auto mine = scattered(world, serial.rows(), 1);
    const Numbering numbering(world, serial.rows(), mine);
    EXPECT_EQ(numbering.partition().size(world.rank()), static_cast<std::int64_t>(mine.size()));
    expect_rows(distributed::from_coo(world, numbering, dealt(world, serial), options()), serial,
                mine, mine);
    expect_rows(
        distributed::from_rows(world, numbering, backwards(picked(serial, mine)), options()),
        serial, mine, mine);
  }
}

TEST(DistributedNumbering, OfXMayBeAnother) {
  const Communicator world;
  const HostCsr serial = whole("uniform:23x90:7");
  const auto rows = scattered(world, 23, 2);
  const auto columns = scattered(world, 90, 3);
  const Numbering of_rows(world, 23, rows);
  const Numbering of_x(world, 90, columns);
  expect_rows(distributed::from_coo(world, of_rows, dealt(world, serial), options(), of_x), serial,
              rows, columns);
  expect_rows(
      distributed::from_rows(world, of_rows, backwards(picked(serial, rows)), options(), of_x),
      serial, rows, columns);
}

TEST(DistributedNumbering, NamesWhatIsMissingOrThereTwice) {
  const Communicator world;
  const auto with = [&](std::int64_t row) {  // rows 0 ... 4 and one more, on the last rank
    std::vector<std::int64_t> mine;
    if (world.rank() == world.size() - 1) mine = {0, 3, 2, 1, 4, row};
    return mine;
  };
  const auto message = [&](std::int64_t rows, std::int64_t row) {
    return message_of([&] { (void)Numbering(world, rows, with(row)); });
  };
  EXPECT_EQ(message(6, 5), "no error");
  EXPECT_THROW(Numbering(world, 6, with(2)), InputError);
  EXPECT_NE(message(6, 2).find("row 2 is there twice"), std::string::npos);
  EXPECT_NE(message(6, 6).find("row 6 is not within 0 ... 5"), std::string::npos);
  EXPECT_NE(message(7, 5).find("row 6 of 7 is on no rank"), std::string::npos);
}

}  // namespace
}  // namespace fatvec::test
