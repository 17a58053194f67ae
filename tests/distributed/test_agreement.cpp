// SPDX-License-Identifier: Apache-2.0
// Ranks that do not multiply the same.
#include <fatvec/distributed/matrix_market.hpp>
#include <fatvec/distributed/statistics.hpp>
#include <fstream>
#include <string>

#include "message_hooks.hpp"
#include "support.hpp"

namespace fatvec::test {
namespace {

class Agreement : public testing::Test {
 protected:
  void SetUp() override {
    if (world_.size() == 1) GTEST_SKIP() << "one rank agrees with itself";
  }
  /// One more than the others'.
  [[nodiscard]] int another(int k, int rank) const { return k + (world_.rank() == rank ? 1 : 0); }

  Communicator world_;
};

TEST_F(Agreement, OnTheColumnsThatAreReserved) {
  const auto a = spread(world_, whole("banded:40:3"));
  EXPECT_THROW(a.reserve(another(2, 0)), ShapeError);
  EXPECT_THROW(a.reserve(another(2, world_.size() - 1)), ShapeError);
  const Vectors x("X", a.local_cols(), 2);
  const Vectors y("Y", a.local_rows(), 2);
  spmm(Exec(), 1.0, a, x, 0.0, y);  // serves on
}

TEST_F(Agreement, OnTheColumnsThatAreReservedWhereSomeRanksHaveRoom) {
  const auto a = spread(world_, whole("banded:40:3"));
  a.reserve_for_outputs(4);
  for (const int k : {2, 4}) {
    EXPECT_THROW(a.reserve(another(k, 0)), ShapeError);
    EXPECT_THROW(a.reserve_for_outputs(another(k, 0)), ShapeError);
  }
}

TEST_F(Agreement, OnTheColumnsOfAProductTakesOneReduction) {
  const auto a = spread(world_, whole("banded:40:3"), {.agree_on_errors = true});
  const auto multiply = [&](int k) {
    spmm(Exec(), 1.0, a, Vectors("X", a.local_cols(), k), 0.0, Vectors("Y", a.local_rows(), k));
  };
  multiply(3);  // makes the buffers
  EXPECT_THROW(multiply(another(2, 1)), ShapeError);
  take_sent();
  multiply(2);
  EXPECT_EQ(take_sent().rounds, 1);
}

TEST_F(Agreement, OnTheColumnsOfReductions) {
  const Vectors x("X", 5, another(2, 1));
  EXPECT_THROW(distributed::vector_statistics(world_, Exec(), x), ShapeError);
  EXPECT_THROW(distributed::dot(world_, Exec(), x, x), ShapeError);
}

TEST_F(Agreement, OnTheSizesOfAFile) {
  const std::string path = testing::TempDir() + "sizes_on_" + std::to_string(world_.size()) +
                           "_ranks_" + std::to_string(world_.rank()) + ".mtx";
  for (const std::string sizes : {"5 4 1", "4 5 1", "4 4 2"}) {
    std::ofstream(path) << "%%MatrixMarket matrix coordinate real general\n"
                        << (world_.rank() == 1 ? sizes : "4 4 1") << "\n1 1 1\n2 2 2\n";
    EXPECT_THROW(distributed::read_entries<double>(world_, path), Error) << sizes;
  }
}

/// Run by the tests distributed.abort.*, on three ranks: in the middle, X has other columns.
void multiply_with_other_columns(int k, int reserved) {
  const Communicator world;
  const auto a = spread(world, whole("banded:40:3"));
  a.reserve(reserved);
  const int columns = world.rank() == 1 ? k : 4;
  spmm(Exec(), 1.0, a, Vectors("X", a.local_cols(), columns), 0.0,
       Vectors("Y", a.local_rows(), columns));
  MPI_Barrier(MPI_COMM_WORLD);
}
TEST(DistributedErrors, DISABLED_FewerColumnsEndAllRanks) {
  multiply_with_other_columns(2, 8);
}
TEST(DistributedErrors, DISABLED_MoreColumnsEndAllRanks) {
  multiply_with_other_columns(8, 8);
}
TEST(DistributedErrors, DISABLED_ColumnsBeyondTheBuffersEndAllRanks) {
  multiply_with_other_columns(8, 4);
}
TEST(DistributedErrors, DISABLED_BuffersOfOneRankEndAllRanks) {
  multiply_with_other_columns(2, 2);
}
TEST(DistributedErrors, DISABLED_NoColumnsEndAllRanks) {
  multiply_with_other_columns(0, 8);
}
TEST(DistributedErrors, DISABLED_NoColumnsBesideNewBuffersEndAllRanks) {
  multiply_with_other_columns(0, 2);
}

struct Ignore {
  template <int width>
  KOKKOS_FUNCTION void store(std::int64_t, std::int64_t, const double (&)[width]) const {}
};
TEST(DistributedErrors, DISABLED_SumsBeyondTheScratchMemoryEndAllRanks) {
  const Communicator world;
  const auto a = spread(world, whole("banded:40:3"));
  a.reserve(8);
  a.reserve_for_outputs(4);
  spmm(Exec(), a, Vectors("X", a.local_cols(), world.rank() == 1 ? 8 : 4), Ignore{});
  MPI_Barrier(MPI_COMM_WORLD);
}

}  // namespace
}  // namespace fatvec::test
