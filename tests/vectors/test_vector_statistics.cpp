// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <random>

#include <fatvec/core/error.hpp>

#include "oracle.hpp"

namespace fatvec::tests {

constexpr std::int64_t lengths[] = {0, 1, 2, 15, 16, 17, 31, 32, 33, 255, 256, 257, 4111, 1000003};
constexpr std::int64_t short_lengths[] = {0, 1, 2, 7, 33, 300, 5003};
constexpr std::int64_t widths[] = {1, 2, 3, 5, 7, 8, 9, 15, 16, 17, 33, 256, 300};

/// A View of element(i, c), filled on the host.
template <class View, class Element>
View filled(View view, const Element& element) {
  const auto host = Kokkos::create_mirror_view(view);
  for (std::int64_t i = 0; i < multivector_rows(view); ++i) {
    for (std::int64_t c = 0; c < multivector_columns(view); ++c) {
      if constexpr (View::rank() == 1)
        host(i) = element(i, c);
      else
        host(i, c) = element(i, c);
    }
  }
  Kokkos::deep_copy(view, host);
  return view;
}

template <class T>
Kokkos::View<T*, Device> vector_of(const std::vector<T>& values) {
  return filled(Kokkos::View<T*, Device>("x", values.size()),
                [&](std::int64_t i, std::int64_t) { return values[i]; });
}

template <class T>
Expected<T> expected_column(std::int64_t n, std::int64_t c = 0) {
  Expected<T> expected;
  for (std::int64_t i = 0; i < n; ++i) expected.add(whole<T>(i, c));
  return expected;
}

template <class View>
void expect_columns(const View& x) {
  using T = typename View::non_const_value_type;
  const auto found = vector_statistics(Device(), x);
  ASSERT_EQ(static_cast<std::int64_t>(found.size()), multivector_columns(x));
  for (std::int64_t c = 0; c < multivector_columns(x); ++c) {
    SCOPED_TRACE(::testing::Message()
                 << multivector_rows(x) << " x " << multivector_columns(x) << ", column " << c);
    expect_statistics(found[c], expected_column<T>(multivector_rows(x), c));
    if (::testing::Test::HasFailure()) return;
  }
}

template <class X, class Y>
void expect_dots(const X& x, const Y& y) {
  const auto found = dot(Device(), x, y);
  ASSERT_EQ(static_cast<std::int64_t>(found.size()), multivector_columns(x));
  for (std::int64_t c = 0; c < multivector_columns(x); ++c) {
    std::int64_t sum = 0;
    for (std::int64_t i = 0; i < multivector_rows(x); ++i)
      sum += whole<int>(i, c) * whole<int>(i, c + 1);
    ASSERT_EQ(static_cast<std::int64_t>(found[c]), sum)
        << multivector_rows(x) << " x " << multivector_columns(x) << ", column " << c;
  }
}

template <class T>
class VectorStatisticsOf : public ::testing::Test {};
using Scalars =
    ::testing::Types<float, double, std::int8_t, std::int32_t, std::int64_t, std::uint32_t>;
TYPED_TEST_SUITE(VectorStatisticsOf, Scalars);

TYPED_TEST(VectorStatisticsOf, AreRightForVectors) {
  for (const auto n : lengths) {
    SCOPED_TRACE(n);
    const auto x = filled(Kokkos::View<TypeParam*, Device>("x", n), whole<TypeParam>);
    expect_statistics(vector_statistics(Device(), x), expected_column<TypeParam>(n));
  }
}

TYPED_TEST(VectorStatisticsOf, AreRightForColumnsInEitherLayout) {
  for (const auto n : short_lengths) {
    for (const auto k : widths) {
      expect_columns(filled(Kokkos::View<TypeParam**, Kokkos::LayoutRight, Device>("x", n, k),
                            whole<TypeParam>));
      expect_columns(filled(Kokkos::View<TypeParam**, Kokkos::LayoutLeft, Device>("x", n, k),
                            whole<TypeParam>));
    }
  }
}

/// Parts of a larger array, between elements that would change every result.
template <class Layout>
void expect_parts(std::int64_t n, std::int64_t k) {
  const auto poison = [=](std::int64_t i, std::int64_t c) {
    const bool inside = i >= 3 && i < n + 3 && c >= 2 && c < k + 2;
    return inside ? whole<double>(i - 3, c - 2) : std::numeric_limits<double>::quiet_NaN();
  };
  const auto whole_array =
      filled(Kokkos::View<double**, Layout, Device>("x", n + 5, k + 7), poison);
  expect_columns(Kokkos::subview(whole_array, Kokkos::pair<std::int64_t, std::int64_t>(3, n + 3),
                                 Kokkos::pair<std::int64_t, std::int64_t>(2, k + 2)));
}

TEST(VectorStatistics, TakePartsOfLargerArrays) {
  for (const auto n : short_lengths) {
    for (const auto k : widths) {
      expect_parts<Kokkos::LayoutRight>(n, k);
      expect_parts<Kokkos::LayoutLeft>(n, k);
    }
  }
}

/// Every element at a distance in both directions, rows the nearer ones or columns.
TEST(VectorStatistics, TakeStridedColumns) {
  for (const auto n : short_lengths) {
    for (const auto k : widths) {
      const auto un = static_cast<std::size_t>(n);
      const auto uk = static_cast<std::size_t>(k);
      using Strided = Kokkos::View<double**, Kokkos::LayoutStride, Device, Kokkos::MemoryUnmanaged>;
      const auto every_second =
          filled(Kokkos::View<double**, Kokkos::LayoutRight, Device>("x", un, 2 * uk + 1),
                 [](std::int64_t i, std::int64_t c) {
                   return c % 2 == 0 ? whole<double>(i, c / 2) : NAN;
                 });
      expect_columns(
          Strided(every_second.data(), Kokkos::LayoutStride(un, every_second.stride(0), uk, 2)));
      const auto every_third =
          filled(Kokkos::View<double**, Kokkos::LayoutLeft, Device>("x", 3 * un + 2, uk),
                 [](std::int64_t i, std::int64_t c) {
                   return i % 3 == 0 ? whole<double>(i / 3, c) : NAN;
                 });
      expect_columns(
          Strided(every_third.data(), Kokkos::LayoutStride(un, 3, uk, every_third.stride(1))));
    }
  }
}

TEST(VectorStatistics, TakeAStridedVector) {
  const auto rows =
      filled(Kokkos::View<double**, Kokkos::LayoutRight, Device>("x", 5003, 7), whole<double>);
  const auto column = Kokkos::subview(rows, Kokkos::ALL, 4);
  expect_statistics(vector_statistics(Device(), column), expected_column<double>(5003, 4));
}

TEST(VectorStatistics, TakeAnEmptyVector) {
  const auto s = vector_statistics(Device(), Kokkos::View<double*, Device>("x", 0));
  EXPECT_EQ(s.sum, 0);
  EXPECT_EQ(s.norm2(), 0);
  EXPECT_EQ(s.max_norm(), 0);
  EXPECT_EQ(s.min, std::numeric_limits<double>::infinity());
  EXPECT_EQ(s.max, -std::numeric_limits<double>::infinity());
  EXPECT_EQ(s.zeros, 0);
  EXPECT_EQ(vector_statistics(Device(), Kokkos::View<int*, Device>("x", 0)).max,
            std::numeric_limits<int>::lowest());
  EXPECT_TRUE(vector_statistics(Device(), Kokkos::View<double**, Device>("X", 9, 0)).empty());
}

TEST(VectorStatistics, NegativeElementsHaveAMaxNorm) {
  const auto s = vector_statistics(Device(), vector_of<double>({-3, -7.5, -1}));
  EXPECT_EQ(s.max_norm(), 7.5);
  EXPECT_EQ(s.max, -1);
  EXPECT_EQ(s.min, -7.5);
}

TEST(VectorStatistics, SmallestIntegersHaveAMagnitude) {
  constexpr auto least = std::numeric_limits<std::int64_t>::min();
  const auto s = vector_statistics(Device(), vector_of<std::int64_t>({least, 5}));
  EXPECT_EQ(s.max_norm(), std::uint64_t{1} << 63);
  EXPECT_EQ(s.absolute_sum, (std::uint64_t{1} << 63) + 5);
  EXPECT_EQ(s.sum, least + 5);
  EXPECT_EQ(vector_statistics(Device(), vector_of<std::int8_t>({-128, 127})).max_norm(), 128);
}

TEST(VectorStatistics, SumsAreWide) {
  const auto x =
      filled(Kokkos::View<std::int32_t*, Device>("x", 100000),
             [](std::int64_t, std::int64_t) { return std::numeric_limits<std::int32_t>::max(); });
  EXPECT_EQ(vector_statistics(Device(), x).sum,
            100000LL * std::numeric_limits<std::int32_t>::max());
  const auto y = filled(Kokkos::View<float*, Device>("y", 100001),
                        [](std::int64_t i, std::int64_t) { return i == 50 ? 1e8F : 0.5F; });
  EXPECT_EQ(vector_statistics(Device(), y).sum, 1e8 + 50000);  // float would have lost the halves
  const auto large = vector_statistics(Device(), vector_of<float>({3e38F, 3e38F}));
  EXPECT_EQ(large.absolute_sum, 2 * static_cast<double>(3e38F));
  EXPECT_TRUE(std::isfinite(large.square_sum));
}

/// One NaN, wherever it stands, in an element that any lane of any team may have.
TEST(VectorStatistics, NanDoesNotVanish) {
  for (const std::int64_t n : {1, 17, 257, 100003}) {
    for (const std::int64_t at : {std::int64_t{0}, n / 3, n / 2, n - 1}) {
      const auto x = filled(Kokkos::View<double**, Kokkos::LayoutRight, Device>("x", n, 3),
                            [=](std::int64_t i, std::int64_t c) {
                              return i == at && c == 1 ? std::numeric_limits<double>::quiet_NaN()
                                                       : whole<double>(i, c);
                            });
      const auto s = vector_statistics(Device(), x);
      SCOPED_TRACE(::testing::Message() << n << " rows, NaN in row " << at);
      expect_nan({s[1].sum, s[1].absolute_sum, s[1].square_sum, s[1].norm2(), s[1].min, s[1].max,
                  s[1].max_norm()});
      expect_statistics(s[0], expected_column<double>(n, 0));
      expect_statistics(s[2], expected_column<double>(n, 2));
    }
  }
}

TEST(VectorStatistics, InfinitiesAreNumbers) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const auto s = vector_statistics(Device(), vector_of<double>({1, infinity, -infinity}));
  EXPECT_TRUE(std::isnan(s.sum));
  EXPECT_EQ(s.absolute_sum, infinity);
  EXPECT_EQ(s.max_norm(), infinity);
  EXPECT_EQ(s.min, -infinity);
  EXPECT_EQ(s.max, infinity);
  EXPECT_EQ(vector_statistics(Device(), vector_of<double>({-infinity, 2})).sum, -infinity);
}

TEST(VectorStatistics, ZerosOfEitherSignAreTaken) {
  const auto s = vector_statistics(Device(), vector_of<double>({-0.0, 0.0, 1, -0.0}));
  EXPECT_EQ(s.zeros, 3);
  EXPECT_EQ(s.min, 0);
  EXPECT_EQ(vector_statistics(Device(), vector_of<double>({5e-324, -5e-324})).zeros,
            0);  // tiny is not 0
}

TEST(VectorStatistics, SquaresOverflowNormsDoNot) {
  const auto s = vector_statistics(Device(), vector_of<double>({-1e200, 1e200}));
  EXPECT_EQ(s.square_sum, std::numeric_limits<double>::infinity());
  EXPECT_EQ(s.absolute_sum, 2e200);
  EXPECT_EQ(s.max_norm(), 1e200);
}

TEST(VectorStatistics, AreRightToWithinRounding) {
  std::mt19937_64 random(7);
  std::normal_distribution<double> normal;
  std::vector<double> values(300007);
  for (auto& value : values)
    value = normal(random) * std::exp2(static_cast<int>(random() % 40) - 20);
  Expected<double> expected;
  for (const double value : values) expected.add(value);
  const auto x = vector_of(values);
  const auto s = vector_statistics(Device(), x);
  expect_statistics(s, expected, 300);
  EXPECT_NEAR(dot(Device(), x, x), s.square_sum, 1e-12 * s.square_sum);
}

TEST(VectorStatistics, AreTheSameBitsEveryTime) {
  const auto x =
      filled(Kokkos::View<double**, Kokkos::LayoutRight, Device>("x", 100003, 5),
             [](std::int64_t i, std::int64_t c) { return std::sin(static_cast<double>(i + c)); });
  const auto first = vector_statistics(Device(), x);
  for (int run = 0; run < 5; ++run) {
    const auto again = vector_statistics(Device(), x);
    for (std::size_t c = 0; c < 5; ++c) EXPECT_EQ(again[c].sum, first[c].sum);
  }
}

TEST(VectorStatistics, AWorkspaceHasColumnsInRange) {
  using Results = ColumnResults<VectorStatistics<double>, Device>;
  for (const std::int64_t columns : {std::int64_t{-1}, std::int64_t{1} << 60, INT64_MIN})
    EXPECT_THROW(Results(Device(), columns), ShapeError) << columns;
  EXPECT_NO_THROW(Results(Device(), 0));
}

TEST(VectorStatistics, AWorkspaceServesManyVectors) {
  const Device exec;
  const ColumnResults<VectorStatistics<double>, Device> results(exec, 3);
  for (const std::int64_t n : {100003, 5, 0, 70001}) {
    const auto x =
        filled(Kokkos::View<double**, Kokkos::LayoutLeft, Device>("x", n, 3), whole<double>);
    vector_statistics(exec, x, results);
    const auto found = results.on_host(exec);
    for (std::int64_t c = 0; c < 3; ++c) expect_statistics(found[c], expected_column<double>(n, c));
  }
  const Kokkos::View<double**, Device> wrong("x", 5, 4);
  EXPECT_THROW(vector_statistics(exec, wrong, results), ShapeError);
}

TEST(VectorStatistics, AWorkspaceOfASmallerInstanceServesALargerOne) {
  const Device exec;
  if (exec.concurrency() < 2) GTEST_SKIP() << "needs two threads";
  const auto parts = Kokkos::Experimental::partition_space(exec, 1, 1);
  for (const std::int64_t k : {1, 3, 300}) {
    const ColumnResults<VectorStatistics<double>, Device> results(parts[0], k);
    const auto x = filled(Kokkos::View<double**, Kokkos::LayoutRight, Device>("x", 200003 / k, k),
                          whole<double>);
    vector_statistics(exec, x, results);
    const auto found = results.on_host(exec);
    for (std::int64_t c = 0; c < k; ++c)
      expect_statistics(found[c], expected_column<double>(200003 / k, c));
  }
}

/// A reduction that somebody else writes, with the same results joined by Kokkos.
struct IotaStatistics {
  KOKKOS_FUNCTION void operator()(std::int64_t i, VectorStatistics<double>& s) const {
    s.add(static_cast<double>(i));
  }
};

TEST(VectorStatistics, ReducerServesOtherReductions) {
  VectorStatistics<double> s;
  Kokkos::parallel_reduce("iota",
                          Kokkos::RangePolicy<Device, Kokkos::IndexType<std::int64_t>>(0, 1001),
                          IotaStatistics{}, StatisticsReducer<double>(s));
  EXPECT_EQ(s.sum, 500500);
  EXPECT_EQ(s.max, 1000);
  EXPECT_EQ(s.zeros, 1);
}

template <class T>
class DotOfType : public ::testing::Test {};
using DotScalars = ::testing::Types<float, double, std::int32_t, std::int64_t>;
TYPED_TEST_SUITE(DotOfType, DotScalars);

TYPED_TEST(DotOfType, IsRightForVectors) {
  for (const auto n : lengths) {
    const auto x = filled(Kokkos::View<TypeParam*, Device>("x", n), whole<TypeParam>);
    const auto y = filled(Kokkos::View<TypeParam*, Device>("y", n),
                          [](std::int64_t i, std::int64_t) { return whole<TypeParam>(i, 1); });
    std::int64_t sum = 0;
    for (std::int64_t i = 0; i < n; ++i) sum += whole<int>(i, 0) * whole<int>(i, 1);
    EXPECT_EQ(static_cast<std::int64_t>(dot(Device(), x, y)), sum) << n;
  }
}

TYPED_TEST(DotOfType, IsRightForColumnsInEveryPairOfLayouts) {
  using Right = Kokkos::View<TypeParam**, Kokkos::LayoutRight, Device>;
  using Left = Kokkos::View<TypeParam**, Kokkos::LayoutLeft, Device>;
  const auto next = [](std::int64_t i, std::int64_t c) { return whole<TypeParam>(i, c + 1); };
  for (const auto n : short_lengths) {
    for (const auto k : widths) {
      const auto x_right = filled(Right("x", n, k), whole<TypeParam>);
      const auto x_left = filled(Left("x", n, k), whole<TypeParam>);
      const auto y_right = filled(Right("y", n, k), next);
      const auto y_left = filled(Left("y", n, k), next);
      expect_dots(x_right, y_right);
      expect_dots(x_right, y_left);
      expect_dots(x_left, y_right);
      expect_dots(x_left, y_left);
    }
  }
}

TEST(Dot, ComplexElementsOfTheFirstAreConjugated) {
  using Complex = Kokkos::complex<float>;
  const auto x = vector_of<Complex>({{1, 2}, {3, -1}});
  const auto y = vector_of<Complex>({{2, 1}, {0, 1}});
  EXPECT_EQ(dot(Device(), x, y),
            Kokkos::complex<double>(3, 0));  // (1 - 2i)(2 + i) + (3 + i) i = 4 - 3i + 3i - 1
  EXPECT_EQ(dot(Device(), x, x), Kokkos::complex<double>(15, 0));
  EXPECT_EQ(dot(Device(), y, x), Kokkos::complex<double>(3, 0));
  const auto scaled = vector_of<Complex>({{0, 1}, {0, 0}});
  EXPECT_EQ(dot(Device(), scaled, x), Kokkos::complex<double>(2, -1));
  EXPECT_EQ(dot(Device(), x, scaled), Kokkos::complex<double>(2, 1));
}

TEST(Dot, TakesOperandsOfTwoPrecisions) {
  const auto x = vector_of<float>({0.5F, 2});
  const auto y = vector_of<double>({1e-300, 3});
  EXPECT_EQ(dot(Device(), x, y), 6);
  EXPECT_EQ(
      dot(Device(), vector_of<std::int32_t>({1 << 30, 1}), vector_of<std::int64_t>({1 << 30, -1})),
      (1LL << 60) - 1);
}

TEST(Dot, TakesNanAndEmptyVectors) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_TRUE(
      std::isnan(dot(Device(), vector_of<double>({1, nan, 3}), vector_of<double>({1, 0, 3}))));
  EXPECT_EQ(
      dot(Device(), Kokkos::View<double*, Device>("x", 0), Kokkos::View<double*, Device>("y", 0)),
      0);
}

TEST(Dot, ShapesMustAgree) {
  const Kokkos::View<double**, Device> x("x", 5, 3);
  EXPECT_THROW(dot(Device(), x, Kokkos::View<double**, Device>("y", 5, 4)), ShapeError);
  EXPECT_THROW(dot(Device(), x, Kokkos::View<double**, Device>("y", 4, 3)), ShapeError);
  EXPECT_EQ(dot(Device(), x, x).size(), 3U);
}

}  // namespace fatvec::tests
