// SPDX-License-Identifier: Apache-2.0
#include <fatvec/distributed/metis.hpp>

#include <algorithm>
#include <numeric>
#include <random>

#include "support.hpp"

namespace fatvec::test {
namespace {

using distributed::GlobalCsr;
using distributed::Numbering;

std::int64_t most_of(std::int64_t mine) {
  MPI_Allreduce(MPI_IN_PLACE, &mine, 1, MPI_INT64_T, MPI_MAX, MPI_COMM_WORLD);
  return mine;
}

/// The same matrix with rows and columns in random order.
HostCsr shuffled(const HostCsr& a) {
  std::mt19937 random(1);
  std::vector<int> numbers(static_cast<std::size_t>(a.rows()));
  std::iota(numbers.begin(), numbers.end(), 0);
  std::shuffle(numbers.begin(), numbers.end(), random);
  Coo<double> coo(a.rows(), a.cols(), static_cast<std::size_t>(a.nnz()));
  for (std::int64_t i = 0; i < a.rows(); ++i)
    for (std::int64_t n = a.row_map(i); n < a.row_map(i + 1); ++n) {
      coo.row(n) = numbers[static_cast<std::size_t>(i)];
      coo.col(n) = numbers[static_cast<std::size_t>(a.entries(n))];
      coo.value(n) = a.values(n);
    }
  return csr_from_coo<Kokkos::DefaultHostExecutionSpace, std::int64_t>(coo);
}

std::vector<std::int64_t> part_of(const Communicator& world, const HostCsr& serial) {
  const auto even = Partition::even(serial.rows(), world.size());
  return distributed::partition_by_metis(world, even,
                                         gather_rows(world, even, dealt(world, serial)));
}

class DistributedMetis : public testing::Test {
 protected:
  void SetUp() override {
#ifndef FATVEC_HAVE_METIS
    GTEST_SKIP() << "built without METIS";
#endif
  }
  Communicator world_;
};

TEST_F(DistributedMetis, GivesEachRankAboutEquallyManyEntries) {
  for (const char* const spec :
       {"stencil5:40x40", "stencil27:12x12x12", "powerlaw:2000:6:max=60"}) {
    SCOPED_TRACE(spec);
    const HostCsr serial = shuffled(whole(spec));
    const auto part = part_of(world_, serial);
    EXPECT_TRUE(std::is_sorted(part.begin(), part.end()));
    EXPECT_NO_THROW(Numbering(world_, serial.rows(), part));  // each row is there, once
    EXPECT_LE(most_of(picked(serial, part).nnz()), 1.1 * serial.nnz() / world_.size());
  }
}

TEST_F(DistributedMetis, CutsAShuffledGridWithLessThanHalfOfTheRowsToExchange) {
  const HostCsr serial = shuffled(whole("stencil5:40x40"));
  const Numbering numbering(world_, serial.rows(), part_of(world_, serial));
  const auto a = distributed::from_coo(world_, numbering, dealt(world_, serial), options());
  const auto received = sum_of(a.volume().received_rows);
  if (world_.size() == 1)
    EXPECT_EQ(received, 0);
  else
    EXPECT_LT(2 * received, sum_of(spread(world_, serial).volume().received_rows));
}

/// Grids, patterns that are not symmetric, a row longer than a rank's share, no neighbours, fewer
/// rows than ranks, none.
TEST_F(DistributedMetis, PartsFormTheSerialProduct) {
  for (const char* const spec :
       {"stencil5:20x20", "uniform:61x61:5", "powerlaw:80:6:max=70", "arrow:50", "banded:40:3",
        "diagonal:30", "diagonal:3", "empty:10", "empty:0"}) {
    SCOPED_TRACE(spec);
    const HostCsr serial = whole(spec);
    const auto part = part_of(world_, serial);
    EXPECT_EQ(part, part_of(world_, serial));
    const Numbering numbering(world_, serial.rows(), part);
    expect_rows(distributed::from_coo(world_, numbering, dealt(world_, serial), options()), serial,
                part, part);
  }
}

TEST_F(DistributedMetis, RefusesWhatItCannotCut) {
  const auto wide = whole("uniform:23x90:7");
  EXPECT_THROW(part_of(world_, wide), UsageError);
  const HostCsr serial = whole("stencil5:4x4");
  const auto even = Partition::even(16, world_.size());
  const auto mine = gather_rows(world_, even, dealt(world_, serial));
  const auto cut = [&](const Partition& rows, const GlobalCsr<double>& of) {
    return distributed::partition_by_metis(world_, rows, of);
  };
  EXPECT_THROW(cut(Partition::even(16, world_.size() + 1), mine), ShapeError);
  EXPECT_EQ(sum_of(static_cast<std::int64_t>(cut(even, mine).size())), 16);
  if (mine.nnz() > 0) mine.entries(0) = 16;
  EXPECT_THROW(cut(even, mine), InputError);
}

TEST(DistributedWithoutMetis, NamesTheRemedy) {
#ifdef FATVEC_HAVE_METIS
  GTEST_SKIP() << "built with METIS";
#endif
  const Communicator world;
  const auto part = [&] { part_of(world, whole("stencil5:4x4")); };
  EXPECT_THROW(part(), UsageError);
  EXPECT_NE(message_of(part).find("libmetis-dev"), std::string::npos);
}

}  // namespace
}  // namespace fatvec::test
