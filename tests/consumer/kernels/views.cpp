// SPDX-License-Identifier: Apache-2.0
#include <Kokkos_Core.hpp>

#include <fatvec/plan/convert.hpp>

/// Kernels of a user's own on the Views of the formats: the sum of all values, slot by slot.
namespace {

using Exec = Kokkos::DefaultExecutionSpace;
using Csr = fatvec::CsrMatrix<double>;

template <class Ell>
struct SumOfEllpack {
  Ell a;
  KOKKOS_FUNCTION void operator()(int i, double& sum) const {
    for (std::size_t j = 0; j < a.entries.extent(1); ++j)
      if (a.entries(i, j) >= 0) sum += a.values(i, j);
  }
};

template <class Sliced>
struct SumOfSlices {
  Sliced a;
  KOKKOS_FUNCTION void operator()(int s, double& sum) const {
    const auto slice = a.slice(s);
    for (std::size_t r = 0; r < slice.entries.extent(0); ++r)
      for (std::size_t j = 0; j < slice.entries.extent(1); ++j)
        if (slice.entries(r, j) >= 0) sum += slice.values(r, j);
  }
};

template <class Bsr>
struct SumOfBlocks {
  Bsr a;
  KOKKOS_FUNCTION void operator()(int n, double& sum) const {
    const auto block = a.block(n);
    for (std::size_t r = 0; r < block.extent(0); ++r)
      for (std::size_t c = 0; c < block.extent(1); ++c) sum += block(r, c);
  }
};

template <class Functor>
bool sums_to(double expected, std::int64_t items, const Functor& functor) {
  double sum = 0;
  Kokkos::parallel_reduce("sum", Kokkos::RangePolicy<Exec>(0, items), functor, sum);
  return sum == expected;
}

template <class Layout>
bool check(const Csr& csr, double expected) {
  using Ell = fatvec::EllMatrix<double, int, Exec, int, Layout>;
  using Hll = fatvec::HllMatrix<double, int, Exec, int, Layout>;
  using Bsr = fatvec::BsrMatrix<double, int, Exec, int, Layout>;
  const Exec exec;
  const auto ell = fatvec::convert<Ell>(exec, csr);
  const auto hll = fatvec::convert<Hll>(exec, csr);
  const auto bsr = fatvec::convert<Bsr>(exec, csr);
  return sums_to(expected, ell.rows(), SumOfEllpack<Ell>{ell}) &&
         sums_to(expected, hll.hacks(), SumOfSlices<Hll>{hll}) &&
         sums_to(expected, bsr.blocks(), SumOfBlocks<Bsr>{bsr});
}

}  // namespace

int main(int argc, char** argv) {
  const Kokkos::ScopeGuard guard(argc, argv);
  // Row i of 40 has the values 1 ... i % 4.
  const Csr::Offsets row_map("row_map", 41);
  const auto offsets = Kokkos::create_mirror_view(row_map);
  for (int i = 0; i < 40; ++i) offsets(i + 1) = offsets(i) + i % 4;
  const Csr::Ordinals entries("entries", offsets(40));
  const Csr::Scalars values("values", offsets(40));
  const auto columns = Kokkos::create_mirror_view(entries);
  const auto numbers = Kokkos::create_mirror_view(values);
  for (int i = 0; i < 40; ++i)
    for (int j = 0; j < i % 4; ++j) {
      columns(offsets(i) + j) = 9 * j + i % 5;
      numbers(offsets(i) + j) = j + 1;
    }
  Kokkos::deep_copy(row_map, offsets);
  Kokkos::deep_copy(entries, columns);
  Kokkos::deep_copy(values, numbers);
  const Csr csr(40, 40, row_map, entries, values);
  const double expected = 10 * (1 + 3 + 6);
  using Sell = fatvec::SellMatrix<double>;
  const auto sell = fatvec::convert<Sell>(Exec(), csr);
  return check<Kokkos::LayoutLeft>(csr, expected) && check<Kokkos::LayoutRight>(csr, expected) &&
                 sums_to(expected, sell.slices(), SumOfSlices<Sell>{sell})
             ? 0
             : 1;
}
