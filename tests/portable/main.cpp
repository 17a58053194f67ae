// SPDX-License-Identifier: Apache-2.0
// The portable kernel of every format, in both of its forms, with a row that a whole team shares,
// on whatever backend Kokkos has: a test of each preset, and of Threads by scripts/try-threads.
// Exit status: 0, or 1 for a wrong product.
#include <Kokkos_Core.hpp>
#include <cstdio>
#include <limits>

#include <fatvec/app/verify/oracle.hpp>
#include <fatvec/kernels/registry.hpp>

namespace {

using Exec = Kokkos::DefaultExecutionSpace;
using Host = Kokkos::DefaultHostExecutionSpace;
using HostCsr = fatvec::CsrMatrix<double, int, Host, int>;

constexpr int rows = 301;
constexpr int cols = 1207;

/// Rows of 0 to 12 entries, and one of 600.
HostCsr sample() {
  const auto length = [](int i) { return i == 77 ? 600 : i % 13; };
  const HostCsr::Offsets row_map("row_map", rows + 1);
  for (int i = 0; i < rows; ++i) row_map(i + 1) = row_map(i) + length(i);
  const HostCsr::Ordinals entries("entries", row_map(rows));
  const HostCsr::Scalars values("values", row_map(rows));
  for (int i = 0; i < rows; ++i)
    for (int n = 0; n < length(i); ++n) {
      entries(row_map(i) + n) = (i + 2 * n) % cols;
      values(row_map(i) + n) = 1.0 / (1 + (i + 3 * n) % 17);
    }
  return HostCsr(rows, cols, row_map, entries, values);
}

bool failed = false;

template <class Kernel, class Layout>
void check(const Exec& exec, const HostCsr& csr, int k) {
  using Matrix = typename Kernel::template Matrix<double, int, Exec, int>;
  using Multivector = Kokkos::View<double**, Layout, Exec>;
  const Matrix a = Matrix::from_csr(exec, fatvec::mirror<Exec>(csr));
  const Multivector x("x", cols, k), y("y", rows, k);
  const auto x_host = Kokkos::create_mirror_view(x);
  const auto y_host = Kokkos::create_mirror(y);  // never Y itself
  for (int j = 0; j < cols; ++j)
    for (int c = 0; c < k; ++c) x_host(j, c) = (j * 7 + c * 13) % 11 - 4.5;
  Kokkos::deep_copy(x, x_host);
  for (const double beta : {0.0, -0.5}) {
    for (int i = 0; i < rows; ++i)
      for (int c = 0; c < k; ++c)
        y_host(i, c) = beta == 0 ? std::numeric_limits<double>::quiet_NaN() : i - c;
    const auto reference = fatvec::verify::reference_product(1.5, csr, x_host, beta, y_host);
    using Policy = fatvec::PolicyOn<Kernel, Exec>;
    auto policies = Policy::tuning_range();
    policies.push_back(Policy{});
    for (const auto& policy : policies) {
      Kokkos::deep_copy(y, y_host);
      fatvec::spmm<Kernel>(exec, policy, 1.5, a, x, beta, y);
      const auto result = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), y);
      if (fatvec::verify::compare(reference, result).passed) continue;
      std::printf("wrong: %s, k = %d, beta = %g, %s\n", Kernel::name.data(), k, beta,
                  policy.to_string().c_str());
      failed = true;
    }
  }
}

template <class Kernel>
void check(const Exec& exec, const HostCsr& csr) {
  for (const int k : {1, 2, 3, 8, 17}) {
    check<Kernel, Kokkos::LayoutRight>(exec, csr, k);
    check<Kernel, Kokkos::LayoutLeft>(exec, csr, k);
  }
}

}  // namespace

int main(int argc, char** argv) {
  const Kokkos::ScopeGuard guard(argc, argv);
  const Exec exec;
  const HostCsr csr = sample();
  fatvec::for_each_kernel([&](auto kernel) {
    if constexpr (fatvec::is_portable<decltype(kernel)>) check<decltype(kernel)>(exec, csr);
  });
  std::printf("portable kernels on %s, %d threads: %s\n", Exec::name(), exec.concurrency(),
              failed ? "wrong products" : "all products are right");
  return failed ? 1 : 0;
}
