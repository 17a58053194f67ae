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
#include <fatvec/kernels/spmm.hpp>

#include "multiply_with.hpp"
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
/// surround it on both sides, so that with padding > 0 the View handed to spmm is a strided
/// subview.
template <class T, class Layout, class ExecSpace>
class Operand {
 public:
  using Parent = Kokkos::View<T**, Layout, ExecSpace>;
  using HostParent = Kokkos::View<T**, Layout, Kokkos::HostSpace>;

  Operand(std::int64_t rows, std::int64_t k, int padding)
      : rows_(rows),
        k_(k),
        padding_(padding),
        parent_("operand", rows + 2 * padding, k + 2 * padding) {
    host_ = HostParent("operand on the host", parent_.extent(0), parent_.extent(1));
  }

  /// Fills the inside with at(i, c), the padding with a value that no product gives.
  template <class At>
  void fill(const At& at) {
    Kokkos::deep_copy(host_, canary());
    for (std::int64_t i = 0; i < rows_; ++i)
      for (std::int64_t c = 0; c < k_; ++c) host_(i + padding_, c + padding_) = at(i, c);
    Kokkos::deep_copy(parent_, host_);
  }
  void fetch() { Kokkos::deep_copy(host_, parent_); }

  /// Calls use(view) with the inside: the parent itself, or a strided part of it.
  template <class Use>
  void with_view(const Use& use) const {
    if (padding_ == 0) return use(parent_);
    use(Kokkos::subview(parent_, std::pair(padding_, padding_ + rows_),
                        std::pair(padding_, padding_ + k_)));
  }
  auto inside() const {
    return Kokkos::subview(host_, std::pair(padding_, padding_ + rows_),
                           std::pair(padding_, padding_ + k_));
  }
  [[nodiscard]] bool canaries_alive() const {
    for (std::int64_t i = 0; i < rows_ + 2 * padding_; ++i)
      for (std::int64_t c = 0; c < k_ + 2 * padding_; ++c) {
        const bool outside =
            i < padding_ || i >= rows_ + padding_ || c < padding_ || c >= k_ + padding_;
        if (outside && !(host_(i, c) == canary())) return false;
      }
    return true;
  }

 private:
  static T canary() { return scalar<T>(-12345.0, 54321.0); }
  std::int64_t rows_;
  std::int64_t k_;
  std::int64_t padding_;
  Parent parent_;
  HostParent host_;
};

template <class Layout>
inline constexpr const char* layout_name =
    std::is_same_v<Layout, Kokkos::LayoutRight> ? "LayoutRight" : "LayoutLeft";

inline double x_value(std::int64_t j, std::int64_t c) {
  return 0.25 + 0.5 * static_cast<double>((j * 7 + c * 13) % 11) -
         0.125 * static_cast<double>(c % 3);
}

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

  /// All layouts of X and Y, plain and padded, and all k, in each storage the format has.
  void check_layouts(const std::vector<std::int64_t>& ks) {
    for (const auto storage : {StorageOrder::column_major, StorageOrder::row_major}) {
      FormatOptions options;
      options.storage = storage;
      options.hack_size = options.slice_size = storage == StorageOrder::column_major ? 32 : 7;
      options.block_size = storage == StorageOrder::column_major
                               ? 3
                               : 7;  // one that kernels may compile for, one that not
      const Matrix matrix = Matrix::from_csr(ExecSpace(), csr_, options);
      for (const std::int64_t k : ks) {
        for (const auto& [alpha, beta] : {std::pair(1.0, 0.0), std::pair(-1.5, 0.5)}) {
          set_case(k, scalar<T>(alpha, alpha / 2), beta == 0 ? T{} : scalar<T>(beta, -beta));
          check_layouts_of_x<Kokkos::LayoutRight>(matrix);
          check_layouts_of_x<Kokkos::LayoutLeft>(matrix);
          if (k == 1) check_rank_one(matrix);
          if (testing::Test::HasFailure()) return;
        }
      }
    }
  }

  /// Every policy of the tuning range gives the same product.
  void check_policies(const std::vector<std::int64_t>& ks) {
    FormatOptions options;
    options.block_size = 4;
    for (const std::int64_t k : ks) {
      options.storage = options.storage == StorageOrder::column_major ? StorageOrder::row_major
                                                                      : StorageOrder::column_major;
      const Matrix matrix = Matrix::from_csr(ExecSpace(), csr_, options);
      set_case(k, scalar<T>(2, 1), scalar<T>(-0.5, 0));
      for (const Policy& policy : Policy::tuning_range()) {
        SCOPED_TRACE(policy.to_string());
        check_one<Kokkos::LayoutRight, Kokkos::LayoutRight>(matrix, 0, 1, policy);
        check_one<Kokkos::LayoutLeft, Kokkos::LayoutLeft>(matrix, 1, 0, policy);
        if (testing::Test::HasFailure()) return;
      }
    }
  }

  /// All block sizes of a format of blocks, in one storage or the other.
  void check_block_sizes() {
    if constexpr (requires { Matrix::max_block_size; }) {
      for (std::int64_t size = 0; size <= Matrix::max_block_size; ++size) {
        SCOPED_TRACE(size);
        FormatOptions options;
        options.block_size = size;
        options.storage = size % 2 == 0 ? StorageOrder::row_major : StorageOrder::column_major;
        const Matrix matrix = Matrix::from_csr(ExecSpace(), csr_, options);
        for (const std::int64_t k : {3, 8, 9}) {
          set_case(k, scalar<T>(2, 1), scalar<T>(-0.5, 0));
          check_one<Kokkos::LayoutRight, Kokkos::LayoutRight>(matrix, 0, 0);
          check_one<Kokkos::LayoutLeft, Kokkos::LayoutLeft>(matrix, 0, 0);
          if (testing::Test::HasFailure()) return;
        }
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
      options.storage = slice == 4 ? StorageOrder::row_major : StorageOrder::column_major;
      const Matrix matrix = Matrix::from_csr(ExecSpace(), csr_, options);
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
  }

 private:
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

  template <class LayoutX>
  void check_layouts_of_x(const Matrix& matrix) {
    for (const int padding : {0, 3}) {
      check_one<LayoutX, Kokkos::LayoutRight>(matrix, padding, 3 - padding);
      check_one<LayoutX, Kokkos::LayoutLeft>(matrix, padding, padding);
    }
  }

  template <class LayoutX, class LayoutY>
  void check_one(const Matrix& matrix, int x_padding, int y_padding, const Policy& policy = {}) {
    Operand<T, LayoutX, ExecSpace> x(csr_.cols(), k_, x_padding);
    Operand<T, LayoutY, ExecSpace> y(csr_.rows(), k_, y_padding);
    x.fill([&](auto j, auto c) { return x_(j, c); });
    y.fill([&](auto i, auto c) { return y_(i, c); });
    x.with_view([&](const auto& x_view) {
      y.with_view([&](const auto& y_view) { multiply(policy, matrix, x_view, y_view); });
    });
    y.fetch();
    const auto verdict = verify::compare(reference_, y.inside());
    EXPECT_TRUE(verdict.passed) << "k = " << k_ << ", X " << layout_name<LayoutX> << ", Y "
                                << layout_name<LayoutY> << ", padding " << x_padding << "/"
                                << y_padding << ": row " << verdict.worst_row << " column "
                                << verdict.worst_column << " is off by " << verdict.scaled
                                << " times what rounding allows";
    EXPECT_TRUE(y.canaries_alive()) << "k = " << k_ << ": elements around Y were overwritten";
  }

  template <class X, class Y>
  void multiply(const Policy& policy, const Matrix& matrix, const X& x, const Y& y) {
    if constexpr (std::is_same_v<Policy, PolicyOn<Kernel, ExecSpace>>)
      spmm<Kernel>(ExecSpace(), policy, alpha_, matrix, x, beta_, y);
    else
      multiply_with<Kernel>(ExecSpace(), policy, alpha_, matrix, x, beta_, y);
  }

  /// Columns of a LayoutRight multivector: rank 1 and strided.
  void check_rank_one(const Matrix& matrix) {
    Operand<T, Kokkos::LayoutRight, ExecSpace> x(csr_.cols(), 1, 2);
    Operand<T, Kokkos::LayoutRight, ExecSpace> y(csr_.rows(), 1, 2);
    x.fill([&](auto j, auto c) { return x_(j, c); });
    y.fill([&](auto i, auto c) { return y_(i, c); });
    x.with_view([&](const auto& x_view) {
      y.with_view([&](const auto& y_view) {
        multiply(Policy{}, matrix, Kokkos::subview(x_view, Kokkos::ALL, 0),
                 Kokkos::subview(y_view, Kokkos::ALL, 0));
      });
    });
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

template <class Kernel, class ExecSpace, class T, class Offset>
bool register_conformance(const std::string& suite) {
  using Check = Conformance<Kernel, ExecSpace, T, Offset>;
  for (const auto& name : zoo()) {
    register_test(suite, name, [name] {
      Check check(zoo_matrix(name));
      check.check_round_trip();
      check.check_block_sizes();
      check.check_layouts({1, 2, 3, 5, 6, 7, 8, 9, 16, 17, 24, 31, 33, 64});
      check.check_policies({1, 3, 7, 13, 40});
    });
  }
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

/// Device kernels on a host space: every policy of theirs, all layouts and block sizes.
template <class Kernel, class ExecSpace, class T, class Offset>
bool register_device_conformance(const std::string& suite) {
  using Check = Conformance<Kernel, ExecSpace, T, Offset, typename Kernel::DevicePolicy>;
  for (const auto& name : zoo()) {
    register_test(suite, name, [name] {
      Check check(zoo_matrix(name));
      check.check_block_sizes();
      check.check_layouts({1, 7, 40});
      check.check_policies({1, 3, 7, 13, 40});
    });
  }
  return true;
}

}  // namespace fatvec::test
