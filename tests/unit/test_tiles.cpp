// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <utility>

#include <fatvec/formats/multivector.hpp>
#include <fatvec/kernels/shared/output.hpp>
#include <fatvec/kernels/shared/tile.hpp>

/// Tiles of every width, and what is stored of them.
namespace fatvec::detail {
namespace {

/// Y = beta Y + alpha (a x + a x), and the same overwritten: columns of Y and nothing behind them.
template <class T, int width>
void expect_sums_have_their_columns_only() {
  std::array<T, width> x{};
  for (int w = 0; w < width; ++w) x[static_cast<std::size_t>(w)] = static_cast<T>(w + 1);
  Tile<T, width> sums;
  sums.add_product(T{3}, Tile<T, width>(x.data(), 1));
  T twice[width];
  auto doubled = sums;
  doubled += sums;
  doubled.copy_to(twice);
  std::array<T, width + 1> y{};
  const auto expect = [&](const char* what, T factor, T constant) {
    for (std::size_t w = 0; w < width; ++w)
      EXPECT_EQ(y[w], factor * x[w] + constant) << what << ", " << width << ", " << w;
    EXPECT_EQ(y[width], T{-77}) << what << ", " << width;
  };
  y.fill(T{-77});
  sums.copy_to(y.data());
  expect("copy", T{3}, T{0});
  const MultiVectorSpan<T, Columns::strided> row{y.data(), width, 1};
  y.fill(T{-77});
  ScaledSum<T>{T{2}, T{0}, row}.store(0, 0, twice);
  expect("overwrite", T{12}, T{0});
  y.fill(T{-77});
  ScaledSum<T>{T{2}, T{2}, row}.store(0, 0, twice);
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
