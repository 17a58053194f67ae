// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <string>

#include <fatvec/app/verify/oracle.hpp>
#include <fatvec/fatvec.hpp>

#include "multiply_with.hpp"
#include "with_layout.hpp"

/// A in float, X and Y in double: half of A's bytes, and products as accurate as Y's type.
namespace fatvec::test {

using MixedExec = Kokkos::DefaultHostExecutionSpace;
using MixedCsr = CsrMatrix<float, int, MixedExec, int>;
using MixedMultivector = Kokkos::View<double**, Kokkos::LayoutRight, MixedExec>;

/// 75 x 60: rows of 0 to 8 entries, and one of 40.
inline MixedCsr mixed_sample() {
  constexpr int rows = 75;
  constexpr int cols = 60;
  const auto length = [](int i) { return i == 30 ? 40 : i % 9; };
  const MixedCsr::Offsets row_map("row_map", rows + 1);
  for (int i = 0; i < rows; ++i) row_map(i + 1) = row_map(i) + length(i);
  const MixedCsr::Ordinals entries("entries", row_map(rows));
  const MixedCsr::Scalars values("values", row_map(rows));
  for (int i = 0; i < rows; ++i) {
    for (int n = 0; n < length(i); ++n) {
      entries(row_map(i) + n) = (i + 7 * n) % cols;
      values(row_map(i) + n) = 1.0F / static_cast<float>(i + 3 * n + 3);
    }
  }
  return MixedCsr(rows, cols, row_map, entries, values);
}

/// Numbers that float does not have: who rounds X to A's type is far off.
inline MixedMultivector thirds(const std::string& label, int rows, int k) {
  const MixedMultivector view(label, rows, k);
  for (int i = 0; i < rows; ++i)
    for (int c = 0; c < k; ++c) view(i, c) = (i % 2 == 0 ? 1.0 : -1.0) / (3.0 + i + c);
  return view;
}

template <class Kernel, class Policy>
void expect_accuracy_of_y(const Policy& policy) {
  using Matrix = typename Kernel::template Matrix<float, int, MixedExec, int>;
  const MixedCsr csr = mixed_sample();
  for (const int k : {1, 3, 8, 17}) {
    const auto x = thirds("x", csr.cols(), k);
    const auto y = thirds("y", csr.rows(), k);
    const auto reference = verify::reference_product(1.5, csr, x, -0.5, y);
    with_layout<Matrix>(k >= 8, [&]<class M>(std::type_identity<M>) {
      const M matrix = M::from_csr(MixedExec(), csr);
      multiply_with<Kernel>(MixedExec(), policy, 1.5, matrix, x, -0.5, y);
    });
    Kokkos::fence();
    const auto verdict = verify::compare(reference, y);
    EXPECT_TRUE(verdict.passed) << Kernel::name << ", k = " << k << ", " << policy.to_string()
                                << ": row " << verdict.worst_row << " is off by " << verdict.scaled
                                << " times what rounding allows";
  }
}

}  // namespace fatvec::test
