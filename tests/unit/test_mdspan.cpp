// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <array>
#include <mdspan/mdspan.hpp>
#include <vector>
#include <version>
#if defined(__cpp_lib_mdspan)
#include <mdspan>
#endif

#include <fatvec/interop/mdspan.hpp>
#include <fatvec/kernels/csr.hpp>
#include <fatvec/plan/plan.hpp>

#include "generated.hpp"

/// X and Y as mdspan: the same products as with Views, whatever the layout.
namespace fatvec {
namespace {

using Exec = Kokkos::DefaultHostExecutionSpace;
using Rows = Kokkos::mdspan<double, Kokkos::dextents<int, 2>>;
using Columns = Kokkos::mdspan<double, Kokkos::dextents<int, 2>, Kokkos::layout_left>;
using Strided = Kokkos::mdspan<double, Kokkos::dextents<int, 2>, Kokkos::layout_stride>;
using Column = Kokkos::mdspan<double, Kokkos::dextents<std::size_t, 1>>;

static_assert(Mdspan<Rows> && Mdspan<Columns> && Mdspan<Strided> && Mdspan<Column>);
static_assert(!Mdspan<Kokkos::mdspan<double, Kokkos::dextents<int, 3>>>);
static_assert(!Mdspan<Kokkos::View<double**>> && !Mdspan<double> && !Mdspan<Exec>);

class MdspanProduct : public testing::Test {
 protected:
  static constexpr int k = 3;
  const CsrMatrix<double, std::int32_t, Exec, std::int32_t> a = test::generated("gen:stencil7:4");
  const int n = a.rows();
  std::vector<double> x = std::vector<double>(4 * k * static_cast<std::size_t>(n));
  std::vector<double> y = std::vector<double>(x.size(), -1);

  template <class M>
  M filled(M m) const {
    for (int i = 0; i < n; ++i)
      for (int c = 0; c < k; ++c) m.data_handle()[i * m.stride(0) + c * m.stride(1)] = i % 7 + c;
    return m;
  }

  /// Compares alpha · A · X.
  template <class M>
  void expect_product(const M& m, double alpha) const {
    for (int i = 0; i < n; ++i)
      for (int c = 0; c < k; ++c) {
        double sum = 0;
        for (auto e = a.row_map(i); e < a.row_map(i + 1); ++e)
          sum += alpha * a.values(e) * (a.entries(e) % 7 + c);
        EXPECT_NEAR(m.data_handle()[i * m.stride(0) + c * m.stride(1)], sum, 1e-12);
      }
  }
};

TEST_F(MdspanProduct, RowsColumnsAndStridesAreTaken) {
  const Exec exec;
  const Rows rows(y.data(), n, k);
  spmm(exec, 2.0, a, filled(Columns(x.data(), n, k)), 0.0, rows);
  exec.fence();
  expect_product(rows, 2);

  const std::array<int, 2> strides = {2 * k, 2};
  const Strided every_other(y.data(), {Kokkos::dextents<int, 2>(n, k), strides});
  y.assign(y.size(), -1);
  spmm(exec, 1, a, filled(Rows(x.data(), n, k)), 0, every_other);
  exec.fence();
  expect_product(every_other, 1);
  EXPECT_EQ(y[1], -1) << "what lies between is left alone";
}

TEST_F(MdspanProduct, StaticExtentsAndConstElementsAreTaken) {
  using Fixed = Kokkos::mdspan<double, Kokkos::extents<int, Kokkos::dynamic_extent, k>>;
  using Const = Kokkos::mdspan<const double, Kokkos::dextents<int, 2>>;
  filled(Rows(x.data(), n, k));
  const Fixed fixed(y.data(), n);
  spmm(1.0, a, Const(x.data(), n, k), 0.0, fixed);
  expect_product(fixed, 1);
}

TEST_F(MdspanProduct, OneColumnModesAndPlansAreTaken) {
  const Exec exec;
  const std::size_t rows = static_cast<std::size_t>(n);
  for (std::size_t i = 0; i < rows; ++i) x[i] = static_cast<double>(i % 7);
  const auto plan = analyse(exec, a, 1);
  const Kokkos::View<double*, Exec> wanted("wanted", rows);
  const Kokkos::View<const double*, Exec, Kokkos::MemoryTraits<Kokkos::Unmanaged>> view(x.data(),
                                                                                        rows);
  spmm(1.0, a, view, 0.0, wanted);
  const Column in(x.data(), rows);
  const Column out(y.data(), rows);
  const auto expect = [&] {
    exec.fence();
    for (std::size_t i = 0; i < rows; ++i) EXPECT_NEAR(y[i], wanted(i), 1e-12);
    y.assign(y.size(), -1);
  };
  spmm(exec, 1.0, plan, in, 0.0, out);
  expect();
  spmm(exec, "T", 1.0, a, in, 0.0, out);  // the stencil is symmetric
  expect();
  spmm("T", 1.0, a, in, 0.0, out);
  expect();
}

TEST_F(MdspanProduct, ExtentsThatDoNotConformAreRefused) {
  const Rows in(x.data(), n, k);
  EXPECT_THROW(spmm(1.0, a, in, 0.0, Rows(y.data(), n, k + 1)), ShapeError);
  EXPECT_THROW(spmm(1.0, a, in, 0.0, in), ShapeError) << "Y overlaps with X";
}

#if defined(__cpp_lib_mdspan)
TEST_F(MdspanProduct, ThoseOfTheStandardLibraryAreTaken) {
  using Standard = std::mdspan<double, std::dextents<int, 2>>;
  const Standard out(y.data(), n, k);
  spmm(1.0, a, filled(Standard(x.data(), n, k)), 0.0, out);
  expect_product(out, 1);
}
#endif

}  // namespace
}  // namespace fatvec
