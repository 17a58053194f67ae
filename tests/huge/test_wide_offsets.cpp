// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <cstdint>

#include <fatvec/core/memory.hpp>
#include <fatvec/formats/hll.hpp>
#include <fatvec/kernels/csr.hpp>
#include <fatvec/kernels/hll.hpp>
#include <fatvec/kernels/spmm.hpp>
#include <fatvec/plan/convert.hpp>

/// Matrices of more than 2^31 entries, with 64-bit offsets, on the default device. They are made
/// there, of small whole numbers, so that every sum is exact and known without the matrix.
namespace fatvec {
namespace {

using Exec = Kokkos::DefaultExecutionSpace;
using Memory = Exec::memory_space;
template <class Scalar>
using Csr = CsrMatrix<Scalar, std::int32_t, Exec, std::int64_t>;
template <class Scalar>
using Multivector = Kokkos::View<Scalar**, Kokkos::LayoutRight, Exec>;
using Range = Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>;

/// Row i: `width` neighbouring columns around the diagonal.
struct Band {
  std::int64_t rows = 0;
  static constexpr std::int64_t width = 45;

  KOKKOS_FUNCTION std::int64_t first(std::int64_t i) const {
    const std::int64_t begin = i - width / 2;
    return begin < 0 ? 0 : begin > rows - width ? rows - width : begin;
  }
  template <class Scalar>
  KOKKOS_FUNCTION static Scalar value(std::int64_t i, std::int64_t j) {
    return static_cast<Scalar>((i + 3 * j) % 7 + 1);
  }
  template <class Scalar>
  KOKKOS_FUNCTION static Scalar x(std::int64_t j, std::int64_t c) {
    return static_cast<Scalar>((j + 5 * c) % 11 - 5);
  }
  [[nodiscard]] std::int64_t entries() const { return rows * width; }
};

template <class Scalar>
struct FillMatrix {
  Band band;
  typename Csr<Scalar>::Offsets row_map;
  typename Csr<Scalar>::Ordinals entries;
  typename Csr<Scalar>::Scalars values;

  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    row_map(i) = i * Band::width;
    if (i == band.rows) return;
    for (std::int64_t n = 0; n < Band::width; ++n) {
      const std::int64_t j = band.first(i) + n;
      entries(i * Band::width + n) = static_cast<std::int32_t>(j);
      values(i * Band::width + n) = Band::value<Scalar>(i, j);
    }
  }
};

template <class Scalar>
struct FillX {
  Multivector<Scalar> x;
  KOKKOS_FUNCTION void operator()(std::int64_t j) const {
    for (std::size_t c = 0; c < x.extent(1); ++c)
      x(j, c) = Band::x<Scalar>(j, static_cast<std::int64_t>(c));
  }
};

template <class Scalar>
struct CountWrong {
  Band band;
  Multivector<Scalar> y;
  KOKKOS_FUNCTION void operator()(std::int64_t i, std::int64_t& wrong) const {
    for (std::size_t c = 0; c < y.extent(1); ++c) {
      Scalar sum = 0;
      for (std::int64_t n = 0; n < Band::width; ++n) {
        const std::int64_t j = band.first(i) + n;
        sum += Band::value<Scalar>(i, j) * Band::x<Scalar>(j, static_cast<std::int64_t>(c));
      }
      wrong += y(i, c) != 2 * sum;
    }
  }
};

template <class Scalar>
Csr<Scalar> matrix_of(const Band& band) {
  using detail::allocate;
  using Matrix = Csr<Scalar>;
  const auto rows = static_cast<std::int32_t>(band.rows);
  const FillMatrix<Scalar> fill{
      .band = band,
      .row_map = allocate<typename Matrix::Offsets>(Exec(), "row_map", band.rows + 1),
      .entries = allocate<typename Matrix::Ordinals>(Exec(), "entries", band.entries()),
      .values = allocate<typename Matrix::Scalars>(Exec(), "values", band.entries())};
  Kokkos::parallel_for("fill matrix", Range(0, band.rows + 1), fill);
  Kokkos::fence("fill matrix");
  return Matrix(rows, rows, fill.row_map, fill.entries, fill.values);
}

template <class Kernel, class Matrix>
void expect_right(const Band& band, const Matrix& a, std::size_t k) {
  using Scalar = typename Matrix::value_type;
  const auto rows = static_cast<std::size_t>(band.rows);
  const Multivector<Scalar> x("x", rows, k);
  const Multivector<Scalar> y("y", rows, k);
  Kokkos::parallel_for("fill x", Range(0, band.rows), FillX<Scalar>{x});
  Kokkos::deep_copy(y, Kokkos::Experimental::quiet_NaN_v<Scalar>);
  spmm<Kernel>(Exec(), {}, Scalar{2}, a, x, Scalar{0}, y);
  std::int64_t wrong = 0;
  Kokkos::parallel_reduce("count wrong", Range(0, band.rows), CountWrong<Scalar>{band, y}, wrong);
  EXPECT_EQ(wrong, 0) << Kernel::name << ", k = " << k;
}

/// CSR, and HLL beside it where that is wanted, too.
template <class Scalar, bool with_hll>
void check(const Band& band) {
  const auto csr = matrix_of<Scalar>(band);
  for (const std::size_t k : {1, 3}) {
    expect_right<CsrRow>(band, csr, k);
    expect_right<CsrPortable>(band, csr, k);
  }
  if constexpr (with_hll) {
    const auto hll = convert<HllMatrix<Scalar, std::int32_t, Exec, std::int64_t>>(Exec(), csr);
    expect_right<HllRow>(band, hll, 1);
  }
}

template <class Scalar, bool with_hll>
void check_more_than_two_to_the_31() {
  constexpr std::int64_t rows = 47'800'000;
  constexpr Band band{.rows = rows};
  static_assert(rows * Band::width > std::int64_t{1} << 31);
  // The formats beside each other, X and Y of three columns at most, and something to spare.
  constexpr double bytes = (with_hll ? 2.0 : 1.0) * rows * Band::width * (sizeof(Scalar) + 4) +
                           rows * (8.0 + 6.0 * sizeof(Scalar)) + 2e8;
  const auto free = static_cast<double>(free_memory<Memory>());
  if (free < bytes)
    GTEST_SKIP() << "wants " << bytes / 1e9 << " GB of free memory on " << Exec::name()
                 << ", there are " << free / 1e9;
  check<Scalar, with_hll>(band);
}

TEST(WideOffsets, MultiplyAFewRows) {
  check<double, true>({.rows = 1000});
  check<float, false>({.rows = 1000});
}

TEST(WideOffsets, MultiplyMoreThanTwoToThe31Entries) {
  check_more_than_two_to_the_31<double, true>();
}

/// For machines of 24 GB.
TEST(WideOffsets, MultiplyMoreThanTwoToThe31EntriesInSinglePrecision) {
  check_more_than_two_to_the_31<float, false>();
}

}  // namespace
}  // namespace fatvec
