// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>

#include <fatvec/core/error.hpp>
#include <fatvec/core/execution.hpp>
#include <fatvec/core/memory.hpp>
#include <fatvec/formats/csr.hpp>
#include <fatvec/formats/detail/rows.hpp>
#include <fatvec/formats/transpose.hpp>
#include <fatvec/kernels/shared/validate.hpp>

/// Matrices and multivectors in another order of rows. A permutation is a View of new places: what
/// was row i becomes row place(i).
namespace fatvec {

/// The new place of each row: n elements, of which each of 0 ... n - 1 is one.
template <class Ordinal, class Device>
using Permutation = Kokkos::View<Ordinal*, Device>;

namespace detail {

/// Counts how often each place is taken, and places out of range.
template <class Places, class Counts>
struct CountPlaces {
  Places place;
  Counts taken;

  KOKKOS_FUNCTION void operator()(std::int64_t i, std::int64_t& wrong) const {
    const std::int64_t at = place(i);
    if (at < 0 || at >= static_cast<std::int64_t>(taken.extent(0)) ||
        Kokkos::atomic_fetch_add(&taken(at), 1) != 0)
      ++wrong;
  }
};

template <class From, class Places, class To>
struct PlaceOfEach {
  From from;
  Places place;
  To to;
  KOKKOS_FUNCTION void operator()(std::int64_t n) const { to(n) = place(from(n)); }
};

/// Row i of one multivector, row place(i) of the other.
template <bool scatter, class Places, class X, class Y>
struct MoveRow {
  Places place;
  X x;
  Y y;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    const auto at = place(i);
    for (std::size_t c = 0; c < x.extent(1); ++c)
      if constexpr (scatter)
        y(at, c) = x(i, c);
      else
        y(i, c) = x(at, c);
  }
};

template <bool scatter, class ExecSpace, class Places, class X, class Y>
void move_rows(const char* label, const ExecSpace& exec, const Places& place, const X& x,
               const Y& y) {
  if (x.extent(0) != place.extent(0) || y.extent(0) != place.extent(0) ||
      x.extent(1) != y.extent(1))
    throw ShapeError(concat(label, ": X is ", x.extent(0), " x ", x.extent(1), ", Y ", y.extent(0),
                            " x ", y.extent(1), ", and the permutation has ", place.extent(0),
                            " rows."));
  if (share_memory(runs_of(x), runs_of(y)))
    throw ShapeError(concat(label, ": X (", x.label(), ") and Y (", y.label(),
                            ") share memory; rows cannot be moved in place."));
  require_own_elements(label, "Y", y);
  Kokkos::parallel_for(label, Range<ExecSpace>(exec, 0, static_cast<std::int64_t>(x.extent(0))),
                       MoveRow<scatter, Places, X, Y>{place, x, y});
}

/// order(place(i)) = i
template <class Places, class Order>
struct Invert {
  Places place;
  Order order;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    order(place(i)) = static_cast<typename Order::non_const_value_type>(i);
  }
};

/// The old place of each row in a new order.
template <class ExecSpace, class Ordinal, class Device>
Kokkos::View<std::int32_t*, Device> inverse(const ExecSpace& exec,
                                            const Permutation<Ordinal, Device>& place) {
  using Order = Kokkos::View<std::int32_t*, Device>;
  const auto n = static_cast<std::int64_t>(place.extent(0));
  checked_count<std::int32_t>(static_cast<double>(n), "rows in a new order");
  const auto order = allocate<Order>(exec, "fatvec::order", static_cast<std::size_t>(n));
  Kokkos::parallel_for("fatvec::order", Range<ExecSpace>(exec, 0, n),
                       Invert<Permutation<Ordinal, Device>, Order>{place, order});
  return order;
}

template <class Csr, class Order>
struct LengthInOrder {
  typename Csr::ConstOffsets row_map;
  Order order;
  KOKKOS_FUNCTION std::int64_t operator()(std::int64_t p) const {
    return row_map(order(p) + 1) - row_map(order(p));
  }
};

template <class Csr, class Order>
struct CopyRow {
  Csr from;
  Csr to;
  Order order;
  KOKKOS_FUNCTION void operator()(std::int64_t p) const {
    auto source = from.row_map(order(p));
    for (auto n = to.row_map(p); n < to.row_map(p + 1); ++n, ++source) {
      to.entries(n) = from.entries(source);
      to.values(n) = from.values(source);
    }
  }
};

/// A with row order(p) as its row p, and the columns as they are. Blocks.
template <class ExecSpace, class Csr, class Order>
Csr rows_in_order(const ExecSpace& exec, const Csr& a, const Order& order) {
  const auto row_map = allocate<typename Csr::Offsets>(exec, "fatvec::csr::row_map",
                                                       static_cast<std::size_t>(a.rows()) + 1);
  offsets_from_lengths(exec, row_map, a.rows(), LengthInOrder<Csr, Order>{a.row_map, order});
  const Csr b(a.rows(), a.cols(), row_map,
              allocate<typename Csr::Ordinals>(exec, "fatvec::csr::entries", a.entries.extent(0)),
              allocate<typename Csr::Scalars>(exec, "fatvec::csr::values", a.values.extent(0)));
  Kokkos::parallel_for("fatvec::rows_in_order", Range<ExecSpace>(exec, 0, a.rows()),
                       CopyRow<Csr, Order>{a, b, order});
  exec.fence("fatvec::rows_in_order");
  return b;
}

/// A with column j in the place of column place(j); its rows are not sorted.
template <class ExecSpace, class Csr, class Places>
Csr with_columns_moved(const ExecSpace& exec, const Csr& a, const Places& place) {
  const auto entries =
      allocate<typename Csr::Ordinals>(exec, "fatvec::csr::entries", a.entries.extent(0));
  Kokkos::parallel_for("fatvec::permuted", Range<ExecSpace>(exec, 0, a.nnz()),
                       PlaceOfEach<typename Csr::Ordinals, Places, typename Csr::Ordinals>{
                           a.entries, place, entries});
  return Csr(a.rows(), a.cols(), a.row_map, entries, a.values);
}

}  // namespace detail

/// Throws ShapeError unless `place` has n elements, InputError unless each of 0 ... n - 1 is one of
/// them. Blocks.
template <class ExecSpace, class Ordinal, class Device>
void require_permutation(const ExecSpace& exec, const Permutation<Ordinal, Device>& place,
                         std::int64_t n) {
  if (static_cast<std::int64_t>(place.extent(0)) != n)
    throw ShapeError(
        detail::concat("a permutation of ", place.extent(0), " rows for a matrix of ", n, "."));
  const auto taken = detail::allocate_zeros<Kokkos::View<int*, Device>>(
      exec, "fatvec::permutation", static_cast<std::size_t>(n));
  std::int64_t wrong = 0;
  Kokkos::parallel_reduce(
      "fatvec::permutation", detail::Range<ExecSpace>(exec, 0, n),
      detail::CountPlaces<Permutation<Ordinal, Device>, Kokkos::View<int*, Device>>{place, taken},
      wrong);
  if (wrong > 0)
    throw InputError(detail::concat("no permutation: ", wrong, " of ", n,
                                    " places are out of range or taken twice."));
}

/// B(place(i), place(j)) = A(i, j) of a square A, in parallel where A lives; rows of B are sorted
/// by column. If Y = A X, then B multiplies X in the new order into Y in the new order. Blocks.
/// Takes A's memory twice. Throws ShapeError where A is not square or `place` has another length,
/// InputError where it is no permutation.
template <class ExecSpace, class Scalar, class Ordinal, class Device, class Offset>
CsrMatrix<Scalar, Ordinal, Device, Offset> permuted(
    const ExecSpace& exec, const CsrMatrix<Scalar, Ordinal, Device, Offset>& a,
    const Permutation<Ordinal, Device>& place) {
  if (a.rows() != a.cols())
    throw ShapeError(detail::concat("permuted: A is ", a.rows(), " x ", a.cols(),
                                    "; rows and columns of a square matrix are permuted."));
  require_permutation(exec, place, a.rows());
  // A transpose is sorted: two of them move rows and sort them.
  const auto by_columns = apply(exec, Op::transpose, detail::with_columns_moved(exec, a, place));
  return apply(exec, Op::transpose, detail::with_columns_moved(exec, by_columns, place));
}

/// Y(place(i), c) = X(i, c): X, or B, in the new order. Views of rank 2, of any layout, that share
/// no memory. Only enqueues work on exec. Throws ShapeError where extents differ.
template <class ExecSpace, class Ordinal, class Device, class X, class Y>
void to_new_order(const ExecSpace& exec, const Permutation<Ordinal, Device>& place, const X& x,
                  const Y& y) {
  detail::move_rows<true>("fatvec::to_new_order", exec, place, x, y);
}

/// Y(i, c) = X(place(i), c): a result back in the old order; else as to_new_order().
template <class ExecSpace, class Ordinal, class Device, class X, class Y>
void to_old_order(const ExecSpace& exec, const Permutation<Ordinal, Device>& place, const X& x,
                  const Y& y) {
  detail::move_rows<false>("fatvec::to_old_order", exec, place, x, y);
}

}  // namespace fatvec
