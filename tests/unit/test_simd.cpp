// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <vector>

#include <fatvec/kernels/host/interleaved_rows.hpp>
#include <fatvec/kernels/host/simd.hpp>

/// Masked loads, gathers and stores touch the lanes of the mask only.
namespace fatvec::detail {
namespace {

#if defined(FATVEC_HAS_GNU_VECTORS) && defined(__AVX2__)
template <class T, int n>
void expect_loads_of_first_lanes() {
  const std::vector<T> from = {5, 1, 7, 3, 9, 2, 8, 4, 6, 11, 13, 12, 15, 14, 17, 16};
  for (int count = 0; count <= n; ++count) {
    Vec<T, n> vec;
    vec.load(from.data(), Mask<n>::first(count));
    for (int lane = 0; lane < n; ++lane)
      EXPECT_EQ(vec.data[lane], lane < count ? from[static_cast<std::size_t>(lane)] : T{0})
          << n << " lanes, " << count << ", " << lane;
  }
}

/// Columns of absent lanes lie outside of x, whose first element is a NaN.
template <class T>
void expect_gathers_of_some_lanes() {
  constexpr int n = simd_lanes<T>;
  std::vector<T> x(100, std::numeric_limits<T>::quiet_NaN());
  for (int bits = 0; bits < 1 << n; bits += n == 16 ? 97 : 1) {
    Vec<std::int32_t, n> columns;
    Vec<std::int32_t, n> present;
    for (int lane = 0; lane < n; ++lane) {
      const bool is_present = (bits >> lane & 1) != 0;
      present.data[lane] = is_present ? -1 : 0;
      columns.data[lane] = is_present ? 99 - 3 * lane : std::numeric_limits<std::int32_t>::max();
      x[static_cast<std::size_t>(99 - 3 * lane)] = static_cast<T>(lane + 1);
    }
    Vec<T, n> vec;
    vec.gather(x.data(), columns, Mask<n>::greater(-present.data, 0));
    for (int lane = 0; lane < n; ++lane)
      EXPECT_EQ(vec.data[lane], present.data[lane] != 0 ? static_cast<T>(lane + 1) : T{0})
          << bits << ", " << lane;
  }
}

/// Both ways of gathering, whichever this processor takes.
template <class T>
void expect_both_gathers_read_the_columns() {
  constexpr int n = simd_lanes<T>;
  T x[64];
  std::int32_t columns[n];
  for (int i = 0; i < 64; ++i) x[i] = static_cast<T>(3 * i + 1);
  for (int lane = 0; lane < n; ++lane) columns[lane] = lane * 37 % 64;
  Vec<T, n> by_instruction;
  Vec<T, n> by_loads;
  ByInstruction()(by_instruction, static_cast<const T*>(x), columns);
  ByLoads()(by_loads, static_cast<const T*>(x), columns);
  for (int lane = 0; lane < n; ++lane) {
    EXPECT_EQ(by_instruction.data[lane], static_cast<T>(3 * columns[lane] + 1)) << lane;
    EXPECT_EQ(by_loads.data[lane], static_cast<T>(3 * columns[lane] + 1)) << lane;
  }
}

TEST(Simd, BothWaysOfGatheringReadTheColumns) {
  expect_both_gathers_read_the_columns<double>();
  expect_both_gathers_read_the_columns<float>();
}

TEST(Simd, MaskedLoadsReadTheFirstLanes) {
  expect_loads_of_first_lanes<double, simd_lanes<double>>();
  expect_loads_of_first_lanes<float, simd_lanes<float>>();
  expect_loads_of_first_lanes<std::int32_t, simd_lanes<double>>();
  expect_loads_of_first_lanes<std::int32_t, simd_lanes<float>>();
}

TEST(Simd, MaskedLoadsOfFloatsGiveDoubles) {
  constexpr int n = simd_lanes<double>;
  const std::vector<float> from = {0.1F, -2.7F, 3e38F, 1e-38F, 0.7F, -0.3F, 5.5F, 0.9F};
  for (int count = 0; count <= n; ++count) {
    Vec<double, n> vec;
    vec.load(from.data(), Mask<n>::first(count));
    for (int lane = 0; lane < n; ++lane)
      EXPECT_EQ(vec.data[lane], lane < count ? from[static_cast<std::size_t>(lane)] : 0.0) << count;
  }
}

TEST(Simd, MaskedGathersReadThePresentLanes) {
  expect_gathers_of_some_lanes<double>();
  expect_gathers_of_some_lanes<float>();
}
#endif

#if defined(FATVEC_HAS_GNU_VECTORS)
template <int n>
void expect_floats_as_doubles() {
  const float from[8] = {0.1F, -2.7F, 3e38F, 1e-38F, 0.7F, -0.3F, 5.5F, 0.9F};
  Vec<double, n> vec;
  vec.load(static_cast<const float*>(from));
  for (int lane = 0; lane < n; ++lane) EXPECT_EQ(vec.data[lane], from[lane]) << n;
}

TEST(Simd, LoadsOfFloatsGiveDoubles) {
  expect_floats_as_doubles<2>();
  expect_floats_as_doubles<4>();
  expect_floats_as_doubles<8>();
}

TEST(Simd, GatheredColumnsAreLoadedInOrder) {
  const float x[] = {3, 1, 4, 1.5F, 9, 2, 6, 5};
  const std::int64_t columns[] = {7, 0, 2, 4};
  Vec<float, 4> vec;
  vec.gather(x, columns);
  float to[5] = {0, 0, 0, 0, -1};
  vec.store(to);
  EXPECT_EQ(to[0], 5);
  EXPECT_EQ(to[1], 3);
  EXPECT_EQ(to[2], 4);
  EXPECT_EQ(to[3], 9);
  EXPECT_EQ(to[4], -1);
}
#endif

}  // namespace
}  // namespace fatvec::detail
