// SPDX-License-Identifier: Apache-2.0
#include <chrono>
#include <thread>

#include "support.hpp"

#if defined(KOKKOS_ENABLE_CUDA) && defined(FATVEC_HAVE_NCCL)
namespace fatvec::test {
namespace {

using Kokkos::LayoutRight;

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

/// All of a product is enqueued: packing, messages, both parts. A graph of it multiplies whatever X
/// holds when it is launched, also where the host of one rank is late, and in turns with products
/// outside of it.
TEST(DistributedProduct, IsCapturedIntoAGraphWithItsMessages) {
  if (std::getenv("FATVEC_TEST_NCCL") == nullptr)
    GTEST_SKIP() << "set FATVEC_TEST_NCCL where each rank has a GPU of its own";
  const Communicator world;
  const HostCsr serial = whole("stencil27:9");
  const auto a = spread(world, serial);
  ASSERT_TRUE(a.exchange().starts_with("nccl"));
  constexpr int k = 4;
  constexpr int products = 9;
  using Vectors = Kokkos::View<double**, LayoutRight, Exec>;
  const std::int64_t first = a.column_partition().begin(world.rank());
  const Stream stream;
  const Exec exec(stream.get());
  const auto x = operand<LayoutRight>(first, a.local_cols(), k);
  const Vectors y("y", a.local_rows(), k);
  std::vector<Vectors> of_x, expected, found;
  for (int n = 0; n < products; ++n) {
    of_x.push_back(operand<LayoutRight>(first + 3 * n, a.local_cols(), k));
    expected.emplace_back("expected", a.local_rows(), k);
    found.emplace_back("found", a.local_rows(), k);
    spmm(exec, 1.0, a, of_x.back(), 0.0, expected.back());
    exec.fence();
  }

  cudaGraph_t graph = nullptr;
  cudaGraphExec_t executable = nullptr;
  ASSERT_EQ(cudaStreamBeginCapture(stream.get(), cudaStreamCaptureModeThreadLocal), cudaSuccess);
  spmm(exec, 1.0, a, x, 0.0, y);
  ASSERT_EQ(cudaStreamEndCapture(stream.get(), &graph), cudaSuccess);
  ASSERT_EQ(cudaGraphInstantiateWithFlags(&executable, graph, 0), cudaSuccess);
  for (int n = 0; n < products; ++n) {
    if (world.rank() == 1) std::this_thread::sleep_for(std::chrono::milliseconds(2));
    Kokkos::deep_copy(exec, x, of_x[n]);
    Kokkos::deep_copy(exec, y, std::numeric_limits<double>::quiet_NaN());
    if (n % 4 == 3)
      spmm(exec, 1.0, a, x, 0.0, y);
    else
      ASSERT_EQ(cudaGraphLaunch(executable, stream.get()), cudaSuccess);
    Kokkos::deep_copy(exec, found[n], y);
  }
  exec.fence();
  for (int n = 0; n < products; ++n) expect_equal(found[n], expected[n]);
  EXPECT_THROW(a.reserve(2 * k), UsageError);  // the graph holds the buffers
  cudaGraphExecDestroy(executable);
  cudaGraphDestroy(graph);
  expect_product<LayoutRight, LayoutRight>(a, serial, k, 1.0, 0.0);  // serves on
}

}  // namespace
}  // namespace fatvec::test
#endif
