// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Core.hpp>
#include <concepts>
#include <cstdint>
#include <type_traits>
#include <utility>

#include <fatvec/core/error.hpp>
#include <fatvec/formats/multivector.hpp>
#include <fatvec/kernels/shared/fused_output.hpp>
#include <fatvec/kernels/shared/fused_workspace.hpp>
#include <fatvec/kernels/shared/validate.hpp>

/// What a fused product has beside Y = beta · Y + alpha · A · X: small values that refer to the
/// caller's Views, in any order. Together they make
///
///     Y = D · (alpha · A · X + gamma · B) + beta · Z
///
/// and sums over the rows of each column of the new Y.
namespace fatvec {
namespace detail::parts {

/// A product that parts are to fit.
template <class ExecSpace, class Y>
struct Product {
  const Y& y;
  std::int64_t rows;
  std::int64_t k;

  /// What is read must be reached, and of Y's scalar type.
  template <class View>
  static constexpr void require_type() {
    static_assert(Kokkos::SpaceAccessibility<ExecSpace, typename View::memory_space>::accessible,
                  "exec cannot reach the memory of an operand of a fused product");
    static_assert(std::is_same_v<typename View::non_const_value_type, typename Y::value_type>,
                  "the operands of a fused product must have Y's scalar type");
  }

  /// Throws ShapeError unless the operand has Y's extents, and is Y or apart from it: the element
  /// that is read is the one that is written next.
  template <class Z>
  void require_like_y(const char* name, const Z& z, bool may_be_y = true) const {
    require_type<Z>();
    fatvec::detail::require_extents(
        name, z, rows, k, [&] { return fatvec::detail::concat("as Y (", y.label(), ")"); });
    const auto of_y = fatvec::detail::operand_of(y);
    const auto of_z = fatvec::detail::operand_of(z);
    if (may_be_y && of_y.data == of_z.data && of_y.row_stride == of_z.row_stride &&
        (k == 1 || of_y.column_stride == of_z.column_stride))
      return;
    if (fatvec::detail::share_memory(fatvec::detail::runs_of(z), fatvec::detail::runs_of(y)))
      throw ShapeError(fatvec::detail::concat(
          "spmm: ", name, " (", z.label(), ") and Y (", y.label(),
          ") share memory; an operand of a fused product must be apart from what is written."));
  }
};

/// The next sum of an output. Throws ShapeError for more than there are, for results of another
/// number of columns, and for those that lie on Y or on another sum's.
template <class T, class ExecSpace, class Y, class Results>
int next_sum(fatvec::detail::FusedOutput<T>& output, const Product<ExecSpace, Y>& product,
             const Results& results) {
  using fatvec::detail::concat;
  if (static_cast<std::int64_t>(results.extent(0)) != product.k)
    throw ShapeError(concat("spmm: the results (", results.label(), ") have room for ",
                            results.extent(0), " columns, X has ", product.k, "."));
  if (output.sums.number == fatvec::detail::most_sums)
    throw ShapeError(concat("spmm: a fused product forms up to ", fatvec::detail::most_sums,
                            " dot products and norms of a column."));
  if (fatvec::detail::share_memory(fatvec::detail::runs_of(results),
                                   fatvec::detail::runs_of(product.y)))
    throw ShapeError(concat("spmm: the results (", results.label(), ") and Y (", product.y.label(),
                            ") share memory."));
  const auto at = [](const void* place) { return reinterpret_cast<std::uintptr_t>(place); };
  const auto k = static_cast<std::uintptr_t>(product.k);
  const std::uintptr_t first = at(results.data());
  const std::uintptr_t end = first + k * sizeof(typename Results::value_type);
  for (int n = 0; n < output.sums.number; ++n) {
    const auto& other = output.sums.on_host->results[n];
    const bool whole = other.sums != nullptr;
    const std::uintptr_t from = whole ? at(other.sums) : at(other.real_parts);
    const std::uintptr_t to = from + k * (whole ? sizeof(*other.sums) : sizeof(double));
    if (first < to && from < end)
      throw ShapeError(concat("spmm: the results (", results.label(), ") lie on another sum's."));
  }
  return output.sums.number++;
}

/// The View of results, which may be a ColumnResults.
template <class Results>
auto view_of(const Results& results) {
  if constexpr (Kokkos::is_view_v<Results>)
    return results;
  else
    return results.values;
}
template <class Results>
using ViewOf = decltype(view_of(std::declval<const Results&>()));

template <class ExecSpace, class View, class Value>
inline constexpr bool is_room_for =
    Kokkos::SpaceAccessibility<ExecSpace, typename View::memory_space>::accessible &&
    std::is_same_v<typename View::value_type, Value> && View::rank() == 1 &&
    !std::is_same_v<typename View::array_layout, Kokkos::LayoutStride>;

template <MultiVector Z, class Results>
struct DotWith {
  Z z;
  Results results;

  template <class T, class ExecSpace, class Y>
  void add_to(fatvec::detail::FusedOutput<T>& output, const Product<ExecSpace, Y>& product) const {
    using Sum = typename fatvec::detail::FusedOutput<T>::Sum;
    static_assert(is_room_for<ExecSpace, ViewOf<Results>, Sum>,
                  "dot_with: results are a Kokkos::View of rank 1 of DotOf<Y>, without strides, in "
                  "memory that exec reaches, or a ColumnResults<DotOf<Y>, ExecSpace>");
    product.require_like_y("dot_with's Z", z, false);
    const int n = next_sum(output, product, view_of(results));
    output.with[n] = fatvec::detail::operand_of(z);
    output.sums.on_host->results[n].sums = view_of(results).data();
  }
};

template <class Results>
struct SquareNorms {
  Results results;

  template <class T, class ExecSpace, class Y>
  void add_to(fatvec::detail::FusedOutput<T>& output, const Product<ExecSpace, Y>& product) const {
    static_assert(is_room_for<ExecSpace, ViewOf<Results>, double>,
                  "square_norms: results are a Kokkos::View<double*>, without strides, in memory "
                  "that exec reaches, or a ColumnResults<double, ExecSpace>");
    const int n = next_sum(output, product, view_of(results));
    output.with[n] = {};
    output.sums.on_host->results[n].real_parts = view_of(results).data();
  }
};

template <class Gamma, MultiVector B>
struct Plus {
  Gamma gamma;
  B b;

  template <class T, class ExecSpace, class Y>
  void add_to(fatvec::detail::FusedOutput<T>& output, const Product<ExecSpace, Y>& product) const {
    product.require_like_y("B", b);
    output.gamma = static_cast<T>(gamma);
    if (output.gamma != T{}) output.b = fatvec::detail::operand_of(b);
  }
};

template <MultiVector D>
struct RowsScaled {
  D diagonal;

  template <class T, class ExecSpace, class Y>
  void add_to(fatvec::detail::FusedOutput<T>& output, const Product<ExecSpace, Y>& product) const {
    static_assert(D::rank() == 1, "rows_scaled: the diagonal is a Kokkos::View of rank 1");
    Product<ExecSpace, Y>::template require_type<D>();
    fatvec::detail::require_extents("the diagonal", diagonal, product.rows, 1,
                                    [] { return "for the rows of A"; });
    if (fatvec::detail::share_memory(fatvec::detail::runs_of(diagonal),
                                     fatvec::detail::runs_of(product.y)))
      throw ShapeError(fatvec::detail::concat("spmm: the diagonal (", diagonal.label(), ") and Y (",
                                              product.y.label(), ") share memory."));
    output.diagonal = diagonal.data();
    output.diagonal_step = static_cast<std::int64_t>(diagonal.stride(0));
  }
};

template <MultiVector Z>
struct From {
  Z z;

  template <class T, class ExecSpace, class Y>
  void add_to(fatvec::detail::FusedOutput<T>& output, const Product<ExecSpace, Y>& product) const {
    product.require_like_y("Z", z);
    output.z = fatvec::detail::operand_of(z);
  }
};

struct NotStored {
  template <class T, class ExecSpace, class Y>
  void add_to(fatvec::detail::FusedOutput<T>& output, const Product<ExecSpace, Y>&) const {
    output.y = {};
  }
};

template <class P>
inline constexpr bool is_workspace = false;
template <class ExecSpace>
inline constexpr bool is_workspace<fused::Workspace<ExecSpace>> = true;
template <class P>
inline constexpr bool is_part = is_workspace<P> || std::is_same_v<P, NotStored>;
template <class Z, class Results>
inline constexpr bool is_part<DotWith<Z, Results>> = true;
template <class Results>
inline constexpr bool is_part<SquareNorms<Results>> = true;
template <class Gamma, class B>
inline constexpr bool is_part<Plus<Gamma, B>> = true;
template <class D>
inline constexpr bool is_part<RowsScaled<D>> = true;
template <class Z>
inline constexpr bool is_part<From<Z>> = true;
/// What a part sets in the output, of which there is one each.
enum class Operand { none, b, diagonal, z };
template <class P>
inline constexpr Operand operand_set = Operand::none;
template <class Gamma, class B>
inline constexpr Operand operand_set<Plus<Gamma, B>> = Operand::b;
template <class D>
inline constexpr Operand operand_set<RowsScaled<D>> = Operand::diagonal;
template <class Z>
inline constexpr Operand operand_set<From<Z>> = Operand::z;
template <Operand operand, class... Parts>
inline constexpr bool at_most_one = (0 + ... + int{operand_set<Parts> == operand}) <= 1;
/// Those that form sums.
template <class P>
inline constexpr bool forms_sum = false;
template <class Z, class Results>
inline constexpr bool forms_sum<DotWith<Z, Results>> = true;
template <class Results>
inline constexpr bool forms_sum<SquareNorms<Results>> = true;

}  // namespace detail::parts

namespace fused {

/// What spmm() may be given behind Y: one of what the functions below return, or a Workspace.
template <class P>
concept Part = detail::parts::is_part<P>;

/// dots(c) = the dot product of column c of Z with that of the new Y; elements of a complex Z are
/// conjugated, as in fatvec::dot(exec, Z, Y).
///
/// @param z     rows × k View of Y's scalar type; X, where A is square. Apart from Y
/// @param dots  k elements of DotOf<Y> (double; complex<double> for complex numbers), in memory
/// that exec reaches, or a ColumnResults of them, apart from all operands and other results;
/// complete once exec has come so far
///
/// The sum is formed in double, in an order that A, k, the layouts and exec fix, without atomics.
template <MultiVector Z, class Dots>
detail::parts::DotWith<Z, Dots> dot_with(const Z& z, const Dots& dots) {
  return {z, dots};
}

/// norms(c) = the sum of |y|² over column c of the new Y: the square of its 2-norm, as
/// VectorStatistics::square_sum is.
///
/// @param norms  k elements of double, in memory that exec reaches, or a ColumnResults of them,
/// apart from all operands and other results
template <class Norms>
detail::parts::SquareNorms<Norms> square_norms(const Norms& norms) {
  return {norms};
}

/// Adds gamma · B to alpha · A · X. B: rows × k; Y itself, or apart from it. gamma = 0 does not
/// read it.
template <class Gamma, MultiVector B>
detail::parts::Plus<Gamma, B> plus(const Gamma& gamma, const B& b) {
  return {gamma, b};
}

/// Multiplies row i of alpha · A · X + gamma · B by element i of the diagonal, a View of rank 1
/// with as many elements as A has rows.
template <MultiVector D>
detail::parts::RowsScaled<D> rows_scaled(const D& diagonal) {
  return {diagonal};
}

/// beta · Z in the place of beta · Y. Z: rows × k; Y itself, or apart from it.
template <MultiVector Z>
detail::parts::From<Z> from(const Z& z) {
  return {z};
}

/// Y is not written: its sums are all that is wanted.
inline detail::parts::NotStored not_stored() {
  return {};
}

}  // namespace fused
}  // namespace fatvec
