// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <fatvec/app/verify/oracle.hpp>
#include <fatvec/fatvec.hpp>
#include <fatvec/generate/generate.hpp>

/// BitTCF with more columns than a sweep over A has, on the default device: every width that tensor
/// cores are compiled for.
namespace fatvec {
namespace {

using Exec = Kokkos::DefaultExecutionSpace;

template <class Layout>
void expect_products(const char* matrix) {
  const auto host = generate::generate(generate::parse_spec(matrix));
  const auto a =
      BitTcfMatrix<double, std::int32_t, Exec, std::int64_t>::from_csr(Exec(), mirror<Exec>(host));
  for (const int k : {65, 66, 72, 73, 80, 81, 97, 98, 112, 130, 145, 162, 256}) {
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
    EXPECT_TRUE(verify::compare(reference, y_host).passed) << matrix << ", k = " << k;
  }
}

TEST(BitTcfSweeps, RowMajor) {
  expect_products<Kokkos::LayoutRight>("gen:stencil27:9");
  expect_products<Kokkos::LayoutRight>("gen:uniform:101x77:6");
}

TEST(BitTcfSweeps, ColumnMajor) {
  expect_products<Kokkos::LayoutLeft>("gen:stencil27:9");
}

}  // namespace
}  // namespace fatvec
