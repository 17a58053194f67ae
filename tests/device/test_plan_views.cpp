// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <fatvec/plan/plan.hpp>

#include "generated.hpp"

/// Plans take the Views that applications have, on the default device: shared between host and
/// device, padded, apart in both dimensions, unmanaged, of constants. Everything is a round number,
/// and every result exact.
namespace fatvec {
namespace {

using Exec = Kokkos::DefaultExecutionSpace;
using Device = Exec::device_type;
using Host = Kokkos::DefaultHostExecutionSpace;
constexpr int k = 9;

auto host_matrix() {
  auto generated = test::generated("gen:powerlaw:700:4.2");
  for (std::size_t n = 0; n < generated.values.extent(0); ++n)
    generated.values(n) = static_cast<double>(n % 17) - 8;
  return generated;
}

double element(int i, int c) {
  return (i * 7 + c * 3) % 11 - 5;
}

template <class View>
void fill(const View& view) {
  const auto columns = static_cast<int>(view.extent(1));
  const Kokkos::View<double**, Kokkos::LayoutLeft, Host> filled("filled", view.extent(0),
                                                                view.extent(1));
  for (int i = 0; i < static_cast<int>(view.extent(0)); ++i)
    for (int c = 0; c < columns; ++c) filled(i, c) = element(i, c);
  const auto there = Kokkos::create_mirror_view_and_copy(Exec::memory_space(), filled);
  Kokkos::parallel_for(
      "fill", Kokkos::RangePolicy<Exec>(0, view.extent(0)), KOKKOS_LAMBDA(int i) {
        for (int c = 0; c < columns; ++c) view(i, c) = there(i, c);
      });
  Kokkos::fence("fill");
}

/// X and Y in Views of their own kind: `X` is filled, then given to the product as `GivenX`. Two
/// kernels will do: all meet the same spans.
template <class GivenX, class X, class Y>
void expect_product(const char* what, const X& x, const Y& y) {
  const auto a = host_matrix();
  const auto columns = static_cast<int>(y.extent(1));
  const Machine machine{"test", Exec::name(), detail::is_host<Exec>, 4, 50, 200, 32e6, 1e-6, 1e-8};
  const auto instance = Kokkos::Experimental::partition_space(Exec(), 1, 1)[0];
  for (const char* kernel : {"csr-row", "hll-row"}) {
    for (const bool packed : {false, true}) {
      const auto plan = analyse(instance, mirror<Device>(a), columns,
                                {.choice = Choice{kernel, "", packed}, .machine = machine});
      fill(x);
      fill(y);
      spmm(instance, 2.0, plan, GivenX(x), -1.0, y);
      const Kokkos::View<double**, Kokkos::LayoutLeft, Device> result("result", y.extent(0),
                                                                      columns);
      Kokkos::parallel_for(
          "read", Kokkos::RangePolicy<Exec>(instance, 0, y.extent(0)), KOKKOS_LAMBDA(int i) {
            for (int c = 0; c < columns; ++c) result(i, c) = y(i, c);
          });
      const auto found = Kokkos::create_mirror_view(result);
      Kokkos::deep_copy(instance, found, result);
      instance.fence("read");
      for (int i = 0; i < a.rows(); ++i) {
        for (int c = 0; c < columns; ++c) {
          double expected = -element(i, c);
          for (auto n = a.row_map(i); n < a.row_map(i + 1); ++n)
            expected += 2 * a.values(n) * element(a.entries(n), c);
          ASSERT_EQ(found(i, c), expected) << what << ", " << kernel << (packed ? ", packed" : "")
                                           << ": row " << i << ", column " << c;
        }
      }
    }
  }
}

template <class View>
void expect_product_of(const char* what, int rows, int cols) {
  expect_product<View>(what, View("x", cols, k), View("y", rows, k));
}

TEST(PlanViews, MayBeSharedBetweenHostAndDevice) {
#if defined(KOKKOS_HAS_SHARED_SPACE)
  const auto a = host_matrix();
  using Shared = Kokkos::Device<Exec, Kokkos::SharedSpace>;
  expect_product_of<Kokkos::View<double**, Kokkos::LayoutLeft, Shared>>("LayoutLeft, shared",
                                                                        a.rows(), a.cols());
  expect_product_of<Kokkos::View<double**, Kokkos::LayoutRight, Shared>>("LayoutRight, shared",
                                                                         a.rows(), a.cols());
#else
  GTEST_SKIP() << "this Kokkos has no SharedSpace";
#endif
}

TEST(PlanViews, MayBePadded) {
  const auto a = host_matrix();
  const auto padded = [](const std::string& label) {
    return Kokkos::view_alloc(label, Kokkos::AllowPadding);
  };
  using Left = Kokkos::View<double**, Kokkos::LayoutLeft, Device>;
  using Right = Kokkos::View<double**, Kokkos::LayoutRight, Device>;
  expect_product<Left>("LayoutLeft, padded", Left(padded("x"), a.cols(), k),
                       Left(padded("y"), a.rows(), k));
  expect_product<Right>("LayoutRight, padded", Right(padded("x"), a.cols(), k),
                        Right(padded("y"), a.rows(), k));
}

/// With even numbers of columns GPUs load pairs of X; of 40 they have Y copied, too.
TEST(PlanViews, MayBePairsOfColumns) {
  const auto a = host_matrix();
  using Left = Kokkos::View<double**, Kokkos::LayoutLeft, Device>;
  for (const int columns : {8, 40})
    expect_product<Left>("LayoutLeft", Left("x", a.cols(), columns), Left("y", a.rows(), columns));
}

TEST(PlanViews, MayBePartsOfOthers) {
  const auto a = host_matrix();
  using Right = Kokkos::View<double**, Kokkos::LayoutRight, Device>;
  using Left = Kokkos::View<double**, Kokkos::LayoutLeft, Device>;
  for (const int first :
       {0, 1, 2}) {  // rows that begin with whole pairs of elements, and in the middle of one
    const auto columns = Kokkos::make_pair(first, first + k);
    for (const int width : {k + 2, k + 3}) {
      const auto x = Kokkos::subview(Right("x", a.cols(), width), Kokkos::ALL, columns);
      const auto y = Kokkos::subview(Right("y", a.rows(), width), Kokkos::ALL, columns);
      expect_product<decltype(x)>("columns of LayoutRight", x, y);
    }
    const auto x = Kokkos::subview(Left("x", a.cols() + 3, k + 3),
                                   Kokkos::make_pair(first, first + a.cols()), columns);
    const auto y = Kokkos::subview(Left("y", a.rows() + 3, k + 3),
                                   Kokkos::make_pair(first, first + a.rows()), columns);
    expect_product<decltype(x)>("rows and columns of LayoutLeft", x, y);
  }
}

TEST(PlanViews, MayBeApartInBothDimensionsUnmanagedAndConstant) {
  const auto a = host_matrix();
  using Strided = Kokkos::View<double**, Kokkos::LayoutStride, Device, Kokkos::MemoryUnmanaged>;
  using Constant =
      Kokkos::View<const double**, Kokkos::LayoutStride, Device, Kokkos::MemoryUnmanaged>;
  const auto rows = static_cast<std::size_t>(a.rows());
  const auto cols = static_cast<std::size_t>(a.cols());
  const Kokkos::View<double*, Device> memory("memory", 2 * k * (rows + cols));
  const Strided x(memory.data(), Kokkos::LayoutStride(cols, 2, k, 2 * cols));
  const Strided y(memory.data() + 2 * k * cols, Kokkos::LayoutStride(rows, 2 * k, k, 2));
  expect_product<Constant>("LayoutStride", x, y);
}

}  // namespace
}  // namespace fatvec
