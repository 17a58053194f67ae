// SPDX-License-Identifier: Apache-2.0
#include <fatvec/fatvec.hpp>
#include <fatvec/generate/generate.hpp>

#include <string>
#include <vector>

#include "oracle.hpp"

namespace fatvec::test {
namespace {

using Csr = CsrMatrix<double, std::int32_t, Exec, std::int32_t>;
using Rows = Vectors<Kokkos::LayoutRight>;

HostMatrix stencil() {
  return narrow(zoo_matrix("stencil7"));
}

/// What a call throws.
template <class Call>
std::string refusal(const Call& call) {
  try {
    call();
  } catch (const ShapeError& error) {
    return error.what();
  }
  return "";
}

class FusedCall : public testing::Test {
 protected:
  static constexpr int k = 5;
  Exec exec_;
  HostMatrix host_ = stencil();
  Csr csr_ = mirror<Exec>(host_);
  Prepared<Csr> a_ = prepare(exec_, csr_, k);
  HostVectors host_x_ = host_vectors(host_.cols(), k, 1);
  HostVectors host_b_ = host_vectors(host_.rows(), k, 2);
  Rows x_ = on_device<Kokkos::LayoutRight>(host_x_);
  Rows b_ = on_device<Kokkos::LayoutRight>(host_b_);
  Rows y_{"y", static_cast<std::size_t>(host_.rows()), k};
  Results dots_{"dots", k};
  Results norms_{"norms", k};

  void expect(double alpha, double beta, const HostVectors& before) const {
    const auto verdict = verify::compare(
        verify::reference_product(alpha, host_, host_x_, beta, before), fetched(y_));
    EXPECT_TRUE(verdict.passed) << verdict.scaled;
  }
};

TEST_F(FusedCall, MultipliesAndFormsTheDotProductsWithX) {
  spmm_dot(exec_, 2.0, a_, x_, 0.0, y_, dots_);
  expect(2.0, 0.0, host_b_);
  expect_dots(dots_, host_x_, fetched(y_), "dot product");
  spmm_dot(exec_, 1, analyse(exec_, csr_, k), x_, 0, y_, dots_);
  expect(1.0, 0.0, host_b_);
  expect_dots(dots_, host_x_, fetched(y_), "dot product by a plan");
}

TEST_F(FusedCall, FormsAResidualAndItsNorms) {
  residual(exec_, b_, a_, x_, y_, norms_);
  expect(-1.0, 1.0, host_b_);
  expect_dots(norms_, fetched(y_), fetched(y_), "norm");
  residual(exec_, b_, csr_, x_, y_);  // without norms no workspace is wanted
  expect(-1.0, 1.0, host_b_);
  residual(exec_, b_, csr_, x_, y_, norms_, fused::Workspace<Exec>(exec_, k, 1));
  expect_dots(norms_, fetched(y_), fetched(y_), "norm");
}

TEST_F(FusedCall, DoesAStepOfChebyshevsIteration) {
  const Results inverse("inverse", host_.rows());
  Kokkos::deep_copy(inverse, 0.25);
  Kokkos::deep_copy(y_, b_);
  chebyshev_step(exec_, 0.5, inverse, b_, csr_, x_, 0.75, y_);
  const auto got = fetched(y_);
  const auto product = verify::reference_product(-1.0, host_, host_x_, 1.0, host_b_);
  std::int64_t at = 0;
  for (std::int64_t i = 0; i < host_.rows(); ++i)
    for (int c = 0; c < k; ++c, ++at) {
      const long double wanted = 0.125L * product.value[at] + 0.75L * host_b_(i, c);
      EXPECT_NEAR(got(i, c), static_cast<double>(wanted), 1e-13);
    }
}

TEST_F(FusedCall, TakesFactorsWithoutASign) {
  const Results inverse("inverse", host_.rows());
  Kokkos::deep_copy(inverse, 0.25);
  chebyshev_step(exec_, 1.0, inverse, b_, csr_, x_, 0.0, y_);
  const auto wanted = fetched(y_);
  chebyshev_step(exec_, 1U, inverse, b_, csr_, x_, 0U, y_);
  const auto got = fetched(y_);
  for (std::int64_t i = 0; i < host_.rows(); ++i)
    for (int c = 0; c < k; ++c) ASSERT_EQ(got(i, c), wanted(i, c));
}

TEST_F(FusedCall, TakesColumnsOfRankOneAndStridedOnes) {
  const auto column = Kokkos::subview(x_, Kokkos::ALL, 2);
  const Kokkos::View<double*, Exec> y("y", host_.rows());
  const Results dot("dot", 1);
  spmm_dot(exec_, 1.0, a_, column, 0.0, y, dot);
  spmm_dot(exec_, 1.0, a_, x_, 0.0, y_, dots_);
  EXPECT_NEAR(fetched(dot)(0), fetched(dots_)(2), 1e-12 * std::fabs(fetched(dots_)(2)));
  const Rows wide("wide", host_.rows(), 2 * k + 1);
  const auto some = Kokkos::subview(wide, Kokkos::ALL, Kokkos::pair(3, 3 + k));
  spmm_dot(exec_, 1.0, a_, x_, 0.0, some, norms_);
  expect_dots(norms_, host_x_, fetched(y_), "dot product");
}

TEST_F(FusedCall, FormsSumsOfNothing) {
  const Csr empty(0, 7, Csr::Offsets("row_map", 1), Csr::Ordinals("entries", 0),
                  Csr::Scalars("values", 0));
  const Rows x("x", 7, k), y("y", 0, k);
  Kokkos::deep_copy(norms_, -1);
  spmm(exec_, 1.0, prepare(exec_, empty, k), x, 0.0, y, fused::square_norms(norms_));
  for (int c = 0; c < k; ++c) EXPECT_EQ(fetched(norms_)(c), 0);
}

TEST_F(FusedCall, TakesComplexNumbersAndConjugatesThem) {
  using T = Kokkos::complex<double>;
  using Complex = CsrMatrix<T, std::int32_t, Exec, std::int32_t>;
  const Complex::Scalars values("values", 2);
  Kokkos::deep_copy(values, T(0, 1));
  const Csr::Offsets row_map("row_map", 3);
  const auto offsets = Kokkos::create_mirror_view(row_map);
  for (int i = 0; i < 3; ++i) offsets(i) = i;
  Kokkos::deep_copy(row_map, offsets);
  const Csr::Ordinals entries("entries", 2);  // the first column
  const Complex a(2, 2, row_map, entries, values);
  const Kokkos::View<T**, Exec> x("x", 2, 1), y("y", 2, 1);
  Kokkos::deep_copy(x, T(2, 1));
  const Kokkos::View<T*, Exec> dots("dots", 1);
  const Results norms("norms", 1);
  spmm_dot(exec_, T(1), prepare(exec_, a, 1), x, T(0), y, dots, fused::square_norms(norms));
  // y = i (2 + i) = -1 + 2 i, twice
  EXPECT_EQ(fetched(dots)(0), T(0, 10));
  EXPECT_EQ(fetched(norms)(0), 10);
}

TEST_F(FusedCall, FormsSumsOfFloatInDouble) {
  using Float = CsrMatrix<float, std::int32_t, Exec, std::int32_t>;
  const Float::Scalars values("values", csr_.nnz());
  Kokkos::deep_copy(values, 1.0F);
  const Float a(csr_.rows(), csr_.cols(), csr_.row_map, csr_.entries, values);
  const Kokkos::View<float**, Exec> x("x", csr_.cols(), 1), y("y", csr_.rows(), 1);
  Kokkos::deep_copy(x, 1.0F);
  const Results sum("sum", 1);
  spmm_dot(exec_, 1, prepare(exec_, a, 1), x, 0, y, sum);
  EXPECT_EQ(fetched(sum)(0), csr_.nnz());
}

TEST_F(FusedCall, NeedNotBePreparedForAsManyColumns) {
  const auto few = prepare(exec_, csr_, 2);
  const auto call = [&] { spmm_dot(exec_, 1.0, few, x_, 0.0, y_, dots_); };
  EXPECT_NE(refusal(call), "");  // two sums of two columns are four of one
  EXPECT_NE(refusal([&] { spmm_dot(exec_, 1.0, Prepared<Csr>(csr_), x_, 0.0, y_, dots_); }), "");
  spmm_dot(exec_, 1.0, few, x_, 0.0, y_, dots_, fused::Workspace<Exec>(exec_, k, 1));
  expect_dots(dots_, host_x_, fetched(y_), "dot product");
}

TEST_F(FusedCall, RefusesOperandsThatDoNotConform) {
  const Rows narrow("narrow", host_.rows(), k - 1);
  const Results few("few", k - 1);
  const auto dot = [&](const auto&... parts) {
    return refusal([&] { spmm(exec_, 1.0, a_, x_, 0.0, y_, parts...); });
  };
  EXPECT_NE(dot(fused::dot_with(narrow, dots_)).find("dot_with's Z (narrow)"), std::string::npos);
  EXPECT_NE(dot(fused::dot_with(x_, few)).find("results (few)"), std::string::npos);
  EXPECT_NE(dot(fused::square_norms(few)).find("results (few)"), std::string::npos);
  EXPECT_NE(dot(fused::plus(1, narrow)).find("B (narrow)"), std::string::npos);
  EXPECT_NE(dot(fused::from(narrow)).find("Z (narrow)"), std::string::npos);
  EXPECT_NE(dot(fused::rows_scaled(few)).find("diagonal (few)"), std::string::npos);
  const Results third("third", k), fourth("fourth", k);
  EXPECT_NE(dot(fused::square_norms(dots_), fused::square_norms(norms_), fused::square_norms(third),
                fused::square_norms(fourth))
                .find("up to 3 dot products"),
            std::string::npos);
}

TEST_F(FusedCall, RefusesOperandsThatOverlapWithY) {
  EXPECT_NE(refusal([&] { spmm_dot(exec_, 1.0, a_, x_, 0.0, x_, dots_); }).find("share memory"),
            std::string::npos);
  EXPECT_NE(refusal([&] { spmm(exec_, 1.0, a_, x_, 0.0, y_, fused::dot_with(y_, dots_)); }), "");
  const Rows larger("larger", host_.rows() + 1, k);
  const auto upper = Kokkos::subview(larger, Kokkos::pair(0, host_.rows()), Kokkos::ALL);
  const auto lower = Kokkos::subview(larger, Kokkos::pair(1, host_.rows() + 1), Kokkos::ALL);
  EXPECT_NE(refusal([&] { residual(exec_, upper, a_, x_, lower); }), "");
  EXPECT_EQ(refusal([&] { residual(exec_, upper, a_, x_, upper); }), "");  // in its place
  const Results on_y(y_.data(), k), two("two", k + 1);
  const Results some(two.data(), k), others(two.data() + 1, k);
  EXPECT_NE(refusal([&] {
              spmm(exec_, 1.0, a_, x_, 0.0, y_, fused::square_norms(some),
                   fused::dot_with(x_, others));
            }),
            "");
  for (const auto& wrong : {on_y, norms_})
    EXPECT_NE(refusal([&] {
                spmm(exec_, 1.0, a_, x_, 0.0, y_, fused::square_norms(norms_),
                     fused::dot_with(x_, wrong));
              }),
              "")
        << wrong.label();
}

/// Allocations that Kokkos is told of.
TEST_F(FusedCall, AllocatesNothing) {
  static std::vector<std::string> allocations;
  const fused::Workspace<Exec> workspace(exec_, k, 3);
  Kokkos::Tools::Experimental::set_allocate_data_callback(
      [](Kokkos_Profiling_SpaceHandle, const char* label, const void*, std::uint64_t bytes) {
        // Kokkos allocates no bytes for each launch of teams on a GPU.
        if (bytes > 0) allocations.emplace_back(label);
      });
  spmm_dot(exec_, 1.0, a_, x_, 0.5, y_, dots_, fused::square_norms(norms_));
  residual(exec_, b_, csr_, x_, y_, norms_, workspace);
  spmm(exec_, 0.0, a_, x_, 0.5, y_, fused::square_norms(norms_));
  Kokkos::Tools::Experimental::set_allocate_data_callback(nullptr);
  EXPECT_EQ(allocations, std::vector<std::string>());
}

}  // namespace
}  // namespace fatvec::test
