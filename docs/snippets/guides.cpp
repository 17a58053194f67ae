// SPDX-License-Identifier: Apache-2.0
// The C++ of README.md and the guides: tests/docs/test_snippets.py sees to it that each block there
// is a part marked here (or in the other files of this folder), the tests run the parts.
#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>
#include <vector>

// snippet: readme
#include <fatvec/fatvec.hpp>

// row_map, entries and values are your CSR arrays, X and Y have k columns.
void product(const Kokkos::DefaultExecutionSpace& exec, int rows, int cols,
             Kokkos::View<int*> row_map, Kokkos::View<int*> entries, Kokkos::View<double*> values,
             Kokkos::View<double**> X, Kokkos::View<double**> Y) {
  const fatvec::CsrMatrix<double> A(rows, cols, row_map, entries, values);  // copies nothing
  fatvec::spmm(exec, 1.0, A, X, 0.0, Y);  // Y = A X, enqueued on exec

  const auto plan = fatvec::analyse(exec, A, Y.extent(1));  // the format that should be fastest
  fatvec::spmm(exec, 1.0, plan, X, 1.0, Y);                 // Y += A X
}
// end of snippet

#include <fatvec/generate/generate.hpp>
#include <fatvec/io/matrix_file.hpp>
#include <fatvec/plan/cache.hpp>
#include <fatvec/plan/kept_machine.hpp>
#include <fatvec/statistics/row_statistics.hpp>
#include <fatvec/statistics/traffic.hpp>

namespace {

using Exec = Kokkos::DefaultExecutionSpace;
using Matrix = fatvec::CsrMatrix<double>;

/// The arrays of the n × n matrix with 2 on its diagonal.
struct DiagonalOfTwo {
  Kokkos::View<int*> row_map;
  Kokkos::View<int*> entries;
  Kokkos::View<double*> values;

  explicit DiagonalOfTwo(int n)
      : row_map("row_map", n + 1), entries("entries", n), values("values", n) {
    Kokkos::deep_copy(values, 2);
    Kokkos::parallel_for(n, *this);
    Kokkos::fence();
  }
  KOKKOS_FUNCTION void operator()(int i) const {
    row_map(i + 1) = i + 1;
    entries(i) = i;
  }
};

Matrix diagonal_of_two(int n) {
  const DiagonalOfTwo arrays(n);
  return {n, n, arrays.row_map, arrays.entries, arrays.values};
}

template <class View>
auto on_host(const View& view) {
  return Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), view);
}

// snippet: plan
fatvec::CsrPlan<double> plan_for(const Exec& exec, const Matrix& A, int k) {
  fatvec::PlanOptions options;
  options.layout = fatvec::Layout::column;  // X and Y are LayoutLeft
  options.products = 300;                   // of about this many iterations
  options.choice = fatvec::tuned_choice(
      exec, A, k, fatvec::Layout::column);       // what `fatvec tune` found here, if it ran
  options.machine = fatvec::kept_machine(exec);  // measured once, not in each process
  const auto plan = fatvec::analyse(exec, A, k, options);
  std::printf("%s\n", plan.reason().c_str());
  return plan;
}
// end of snippet

// snippet: plan in use
void iterate(const Exec& exec, const fatvec::CsrPlan<double>& plan,
             Kokkos::View<double**, Kokkos::LayoutLeft> X,
             Kokkos::View<double**, Kokkos::LayoutLeft> Y) {
  fatvec::spmm(exec, 1.0, plan, X, 0.0, Y);  // the plan stands where the matrix stood
}
// end of snippet

// snippet: single precision
using Kernels = fatvec::TypeList<fatvec::CsrRow, fatvec::SellRow>;

fatvec::SinglePrecisionPlan<Matrix, Kernels> plan_of_floats(const Exec& exec, const Matrix& A,
                                                            int k) {
  const auto floats = fatvec::single_precision(A, fatvec::within(1e-7));
  const auto plan = fatvec::analyse<Kernels>(exec, floats, k);
  std::printf("%s: off by %.1e at most\n", plan.choice().kernel.c_str(), plan.largest_error());
  return plan;  // stands where the matrix stood, X and Y in double
}
// end of snippet

// snippet: transpose
void with_the_transpose(const Exec& exec, const Matrix& A, Kokkos::View<double**> X,
                        Kokkos::View<double**> Y) {
  fatvec::spmm(exec, fatvec::Op::transpose, 1.0, A, X, 0.0,
               Y);  // once: builds the transpose, and drops it

  const Matrix T = fatvec::transpose(exec, A);  // to keep
  fatvec::spmm(exec, 1.0, T, X, 1.0, Y);
}
// end of snippet

// snippet: views
void products(const Exec& exec, const Matrix& A, Kokkos::View<double**, Kokkos::LayoutLeft> basis,
              Kokkos::View<double**, Kokkos::LayoutRight> Y) {
  using Kokkos::ALL;
  // Columns 2 ... 4 of a Krylov basis, times A, to the first three columns of Y, in the other
  // layout.
  fatvec::spmm(exec, 1.0, A, Kokkos::subview(basis, ALL, std::pair(2, 5)), 0.0,
               Kokkos::subview(Y, ALL, std::pair(0, 3)));
  // One column: rank 1.
  fatvec::spmm(exec, -1.0, A, Kokkos::subview(basis, ALL, 0), 1.0, Kokkos::subview(Y, ALL, 3));
}
// end of snippet

// snippet: instances
// Two products at once, where the device has room for both; each instance has its own queue.
void side_by_side(const Matrix& A, const Matrix& B, Kokkos::View<double**> X,
                  Kokkos::View<double**> Y, Kokkos::View<double**> Z) {
  const auto instances = Kokkos::Experimental::partition_space(Exec(), 1, 1);
  fatvec::spmm(instances[0], 1.0, A, X, 0.0, Y);
  fatvec::spmm(instances[1], 1.0, B, X, 0.0, Z);
  instances[0].fence("both products");
  instances[1].fence("both products");
}
// end of snippet

// snippet: kernel and policy
using Host = Kokkos::DefaultHostExecutionSpace;

void with_a_policy(const Host& exec, const fatvec::CsrMatrix<double, int, Host>& A,
                   Kokkos::View<double**, Host> X, Kokkos::View<double**, Host> Y) {
  fatvec::CsrRow::HostPolicy policy;
  policy.blocks_per_thread = 64;  // a matrix of uneven rows: smaller shares than usual
  fatvec::spmm<fatvec::CsrRow>(exec, policy, 1.0, A, X, 0.0, Y);
}
// end of snippet

// snippet: residual
/// R = B - A X: takes the rows of A X, and stores what becomes of them.
struct Residual {
  Kokkos::View<const double**> B;
  Kokkos::View<double**> R;

  template <int width>
  KOKKOS_FUNCTION void store(std::int64_t i, std::int64_t c, const double (&sums)[width]) const {
    for (int w = 0; w < width; ++w) R(i, c + w) = B(i, c + w) - sums[w];
  }
};

void residual(const Exec& exec, const Matrix& A, Kokkos::View<double**> X,
              Kokkos::View<const double**> B, Kokkos::View<double**> R) {
  fatvec::spmm(exec, A, X, Residual{B, R});
}
// end of snippet

// snippet: views of a format
template <class Hll>
struct AbsoluteSums {
  Hll A;
  Kokkos::View<double*> sums;

  KOKKOS_FUNCTION void operator()(int h) const {
    const auto hack = A.hack(h);  // hack.entries and hack.values: rows × slots
    for (std::size_t r = 0; r < hack.values.extent(0); ++r)
      for (std::size_t j = 0; j < hack.values.extent(1); ++j)  // padding is 0
        sums(h * A.hack_size() + r) += Kokkos::abs(hack.values(r, j));
  }
};
// end of snippet

// snippet: memory limit
// Whether A can be had in a format within 1 GB.
template <class Format>
bool fits(const Exec& exec, const Matrix& A) {
  fatvec::FormatOptions options;
  options.memory_limit = 1'000'000'000;
  try {
    const auto matrix = fatvec::convert<Format>(exec, A, options);
    return true;
  } catch (const fatvec::CapacityError& error) {
    std::puts(error.what());  // how much it needs, and which formats would fit
    return false;
  }
}
// end of snippet

// snippet: sizes
void print_sizes(const Exec& exec, const Matrix& A) {
  for (const auto& [format, footprint] : fatvec::footprints(exec, A))
    std::printf("%-8.*s %10.0f slots for %lld entries, %s\n", static_cast<int>(format.size()),
                format.data(), footprint.stored_entries, static_cast<long long>(A.nnz()),
                fatvec::human_bytes(footprint.bytes).c_str());
}
// end of snippet

// snippet: bound
/// The least time of Y = A X with k columns at this bandwidth.
double bound_seconds(const Exec& exec, const Matrix& A, std::int64_t k, double bytes_per_second) {
  fatvec::ProductSize size;
  size.nnz = A.nnz();
  size.rows = A.rows();
  size.columns_touched = fatvec::row_statistics(exec, A).columns_touched;
  size.k = k;
  return fatvec::compulsory_bytes(size) / bytes_per_second;
}
// end of snippet

// snippet: statistics
void norms(const Exec& exec, Kokkos::View<double*> x, Kokkos::View<double**> X,
           Kokkos::View<double**> Y) {
  const auto s = fatvec::vector_statistics(exec, x);  // one pass for all of them
  std::printf("sum %g, of magnitudes %g, of squares %g, from %g to %g\n", s.sum, s.absolute_sum,
              s.square_sum, s.min, s.max);
  std::printf("2-norm %g, maximum norm %g\n", s.norm2(), s.max_norm());  // what follows from them

  const auto columns = fatvec::vector_statistics(exec, X);  // a std::vector, one for each column
  const auto products = fatvec::dot(exec, X, Y);  // of each column of X with the same one of Y
  std::printf("of column 1: sum %g, dot product %g\n", columns[1].sum, products[1]);
}
// end of snippet

// snippet: dot in a loop
/// The dot products of each step: allocated once, enqueued each time, copied out at the end.
std::vector<double> last_products(const Exec& exec, int steps, Kokkos::View<double**> X,
                                  Kokkos::View<double**> Y) {
  const fatvec::ColumnResults<double, Exec> products(exec, static_cast<std::int64_t>(X.extent(1)));
  for (int step = 0; step < steps; ++step) {
    fatvec::dot(exec, X, Y, products);  // products.values(c) is in exec's memory
  }
  return products.on_host(exec);
}
// end of snippet

// snippet: files
Matrix read(const char* path) {
  const auto file =
      fatvec::io::read_matrix<double>(path);  // InputError "FILE:LINE: ..." if malformed
  return fatvec::mirror<Kokkos::DefaultExecutionSpace>(file.matrix);  // moved to the device
}
// end of snippet

TEST(guides, readme) {
  const Exec exec;
  const DiagonalOfTwo A(10);
  const Kokkos::View<double**> X("X", 10, 3);
  const Kokkos::View<double**> Y("Y", 10, 3);
  Kokkos::deep_copy(X, 1.5);
  product(exec, 10, 10, A.row_map, A.entries, A.values, X, Y);
  exec.fence();
  EXPECT_EQ(on_host(Y)(9, 2), 6);
}

TEST(guides, residual) {
  const Exec exec;
  const Kokkos::View<double**> X("X", 10, 3);
  const Kokkos::View<double**> B("B", 10, 3);
  const Kokkos::View<double**> R("R", 10, 3);
  Kokkos::deep_copy(X, 1.5);
  Kokkos::deep_copy(B, 7);
  residual(exec, diagonal_of_two(10), X, B, R);
  exec.fence();
  for (int i = 0; i < 10; ++i)
    for (int c = 0; c < 3; ++c) EXPECT_EQ(on_host(R)(i, c), 4);
}

TEST(guides, views_of_the_application) {
  const Exec exec;
  const Matrix A = diagonal_of_two(10);
  const Kokkos::View<double**, Kokkos::LayoutLeft> basis("basis", 10, 6);
  const Kokkos::View<double**, Kokkos::LayoutRight> Y("Y", 10, 4);
  Kokkos::deep_copy(basis, 1);
  Kokkos::deep_copy(Kokkos::subview(basis, Kokkos::ALL, 4), 7);
  products(exec, A, basis, Y);
  exec.fence();
  EXPECT_EQ(on_host(Y)(9, 1), 2);
  EXPECT_EQ(on_host(Y)(9, 2), 14);
  EXPECT_EQ(on_host(Y)(0, 3), -2);
}

TEST(guides, instances_and_policies) {
  const Matrix A = diagonal_of_two(10);
  const Kokkos::View<double**> X("X", 10, 3);
  const Kokkos::View<double**> Y("Y", 10, 3);
  const Kokkos::View<double**> Z("Z", 10, 3);
  Kokkos::deep_copy(X, 1);
  side_by_side(A, A, X, Y, Z);
  EXPECT_EQ(on_host(Y)(5, 1), 2);
  EXPECT_EQ(on_host(Z)(5, 1), 2);
  Kokkos::deep_copy(Y, 0);
  with_a_policy(Exec(), A, X, Y);
  Kokkos::fence();
  EXPECT_EQ(on_host(Y)(5, 1), 2);
}

TEST(guides, views_of_a_format) {
  using Hll = fatvec::HllMatrix<double>;
  const auto hll = Hll::from_csr(Exec(), diagonal_of_two(100));
  const Kokkos::View<double*> sums("sums", 100);
  Kokkos::parallel_for("sums", Kokkos::RangePolicy<Exec>(0, hll.hacks()),
                       AbsoluteSums<Hll>{hll, sums});
  const auto result = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), sums);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(result(i), 2);
}

TEST(guides, sizes) {
  const Exec exec;
  const Matrix A = diagonal_of_two(1000);
  EXPECT_TRUE(fits<fatvec::EllMatrix<double>>(exec, A));
  testing::internal::CaptureStdout();
  print_sizes(exec, A);
  const std::string text = testing::internal::GetCapturedStdout();
  EXPECT_NE(text.find("csr            1000 slots for 1000 entries, 16.0 kB"), std::string::npos)
      << text;
  // A: 1000 entries of 12 bytes, 1001 offsets; X, Y: 1000 rows of 2 columns each
  EXPECT_DOUBLE_EQ(bound_seconds(exec, A, 2, 1e9), (12000 + 4004 + 2 * 16000) / 1e9);
}

TEST(guides, a_format_that_does_not_fit) {
  const auto arrow = fatvec::generate::generate(fatvec::generate::parse_spec("gen:arrow:20000"));
  fatvec::Coo<double> coo(20000, 20000, static_cast<std::size_t>(arrow.nnz()));
  for (int i = 0; i < arrow.rows(); ++i)
    for (auto n = arrow.row_map(i); n < arrow.row_map(i + 1); ++n) coo.row(n) = i;
  Kokkos::deep_copy(coo.col, arrow.entries);
  Kokkos::deep_copy(coo.value, arrow.values);
  testing::internal::CaptureStdout();
  EXPECT_FALSE(fits<fatvec::EllMatrix<double>>(Exec(), fatvec::csr_from_coo(coo)));
  EXPECT_NE(testing::internal::GetCapturedStdout().find("Formats that fit: csr"),
            std::string::npos);
}

TEST(guides, plans) {
  const Exec exec;
  const Matrix A = diagonal_of_two(100);
  testing::internal::CaptureStdout();
  const auto plan = plan_for(exec, A, 4);
  EXPECT_NE(testing::internal::GetCapturedStdout().find("should take"), std::string::npos);
  const Kokkos::View<double**, Kokkos::LayoutLeft> X("X", 100, 4);
  const Kokkos::View<double**, Kokkos::LayoutLeft> Y("Y", 100, 4);
  Kokkos::deep_copy(X, 3);
  iterate(exec, plan, X, Y);
  exec.fence();
  EXPECT_EQ(on_host(Y)(99, 3), 6);
}

TEST(guides, plans_of_floats) {
  const Exec exec;
  testing::internal::CaptureStdout();
  const auto plan = plan_of_floats(exec, diagonal_of_two(100), 4);
  EXPECT_NE(testing::internal::GetCapturedStdout().find("off by 0.0e+00"), std::string::npos);
  const Kokkos::View<double**> X("X", 100, 4);
  const Kokkos::View<double**> Y("Y", 100, 4);
  Kokkos::deep_copy(X, 0.1);
  fatvec::spmm(exec, 1.0, plan, X, 0.0, Y);
  exec.fence();
  EXPECT_EQ(on_host(Y)(99, 3), 0.2);
}

TEST(guides, transposes) {
  const Exec exec;
  const Kokkos::View<double**> X("X", 10, 2);
  const Kokkos::View<double**> Y("Y", 10, 2);
  Kokkos::deep_copy(X, 1);
  with_the_transpose(exec, diagonal_of_two(10), X, Y);
  exec.fence();
  EXPECT_EQ(on_host(Y)(3, 1), 4);
}

TEST(guides, statistics) {
  const Exec exec;
  const Kokkos::View<double*> x("x", 4);
  const Kokkos::View<double**> X("X", 4, 2);
  const Kokkos::View<double**> Y("Y", 4, 2);
  Kokkos::deep_copy(x, -1);
  Kokkos::deep_copy(X, 2);
  Kokkos::deep_copy(Y, 3);
  testing::internal::CaptureStdout();
  norms(exec, x, X, Y);
  EXPECT_EQ(testing::internal::GetCapturedStdout(),
            "sum -4, of magnitudes 4, of squares 4, from -1 to -1\n2-norm 2, maximum norm 1\n"
            "of column 1: sum 8, dot product 24\n");
  EXPECT_EQ(last_products(exec, 2, X, Y), (std::vector<double>{24, 24}));
}

TEST(guides, files) {
  const std::string path = testing::TempDir() + "guides.mtx";
  std::ofstream(path) << "%%MatrixMarket matrix coordinate real general\n2 3 2\n2 1 5\n2 1 1\n";
  const Matrix A = read(path.c_str());
  EXPECT_EQ(A.cols(), 3);
  EXPECT_EQ(A.nnz(), 1);
  EXPECT_EQ(on_host(A.values)(0), 6);
}

}  // namespace
