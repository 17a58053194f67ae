// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Core.hpp>
#include <Kokkos_Profiling_ScopedRegion.hpp>
#include <algorithm>
#include <cstdint>
#include <string>
#include <type_traits>

#include <fatvec/algebra/detail/launch.hpp>
#include <fatvec/core/error.hpp>
#include <fatvec/core/memory.hpp>
#include <fatvec/formats/concepts.hpp>
#include <fatvec/formats/multivector.hpp>
#include <fatvec/kernels/shared/validate.hpp>

/// Tall and skinny algebra, of multivectors with many rows and few columns: G = XᵀY, and
/// Y = alpha · X · S + beta · Y.
namespace fatvec {

/// Scratch memory of gram(), for up to k columns of X and m of Y, and for an S of that size that
/// update() copies to a device. Allocated once; copies share the memory, which serves one call at a
/// time. Sum: the type of G.
template <class ExecSpace, class Sum = double>
class GramWorkspace {
 public:
  using memory_space = typename ExecSpace::memory_space;
  using View = Kokkos::View<Sum*, memory_space>;

  GramWorkspace() = default;
  /// Throws ShapeError for k or m below 0 or beyond max_columns, CapacityError where there is no
  /// memory: on CPUs some k · m elements for each thread, and what a block of rows takes; on
  /// devices k · m for each team that runs at a time. Error where cuBLAS, which fatvec::kernels may
  /// call for many columns, cannot start.
  GramWorkspace(const ExecSpace& exec, std::int64_t k, std::int64_t m) : k_(k), m_(m) {
    detail::require_columns("GramWorkspace", k, 0);
    detail::require_columns("GramWorkspace", m, 0);
    room_ = detail::allocate<View>(
        exec, "fatvec::gram::workspace",
        static_cast<std::size_t>(std::max(k * m, detail::tall::room<ExecSpace, Sum>(exec, k, m))));
    detail::tall::prepare<ExecSpace, Sum>(exec, k, m);
  }
  [[nodiscard]] std::int64_t k() const { return k_; }
  [[nodiscard]] std::int64_t m() const { return m_; }
  [[nodiscard]] const View& room() const { return room_; }

 private:
  View room_;
  std::int64_t k_ = 0;
  std::int64_t m_ = 0;
};

namespace detail::tall {

template <MultiVector V>
using ScalarOf = typename V::non_const_value_type;

template <class ExecSpace, class... Views>
inline constexpr bool reaches =
    (Kokkos::SpaceAccessibility<ExecSpace, typename Views::memory_space>::accessible && ...);

/// "X (label) is 3 x 2"
template <class V>
std::string words_of(const char* name, const V& v) {
  return concat(name, " (", v.label(), ") is ", multivector_rows(v), " x ", multivector_columns(v));
}

template <class V>
void require_size(const char* call, const char* name, const V& v, std::int64_t rows,
                  std::int64_t columns, const std::string& why) {
  if (multivector_rows(v) == rows && multivector_columns(v) == columns) return;
  throw ShapeError(
      concat(call, ": ", words_of(name, v), ", wanted ", rows, " x ", columns, ": ", why, "."));
}

/// Throws ShapeError where what is written shares memory with what is read.
template <class Read, class Written>
void require_apart(const char* call, const char* name, const Read& read, const char* written_name,
                   const Written& written) {
  if (share_memory(runs_of(read), runs_of(written)))
    throw ShapeError(concat(call, ": ", name, " (", read.label(), ") and ", written_name, " (",
                            written.label(), ") share memory; give ", written_name,
                            " memory of its own."));
}

template <class X, class S, class Y>
void validate_update(const X& x, const S& s, const Y& y) {
  require_size("update", "S", s, multivector_columns(x), multivector_columns(y),
               concat("as many rows as X (", x.label(), ") has columns, and the columns of Y (",
                      y.label(), ")"));
  require_size("update", "Y", y, multivector_rows(x), multivector_columns(y),
               concat("the rows of X (", x.label(), ")"));
  require_own_elements("update", "Y", y);
  require_apart("update", "X", x, "Y", y);
  require_apart("update", "S", s, "Y", y);
}

template <class ExecSpace, class X, class Y>
void run_update(const ExecSpace& exec, const ScalarOf<Y>& alpha, const X& x,
                const Operand<const ScalarOf<Y>>& s, const ScalarOf<Y>& beta, const Y& y) {
  using T = ScalarOf<Y>;
  const std::int64_t k = multivector_columns(x);
  const Kokkos::Profiling::ScopedRegion region("fatvec::update");
  launch_update(exec, UpdateTask<T>{.alpha = alpha,
                                    .x = operand_of(x),
                                    .s = s,
                                    .beta = beta,
                                    .y = span_of<Columns::strided>(y),
                                    .rows = multivector_rows(x),
                                    .k = alpha == T{} ? 0 : static_cast<int>(k),
                                    .m = static_cast<int>(multivector_columns(y))});
}

}  // namespace detail::tall

/// G = XᵀY, of complex numbers XᴴY: G(a, c) is the sum over the rows i of conj(X(i, a)) · Y(i, c).
///
/// @param exec       execution-space instance; the call only enqueues work on it: no fence, no
/// allocation, no transfer
/// @param x,y        n × k and n × m Views of one scalar type (float, double, Kokkos::complex),
/// rank 1 or 2, any layout and strides; they may be the same
/// @param g          k × m View in memory that exec reaches, any layout, apart from x and y;
/// overwritten, with zeros where n = 0. Sums are formed in its scalar type: that of X and Y, or of
/// float operands double
/// @param workspace  a GramWorkspace<ExecSpace, scalar of G> for at least k and m columns
///
/// Shares of the rows have sums of their own, which a second launch adds, without atomics: the same
/// bits in every run with as many threads. For many columns fatvec::kernels may call cuBLAS instead
/// (docs/algebra.md); on another stream than the workspace's the first such call allocates. The
/// error of an element is at most n · eps · Σ|x||y|. Throws ShapeError, which names the operands
/// and their sizes, before anything is launched; Error where cuBLAS reports one.
template <class ExecSpace, MultiVector X, MultiVector Y, MultiVector G, class Sum>
  requires Kokkos::is_execution_space_v<ExecSpace>
void gram(const ExecSpace& exec, const X& x, const Y& y, const G& g,
          const GramWorkspace<ExecSpace, Sum>& workspace) {
  using T = detail::tall::ScalarOf<X>;
  static_assert(detail::tall::reaches<ExecSpace, X, Y, G>,
                "gram: exec cannot reach the memory of X, Y or G");
  static_assert(std::is_same_v<T, detail::tall::ScalarOf<Y>>,
                "gram: X and Y must have the same scalar type");
  static_assert(std::is_same_v<Sum, typename G::value_type>,
                "gram: the workspace is a GramWorkspace<ExecSpace, scalar of G>");
  static_assert(std::is_same_v<Sum, T> || (std::is_same_v<T, float> && std::is_same_v<Sum, double>),
                "gram: G has the scalar type of X and Y, or double where that is float");
  const std::int64_t k = multivector_columns(x);
  const std::int64_t m = multivector_columns(y);
  detail::tall::require_size("gram", "Y", y, multivector_rows(x), m,
                             detail::concat("the rows of X (", x.label(), ")"));
  detail::tall::require_size(
      "gram", "G", g, k, m,
      detail::concat("the columns of X (", x.label(), ") and those of Y (", y.label(), ")"));
  detail::require_own_elements("gram", "G", g);
  detail::tall::require_apart("gram", "X", x, "G", g);
  detail::tall::require_apart("gram", "Y", y, "G", g);
  if (k > workspace.k() || m > workspace.m())
    throw ShapeError(detail::concat("gram: the workspace is for ", workspace.k(), " x ",
                                    workspace.m(), " columns, X (", x.label(), ") has ", k,
                                    " and Y (", y.label(), ") ", m, "; make a GramWorkspace(exec, ",
                                    k, ", ", m, ")."));
  if (k == 0 || m == 0) return;
  const Kokkos::Profiling::ScopedRegion region("fatvec::gram");
  detail::tall::launch_gram(exec,
                            detail::tall::GramTask<Sum, T>{
                                .x = detail::operand_of(x),
                                .y = detail::operand_of(y),
                                .g = detail::span_of<detail::Columns::strided>(g),
                                .rows = multivector_rows(x),
                                .k = static_cast<int>(k),
                                .m = static_cast<int>(m),
                                .room = workspace.room().data(),
                                .capacity = static_cast<std::int64_t>(workspace.room().extent(0))});
}

/// Y = alpha · X · S + beta · Y, where S is small.
///
/// @param exec        execution-space instance; the call only enqueues work on it: no fence, no
/// allocation, no transfer
/// @param alpha,beta  any values that convert to the scalar type; beta = 0 does not read Y, and
/// alpha = 0 neither X nor S
/// @param x,y         n × k and n × m Views of one scalar type, rank 1 or 2, any layout and
/// strides, apart from each other
/// @param s           k × m View in memory that exec reaches, any layout
///
/// For many columns fatvec::kernels may call cuBLAS (docs/algebra.md); the first such call on a
/// stream allocates. Throws ShapeError, which names the operands and their sizes, before anything
/// is launched; Error where cuBLAS reports one.
template <class ExecSpace, class Alpha, MultiVector X, MultiVector S, class Beta, MultiVector Y>
  requires Kokkos::is_execution_space_v<ExecSpace>
void update(const ExecSpace& exec, const Alpha& alpha, const X& x, const S& s, const Beta& beta,
            const Y& y) {
  using T = detail::tall::ScalarOf<Y>;
  static_assert(detail::tall::reaches<ExecSpace, X, S, Y>,
                "update: exec cannot reach the memory of X, S or Y; an S in host memory wants a "
                "GramWorkspace behind Y");
  static_assert(
      std::is_same_v<T, detail::tall::ScalarOf<X>> && std::is_same_v<T, detail::tall::ScalarOf<S>>,
      "update: X, S and Y must have the same scalar type");
  detail::tall::validate_update(x, s, y);
  detail::tall::run_update(exec, static_cast<T>(alpha), x, detail::operand_of(s),
                           static_cast<T>(beta), y);
}

/// The same with an S in host memory, LayoutRight or LayoutLeft without gaps, which is copied into
/// the workspace where exec does not reach it: S may change after a fence of exec, pageable memory
/// on CUDA when the call returns. Throws ShapeError where the workspace is for fewer columns, too.
template <class ExecSpace, class Alpha, MultiVector X, MultiVector S, class Beta, MultiVector Y,
          class T>
  requires Kokkos::is_execution_space_v<ExecSpace>
void update(const ExecSpace& exec, const Alpha& alpha, const X& x, const S& s, const Beta& beta,
            const Y& y, const GramWorkspace<ExecSpace, T>& workspace) {
  static_assert(detail::tall::reaches<ExecSpace, X, Y>,
                "update: exec cannot reach the memory of X or Y");
  static_assert(std::is_same_v<T, detail::tall::ScalarOf<X>> &&
                    std::is_same_v<T, detail::tall::ScalarOf<Y>> &&
                    std::is_same_v<T, detail::tall::ScalarOf<S>>,
                "update: X, S, Y and the workspace must have the same scalar type");
  if constexpr (detail::tall::reaches<ExecSpace, S>) {
    update(exec, alpha, x, s, beta, y);
  } else {
    detail::tall::validate_update(x, s, y);
    const auto elements = static_cast<std::size_t>(multivector_rows(s) * multivector_columns(s));
    if (elements > workspace.room().extent(0) || s.span() != elements)
      throw ShapeError(detail::concat("update: ", detail::tall::words_of("S", s),
                                      "; it must have no gaps, and fit into the workspace, which "
                                      "is for ",
                                      workspace.k(), " x ", workspace.m(), "."));
    using Host = Kokkos::View<const T*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>;
    Kokkos::deep_copy(
        exec, Kokkos::subview(workspace.room(), Kokkos::make_pair(std::size_t{0}, elements)),
        Host(s.data(), elements));
    auto copied = detail::operand_of(s);
    copied.data = workspace.room().data();
    detail::tall::run_update(exec, static_cast<T>(alpha), x, copied, static_cast<T>(beta), y);
  }
}

}  // namespace fatvec
