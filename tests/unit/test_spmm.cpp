// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <vector>

#include <fatvec/fatvec.hpp>

/// The public entry: what it accepts, what it refuses, and the product that Gollmann 2020 prints.
namespace fatvec {
namespace {

using Exec = Kokkos::DefaultHostExecutionSpace;
using Csr = CsrMatrix<double, int, Exec, int>;
using Right = Kokkos::View<double**, Kokkos::LayoutRight, Exec>;
using Left = Kokkos::View<double**, Kokkos::LayoutLeft, Exec>;

template <class View>
View filled(const std::vector<double>& values) {
  View view("view", values.size());
  for (std::size_t n = 0; n < values.size(); ++n)
    view(n) = static_cast<typename View::value_type>(values[n]);
  return view;
}

/// The test matrix of Gollmann 2020, as its arrays stand there (columns unsorted within rows are
/// allowed).
Csr gollmann() {
  return Csr(5, 5, filled<Csr::Offsets>({0, 3, 5, 6, 8, 9}),
             filled<Csr::Ordinals>({1, 3, 4, 2, 3, 0, 2, 4, 1}),
             filled<Csr::Scalars>({2, 7, 4, 1, 9, 3, 6, 5, 8}));
}

TEST(Spmm, TheVectorProductIsThatOfGollmann) {
  const auto x = filled<Kokkos::View<double*, Exec>>({1, 2, 3, 4, 5});
  const Kokkos::View<double*, Exec> y("y", 5);
  spmm(1.0, gollmann(), x, 0.0, y);
  const double expected[] = {52, 39, 3, 43, 16};
  for (int i = 0; i < 5; ++i) EXPECT_EQ(y(i), expected[i]);
}

TEST(Spmm, TheMultivectorProductIsThatOfGollmann) {
  const double columns[3][5] = {{1, 2, 3, 4, 5}, {1, 2, 3, 4, 5}, {1, 2, 3, 4, 1}};
  const double expected[3][5] = {{52, 39, 3, 43, 16}, {52, 39, 3, 43, 16}, {36, 39, 3, 23, 16}};
  const Left x("x", 5, 3);
  const Left y("y", 5, 3);
  for (int c = 0; c < 3; ++c)
    for (int j = 0; j < 5; ++j) x(j, c) = columns[c][j];
  spmm(Exec(), 1.0, gollmann(), x, 0.0, y);
  Kokkos::fence();
  for (int c = 0; c < 3; ++c)
    for (int i = 0; i < 5; ++i) EXPECT_EQ(y(i, c), expected[c][i]);
}

TEST(Spmm, AcceptsConstAndUnmanagedViewsOfAnyLayout) {
  std::vector<double> storage = {1, 2, 3, 4, 5};
  const Kokkos::View<const double*, Exec, Kokkos::MemoryTraits<Kokkos::Unmanaged>> x(storage.data(),
                                                                                     5);
  const Right wide("wide", 5, 7);
  const auto y = Kokkos::subview(wide, Kokkos::ALL, 3);  // stride 7
  spmm(2.0, gollmann(), x, 0.0, y);
  EXPECT_EQ(wide(0, 3), 104);
  EXPECT_EQ(wide(4, 3), 32);
  EXPECT_EQ(wide(4, 2), 0);
  EXPECT_EQ(wide(4, 4), 0);
}

TEST(Spmm, TakesEveryOtherColumnOfALargerBlock) {
  const Right parent("parent", 5, 8);
  for (int j = 0; j < 5; ++j)
    for (int c = 0; c < 8; ++c) parent(j, c) = c % 2 == 0 ? j + 1 : 1e9;
  const Kokkos::LayoutStride every_other(5, 8, 4, 2);  // no dimension has unit stride
  const Kokkos::View<double**, Kokkos::LayoutStride, Exec> x(parent.data(), every_other);
  const Right y("y", 5, 4);
  spmm(1.0, gollmann(), x, 0.0, y);
  for (int c = 0; c < 4; ++c) EXPECT_EQ(y(0, c), 52);
}

TEST(Spmm, BlocksThatTheMatrixEndsInNeverMeetInfinity) {
  // A = (5) in one block of 3 x 3: what is behind the matrix is no fill, and 0 · Inf must not reach
  // Y.
  const Csr a(1, 1, filled<Csr::Offsets>({0, 1}), filled<Csr::Ordinals>({0}),
              filled<Csr::Scalars>({5}));
  FormatOptions options;
  options.block_size = 3;
  const auto bsr = BsrMatrix<double, int, Exec, int>::from_csr(Exec(), a, options);
  for (const int k : {1, 4, 8, 9, 16}) {
    const Right x("x", 1, k);
    const Right y("y", 1, k);
    Kokkos::deep_copy(x, std::numeric_limits<double>::infinity());
    spmm<BsrRow>(Exec(), {}, 1.0, bsr, x, 0.0, y);
    for (int c = 0; c < k; ++c)
      EXPECT_EQ(y(0, c), std::numeric_limits<double>::infinity()) << "k = " << k;
  }
}

TEST(Spmm, PaddingNeverMeetsInfinity) {
  // Row 0 is short, and the column that padding could point at holds Inf and NaN: 0 · Inf must not
  // reach Y.
  const Csr csr(2, 3, filled<Csr::Offsets>({0, 1, 3}), filled<Csr::Ordinals>({1, 1, 2}),
                filled<Csr::Scalars>({2, 3, 4}));
  const auto inf = std::numeric_limits<double>::infinity();
  const auto x = filled<Kokkos::View<double*, Exec>>({inf, 5, inf});
  const Kokkos::View<double*, Exec> y("y", 2);
  const auto check = [&](const auto& matrix) {
    spmm(1.0, matrix, x, 0.0, y);
    EXPECT_EQ(y(0), 10);
    EXPECT_EQ(y(1), inf);
  };
  check(csr);
  check(EllMatrix<double, int, Exec, int, Kokkos::LayoutLeft>::from_csr(Exec(), csr));
  check(EllMatrix<double, int, Exec, int, Kokkos::LayoutRight>::from_csr(Exec(), csr));
  check(HllMatrix<double, int, Exec, int, Kokkos::LayoutLeft>::from_csr(Exec(), csr));
  check(HllMatrix<double, int, Exec, int, Kokkos::LayoutRight>::from_csr(Exec(), csr));
  check(SellMatrix<double, int, Exec, int>::from_csr(Exec(), csr));
  check(PjadMatrix<double, int, Exec, int>::from_csr(Exec(), csr));
}

template <class Call>
std::string message_of(const Call& call) {
  try {
    call();
  } catch (const ShapeError& error) {
    return error.what();
  }
  return "";
}

TEST(Spmm, WrongShapesAreNamedWithTheirSizes) {
  const Right x("the X", 4, 3);
  const Right y("the Y", 5, 3);
  const std::string wrong_x = message_of([&] { spmm(1.0, gollmann(), x, 0.0, y); });
  EXPECT_NE(wrong_x.find("X (the X) is 4 x 3, wanted 5 x 3"), std::string::npos) << wrong_x;
  const Right good_x("x", 5, 2);
  const std::string wrong_y = message_of([&] { spmm(1.0, gollmann(), good_x, 0.0, y); });
  EXPECT_NE(wrong_y.find("Y (the Y) is 5 x 3, wanted 5 x 2"), std::string::npos) << wrong_y;
}

TEST(Spmm, OverlappingOperandsAreRefused) {
  const Right block("block", 5, 4);
  const auto left = Kokkos::subview(block, Kokkos::ALL, std::pair(0, 2));
  const std::string message = message_of([&] { spmm(1.0, gollmann(), left, 0.0, left); });
  EXPECT_NE(message.find("share memory"), std::string::npos) << message;
}

TEST(Spmm, OperandsWithoutElementsShareNothing) {
  // Strides of their own, on the same memory as the other operand.
  using Strided = Kokkos::View<double**, Kokkos::LayoutStride, Exec>;
  const Right block("block", 5, 4);
  const Csr no_columns(5, 0, Csr::Offsets("row_map", 6), Csr::Ordinals(), Csr::Scalars());
  const Strided no_rows(block.data(), Kokkos::LayoutStride(0, 2, 4, 5));
  Kokkos::deep_copy(block, 1);
  spmm(1.0, no_columns, no_rows, 2.0, block);
  EXPECT_EQ(block(4, 3), 2);
  const Csr no_entries(0, 5, Csr::Offsets("row_map", 1), Csr::Ordinals(), Csr::Scalars());
  spmm(1.0, no_entries, block, 0.0, no_rows);
  const Strided none(block.data(), Kokkos::LayoutStride(5, 3, 0, 2));
  spmm(1.0, gollmann(), none, 0.0, none);
}

TEST(Spmm, YOnAnArrayOfTheMatrixIsRefused) {
  using Square = CsrMatrix<float, int, Exec, int>;
  const Kokkos::View<float*, Exec> memory("memory", 9);
  const Square a(5, 5, filled<Square::Offsets>({0, 3, 5, 6, 8, 9}),
                 filled<Square::Ordinals>({1, 3, 4, 2, 3, 0, 2, 4, 1}), memory);
  const Kokkos::View<float*, Exec> x("x", 5);
  const Kokkos::View<float*, Exec> y(memory.data() + 4, 5);
  const auto refusal = [&](const auto& product) { return message_of([&] { product(); }); };
  EXPECT_NE(refusal([&] { spmm(1, a, x, 0, y); }).find("Y lies on A's values"), std::string::npos);
  const Kokkos::View<float*, Exec> on_entries(reinterpret_cast<float*>(a.entries.data()), 5);
  EXPECT_NE(refusal([&] { spmm(1, a, x, 0, on_entries); }).find("A's entries"), std::string::npos);
  auto* const offsets = reinterpret_cast<float*>(const_cast<int*>(a.row_map.data()));
  const Kokkos::View<float*, Exec> on_offsets(offsets, 5);
  EXPECT_NE(refusal([&] { spmm(1, a, x, 0, on_offsets); }).find("A's row_map"), std::string::npos);
  const Kokkos::View<float*, Exec> apart("apart", 5);
  EXPECT_EQ(refusal([&] { spmm(1, a, x, 0, apart); }), "");
}

/// Every array of every format, in its turn.
TEST(Spmm, YOnAnArrayOfAnyFormatIsRefused) {
  const auto refused = [&](const auto& a, const auto&... arrays) {
    const Kokkos::View<double*, Exec> x("x", 5);
    const auto check = [&](const auto& array) {
      auto* const address = reinterpret_cast<double*>(const_cast<void*>(  // never written
          static_cast<const void*>(array.data())));
      EXPECT_THROW(spmm(Exec(), 1, a, x, 0, Kokkos::View<double*, Exec>(address, 5)), ShapeError)
          << a.name << ": " << array.label();
    };
    (check(arrays), ...);
  };
  const auto csr = gollmann();
  const auto ell = EllMatrix<double, int, Exec, int>::from_csr(Exec(), csr);
  refused(ell, ell.values, ell.entries, ell.row_lengths);
  const auto hll = HllMatrix<double, int, Exec, int>::from_csr(Exec(), csr);
  refused(hll, hll.values, hll.entries, hll.row_lengths, hll.slice_offsets);
  const auto sell = SellMatrix<double, int, Exec, int>::from_csr(Exec(), csr);
  refused(sell, sell.values, sell.entries, sell.row_lengths, sell.slice_offsets, sell.permutation);
  const auto jad = JadMatrix<double, int, Exec, int>::from_csr(Exec(), csr);
  refused(jad, jad.values, jad.entries, jad.row_lengths, jad.diagonal_offsets, jad.permutation);
  const auto bsr = BsrMatrix<double, int, Exec, int>::from_csr(Exec(), csr);
  refused(bsr, bsr.values, bsr.entries, bsr.row_map);
  const auto tcf = BitTcfMatrix<double, int, Exec, int>::from_csr(Exec(), csr);
  refused(tcf, tcf.values, tcf.entries, tcf.masks, tcf.permutation, tcf.window_offsets,
          tcf.value_offsets);
}

TEST(Spmm, YWhoseElementsOverlapIsRefused) {
  using Strided = Kokkos::View<double**, Kokkos::LayoutStride, Exec>;
  const Kokkos::View<double*, Exec> memory("memory", 100);
  const Right x("x", 5, 3);
  const auto product = [&](std::size_t row_stride, std::size_t column_stride) {
    const Strided y(memory.data(), Kokkos::LayoutStride(5, row_stride, 3, column_stride));
    return message_of([&] { spmm(1.0, gollmann(), x, 0.0, y); });
  };
  for (const auto& [row_stride, column_stride] :
       {std::pair(0, 1), {2, 1}, {1, 0}, {1, 4}, {2, 4}, {3, 6}, {4, 6}, {4, 2}, {0, 0}})
    EXPECT_NE(product(row_stride, column_stride).find("overlap"), std::string::npos)
        << row_stride << ", " << column_stride;
  for (const auto& [row_stride, column_stride] :
       {std::pair(3, 1), {1, 5}, {4, 1}, {2, 5}, {6, 2}, {3, 5}, {5, 7}})
    EXPECT_EQ(product(row_stride, column_stride), "") << row_stride << ", " << column_stride;
  const auto one_column = [&](std::size_t stride, std::size_t rows) {
    const Kokkos::View<double*, Kokkos::LayoutStride, Exec> y(memory.data(),
                                                              Kokkos::LayoutStride(rows, stride));
    const Kokkos::View<double*, Exec> ones("ones", 5);
    return message_of([&] { spmm(1.0, gollmann(), ones, 0.0, y); });
  };
  EXPECT_NE(one_column(0, 5).find("overlap"), std::string::npos);
  EXPECT_EQ(one_column(2, 5), "");
}

TEST(Spmm, NumbersOutOfRangeAreRefused) {
  const Right x("x", 5, 3);
  const Right y("y", 5, 3);
  for (const int blocks : {-1, host::most_blocks_per_thread + 1, std::numeric_limits<int>::max()}) {
    EXPECT_THROW(spmm<CsrRow>(Exec(), {blocks}, 1.0, gollmann(), x, 0.0, y), UsageError);
    FormatOptions format;
    format.block_size = 2;
    const auto bsr = BsrMatrix<double, int, Exec, int>::from_csr(Exec(), gollmann(), format);
    EXPECT_THROW(spmm<BsrRow>(Exec(), {blocks}, 1.0, bsr, x, 0.0, y), UsageError);
  }
  spmm<CsrRow>(Exec(), {host::most_blocks_per_thread}, 1.0, gollmann(), x, 0.0, y);
  const Csr empty(0, 0, Csr::Offsets("row_map", 1), {}, {});
  const Right wide("wide", 0, std::size_t{1} << 31);
  EXPECT_NE(message_of([&] { spmm(1.0, empty, wide, 0.0, wide); }).find("2147483648"),
            std::string::npos);
}

TEST(Spmm, APlanThatCopiedTheMatrixWritesOnIt) {
  for (const Op op : {Op::none, Op::transpose}) {
    const auto a = gollmann();
    PlanOptions options;
    options.op = op;
    options.choice = Choice{op == Op::none ? "hll-row" : "csr-row", "", false};
    const auto plan = analyse<TypeList<CsrRow, HllRow>>(Exec(), a, 1, options);
    const auto x = filled<Kokkos::View<double*, Exec>>({1, 2, 3, 4, 5});
    const Kokkos::View<double*, Exec> expected("expected", 5);
    spmm(Exec(), op, 1, a, x, 0, expected);
    const Kokkos::View<double*, Exec> y(a.values.data(), 5);
    EXPECT_EQ(message_of([&] { spmm(Exec(), 1, plan, x, 0, y); }), "");
    for (int i = 0; i < 5; ++i) EXPECT_EQ(y(i), expected(i));
  }
}

TEST(Spmm, APlanNoticesYOnItsMatrix) {
  const auto a = gollmann();
  PlanOptions options;
  options.choice = Choice{std::string(CsrRow::name), "", false};
  const auto plan = analyse<TypeList<CsrRow>>(Exec(), a, 1, options);
  const Kokkos::View<double*, Exec> x("x", 5);
  const Kokkos::View<double*, Exec> y(a.values.data(), 5);
  EXPECT_NE(message_of([&] { spmm(Exec(), 1, plan, x, 0, y); }).find("Y lies on A's values"),
            std::string::npos);
}

TEST(Spmm, InterleavedColumnsOfOneBlockAreAllowedAndRight) {
  // X and Y are columns of one allocation: their address ranges interleave, but no element is
  // shared.
  const Right block("block", 5, 2);
  for (int j = 0; j < 5; ++j) block(j, 0) = j + 1;
  spmm(1.0, gollmann(), Kokkos::subview(block, Kokkos::ALL, 0), 0.0,
       Kokkos::subview(block, Kokkos::ALL, 1));
  EXPECT_EQ(block(0, 1), 52);
  EXPECT_EQ(block(4, 1), 16);
}

}  // namespace
}  // namespace fatvec
