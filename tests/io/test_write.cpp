// SPDX-License-Identifier: Apache-2.0
#include <sys/resource.h>
#include <sys/stat.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <csignal>
#include <cstdint>
#include <limits>
#include <vector>

#include "support.hpp"

namespace fatvec::io::test {
namespace {

class Write : public IoTest {
 protected:
  [[nodiscard]] std::size_t files() const {
    return static_cast<std::size_t>(
        std::distance(std::filesystem::directory_iterator(folder()), {}));
  }
};

template <class Scalar>
Scalar sample(std::uint64_t n) {
  if constexpr (std::is_same_v<Scalar, float>) {
    return std::bit_cast<float>(static_cast<std::uint32_t>((n * 2654435761ULL) % 0x7f800000U));
  } else if constexpr (std::is_same_v<Scalar, double>) {
    return std::bit_cast<double>((n * 0x9e3779b97f4a7c15ULL) % 0x7ff0000000000000ULL);
  } else {
    using Real = typename Scalar::value_type;
    return Scalar(sample<Real>(n), -sample<Real>(n + 1));
  }
}

template <class Scalar>
Coo<Scalar> sample_coo(std::size_t entries) {
  Coo<Scalar> coo(1000, 2000, entries);
  for (std::size_t n = 0; n < entries; ++n) {
    coo.row(n) = static_cast<int>(n * 7 % 1000);
    coo.col(n) = static_cast<int>(n * 13 % 2000);
    coo.value(n) = sample<Scalar>(n);
  }
  return coo;
}

template <class Scalar>
class RoundTrip : public Write {};
using Scalars = testing::Types<float, double, Kokkos::complex<float>, Kokkos::complex<double>>;
TYPED_TEST_SUITE(RoundTrip, Scalars);

TYPED_TEST(RoundTrip, CoordinateKeepsEveryBit) {
  const auto coo = sample_coo<TypeParam>(30000);
  for (const char* name : {"m.mtx", "m.mtx.gz"}) {
    write_matrix_market(this->path(name), coo, "two\nlines");
    const auto back = read_matrix_market<TypeParam>(this->path(name));
    EXPECT_EQ(back.rows, coo.rows);
    EXPECT_EQ(back.cols, coo.cols);
    EXPECT_EQ(entries_of(back), entries_of(coo));
  }
  EXPECT_EQ(contents(this->path("m.mtx.gz")).substr(0, 2), "\x1f\x8b");
  EXPECT_LT(std::filesystem::file_size(this->path("m.mtx.gz")),
            std::filesystem::file_size(this->path("m.mtx")));
  EXPECT_EQ(this->files(), 2U);
}

TYPED_TEST(RoundTrip, MultivectorOfEitherLayout) {
  const Kokkos::View<TypeParam**, Kokkos::LayoutLeft, Kokkos::HostSpace> left("left", 3001, 7);
  const Kokkos::View<TypeParam**, Kokkos::LayoutRight, Kokkos::HostSpace> right("right", 3001, 7);
  for (std::size_t i = 0; i < 3001; ++i) {
    for (std::size_t j = 0; j < 7; ++j) left(i, j) = right(i, j) = sample<TypeParam>(i * 7 + j);
  }
  write_multivector(this->path("left.mtx"), left);
  write_multivector(this->path("right.mtx"),
                    Kokkos::View<const TypeParam**, Kokkos::LayoutRight, Kokkos::HostSpace>(right));
  EXPECT_EQ(contents(this->path("left.mtx")), contents(this->path("right.mtx")));
  const auto back = read_multivector<TypeParam>(this->path("left.mtx"));
  ASSERT_EQ(back.extent(0), 3001U);
  ASSERT_EQ(back.extent(1), 7U);
  for (std::size_t i = 0; i < 3001; ++i) {
    for (std::size_t j = 0; j < 7; ++j) ASSERT_EQ(back(i, j), right(i, j)) << i << ' ' << j;
  }
}

TEST_F(Write, WritesThisText) {
  Coo<double> coo(2, 3, 2);
  coo.row(0) = 0;
  coo.col(0) = 2;
  coo.value(0) = 0.1;
  coo.row(1) = 1;
  coo.col(1) = 0;
  coo.value(1) = -3e20;
  write_matrix_market(path("m.mtx"), coo, "made by a test");
  EXPECT_EQ(contents(path("m.mtx")),
            "%%MatrixMarket matrix coordinate real general\n% made by a test\n2 3 2\n1 3 0.1\n2 1 "
            "-3e+20\n");
}

TEST_F(Write, WritesCsrWithEmptyRows) {
  using Host = Kokkos::DefaultHostExecutionSpace;
  using Csr = CsrMatrix<double, std::int32_t, Host>;
  Csr::Offsets row_map("row_map", 7);
  Csr::Ordinals entries("entries", 4);
  Csr::Scalars values("values", 4);
  const int offsets[] = {0, 0, 2, 2, 3, 4, 4};
  for (int i = 0; i < 7; ++i) row_map(i) = offsets[i];
  for (int n = 0; n < 4; ++n) {
    entries(n) = n;
    values(n) = n + 0.5;
  }
  write_matrix_market(path("m.mtx"), Csr(6, 5, row_map, entries, values));
  EXPECT_EQ(read_entries<double>(path("m.mtx")),
            (Entries<double>{{1, 0, 0.5}, {1, 1, 1.5}, {3, 2, 2.5}, {4, 3, 3.5}}));
  write_matrix_market(path("empty.mtx"), Csr(0, 0, Csr::Offsets("row_map", 1), {}, {}));
  EXPECT_EQ(read_header(path("empty.mtx")).entries, 0);
}

TEST_F(Write, ProgressRisesToTheWholeOfTheFile) {
  std::vector<double> shares;
  write_matrix_market(path("m.mtx"), sample_coo<double>(300000), {},
                      [&](double done) { shares.push_back(done); });
  ASSERT_FALSE(shares.empty());
  EXPECT_TRUE(std::is_sorted(shares.begin(), shares.end()));
  EXPECT_GT(shares.front(), 0);
  EXPECT_EQ(shares.back(), 1);
}

TEST_F(Write, NonFiniteValuesComeBack) {
  const Kokkos::View<double**, Kokkos::LayoutRight, Kokkos::HostSpace> x("x", 4, 1);
  x(0, 0) = std::numeric_limits<double>::infinity();
  x(1, 0) = -x(0, 0);
  x(2, 0) = std::numeric_limits<double>::quiet_NaN();
  x(3, 0) = -0.0;
  write_multivector(path("x.mtx"), x);
  const auto back = read_multivector<double>(path("x.mtx"));
  EXPECT_EQ(back(0, 0), x(0, 0));
  EXPECT_EQ(back(1, 0), x(1, 0));
  EXPECT_TRUE(std::isnan(back(2, 0)));
  EXPECT_TRUE(std::signbit(back(3, 0)));
}

TEST_F(Write, NamesAFolderThatIsNotThere) {
  try {
    write_matrix_market(path("none/m.mtx"), sample_coo<double>(3));
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(
        std::string(error.what()).find("none/m.mtx: cannot be opened: No such file or directory"),
        std::string::npos)
        << error.what();
  }
  EXPECT_THROW(write_matrix_market(folder(), sample_coo<double>(3)), Error);
}

TEST_F(Write, SaysThatTheDeviceIsFull) {
  if (!std::filesystem::exists("/dev/full")) GTEST_SKIP() << "no /dev/full here";
  try {
    write_matrix_market("/dev/full", sample_coo<double>(3));
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("No space left on device"), std::string::npos)
        << error.what();
  }
}

/// A disk that fills up midway (here: a limit on the file size) leaves the old file and nothing
/// else.
TEST_F(Write, FailureKeepsTheOldFile) {
  for (const char* name : {"m.mtx", "m.mtx.gz"}) {
    file("old", name);
    rlimit before{};
    ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
    const auto handler = std::signal(SIGXFSZ, SIG_IGN);
    const rlimit small{100000, before.rlim_max};
    ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &small), 0);
    std::string message;
    try {
      write_matrix_market(path(name), sample_coo<double>(100000));
    } catch (const Error& error) {
      message = error.what();
    }
    setrlimit(RLIMIT_FSIZE, &before);
    std::signal(SIGXFSZ, handler);
    EXPECT_NE(message.find("cannot be written: File too large"), std::string::npos) << message;
    EXPECT_EQ(contents(path(name)), "old");
  }
  EXPECT_EQ(files(), 2U);
}

TEST_F(Write, LinkAndPermissionsSurvive) {
  const auto target = file("old", "target.mtx");
  std::filesystem::permissions(
      target, std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
  std::filesystem::create_symlink(target, path("link.mtx"));
  write_matrix_market(path("link.mtx"), sample_coo<double>(3));
  EXPECT_TRUE(std::filesystem::is_symlink(path("link.mtx")));
  EXPECT_EQ(read_header(target).entries, 3);
  struct stat status{};
  ASSERT_EQ(stat(target.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0600U);
}

}  // namespace
}  // namespace fatvec::io::test
