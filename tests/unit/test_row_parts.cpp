// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include <fatvec/fatvec.hpp>

/// How conversions on GPUs share the rows of A out among threads, tried on the host.
namespace fatvec {
namespace {

using Exec = Kokkos::DefaultHostExecutionSpace;
using Csr = CsrMatrix<double, int, Exec, int>;
using Bsr = BsrMatrix<double, int, Exec, int>;

TEST(RowParts, MeetEveryEntryOnce) {
  for (const std::int64_t rows : {0, 1, 31, 33, 70}) {
    for (const std::int64_t parts : {1, 2, 3}) {
      const auto length = [](std::int64_t i) { return i * 7 % 23; };
      std::vector<std::vector<int>> met(rows);
      for (std::int64_t i = 0; i < rows; ++i) met[i].resize(length(i));
      const detail::RowParts in_parts{rows, parts};
      const auto items = static_cast<std::int64_t>(in_parts.items(Exec()).end());
      for (std::int64_t n = 0; n < items; ++n) {
        in_parts.for_each_run(n, length,
                              [&](std::int64_t i, std::int64_t first, std::int64_t last) {
                                for (; first < last; ++first) ++met[i][first];
                              });
      }
      for (std::int64_t i = 0; i < rows; ++i)
        EXPECT_EQ(met[i], std::vector<int>(length(i), 1)) << rows << ", " << parts;
    }
  }
}

TEST(RowParts, BlocksOfBsrSumDuplicatesOnce) {
  // As on GPUs, in runs of four entries: duplicates across their ends, and runs of nothing else.
  const std::vector<int> columns[] = {
      {0, 1, 2, 3, 3, 5, 5, 5, 5, 5, 5, 5, 5, 5, 6, 7}, {}, {4, 4, 4, 4, 4, 4, 4, 4}, {1, 1, 7}};
  const Csr::Offsets row_map("row_map", 5);
  for (int i = 0; i < 4; ++i) row_map(i + 1) = row_map(i) + static_cast<int>(columns[i].size());
  const Csr::Ordinals entries("entries", row_map(4));
  const Csr::Scalars values("values", row_map(4));
  for (int i = 0, n = 0; i < 4; ++i) {
    for (const int column : columns[i]) {
      entries(n) = column;
      values(n) = n + 1;
      ++n;
    }
  }
  const Csr csr(4, 8, row_map, entries, values);
  for (const int size : {1, 2, 3}) {
    FormatOptions options;
    options.block_size = size;
    const Bsr bsr = Bsr::from_csr(Exec(), csr, options);
    const std::vector<double> expected(bsr.values.data(), bsr.values.data() + bsr.values.extent(0));
    Kokkos::deep_copy(bsr.values, 0);
    const detail::RowParts parts{4, 3};
    const detail::StoredBlocks<Csr> stored{bsr.row_map, bsr.entries, bsr.values, bsr.block_access(),
                                           bsr.cols()};
    const detail::FillBlocks<Csr> fill{csr, stored, parts};
    for (std::int64_t n = 0; n < static_cast<std::int64_t>(parts.items(Exec()).end()); ++n) fill(n);
    EXPECT_EQ(std::vector<double>(bsr.values.data(), bsr.values.data() + bsr.values.extent(0)),
              expected)
        << "blocks of " << size;
    double sum = 0;
    for (const auto value : expected) sum += value;
    EXPECT_EQ(sum, 27 * 28 / 2) << "blocks of " << size;
  }
}

}  // namespace
}  // namespace fatvec
