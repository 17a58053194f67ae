// SPDX-License-Identifier: Apache-2.0
#include <chrono>
#include <cmath>
#include <set>
#include <thread>

#include "message_hooks.hpp"
#include "support.hpp"

namespace fatvec::test {
namespace {

/// Neighbours on both sides, all ranks, none; wide and tall; fewer rows than ranks; a dense row and
/// column.
const char* const specs[] = {
    "stencil5:9x8",    "stencil27:4:dof=2", "banded:40:3", "uniform:61x37:5",
    "uniform:23x90:7", "diagonal:30",       "arrow:50",    "powerlaw:80:6:max=70",
    "stencil5:2x2",    "uniform:1x20:4",    "empty:10",    "empty:0"};

TEST(DistributedProduct, EqualsTheSerialOne) {
  const Communicator world;
  for (const char* const spec : specs) {
    SCOPED_TRACE(spec);
    const HostCsr serial = whole(spec);
    const auto a = spread(world, serial);
    for (const int k : {1, 3, 8, 17}) {
      expect_product<LayoutRight, LayoutRight>(a, serial, k, 1.0, 0.0);
      expect_product<LayoutLeft, LayoutRight>(a, serial, k, -1.5, 0.5);
      expect_product<LayoutRight, LayoutLeft>(a, serial, k, 2.0, 1.0);
      expect_product<LayoutLeft, LayoutLeft>(a, serial, k, 1.0, 0.0);
    }
  }
}

TEST(DistributedProduct, HasNoColumnsWhereXHasNone) {
  const Communicator world;
  const HostCsr serial = whole("banded:40:3");
  expect_product<LayoutRight, LayoutRight>(spread(world, serial), serial, 0, 1.0, 0.0);
}

/// All rows on one rank.
Partition all_on(const Communicator& world, int rank, std::int64_t rows) {
  return Partition::of_local_rows(world, world.rank() == rank ? rows : 0);
}

TEST(DistributedProduct, TakesAnyPartition) {
  const Communicator world;
  const HostCsr serial = whole("arrow:50");
  // All rows on the last rank, on the first, or as many as the rank's number.
  const auto last = all_on(world, world.size() - 1, 50);
  const auto first = all_on(world, 0, 50);
  std::vector<std::int64_t> offsets(world.size() + 1, 0);
  for (int p = 1; p <= world.size(); ++p) offsets[p] = offsets[p - 1] + p - 1;
  offsets.back() = 50;
  const auto rising = Partition::of_offsets(offsets);
  for (const auto& rows : {last, first, rising}) {
    for (const auto& columns : {last, rising}) {
      const auto a = distributed::from_coo(world, rows, dealt(world, serial), {}, columns);
      expect_product<LayoutRight, LayoutRight>(a, serial, 5, 1.0, 0.0);
    }
  }
}

TEST(DistributedProduct, SendsNoMoreThanTheLowerBound) {
  const Communicator world;
  const int rank = world.rank();
  for (const char* const spec : specs) {
    SCOPED_TRACE(spec);
    const HostCsr serial = whole(spec);
    const auto a = spread(world, serial);
    // Distinct columns that this rank's rows have, and X's rows here are not.
    std::set<int> missing;
    std::set<int> owners;
    for (std::int64_t i = a.row_partition().begin(rank); i < a.row_partition().end(rank); ++i)
      for (std::int64_t n = serial.row_map(i); n < serial.row_map(i + 1); ++n)
        if (const int owner = a.column_partition().owner(serial.entries(n)); owner != rank) {
          missing.insert(serial.entries(n));
          owners.insert(owner);
        }
    std::int64_t bound[2] = {static_cast<std::int64_t>(owners.size()),
                             static_cast<std::int64_t>(missing.size()) * 5 * 8};
    MPI_Allreduce(MPI_IN_PLACE, bound, 2, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
    EXPECT_EQ(a.volume().received_rows, static_cast<std::int64_t>(missing.size()));
    EXPECT_EQ(a.volume().neighbours, static_cast<std::int64_t>(owners.size()));

    const auto x = operand<LayoutRight>(0, a.local_cols(), 5);
    const auto y = operand<LayoutRight>(0, a.local_rows(), 5);
    a.reserve(5);  // ranks that make buffers tell their neighbours
    (void)take_sent();
    spmm(Exec(), 1.0, a, x, 0.0, y);
    const Sent sent = take_sent();
    if (!a.exchange().starts_with("mpi")) continue;  // what NCCL sends, nobody counts
    EXPECT_EQ(sent.bytes, a.volume().sent_rows * 5 * 8);
    std::int64_t all[2] = {sent.messages, sent.bytes};
    MPI_Allreduce(MPI_IN_PLACE, all, 2, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
    EXPECT_EQ(all[0], bound[0]);
    EXPECT_EQ(all[1], bound[1]);
  }
}

TEST(DistributedProduct, AllocatesItsBuffersOnce) {
  const Communicator world;
  const HostCsr serial = whole("stencil27:5");
  const auto a = spread(world, serial);
  const auto x = operand<LayoutLeft>(0, a.local_cols(), 8);
  const auto y = operand<LayoutRight>(0, a.local_rows(), 8);
  const auto few = std::pair<int, int>(2, 5);
  const Allocations allocations;
  a.reserve(8);
  const std::vector<std::string> reserved = allocations.noted();
  for (int n = 0; n < 3; ++n) {
    spmm(Exec(), 1.0, a, x, 0.5, y);
    spmm(Exec(), 1.0, a, Kokkos::subview(x, Kokkos::ALL, few), 0.5,
         Kokkos::subview(y, Kokkos::ALL, few));
  }
  EXPECT_FALSE(reserved.empty());
  for (const std::string& allocation : reserved)
    EXPECT_EQ(allocation.find("sums"), std::string::npos) << allocation;
  EXPECT_EQ(allocations.noted(), reserved);
}

/// The halo part adds to the rows of Y that it has, whatever lies between the columns of Y.
TEST(DistributedProduct, LeavesAloneWhatLiesBetweenTheColumnsOfY) {
  const Communicator world;
  const HostCsr serial = whole("arrow:50");
  const auto a = spread(world, serial);
  constexpr int k = 3;
  constexpr double guard = 1e300;
  const auto x = operand<LayoutRight>(a.column_partition().begin(world.rank()), a.local_cols(), k);
  const Vectors plain("plain", a.local_rows(), k);
  const Kokkos::View<double***, LayoutRight, Exec> wide("wide", a.local_rows(), k, 2);
  Kokkos::deep_copy(wide, guard);
  const auto y = Kokkos::subview(wide, Kokkos::ALL, Kokkos::ALL, 1);
  const Exec exec;
  spmm(exec, -0.5, a, x, 0.0, plain);
  spmm(exec, -0.5, a, x, 0.0, y);
  exec.fence();
  const auto expected = on_host(plain);
  const auto found = on_host(wide);
  for (std::int64_t i = 0; i < a.local_rows(); ++i)
    for (int c = 0; c < k; ++c) {
      EXPECT_EQ(found(i, c, 0), guard);
      EXPECT_NEAR(found(i, c, 1), expected(i, c), 1e-12 * (1 + std::abs(expected(i, c))));
    }
}

/// alpha = 0 reads neither A nor X, also not those of other ranks.
TEST(DistributedProduct, OfAlphaZeroScalesY) {
  const Communicator world;
  const auto a = spread(world, whole("arrow:50"));
  const Vectors x("x", a.local_cols(), 2);
  Kokkos::deep_copy(x, std::numeric_limits<double>::quiet_NaN());
  const Vectors y("y", a.local_rows(), 2);
  Kokkos::deep_copy(y, 3.0);
  spmm(Exec(), 0.0, a, x, 0.5, y);
  const auto found = on_host(y);
  for (std::int64_t i = 0; i < a.local_rows(); ++i) EXPECT_EQ(found(i, 1), 1.5);
}

/// No fence between two products of different X, whose buffers are the same.
TEST(DistributedProduct, MayFollowAnotherAtOnce) {
  const Communicator world;
  const HostCsr serial = whole("stencil27:9");
  const auto a = spread(world, serial);
  constexpr int k = 4;
  const auto x = operand<LayoutRight>(a.column_partition().begin(world.rank()), a.local_cols(), k);
  const Vectors other("other", x.extent(0), k);
  const Vectors y("y", a.local_rows(), k);
  const Vectors z("z", a.local_rows(), k);
  const auto doubled_x = Kokkos::create_mirror_view(other);
  const auto host_x = on_host(x);
  for (std::size_t i = 0; i < x.extent(0); ++i)
    for (int c = 0; c < k; ++c) doubled_x(i, c) = -2 * host_x(i, c);  // exact
  Kokkos::deep_copy(other, doubled_x);
  const Exec exec;
  for (int n = 0; n < 10; ++n) {
    spmm(exec, 1.0, a, x, 0.0, y);
    spmm(exec, 1.0, a, other, 0.0, z);
  }
  exec.fence();
  const auto found_y = on_host(y);
  const auto found_z = on_host(z);
  for (std::size_t i = 0; i < y.extent(0); ++i)
    for (int c = 0; c < k; ++c) ASSERT_EQ(found_z(i, c), -2 * found_y(i, c)) << i << ", " << c;
  expect_product<LayoutRight, LayoutRight>(a, serial, k, 1.0, 0.0);
}

/// The first rank only sends, and is several products ahead of the last one, which only receives.
TEST(DistributedProduct, MayBeFarBehindThoseOfOtherRanks) {
  const Communicator world;
  const HostCsr serial = whole("uniform:61x61:5");
  const auto a = distributed::from_coo(world, all_on(world, world.size() - 1, 61),
                                       dealt(world, serial), options(), all_on(world, 0, 61));
  constexpr int k = 4;
  constexpr int products = 8;
  const Exec exec;
  std::vector<Vectors> x, expected, found;
  for (int n = 0; n < products; ++n) {
    x.push_back(operand<LayoutRight>(n, a.local_cols(), k));
    expected.emplace_back("expected", a.local_rows(), k);
    found.emplace_back("found", a.local_rows(), k);
    spmm(exec, 1.0, a, x[n], 0.0, expected[n]);
    exec.fence();
    MPI_Barrier(MPI_COMM_WORLD);
  }
  for (int n = 0; n < products; ++n) {
    if (world.rank() == world.size() - 1) std::this_thread::sleep_for(std::chrono::milliseconds(2));
    spmm(exec, 1.0, a, x[n], 0.0, found[n]);
  }
  exec.fence();
  for (int n = 0; n < products; ++n) expect_equal(found[n], expected[n]);
}

/// Products of two matrices of the same ranks, on devices each on an instance of its own.
TEST(DistributedProduct, MayTakeTurnsWithThoseOfAnotherMatrix) {
  const Communicator world;
  const HostCsr serial = whole("stencil27:9");
  const auto a = spread(world, serial);
  const auto b = spread(world, twice(serial));
  constexpr int k = 4;
  constexpr int products = 8;
  std::vector<Exec> instances{Exec(), Exec()};
  if constexpr (!detail::is_host<Exec>)
    instances = Kokkos::Experimental::partition_space(Exec(), std::vector<int>{1, 1});
  std::vector<Vectors> x, expected_a, expected_b, of_a, of_b;
  for (int n = 0; n < products; ++n) {
    x.push_back(operand<LayoutRight>(n, a.local_cols(), k));
    for (auto* const list : {&expected_a, &expected_b, &of_a, &of_b})
      list->emplace_back("y", a.local_rows(), k);
    spmm(instances[0], 1.0, a, x[n], 0.0, expected_a[n]);
    instances[0].fence();
    spmm(instances[1], 1.0, b, x[n], 0.0, expected_b[n]);
    instances[1].fence();
  }
  for (int n = 0; n < products; ++n) {
    spmm(instances[0], 1.0, a, x[n], 0.0, of_a[n]);
    spmm(instances[1], 1.0, b, x[n], 0.0, of_b[n]);
  }
  Kokkos::fence();
  for (int n = 0; n < products; ++n) {
    expect_equal(of_a[n], expected_a[n]);
    expect_equal(of_b[n], expected_b[n]);
  }
  expect_product<LayoutRight, LayoutRight>(a, serial, k, 1.0, 0.0);
}

TEST(DistributedProduct, RefusesMoreColumnsThanAnyMemoryHasOnAllRanks) {
  const Communicator world;
  if (world.size() == 1) GTEST_SKIP() << "one rank has no buffers";
  const HostCsr serial = whole("arrow:50");
  const auto a = spread(world, serial);
  expect_product<LayoutRight, LayoutRight>(a, serial, 2, 1.0, 0.0);
  EXPECT_THROW(a.reserve((std::int64_t{1} << 31) - 1), CapacityError);
  EXPECT_THROW(a.reserve(std::int64_t{1} << 50), ShapeError);
  expect_product<LayoutRight, LayoutRight>(a, serial, 1, 1.0, 0.0);  // serves on
}

TEST(DistributedProduct, RefusesPlansOfTheTranspose) {
  const Communicator world;
  const auto a = spread(world, whole("stencil5:6"));
  PlanOptions transposed;
  transposed.op = Op::transpose;
  EXPECT_THROW(distributed::analyse(Exec(), a, 2, transposed), UsageError);
}

TEST(DistributedProduct, SurvivesMessagesThatAreLate) {
  const Communicator world;
  const HostCsr serial = whole("uniform:61x61:5");
  const auto a = spread(world, serial);
  const RandomDelays late(static_cast<unsigned>(world.rank()) + 1);
  for (int n = 0; n < 20; ++n)
    expect_product<LayoutRight, LayoutRight>(a, serial, 1 + n % 4, 1.0, 0.5);
}

TEST(DistributedProduct, TakesNewValues) {
  const Communicator world;
  for (const char* const spec : specs) {
    SCOPED_TRACE(spec);
    const HostCsr serial = whole(spec);
    auto a = spread(world, serial);
    const auto values = doubled(serial, a.row_partition(), world.rank());
    a.update(Exec(), values);
    expect_product<LayoutRight, LayoutRight>(a, twice(serial), 4, 1.0, 0.0);
  }
}

TEST(DistributedErrors, OfOneRanksOperandsAreThrownOnAllOnRequest) {
  const Communicator world;
  const HostCsr serial = whole("banded:40:3");
  const auto a = spread(world, serial, {.agree_on_errors = true});
  const int bad = world.size() - 1;
  const auto x = operand<LayoutRight>(0, a.local_cols() + (world.rank() == bad ? 1 : 0), 2);
  const auto y = operand<LayoutRight>(0, a.local_rows(), 2);
  EXPECT_THROW(spmm(Exec(), 1.0, a, x, 0.0, y), ShapeError);
  expect_product<LayoutRight, LayoutRight>(a, serial, 2, 1.0, 0.0);  // all is as before
}

/// A Y that lies on these values on the last rank is an error on all.
template <class Matrix, class Values>
void expect_refused(const Matrix& a, const Values& values) {
  using Vector = Kokkos::View<double*, Exec>;
  const auto rows = static_cast<std::size_t>(a.local_rows());
  ASSERT_GE(values.extent(0), rows);
  const bool bad = a.communicator().rank() == a.communicator().size() - 1;
  const Vector x("x", a.local_cols());
  const Vector y = bad ? Vector(values.data(), rows) : Vector("y", rows);
  EXPECT_THROW(spmm(Exec(), 1.0, a, x, 0.0, y), ShapeError);
}

TEST(DistributedErrors, OfYOnOneRanksMatrixAreThrownOnAllOnRequest) {
  const Communicator world;
  const HostCsr serial = whole("uniform:40:20");
  const auto a = spread(world, serial, {.agree_on_errors = true});
  PlanOptions options;
  options.choice = Choice{.kernel = "csr-row"};
  const auto plan = distributed::analyse(Exec(), a, 1, options);
  expect_refused(a, a.local().values);
  expect_refused(plan, a.local().values);
  if (world.size() > 1) {
    expect_refused(a, a.halo().matrix().values);
    expect_refused(plan, a.halo().matrix().values);
  }
  expect_product<LayoutRight, LayoutRight>(plan, serial, 2, 1.0, 0.0);  // all is as before
}

/// Run by the test distributed.abort.WrongOperandEnds, on three ranks.
TEST(DistributedErrors, DISABLED_WrongOperandEndsAllRanks) {
  const Communicator world;
  const auto a = spread(world, whole("banded:40:3"));
  const auto x = operand<LayoutRight>(0, a.local_cols() + (world.rank() == 1 ? 1 : 0), 2);
  spmm(Exec(), 1.0, a, x, 0.0, operand<LayoutRight>(0, a.local_rows(), 2));
  MPI_Barrier(MPI_COMM_WORLD);
}

TEST(DistributedProduct, LocalPartAndHaloAddUpToTheWhole) {
  const Communicator world;
  const auto a = spread(world, whole("uniform:60:7"));
  const auto x = operand<LayoutRight>(a.column_partition().begin(world.rank()), a.local_cols(), 5);
  const Vectors whole_y("whole", a.local_rows(), 5);
  const Vectors parts_y("parts", a.local_rows(), 5);
  const Exec exec;
  spmm(exec, -2.0, a, x, 0.0, whole_y);
  fatvec::spmm(exec, -2.0, a.local(), x, 0.0, parts_y);
  a.add_halo(exec, -2.0, x, parts_y);
  exec.fence();
  const auto expected = on_host(whole_y);
  const auto got = on_host(parts_y);
  for (std::int64_t i = 0; i < a.local_rows(); ++i)
    for (std::int64_t c = 0; c < 5; ++c) EXPECT_DOUBLE_EQ(got(i, c), expected(i, c));
}

}  // namespace
}  // namespace fatvec::test
