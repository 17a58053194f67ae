// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <complex>
#include <cstdint>
#include <string>

#include <fatvec/generate/generate.hpp>
#include <fatvec/kernels/registry.hpp>
#include <fatvec/plan/plan.hpp>

#include "generated.hpp"

/// New values in the same pattern: the product of an updated plan is that of a new one, for every
/// format and operation.
namespace fatvec {
namespace {

using Exec = Kokkos::DefaultHostExecutionSpace;
template <class T>
using Csr = CsrMatrix<T, int, Exec>;

Machine a_machine() {
  return {"test", Exec::name(), true, 4, 50, 200, 32e6, 1e-6, 1e-8};
}

/// Rows of very different lengths, columns in no order.
template <class T>
Csr<T> a_matrix() {
  const auto generated = test::generated("gen:powerlaw:300:4.2");
  Csr<T> a(generated.rows(), generated.cols(), generated.row_map, generated.entries,
           typename Csr<T>::Scalars("values", generated.entries.extent(0)));
  for (int i = 0; i < a.rows(); ++i)
    for (auto n = a.row_map(i), m = a.row_map(i + 1) - 1; n < m; ++n, --m)
      std::swap(a.entries(n), a.entries(m));
  return a;
}

template <class T>
T value(std::size_t n, int salt) {
  const auto part = static_cast<double>((n * 5 + static_cast<std::size_t>(salt)) % 17) - 8;
  if constexpr (detail::is_complex<T>)
    return {part, static_cast<double>((n + static_cast<std::size_t>(salt)) % 5) - 2};
  else
    return part;
}

template <class T>
typename Csr<T>::Scalars values_of(std::size_t nnz, int salt) {
  const typename Csr<T>::Scalars values("values", nnz);
  for (std::size_t n = 0; n < nnz; ++n) values(n) = value<T>(n, salt);
  return values;
}

template <class Plan, class T>
void expect_same_products(const Plan& plan, const Plan& other, const std::string& what) {
  const Kokkos::View<T**, Kokkos::LayoutRight, Exec> x("x", plan.cols(), 3);
  const Kokkos::View<T**, Kokkos::LayoutRight, Exec> y("y", plan.rows(), 3);
  const Kokkos::View<T**, Kokkos::LayoutRight, Exec> expected("expected", plan.rows(), 3);
  for (std::size_t i = 0; i < x.extent(0); ++i)
    for (std::size_t c = 0; c < 3; ++c) x(i, c) = value<T>(i + c, 1);
  spmm(Exec(), 1.0, plan, x, 0.0, y);
  spmm(Exec(), 1.0, other, x, 0.0, expected);
  Exec().fence();
  for (std::size_t i = 0; i < y.extent(0); ++i)
    for (std::size_t c = 0; c < 3; ++c)
      ASSERT_EQ(y(i, c), expected(i, c)) << what << ": " << i << ", " << c;
}

template <class T, class Kernels>
void expect_updates(Op op) {
  Csr<T> a = a_matrix<T>();
  a.values = values_of<T>(a.entries.extent(0), 3);
  for_each_kernel([&](auto kernel) {
    const std::string name(decltype(kernel)::name);
    if (name.find("portable") != std::string::npos) return;  // the same formats
    FormatOptions format;
    format.block_size = 3;
    const PlanOptions options{.op = op,
                              .choice = Choice{.kernel = name},
                              .machine = a_machine(),
                              .keep_value_map = true,
                              .format = format};
    auto plan = analyse<Kernels>(Exec(), a, 3, options);
    ASSERT_EQ(plan.choice().kernel, name);
    Csr<T> other = a;
    for (const int salt : {7, 11}) {
      other.values = values_of<T>(a.entries.extent(0), salt);
      plan.update(Exec(), other.values);
      expect_same_products<decltype(plan), T>(plan, analyse<Kernels>(Exec(), other, 3, options),
                                              name);
    }
    EXPECT_EQ(a.values(1), value<T>(1, 3)) << name << " wrote to the caller's values";
  });
}

TEST(PlanUpdate, ReplacesTheValuesOfEveryFormat) {
  expect_updates<double, AllKernels>(Op::none);
}
TEST(PlanUpdate, TakesATranspose) {
  expect_updates<double, AllKernels>(Op::transpose);
}
TEST(PlanUpdate, TakesConjugates) {
  using C = Kokkos::complex<double>;
  using Kernels = TypeList<CsrPortable, HllPortable, BsrPortable>;  // the formats matter
  const auto a = a_matrix<C>();
  for (const Op op : {Op::conjugate, Op::conjugate_transpose, Op::none}) {
    Csr<C> first = a;
    first.values = values_of<C>(a.entries.extent(0), 3);
    for (const char* kernel : {"csr-portable", "hll-portable", "bsr-portable"}) {
      const PlanOptions options{.op = op,
                                .choice = Choice{.kernel = kernel},
                                .machine = a_machine(),
                                .keep_value_map = true};
      auto plan = analyse<Kernels>(Exec(), first, 3, options);
      Csr<C> second = a;
      second.values = values_of<C>(a.entries.extent(0), 7);
      plan.update(Exec(), second.values);
      expect_same_products<decltype(plan), C>(plan, analyse<Kernels>(Exec(), second, 3, options),
                                              kernel);
    }
  }
}

TEST(PlanUpdate, TakesOffsetsOf64Bits) {
  using Kernels = TypeList<CsrPortable, HllPortable>;
  const auto a = generate::generate(generate::parse_spec("gen:powerlaw:300:4.2"));
  static_assert(std::is_same_v<decltype(a)::offset_type, std::int64_t>);
  const PlanOptions options{
      .choice = Choice{.kernel = "hll-portable"}, .machine = a_machine(), .keep_value_map = true};
  auto plan = analyse<Kernels>(Exec(), a, 3, options);
  auto other = a;
  other.values = values_of<double>(a.entries.extent(0), 7);
  plan.update(Exec(), other.values);
  expect_same_products<decltype(plan), double>(plan, analyse<Kernels>(Exec(), other, 3, options),
                                               "64-bit offsets");
}

TEST(PlanUpdate, TellsItsBytes) {
  const auto a = a_matrix<double>();
  PlanOptions options{.choice = Choice{.kernel = "hll-row"}, .machine = a_machine()};
  EXPECT_EQ(analyse(Exec(), a, 3, options).value_map_bytes(), 0);
  options.keep_value_map = true;
  const auto hll = convert<HllMatrix<double, int, Exec>>(Exec(), a);
  EXPECT_EQ(analyse(Exec(), a, 3, options).value_map_bytes(),
            static_cast<std::uint64_t>(hll.stored_entries()) * sizeof(std::int32_t));
  EXPECT_NE(
      analyse(Exec(), a, 3, options)
          .reason()
          .find("For update() with new values it keeps " + human_bytes(4.0 * hll.stored_entries())),
      std::string::npos);
  options.choice = Choice{.kernel = "csr-row"};
  EXPECT_EQ(analyse(Exec(), a, 3, options).value_map_bytes(), 0) << "CSR shares the values";
}

template <class Error, class F>
void expect_error(const F& f, const char* part) {
  try {
    f();
    FAIL() << "no error with: " << part;
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
  }
}

TEST(PlanUpdate, SaysWhatIsMissing) {
  auto a = a_matrix<double>();
  const PlanOptions options{.choice = Choice{.kernel = "hll-row"}, .machine = a_machine()};
  auto plan = analyse(Exec(), a, 3, options);
  expect_error<UsageError>([&] { plan.update(Exec(), a.values); }, "keep_value_map");
  expect_error<ShapeError>([&] { plan.update(Exec(), values_of<double>(5, 1)); }, "5 values");
}

/// The matrix with two entries at one place.
Csr<double> with_duplicate(const Csr<double>& a) {
  const Csr<double>::Ordinals entries("entries", a.entries.extent(0));
  Kokkos::deep_copy(entries, a.entries);
  int row = 0;
  while (a.row_map(row + 1) - a.row_map(row) < 2) ++row;
  entries(a.row_map(row) + 1) = entries(a.row_map(row));
  return {a.rows(), a.cols(), a.row_map, entries, a.values};
}

TEST(PlanUpdate, ChoosesNoBlocksWhereTheyWouldAddUpDuplicates) {
  const auto a = test::generated("gen:stencil27:8:dof=3");
  const auto twice = with_duplicate(a);
  const PlanOptions options{.machine = a_machine(), .keep_value_map = true};
  ASSERT_EQ(analyse(Exec(), a, 8, options).choice().kernel, "bsr-row");
  for (const Op op : {Op::none, Op::transpose}) {
    PlanOptions of_op = options;
    of_op.op = op;
    auto plan = analyse(Exec(), twice, 8, of_op);
    EXPECT_NE(format_of_kernel(plan.choice().kernel), "bsr");
    for (const auto& prediction : plan.ranking()) EXPECT_NE(prediction.format, "bsr");
    EXPECT_NE(plan.reason().find("1 duplicate"), std::string::npos) << plan.reason();
    Csr<double> other = twice;
    other.values = values_of<double>(a.entries.extent(0), 7);
    plan.update(Exec(), other.values);
    expect_same_products<decltype(plan), double>(plan, analyse(Exec(), other, 8, of_op), "updated");
  }
  const auto without_map = analyse(Exec(), twice, 8, {.machine = a_machine()});
  EXPECT_EQ(without_map.choice().kernel, "bsr-row") << "adds them up, which is right";
}

TEST(PlanUpdate, StaysWhatItWasWhereItThrows) {
  const auto a = test::generated("gen:stencil27:8:dof=3");
  const auto twice = with_duplicate(a);
  const PlanOptions options{
      .choice = Choice{.kernel = "bsr-row"}, .machine = a_machine(), .keep_value_map = true};
  auto plan = analyse(Exec(), a, 8, options);
  Csr<double> other = twice;
  other.values = values_of<double>(a.entries.extent(0), 7);
  expect_error<UsageError>([&] { plan.update(Exec(), other); }, "1 duplicate entries");
  expect_same_products<decltype(plan), double>(plan, analyse(Exec(), a, 8, options), "as before");
  other = a;
  other.values = values_of<double>(a.entries.extent(0), 11);
  plan.update(Exec(), other.values);
  expect_same_products<decltype(plan), double>(plan, analyse(Exec(), other, 8, options), "updated");
}

TEST(PlanUpdate, RefusesDuplicatesThatBlocksAddUp) {
  const auto a = with_duplicate(a_matrix<double>());
  const PlanOptions options{
      .choice = Choice{.kernel = "bsr-row"}, .machine = a_machine(), .keep_value_map = true};
  expect_error<UsageError>([&] { analyse(Exec(), a, 3, options); }, "1 duplicate entries");
}

}  // namespace
}  // namespace fatvec
