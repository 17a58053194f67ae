// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Core.hpp>
#include <array>
#include <type_traits>
#include <utility>

#include <fatvec/core/memory.hpp>
#include <fatvec/formats/concepts.hpp>
#include <fatvec/formats/detail/check_csr.hpp>
#include <fatvec/formats/detail/row_access.hpp>

namespace fatvec {

/// Compressed Sparse Row: the hub from which every other format is built.
///
/// Row i holds entries(n), values(n) for row_map(i) <= n < row_map(i + 1). Kernels accept any order
/// within a row; what fatvec builds is sorted by column and free of duplicates. Copies are shallow,
/// as of Views. Names follow KokkosSparse::CrsMatrix (row_map, entries, values); Calzetta and Lori,
/// and Fraga call them IRP, JA and AS.
template <class Scalar, class Ordinal = std::int32_t, class Device = Kokkos::DefaultExecutionSpace,
          class Offset = std::int32_t>
class CsrMatrix : public FormatTraits<Scalar, Ordinal, Device, Offset> {
  using Traits = FormatTraits<Scalar, Ordinal, Device, Offset>;

 public:
  static constexpr const char* name = "csr";
  using typename Traits::ConstOffsets;
  using typename Traits::Offsets;
  using typename Traits::Ordinals;
  using typename Traits::Scalars;
  using Rows = detail::CsrRows<Offset>;

  ConstOffsets row_map;  ///< rows + 1 offsets; never written, so that a graph's can be shared
  Ordinals entries;      ///< nnz column indices
  Scalars values;        ///< nnz values

  CsrMatrix() = default;

  /// Adopts existing Views (no copy). Throws ShapeError where their extents do not fit together.
  /// What is in them is not looked at: row_map must begin with 0, never decrease, and end with the
  /// number of entries, whose columns must be within 0 ... cols - 1. Kernels and conversions of a
  /// matrix that breaks this read and write beyond the arrays, or never end.
  CsrMatrix(Ordinal rows, Ordinal cols, ConstOffsets row_map_, Ordinals entries_, Scalars values_)
      : row_map(std::move(row_map_)),
        entries(std::move(entries_)),
        values(std::move(values_)),
        rows_(rows),
        cols_(cols) {
    if (rows < 0 || cols < 0 || row_map.extent(0) != static_cast<std::size_t>(rows) + 1 ||
        entries.extent(0) != values.extent(0)) {
      throw ShapeError(detail::concat("CsrMatrix: a ", rows, " x ", cols,
                                      " matrix wants rows + 1 offsets and as many entries as ",
                                      "values; row_map has ", row_map.extent(0), ", entries ",
                                      entries.extent(0), ", values ", values.extent(0), "."));
    }
  }

  /// Fails with a sentence: the Views are of other types.
  template <class RowMap, class Entries, class Values>
    requires(Kokkos::is_view_v<RowMap> && Kokkos::is_view_v<Entries> && Kokkos::is_view_v<Values> &&
             !(std::is_convertible_v<RowMap, ConstOffsets> &&
               std::is_convertible_v<Entries, Ordinals> && std::is_convertible_v<Values, Scalars>))
  CsrMatrix(Ordinal, Ordinal, const RowMap&, const Entries&, const Values&) {
    static_assert(std::is_convertible_v<RowMap, ConstOffsets>,
                  "row_map is not a View of this CsrMatrix's Offset in its memory, without "
                  "strides: name its type, "
                  "CsrMatrix<Scalar, Ordinal, Device, Offset>, or leave all of them out, "
                  "CsrMatrix(rows, cols, row_map, entries, values)");
    static_assert(std::is_convertible_v<Entries, Ordinals>,
                  "entries is not a View of this CsrMatrix's Ordinal in its memory, without "
                  "strides: leave the types out, CsrMatrix(rows, cols, row_map, entries, values), "
                  "or copy it to a View of 32-bit integers by Kokkos::deep_copy");
    static_assert(std::is_convertible_v<Values, Scalars>,
                  "values is not a View of this CsrMatrix's Scalar in its memory, without "
                  "strides: name its type, or leave all of them out, "
                  "CsrMatrix(rows, cols, row_map, entries, values)");
  }

  /// The same for arrays from outside, which are checked, as by validate(exec, A).
  template <class ExecSpace>
    requires Kokkos::is_execution_space_v<ExecSpace>
  CsrMatrix(const ExecSpace& exec, Ordinal rows, Ordinal cols, ConstOffsets row_map_,
            Ordinals entries_, Scalars values_)
      : CsrMatrix(rows, cols, std::move(row_map_), std::move(entries_), std::move(values_)) {
    detail::check_csr(exec, row_map, entries, rows_, cols_);
  }

  /// The same matrix: KokkosSparse spells a device Device<Space, MemorySpace>, others Space.
  template <class Other>
    requires(!std::is_same_v<Other, Device> &&
             std::is_same_v<typename Other::device_type, typename Traits::device_type>)
  CsrMatrix(const CsrMatrix<Scalar, Ordinal, Other, Offset>&
                other)  // NOLINT(google-explicit-constructor)
      : CsrMatrix(other.rows(), other.cols(), other.row_map, other.entries, other.values) {}

  [[nodiscard]] Ordinal rows() const { return rows_; }
  [[nodiscard]] Ordinal cols() const { return cols_; }
  [[nodiscard]] std::int64_t nnz() const { return static_cast<std::int64_t>(values.extent(0)); }
  [[nodiscard]] std::int64_t stored_entries() const { return nnz(); }
  [[nodiscard]] auto arrays() const {
    return std::array{detail::span_of_array("row_map", row_map),
                      detail::span_of_array("entries", entries),
                      detail::span_of_array("values", values)};
  }
  [[nodiscard]] std::uint64_t bytes() const { return detail::bytes_of_arrays(*this); }
  [[nodiscard]] Rows row_access() const { return {row_map.data()}; }

  template <class ExecSpace>
  static Footprint footprint(const ExecSpace&, const CsrMatrix& csr, const FormatOptions& = {}) {
    return {static_cast<double>(csr.nnz()), static_cast<double>(csr.bytes())};
  }
  /// The same Views.
  template <class ExecSpace>
  static CsrMatrix from_csr(const ExecSpace&, const CsrMatrix& csr, const FormatOptions& = {}) {
    return csr;
  }
  template <class ExecSpace>
  CsrMatrix to_csr(const ExecSpace&) const {
    return *this;
  }

 private:
  typename Traits::ordinal_type rows_ = 0;  // not const: const arrays are assigned, too
  typename Traits::ordinal_type cols_ = 0;
};

/// CsrMatrix(rows, cols, row_map, entries, values): the types of the Views.
template <class Rows, class Cols, class RowMap, class Entries, class Values>
  requires(Kokkos::is_view_v<RowMap> && Kokkos::is_view_v<Entries> && Kokkos::is_view_v<Values>)
CsrMatrix(Rows, Cols, RowMap, Entries, Values)
    -> CsrMatrix<typename Values::value_type, typename Entries::value_type,
                 detail::SpaceOf<typename Values::device_type>,
                 typename RowMap::non_const_value_type>;

static_assert(SparseFormat<CsrMatrix<double>>);

/// Throws InputError, naming the row and the entry, where the offsets do not begin with 0,
/// decrease, or do not end with the number of entries, or where a column is out of range. One pass
/// over row_map and entries on exec; returns when it is over. Order and duplicates within a row are
/// not looked at.
template <class ExecSpace, class Scalar, class Ordinal, class Device, class Offset>
void validate(const ExecSpace& exec, const CsrMatrix<Scalar, Ordinal, Device, Offset>& csr) {
  detail::check_csr(exec, csr.row_map, csr.entries, csr.rows(), csr.cols());
}

/// The same matrix in another Device's memory; shares the Views where the memory space is the same.
template <class TargetDevice, class Scalar, class Ordinal, class Device, class Offset>
auto mirror(const CsrMatrix<Scalar, Ordinal, Device, Offset>& csr) {
  using Target = CsrMatrix<Scalar, Ordinal, TargetDevice, Offset>;
  if (csr.row_map.extent(0) == 0) return Target();  // a default one has not even one offset
  const typename Target::memory_space space;
  const auto copy = [&](const auto& view, const std::string& label) {
    return detail::allocated(
        [&] { return Kokkos::create_mirror_view_and_copy(space, view, label); });
  };
  return Target(csr.rows(), csr.cols(), copy(csr.row_map, "fatvec::csr::row_map"),
                copy(csr.entries, "fatvec::csr::entries"), copy(csr.values, "fatvec::csr::values"));
}

namespace detail {

/// A View of the same elements that does not own them, and whose type is not const: only for what
/// reads them.
template <class T, class Device>
auto without_const(const Kokkos::View<T*, Device>& view) {
  using Element = std::remove_const_t<T>;
  return Kokkos::View<Element*, Device>(const_cast<Element*>(view.data()), view.extent(0));
}

/// The matrix by the types of arrays that are not const, for which conversions and plans are
/// compiled. Only for what reads it: nothing is written to arrays that were const, and `csr` still
/// owns them.
template <class Scalar, class Ordinal, class Device, class Offset>
auto without_const(const CsrMatrix<Scalar, Ordinal, Device, Offset>& csr) {
  using Plain =
      CsrMatrix<std::remove_const_t<Scalar>, std::remove_const_t<Ordinal>, Device, Offset>;
  if constexpr (std::is_same_v<Plain, CsrMatrix<Scalar, Ordinal, Device, Offset>>)
    return csr;
  else
    return Plain(csr.rows(), csr.cols(), csr.row_map, without_const(csr.entries),
                 without_const(csr.values));
}

/// Whether a CsrMatrix of these has arrays that are const.
template <class Scalar, class Ordinal>
concept ConstArrays = std::is_const_v<Scalar> || std::is_const_v<Ordinal>;

}  // namespace detail
}  // namespace fatvec
