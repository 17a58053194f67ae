// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <string>

#include <fatvec/app/verify/oracle.hpp>
#include <fatvec/fatvec.hpp>

/// A in float, X and Y in double: half of A's bytes, and products as accurate as Y's type.
namespace fatvec {
namespace {

using Exec = Kokkos::DefaultHostExecutionSpace;
using Csr = CsrMatrix<float, int, Exec, int>;
using Multivector = Kokkos::View<double**, Kokkos::LayoutRight, Exec>;

/// 75 x 60: rows of 0 to 8 entries, and one of 40.
Csr sample() {
  constexpr int rows = 75;
  constexpr int cols = 60;
  const auto length = [](int i) { return i == 30 ? 40 : i % 9; };
  const Csr::Offsets row_map("row_map", rows + 1);
  for (int i = 0; i < rows; ++i) row_map(i + 1) = row_map(i) + length(i);
  const Csr::Ordinals entries("entries", row_map(rows));
  const Csr::Scalars values("values", row_map(rows));
  for (int i = 0; i < rows; ++i) {
    for (int n = 0; n < length(i); ++n) {
      entries(row_map(i) + n) = (i + 7 * n) % cols;
      values(row_map(i) + n) = 1.0F / static_cast<float>(i + 3 * n + 3);
    }
  }
  return Csr(rows, cols, row_map, entries, values);
}

/// Numbers that float does not have: who rounds X to A's type is far off.
Multivector thirds(const std::string& label, int rows, int k) {
  const Multivector view(label, rows, k);
  for (int i = 0; i < rows; ++i)
    for (int c = 0; c < k; ++c) view(i, c) = (i % 2 == 0 ? 1.0 : -1.0) / (3.0 + i + c);
  return view;
}

TEST(MixedPrecision, EveryKernelKeepsTheAccuracyOfY) {
  const Csr csr = sample();
  for_each_kernel([&](auto kernel) {
    using Kernel = decltype(kernel);
    using Matrix = typename Kernel::template Matrix<float, int, Exec, int>;
    for (const int k : {1, 3, 8, 17}) {
      FormatOptions options;
      options.storage = k < 8 ? StorageOrder::column_major : StorageOrder::row_major;
      const Matrix matrix = Matrix::from_csr(Exec(), csr, options);
      const auto x = thirds("x", csr.cols(), k);
      for (const int threads_per_row : {0, 1}) {  // rows of a CPU, lanes of a GPU
        const auto y = thirds("y", csr.rows(), k);
        const auto reference = verify::reference_product(1.5, csr, x, -0.5, y);
        typename Kernel::Policy policy;
        if constexpr (requires { policy.threads_per_row; })
          policy.threads_per_row = threads_per_row;
        const auto span = detail::span_of<detail::Columns::contiguous>(x);
        const detail::Epilogue<double> epilogue{1.5, -0.5,
                                                detail::span_of<detail::Columns::strided>(y)};
        Kernel::run(Exec(), policy, matrix, span, epilogue, k);
        Kokkos::fence();
        const auto verdict = verify::compare(reference, y);
        EXPECT_TRUE(verdict.passed) << Kernel::name << ", k = " << k << ", " << policy.to_string()
                                    << ": row " << verdict.worst_row << " is off by "
                                    << verdict.scaled << " times what rounding allows";
      }
    }
  });
}

}  // namespace
}  // namespace fatvec
