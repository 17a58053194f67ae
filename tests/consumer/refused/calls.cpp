// SPDX-License-Identifier: Apache-2.0
#include <Kokkos_Core.hpp>

#include <fatvec/kernels/csr.hpp>
#include <fatvec/plan/convert.hpp>
#include <fatvec/plan/plan.hpp>
#include <fatvec/statistics/vector_statistics.hpp>

using Exec = Kokkos::DefaultExecutionSpace;
using Matrix = fatvec::CsrMatrix<double>;
using Vectors = Kokkos::View<double**, Exec>;

/// Memory that no backend reaches.
struct Elsewhere {
  using memory_space = Elsewhere;
};
template <class Space>
struct Kokkos::SpaceAccessibility<Space, Elsewhere> {
  enum : bool { accessible = false };
};
struct FarMatrix : Matrix {
  using memory_space = Elsewhere;
};
/// A backend that reaches no memory.
struct FarExec : Exec {};
template <class Space>
struct Kokkos::SpaceAccessibility<FarExec, Space> {
  enum : bool { accessible = false };
};
template <>
struct fatvec::DefaultKernel<FarMatrix> {
  using type = fatvec::CsrRow;
};

/// An output that stores nothing.
struct Nowhere {
  template <int width>
  KOKKOS_FUNCTION void store(std::int64_t, std::int64_t, const double (&)[width]) const {}
};

void calls(const Exec& exec, const Matrix& a, [[maybe_unused]] const fatvec::CsrPlan<double>& plan,
           const Vectors& x, const Vectors& y) {
  fatvec::spmm(exec, 1.0, a, x, 0.0, y);
  fatvec::spmm(exec, 1.0, a, Kokkos::View<double* [4], Exec>(x), 0.0, y);
  fatvec::spmm(exec, "T", 1.0, a, x, 0.0, y);
  fatvec::spmm("N", 1.0, a, x, 0.0, y);
  const Kokkos::View<std::size_t*, Exec> row_map;
  const fatvec::CsrMatrix wide(a.rows(), a.cols(), row_map, a.entries, a.values);
  fatvec::spmm(exec, 1.0, wide, x, 0.0, y);
#if defined(WRONG)
  fatvec::spmm(exec, 1.0, a, Kokkos::View<double***, Exec>(), 0.0, y);
  fatvec::spmm(exec, 1.0, a, x, 0.0, 3.0);
  fatvec::spmm(exec, 1.0, a, Kokkos::View<float**, Exec>(), 0.0, y);
  fatvec::spmm(exec, 1.0, a, x, 0.0, Kokkos::View<const double**, Exec>(y));
  fatvec::spmm(exec, 1.0, a, Kokkos::View<double* [4], Exec>(), 0.0,
               Kokkos::View<double* [5], Exec>());
  fatvec::spmm(exec, 1.0, FarMatrix(), x, 0.0, y);
  fatvec::spmm(FarExec(), plan, x, Nowhere());
  fatvec::spmm(exec, fatvec::Op::transpose, 1.0, plan, x, 0.0, y);
  fatvec::spmm("T", 1.0, plan, x, 0.0, y);
  fatvec::dot(exec, x, y, Kokkos::View<double*, Exec>());
  const Matrix narrow(a.rows(), a.cols(), row_map, a.entries, a.values);
  const Kokkos::View<long*, Exec> entries;
  const Matrix of_long(a.rows(), a.cols(), a.row_map, entries, a.values);
#endif
}

#if defined(WRONG)
FATVEC_CONVERT(, Exec, double, std::int32_t, HllRow)
#endif
