// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <fatvec/generate/generate.hpp>
#include <fatvec/interop/kokkoskernels.hpp>
#include <fatvec/kernels/csr.hpp>

/// Kokkos Kernels' CrsMatrix and CsrMatrix share their arrays, both ways.
namespace fatvec {
namespace {

using Exec = Kokkos::DefaultHostExecutionSpace;
using Csr = generate::HostCsr;
using Crs = KokkosSparse::CrsMatrix<double, int, Exec::device_type, void, std::int64_t>;

Csr small() {
  return generate::generate(generate::parse_spec("gen:stencil7:4"));
}

template <class Matrix>
void expect_shared(const Csr& csr, const Matrix& crs) {
  EXPECT_EQ(csr.rows(), crs.numRows());
  EXPECT_EQ(csr.cols(), crs.numCols());
  EXPECT_EQ(csr.row_map.data(), crs.graph.row_map.data());
  EXPECT_EQ(csr.entries.data(), crs.graph.entries.data());
  EXPECT_EQ(csr.values.data(), crs.values.data());
}

TEST(Interop, GoesThereAndBackWithoutACopy) {
  const Csr csr = small();
  const Crs crs = crs_matrix(csr);
  expect_shared(csr, crs);
  const auto view = csr_view(crs);
  static_assert(std::is_same_v<decltype(view), const Csr>, "as fatvec::kernels spells a device");
  expect_shared(view, crs);
}

TEST(Interop, ManagedViewsOutliveTheMatrixTheyCameFrom) {
  Csr kept;
  {
    const Crs crs = crs_matrix(small());
    kept = csr_view(crs);
  }
  const Kokkos::View<double*, Exec> x("x", kept.cols());
  const Kokkos::View<double*, Exec> y("y", kept.rows());
  Kokkos::deep_copy(x, 1.0);
  spmm(1.0, kept, x, 0.0, y);
  double sum = 0;
  for (std::size_t n = 0; n < kept.values.extent(0); ++n) sum += kept.values(n);
  double total = 0;
  for (int i = 0; i < kept.rows(); ++i) total += y(i);
  EXPECT_NEAR(total, sum, 1e-10);
}

TEST(Interop, AMatrixOfNothingHasNoRows) {
  const auto view = csr_view(Crs());
  EXPECT_EQ(view.rows(), 0);
  EXPECT_EQ(view.nnz(), 0);
  const Kokkos::View<double*, Exec> none("none", 0);
  spmm(1.0, view, none, 0.0, none);
}

TEST(Interop, UnmanagedMatricesAreViewedToo) {
  const Csr csr = small();
  using Unmanaged = KokkosSparse::CrsMatrix<double, int, Exec::device_type,
                                            Kokkos::MemoryTraits<Kokkos::Unmanaged>, std::int64_t>;
  using Graph = Unmanaged::staticcrsgraph_type;
  const Graph graph(Graph::entries_type(csr.entries.data(), csr.entries.extent(0)),
                    Graph::row_map_type(csr.row_map.data(), csr.row_map.extent(0)));
  const Unmanaged crs("unmanaged", csr.cols(),
                      Unmanaged::values_type(csr.values.data(), csr.values.extent(0)), graph);
  expect_shared(csr_view(crs), crs);
}

}  // namespace
}  // namespace fatvec
