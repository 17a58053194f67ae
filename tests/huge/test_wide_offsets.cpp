// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <string>

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
using Csr = CsrMatrix<double, std::int32_t, Exec, std::int64_t>;
using Hll = HllMatrix<double, std::int32_t, Exec, std::int64_t>;
using Multivector = Kokkos::View<double**, Kokkos::LayoutRight, Exec>;
using Range = Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>;

/// Row i: `width` neighbouring columns around the diagonal.
struct Band {
  std::int64_t rows = 0;
  static constexpr std::int64_t width = 45;

  KOKKOS_FUNCTION std::int64_t first(std::int64_t i) const {
    const std::int64_t begin = i - width / 2;
    return begin < 0 ? 0 : begin > rows - width ? rows - width : begin;
  }
  KOKKOS_FUNCTION static double value(std::int64_t i, std::int64_t j) {
    return static_cast<double>((i + 3 * j) % 7 + 1);
  }
  KOKKOS_FUNCTION static double x(std::int64_t j, std::int64_t c) {
    return static_cast<double>((j + 5 * c) % 11 - 5);
  }
  [[nodiscard]] std::int64_t entries() const { return rows * width; }
};

struct FillMatrix {
  Band band;
  Csr::Offsets row_map;
  Csr::Ordinals entries;
  Csr::Scalars values;

  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    row_map(i) = i * Band::width;
    if (i == band.rows) return;
    for (std::int64_t n = 0; n < Band::width; ++n) {
      const std::int64_t j = band.first(i) + n;
      entries(i * Band::width + n) = static_cast<std::int32_t>(j);
      values(i * Band::width + n) = Band::value(i, j);
    }
  }
};

struct FillX {
  Multivector x;
  KOKKOS_FUNCTION void operator()(std::int64_t j) const {
    for (std::size_t c = 0; c < x.extent(1); ++c)
      x(j, c) = Band::x(j, static_cast<std::int64_t>(c));
  }
};

struct CountWrong {
  Band band;
  Multivector y;
  KOKKOS_FUNCTION void operator()(std::int64_t i, std::int64_t& wrong) const {
    for (std::size_t c = 0; c < y.extent(1); ++c) {
      double sum = 0;
      for (std::int64_t n = 0; n < Band::width; ++n) {
        const std::int64_t j = band.first(i) + n;
        sum += Band::value(i, j) * Band::x(j, static_cast<std::int64_t>(c));
      }
      wrong += y(i, c) != 2 * sum;
    }
  }
};

Csr matrix_of(const Band& band) {
  const auto rows = static_cast<std::size_t>(band.rows);
  const auto count = static_cast<std::size_t>(band.entries());
  const auto raw = [](const std::string& label) {
    return Kokkos::view_alloc(Kokkos::WithoutInitializing, label);
  };
  const FillMatrix fill{.band = band,
                        .row_map = Csr::Offsets(raw("row_map"), rows + 1),
                        .entries = Csr::Ordinals(raw("entries"), count),
                        .values = Csr::Scalars(raw("values"), count)};
  Kokkos::parallel_for("fill matrix", Range(0, band.rows + 1), fill);
  Kokkos::fence("fill matrix");
  return Csr(static_cast<std::int32_t>(band.rows), static_cast<std::int32_t>(band.rows),
             fill.row_map, fill.entries, fill.values);
}

template <class Kernel, class Matrix>
void expect_right(const Band& band, const Matrix& a, std::size_t k) {
  const auto rows = static_cast<std::size_t>(band.rows);
  const Multivector x("x", rows, k);
  const Multivector y("y", rows, k);
  Kokkos::parallel_for("fill x", Range(0, band.rows), FillX{x});
  Kokkos::deep_copy(y, Kokkos::Experimental::quiet_NaN_v<double>);
  spmm<Kernel>(Exec(), {}, 2.0, a, x, 0.0, y);
  std::int64_t wrong = 0;
  Kokkos::parallel_reduce("count wrong", Range(0, band.rows), CountWrong{band, y}, wrong);
  EXPECT_EQ(wrong, 0) << Kernel::name << ", k = " << k;
}

void check(const Band& band) {
  const Csr csr = matrix_of(band);
  for (const std::size_t k : {1, 3}) {
    expect_right<CsrRow>(band, csr, k);
    expect_right<CsrPortable>(band, csr, k);
  }
  const auto hll = convert<Hll>(Exec(), csr);
  expect_right<HllRow>(band, hll, 1);
}

TEST(WideOffsets, MultiplyAFewRows) {
  check({.rows = 1000});
}

TEST(WideOffsets, MultiplyMoreThanTwoToThe31Entries) {
  constexpr std::int64_t rows = 48'000'000;
  constexpr Band band{.rows = rows};
  static_assert(rows * Band::width > std::int64_t{1} << 31);
  // CSR and HLL beside each other, three multivectors of three columns at most.
  constexpr double bytes = 2.0 * rows * Band::width * 12 + 6.0 * rows * 8 + 1e9;
  const auto free = static_cast<double>(free_memory<Memory>());
  if (free < bytes)
    GTEST_SKIP() << "wants " << bytes / 1e9 << " GB of free memory on " << Exec::name()
                 << ", there are " << free / 1e9;
  check(band);
}

}  // namespace
}  // namespace fatvec
