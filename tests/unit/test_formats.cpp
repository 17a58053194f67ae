// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <type_traits>
#include <vector>

#include <fatvec/fatvec.hpp>

/// The papers' small matrices with their printed arrays as literal expectations (converted to
/// 0-based where they are not), and the edges of the formats. The Views are filled and read on the
/// host.
namespace fatvec {
namespace {

using Exec = Kokkos::DefaultHostExecutionSpace;
using Csr = CsrMatrix<double, int, Exec, int>;
using Ell = EllMatrix<double, int, Exec, int>;
using EllLeft = Ell::WithLayout<Kokkos::LayoutLeft>;
using EllRight = Ell::WithLayout<Kokkos::LayoutRight>;
using Hll = HllMatrix<double, int, Exec, int>;
using HllLeft = Hll::WithLayout<Kokkos::LayoutLeft>;
using HllRight = Hll::WithLayout<Kokkos::LayoutRight>;
using Sell = SellMatrix<double, int, Exec, int>;
using Jad = JadMatrix<double, int, Exec, int>;
using Pjad = PjadMatrix<double, int, Exec, int>;
using Bsr = BsrMatrix<double, int, Exec, int>;
using BsrRight = Bsr::WithLayout<Kokkos::LayoutRight>;

Csr from_dense(const std::vector<std::vector<double>>& dense) {
  const int rows = static_cast<int>(dense.size());
  const int cols = static_cast<int>(dense.front().size());
  std::vector<int> row;
  std::vector<int> col;
  for (int i = rows - 1; i >= 0; --i) {  // backwards: assembly must sort
    for (int j = cols - 1; j >= 0; --j) {
      if (dense[i][j] == 0) continue;
      row.push_back(i);
      col.push_back(j);
    }
  }
  Coo<double> coo(rows, cols, row.size());
  for (std::size_t n = 0; n < row.size(); ++n) {
    coo.row(n) = row[n];
    coo.col(n) = col[n];
    coo.value(n) = dense[row[n]][col[n]];
  }
  return csr_from_coo<Exec, int>(coo);
}

/// The elements as they lie in memory.
template <class View>
std::vector<double> list(const View& view) {
  std::vector<double> values(view.size());
  for (std::size_t n = 0; n < values.size(); ++n) values[n] = static_cast<double>(view.data()[n]);
  return values;
}
using List = std::vector<double>;

FormatOptions hacks_of(std::int64_t hack_size) {
  FormatOptions result;
  result.hack_size = hack_size;
  return result;
}

TEST(Formats, CsrIsThatOfCalzettaAndLori) {
  // a ... g become 1 ... 7.
  const Csr csr = from_dense({{1, 0, 2, 3}, {0, 4, 0, 0}, {0, 0, 5, 6}, {0, 0, 0, 7}});
  EXPECT_EQ(list(csr.row_map), (List{0, 3, 4, 6, 7}));
  EXPECT_EQ(list(csr.entries), (List{0, 2, 3, 1, 2, 3, 3}));
  EXPECT_EQ(list(csr.values), (List{1, 2, 3, 4, 5, 6, 7}));
}

TEST(Formats, HllIsThatOfCalzettaAndLori) {
  // The slide pads to a width of 2 and drops the 1 of row 2; one hack of four rows keeps it and is
  // 3 wide.
  const Csr csr = from_dense({{3, 0, 1, 0}, {0, 0, 0, 0}, {0, 2, 4, 1}, {1, 0, 0, 1}});
  const auto hll = HllRight::from_csr(Exec(), csr, hacks_of(4));
  EXPECT_EQ(list(hll.hack_offsets()), (List{0, 12}));
  EXPECT_EQ(list(hll.row_lengths), (List{2, 0, 3, 2}));
  EXPECT_EQ(list(hll.values), (List{3, 1, 0, 0, 0, 0, 2, 4, 1, 1, 1, 0}));
  EXPECT_EQ(list(hll.entries), (List{0, 2, -1, -1, -1, -1, 1, 2, 3, 0, 3, -1}));
}

TEST(Formats, ColumnMajorHllIsThatOfCalzettaAndLori) {
  // The block of 3 rows: element (r, c) at c · rows + r; row 0 holds 5, row 1 holds 2, row 2 holds
  // 3 and 4.
  const Csr csr = from_dense({{5, 0}, {0, 2}, {3, 4}});
  const auto hll = HllLeft::from_csr(Exec(), csr);
  EXPECT_EQ(list(hll.values), (List{5, 2, 3, 0, 0, 4}));
  EXPECT_EQ(list(hll.entries), (List{0, 1, 0, -1, -1, 1}));
  EXPECT_EQ(hll.values(1 * 3 + 2), 4);  // the slide's idx = 5
  EXPECT_EQ(hll.entries(1 * 3 + 2), 1);
}

TEST(Formats, LayoutSuitsTheDeviceUnlessToldOtherwise) {
  static_assert(std::is_same_v<Hll, HllRight> && std::is_same_v<Ell, EllRight>);
  static_assert(std::is_same_v<Bsr::array_layout, Kokkos::LayoutLeft>);
#if defined(KOKKOS_ENABLE_CUDA)
  static_assert(
      std::is_same_v<EllMatrix<double, int, Kokkos::Cuda>::array_layout, Kokkos::LayoutLeft>);
#endif
}

template <class Hll>
void expect_hacks_are_views() {
  // Hacks of 2 rows; the last one has the row that is left.
  const Csr csr = from_dense({{3, 0, 1}, {0, 2, 0}, {0, 0, 0}, {0, 0, 0}, {4, 5, 6}});
  const auto hll = Hll::from_csr(Exec(), csr, hacks_of(2));
  ASSERT_EQ(hll.hacks(), 3);
  const auto first = hll.hack(0);
  ASSERT_EQ(first.values.extent(0), 2U);
  ASSERT_EQ(first.values.extent(1), 2U);
  EXPECT_EQ(first.values(0, 0), 3);
  EXPECT_EQ(first.values(0, 1), 1);
  EXPECT_EQ(first.values(1, 0), 2);
  EXPECT_EQ(first.values(1, 1), 0);
  EXPECT_EQ(first.entries(0, 1), 2);
  EXPECT_EQ(first.entries(1, 1), -1);
  EXPECT_EQ(hll.hack(1).values.extent(1), 0U);
  const auto last = hll.hack(2);
  ASSERT_EQ(last.entries.extent(0), 1U);
  ASSERT_EQ(last.entries.extent(1), 3U);
  for (int j = 0; j < 3; ++j) EXPECT_EQ(last.values(0, j), 4 + j);
}

TEST(Formats, HacksAndSlicesAreViewsOfTheFormatsLayout) {
  expect_hacks_are_views<HllLeft>();
  expect_hacks_are_views<HllRight>();
  const Csr csr = from_dense({{1, 0, 0}, {2, 3, 4}, {5, 6, 0}});
  FormatOptions two;
  two.slice_size = 2;
  const auto sell = Sell::from_csr(Exec(), csr, two);
  EXPECT_EQ(sell.slice(0).values(1, 1), 6);  // the matrix's row 2, its second entry
  EXPECT_EQ(sell.slice(0).entries(1, 2), -1);
  EXPECT_EQ(sell.slice(1).values(0, 0), 1);
}

TEST(Formats, BlocksAreViewsOfTheFormatsLayout) {
  const Csr csr = from_dense({{7, 0, 1, 0}, {0, 4, 2, 3}, {1, 8, 0, 0}, {0, 9, 0, 0}});
  FormatOptions two;
  two.block_size = 2;
  const auto left = Bsr::from_csr(Exec(), csr, two);
  const auto right = BsrRight::from_csr(Exec(), csr, two);
  for (int n = 0; n < 3; ++n)
    for (int r = 0; r < 2; ++r)
      for (int c = 0; c < 2; ++c) EXPECT_EQ(left.block(n)(r, c), right.block(n)(r, c));
  EXPECT_EQ(left.block(1)(1, 0), 2);
}

FormatOptions blocks_of(std::int64_t block_size) {
  FormatOptions result;
  result.block_size = block_size;
  return result;
}

TEST(Formats, CsrAndEllpackAreThoseOfFraga) {
  const Csr csr = from_dense(
      {{3, 4, 0, 0, 0}, {0, 5, 1, 0, 0}, {0, 1, 2, 0, 0}, {0, 0, 2, 3, 0}, {0, 0, 0, 1, 6}});
  EXPECT_EQ(csr.nnz(), 10);
  EXPECT_EQ(list(csr.row_map), (List{0, 2, 4, 6, 8, 10}));  // the document prints 11 for the last
  EXPECT_EQ(list(csr.values), (List{3, 4, 5, 1, 1, 2, 2, 3, 1, 6}));
  EXPECT_EQ(list(csr.entries), (List{0, 1, 1, 2, 1, 2, 2, 3, 3, 4}));
  const auto ell = EllRight::from_csr(Exec(), csr);
  EXPECT_EQ(ell.width(), 2);
  EXPECT_EQ(list(ell.values), (List{3, 4, 5, 1, 1, 2, 2, 3, 1, 6}));
  EXPECT_EQ(list(ell.entries), (List{0, 1, 1, 2, 1, 2, 2, 3, 3, 4}));
  EXPECT_EQ(padding_ratio(ell), 0);
}

TEST(Formats, CsrAndEllpackAreThoseOfStecAndStpiczynski) {
  const Csr csr = from_dense({{7, 0, 1, 0}, {0, 4, 2, 3}, {1, 8, 0, 0}, {0, 9, 0, 0}});
  EXPECT_EQ(list(csr.values), (List{7, 1, 4, 2, 3, 1, 8, 9}));
  EXPECT_EQ(list(csr.entries), (List{0, 2, 1, 2, 3, 0, 1,
                                     1}));  // the figure's cols are one short, its ELL ja are right
  EXPECT_EQ(list(csr.row_map), (List{0, 2, 5, 7, 8}));
  const auto by_rows = EllRight::from_csr(Exec(), csr);
  EXPECT_EQ(list(by_rows.values), (List{7, 1, 0, 4, 2, 3, 1, 8, 0, 9, 0, 0}));
  EXPECT_EQ(list(by_rows.entries), (List{0, 2, -1, 1, 2, 3, 0, 1, -1, 1, -1, -1}));
  const auto by_columns = EllLeft::from_csr(Exec(), csr);
  EXPECT_EQ(list(by_columns.values), (List{7, 4, 1, 9, 1, 2, 8, 0, 0, 3, 0, 0}));
  EXPECT_EQ(list(by_columns.entries), (List{0, 1, 0, 1, 2, 2, 1, -1, -1, 3, -1, -1}));
  EXPECT_DOUBLE_EQ(padding_ratio(by_columns), 0.5);
}

TEST(Formats, JadIsThatOfStecAndStpiczynski) {
  // Figures 2 and 3. They draw a and ja by rows; ia and the algorithms read them by diagonals.
  const Csr csr = from_dense({{7, 0, 1, 0}, {0, 4, 2, 3}, {1, 8, 0, 0}, {0, 9, 0, 0}});
  const Jad jad = Jad::from_csr(Exec(), csr);
  EXPECT_EQ(list(jad.permutation), (List{1, 0, 2, 3}));
  EXPECT_EQ(list(jad.diagonal_offsets), (List{0, 4, 7, 8}));  // ia
  EXPECT_EQ(list(jad.row_lengths), (List{3, 2, 2, 1}));       // rln
  EXPECT_EQ(list(jad.values), (List{4, 7, 1, 9, 2, 1, 8, 3}));
  EXPECT_EQ(list(jad.entries),
            (List{1, 0, 0, 1, 2, 2, 1, 3}));  // the last of the first diagonal is 2 in figure 2
  EXPECT_EQ(padding_ratio(jad), 0);

  FormatOptions blocks;
  blocks.slice_size = 2;
  const Pjad pjad = Pjad::from_csr(Exec(), csr, blocks);
  EXPECT_EQ(list(pjad.permutation), (List{1, 0, 2, 3}));
  EXPECT_EQ(list(pjad.diagonal_offsets), (List{0, 4, 8, 10}));  // ia
  EXPECT_EQ(pjad.row_lengths(0), 3);                            // brlen
  EXPECT_EQ(pjad.row_lengths(2), 2);
  EXPECT_EQ(list(pjad.values), (List{4, 7, 1, 9, 2, 1, 8, 0, 3, 0}));
  EXPECT_EQ(list(pjad.entries), (List{1, 0, 0, 1, 2, 2, 1, -1, 3, -1}));
}

TEST(Formats, PjadHasTheRowsThatAreLeftInItsLastBlock) {
  const Csr csr = from_dense({{1, 0, 0}, {2, 3, 4}, {5, 6, 0}});
  FormatOptions blocks;
  blocks.slice_size = 2;
  const Pjad pjad = Pjad::from_csr(Exec(), csr, blocks);
  EXPECT_EQ(list(pjad.diagonal_offsets), (List{0, 3, 5, 7}));
  EXPECT_EQ(list(pjad.values), (List{2, 5, 1, 3, 6, 4, 0}));
}

TEST(Formats, SellSortsWithinWindowsAndCutsSlices) {
  const Csr csr = from_dense({{1, 0, 0}, {2, 3, 4}, {5, 6, 0}, {7, 8, 9}, {1, 2, 0}});
  FormatOptions two_by_four;
  two_by_four.slice_size = 2;
  two_by_four.sort_window = 4;
  const Sell sell = Sell::from_csr(Exec(), csr, two_by_four);
  EXPECT_EQ(list(sell.permutation), (List{1, 3, 2, 0, 4}));
  EXPECT_EQ(list(sell.row_lengths), (List{3, 3, 2, 1, 2}));
  EXPECT_EQ(list(sell.slice_offsets), (List{0, 6, 10, 12}));
  EXPECT_EQ(list(sell.values), (List{2, 7, 3, 8, 4, 9, 5, 1, 6, 0, 1, 2}));
  EXPECT_EQ(list(sell.entries), (List{0, 0, 1, 1, 2, 2, 0, 0, 1, -1, 0, 1}));
}

TEST(Formats, UnsortedSellIsHll) {
  const Csr csr =
      from_dense({{3, 0, 1, 0}, {0, 0, 0, 0}, {0, 2, 4, 1}, {1, 0, 0, 1}, {0, 5, 0, 0}});
  FormatOptions unsorted = hacks_of(2);
  unsorted.slice_size = 2;
  unsorted.sort_window = 1;
  const auto hll = HllLeft::from_csr(Exec(), csr, unsorted);
  const Sell sell = Sell::from_csr(Exec(), csr, unsorted);
  EXPECT_EQ(list(sell.permutation), (List{0, 1, 2, 3, 4}));
  EXPECT_EQ(list(sell.slice_offsets), list(hll.hack_offsets()));
  EXPECT_EQ(list(sell.row_lengths), list(hll.row_lengths));
  EXPECT_EQ(list(sell.entries), list(hll.entries));
  EXPECT_EQ(list(sell.values), list(hll.values));
}

TEST(Formats, BsrIsThatOfStecAndStpiczynski) {
  const Csr csr = from_dense({{7, 0, 1, 0}, {0, 4, 2, 3}, {1, 8, 0, 0}, {0, 9, 0, 0}});
  const Bsr bsr = Bsr::from_csr(Exec(), csr, blocks_of(2));
  EXPECT_EQ(list(bsr.row_map), (List{0, 2, 3}));  // ptrB and ptrE in one
  EXPECT_EQ(list(bsr.entries), (List{0, 1, 0}));
  EXPECT_EQ(list(bsr.values), (List{7, 0, 0, 4, 1, 2, 0, 3, 1, 0, 8, 9}));
  const auto by_rows = BsrRight::from_csr(Exec(), csr, blocks_of(2));
  EXPECT_EQ(list(by_rows.values), (List{7, 0, 0, 4, 1, 0, 2, 3, 1, 8, 0, 9}));
  EXPECT_DOUBLE_EQ(padding_ratio(bsr), 0.5);
}

TEST(Formats, BsrStoresWholeBlocksAtTheEdges) {
  const Csr csr = from_dense({{1, 0, 0, 0, 2}, {0, 0, 0, 0, 0}, {0, 0, 0, 0, 0}, {0, 0, 3, 0, 4}});
  const auto bsr = BsrRight::from_csr(Exec(), csr, blocks_of(3));
  EXPECT_EQ(bsr.block_rows(), 2);
  EXPECT_EQ(bsr.block_cols(), 2);
  EXPECT_EQ(list(bsr.row_map), (List{0, 2, 4}));
  EXPECT_EQ(list(bsr.entries), (List{0, 1, 0, 1}));
  EXPECT_EQ(list(bsr.values), (List{1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0,
                                    0, 0, 3, 0, 0, 0, 0, 0, 0, 0, 4, 0, 0, 0, 0, 0, 0, 0}));
  const Csr back = bsr.to_csr(Exec());
  EXPECT_EQ(list(back.row_map), (List{0, 5, 10, 15, 20}));
  EXPECT_EQ(list(back.values), (List{1, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 3, 0, 4}));
}

TEST(Formats, BsrSortsRowsAndSumsDuplicates) {
  // (0, 5) twice, and columns in any order; the matrix that was given stays as it is.
  Csr::Offsets row_map("row_map", 3);
  Csr::Ordinals entries("entries", 6);
  Csr::Scalars values("values", 6);
  const int columns[] = {5, 0, 5, 3, 4, 1};
  for (int n = 0; n < 6; ++n) {
    entries(n) = columns[n];
    values(n) = n + 1;
  }
  row_map(1) = 3;
  row_map(2) = 6;
  const Csr csr(2, 6, row_map, entries, values);
  const Bsr bsr = Bsr::from_csr(Exec(), csr, blocks_of(2));
  EXPECT_EQ(list(bsr.entries), (List{0, 1, 2}));
  EXPECT_EQ(list(bsr.values), (List{2, 0, 0, 6, 0, 0, 0, 4, 0, 5, 4, 0}));
  EXPECT_EQ(list(csr.entries), (List{5, 0, 5, 3, 4, 1}));
  EXPECT_EQ(list(csr.values), (List{1, 2, 3, 4, 5, 6}));
}

TEST(Formats, AssemblySumsDuplicatesAndKeepsZeros) {
  Coo<double> coo(3, 3, 7);
  const int row[] = {2, 0, 2, 1, 0, 2, 0};
  const int col[] = {1, 2, 1, 1, 0, 1, 2};
  const double value[] = {1, 4, 2, 0, 3, 4, -4};
  for (int n = 0; n < 7; ++n) {
    coo.row(n) = row[n];
    coo.col(n) = col[n];
    coo.value(n) = value[n];
  }
  AssemblyReport report;
  const Csr csr = csr_from_coo<Exec, int>(coo, &report);
  EXPECT_EQ(report.duplicates, 3);
  EXPECT_EQ(list(csr.row_map), (List{0, 2, 3, 4}));
  EXPECT_EQ(list(csr.entries), (List{0, 2, 1, 1}));
  EXPECT_EQ(list(csr.values), (List{3, 0, 0, 7}));  // 4 - 4 and the explicit 0 stay as entries
}

TEST(Formats, AssemblySortsLongRows) {
  const int n = 1000;
  Coo<double> coo(1, n, n);
  for (int j = 0; j < n; ++j) {
    coo.row(j) = 0;
    coo.col(j) = (j * 7) % n;  // 7 and 1000 are coprime: a permutation
    coo.value(j) = coo.col(j);
  }
  const Csr csr = csr_from_coo<Exec, int>(coo);
  ASSERT_EQ(csr.nnz(), n);
  for (int j = 0; j < n; ++j) {
    ASSERT_EQ(csr.entries(j), j);
    ASSERT_EQ(csr.values(j), j);
  }
}

TEST(Formats, LongRowsAreSortedWithoutMemoryAlike) {
  for (const std::size_t length : {0, 1, 2, 3, 50, 1000}) {
    std::vector<int> cols(length);
    std::vector<double> values(length);
    for (std::size_t n = 0; n < length; ++n) {
      cols[n] = static_cast<int>(n * 7919 % 613);
      values[n] = static_cast<double>(n * 31 % 17) - 8;
    }
    auto cols_by_heap = cols;
    auto values_by_heap = values;
    detail::sort_row(cols.data(), values.data(), length);
    detail::sort_by_heap(cols_by_heap.data(), values_by_heap.data(), length);
    EXPECT_EQ(cols_by_heap, cols) << length;
    EXPECT_EQ(values_by_heap, values) << length;
  }
}

TEST(Formats, CapacityIsCheckedBeforeAllocation) {
  // One row of 120000 entries, 120000 rows: 172.8 GB as ELLPACK.
  const int n = 120000;
  Csr::Offsets row_map("row_map", n + 1);
  for (int i = 1; i <= n; ++i) row_map(i) = n + i - 1;
  const Csr arrow(n, n, row_map, Csr::Ordinals("entries", 2 * n - 1),
                  Csr::Scalars("values", 2 * n - 1));
  try {
    FormatOptions limited;
    limited.memory_limit = 100'000'000'000;
    Ell::from_csr(Exec(), arrow, limited);
    FAIL() << "not refused";
  } catch (const CapacityError& error) {
    EXPECT_NE(std::string(error.what()).find("172.8 GB"), std::string::npos) << error.what();
    EXPECT_NE(std::string(error.what()).find("CSR needs"), std::string::npos) << error.what();
  }
  const Hll hll = Hll::from_csr(Exec(), arrow);  // pads one hack only
  EXPECT_EQ(hll.stored_entries(), 32LL * n + (n - 32));
  FormatOptions limited;
  limited.memory_limit = 100'000'000'000;
  try {
    convert<Ell>(Exec(), arrow, limited);
    FAIL() << "not refused";
  } catch (const CapacityError& error) {
    EXPECT_NE(std::string(error.what()).find("Formats that fit: csr (3.4 MB), hll ("),
              std::string::npos)
        << error.what();
  }
  FormatOptions tight;
  tight.memory_limit = 1000;
  EXPECT_THROW(Hll::from_csr(Exec(), arrow, tight), CapacityError);
  EXPECT_THROW(Sell::from_csr(Exec(), arrow, tight), CapacityError);
  EXPECT_THROW(Jad::from_csr(Exec(), arrow, tight), CapacityError);
  EXPECT_THROW(Bsr::from_csr(Exec(), arrow, tight), CapacityError);
}

TEST(Formats, SlotsBeyondTheOffsetTypeAreRefused) {
  // 70000 rows, one of 40000 entries, one hack: 2.8e9 slots do not fit 32-bit offsets.
  const int n = 70000;
  Csr::Offsets row_map("row_map", n + 1);
  for (int i = 1; i <= n; ++i) row_map(i) = 40000;
  const Csr csr(n, n, row_map, Csr::Ordinals("entries", 40000), Csr::Scalars("values", 40000));
  FormatOptions one_hack = hacks_of(n);
  one_hack.memory_limit = 1'000'000'000'000;
  one_hack.slice_size = n;
  EXPECT_THROW(Ell::from_csr(Exec(), csr, one_hack), CapacityError);
  EXPECT_THROW(Hll::from_csr(Exec(), csr, one_hack), CapacityError);
  EXPECT_THROW(Sell::from_csr(Exec(), csr, one_hack), CapacityError);
  EXPECT_THROW(Pjad::from_csr(Exec(), csr, one_hack), CapacityError);
}

TEST(Formats, SlicesOfSellSuitTheExecutor) {
  const Csr csr = from_dense({{1, 2}, {3, 4}});
  const bool on_host = detail::is_host<Exec>;
  const std::int64_t lanes = detail::vector_bytes / static_cast<int>(sizeof(double));
  EXPECT_EQ(Sell::from_csr(Exec(), csr).slice_size(),
            on_host ? std::max<std::int64_t>(lanes, 4) : 32);
  FormatOptions asked;
  asked.slice_size = 5;
  EXPECT_EQ(Sell::from_csr(Exec(), csr, asked).slice_size(), 5);
  EXPECT_EQ(Pjad::from_csr(Exec(), csr).block_size(), 32);
}

/// Of Views that have no element.
TEST(Formats, DefaultMatrixCanBeCopiedAndMultiplied) {
  const Csr copy = mirror<Exec>(Csr());
  EXPECT_EQ(copy.rows(), 0);
  EXPECT_EQ(copy.nnz(), 0);
  const Kokkos::View<double**, Kokkos::LayoutRight, Exec> none("none", 0, 3);
  spmm(Exec(), 1.0, copy, none, 0.0, none);
  EXPECT_EQ(Sell::from_csr(Exec(), copy).rows(), 0);
  EXPECT_EQ(Sell::from_csr(Exec(), copy).to_csr(Exec()).nnz(), 0);
  const Csr::ConstOffsets no_offsets;
  EXPECT_THROW(Csr(1, 1, no_offsets, Csr::Ordinals(), Csr::Scalars()), ShapeError);
}

TEST(Formats, BadArgumentsAreNamed) {
  const Csr csr = from_dense({{1, 2}, {3, 4}});
  EXPECT_THROW(Hll::from_csr(Exec(), csr, hacks_of(0)), UsageError);
  FormatOptions negative;
  negative.slice_size = -1;
  EXPECT_THROW(Sell::from_csr(Exec(), csr, negative), UsageError);
  EXPECT_THROW(Pjad::from_csr(Exec(), csr, negative), UsageError);
  FormatOptions no_window;
  no_window.sort_window = 0;
  EXPECT_THROW(Sell::footprint(Exec(), csr, no_window), UsageError);
  EXPECT_THROW(Bsr::from_csr(Exec(), csr, blocks_of(17)), UsageError);
  EXPECT_THROW(Bsr::from_csr(Exec(), csr, blocks_of(-1)), UsageError);
  EXPECT_THROW(Csr(3, 2, csr.row_map, csr.entries, csr.values), ShapeError);
  EXPECT_THROW(Csr(2, 2, csr.row_map, Csr::Ordinals("entries", 3), csr.values), ShapeError);
}

}  // namespace
}  // namespace fatvec
