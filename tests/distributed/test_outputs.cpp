// SPDX-License-Identifier: Apache-2.0
#include <fatvec/kernels/registry.hpp>

#include "support.hpp"

namespace fatvec::test {
namespace {

/// R = B - A X, and how often each element comes.
struct CountingResidual {
  Kokkos::View<const double**, LayoutRight, Exec> b;
  Vectors r;
  Kokkos::View<int**, Exec> counts;

  template <int width>
  KOKKOS_FUNCTION void store(std::int64_t i, std::int64_t c, const double (&sums)[width]) const {
    for (int w = 0; w < width; ++w) {
      Kokkos::atomic_inc(&counts(i, c + w));
      r(i, c + w) = b(i, c + w) - sums[w];
    }
  }
};

/// Each element comes once, and R is that of the serial product.
template <class Layout, class Matrix>
void expect_residual(const Matrix& a, const HostCsr& serial, std::int64_t k) {
  const int rank = a.communicator().rank();
  const std::int64_t begin = a.row_partition().begin(rank);
  const auto x = operand<Layout>(a.column_partition().begin(rank), a.local_cols(), k);
  const auto b = operand<LayoutRight>(begin + 3, a.local_rows(), k);
  const Vectors r("r", a.local_rows(), k);
  const Kokkos::View<int**, Exec> counts("counts", a.local_rows(), k);
  const Exec exec;
  spmm(exec, a, x, CountingResidual{b, r, counts});
  exec.fence();
  const auto found = on_host(counts);
  for (std::int64_t i = 0; i < a.local_rows(); ++i)
    for (std::int64_t c = 0; c < k; ++c) ASSERT_EQ(found(i, c), 1) << "row " << i << ", " << c;
  const auto rows = rows_of(serial, begin, a.row_partition().end(rank));
  const auto reference = verify::reference_product(-1.0, rows, all_rows(serial.cols(), k), 1.0,
                                                   all_rows(a.local_rows(), k, begin + 3));
  const auto verdict = verify::compare(reference, on_host(r));
  EXPECT_TRUE(verdict.passed) << "rank " << rank << ", k " << k << ", row " << verdict.worst_row;
}

template <class Matrix>
void expect_residuals(const Matrix& a, const HostCsr& serial) {
  for (const int k : {1, 3, 8, 33, 3}) {  // the last one has more room than it wants
    expect_residual<LayoutRight>(a, serial, k);
    expect_residual<LayoutLeft>(a, serial, k);
  }
}

TEST(DistributedOutput, GetsEachElementOnceAndComplete) {
  const Communicator world;
  for (const char* const spec : {"stencil27:4:dof=2", "uniform:61x37:5", "diagonal:30", "arrow:50",
                                 "powerlaw:80:6:max=70", "uniform:1x20:4", "empty:10", "empty:0"}) {
    SCOPED_TRACE(spec);
    const HostCsr serial = whole(spec);
    expect_residuals(spread(world, serial), serial);
  }
}

TEST(DistributedOutput, TakesOtherFormatsAndPlansAsLocalParts) {
  const Communicator world;
  for (const char* const spec : {"stencil27:4:dof=2", "powerlaw:80:6:max=70", "uniform:1x20:4"}) {
    SCOPED_TRACE(spec);
    const HostCsr serial = whole(spec);
    const auto a = spread(world, serial);
    expect_residuals(distributed::convert<SellMatrix<double>>(Exec(), a), serial);
    expect_residuals(distributed::convert<BsrMatrix<double>>(Exec(), a), serial);
    for (const char* const kernel : {"hll-row", "sell-row"}) {
      PlanOptions plan;
      plan.choice = Choice{.kernel = kernel, .packed = true};
      plan.layout = Layout::column;
      expect_residuals(distributed::analyse(Exec(), a, 8, plan), serial);
    }
  }
}

TEST(DistributedOutput, AllocatesItsBuffersOnce) {
  const Communicator world;
  const HostCsr serial = whole("stencil27:5");
  const auto a = spread(world, serial);
  const auto x = operand<LayoutLeft>(0, a.local_cols(), 8);
  const auto b = operand<LayoutRight>(0, a.local_rows(), 8);
  const Vectors r("r", a.local_rows(), 8);
  const Kokkos::View<int**, Exec> counts("counts", a.local_rows(), 8);
  a.reserve_for_outputs(8);
  const Allocations allocations;
  for (int n = 0; n < 3; ++n) spmm(Exec(), a, x, CountingResidual{b, r, counts});
  EXPECT_EQ(allocations.noted(), std::vector<std::string>{});
}

}  // namespace
}  // namespace fatvec::test
