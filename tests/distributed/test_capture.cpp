// SPDX-License-Identifier: Apache-2.0
#include <chrono>
#include <thread>

#include "support.hpp"

#if defined(KOKKOS_ENABLE_CUDA) && defined(FATVEC_HAVE_NCCL)
namespace fatvec::test {
namespace {

/// A stream of its own: the default one cannot be captured.
class Stream {
 public:
  Stream() { cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking); }
  ~Stream() { cudaStreamDestroy(stream_); }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  [[nodiscard]] cudaStream_t get() const { return stream_; }

 private:
  cudaStream_t stream_ = nullptr;
};

/// R = B - A X.
struct Residual {
  Kokkos::View<const double**, LayoutRight, Exec> b;
  Vectors r;

  template <int width>
  KOKKOS_FUNCTION void store(std::int64_t i, std::int64_t c, const double (&sums)[width]) const {
    for (int w = 0; w < width; ++w) r(i, c + w) = b(i, c + w) - sums[w];
  }
};

constexpr int columns = 4;

/// A graph of multiply(exec, x, y) forms whatever X holds when it is launched, also where the host
/// of one rank is late, and in turns with products outside of it. reserve() wants more room than
/// the graph holds.
template <class Matrix, class Multiply, class Reserve>
void expect_replayed(const Matrix& a, const Multiply& multiply, const Reserve& reserve) {
  ASSERT_TRUE(a.exchange().starts_with("nccl"));
  constexpr int products = 9;
  const int rank = a.communicator().rank();
  const std::int64_t first = a.column_partition().begin(rank);
  const Stream stream;
  const Exec exec(stream.get());
  const auto x = operand<LayoutRight>(first, a.local_cols(), columns);
  const Vectors y("y", a.local_rows(), columns);
  std::vector<Vectors> of_x, expected, found;
  for (int n = 0; n < products; ++n) {
    of_x.push_back(operand<LayoutRight>(first + 3 * n, a.local_cols(), columns));
    expected.emplace_back("expected", a.local_rows(), columns);
    found.emplace_back("found", a.local_rows(), columns);
    multiply(exec, of_x.back(), expected.back());
    exec.fence();
  }

  cudaGraph_t graph = nullptr;
  cudaGraphExec_t executable = nullptr;
  ASSERT_EQ(cudaStreamBeginCapture(stream.get(), cudaStreamCaptureModeThreadLocal), cudaSuccess);
  multiply(exec, x, y);
  ASSERT_EQ(cudaStreamEndCapture(stream.get(), &graph), cudaSuccess);
  ASSERT_EQ(cudaGraphInstantiateWithFlags(&executable, graph, 0), cudaSuccess);
  for (int n = 0; n < products; ++n) {
    if (rank == 1) std::this_thread::sleep_for(std::chrono::milliseconds(2));
    Kokkos::deep_copy(exec, x, of_x[n]);
    Kokkos::deep_copy(exec, y, std::numeric_limits<double>::quiet_NaN());
    if (n % 4 == 3)
      multiply(exec, x, y);
    else
      ASSERT_EQ(cudaGraphLaunch(executable, stream.get()), cudaSuccess);
    Kokkos::deep_copy(exec, found[n], y);
  }
  exec.fence();
  for (int n = 0; n < products; ++n) expect_equal(found[n], expected[n]);
  EXPECT_THROW(reserve(), UsageError);  // the graph holds the buffers
  cudaGraphExecDestroy(executable);
  cudaGraphDestroy(graph);
}

class DistributedGraph : public testing::Test {
 protected:
  void SetUp() override {
    if (std::getenv("FATVEC_TEST_NCCL") == nullptr)
      GTEST_SKIP() << "set FATVEC_TEST_NCCL where each rank has a GPU of its own";
  }

  Communicator world_;
  HostCsr serial_ = whole("stencil27:9");
};

/// All of a product is enqueued: packing, messages, both parts.
TEST_F(DistributedGraph, HoldsAProductWithItsMessages) {
  const auto a = spread(world_, serial_);
  const auto multiply = [&](const Exec& exec, const Vectors& x, const Vectors& y) {
    spmm(exec, 1.0, a, x, 0.0, y);
  };
  expect_replayed(a, multiply, [&] { a.reserve(2 * columns); });
  expect_product<LayoutRight, LayoutRight>(a, serial_, columns, 1.0, 0.0);  // serves on
}

/// The sums of boundary rows, too, wait in memory that the graph holds.
TEST_F(DistributedGraph, HoldsAProductWithAnOutput) {
  const auto a = spread(world_, serial_);
  a.reserve_for_outputs(columns);
  const auto b =
      operand<LayoutRight>(a.row_partition().begin(world_.rank()) + 3, a.local_rows(), columns);
  const auto multiply = [&](const Exec& exec, const Vectors& x, const Vectors& r) {
    spmm(exec, a, x, Residual{b, r});
  };
  expect_replayed(a, multiply, [&] { a.reserve_for_outputs(2 * columns); });
  expect_product<LayoutRight, LayoutRight>(a, serial_, columns, 1.0, 0.0);  // serves on
}

}  // namespace
}  // namespace fatvec::test
#endif
