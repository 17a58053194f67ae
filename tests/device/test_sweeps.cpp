// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <initializer_list>

#include <fatvec/app/verify/oracle.hpp>
#include <fatvec/fatvec.hpp>

#include "generated.hpp"

/// More columns than devices take at once, on the default device: for BitTCF every width that
/// tensor cores are compiled for.
namespace fatvec {
namespace {

using Exec = Kokkos::DefaultExecutionSpace;

template <template <class...> class Format, class Layout>
void expect_products(const char* matrix, std::initializer_list<int> widths) {
  const auto host = test::generated(matrix);
  using Matrix = Format<double, std::int32_t, Exec, std::int32_t>;  // what the library has
  const auto a = convert<Matrix>(Exec(), mirror<Exec>(host));
  for (const int k : widths) {
    const Kokkos::View<double**, Layout, Exec> x("x", host.cols(), k);
    const Kokkos::View<double**, Layout, Exec> y("y", host.rows(), k);
    const auto x_host = Kokkos::create_mirror_view(x);
    const auto y_host = Kokkos::create_mirror_view(y);
    for (int i = 0; i < host.cols(); ++i)
      for (int c = 0; c < k; ++c) x_host(i, c) = (i * 7 + c * 13) % 11 - 4.5;
    for (int i = 0; i < host.rows(); ++i)
      for (int c = 0; c < k; ++c) y_host(i, c) = i - c;
    Kokkos::deep_copy(x, x_host);
    Kokkos::deep_copy(y, y_host);
    const auto reference = verify::reference_product(1.5, host, x_host, -0.5, y_host);
    spmm(Exec(), 1.5, a, x, -0.5, y);
    Kokkos::deep_copy(y_host, y);
    EXPECT_TRUE(verify::compare(reference, y_host).passed)
        << Matrix::name << ", " << matrix << ", k = " << k;
  }
}

constexpr std::initializer_list<int> of_tensor_cores = {65, 66,  72,  73,  80,  81, 97,
                                                        98, 112, 130, 145, 162, 256};
constexpr std::initializer_list<int> of_rows = {95, 96, 97, 131, 159, 160, 256};

TEST(Sweeps, CoverTheColumnsOfBitTcf) {
  expect_products<BitTcfMatrix, Kokkos::LayoutRight>("gen:stencil27:5", of_tensor_cores);
  expect_products<BitTcfMatrix, Kokkos::LayoutRight>("gen:uniform:101x77:6", of_tensor_cores);
  expect_products<BitTcfMatrix, Kokkos::LayoutLeft>("gen:stencil27:5", of_tensor_cores);
}

TEST(Sweeps, CoverTheColumnsOfRows) {
  expect_products<CsrMatrix, Kokkos::LayoutRight>("gen:arrow:400", of_rows);
  expect_products<CsrMatrix, Kokkos::LayoutLeft>("gen:arrow:400", of_rows);
  expect_products<HllMatrix, Kokkos::LayoutRight>("gen:uniform:101x77:6", of_rows);
  expect_products<HllMatrix, Kokkos::LayoutLeft>("gen:uniform:101x77:6", of_rows);
}

TEST(Sweeps, CoverTheColumnsOfBlocks) {
  expect_products<BsrMatrix, Kokkos::LayoutRight>("gen:stencil7:4:dof=3", of_rows);
  expect_products<BsrMatrix, Kokkos::LayoutLeft>("gen:stencil7:4:dof=3", of_rows);
}

}  // namespace
}  // namespace fatvec
