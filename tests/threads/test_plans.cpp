// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include <fatvec/plan/plan.hpp>

#include "at_once.hpp"
#include "generated.hpp"

/// One plan or matrix, and several threads of the host, each with an instance, an X and a Y of its
/// own.
namespace fatvec {
namespace {

using Exec = Kokkos::DefaultExecutionSpace;
using Csr = CsrMatrix<double, std::int32_t, Exec>;
using Right = Kokkos::View<double**, Kokkos::LayoutRight, Exec>;
constexpr int k = 6;
constexpr int threads = 2;
constexpr int repeats = 20;
constexpr const char* kernels[] = {"csr-row", "hll-row", "sell-row", "bsr-row", "bittcf-window"};

/// Round numbers, another one for each thread.
Right vectors(std::int64_t rows, int thread) {
  const Right x("x", rows, k);
  const auto host = Kokkos::create_mirror_view(x);
  for (std::size_t i = 0; i < host.extent(0); ++i)
    for (std::size_t c = 0; c < k; ++c)
      host(i, c) = static_cast<double>((i * 7 + c * 3) % 11) - 5 + thread;
  Kokkos::deep_copy(x, host);
  return x;
}

/// A matrix, and each thread's instance, X and Y.
class ManyThreads : public testing::Test {
 protected:
  ManyThreads() : host_(test::generated("gen:powerlaw:700:4.2")) {
    for (std::size_t n = 0; n < host_.values.extent(0); ++n)
      host_.values(n) = static_cast<double>(n % 17) - 8;
    a_ = mirror<Exec>(host_);
    for (int t = 0; t < threads; ++t) x_.push_back(vectors(a_.cols(), t));
  }

  [[nodiscard]] static PlanOptions options(const char* kernel) {
    PlanOptions options;
    options.choice = Choice{kernel};
    options.machine =
        Machine{"test", Exec::name(), detail::is_host<Exec>, 4, 50, 200, 32e6, 1e-6, 1e-8};
    options.keep_value_map = true;
    return options;
  }

  /// multiply(t, exec, X, Y) by all threads at once, `repeats` times; each Y is to become `factor`
  /// times A · X.
  template <class Multiply>
  void expect_products(double factor, const std::string& what, const Multiply& multiply) {
    std::vector<Right> y;
    for (int t = 0; t < threads; ++t) y.emplace_back("y", a_.rows(), k);
    Kokkos::fence();
    test::at_once(threads, [&](int t) {
      const auto n = static_cast<std::size_t>(t);
      for (int repeat = 0; repeat < repeats; ++repeat) multiply(t, instances_[n], x_[n], y[n]);
      instances_[n].fence();
    });
    for (std::size_t t = 0; t < threads; ++t) {
      const auto of_x = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), x_[t]);
      const auto of_y = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), y[t]);
      for (int i = 0; i < a_.rows(); ++i)
        for (std::size_t c = 0; c < k; ++c) {
          double sum = 0;
          for (auto n = host_.row_map(i); n < host_.row_map(i + 1); ++n)
            sum += host_.values(n) * of_x(static_cast<std::size_t>(host_.entries(n)), c);
          ASSERT_EQ(of_y(static_cast<std::size_t>(i), c), factor * sum)
              << what << ", thread " << t << ": " << i << ", " << c;
        }
    }
  }

  /// A's values times a factor.
  [[nodiscard]] Csr::Scalars scaled(double factor) const {
    const Csr::Scalars values("values", a_.values.extent(0));
    const auto host = Kokkos::create_mirror_view(values);
    for (std::size_t n = 0; n < host.extent(0); ++n) host(n) = factor * host_.values(n);
    Kokkos::deep_copy(values, host);
    return values;
  }

  CsrMatrix<double, std::int32_t, Kokkos::DefaultHostExecutionSpace> host_;
  Csr a_;
  decltype(Kokkos::Experimental::partition_space(Exec(), 1, 1)) instances_ =
      Kokkos::Experimental::partition_space(Exec(), 1, 1);
  std::vector<Right> x_;
};

TEST_F(ManyThreads, MultiplyByOnePlan) {
  for (const char* kernel : kernels) {
    const auto plan = analyse(Exec(), a_, k, options(kernel));
    expect_products(repeats, kernel, [&](int, const Exec& exec, const Right& x, const Right& y) {
      spmm(exec, 1.0, plan, x, 1.0, y);
    });
  }
}

TEST_F(ManyThreads, MultiplyByOneMatrix) {
  const auto multiply_by = [&](const auto& matrix) {
    expect_products(repeats, "matrix", [&](int, const Exec& exec, const Right& x, const Right& y) {
      spmm(exec, 1.0, matrix, x, 1.0, y);
    });
  };
  multiply_by(a_);
  multiply_by(prepare(Exec(), a_, 8));
  multiply_by(convert<HllMatrix<double, std::int32_t, Exec>>(Exec(), a_));
}

TEST_F(ManyThreads, CopyOnePlanAndMultiply) {
  for (const char* kernel : kernels) {
    const auto plan = analyse(Exec(), a_, k, options(kernel));
    expect_products(repeats, kernel, [&](int, const Exec& exec, const Right& x, const Right& y) {
      const auto copy = plan;
      spmm(exec, 1.0, copy, x, 1.0, y);
    });
  }
}

/// Plans of one matrix: their values are their own, A's arrays are shared.
TEST_F(ManyThreads, UpdatePlansOfOneMatrix) {
  const auto twice = scaled(2);
  for (const char* kernel : kernels) {
    std::vector<CsrPlan<double>> plans;
    for (int t = 0; t < threads; ++t) plans.push_back(analyse(Exec(), a_, k, options(kernel)));
    expect_products(2, kernel, [&](int t, const Exec& exec, const Right& x, const Right& y) {
      auto& plan = plans[static_cast<std::size_t>(t)];
      plan.update(exec, a_.values);
      plan.update(exec, twice);
      spmm(exec, 1.0, plan, x, 0.0, y);
    });
  }
}

/// The first of them measures the machine, the others wait for it.
TEST_F(ManyThreads, AnalyseOneMatrix) {
  PlanOptions measured;
  std::vector<std::optional<CsrPlan<double>>> plans(threads);
  test::at_once(threads, [&](int t) {
    const auto n = static_cast<std::size_t>(t);
    plans[n].emplace(analyse(instances_[n], a_, k, measured));
  });
  expect_products(repeats, "analysed",
                  [&](int t, const Exec& exec, const Right& x, const Right& y) {
                    spmm(exec, 1.0, *plans[static_cast<std::size_t>(t)], x, 1.0, y);
                  });
}

}  // namespace
}  // namespace fatvec
