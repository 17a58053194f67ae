// SPDX-License-Identifier: Apache-2.0
#include <fatvec/distributed/fused.hpp>

#include "support.hpp"

namespace fatvec::test {
namespace {

using Results = distributed::ColumnResults<double, Exec>;

void expect_dots(const std::vector<double>& found, const HostX& x,
                 const std::vector<long double>& y, std::int64_t k) {
  for (std::int64_t c = 0; c < k; ++c) {
    long double sum = 0, magnitudes = 0;
    for (std::size_t i = 0; i < x.extent(0); ++i) {
      const long double product = x(i, c) * y[i * k + c];
      sum += product;
      magnitudes += std::abs(product);
    }
    EXPECT_NEAR(found[c], static_cast<double>(sum), static_cast<double>(1e-13L * magnitudes));
  }
}

/// Y and its dot products with X, over all ranks; R and its norms; with alpha = 0, too.
template <class Matrix>
void expect_fused(const Matrix& a, const HostCsr& serial, std::int64_t k) {
  const int rank = a.communicator().rank();
  const std::int64_t first = a.row_partition().begin(rank);
  const auto x = operand<LayoutRight>(a.column_partition().begin(rank), a.local_cols(), k);
  const auto b = operand<LayoutRight>(first + 3, a.local_rows(), k);
  const Vectors y("y", a.local_rows(), k), r("r", a.local_rows(), k);
  const Results dots(a.communicator(), Exec(), k), norms(a.communicator(), Exec(), k);
  const HostX all_x = all_rows(serial.cols(), k);
  const HostX all_b = all_rows(serial.rows(), k, 3);
  const Exec exec;
  for (const double alpha : {1.0, 0.0}) {
    Kokkos::deep_copy(y, b);
    spmm_dot(exec, alpha, a, x, 0.5, y, dots, fused::square_norms(norms));
    const auto reference = verify::reference_product(alpha, serial, all_x, 0.5, all_b);
    expect_dots(dots.on_host(exec), all_x, reference.value, k);
    const auto again = dots.on_host(exec);
    Kokkos::deep_copy(y, b);
    spmm_dot(exec, alpha, a, x, 0.5, y, dots);
    EXPECT_EQ(dots.on_host(exec), again);  // the same bits
  }
  residual(exec, b, a, x, r, norms);
  const auto reference = verify::reference_product(-1.0, serial, all_x, 1.0, all_b);
  const auto got = on_host(r);
  std::vector<double> squares(static_cast<std::size_t>(k));
  for (std::int64_t i = 0; i < a.local_rows(); ++i)
    for (std::int64_t c = 0; c < k; ++c) {
      const auto at = static_cast<std::size_t>((first + i) * k + c);
      EXPECT_LE(std::abs(got(i, c) - reference.value[at]), reference.allowed[at]);
      squares[c] += got(i, c) * got(i, c);
    }
  MPI_Allreduce(MPI_IN_PLACE, squares.data(), static_cast<int>(k), MPI_DOUBLE, MPI_SUM,
                a.communicator().get());
  const auto found = norms.on_host(exec);
  for (std::int64_t c = 0; c < k; ++c) EXPECT_NEAR(found[c], squares[c], 1e-12 * squares[c]);
}

TEST(DistributedFused, GivesTheSumsOfAllRanks) {
  const Communicator world;
  for (const char* const spec :
       {"stencil27:4:dof=2", "diagonal:30", "arrow:50", "powerlaw:80:6:max=70", "empty:10"}) {
    SCOPED_TRACE(spec);
    const HostCsr serial = whole(spec);
    const auto a = spread(world, serial);
    for (const int k : {1, 3, 8}) expect_fused(a, serial, k);
    expect_fused(distributed::analyse(Exec(), a, 8), serial, 8);
    PlanOptions other_order;
    other_order.order = RowOrder::rcm;
    expect_fused(a.with_local(fatvec::analyse(Exec(), a.local(), 8, other_order)), serial, 8);
  }
}

TEST(DistributedFused, RefusesResultsOfOtherColumnsOnAllRanks) {
  const Communicator world;
  const HostCsr serial = whole("stencil27:3");
  distributed::Options agreeing = options();
  agreeing.agree_on_errors = true;
  const auto a = spread(world, serial, agreeing);
  const auto x = operand<LayoutRight>(0, a.local_cols(), 4);
  const Vectors y("y", a.local_rows(), 4);
  const Results few(world, Exec(), 3);
  EXPECT_THROW(spmm_dot(Exec(), 1.0, a, x, 0.0, y, few), ShapeError);
}

}  // namespace
}  // namespace fatvec::test
