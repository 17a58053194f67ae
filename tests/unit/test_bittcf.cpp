// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include <fatvec/app/verify/oracle.hpp>
#include <fatvec/fatvec.hpp>

#include "generated.hpp"

/// BitTCF: the grid that is found, the windows that are made of it, what their tiles hold.
namespace fatvec {
namespace {

using Host = Kokkos::DefaultHostExecutionSpace;
using Csr = CsrMatrix<double, std::int32_t, Host>;
using Tcf = BitTcfMatrix<double, std::int32_t, Host>;

Csr generated(const std::string& text) {
  return test::generated(text);
}

TEST(RowGrid, BoxesHaveEveryRowOnce) {
  for (const auto& [rows, line, plane] :
       std::vector<std::array<std::int64_t, 3>>{{0, 1, 1},
                                                {1, 1, 1},
                                                {17, 17, 17},
                                                {7 * 5 * 3, 7, 35},
                                                {8 * 4 * 6, 8, 32},
                                                {103, 10, 40},
                                                {101, 9, 31},
                                                {90, 9, 90}}) {
    for (const auto& [x, y, z] : {std::array{8, 1, 1}, {4, 2, 1}, {2, 4, 1}, {2, 2, 2}}) {
      const detail::RowGrid grid{rows, line, plane, x, y, z};
      std::multiset<std::int64_t> found;
      for (std::int64_t box = 0; box < grid.boxes(); ++box)
        for (int place = 0; place < detail::window_rows; ++place)
          if (grid.row(box, place) != -1) found.insert(grid.row(box, place));
      ASSERT_EQ(static_cast<std::int64_t>(found.size()), rows)
          << line << " " << plane << " " << x << y << z;
      std::int64_t row = 0;
      for (const std::int64_t one : found) ASSERT_EQ(one, row++);
    }
  }
}

TEST(RowGrid, IsFoundInTheColumns) {
  const auto expect = [](const std::string& text, std::int64_t line, std::int64_t plane) {
    const auto grid = detail::find_grid(Host(), generated(text));
    EXPECT_EQ(grid.line, line) << text;
    EXPECT_EQ(grid.plane, plane) << text;
  };
  expect("gen:stencil27:20x21x22", 20, 420);
  expect("gen:stencil7:32", 32, 1024);
  expect("gen:stencil27:12:dof=3", 36, 432);
  expect("gen:stencil5:40x30", 40, 1200);
  expect("gen:uniform:5000:9", 5000, 5000);  // none
  expect("gen:diagonal:50", 50, 50);
}

TEST(BitTcf, WindowsAreCubesOfPointsWhereTheyShareColumns) {
  const auto a = convert<Tcf>(Host(), generated("gen:stencil27:20"));
  EXPECT_EQ(a.windows(), 1000);
  const std::vector<int> first_window(a.permutation.data(), a.permutation.data() + 8);
  EXPECT_EQ(first_window, (std::vector<int>{0, 1, 20, 21, 400, 401, 420, 421}));
  // 4 columns along each direction, 3 at the grid's edges: 64, 48, 36 or 27 for a window, that many
  // quarters
  EXPECT_EQ(a.tiles(), 8 * 8 * 8 * 16 + 6 * 64 * 12 + 12 * 8 * 9 + 8 * 7);
}

TEST(BitTcf, KeepsRepeatedColumnsAndSortsRows) {
  const Csr::Offsets row_map("row_map", 3);
  row_map(1) = 4;
  row_map(2) = 5;
  const Csr::Ordinals entries("entries", 5);
  const Csr::Scalars values("values", 5);
  const int columns[] = {3, 1, 3, 0, 3};
  for (int n = 0; n < 5; ++n) {
    entries(n) = columns[n];
    values(n) = 1 << n;
  }
  const auto a = convert<Tcf>(Host(), Csr(2, 4, row_map, entries, values));
  EXPECT_EQ(a.tiles(), 1);
  EXPECT_EQ(std::vector<int>(a.entries.data(), a.entries.data() + 4),
            (std::vector<int>{0, 1, 3, 3}));
  EXPECT_EQ(a.masks(0), 0b0100'1111U);
  const auto back = a.to_csr(Host());
  EXPECT_EQ(std::vector<int>(back.entries.data(), back.entries.data() + 5),
            (std::vector<int>{0, 1, 3, 3, 3}));
  EXPECT_EQ(back.values(0) + back.values(1) + back.values(2) + back.values(3), 15);
  EXPECT_EQ(back.values(4), 16);
}

TEST(BitTcf, RefusesWhatDoesNotFit) {
  const Csr a = generated("gen:stencil27:10");
  FormatOptions options;
  const auto need = Tcf::footprint(Host(), a);
  options.memory_limit = static_cast<std::uint64_t>(need.bytes);
  EXPECT_EQ(static_cast<double>(convert<Tcf>(Host(), a, options).bytes()), need.bytes);
  options.memory_limit = *options.memory_limit - 1;
  EXPECT_THROW(convert<Tcf>(Host(), a, options), CapacityError);
}

TEST(BitTcf, AMillionEntriesAreCountedInASample) {
  const Csr a = generated("gen:stencil27:36");
  const double bytes = Tcf::footprint(Host(), a).bytes;
  EXPECT_NEAR(bytes / static_cast<double>(convert<Tcf>(Host(), a).bytes()), 1, 0.02);
}

}  // namespace
}  // namespace fatvec
