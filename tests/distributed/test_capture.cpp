// SPDX-License-Identifier: Apache-2.0
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
/// holds when it is launched.
TEST(DistributedProduct, IsCapturedIntoAGraphWithItsMessages) {
  if (std::getenv("FATVEC_TEST_NCCL") == nullptr)
    GTEST_SKIP() << "set FATVEC_TEST_NCCL where each rank has a GPU of its own";
  const Communicator world;
  const HostCsr serial = whole("stencil27:9");
  const auto a = spread(world, serial);
  ASSERT_EQ(a.exchange(), "nccl");
  constexpr int k = 4;
  const std::int64_t first = a.column_partition().begin(world.rank());
  const auto x = operand<LayoutRight>(first, a.local_cols(), k);
  const auto other = operand<LayoutRight>(first + 3, a.local_cols(), k);
  const Kokkos::View<double**, LayoutRight, Exec> y("y", a.local_rows(), k);
  const Kokkos::View<double**, LayoutRight, Exec> expected("expected", a.local_rows(), k);
  const Stream stream;
  const Exec exec(stream.get());
  spmm(exec, 1.0, a, other, 0.0,
       expected);  // makes the buffers, and what kernels make when first used
  exec.fence();

  cudaGraph_t graph = nullptr;
  cudaGraphExec_t executable = nullptr;
  ASSERT_EQ(cudaStreamBeginCapture(stream.get(), cudaStreamCaptureModeThreadLocal), cudaSuccess);
  spmm(exec, 1.0, a, x, 0.0, y);
  ASSERT_EQ(cudaStreamEndCapture(stream.get(), &graph), cudaSuccess);
  ASSERT_EQ(cudaGraphInstantiateWithFlags(&executable, graph, 0), cudaSuccess);
  Kokkos::deep_copy(exec, x, other);
  for (int n = 0; n < 3; ++n) {
    Kokkos::deep_copy(exec, y, std::numeric_limits<double>::quiet_NaN());
    ASSERT_EQ(cudaGraphLaunch(executable, stream.get()), cudaSuccess);
  }
  exec.fence();
  const auto found = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), y);
  const auto wanted = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), expected);
  for (std::size_t i = 0; i < y.extent(0); ++i)
    for (int c = 0; c < k; ++c) ASSERT_EQ(found(i, c), wanted(i, c)) << i << ", " << c;
  cudaGraphExecDestroy(executable);
  cudaGraphDestroy(graph);
  expect_product<LayoutRight, LayoutRight>(a, serial, k, 1.0, 0.0);  // serves on
}

}  // namespace
}  // namespace fatvec::test
#endif
