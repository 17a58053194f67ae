// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <fatvec/app/verify/oracle.hpp>
#include <fatvec/formats/csr.hpp>
#include <fatvec/kernels/jad.hpp>
#include <fatvec/kernels/prepare.hpp>

#include "compiled.hpp"
#include "multiply_with.hpp"

namespace {

using Csr = fatvec::CsrMatrix<double>;
using Segment = fatvec::detail::RowSegment<std::int32_t>;
using Segments = fatvec::detail::RowSegments<std::int32_t, Csr::device_type>;

Csr with_lengths(const std::vector<int>& lengths) {
  const Csr::Offsets row_map("row_map", lengths.size() + 1);
  const auto host = Kokkos::create_mirror_view(row_map);
  host(0) = 0;
  for (std::size_t i = 0; i < lengths.size(); ++i) host(i + 1) = host(i) + lengths[i];
  Kokkos::deep_copy(row_map, host);
  const auto nnz = static_cast<std::size_t>(host(lengths.size()));
  return Csr(static_cast<int>(lengths.size()), 1000, row_map, Csr::Ordinals("entries", nnz),
             Csr::Scalars("values", nnz));
}

Segments segments_of(const std::vector<int>& lengths) {
  return fatvec::detail::with_segments<double>(Csr::execution_space(), with_lengths(lengths), 1)
      .segments;
}

TEST(LongRows, AreLookedForWhereDevicesMultiply) {
  const Csr csr = with_lengths({500, 1, 1, 1, 1, 1, 1, 1, 1});
  EXPECT_FALSE(fatvec::Prepared<Csr>(csr).segments.known);
  EXPECT_TRUE(fatvec::detail::with_segments<double>(Csr::execution_space(), csr, 1).segments.known);
  EXPECT_EQ(fatvec::prepare(Csr::execution_space(), csr, 1).segments.known,
            !fatvec::detail::is_host<Csr::execution_space>);
}

TEST(LongRows, AreSplitIntoSegmentsThatCoverThem) {
  // 330 entries in 12 rows: a row is long beyond 4 · 330 / 12 = 110 entries.
  const Segments found = segments_of({1, 129, 0, 1, 4, 110, 0, 0, 2, 0, 0, 83});
  EXPECT_EQ(found.longest, 110);
  const auto list = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), found.list);
  ASSERT_EQ(list.extent(0), 2U);
  const std::vector<Segment> expected = {{1, 0, 128, 2}, {1, 128, 129, 2}};
  for (std::size_t n = 0; n < expected.size(); ++n) {
    EXPECT_EQ(list(n).row, expected[n].row);
    EXPECT_EQ(list(n).first, expected[n].first);
    EXPECT_EQ(list(n).row_segments, expected[n].row_segments);
    EXPECT_EQ(list(n).last, expected[n].last);
  }
}

TEST(LongRows, AreNeverOrdinaryRows) {
  EXPECT_EQ(segments_of({64, 0, 0, 0, 0, 0, 0}).list.extent(0), 0U);
  EXPECT_EQ(segments_of({600, 600, 600}).list.extent(0), 0U);
  EXPECT_EQ(segments_of({}).list.extent(0), 0U);
}

TEST(LongRows, AreNotSplitWhereNoneIsWorthALaunch) {
  std::vector<int> lengths(100, 1);
  lengths[3] = 25;
  lengths[7] = 24;
  lengths[50] = 64;
  EXPECT_EQ(segments_of(lengths).list.extent(0), 0U);
  lengths[50] = 65;
  const Segments found = segments_of(lengths);
  EXPECT_EQ(found.longest, 24);
  const auto list = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), found.list);
  ASSERT_EQ(list.extent(0), 2U) << "a shorter one shares the launch";
  EXPECT_EQ(list(0).row, 3);
  EXPECT_EQ(list(1).row, 50);
}

/// HLL's; products with such rows of all formats are conformance's.
class SegmentedRows : public testing::Test {
 protected:
  using Exec = Kokkos::DefaultExecutionSpace;
  using Host = Kokkos::DefaultHostExecutionSpace;
  using HostCsr = fatvec::CsrMatrix<double, std::int32_t, Host>;
  using Matrix = fatvec::HllMatrix<double>;
  using Policy = fatvec::HllRow::DevicePolicy;
  static constexpr int rows = 203;  // the last of 32 are not a whole slice
  static constexpr int cols = 1500;

  /// 4 times the mean are 40 entries, beyond which a row is long.
  static HostCsr with_long_rows() {
    std::vector<int> lengths(rows);
    for (int i = 0; i < rows; ++i) lengths[i] = i % 4;
    lengths[0] = 40;
    lengths[5] = 41;
    lengths[6] = 129;
    lengths[77] = 128;
    lengths[100] = 1237;
    lengths[rows - 1] = 200;
    return with_lengths_on_host(lengths);
  }
  static HostCsr with_lengths_on_host(const std::vector<int>& lengths) {
    const int rows = static_cast<int>(lengths.size());
    const HostCsr::Offsets row_map("row_map", rows + 1);
    for (int i = 0; i < rows; ++i) row_map(i + 1) = row_map(i) + lengths[i];
    const HostCsr::Ordinals entries("entries", row_map(rows));
    const HostCsr::Scalars values("values", row_map(rows));
    for (int i = 0; i < rows; ++i) {
      for (int n = 0; n < lengths[i]; ++n) {
        entries(row_map(i) + n) = n * (cols / lengths[i]) + i % (cols / lengths[i]);
        values(row_map(i) + n) = 1.0 / (1 + (i + 3 * n) % 17);
      }
    }
    return HostCsr(rows, cols, row_map, entries, values);
  }
  template <class Layout>
  static auto built(const HostCsr& csr, int slice_size, int room = 6) {
    fatvec::FormatOptions options;
    options.hack_size = slice_size;
    return fatvec::detail::with_segments<double>(
        Exec(), Matrix::WithLayout<Layout>::from_csr(Exec(), fatvec::mirror<Exec>(csr), options),
        room);
  }

  template <class Layout>
  static void expect_products_in(int slice_size);

  /// multiply(alpha, x, beta, y) is to be the product of csr.
  template <class Multiply>
  static void expect_products(const HostCsr& csr, const std::string& how,
                              const Multiply& multiply) {
    const int rows = csr.rows();
    for (const int k : {1, 3, 8, 70, 132}) {
      for (const double beta : {0.0, -0.5}) {
        const Kokkos::View<double**, Kokkos::LayoutRight, Exec> x("x", cols, k);
        const Kokkos::View<double**, Kokkos::LayoutRight, Exec> y("y", rows, k);
        const auto x_host = Kokkos::create_mirror_view(x);
        const auto y_host = Kokkos::create_mirror_view(y);
        for (int j = 0; j < cols; ++j)
          for (int c = 0; c < k; ++c) x_host(j, c) = (j * 7 + c * 13) % 11 - 4.5;
        for (int i = 0; i < rows; ++i)
          for (int c = 0; c < k; ++c)
            y_host(i, c) = beta == 0 ? std::numeric_limits<double>::quiet_NaN() : i - c;
        Kokkos::deep_copy(x, x_host);
        Kokkos::deep_copy(y, y_host);
        const auto reference = fatvec::verify::reference_product(1.5, csr, x_host, beta, y_host);
        multiply(1.5, x, beta, y);
        Kokkos::deep_copy(y_host, y);
        EXPECT_TRUE(fatvec::verify::compare(reference, y_host).passed)
            << how << ", k = " << k << ", beta = " << beta;
      }
    }
  }
};

template <class Layout>
void SegmentedRows::expect_products_in(int slice_size) {
  const auto csr = with_long_rows();
  auto a = built<Layout>(csr, slice_size);
  for (const bool known : {true, false}) {
    if (!known) a.segments = {};
    for (const int threads_per_row : {0, 1, 8}) {
      Policy policy;
      policy.threads_per_row = threads_per_row;
      expect_products(
          csr, policy.to_string(), [&](double alpha, const auto& x, double beta, const auto& y) {
            fatvec::test::multiply_with<fatvec::HllRow>(Exec(), policy, alpha, a, x, beta, y);
          });
    }
  }
  // Scratch memory for other numbers of columns, and for none.
  for (const int room : {1, 3, 200}) {
    const auto b = built<Layout>(csr, slice_size, room);
    expect_products(csr, "room for " + std::to_string(room),
                    [&](double alpha, const auto& x, double beta, const auto& y) {
                      fatvec::test::multiply_with<fatvec::HllRow>(Exec(), Policy{}, alpha, b, x,
                                                                  beta, y);
                    });
  }
  auto without = built<Layout>(csr, slice_size);
  without.segments.sums = {};
  expect_products(csr, "no room", [&](double alpha, const auto& x, double beta, const auto& y) {
    fatvec::test::multiply_with<fatvec::HllRow>(Exec(), Policy{}, alpha, without, x, beta, y);
  });
}

TEST_F(SegmentedRows, ProductsAreThoseOfWholeRows) {
  for (const int slice_size : {32, 7}) {
    expect_products_in<Kokkos::LayoutLeft>(slice_size);
    expect_products_in<Kokkos::LayoutRight>(slice_size);
  }
}

TEST_F(SegmentedRows, TeamsFindLongRowsWhereverTheyLie) {
  // Teams of 256 rows or more take turns by 32 rows. They look at up to 32 rows of CSR together,
  // and at 4 or 8 of other formats.
  std::vector<int> lengths(1100);
  for (std::size_t i = 0; i < lengths.size(); ++i) lengths[i] = static_cast<int>(i % 3);
  for (const int i : {0, 7, 8, 9, 31, 32, 64, 100, 103, 255, 256, 257, 640, 1023, 1099})
    lengths[i] = 257 + i / 64;
  const HostCsr csr = with_lengths_on_host(lengths);
  const auto device_csr = fatvec::mirror<Exec>(csr);
  const auto expect_products_of = [&]<class Kernel>(const Kernel&, const auto& a) {
    for (const int width : {1, 4}) {
      typename Kernel::DevicePolicy policy;
      policy.width = width;
      expect_products(csr, std::string(Kernel::name) + " " + policy.to_string(),
                      [&](double alpha, const auto& x, double beta, const auto& y) {
                        fatvec::test::multiply_with<Kernel>(Exec(), policy, alpha, a, x, beta, y);
                      });
    }
  };
  expect_products_of(fatvec::CsrRow(), device_csr);
  expect_products_of(fatvec::JadRow(), fatvec::JadMatrix<double>::from_csr(Exec(), device_csr));
  for (const int slice_size : {32, 20}) {
    auto a = built<Kokkos::LayoutLeft>(csr, slice_size);
    a.segments = {};
    expect_products_of(fatvec::HllRow(), a);
  }
}

TEST_F(SegmentedRows, SumsOfAThousandSegmentsAreAddedUp) {
  constexpr int longest = 128 * 1025 + 5;  // three levels of groups
  std::vector<int> lengths(40);
  lengths[3] = 128 * 33;
  lengths[7] = longest;
  const HostCsr::Offsets row_map("row_map", lengths.size() + 1);
  for (std::size_t i = 0; i < lengths.size(); ++i) row_map(i + 1) = row_map(i) + lengths[i];
  const HostCsr::Ordinals entries("entries", row_map(lengths.size()));
  const HostCsr::Scalars values("values", row_map(lengths.size()));
  for (int n = 0; n < longest; ++n) {
    const int to = row_map(7) + n;
    entries(to) = n;
    values(to) = n % 5 - 1.5;
    if (n < lengths[3]) entries(row_map(3) + n) = n, values(row_map(3) + n) = n % 3;
  }
  const HostCsr csr(static_cast<int>(lengths.size()), longest, row_map, entries, values);
  const auto a = fatvec::detail::with_segments<double>(Exec(), fatvec::mirror<Exec>(csr), 3);
  EXPECT_EQ(a.segments.list.extent(0), 33U + 1026U);
  const Kokkos::View<double**, Kokkos::LayoutRight, Host> x("x", longest, 3);
  const Kokkos::View<double**, Kokkos::LayoutRight, Host> y("y", lengths.size(), 3);
  for (int j = 0; j < longest; ++j)
    for (int c = 0; c < 3; ++c) x(j, c) = (j * 7 + c * 13) % 11 - 4.5;
  const auto on_device = [](const auto& view) {
    const auto copy = Kokkos::create_mirror(Exec(), view);
    Kokkos::deep_copy(copy, view);
    return copy;
  };
  const auto device_x = on_device(x);
  const auto device_y = on_device(y);
  const auto reference = fatvec::verify::reference_product(1.0, csr, x, 0.0, y);
  for (int again = 0; again < 2; ++again) {
    fatvec::test::multiply_with<fatvec::CsrRow>(Exec(), fatvec::CsrRow::DevicePolicy{}, 1.0, a,
                                                device_x, 0.0, device_y);
    Kokkos::deep_copy(y, device_y);
    EXPECT_TRUE(fatvec::verify::compare(reference, y).passed) << "product " << again;
  }
}

TEST(LongRows, ScratchMemoryIsForColumnsOfAnyScalar) {
  Segments found = segments_of({1, 129, 0, 1, 4, 110, 0, 0, 2, 0, 0, 83});
  found.make_room<double>(Csr::execution_space(), 3);
  EXPECT_EQ(found.columns<double>(3), 3);
  EXPECT_EQ(found.columns<double>(8), 4);
  EXPECT_EQ(found.columns<float>(8), 4) << "there are no counters for more";
  EXPECT_EQ(found.columns<Kokkos::complex<double>>(8), 2);
}

TEST_F(SegmentedRows, ConversionsGiveTheMatrixBack) {
  const auto csr = with_long_rows();
  const auto a = built<Kokkos::LayoutLeft>(csr, 32);
  const auto back = fatvec::mirror<Kokkos::DefaultHostExecutionSpace>(a.to_csr(Exec()));
  ASSERT_EQ(back.nnz(), csr.nnz());
  for (int i = 0; i <= csr.rows(); ++i) ASSERT_EQ(back.row_map(i), csr.row_map(i));
  for (int n = 0; n < csr.nnz(); ++n) {
    ASSERT_EQ(back.entries(n), csr.entries(n));
    ASSERT_EQ(back.values(n), csr.values(n));
  }
}

TEST_F(SegmentedRows, EveryLongRowIsInSegmentsWhole) {
  const auto csr = with_long_rows();
  const auto a = built<Kokkos::LayoutLeft>(csr, 32);
  EXPECT_EQ(a.segments.longest, 40);
  const auto list = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), a.segments.list);
  EXPECT_EQ(list.extent(0), 16U);
  const auto all = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), a.row_lengths);
  std::vector<int> in_segments(all.extent(0));
  for (std::size_t n = 0; n < list.extent(0); ++n)
    in_segments[list(n).row] += list(n).last - list(n).first;
  for (std::size_t i = 0; i < in_segments.size(); ++i)
    EXPECT_EQ(in_segments[i], all(i) > 40 ? all(i) : 0) << "stored row " << i;
}

TEST_F(SegmentedRows, OrdinaryRowsAreNotSplit) {
  const Matrix a = Matrix::from_csr(Exec(), with_lengths({600, 600, 600}));
  EXPECT_EQ(fatvec::detail::with_segments<double>(Exec(), a, 1).segments.list.extent(0), 0U);
}

TEST_F(SegmentedRows, TheLimitFollowsTheMean) {
  EXPECT_EQ(fatvec::detail::longest_whole_row(10, 80000), 4096);
  EXPECT_EQ(fatvec::detail::longest_walked_row(10, 80000), 16000);
  EXPECT_EQ(fatvec::detail::longest_walked_row(10, 100), 40);
  EXPECT_EQ(fatvec::detail::longest_walked_row(10, 50), 24);
  const Matrix a = Matrix::from_csr(Exec(), with_lengths({5000, 5000, 5000}));
  EXPECT_EQ(fatvec::detail::with_segments<double>(Exec(), a, 1).segments.list.extent(0), 0U);
}

}  // namespace
