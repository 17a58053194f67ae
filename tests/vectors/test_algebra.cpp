// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <cmath>
#include <complex>
#include <cstdint>
#include <limits>
#include <string>
#include <thread>
#include <type_traits>
#include <vector>

#include <fatvec/algebra/algebra.hpp>

/// gram() and update() beside sums in extended precision.
namespace fatvec::test::algebra {

using Exec = Kokkos::DefaultExecutionSpace;
using Wide = std::complex<long double>;

template <class T>
Wide wide(const T& x) {
  if constexpr (detail::is_complex<T>)
    return {x.real(), x.imag()};
  else
    return {static_cast<long double>(x), 0};
}

template <class T>
T element(std::int64_t i, std::int64_t c, int seed) {
  const auto number = [&](std::int64_t salt) {
    std::uint64_t z =
        static_cast<std::uint64_t>(i * 1009 + c * 31 + seed * 7 + salt + 1) * 0x9e3779b97f4a7c15ULL;
    z = (z ^ (z >> 29)) * 0xbf58476d1ce4e5b9ULL;
    return static_cast<double>(z >> 40) * 0x1p-23 - 1;
  };
  if constexpr (detail::is_complex<T>)
    return T(number(0), number(500));
  else
    return static_cast<T>(number(0));
}

/// n × k, as some columns and rows of a larger View: with gaps, and neighbours that must not count.
template <class T, class Layout>
struct Operand {
  using View = Kokkos::View<T**, Layout, Exec>;
  using Part = Kokkos::View<T**, Kokkos::LayoutStride, Exec>;

  Operand(std::int64_t n, std::int64_t k, int seed, bool gaps)
      : whole("operand", n + (gaps ? 3 : 0), k + (gaps ? 2 : 0)), mirror(host(whole)) {
    const std::int64_t row = gaps ? 2 : 0;
    const std::int64_t column = gaps ? 1 : 0;
    Kokkos::deep_copy(mirror, T(std::numeric_limits<double>::quiet_NaN()));
    for (std::int64_t i = 0; i < n; ++i)
      for (std::int64_t c = 0; c < k; ++c) mirror(row + i, column + c) = element<T>(i, c, seed);
    Kokkos::deep_copy(whole, mirror);
    part = Kokkos::subview(whole, Kokkos::make_pair(row, row + n),
                           Kokkos::make_pair(column, column + k));
  }
  static auto host(const View& view) {
    return Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), view);
  }

  View whole;
  typename View::HostMirror mirror;
  Part part;
};

template <class V>
auto fetched(const V& view) {
  using T = typename V::non_const_value_type;
  const Kokkos::View<T**, Kokkos::LayoutRight, Exec> copy("copy", view.extent(0), view.extent(1));
  Kokkos::deep_copy(copy, view);
  return Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), copy);
}

/// |found - exact| <= (terms + 4) · eps · magnitudes, of complex numbers four times that.
template <class T>
void expect_close(const T& found, const Wide& exact, long double magnitudes, std::int64_t terms,
                  const std::string& what) {
  using Real = std::conditional_t<std::is_same_v<T, float>, float, double>;
  const long double allowed = static_cast<long double>(terms + 4) *
                              std::numeric_limits<Real>::epsilon() * magnitudes *
                              (detail::is_complex<T> ? 4 : 1);
  EXPECT_LE(std::abs(wide(found) - exact), allowed) << what;
}

/// Rows and columns of a result that are looked at: all of a few, else some of each.
inline std::int64_t stride(std::int64_t count, double work) {
  const auto most = static_cast<std::int64_t>(std::max(3.0, std::min(1e9, 1e5 / (work + 1))));
  return std::max<std::int64_t>(1, count / most | 1);
}

template <class Sum, class T, class Layout>
void check_gram(std::int64_t n, std::int64_t k, std::int64_t m, bool gaps) {
  const std::string what =
      detail::concat("gram n = ", n, ", k = ", k, ", m = ", m, gaps ? ", gaps" : "");
  const Exec exec;
  const Operand<T, Layout> x(n, k, 1, gaps);
  const Operand<T, Layout> y(n, m, 2, gaps);
  const GramWorkspace<Exec, Sum> workspace(exec, k, m);
  Kokkos::deep_copy(workspace.room(), Sum(std::numeric_limits<double>::quiet_NaN()));
  const Operand<Sum, Layout> g(k, m, 3, gaps);
  gram(exec, x.part, y.part, g.part, workspace);
  const auto found = fetched(g.part);
  const auto step = stride(k * m, static_cast<double>(n));
  for (std::int64_t e = 0; e < k * m; e += step) {
    const std::int64_t a = e / m;
    const std::int64_t c = e % m;
    Wide sum = 0;
    long double magnitudes = 0;
    for (std::int64_t i = 0; i < n; ++i) {
      const Wide product = std::conj(wide(element<T>(i, a, 1))) * wide(element<T>(i, c, 2));
      sum += product;
      magnitudes += std::abs(product);
    }
    expect_close(found(a, c), sum, magnitudes, n, detail::concat(what, " (", a, ", ", c, ")"));
  }
  Kokkos::deep_copy(g.part, Sum(std::numeric_limits<double>::quiet_NaN()));
  gram(exec, x.part, y.part, g.part, workspace);
  const auto repeated = fetched(g.part);
  for (std::int64_t e = 0; e < k * m; ++e)
    ASSERT_EQ(found(e / m, e % m), repeated(e / m, e % m)) << what << ": not the same bits";
}

template <class T, class LayoutX, class LayoutY>
void check_update(std::int64_t n, std::int64_t k, std::int64_t m, bool gaps, double alpha,
                  double beta) {
  const std::string what =
      detail::concat("update n = ", n, ", k = ", k, ", m = ", m, ", alpha = ", alpha,
                     ", beta = ", beta, gaps ? ", gaps" : "");
  const Exec exec;
  const Operand<T, LayoutX> x(n, k, 1, gaps);
  const Operand<T, LayoutX> s(k, m, 2, gaps);
  const Operand<T, LayoutY> y(n, m, 3, gaps);
  if (beta == 0) Kokkos::deep_copy(y.part, T(std::numeric_limits<double>::quiet_NaN()));
  update(exec, alpha, x.part, s.part, beta, y.part);
  const auto found = fetched(y.part);
  const auto step = stride(n * m, static_cast<double>(k));
  for (std::int64_t e = 0; e < n * m; e += step) {
    const std::int64_t i = e / m;
    const std::int64_t c = e % m;
    Wide sum = static_cast<long double>(beta) * wide(element<T>(i, c, 3));
    long double magnitudes = std::abs(sum);
    for (std::int64_t j = 0; j < k; ++j) {
      const Wide product =
          static_cast<long double>(alpha) * wide(element<T>(i, j, 1)) * wide(element<T>(j, c, 2));
      sum += product;
      magnitudes += std::abs(product);
    }
    expect_close(found(i, c), sum, magnitudes, k, detail::concat(what, " (", i, ", ", c, ")"));
  }
  if (!gaps) return;
  const auto around = Operand<T, LayoutY>::host(y.whole);
  for (std::int64_t i = 0; i < n + 3; ++i)
    for (const std::int64_t c : {std::int64_t{0}, m + 1})
      ASSERT_TRUE(around(i, c) != around(i, c)) << what << ": written beside Y";
}

template <class T>
class TallAlgebra : public testing::Test {};
using Scalars = testing::Types<float, double, Kokkos::complex<double>>;
TYPED_TEST_SUITE(TallAlgebra, Scalars);

constexpr std::int64_t columns[] = {1, 2, 3, 7, 8, 16, 17, 33, 64};
constexpr std::int64_t few_rows[] = {0, 1, 7, 1000};

TYPED_TEST(TallAlgebra, GramIsTheSumOverAllRows) {
  for (const std::int64_t k : columns)
    for (const std::int64_t n : few_rows)
      for (const bool gaps : {false, true}) {
        check_gram<TypeParam, TypeParam, Kokkos::LayoutRight>(n, k, k, gaps);
        check_gram<TypeParam, TypeParam, Kokkos::LayoutLeft>(n, k, k, gaps);
      }
}

TYPED_TEST(TallAlgebra, GramTakesManyRowsAndManyColumns) {
  for (const std::int64_t k : {1, 7, 16}) {
    check_gram<TypeParam, TypeParam, Kokkos::LayoutRight>(100'003, k, k, false);
    check_gram<TypeParam, TypeParam, Kokkos::LayoutLeft>(100'003, k, 3, true);
  }
  check_gram<TypeParam, TypeParam, Kokkos::LayoutRight>(100, 256, 256, false);
  check_gram<TypeParam, TypeParam, Kokkos::LayoutLeft>(100, 256, 256, false);
  check_gram<TypeParam, TypeParam, Kokkos::LayoutLeft>(1000, 300, 5, false);
  check_gram<TypeParam, TypeParam, Kokkos::LayoutRight>(1000, 5, 300, true);
}

TYPED_TEST(TallAlgebra, UpdateIsTheProductAndWhatYWas) {
  using Left = Kokkos::LayoutLeft;
  using Right = Kokkos::LayoutRight;
  for (const std::int64_t k : columns)
    for (const std::int64_t n : few_rows)
      for (const bool gaps : {false, true}) {
        check_update<TypeParam, Right, Right>(n, k, k, gaps, 1, 0);
        check_update<TypeParam, Left, Left>(n, k, k, gaps, -1.5, 0.5);
      }
  check_update<TypeParam, Right, Left>(1000, 9, 5, true, 2, 1);
  check_update<TypeParam, Left, Right>(1000, 5, 19, true, 2, 0);
  check_update<TypeParam, Left, Left>(1001, 3, 21, false, 1, 0);
  check_update<TypeParam, Right, Right>(100'003, 7, 7, false, 1, 0);
  check_update<TypeParam, Left, Left>(100'003, 16, 3, false, 1, 2);
}

TYPED_TEST(TallAlgebra, UpdateTakesMoreColumnsThanAPanel) {
  for (const double beta : {0.0, -0.5}) {
    check_update<TypeParam, Kokkos::LayoutRight, Kokkos::LayoutRight>(300, 256, 256, false, 1,
                                                                      beta);
    check_update<TypeParam, Kokkos::LayoutLeft, Kokkos::LayoutLeft>(300, 256, 40, true, 1, beta);
    check_update<TypeParam, Kokkos::LayoutRight, Kokkos::LayoutRight>(130, 600, 11, true, 2, beta);
    check_update<TypeParam, Kokkos::LayoutLeft, Kokkos::LayoutLeft>(130, 600, 11, false, 2, beta);
  }
}

/// From some number of columns on another form may take over, of operands whose rows or columns lie
/// side by side.
TYPED_TEST(TallAlgebra, NumbersOfColumnsAroundASwitchAreRight) {
  using Left = Kokkos::LayoutLeft;
  using Right = Kokkos::LayoutRight;
  for (const std::int64_t k : {31, 32, 63, 64})
    for (const std::int64_t m : {31, 32, 64, 65})
      for (const bool gaps : {false, true}) {
        check_update<TypeParam, Right, Right>(301, k, m, gaps, 1, 0);
        check_update<TypeParam, Left, Left>(301, k, m, gaps, 2, -1);
        check_gram<TypeParam, TypeParam, Right>(301, k, m, gaps);
        check_gram<TypeParam, TypeParam, Left>(301, k, m, gaps);
      }
  for (const std::int64_t n : {1, 5}) {  // fewer rows than columns
    check_update<TypeParam, Right, Right>(n, 64, 65, true, 1, 0);
    check_update<TypeParam, Left, Left>(n, 64, 65, true, 1, 0.5);
    check_gram<TypeParam, TypeParam, Right>(n, 64, 65, true);
    check_gram<TypeParam, TypeParam, Left>(n, 64, 65, true);
  }
  check_update<TypeParam, Right, Left>(301, 33, 40, true, 2, 0);  // X and S unlike Y
  check_update<TypeParam, Left, Right>(301, 33, 40, false, 2, 1);
}

/// Operands each in a layout of its own, among them one with gaps in rows and columns.
TYPED_TEST(TallAlgebra, LayoutsMayDifferWithManyColumns) {
  const Exec exec;
  constexpr std::int64_t n = 1001, k = 65, m = 64;
  const Operand<TypeParam, Kokkos::LayoutLeft> by_columns(n, k, 1, true);
  const Operand<TypeParam, Kokkos::LayoutRight> by_rows(n, k, 1, true);
  const Operand<TypeParam, Kokkos::LayoutRight> y(n, m, 2, false);
  const Kokkos::View<TypeParam***, Kokkos::LayoutRight, Exec> wide("wide", n, k, 2);
  const auto strided = Kokkos::subview(wide, Kokkos::ALL, Kokkos::ALL, 1);
  Kokkos::deep_copy(exec, strided, by_rows.part);
  const GramWorkspace<Exec, TypeParam> workspace(exec, k, m);
  const Kokkos::View<TypeParam**, Kokkos::LayoutLeft, Exec> expected("expected", k, m);
  const Kokkos::View<TypeParam**, Kokkos::LayoutRight, Exec> found("found", k, m);
  gram(exec, by_rows.part, y.part, expected, workspace);
  const auto expect_same = [&] {
    const auto e = fetched(expected);
    const auto f = fetched(found);
    for (std::int64_t a = 0; a < k; ++a)
      for (std::int64_t c = 0; c < m; ++c)
        expect_close(f(a, c), algebra::wide(e(a, c)), n, 2 * n, detail::concat(a, ", ", c));
  };
  gram(exec, by_rows.part, y.part, found, workspace);
  expect_same();
  gram(exec, by_columns.part, y.part, found, workspace);
  expect_same();
  gram(exec, strided, y.part, found, workspace);
  expect_same();
}

TEST(TallAlgebraTest, StreamedRowsAreWhole) {
  // More than what caches keep, in each width of a row.
  for (const std::int64_t m : {7, 12}) {
    const std::int64_t n = 66'000'000 / (m * static_cast<std::int64_t>(sizeof(double))) + 5;
    check_update<double, Kokkos::LayoutRight, Kokkos::LayoutRight>(n, 2, m, false, 1, 0);
  }
  for (const std::int64_t m : {7, 12}) {  // 8 rows of 7 floats are not whole vectors
    const std::int64_t n = 66'000'000 / (m * static_cast<std::int64_t>(sizeof(float))) + 5;
    check_update<float, Kokkos::LayoutRight, Kokkos::LayoutRight>(n, 2, m, false, 1, 0);
  }
  check_update<double, Kokkos::LayoutLeft, Kokkos::LayoutLeft>(1'040'000, 2, 8, false, 1, 0);
}

TEST(TallAlgebraTest, FloatOperandsAccumulateInDouble) {
  for (const std::int64_t k : {1, 7, 16, 40}) {
    check_gram<double, float, Kokkos::LayoutRight>(1000, k, k, false);
    check_gram<double, float, Kokkos::LayoutLeft>(1001, k, k, true);
  }
}

TEST(TallAlgebraTest, AlphaZeroReadsNeitherXNorS) {
  const Exec exec;
  for (const int k : {3, 40}) {
    const Kokkos::View<double**, Exec> x("X", 100, k), s("S", k, k), y("Y", 100, k);
    Kokkos::deep_copy(x, std::numeric_limits<double>::quiet_NaN());
    Kokkos::deep_copy(s, std::numeric_limits<double>::quiet_NaN());
    Kokkos::deep_copy(y, 2.0);
    update(exec, 0, x, s, 3, y);
    const auto found = fetched(y);
    for (int i = 0; i < 100; ++i) EXPECT_EQ(found(i, i % k), 6);
  }
}

/// Instances of their own, in threads of their own, have the bits of one by itself.
TEST(TallAlgebraTest, InstancesSideBySideHaveTheSameBits) {
  constexpr std::int64_t n = 20'000, k = 64;
  constexpr int threads = 3;
  const Operand<double, Kokkos::LayoutRight> x(n, k, 1, false), s(k, k, 2, false);
  using View = Kokkos::View<double**, Kokkos::LayoutRight, Exec>;
  std::vector<View> grams, updated;
  for (int t = 0; t <= threads; ++t) {
    grams.emplace_back("G", k, k);
    updated.emplace_back("Y", n, k);
  }
  const auto run = [&](const Exec& exec, int t) {
    const GramWorkspace<Exec> workspace(exec, k, k);
    for (int repeat = 0; repeat < 5; ++repeat) {
      gram(exec, x.part, x.part, grams[t], workspace);
      update(exec, 1, x.part, s.part, 0, updated[t]);
    }
    exec.fence();
  };
  run(Exec(), 0);
  // On a host the threads would share those of one backend, which takes one call at a time.
  if (detail::is_host<Exec>) {
    for (int t = 1; t <= threads; ++t) run(Exec(), t);
  } else {
    const auto instances =
        Kokkos::Experimental::partition_space(Exec(), std::vector<int>(threads, 1));
    std::vector<std::thread> running;
    for (int t = 1; t <= threads; ++t) running.emplace_back([&, t] { run(instances[t - 1], t); });
    for (auto& thread : running) thread.join();
  }
  const auto g = fetched(grams[0]);
  const auto y = fetched(updated[0]);
  for (int t = 1; t <= threads; ++t) {
    const auto other_g = fetched(grams[t]);
    const auto other_y = fetched(updated[t]);
    for (std::int64_t c = 0; c < k * k; ++c) ASSERT_EQ(g(c / k, c % k), other_g(c / k, c % k));
    for (std::int64_t i = 0; i < n; ++i) ASSERT_EQ(y(i, i % k), other_y(i, i % k));
  }
}

/// Through the workspace where exec is a device.
TEST(TallAlgebraTest, SMayBeInHostMemory) {
  const Exec exec;
  const Kokkos::View<double**, Exec> x("X", 10, 3), y("Y", 10, 2);
  const Kokkos::View<double**, Kokkos::LayoutLeft, Kokkos::HostSpace> s("S", 3, 2);
  Kokkos::deep_copy(x, 1.0);
  for (int j = 0; j < 3; ++j) s(j, 1) = j;
  const GramWorkspace<Exec> workspace(exec, 3, 2);
  update(exec, 1, x, s, 0, y, workspace);
  const auto found = fetched(y);
  EXPECT_EQ(found(9, 0), 0);
  EXPECT_EQ(found(9, 1), 3);
}

template <class Call>
void expect_message(const Call& call, const std::vector<std::string>& parts) {
  try {
    call();
    FAIL() << "no error";
  } catch (const ShapeError& error) {
    for (const auto& part : parts)
      EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
  }
}

TEST(TallAlgebraTest, WrongSizesAreRefusedByName) {
  const Exec exec;
  const Kokkos::View<double**, Kokkos::LayoutRight, Exec> x("tall", 10, 3), y("other", 10, 2),
      shorter("shorter", 9, 2), g("result", 3, 2), wrong("wrong", 2, 2), s("small", 3, 2);
  const GramWorkspace<Exec> workspace(exec, 3, 2);
  const GramWorkspace<Exec> narrow(exec, 2, 2);
  expect_message([&] { gram(exec, x, shorter, g, workspace); }, {"Y (shorter)", "9 x 2", "10 x 2"});
  expect_message([&] { gram(exec, x, y, wrong, workspace); }, {"G (wrong)", "2 x 2", "3 x 2"});
  expect_message([&] { gram(exec, x, y, g, narrow); }, {"2 x 2", "tall", "GramWorkspace(exec, 3"});
  expect_message([&] { update(exec, 1, x, wrong, 0, y); }, {"S (wrong)", "2 x 2", "3 x 2"});
  expect_message([&] { update(exec, 1, x, s, 0, shorter); }, {"Y (shorter)", "9 x 2", "10 x 2"});
  const auto part = Kokkos::subview(x, Kokkos::ALL, Kokkos::make_pair(1, 3));
  expect_message([&] { update(exec, 1, x, s, 0, part); }, {"X (tall)", "share memory"});
  EXPECT_THROW((GramWorkspace<Exec>(exec, -1, 2)), ShapeError);
  const Kokkos::View<double*, Exec> memory("memory", 12);
  const Kokkos::View<double**, Kokkos::LayoutStride, Exec> overlapping(
      memory.data(), Kokkos::LayoutStride(3, 1, 2, 1));
  expect_message([&] { gram(exec, x, y, overlapping, workspace); }, {"gram: elements of G"});
  const Kokkos::View<double**, Kokkos::LayoutStride, Exec> long_overlapping(
      memory.data(), Kokkos::LayoutStride(10, 1, 2, 1));
  expect_message([&] { update(exec, 1, x, s, 0, long_overlapping); }, {"update: elements of Y"});
}

}  // namespace fatvec::test::algebra
