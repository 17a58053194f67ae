// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <thread>

#include <fatvec/plan/plan.hpp>

#include "generated.hpp"

/// Plans: right whatever they chose, honest about why, and as undemanding as a product of a matrix
/// when they run.
namespace fatvec {
namespace {

using Exec = Kokkos::DefaultHostExecutionSpace;
using Csr = CsrMatrix<double, int, Exec>;
using Right = Kokkos::View<double**, Kokkos::LayoutRight, Exec>;
using Left = Kokkos::View<double**, Kokkos::LayoutLeft, Exec>;

/// However a device is spelled, the plan is the one that fatvec::kernels has.
static_assert(
    std::is_same_v<decltype(analyse(Exec(), CsrMatrix<double, int, Exec::device_type>(), 1)),
                   CsrPlan<double, int, Exec>>);
static_assert(std::is_same_v<CsrPlan<double, int, Exec::device_type>, CsrPlan<double, int, Exec>>);

/// Of round numbers: every choice measures and decides the same on every machine.
Machine a_machine() {
  return {"test", Exec::name(), true, 4, 50, 200, 32e6, 1e-6, 1e-8};
}

Csr a_matrix(const char* spec = "gen:powerlaw:700:4.2") {
  const Csr generated = test::generated(spec);
  for (std::size_t n = 0; n < generated.values.extent(0); ++n)
    generated.values(n) = static_cast<double>(n % 17) - 8;  // exact
  return generated;
}

template <class View>
View filled(const std::string& label, int rows, int columns) {
  const View view(label, rows, columns);
  for (int i = 0; i < rows; ++i)
    for (int c = 0; c < columns; ++c) view(i, c) = (i * 7 + c * 3) % 11 - 5;
  return view;
}

/// Y = 2 op(A) X + beta Y by the plan against the definition.
template <class View, class PlanOf>
void expect_product(const PlanOf& plan, const Csr& a, int k, double beta) {
  const auto x = filled<View>("x", a.cols(), k);
  auto y = filled<View>("y", a.rows(), k);
  if (beta == 0) Kokkos::deep_copy(y, std::numeric_limits<double>::quiet_NaN());
  const auto before = filled<View>("before", a.rows(), k);
  spmm(Exec(), 2.0, plan, x, beta, y);
  Exec().fence();
  for (int i = 0; i < a.rows(); ++i) {
    for (int c = 0; c < k; ++c) {
      double expected = beta == 0 ? 0 : beta * before(i, c);
      for (auto n = a.row_map(i); n < a.row_map(i + 1); ++n)
        expected += 2 * a.values(n) * x(a.entries(n), c);
      ASSERT_EQ(y(i, c), expected) << "row " << i << ", column " << c << " of " << k;
    }
  }
}

TEST(Plan, MultipliesByEveryKernelInEveryLayoutPackedOrNot) {
  const Csr a = a_matrix();
  for (const char* kernel : {"csr-row", "hll-row", "sell-row", "bsr-row", "bittcf-window"}) {
    for (const bool packed : {false, true}) {
      PlanOptions options{.choice = Choice{.kernel = kernel, .packed = packed},
                          .machine = a_machine()};
      const auto plan = analyse(Exec(), a, 9, options);
      EXPECT_EQ(plan.choice(), *options.choice);
      for (const int k : {9, 1, 4, 12}) {  // 12: more than the plan's copies hold
        for (const double beta : {0.0, -1.0}) {
          expect_product<Right>(plan, a, k, beta);
          expect_product<Left>(plan, a, k, beta);
        }
      }
    }
  }
}

TEST(Plan, MultipliesByEveryKernelThereIs) {
  const Csr a = a_matrix();
  for (const auto kernel : kernel_names) {
    const PlanOptions options{.choice = Choice{.kernel = std::string(kernel)},
                              .machine = a_machine()};
    expect_product<Right>(analyse<AllKernels>(Exec(), a, 3, options), a, 3, 0.0);
  }
}

TEST(Plan, MixedLayoutsOfXAndYNeedNoPacking) {
  const Csr a = a_matrix("gen:stencil7:6");
  const auto plan = analyse(
      Exec(), a, 5,
      {.layout = Layout::column, .choice = Choice{"hll-row", "", true}, .machine = a_machine()});
  const auto x = filled<Left>("x", a.cols(), 5);
  const Right y("y", a.rows(), 5);
  spmm(Exec(), 1.0, plan, x, 0.0, y);
  const Left z("z", a.rows(), 5);
  spmm(Exec(), 1.0, plan, x, 0.0, z);
  for (int i = 0; i < a.rows(); ++i)
    for (int c = 0; c < 5; ++c) ASSERT_EQ(y(i, c), z(i, c));
}

TEST(Plan, TakesAMatrixWithAnotherSpellingOfItsDevice) {
  const Csr a = a_matrix();
  const CsrMatrix<double, int, Exec::device_type> same = a;
  const auto plan = analyse(Exec(), same, 3, {.choice = Choice{"hll-row"}, .machine = a_machine()});
  expect_product<Right>(plan, a, 3, 0.0);
}

TEST(Plan, MultipliesByTheTranspose) {
  const Csr a = a_matrix("gen:uniform:60x90:5");
  const auto plan = analyse(Exec(), a, 2, {.op = Op::transpose, .machine = a_machine()});
  EXPECT_EQ(plan.rows(), 90);
  EXPECT_EQ(plan.cols(), 60);
  expect_product<Right>(plan, transpose(Exec(), a), 2, 0.0);
}

TEST(Plan, UpdateTakesNewValues) {
  const Csr a = a_matrix();
  auto plan = analyse(Exec(), a, 2, {.choice = Choice{"hll-row"}, .machine = a_machine()});
  for (std::size_t n = 0; n < a.values.extent(0); ++n) a.values(n) += 1;
  plan.update(Exec(), a);
  expect_product<Right>(plan, a, 2, 0.0);
  EXPECT_THROW(plan.update(Exec(), a_matrix("gen:stencil7:5")), ShapeError);
}

TEST(Plan, WrongShapesAreRefusedPackedOrNot) {
  const Csr a = a_matrix();
  for (const bool packed : {false, true}) {
    const auto plan =
        analyse(Exec(), a, 4, {.choice = Choice{"csr-row", "", packed}, .machine = a_machine()});
    const Left x("x", a.cols() - 1, 4);
    const Left y("y", a.rows(), 4);
    EXPECT_THROW(spmm(Exec(), 1.0, plan, x, 0.0, y), ShapeError);
    EXPECT_THROW(spmm(Exec(), 1.0, plan, y, 0.0, y), ShapeError);
  }
  EXPECT_THROW(analyse(Exec(), a, 0), ShapeError);
}

TEST(Plan, UnknownPoliciesAreNamed) {
  const PlanOptions options{.choice = Choice{"csr-row", "form:team/width:99/threads_per_row:1"},
                            .machine = a_machine()};
  EXPECT_THROW(analyse(Exec(), a_matrix(), 1, options), UsageError);
}

TEST(Plan, KernelsThatThePlanDoesNotHaveAreNotForced) {
  const auto plan =
      analyse(Exec(), a_matrix(), 1, {.choice = Choice{"jad-row"}, .machine = a_machine()});
  EXPECT_NE(plan.choice().kernel, "jad-row");
}

TEST(Plan, RanksByTheWholeCostAndSaysWhy) {
  const auto plan =
      analyse(Exec(), a_matrix("gen:stencil27:12"), 8, {.products = 1, .machine = a_machine()});
  EXPECT_EQ(plan.choice().kernel, "csr-row") << "one product does not pay for a conversion";
  ASSERT_EQ(plan.ranking().size(), 5U) << "BitTCF is for tensor cores";
  for (const auto& prediction : plan.ranking()) {
    double sum = 0;
    for (const double part : prediction.parts) sum += part;
    EXPECT_DOUBLE_EQ(sum, prediction.seconds);
    EXPECT_GT(prediction.seconds, 0);
    EXPECT_GT(prediction.bytes, prediction.matrix_bytes);
  }
  EXPECT_NE(plan.reason().find("csr should take"), std::string::npos) << plan.reason();
  EXPECT_EQ(plan.reason().back(), '.');
}

TEST(Plan, WhatDoesNotFitComesLast) {
  const Csr a = a_matrix();
  FormatOptions format;
  format.memory_limit = a.bytes() - 1;
  const auto plan =
      analyse(Exec(), a, 8, {.products = 1e9, .machine = a_machine(), .format = format});
  EXPECT_EQ(plan.choice().kernel, "csr-row");
  EXPECT_FALSE(plan.ranking().back().fits);
  format.memory_limit = 1000;  // not even copies of X and Y
  const auto column =
      analyse(Exec(), a, 8, {.layout = Layout::column, .machine = a_machine(), .format = format});
  EXPECT_EQ(column.choice(), Choice{"csr-row"});
  for (const auto& prediction : column.ranking())
    EXPECT_EQ(prediction.fits, prediction.choice == Choice{"csr-row"});
}

TEST(Plan, FormatsThatNobodyHasMeasuredAreThoughtToBeLikeCsr) {
  for (const bool cpu : {false, true}) {
    for (const Layout layout : {Layout::row, Layout::column}) {
      const CostFactors& unknown = detail::factors_of(cpu, layout, "no such format");
      EXPECT_EQ(unknown.format, "csr");
      EXPECT_EQ(unknown.cpu, cpu);
      EXPECT_EQ(unknown.layout, layout);
    }
  }
}

TEST(Plan, OneColumnHasNoLayout) {
  const Structure structure = structure_of(Exec(), a_matrix());
  Machine machine = a_machine();
  for (const bool cpu : {false, true}) {
    machine.cpu = cpu;
    for (const std::string_view kernel : kernel_names) {
      const Choice choice{std::string(kernel)};
      EXPECT_EQ(predict(machine, structure, {.k = 1, .layout = Layout::column}, choice).seconds,
                predict(machine, structure, {.k = 1, .layout = Layout::row}, choice).seconds);
      EXPECT_NE(predict(machine, structure, {.k = 8, .layout = Layout::column}, choice).seconds,
                predict(machine, structure, {.k = 8, .layout = Layout::row}, choice).seconds);
    }
  }
}

TEST(Plan, CountsTheCopiesThatPackingMakes) {
  Structure structure = structure_of(Exec(), a_matrix());
  Machine machine = a_machine();
  machine.cpu = false;
  const double x = static_cast<double>(structure.rows.cols) * 64;
  const double y = static_cast<double>(structure.rows.rows) * 64;
  const auto copied = [&](const char* kernel, std::size_t value_bytes = 0) {
    const Workload workload{.k = 64, .layout = Layout::column, .value_bytes = value_bytes};
    return predict(machine, structure, workload, {kernel, "", true}).new_bytes -
           predict(machine, structure, workload, {kernel, "", false}).new_bytes;
  };
  EXPECT_EQ(copied("csr-row"), 8 * (x + y));
  EXPECT_EQ(copied("bittcf-window"), 8 * x) << "tensor cores write columns";
  structure.value_bytes = 4;
  EXPECT_EQ(copied("bittcf-window"), 4 * (x + y)) << "lanes do not, with these columns";
  EXPECT_EQ(copied("csr-row", 8), 8 * (x + y)) << "A in float, X and Y in double";
  EXPECT_EQ(copied("bittcf-window", 8), 8 * x) << "tensor cores multiply X's doubles";
}

TEST(Plan, CountsValuesOfAAndOfXApart) {
  const Csr a = a_matrix();
  Structure of_float = structure_of(Exec(), a);
  of_float.value_bytes = 4;
  for (auto& [format, footprint] : of_float.formats)
    if (format == "csr") footprint.bytes -= 4 * static_cast<double>(a.nnz());
  const auto bytes = [&](const Structure& structure, std::size_t value_bytes) {
    const Workload workload{.k = 8, .value_bytes = value_bytes};
    return predict(a_machine(), structure, workload, {"csr-row"}).bytes;
  };
  const double both = bytes(of_float, 0);
  const double mixed = bytes(of_float, 8);
  const double all_double = bytes(structure_of(Exec(), a), 0);
  EXPECT_EQ(bytes(of_float, 4), both);
  EXPECT_EQ(all_double - mixed, 4 * static_cast<double>(a.nnz())) << "the values of A";
  EXPECT_GE(mixed - both, 4 * 8 * static_cast<double>(a.rows())) << "X and Y";
}

TEST(Plan, CountsTheValueMapAmongWhatMustFit) {
  const Csr a = a_matrix();
  const Structure structure = structure_of(Exec(), a);
  const auto map_of = [&](const char* kernel, bool itself) {
    Workload workload{.k = 3, .multiplies_a_itself = itself};
    const auto without = predict(a_machine(), structure, workload, {kernel});
    workload.keeps_value_map = true;
    const auto with = predict(a_machine(), structure, workload, {kernel});
    EXPECT_EQ(with.new_bytes - without.new_bytes, with.value_map_bytes);
    return with.value_map_bytes;
  };
  const auto plan = analyse(
      Exec(), a, 3, {.choice = Choice{"hll-row"}, .machine = a_machine(), .keep_value_map = true});
  EXPECT_EQ(map_of("hll-row", true), plan.value_map_bytes());
  EXPECT_EQ(map_of("csr-row", true), 0) << "CSR shares the values";
  EXPECT_EQ(map_of("csr-row", false), 4 * a.nnz()) << "a transpose does not";

  // Memory for HLL, but not for the map, too.
  const auto hll = convert<HllMatrix<double, int, Exec>>(Exec(), a);
  const auto memory = static_cast<double>(hll.bytes()) + 1;
  for (const bool keeps : {false, true}) {
    const auto ranking = rank(a_machine(), structure, {.k = 3, .keeps_value_map = keeps},
                              {"csr-row", "hll-row"}, memory);
    for (const auto& prediction : ranking)
      EXPECT_EQ(prediction.fits, prediction.format == "csr" || !keeps);
  }
}

TEST(Plan, TakesMatricesWithoutRowsOrEntries) {
  for (const auto& [rows, cols] :
       {std::pair(0, 0), std::pair(0, 5), std::pair(5, 0), std::pair(5, 5)}) {
    const Csr a(rows, cols, Csr::Offsets("row_map", rows + 1), {}, {});
    for (const bool packed : {false, true}) {
      const auto plan =
          analyse(Exec(), a, 3, {.choice = Choice{"hll-row", "", packed}, .machine = a_machine()});
      expect_product<Left>(plan, a, 3, 0.0);
      EXPECT_FALSE(analyse(Exec(), a, 3, {.machine = a_machine()}).reason().empty());
    }
  }
}

int fences = 0;
int allocations = 0;
void count_fence(const char*, std::uint32_t, std::uint64_t*) {
  ++fences;
}
void count_allocation(Kokkos_Profiling_SpaceHandle, const char*, const void*, std::uint64_t) {
  ++allocations;
}

TEST(Plan, ProductsNeitherFenceNorAllocate) {
  const Csr a = a_matrix("gen:stencil27:12");
  const Exec exec;
  for (const bool packed : {false, true}) {
    const auto plan =
        analyse(exec, a, 8, {.choice = Choice{"hll-row", "", packed}, .machine = a_machine()});
    const auto x = filled<Left>("x", a.cols(), 8);
    const Left y("y", a.rows(), 8);
    Kokkos::Tools::Experimental::set_begin_fence_callback(count_fence);
    Kokkos::Tools::Experimental::set_allocate_data_callback(count_allocation);
    fences = allocations = 0;
    spmm(exec, 1.0, plan, x, 0.0, y);
    spmm(exec, 1.0, a, x, 0.0, y);
    const int seen_fences = fences;
    const int seen_allocations = allocations;
    exec.fence();
    EXPECT_EQ(seen_fences, 0);
    EXPECT_EQ(seen_allocations, 0);
    EXPECT_GT(fences, 0) << "the counter counts";
    Kokkos::Tools::Experimental::set_begin_fence_callback(nullptr);
    Kokkos::Tools::Experimental::set_allocate_data_callback(nullptr);
  }
}

TEST(Plan, RunsOnTwoInstancesAtATime) {
  const Csr a = a_matrix("gen:stencil27:12");
  const auto instances = Kokkos::Experimental::partition_space(Exec(), 1, 1);
  const auto plan = analyse(Exec(), a, 6, {.choice = Choice{"csr-row"}, .machine = a_machine()});
  const auto x = filled<Right>("x", a.cols(), 6);
  const Right y[] = {Right("y0", a.rows(), 6), Right("y1", a.rows(), 6)};
  const auto many = [&](int n) {
    for (int repeat = 0; repeat < 20; ++repeat) spmm(instances[n], 1.0, plan, x, 0.0, y[n]);
    instances[n].fence();
  };
  std::thread other(many, 0);
  many(1);
  other.join();
  const Right expected("expected", a.rows(), 6);
  spmm(1.0, a, x, 0.0, expected);
  for (int i = 0; i < a.rows(); ++i)
    for (int c = 0; c < 6; ++c) {
      ASSERT_EQ(y[0](i, c), expected(i, c));
      ASSERT_EQ(y[1](i, c), expected(i, c));
    }
}

TEST(Plan, TakesCsrWhereTheMachineCannotBe) {
  const Csr a = a_matrix();
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const double figure : {nan, 0.0}) {
    Machine machine = a_machine();
    machine.memory_gbs = machine.latency_seconds = figure;
    const auto plan = analyse(Exec(), a, 8, {.layout = Layout::column, .machine = machine});
    EXPECT_EQ(plan.choice(), Choice{"csr-row"});
    EXPECT_NE(plan.reason().find("memory bandwidth"), std::string::npos) << plan.reason();
    EXPECT_FALSE(plan.ranking().empty());
    expect_product<Left>(plan, a, 8, 0.0);
    const auto told = analyse(Exec(), a, 8, {.choice = Choice{"hll-row"}, .machine = machine});
    EXPECT_EQ(told.choice(), Choice{"hll-row"}) << "what was measured needs no figures";
  }
}

TEST(Structure, CountsWhatRowsShare) {
  // A dense column: 256 rows together read one row of X; a diagonal shares nothing.
  const int n = 1000;
  const Csr::Offsets row_map("row_map", n + 1);
  const Csr::Ordinals column("entries", n);
  const Csr::Ordinals diagonal("entries", n);
  for (int i = 0; i < n; ++i) {
    row_map(i + 1) = i + 1;
    diagonal(i) = i;
  }
  const Csr::Scalars values("values", n);
  EXPECT_EQ(structure_of(Exec(), Csr(n, n, row_map, column, values)).near_reads, 4);
  EXPECT_EQ(structure_of(Exec(), Csr(n, n, row_map, column, values)).far_reads, 1);
  EXPECT_EQ(structure_of(Exec(), Csr(n, n, row_map, diagonal, values)).near_reads, n);
}

}  // namespace
}  // namespace fatvec
