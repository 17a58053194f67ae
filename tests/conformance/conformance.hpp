// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <array>
#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include <fatvec/app/verify/oracle.hpp>
#include <fatvec/kernels/registry.hpp>

#include "multiply_with.hpp"
#include "with_layout.hpp"
#include "zoo.hpp"

/// What every registered kernel must pass, for one scalar, offset type and backend. Instantiated by
/// the files generated from kernel_conformance.cpp.in; a new kernel is tested without an edit here.
namespace fatvec::test {

template <class T>
T scalar(double real, double imaginary) {
  if constexpr (std::is_floating_point_v<T>)
    return static_cast<T>(real);
  else
    return T(real, imaginary);
}

/// The zoo's matrix with other scalars, in the execution space's memory.
template <class T, class Offset, class ExecSpace>
CsrMatrix<T, std::int32_t, ExecSpace, Offset> converted(const ZooMatrix& zoo) {
  using HostCsr = CsrMatrix<T, std::int32_t, Kokkos::DefaultHostExecutionSpace, Offset>;
  typename HostCsr::Offsets row_map("row_map", zoo.rows() + 1);
  typename HostCsr::Scalars values("values", zoo.nnz());
  for (int i = 0; i <= zoo.rows(); ++i) row_map(i) = static_cast<Offset>(zoo.row_map(i));
  for (int n = 0; n < zoo.nnz(); ++n)
    values(n) = scalar<T>(zoo.values(n), zoo.values(n) * ((n % 5) - 2) * 0.5);
  return mirror<ExecSpace>(HostCsr(zoo.rows(), zoo.cols(), row_map, zoo.entries, values));
}

/// A rows × k operand inside a larger allocation full of canaries: `padding` extra rows and columns
/// surround it on both sides. Of one View type, whose strides say the layout: users' View types are
/// test_spmm.cpp's.
template <class T, class ExecSpace>
class Operand {
 public:
  Operand(Layout layout, std::int64_t rows, std::int64_t k, int padding)
      : rows_(rows),
        k_(k),
        padding_(padding),
        layout_(layout),
        memory_("operand", (rows + 2 * padding) * (k + 2 * padding)),
        host_("operand on the host", memory_.extent(0)) {}

  /// Fills the inside with at(i, c), the padding with a value that no product gives.
  template <class At>
  void fill(const At& at) {
    Kokkos::deep_copy(host_, canary());
    for (std::int64_t i = 0; i < rows_; ++i)
      for (std::int64_t c = 0; c < k_; ++c) host_(place(i, c)) = at(i, c);
    Kokkos::deep_copy(memory_, host_);
  }
  void fetch() { Kokkos::deep_copy(host_, memory_); }

  [[nodiscard]] auto view() const { return inside_of(memory_); }
  [[nodiscard]] auto inside() const { return inside_of(host_); }
  [[nodiscard]] bool canaries_alive() const {
    for (std::int64_t i = -padding_; i < rows_ + padding_; ++i)
      for (std::int64_t c = -padding_; c < k_ + padding_; ++c) {
        const bool outside = i < 0 || i >= rows_ || c < 0 || c >= k_;
        if (outside && !(host_(place(i, c)) == canary())) return false;
      }
    return true;
  }

 private:
  static T canary() { return scalar<T>(-12345.0, 54321.0); }
  [[nodiscard]] std::int64_t row_stride() const {
    return layout_ == Layout::row ? k_ + 2 * padding_ : 1;
  }
  [[nodiscard]] std::int64_t column_stride() const {
    return layout_ == Layout::row ? 1 : rows_ + 2 * padding_;
  }
  [[nodiscard]] std::int64_t place(std::int64_t i, std::int64_t c) const {
    return (i + padding_) * row_stride() + (c + padding_) * column_stride();
  }
  template <class Memory>
  [[nodiscard]] auto inside_of(const Memory& memory) const {
    using View = Kokkos::View<T**, Kokkos::LayoutStride, typename Memory::memory_space,
                              Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
    return View(memory.data() + (memory.extent(0) > 0 ? place(0, 0) : 0),
                Kokkos::LayoutStride(rows_, row_stride(), k_, column_stride()));
  }

  std::int64_t rows_;
  std::int64_t k_;
  std::int64_t padding_;
  Layout layout_;
  Kokkos::View<T*, ExecSpace> memory_;
  Kokkos::View<T*, Kokkos::HostSpace> host_;
};

inline double x_value(std::int64_t j, std::int64_t c) {
  return 0.25 + 0.5 * static_cast<double>((j * 7 + c * 13) % 11) -
         0.125 * static_cast<double>(c % 3);
}

/// Counts how often an element comes, and adds up what comes.
template <class Y, class Counts>
struct CountingOutput {
  Y y;
  Counts counts;

  template <class T, int width>
  KOKKOS_FUNCTION void store(std::int64_t i, std::int64_t c, const T (&sums)[width]) const {
    for (int w = 0; w < width; ++w) {
      Kokkos::atomic_inc(&counts(i, c + w));
      y(i, c + w) += sums[w];
    }
  }
};

template <class Kernel, class ExecSpace, class T, class Offset,
          class Policy = PolicyOn<Kernel, ExecSpace>>
class Conformance {
  using Csr = CsrMatrix<T, std::int32_t, ExecSpace, Offset>;
  using Matrix = typename Kernel::template Matrix<T, std::int32_t, ExecSpace, Offset>;
  using HostX = Kokkos::View<T**, Kokkos::LayoutRight, Kokkos::HostSpace>;

 public:
  explicit Conformance(const ZooMatrix& zoo)
      : csr_(converted<T, Offset, ExecSpace>(zoo)),
        host_csr_(mirror<Kokkos::DefaultHostExecutionSpace>(csr_)) {}
  /// Of a matrix that is not one of the zoo.
  static Conformance of(const Csr& csr) {
    Conformance check;
    check.csr_ = csr;
    check.host_csr_ = mirror<Kokkos::DefaultHostExecutionSpace>(csr);
    return check;
  }

  /// All layouts of X and Y, plain and padded, and all k, in each layout the format has.
  void check_layouts(const std::vector<std::int64_t>& ks) {
    for (const bool row_major : {false, true}) {
      FormatOptions options;
      options.hack_size = row_major ? 7 : 32;
      options.slice_size = row_major ? 7 : 0;  // of which kernels of hosts may know the default
      options.block_size = row_major ? 7 : 3;  // one that kernels may compile for, one that not
      with_layout<Matrix>(row_major, [&]<class M>(std::type_identity<M>) {
        const M matrix = M::from_csr(ExecSpace(), csr_, options);
        check_layouts_of(prepared_for<Kernel, Policy>(ExecSpace(), matrix), ks);
      });
      if (testing::Test::HasFailure()) return;
    }
  }

  template <class M>
  void check_layouts_of(const M& matrix, const std::vector<std::int64_t>& ks) {
    for (const std::int64_t k : ks) {
      for (const auto& [alpha, beta] : {std::pair(1.0, 0.0), std::pair(-1.5, 0.5)}) {
        set_case(k, scalar<T>(alpha, alpha / 2), beta == 0 ? T{} : scalar<T>(beta, -beta));
        for (const auto layout_of_x : {Layout::row, Layout::column}) {
          for (const int padding : {0, 3}) {
            check_one(matrix, layout_of_x, padding, Layout::row, 3 - padding);
            check_one(matrix, layout_of_x, padding, Layout::column, padding);
          }
        }
        if (k == 1) check_rank_one(matrix);
        if (testing::Test::HasFailure()) return;
      }
    }
  }

  /// Every policy of the tuning range gives the same product, also of a matrix of which nothing is
  /// known.
  void check_policies(const std::vector<std::int64_t>& ks) {
    FormatOptions options;
    options.block_size = 4;
    for (const std::int64_t k : ks) {
      set_case(k, scalar<T>(2, 1), scalar<T>(-0.5, 0));
      with_layout<Matrix>(k % 4 == 3, [&]<class M>(std::type_identity<M>) {
        const Prepared<M> matrix(M::from_csr(ExecSpace(), csr_, options));
        for (const Policy& policy : Policy::tuning_range()) {
          SCOPED_TRACE(policy.to_string());
          check_one(matrix, Layout::row, 0, Layout::row, 1, policy);
          check_one(matrix, Layout::column, 1, Layout::column, 0, policy);
          if (testing::Test::HasFailure()) return;
        }
      });
      if (testing::Test::HasFailure()) return;
    }
  }

  /// An output of the caller's gets each element of A · X once, complete, from every form of the
  /// kernel: whole rows and rows in segments, teams, sweeps over columns, either layout of X.
  void check_outputs(const std::vector<std::int64_t>& ks) {
    FormatOptions options;
    options.block_size = 3;
    for (const std::int64_t k : ks) {
      set_case(k, T{1}, T{});
      with_layout<Matrix>(k % 2 == 0, [&]<class M>(std::type_identity<M>) {
        const M matrix = M::from_csr(ExecSpace(), csr_, options);
        const auto prepared = prepared_for<Kernel, Policy>(ExecSpace(), matrix);
        for (const auto layout : {Layout::row, Layout::column}) {
          check_output(prepared, layout, {});
          if (testing::Test::HasFailure()) return;
        }
        for (const Policy& policy : Policy::tuning_range()) {
          if (k == 5) check_output(matrix, Layout::row, policy);
          if (testing::Test::HasFailure()) return;
        }
      });
      if (testing::Test::HasFailure()) return;
    }
  }

  /// alpha = 0 scales Y, whatever A and X hold.
  void check_zero_alpha() {
    const double nan = std::numeric_limits<double>::quiet_NaN();
    const typename Csr::Scalars values("values", csr_.nnz());
    Kokkos::deep_copy(values, scalar<T>(nan, nan));
    const auto matrix = Matrix::from_csr(
        ExecSpace(), Csr(csr_.rows(), csr_.cols(), csr_.row_map, csr_.entries, values));
    for (const double beta : {0.0, 1.0, -0.5}) {
      set_case(5, T{}, scalar<T>(beta, 0));
      Kokkos::deep_copy(x_, scalar<T>(nan, nan));
      check_one(matrix, Layout::row, 0, Layout::row, 1);
      check_one(matrix, Layout::column, 0, Layout::column, 1);
    }
  }

  /// All block sizes of a format of blocks, in one layout or the other.
  void check_block_sizes() {
    if constexpr (requires { Matrix::max_block_size; }) {
      for (std::int64_t size = 0; size <= Matrix::max_block_size; ++size) {
        SCOPED_TRACE(size);
        FormatOptions options;
        options.block_size = size;
        with_layout<Matrix>(size % 2 == 0, [&]<class M>(std::type_identity<M>) {
          const auto matrix =
              prepared_for<Kernel, Policy>(ExecSpace(), M::from_csr(ExecSpace(), csr_, options));
          for (const std::int64_t k : {3, 8, 9}) {
            set_case(k, scalar<T>(2, 1), scalar<T>(-0.5, 0));
            check_one(matrix, Layout::row, 0, Layout::row, 0);
            check_one(matrix, Layout::column, 0, Layout::column, 0);
            if (testing::Test::HasFailure()) return;
          }
        });
        if (testing::Test::HasFailure()) return;
      }
    }
  }

  /// The format gives back the CSR matrix it was built from; one that does not keep the pattern,
  /// with zeros between the entries.
  void check_round_trip() {
    for (const auto& [slice, window, block] :
         {std::array<std::int64_t, 3>{1, 1, 1}, {4, 32, 3}, {32, 100, 0}, {100000, 1 << 20, 16}}) {
      FormatOptions options;
      options.hack_size = options.slice_size = slice;
      options.sort_window = window;
      options.block_size = block;
      with_layout<Matrix>(slice == 4,
                          [&]<class M>(std::type_identity<M>) { check_round_trip_of<M>(options); });
    }
  }
  template <class M>
  void check_round_trip_of(const FormatOptions& options) {
    const M matrix = M::from_csr(ExecSpace(), csr_, options);
    EXPECT_EQ(matrix.nnz(), csr_.nnz());
    EXPECT_EQ(static_cast<double>(matrix.stored_entries()),
              Matrix::footprint(ExecSpace(), csr_, options).stored_entries);
    EXPECT_EQ(static_cast<double>(matrix.bytes()),
              Matrix::footprint(ExecSpace(), csr_, options).bytes);
    const auto back = mirror<Kokkos::DefaultHostExecutionSpace>(matrix.to_csr(ExecSpace()));
    ASSERT_EQ(back.rows(), host_csr_.rows());
    ASSERT_EQ(back.cols(), host_csr_.cols());
    if (Matrix::keeps_pattern) {
      ASSERT_EQ(back.nnz(), host_csr_.nnz());
    }
    std::int64_t m = 0;
    const auto skip_zeros = [&](std::int64_t end, int column) {
      while (!Matrix::keeps_pattern && m < end && back.entries(m) != column &&
             back.values(m) == T{})
        ++m;
    };
    for (int i = 0; i < back.rows(); ++i) {
      ASSERT_EQ(back.row_map(i), m);
      const std::int64_t end = back.row_map(i + 1);
      for (std::int64_t n = host_csr_.row_map(i); n < host_csr_.row_map(i + 1); ++n, ++m) {
        skip_zeros(end, host_csr_.entries(n));
        ASSERT_LT(m, end);
        ASSERT_EQ(back.entries(m), host_csr_.entries(n));
        ASSERT_TRUE(back.values(m) == host_csr_.values(n));
      }
      skip_zeros(end, -1);
      ASSERT_EQ(m, end);
    }
  }

 private:
  Conformance() = default;

  void set_case(std::int64_t k, T alpha, T beta) {
    k_ = k;
    alpha_ = alpha;
    beta_ = beta;
    x_ = HostX("x", csr_.cols(), k);
    y_ = HostX("y", csr_.rows(), k);
    for (std::int64_t j = 0; j < csr_.cols(); ++j)
      for (std::int64_t c = 0; c < k; ++c) x_(j, c) = scalar<T>(x_value(j, c), x_value(c, j));
    // With beta = 0 whatever Y held must not matter.
    const double nan = std::numeric_limits<double>::quiet_NaN();
    for (std::int64_t i = 0; i < csr_.rows(); ++i)
      for (std::int64_t c = 0; c < k; ++c)
        y_(i, c) = beta == T{} ? scalar<T>(nan, nan) : scalar<T>(x_value(i + 3, c), 1);
    reference_ = verify::reference_product(alpha, host_csr_, x_, beta, y_);
  }

  template <class M>
  void check_one(const M& matrix, Layout layout_of_x, int x_padding, Layout layout_of_y,
                 int y_padding, const Policy& policy = {}) {
    Operand<T, ExecSpace> x(layout_of_x, csr_.cols(), k_, x_padding);
    Operand<T, ExecSpace> y(layout_of_y, csr_.rows(), k_, y_padding);
    x.fill([&](auto j, auto c) { return x_(j, c); });
    y.fill([&](auto i, auto c) { return y_(i, c); });
    multiply(policy, matrix, x.view(), y.view());
    y.fetch();
    const auto verdict = verify::compare(reference_, y.inside());
    EXPECT_TRUE(verdict.passed) << "k = " << k_ << ", X by " << to_string(layout_of_x) << ", Y by "
                                << to_string(layout_of_y) << ", padding " << x_padding << "/"
                                << y_padding << ": row " << verdict.worst_row << " column "
                                << verdict.worst_column << " is off by " << verdict.scaled
                                << " times what rounding allows";
    EXPECT_TRUE(y.canaries_alive()) << "k = " << k_ << ": elements around Y were overwritten";
  }

  template <class M>
  void check_output(const M& matrix, Layout layout_of_x, const Policy& policy) {
    Operand<T, ExecSpace> x(layout_of_x, csr_.cols(), k_, 0);
    Operand<T, ExecSpace> y(Layout::row, csr_.rows(), k_, 0);
    x.fill([&](auto j, auto c) { return x_(j, c); });
    y.fill([&](auto, auto) { return T{}; });
    const Kokkos::View<int**, ExecSpace> counts("counts", csr_.rows(), k_);
    multiply_to<Kernel>(ExecSpace(), policy, matrix, x.view(),
                        CountingOutput<decltype(y.view()), decltype(counts)>{y.view(), counts});
    y.fetch();
    EXPECT_TRUE(verify::compare(reference_, y.inside()).passed)
        << "output, k = " << k_ << ", X by " << to_string(layout_of_x) << ", "
        << policy.to_string();
    const auto host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), counts);
    for (std::size_t i = 0; i < host.extent(0); ++i)
      for (std::size_t c = 0; c < host.extent(1); ++c)
        ASSERT_EQ(host(i, c), 1) << "row " << i << ", column " << c << " of " << k_ << ", X by "
                                 << to_string(layout_of_x) << ", " << policy.to_string();
  }

  template <class M, class X, class Y>
  void multiply(const Policy& policy, const M& matrix, const X& x, const Y& y) {
    if constexpr (std::is_same_v<Policy, PolicyOn<Kernel, ExecSpace>>)
      spmm<Kernel>(ExecSpace(), policy, alpha_, matrix, x, beta_, y);
    else
      multiply_with<Kernel>(ExecSpace(), policy, alpha_, matrix, x, beta_, y);
  }

  /// Columns of a LayoutRight multivector: rank 1 and strided.
  template <class M>
  void check_rank_one(const M& matrix) {
    Operand<T, ExecSpace> x(Layout::row, csr_.cols(), 1, 2);
    Operand<T, ExecSpace> y(Layout::row, csr_.rows(), 1, 2);
    x.fill([&](auto j, auto c) { return x_(j, c); });
    y.fill([&](auto i, auto c) { return y_(i, c); });
    multiply(Policy{}, matrix, Kokkos::subview(x.view(), Kokkos::ALL, 0),
             Kokkos::subview(y.view(), Kokkos::ALL, 0));
    y.fetch();
    EXPECT_TRUE(verify::compare(reference_, y.inside()).passed) << "rank 1";
    EXPECT_TRUE(y.canaries_alive()) << "rank 1";
  }

  Csr csr_;
  CsrMatrix<T, std::int32_t, Kokkos::DefaultHostExecutionSpace, Offset> host_csr_;
  std::int64_t k_ = 1;
  T alpha_{};
  T beta_{};
  HostX x_;
  HostX y_;
  verify::Reference<T> reference_;
};

/// A test that is a function; registered at run time, one for each zoo matrix and configuration.
class FunctionTest : public testing::Test {
 public:
  explicit FunctionTest(std::function<void()> body) : body_(std::move(body)) {}
  void TestBody() override { body_(); }

 private:
  std::function<void()> body_;
};

inline void register_test(const std::string& suite, const std::string& name,
                          const std::function<void()>& body) {
  testing::RegisterTest(suite.c_str(), name.c_str(), nullptr, nullptr, __FILE__, __LINE__,
                        [=]() -> testing::Test* { return new FunctionTest(body); });
}

/// Outputs have their own code for each scalar: one of them is compiled.
template <class T, class Offset>
inline constexpr bool counts_outputs =
    std::is_same_v<T, double> && std::is_same_v<Offset, std::int32_t>;

/// Numbers of columns: widths of tiles up to 64, and what is left of tiles. Offsets do not change
/// tiles, and one column of complex numbers is as wide as two.
template <class T, class Offset>
std::vector<std::int64_t> conformance_columns() {
  if (sizeof(Offset) > 4) return {1, 5, 17};
  if (!std::is_floating_point_v<T>) return {1, 2, 3, 5, 8, 17, 33};
  return {1, 2, 3, 5, 6, 7, 8, 9, 16, 17, 24, 31, 33, 64};
}

template <class Kernel, class ExecSpace, class T, class Offset>
bool register_conformance(const std::string& suite) {
  using Check = Conformance<Kernel, ExecSpace, T, Offset>;
  for (const auto& name : zoo()) {
    register_test(suite, name, [name] {
      Check check(zoo_matrix(name));
      check.check_round_trip();
      check.check_zero_alpha();
      check.check_block_sizes();
      check.check_layouts(conformance_columns<T, Offset>());
      check.check_policies({1, 3, 7, 13, 40});
      if constexpr (counts_outputs<T, Offset>) check.check_outputs({1, 5});
      if constexpr (counts_outputs<T, Offset>)
        if (name == "ragged") check.check_outputs({100});  // several sweeps
    });
  }
  // scripts/check-memory gpu --brief, whose tools make a kernel tens of times slower: rows that are
  // empty, long, of all lengths and of blocks; an odd k, and one and several whole tiles.
  if constexpr (!detail::is_host<ExecSpace>)
    register_test(suite, "brief", [] {
      for (const char* name : {"mostly_empty_rows", "one_row", "ragged", "stencil9_dof2"}) {
        SCOPED_TRACE(name);
        Check check(zoo_matrix(name));
        check.check_zero_alpha();
        check.check_layouts({1, 5, 32});
        check.check_policies({5});
      }
    });
  // Larger matrices say nothing new about other scalars, and their oracle takes its time.
  if constexpr (!std::is_same_v<T, double> || !std::is_same_v<Offset, std::int32_t>) return true;
  register_test(suite, "real_matrices", [] {
    const auto paths = real_matrices();
    if (paths.empty()) GTEST_SKIP() << "FATVEC_MATRICES names no folder of real matrices";
    for (const auto& path : paths) {
      SCOPED_TRACE(path);
      Check check(real_matrix(path));
      check.check_round_trip();
      check.check_layouts({1, 6});
      if (testing::Test::HasFailure()) return;
    }
  });
  return true;
}

/// Device kernels on a host space: each of their policies, all layouts and block sizes.
template <class Kernel, class ExecSpace, class T, class Offset>
bool register_device_conformance(const std::string& suite) {
  using Check = Conformance<Kernel, ExecSpace, T, Offset, typename Kernel::DevicePolicy>;
  for (const auto& name : zoo()) {
    register_test(suite, name, [name] {
      Check check(zoo_matrix(name));
      check.check_block_sizes();
      check.check_layouts({1, 7, 40});
      check.check_policies({1, 3, 7, 13, 40});
      if constexpr (counts_outputs<T, Offset>) check.check_outputs({1, 5});
      if constexpr (counts_outputs<T, Offset>)
        if (name == "ragged") check.check_outputs({100});  // several sweeps
    });
  }
  return true;
}

}  // namespace fatvec::test
