// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Core.hpp>
#include <Kokkos_Profiling_ScopedRegion.hpp>
#include <algorithm>
#include <concepts>
#include <cstdint>
#include <string_view>
#include <type_traits>

#include <fatvec/core/instantiate.hpp>
#include <fatvec/formats/csr.hpp>
#include <fatvec/formats/detail/blocks.hpp>
#include <fatvec/formats/detail/rows.hpp>

namespace fatvec {

/// What of A is multiplied, by the letters of BLAS and KokkosSparse.
enum class Op : char {
  none = 'N',                 ///< A
  transpose = 'T',            ///< its transpose
  conjugate = 'C',            ///< its values conjugated
  conjugate_transpose = 'H',  ///< both
};

/// Whether rows and columns change places.
constexpr bool transposes(Op op) {
  return op == Op::transpose || op == Op::conjugate_transpose;
}

/// The operation of a letter N, T, C or H, in either case. Throws UsageError for others.
inline Op op_of(char letter) {
  switch (letter) {
    case 'N':
    case 'n':
      return Op::none;
    case 'T':
    case 't':
      return Op::transpose;
    case 'C':
    case 'c':
      return Op::conjugate;
    case 'H':
    case 'h':
      return Op::conjugate_transpose;
    default:
      throw UsageError(detail::concat(
          "unknown operation '", letter,
          "'; there are N (A), T (transpose), C (conjugate), H (conjugate transpose)."));
  }
}

/// The same of a text of one letter, as KokkosSparse::spmv takes it.
inline Op op_of(std::string_view letter) {
  if (letter.size() != 1)
    throw UsageError(
        detail::concat("unknown operation '", letter, "'; it is one letter: N, T, C or H."));
  return op_of(letter.front());
}
/// An operation is what it is.
inline Op op_of(Op op) {
  return op;
}

/// An Op, or its letter: Op::transpose, 'T' or "T".
template <class M>
concept OpOrLetter =
    std::is_same_v<M, Op> || std::is_same_v<M, char> ||
    (std::convertible_to<const M&, std::string_view> && !std::is_null_pointer_v<M>);

namespace detail {

/// Throws UsageError for what is no operation: any number can be made an Op.
inline void require_op(Op op) {
  if (op_of(static_cast<char>(op)) != op)
    throw UsageError(concat("an Op has the value of a capital letter: N, T, C or H, not '",
                            static_cast<char>(op), "'."));
}

template <class Scalar>
KOKKOS_FUNCTION Scalar conjugate_if(bool conjugate, const Scalar& value) {
  if constexpr (is_complex<Scalar>)
    return conjugate ? Kokkos::conj(value) : value;
  else
    return value;
}

template <class Csr>
struct CountColumns {
  typename Csr::Ordinals entries;
  typename Csr::Offsets lengths;

  KOKKOS_FUNCTION void operator()(std::int64_t n) const {
    Kokkos::atomic_inc(&lengths(entries(n)));
  }
};

/// Tells the rows of the transpose which entries of row i they get, in whatever order; `left`
/// counts down the places that are free there.
template <class Csr>
struct ScatterRow {
  Csr csr;
  Csr transposed;
  typename Csr::Offsets source;  ///< of each place of the transpose, the entry of A
  typename Csr::Offsets left;

  template <class Member>
  KOKKOS_FUNCTION void operator()(const Member& team) const {
    const auto i = static_cast<typename Csr::ordinal_type>(team.league_rank());
    const auto one = [&](std::int64_t n) {
      const auto column = csr.entries(n);
      const auto at = transposed.row_map(column + 1) - Kokkos::atomic_fetch_sub(&left(column), 1);
      transposed.entries(at) = i;
      source(at) = static_cast<typename Csr::offset_type>(n);
    };
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, static_cast<std::int64_t>(csr.row_map(i)),
                                                 static_cast<std::int64_t>(csr.row_map(i + 1))),
                         one);
  }
};

template <class Csr>
struct GatherValues {
  Csr csr;
  Csr transposed;
  typename Csr::Offsets source;
  bool conjugate;

  KOKKOS_FUNCTION void operator()(std::int64_t at) const {
    transposed.values(at) = conjugate_if(conjugate, csr.values(source(at)));
  }
};

template <class Scalars>
struct Conjugate {
  Scalars from;
  Scalars to;
  KOKKOS_FUNCTION void operator()(std::int64_t n) const { to(n) = conjugate_if(true, from(n)); }
};

/// Rows of the transpose are sorted by A's entries, which sorts them by column, too, and gives
/// duplicates an order that does not depend on the scatter's.
template <class ExecSpace, class Csr>
Csr transposed(const ExecSpace& exec, const Csr& csr, bool conjugate) {
  using Teams = Kokkos::TeamPolicy<ExecSpace>;
  if (std::max<std::int64_t>(csr.rows(), csr.cols()) > INT32_MAX)
    throw CapacityError(concat("transpose: ", csr.rows(), " x ", csr.cols(),
                               " is more than 2^31 - 1 rows or columns."));
  const auto rows = static_cast<std::size_t>(csr.cols());
  const auto nnz = static_cast<std::size_t>(csr.nnz());
  const auto lengths =
      allocate_zeros<typename Csr::Offsets>(exec, "fatvec::transpose::lengths", rows);
  Kokkos::parallel_for("fatvec::transpose::count", Range<ExecSpace>(exec, 0, csr.nnz()),
                       CountColumns<Csr>{csr.entries, lengths});
  const auto row_map = allocate<typename Csr::Offsets>(exec, "fatvec::csr::row_map", rows + 1);
  offsets_from_lengths(exec, row_map, csr.cols(), lengths);
  const Csr result(csr.cols(), csr.rows(), row_map,
                   allocate<typename Csr::Ordinals>(exec, "fatvec::csr::entries", nnz),
                   allocate<typename Csr::Scalars>(exec, "fatvec::csr::values", nnz));
  const auto source = allocate<typename Csr::Offsets>(exec, "fatvec::transpose::source", nnz);
  Kokkos::parallel_for("fatvec::transpose::scatter",
                       Teams(exec, static_cast<int>(csr.rows()), Kokkos::AUTO),
                       ScatterRow<Csr>{csr, result, source, lengths});
  sort_rows("fatvec::transpose::sort", exec, result.row_map, source, result.entries);
  Kokkos::parallel_for("fatvec::transpose::gather", Range<ExecSpace>(exec, 0, csr.nnz()),
                       GatherValues<Csr>{csr, result, source, conjugate});
  exec.fence("fatvec::transpose");  // `source` and `lengths` go at the end of this function
  return result;
}

}  // namespace detail

/// op(A) as a matrix of its own, in parallel where A lives; A itself for Op::none, and of real
/// values for Op::conjugate.
///
/// The rows of a transpose are sorted by column; duplicates keep A's order, in every run. It takes
/// A's memory once more, meanwhile one offset per entry and column, and the time of some products:
/// make it once and keep it where it is used again. Returns when it is there. Throws CapacityError
/// for more than 2^31 - 1 rows or columns, UsageError where op is none of the four.
template <class ExecSpace, class Scalar, class Ordinal, class Device, class Offset>
CsrMatrix<Scalar, Ordinal, Device, Offset> apply(
    const ExecSpace& exec, Op op, const CsrMatrix<Scalar, Ordinal, Device, Offset>& a) {
  using Csr = CsrMatrix<Scalar, Ordinal, Device, Offset>;
  const Kokkos::Profiling::ScopedRegion region("fatvec::apply");
  detail::require_op(op);
  if (transposes(op)) return detail::transposed(exec, a, op == Op::conjugate_transpose);
  if constexpr (detail::is_complex<Scalar>) {
    if (op == Op::conjugate) {
      const auto values =
          detail::allocate<typename Csr::Scalars>(exec, "fatvec::csr::values", a.values.extent(0));
      Kokkos::parallel_for("fatvec::conjugate", detail::Range<ExecSpace>(exec, 0, a.nnz()),
                           detail::Conjugate<typename Csr::Scalars>{a.values, values});
      exec.fence("fatvec::apply");
      return Csr(a.rows(), a.cols(), a.row_map, a.entries, values);
    }
  }
  return a;
}

/// The transpose of A: apply() with Op::transpose. A may have const arrays.
template <class ExecSpace, class Scalar, class Ordinal, class Device, class Offset>
auto transpose(const ExecSpace& exec, const CsrMatrix<Scalar, Ordinal, Device, Offset>& a) {
  return apply(exec, Op::transpose, detail::without_const(a));
}

}  // namespace fatvec

#define FATVEC_APPLY(how, Space, Scalar, Offset)                                     \
  how template fatvec::CsrMatrix<Scalar, std::int32_t, Space, Offset> fatvec::apply( \
      const Space&, fatvec::Op, const fatvec::CsrMatrix<Scalar, std::int32_t, Space, Offset>&);
FATVEC_EXTERN(FATVEC_APPLY)
