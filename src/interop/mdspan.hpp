// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Core.hpp>
#include <concepts>
#include <cstddef>
#include <type_traits>

#include <fatvec/kernels/spmm.hpp>

/// X and Y as mdspan: std::mdspan of C++23, or Kokkos::mdspan, which Kokkos brings for C++20. This
/// header includes neither: it takes whatever has their members.
namespace fatvec {

template <class Csr, class Kernels, class T>
class Plan;  // <fatvec/plan/plan.hpp>

/// An mdspan of rank 1 (one column) or 2 (rows × columns) whose elements lie in memory as they are:
/// any layout with strides, and an accessor that hands out pointers.
template <class M>
concept Mdspan =
    !Kokkos::is_view_v<M> && (M::rank() == 1 || M::rank() == 2) && M::is_always_strided() &&
    std::same_as<typename M::data_handle_type, typename M::element_type*> &&
    std::same_as<typename M::reference, typename M::element_type&> &&
    requires(const M& m) { m.stride(0) + m.extent(0), m.data_handle(); };

/// The same elements as an unmanaged View of any strides, in MemorySpace: a pointer does not tell
/// where it points to, the caller has to. Nothing is copied; the elements have to outlive the View.
template <class MemorySpace = Kokkos::HostSpace, Mdspan M>
auto view_of(const M& m) {
  using T = typename M::element_type;
  constexpr bool one = M::rank() == 1;
  using View = Kokkos::View<std::conditional_t<one, T*, T**>, Kokkos::LayoutStride, MemorySpace,
                            Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
  const auto rows = static_cast<std::size_t>(m.extent(0));
  const auto step = static_cast<std::size_t>(m.stride(0));
  if constexpr (one)
    return View(m.data_handle(), Kokkos::LayoutStride(rows, step));
  else
    return View(m.data_handle(),
                Kokkos::LayoutStride(rows, step, static_cast<std::size_t>(m.extent(1)),
                                     static_cast<std::size_t>(m.stride(1))));
}

// A class template with an mdspan's four parameters is more special than any type: these functions
// are preferred to those that take Views.

/// spmm(exec, alpha, A, X, beta, Y) with X and Y in memory that exec reaches; and spmm(mode, alpha,
/// A, X, beta, Y), in that of mode's A. The same promises and errors as with Views.
template <class First, class Alpha, class Matrix, template <class, class, class, class> class Md,
          class TX, class EX, class LX, class AX, class Beta,
          template <class, class, class, class> class MdY, class TY, class EY, class LY, class AY>
  requires Mdspan<Md<TX, EX, LX, AX>> && Mdspan<MdY<TY, EY, LY, AY>>
void spmm(const First& first, const Alpha& alpha, const Matrix& a, const Md<TX, EX, LX, AX>& x,
          const Beta& beta, const MdY<TY, EY, LY, AY>& y) {
  using Space =
      typename std::conditional_t<Kokkos::is_execution_space_v<First>, std::type_identity<First>,
                                  std::type_identity<Matrix>>::type::memory_space;
  spmm(first, alpha, a, view_of<Space>(x), beta, view_of<Space>(y));
}

/// spmm(exec, alpha, plan, X, beta, Y) with X and Y in memory that exec reaches.
template <class ExecSpace, class Alpha, class Csr, class Kernels, class T,
          template <class, class, class, class> class Md, class TX, class EX, class LX, class AX,
          class Beta, template <class, class, class, class> class MdY, class TY, class EY, class LY,
          class AY>
  requires Mdspan<Md<TX, EX, LX, AX>> && Mdspan<MdY<TY, EY, LY, AY>>
void spmm(const ExecSpace& exec, const Alpha& alpha, const Plan<Csr, Kernels, T>& plan,
          const Md<TX, EX, LX, AX>& x, const Beta& beta, const MdY<TY, EY, LY, AY>& y) {
  using Space = typename ExecSpace::memory_space;
  spmm(exec, alpha, plan, view_of<Space>(x), beta, view_of<Space>(y));
}

/// spmm(exec, mode, alpha, A, X, beta, Y) with X and Y in memory that exec reaches.
template <class ExecSpace, class Mode, class Alpha, class Matrix,
          template <class, class, class, class> class Md, class TX, class EX, class LX, class AX,
          class Beta, template <class, class, class, class> class MdY, class TY, class EY, class LY,
          class AY>
  requires Mdspan<Md<TX, EX, LX, AX>> && Mdspan<MdY<TY, EY, LY, AY>>
void spmm(const ExecSpace& exec, const Mode& mode, const Alpha& alpha, const Matrix& a,
          const Md<TX, EX, LX, AX>& x, const Beta& beta, const MdY<TY, EY, LY, AY>& y) {
  using Space = typename ExecSpace::memory_space;
  spmm(exec, mode, alpha, a, view_of<Space>(x), beta, view_of<Space>(y));
}

/// spmm(alpha, A, X, beta, Y) with X and Y in the memory of A's execution space; returns when Y is
/// complete.
template <class Alpha, class Matrix, template <class, class, class, class> class Md, class TX,
          class EX, class LX, class AX, class Beta, template <class, class, class, class> class MdY,
          class TY, class EY, class LY, class AY>
  requires Mdspan<Md<TX, EX, LX, AX>> && Mdspan<MdY<TY, EY, LY, AY>>
void spmm(const Alpha& alpha, const Matrix& a, const Md<TX, EX, LX, AX>& x, const Beta& beta,
          const MdY<TY, EY, LY, AY>& y) {
  using Space = typename Matrix::memory_space;
  spmm(alpha, a, view_of<Space>(x), beta, view_of<Space>(y));
}

}  // namespace fatvec
