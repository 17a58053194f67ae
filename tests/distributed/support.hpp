// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

#include <fatvec/app/verify/oracle.hpp>
#include <fatvec/distributed/build.hpp>
#include <fatvec/generate/generate.hpp>

namespace fatvec::test {

using Exec = Kokkos::DefaultExecutionSpace;
using distributed::Communicator;
using distributed::GlobalCoo;
using distributed::Partition;
using generate::HostCsr;
using Kokkos::LayoutLeft;
using Kokkos::LayoutRight;
using HostX = Kokkos::View<double**, LayoutRight, Kokkos::HostSpace>;
using Vectors = Kokkos::View<double**, LayoutRight, Exec>;

inline HostCsr whole(const std::string& spec) {
  return generate::generate(generate::parse_spec("gen:" + spec));
}

inline std::int64_t sum_of(std::int64_t mine) {
  MPI_Allreduce(MPI_IN_PLACE, &mine, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
  return mine;
}

/// What the error says that a call throws.
template <class Call>
std::string message_of(const Call& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

/// Every size-th entry of the matrix, so that nearly none is on the rank that is to have it.
inline GlobalCoo<double> dealt(const Communicator& world, const HostCsr& a) {
  std::vector<std::array<std::int64_t, 3>> mine;
  for (std::int64_t i = 0; i < a.rows(); ++i)
    for (std::int64_t n = a.row_map(i); n < a.row_map(i + 1); ++n)
      if (n % world.size() == world.rank()) mine.push_back({i, a.entries(n), n});
  GlobalCoo<double> coo(a.rows(), a.cols(), mine.size());
  for (std::size_t m = 0; m < mine.size(); ++m) {
    coo.row(m) = mine[m][0];
    coo.col(m) = mine[m][1];
    coo.value(m) = a.values(mine[m][2]);
  }
  return coo;
}

/// The tests run more ranks than there are GPUs, which NCCL does not: FATVEC_TEST_NCCL asks for it.
inline distributed::Options options() {
  return {.use_nccl = std::getenv("FATVEC_TEST_NCCL") != nullptr};
}

inline auto spread(const Communicator& world, const HostCsr& a,
                   const distributed::Options& how = options()) {
  return distributed::from_coo(world, Partition::even(a.rows(), world.size()), dealt(world, a),
                               how);
}

/// Those rows of a matrix, in that order.
inline HostCsr picked(const HostCsr& a, const std::vector<std::int64_t>& rows) {
  HostCsr::Offsets row_map("row_map", rows.size() + 1);
  for (std::size_t i = 0; i < rows.size(); ++i)
    row_map(i + 1) = row_map(i) + a.row_map(rows[i] + 1) - a.row_map(rows[i]);
  const auto nnz = static_cast<std::size_t>(row_map(rows.size()));
  const HostCsr part(static_cast<int>(rows.size()), a.cols(), row_map,
                     HostCsr::Ordinals("entries", nnz), HostCsr::Scalars("values", nnz));
  for (std::size_t i = 0; i < rows.size(); ++i)
    for (std::int64_t n = row_map(i), from = a.row_map(rows[i]); n < row_map(i + 1); ++n, ++from) {
      part.entries(n) = a.entries(from);
      part.values(n) = a.values(from);
    }
  return part;
}

/// Rows first ... last - 1 of a matrix.
inline HostCsr rows_of(const HostCsr& a, std::int64_t first, std::int64_t last) {
  std::vector<std::int64_t> rows(static_cast<std::size_t>(last - first));
  std::iota(rows.begin(), rows.end(), first);
  return picked(a, rows);
}

/// The matrix times two.
inline HostCsr twice(const HostCsr& a) {
  const HostCsr result(a.rows(), a.cols(), a.row_map, a.entries,
                       HostCsr::Scalars("values", a.nnz()));
  for (std::int64_t n = 0; n < a.nnz(); ++n) result.values(n) = 2 * a.values(n);
  return result;
}

/// The values of this rank's rows, times two.
inline auto doubled(const HostCsr& serial, const Partition& rows, int rank) {
  const HostCsr mine = rows_of(serial, rows.begin(rank), rows.end(rank));
  Kokkos::View<double*, Exec> values("values", mine.nnz());
  const auto host = Kokkos::create_mirror_view(values);
  for (std::int64_t n = 0; n < mine.nnz(); ++n) host(n) = 2 * mine.values(n);
  Kokkos::deep_copy(values, host);
  return values;
}

/// While it lives, allocations of Views on this rank are noted.
class Allocations {
 public:
  Allocations() {
    list().clear();
    Kokkos::Tools::Experimental::set_allocate_data_callback(note);
  }
  ~Allocations() { Kokkos::Tools::Experimental::set_allocate_data_callback(nullptr); }
  Allocations(const Allocations&) = delete;
  Allocations& operator=(const Allocations&) = delete;
  [[nodiscard]] const std::vector<std::string>& noted() const { return list(); }

 private:
  static std::vector<std::string>& list() {
    static std::vector<std::string> noted;
    return noted;
  }
  /// Kokkos 4.7 tells of an allocation of no bytes for each TeamPolicy on a GPU.
  static void note(Kokkos::Profiling::SpaceHandle space, const char* label, const void*,
                   std::uint64_t bytes) {
    if (bytes > 0) list().push_back(std::string(space.name) + ": " + label);
  }
};

inline double x_value(std::int64_t j, std::int64_t c) {
  return 0.25 + 0.5 * static_cast<double>((j * 7 + c * 13) % 11) -
         0.125 * static_cast<double>(c % 3);
}

/// Rows first ... of a made-up multivector.
template <class Layout>
Kokkos::View<double**, Layout, Exec> operand(std::int64_t first, std::int64_t rows,
                                             std::int64_t k) {
  Kokkos::View<double**, Layout, Exec> x("x", rows, k);
  const auto host = Kokkos::create_mirror_view(x);
  for (std::int64_t i = 0; i < rows; ++i)
    for (std::int64_t c = 0; c < k; ++c) host(i, c) = x_value(first + i, c);
  Kokkos::deep_copy(x, host);
  return x;
}

/// The same in host memory.
inline HostX all_rows(std::int64_t rows, std::int64_t k, std::int64_t first = 0) {
  HostX view("all", rows, k);
  Kokkos::deep_copy(view, operand<LayoutRight>(first, rows, k));
  return view;
}

template <class View>
auto on_host(const View& view) {
  return Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), view);
}

/// The same bits.
template <class View>
void expect_equal(const View& found, const View& expected) {
  const auto got = on_host(found);
  const auto wanted = on_host(expected);
  for (std::size_t i = 0; i < got.extent(0); ++i)
    for (std::size_t c = 0; c < got.extent(1); ++c)
      EXPECT_EQ(got(i, c), wanted(i, c)) << i << ", " << c;
}

/// Y = beta · Y + alpha · A · X on this rank's rows, against the serial product of the same rows.
template <class XLayout, class YLayout, class Matrix>
void expect_product(const Matrix& a, const HostCsr& serial, std::int64_t k, double alpha,
                    double beta) {
  const int rank = a.communicator().rank();
  const std::int64_t begin = a.row_partition().begin(rank);
  const auto x = operand<XLayout>(a.column_partition().begin(rank), a.local_cols(), k);
  const auto y = operand<YLayout>(begin + 3, a.local_rows(), k);
  if (beta == 0) Kokkos::deep_copy(y, std::numeric_limits<double>::quiet_NaN());
  const HostX before = all_rows(a.local_rows(), k, begin + 3);
  const Exec exec;
  spmm(exec, alpha, a, x, beta, y);
  exec.fence();

  const auto rows = rows_of(serial, begin, a.row_partition().end(rank));
  const auto reference =
      verify::reference_product(alpha, rows, all_rows(serial.cols(), k), beta, before);
  const auto verdict = verify::compare(reference, on_host(y));
  EXPECT_TRUE(verdict.passed) << "rank " << rank << " of " << a.communicator().size() << ", k " << k
                              << ", row " << verdict.worst_row << ": " << verdict.scaled
                              << " times what rounding allows";
}

/// Y = A · X of a matrix whose rows, and rows of X, on this rank are these of the serial one.
template <class Matrix>
void expect_rows(const Matrix& a, const HostCsr& serial, const std::vector<std::int64_t>& rows,
                 const std::vector<std::int64_t>& columns) {
  constexpr std::int64_t k = 3;
  ASSERT_EQ(a.local_rows(), static_cast<std::int64_t>(rows.size()));
  ASSERT_EQ(a.local_cols(), static_cast<std::int64_t>(columns.size()));
  const Vectors x("x", columns.size(), k);
  const Vectors y("y", rows.size(), k);
  const auto host_x = Kokkos::create_mirror_view(x);
  for (std::int64_t c = 0; c < k; ++c)
    for (std::size_t n = 0; n < columns.size(); ++n) host_x(n, c) = x_value(columns[n], c);
  Kokkos::deep_copy(x, host_x);
  const Exec exec;
  spmm(exec, 1.0, a, x, 0.0, y);
  exec.fence();
  const auto reference = verify::reference_product(
      1.0, picked(serial, rows), all_rows(serial.cols(), k), 0.0, HostX("before", rows.size(), k));
  const auto verdict = verify::compare(reference, on_host(y));
  EXPECT_TRUE(verdict.passed) << "row " << verdict.worst_row << ": " << verdict.scaled
                              << " times what rounding allows";
}

}  // namespace fatvec::test
