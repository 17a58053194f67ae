// SPDX-License-Identifier: Apache-2.0
// The C++ of docs/algebra.md.
#include <gtest/gtest.h>

#include <fatvec/algebra/algebra.hpp>

namespace {

using Exec = Kokkos::DefaultExecutionSpace;

// snippet: tall and skinny algebra
/// Y = Y - X (XᵀY): what of Y is orthogonal to X, whose columns are orthonormal.
void project(const Exec& exec, Kokkos::View<double**> X, Kokkos::View<double**> Y,
             Kokkos::View<double**> G, const fatvec::GramWorkspace<Exec>& workspace) {
  fatvec::gram(exec, X, Y, G, workspace);    // G(a, c): the sum of X(i, a) Y(i, c) over i
  fatvec::update(exec, -1.0, X, G, 1.0, Y);  // Y = Y - X G
}
// end of snippet

TEST(GuideTest, ProjectionsAreOrthogonal) {
  const Exec exec;
  const Kokkos::View<double**> x("X", 4, 2), y("Y", 4, 1), g("G", 2, 1);
  const auto host_x = Kokkos::create_mirror_view(x);
  host_x(0, 0) = host_x(1, 1) = 1;
  Kokkos::deep_copy(x, host_x);
  Kokkos::deep_copy(y, 3.0);
  project(exec, x, y, g, fatvec::GramWorkspace<Exec>(exec, 2, 1));
  const auto found = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), y);
  EXPECT_EQ(found(0, 0), 0);
  EXPECT_EQ(found(1, 0), 0);
  EXPECT_EQ(found(2, 0), 3);
}

}  // namespace
