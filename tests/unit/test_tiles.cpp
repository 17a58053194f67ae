// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <array>
#include <cstdint>

#include <fatvec/kernels/host/accumulator.hpp>
#include <fatvec/kernels/host/output.hpp>
#include <fatvec/kernels/shared/static_for.hpp>

/// The tiles of CPU kernels, those of other processors' vectors included, which the conformance
/// tests of one machine do not meet.
namespace fatvec::detail {
namespace {

template <Columns columns, int lanes>
void expect_tiles_cover_all_columns() {
  for (std::int64_t k = 1; k <= 3 * widest_tile<columns>; ++k) {
    std::int64_t next = 0;
    int tiles = 0;
    sweep_columns<columns, lanes>(k, [&](auto width, std::int64_t first) {
      using Tile = decltype(width);
      EXPECT_EQ(first, next) << "k = " << k;
      EXPECT_GE(width, Tile::least) << "k = " << k;
      EXPECT_LE(width, Tile::value) << "k = " << k;
      // Masked tiles would count as 8 columns: rows of X are prefetched otherwise.
      if (lanes > 0 && k - first <= 8) EXPECT_EQ(width, Tile::value) << "k = " << k;
      next = first + width;
      ++tiles;
    });
    EXPECT_EQ(next, k);
    EXPECT_EQ((fits_one_tile<columns, lanes>(k)), tiles == 1) << "k = " << k;
  }
}

TEST(Tiles, CoverAllColumnsOnce) {
  expect_tiles_cover_all_columns<Columns::contiguous, 0>();
  expect_tiles_cover_all_columns<Columns::contiguous, 8>();
  expect_tiles_cover_all_columns<Columns::contiguous, 16>();
  expect_tiles_cover_all_columns<Columns::strided, 0>();
}

TEST(Tiles, HalvesCoverWhatIsLeft) {
  for (std::int64_t k = 0; k <= 40; ++k) {
    std::int64_t next = 0;
    sweep_halves<16>(k, [&](auto width, std::int64_t first) {
      EXPECT_EQ(first, next) << "k = " << k;
      next = first + width;
    });
    EXPECT_EQ(next, k);
  }
}

/// Y = beta Y + alpha (a x + a x), and the same overwritten: columns of Y and nothing behind them.
template <class T, int width>
void expect_sums_have_their_columns_only() {
  std::array<T, width> x{};
  for (int w = 0; w < width; ++w) x[static_cast<std::size_t>(w)] = static_cast<T>(w + 1);
  auto sums = sums_of<T, Columns::contiguous>(Width<width>{});
  sums.add_scaled(T{3}, x.data(), 1);
  auto twice = sums;
  twice.add(sums);
  std::array<T, width + 1> y{};
  const auto expect = [&](const char* what, T factor, T constant) {
    for (std::size_t w = 0; w < width; ++w)
      EXPECT_EQ(y[w], factor * x[w] + constant) << what << ", " << width << ", " << w;
    EXPECT_EQ(y[width], T{-77}) << what << ", " << width;
  };
  y.fill(T{-77});
  sums.store(y.data());
  expect("store", T{3}, T{0});
  const MultiVectorSpan<T, Columns::strided> row{y.data(), width, 1};
  y.fill(T{-77});
  HostEpilogue<T>{{T{2}, T{0}, row}}.store(0, 0, twice);
  expect("overwrite", T{12}, T{0});
  y.fill(T{-77});
  HostEpilogue<T>{{T{2}, T{2}, row}}.store(0, 0, twice);
  expect("combine", T{12}, T{-154});
}

template <class T, int... width>
void expect_sums(std::integer_sequence<int, width...>) {
  (expect_sums_have_their_columns_only<T, width + 1>(), ...);
}

TEST(Tiles, SumsHaveTheirColumnsOnly) {
  expect_sums<double>(std::make_integer_sequence<int, 32>());
  expect_sums<float>(std::make_integer_sequence<int, 32>());
}

}  // namespace
}  // namespace fatvec::detail
