// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <Kokkos_Half.hpp>
#include <cstdint>
#include <type_traits>

#include <fatvec/generate/generate.hpp>
#include <fatvec/interop/kokkoskernels.hpp>
#include <fatvec/kernels/registry.hpp>

/// Scalars, ordinals and constness beyond those of the conformance tests. Values are small
/// integers, every result is exact in every type.
namespace fatvec {
namespace {

using Host = Kokkos::DefaultHostExecutionSpace;

template <class Scalar, class Ordinal = std::int32_t, class Offset = std::int64_t>
using Csr = CsrMatrix<Scalar, Ordinal, Host, Offset>;

/// 5 rows, of which one is empty, of up to 7 entries; 9 columns.
template <class Scalar, class Ordinal = std::int32_t>
Csr<Scalar, Ordinal> small() {
  constexpr int lengths[] = {3, 7, 0, 1, 4};
  typename Csr<Scalar, Ordinal>::Offsets row_map("row_map", 6);
  typename Csr<Scalar, Ordinal>::Ordinals entries("entries", 15);
  typename Csr<Scalar, Ordinal>::Scalars values("values", 15);
  int n = 0;
  for (int i = 0; i < 5; ++i) {
    for (int j = 0; j < lengths[i]; ++j, ++n) {
      entries(n) = static_cast<Ordinal>(i % 2 + j + (j > 2 ? 1 : 0));
      values(n) = Scalar(static_cast<float>((3 * i + j) % 5 - 2));
    }
    row_map(i + 1) = n;
  }
  return {5, 9, row_map, entries, values};
}

/// Y = 2 A X - Y by Kernel, against the sums.
template <class Kernel, class T, class Matrix, class A>
void expect_right(const Matrix& matrix, const A& a, std::size_t k) {
  const Kokkos::View<T**, Kokkos::LayoutRight, Host> x("x", 9, k);
  const Kokkos::View<T**, Kokkos::LayoutRight, Host> y("y", 5, k);
  for (std::size_t i = 0; i < 9; ++i)
    for (std::size_t c = 0; c < k; ++c) x(i, c) = T(static_cast<float>((2 * i + c) % 4) - 1.0F);
  Kokkos::deep_copy(y, T(1.0F));
  spmm<Kernel>(Host(), {}, T(2.0F), matrix, x, T(-1.0F), y);
  Host().fence("test");
  for (std::size_t i = 0; i < 5; ++i)
    for (std::size_t c = 0; c < k; ++c) {
      auto sum = T(0.0F);
      for (auto n = a.row_map(i); n < a.row_map(i + 1); ++n)
        sum += T(a.values(n)) * x(static_cast<std::size_t>(a.entries(n)), c);
      const T expected = T(2.0F) * sum - T(1.0F);
      ASSERT_TRUE(y(i, c) == expected) << Kernel::name << ", k = " << k << ": " << i << ", " << c;
    }
}

/// The formats of these kernels, made from CSR.
template <class Scalar, class T, class Ordinal, class... Kernels>
void expect_products() {
  const auto a = small<Scalar, Ordinal>();
  const auto by = [&]<class Kernel>(std::type_identity<Kernel>) {
    using Matrix = typename Kernel::template Matrix<Scalar, Ordinal, Host, std::int64_t>;
    FormatOptions options;
    options.block_size = 2;
    const Matrix matrix = Matrix::from_csr(Host(), a, options);
    for (const std::size_t k : {1, 3, 8, 17}) expect_right<Kernel, T>(matrix, a, k);
  };
  (by(std::type_identity<Kernels>()), ...);
}

using Kokkos::Experimental::bhalf_t;
using Kokkos::Experimental::half_t;

TEST(ValueTypes, WideOrdinalsMultiply) {
  for_each_kernel([](auto kernel) {
    using Kernel = decltype(kernel);
    if constexpr (is_portable<Kernel>) expect_products<double, double, std::int64_t, Kernel>();
  });
}
TEST(ValueTypes, RealMatricesTakeComplexVectors) {
  expect_products<double, Kokkos::complex<double>, std::int32_t, CsrPortable, BsrPortable>();
}
TEST(ValueTypes, IntegersMultiply) {
  expect_products<std::int64_t, std::int64_t, std::int32_t, CsrPortable, BsrPortable>();
}
TEST(ValueTypes, HalfPrecisionMultiplies) {
  expect_products<half_t, half_t, std::int32_t, CsrPortable, HllPortable>();
  expect_products<bhalf_t, bhalf_t, std::int32_t, CsrPortable>();
}
TEST(ValueTypes, HalfPrecisionMatricesTakeFloats) {
  expect_products<half_t, float, std::int32_t, CsrPortable, HllPortable, BsrPortable>();
  expect_products<bhalf_t, float, std::int32_t, CsrPortable>();
}

TEST(ValueTypes, ConstArraysMultiply) {
  const auto a = small<double>();
  const CsrMatrix<const double, const std::int32_t, Host, std::int64_t> constant(
      a.rows(), a.cols(), a.row_map, a.entries, a.values);
  static_assert(std::is_same_v<decltype(constant)::value_type, double>);
  expect_right<CsrRow, double>(constant, a, 3);
  expect_right<CsrPortable, double>(constant, a, 3);
}

TEST(ValueTypes, ConstMatricesOfKokkosKernelsMultiply) {
  const auto a = small<double>();
  using Crs = KokkosSparse::CrsMatrix<double, int, Host::device_type, void, std::int64_t>;
  const Crs crs = crs_matrix(a);
  const Crs::const_type constant(crs);
  expect_right<CsrRow, double>(csr_view(constant), a, 2);
}

}  // namespace
}  // namespace fatvec
