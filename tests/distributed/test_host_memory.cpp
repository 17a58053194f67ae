// SPDX-License-Identifier: Apache-2.0
// All ranks of these tests are on one host.
#include <fatvec/distributed/host_memory.hpp>
#include <fatvec/distributed/matrix.hpp>
#include <string>

#include "support.hpp"

namespace fatvec::test {
namespace {

using distributed::limit_of_rank, distributed::require_fits_on_host;

double part_of_free(double part) {
  return part * static_cast<double>(detail::free_host_memory());
}

std::string nothing() {
  return "a test";
}

TEST(HostMemory, OfRanksOfOneHostIsCountedTogether) {
  const Communicator world;
  const double bytes = part_of_free(0.7);
  const auto require = [&](double wanted) {
    require_fits_on_host(world, "X", wanted, {}, nothing);
  };
  if (world.size() == 1)
    EXPECT_NO_THROW(require(bytes));
  else
    EXPECT_THROW(require(bytes), CapacityError);
  EXPECT_NO_THROW(require(world.rank() == 0 ? bytes : 0));
  EXPECT_THROW(require(world.rank() == 0 ? 3 * bytes : 0), CapacityError);
}

TEST(HostMemory, WithALimitIsThatOfEachRank) {
  const Communicator world;
  const auto require = [&](double bytes) { require_fits_on_host(world, "X", bytes, 100, nothing); };
  EXPECT_NO_THROW(require(100));
  EXPECT_THROW(require(world.rank() == world.size() - 1 ? 101 : 1), CapacityError);
}

TEST(HostMemory, IsCutByWeight) {
  const Communicator world;
  EXPECT_EQ(limit_of_rank(world, 1, 5), 5U);
  const auto limit = limit_of_rank(world, 999.0 * (world.rank() + 1), {});
  if (world.size() == 1) {
    EXPECT_EQ(limit, std::nullopt);
    return;
  }
  double limits[2] = {static_cast<double>(*limit), 0};
  MPI_Allreduce(&limits[0], &limits[1], 1, MPI_DOUBLE, MPI_SUM, world.get());
  EXPECT_LT(limits[1], part_of_free(1.5));
  const double share = 2.0 * (world.rank() + 1) / world.size() / (world.size() + 1);
  EXPECT_NEAR(limits[0], share * limits[1], 0.01 * limits[1]);
}

TEST(HostMemory, IsNotExceededByAMatrixOfManyRows) {
  const Communicator world;
  const std::int64_t rows = std::numeric_limits<std::int32_t>::max();
  GlobalCoo<double> one(rows, rows, world.rank() == 0 ? 1 : 0);
  if (world.rank() == 0) one.value(0) = 1;
  const auto partition = Partition::even(rows, world.size());
  EXPECT_THROW(distributed::from_coo(world, partition, one, {.memory_limit = 1'000'000}),
               CapacityError);
  EXPECT_THROW(distributed::gather_rows(world, partition, one, 1'000'000), CapacityError);
}

}  // namespace
}  // namespace fatvec::test
