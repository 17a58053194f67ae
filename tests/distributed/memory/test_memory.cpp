// SPDX-License-Identifier: Apache-2.0
// Rank 1 runs out of memory in its n-th allocation, for every n: all ranks have the same error, and
// none waits for another. Allocations are counted by operators new of this program.
#include <dlfcn.h>
#include <execinfo.h>
#include <gtest/gtest.h>
#include <mpi.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <fstream>
#include <new>
#include <string>
#include <string_view>
#include <utility>

#include <fatvec/app/ranks/product.hpp>
#include <fatvec/distributed/numbering.hpp>

namespace {

long left = 0;  // allocations until the one that fails; 0: none does

/// Kokkos composes a label where it frees a View, and does not survive that this is refused.
bool kokkos_frees() {
  void* frames[64];
  const int depth = backtrace(frames, 64);
  for (int n = 0; n < depth; ++n) {
    Dl_info place{};
    if (dladdr(frames[n], &place) == 0 || place.dli_sname == nullptr) continue;
    const std::string_view name = place.dli_sname;
    if (name.starts_with("_ZN6Kokkos") && (name.ends_with("D1Ev") || name.ends_with("D2Ev")))
      return true;
  }
  return false;
}

bool fails() {
  return left > 0 && --left == 0 && !kokkos_frees();
}

void* allocate(std::size_t size) {
  void* const memory = fails() ? nullptr : std::malloc(size);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

/// Kokkos' memory of Views. It does not survive that its scratch, which is larger, is refused.
void* allocate(std::size_t size, std::align_val_t alignment) noexcept {
  constexpr std::size_t page = 4096;
  if (size < page && fails()) return nullptr;
  const auto unit = static_cast<std::size_t>(alignment);
  return std::aligned_alloc(unit, (size + unit - 1) / unit * unit);
}

}  // namespace

void* operator new(std::size_t size) {
  return allocate(size);
}
void* operator new(std::size_t size, std::align_val_t alignment) {
  void* const memory = allocate(size, alignment);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}
void* operator new(std::size_t size, std::align_val_t alignment, const std::nothrow_t&) noexcept {
  return allocate(size, alignment);
}
void operator delete(void* memory) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::align_val_t) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::align_val_t, const std::nothrow_t&) noexcept {
  std::free(memory);
}

namespace fatvec::test {
namespace {

using distributed::Communicator;

/// Ends a rank that waits for one that has failed.
void say_that_it_hangs(int) {
  constexpr char text[] = "a rank waits for one that ran out of memory alone\n";
  static_cast<void>(!write(STDERR_FILENO, text, sizeof text - 1));
  std::_Exit(1);
}

/// work() is collective. All its allocations fail in turn.
template <class Work>
void expect_one_error_on_all_ranks(const Communicator& world, const Work& work) {
  std::signal(SIGALRM, say_that_it_hangs);
  int refused = 0;
  for (long n = 1; n < 100000; ++n) {
    std::string message;
    alarm(30);
    left = world.rank() == 1 ? n : 0;
    try {
      work();
    } catch (const std::exception& error) {
      message = error.what();
    }
    int reached = world.rank() == 1 && left == 0 ? 1 : 0;
    left = 0;
    MPI_Bcast(&reached, 1, MPI_INT, 1, MPI_COMM_WORLD);
    int failed[2] = {message.empty() ? 0 : 1, message.empty() ? 0 : -1};
    MPI_Allreduce(MPI_IN_PLACE, failed, 2, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    ASSERT_EQ(failed[0], -failed[1]) << "allocation " << n << ": " << message;
    if (reached == 0) {
      EXPECT_EQ(message, "");
      break;
    }
    if (failed[0] == 0) continue;  // Kokkos did without
    ++refused;
    EXPECT_NE(message.find("memory"), std::string::npos) << message;
    EXPECT_NE(message.find("[rank 1 of"), std::string::npos) << message;
  }
  alarm(0);
  EXPECT_GT(refused, 0);
}

class Memory : public testing::TestWithParam<ranks::Spread> {
 protected:
  void SetUp() override {
    if (world_.size() == 1) GTEST_SKIP() << "one rank waits for nobody";
#ifndef FATVEC_HAVE_METIS
    if (GetParam() == ranks::Spread::metis) GTEST_SKIP() << "built without METIS";
#endif
  }
  Communicator world_;
};

TEST_P(Memory, OfGeneratedRowsIsRefusedOnAllRanks) {
  const auto spec = generate::parse_spec("gen:stencil7:3x2x4");
  expect_one_error_on_all_ranks(world_, [&] { ranks::generate_rows(world_, spec, GetParam()); });
}

TEST_P(Memory, OfRowsOfAFileIsRefusedOnAllRanks) {
  const std::string path =
      testing::TempDir() + "memory_of_" + std::to_string(world_.size()) + "_ranks.mtx";
  if (world_.rank() == 0)
    std::ofstream(path) << "%%MatrixMarket matrix coordinate real symmetric\n4 4 5\n"
                           "1 1 2\n2 1 -1\n3 3 4\n4 2 1\n4 4 2\n";
  MPI_Barrier(world_.get());
  expect_one_error_on_all_ranks(world_, [&] { ranks::read_rows(world_, path, GetParam()); });
}

TEST_P(Memory, OfAProductIsRefusedOnAllRanks) {
  const auto rows =
      ranks::generate_rows(world_, generate::parse_spec("gen:stencil7:3x2x4"), GetParam());
  for (const std::string format : {"csr", "hll"})
    expect_one_error_on_all_ranks(world_, [&] {
      auto mine = world_.agree([&] { return rows; });
      ranks::Product(world_, std::move(mine), format, {}, false);
    });
}

TEST_P(Memory, OfXYAndTheOracleIsRefusedOnAllRanks) {
  const auto rows =
      ranks::generate_rows(world_, generate::parse_spec("gen:stencil7:3x2x4"), GetParam());
  ranks::Product product(world_, rows, "csr", {}, false);
  for (const double beta : {0.0, 0.5}) {
    const ranks::Operands operands{.k = 3, .beta = beta};
    expect_one_error_on_all_ranks(world_, [&] { product.load(operands); });
    expect_one_error_on_all_ranks(world_, [&] { product.reset_y(); });
    product.run(ranks::Part::whole);
    expect_one_error_on_all_ranks(world_, [&] { static_cast<void>(product.verify()); });
  }
}

TEST(MemoryOfUsers, OfRowsInAnyOrderIsRefusedOnAllRanks) {
  const Communicator world;
  if (world.size() == 1) GTEST_SKIP() << "one rank waits for nobody";
  std::vector<std::int64_t> mine;
  for (std::int64_t row = world.rank(); row < 7; row += world.size()) mine.push_back(row);
  const distributed::Numbering numbering(world, 7, mine);
  distributed::GlobalCoo<double> coo(7, 7, mine.size());
  for (std::size_t n = 0; n < mine.size(); ++n) {
    coo.row(n) = mine[n];
    coo.col(n) = (mine[n] + 1) % 7;
    coo.value(n) = 1;
  }
  expect_one_error_on_all_ranks(world, [&] { distributed::from_coo(world, numbering, coo); });
}

INSTANTIATE_TEST_SUITE_P(Spreads, Memory,
                         testing::Values(ranks::Spread::even, ranks::Spread::nonzeros,
                                         ranks::Spread::metis));

}  // namespace
}  // namespace fatvec::test
