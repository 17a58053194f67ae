// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstdint>
#include <limits>

#include <fatvec/plan/packing.hpp>

/// Copies between column-major and row-major multivectors, exact: whole tiles, what is left of
/// them, padding, beta.
namespace fatvec::detail {
namespace {

using Exec = Kokkos::DefaultExecutionSpace;
using Host = Kokkos::DefaultHostExecutionSpace;

template <class T>
T element(int i, int c, int salt) {
  return static_cast<T>((i * 31 + c * 7 + salt) % 101 - 50);
}

template <class View>
void fill(const View& view, int salt) {
  const auto host = Kokkos::create_mirror_view(view);
  for (int i = 0; i < static_cast<int>(view.extent(0)); ++i)
    for (int c = 0; c < static_cast<int>(view.extent(1)); ++c)
      host(i, c) = element<typename View::non_const_value_type>(i, c, salt);
  Kokkos::deep_copy(view, host);
}

template <Columns from_columns, class ExecSpace, class From, class To, class T>
void pack(const ExecSpace& exec, const From& from, const To& to, const T& beta) {
  const auto of_from = span_of<from_columns>(from);
  pack_operand<from_columns, ExecSpace, T>(
      "test", exec, {of_from.data, of_from.row_stride, of_from.column_stride},
      span_of<opposite<from_columns>>(to), beta, multivector_rows(from), multivector_columns(from));
}

/// to = from + beta · to of the first `rows` and `columns` of larger arrays, whose other elements
/// must stay.
template <class From, class To>
void expect_copies(int rows, int columns, int spare_rows, int spare_columns,
                   typename To::value_type beta) {
  using T = typename To::value_type;
  constexpr bool packs = std::is_same_v<typename From::array_layout, Kokkos::LayoutLeft>;
  const From from("from", rows + spare_rows, columns + spare_columns);
  const To to("to", rows + spare_rows, columns + spare_columns);
  fill(from, 1);
  fill(to, 2);
  const std::pair<int, int> i_range(0, rows);
  const std::pair<int, int> c_range(0, columns);
  pack<packs ? Columns::strided : Columns::contiguous>(typename To::execution_space(),
                                                       Kokkos::subview(from, i_range, c_range),
                                                       Kokkos::subview(to, i_range, c_range), beta);
  const auto found = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), to);
  for (int i = 0; i < rows + spare_rows; ++i) {
    for (int c = 0; c < columns + spare_columns; ++c) {
      const bool inside = i < rows && c < columns;
      const T expected =
          inside ? element<T>(i, c, 1) + beta * element<T>(i, c, 2) : element<T>(i, c, 2);
      if (found(i, c) == expected) continue;
      FAIL() << (packs ? "pack " : "unpack ") << rows << " x " << columns << ", row " << i
             << ", column " << c << ": " << found(i, c) << " is not " << expected;
    }
  }
}

template <class T, class ExecSpace>
void expect_copies_of() {
  using Left = Kokkos::View<T**, Kokkos::LayoutLeft, ExecSpace>;
  using Right = Kokkos::View<T**, Kokkos::LayoutRight, ExecSpace>;
  for (const int rows : {0, 1, 7, 64, 300, 1037}) {
    for (const int columns : {1, 2, 3, 8, 17, 64, 100}) {
      for (const int beta : {0, 1, -3}) {
        for (const int spare : {0, 5}) {
          expect_copies<Left, Right>(rows, columns, spare, spare, static_cast<T>(beta));
          expect_copies<Right, Left>(rows, columns, spare, spare, static_cast<T>(beta));
        }
      }
    }
  }
}

TEST(PackOperands, DoublesAreTransposed) {
  expect_copies_of<double, Exec>();
}
TEST(PackOperands, FloatsAreTransposed) {
  expect_copies_of<float, Exec>();
}
TEST(PackOperands, IntegersAreTransposedOnTheHost) {
  expect_copies_of<std::int32_t, Host>();
}
TEST(PackOperands, ComplexNumbersAreTransposedOnTheHost) {
  expect_copies_of<Kokkos::complex<double>, Host>();
}

TEST(PackOperands, LeavesNothingOfNothing) {
  expect_copies<Kokkos::View<double**, Kokkos::LayoutLeft, Exec>,
                Kokkos::View<double**, Kokkos::LayoutRight, Exec>>(0, 9, 3, 0, 2.0);
  expect_copies<Kokkos::View<double**, Kokkos::LayoutRight, Exec>,
                Kokkos::View<double**, Kokkos::LayoutLeft, Exec>>(9, 0, 0, 3, 2.0);
}

TEST(PackOperands, TakesRowsThatAreApart) {
  using Apart = Kokkos::View<double**, Kokkos::LayoutStride, Host>;
  const Apart from("from", Kokkos::LayoutStride(130, 3, 20, 401));
  const Kokkos::View<double**, Kokkos::LayoutRight, Host> to("to", 130, 20);
  fill(from, 1);
  pack<Columns::strided>(Host(), from, to, 0.0);
  for (int i = 0; i < 130; ++i)
    for (int c = 0; c < 20; ++c)
      ASSERT_EQ(to(i, c), element<double>(i, c, 1)) << "row " << i << ", column " << c;
}

TEST(PackOperands, WithoutBetaNothingIsRead) {
  const Kokkos::View<double**, Kokkos::LayoutRight, Exec> from("from", 100, 16);
  const Kokkos::View<double**, Kokkos::LayoutLeft, Exec> to("to", 100, 16);
  fill(from, 1);
  Kokkos::deep_copy(to, std::numeric_limits<double>::quiet_NaN());
  pack<Columns::contiguous>(Exec(), from, to, 0.0);
  const auto found = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), to);
  for (int i = 0; i < 100; ++i)
    for (int c = 0; c < 16; ++c) ASSERT_EQ(found(i, c), element<double>(i, c, 1));
}

/// Large enough to be streamed past the caches on CPUs; whole lines, and a remainder of columns.
TEST(PackOperands, StoresPastTheCaches) {
  using Left = Kokkos::View<double**, Kokkos::LayoutLeft, Host>;
  using Right = Kokkos::View<double**, Kokkos::LayoutRight, Host>;
  const int rows = static_cast<int>(streaming_bytes) / (2 * 8 * 24) / 8 * 8 + 64;
  const auto streams = [](int high, int first = 0, int wide = 24) {
    const Left from("from", high, wide);
    const auto to = Kokkos::subview(Right("to", high, 32), Kokkos::ALL,
                                    std::pair<int, int>(first, first + wide));
    return HostPack<double, Columns::strided>{
        {operand_of(from), span_of<Columns::contiguous>(to), 0.0, high, wide}}
        .streaming()
        .streams;
  };
  EXPECT_TRUE(streams(rows));
  EXPECT_FALSE(streams(rows - 128)) << "the caches may hold it";
  EXPECT_FALSE(streams(rows, 1)) << "rows that begin within a line";
  EXPECT_FALSE(streams(rows, 0, 25)) << "rows that end within a line";
  for (const int beta : {0, 1}) {
    expect_copies<Left, Right>(rows, 24, 0, 0, beta);
    expect_copies<Right, Left>(rows, 24, 0, 0, beta);
  }
  expect_copies<Right, Left>(rows + 3, 24, 0, 0, 0);
  expect_copies<Left, Right>(rows + 3, 24, 0, 0, 0);
  expect_copies<Left, Right>(rows + 3, 27, 0, 0, 0);
  expect_copies<Right, Left>(rows + 64, 27, 0, 0, 0);
  expect_copies<Left, Right>(rows + 64, 27, 0, 5, 0);
  expect_copies<Kokkos::View<float**, Kokkos::LayoutLeft, Host>,
                Kokkos::View<float**, Kokkos::LayoutRight, Host>>(3 * rows / 2 / 8 * 8 + 64, 32, 0,
                                                                  0, 0);
}

}  // namespace
}  // namespace fatvec::detail
