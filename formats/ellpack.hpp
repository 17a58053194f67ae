// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Core.hpp>
#include <Kokkos_Profiling_ScopedRegion.hpp>
#include <array>

#include <fatvec/formats/csr.hpp>
#include <fatvec/formats/detail/padded.hpp>
#include <fatvec/formats/detail/row_access.hpp>

namespace fatvec {

/// ELLPACK: every row padded to the longest. Slot j < width() of row i is entries(i, j) and
/// values(i, j), rank-2 Views of this Layout:
///
///     LayoutLeft    column-major: neighbouring rows lie side by side, which coalesces on GPUs
///     LayoutRight   row-major: a row's slots are contiguous, which streams on CPUs
///
/// Padding comes after a row's entries and holds column index -1 (as in Calzetta and Lori 2025) and
/// value 0. Kernels never read it: row_lengths ends the row, so an Inf or NaN in X cannot leak in
/// as 0 · Inf (the variant known as ELLPACK-R).
template <class Scalar, class Ordinal = std::int32_t, class Device = Kokkos::DefaultExecutionSpace,
          class Offset = std::int32_t, class Layout = DefaultLayout<Device>>
class EllMatrix : public FormatTraits<Scalar, Ordinal, Device, Offset> {
  using Traits = FormatTraits<Scalar, Ordinal, Device, Offset>;
  static_assert(detail::is_column_major<Layout> || detail::is_row_major<Layout>,
                "the layout of a format is Kokkos::LayoutLeft or Kokkos::LayoutRight");

 public:
  static constexpr const char* name = "ellpack";
  static constexpr Ordinal padding_index = -1;
  using typename Traits::memory_space;
  using typename Traits::Ordinals;
  using array_layout = Layout;
  template <class Other>
  using WithLayout = EllMatrix<Scalar, Ordinal, Device, Offset, Other>;
  using Csr = CsrMatrix<Scalar, Ordinal, Device, Offset>;
  using Rows = detail::EllRows<Ordinal>;

  Ordinals row_lengths;  ///< rows: entries of each row
  Kokkos::View<Ordinal**, Layout, typename Traits::device_type>
      entries;  ///< rows × width column indices
  Kokkos::View<Scalar**, Layout, typename Traits::device_type> values;  ///< rows × width

  [[nodiscard]] KOKKOS_FUNCTION Ordinal rows() const { return rows_; }
  [[nodiscard]] KOKKOS_FUNCTION Ordinal cols() const { return cols_; }
  [[nodiscard]] KOKKOS_FUNCTION Ordinal width() const {
    return width_;
  }  ///< length of the longest row
  [[nodiscard]] std::int64_t nnz() const { return nnz_; }
  [[nodiscard]] std::int64_t stored_entries() const {
    return static_cast<std::int64_t>(values.size());
  }
  [[nodiscard]] auto arrays() const {
    return std::array{detail::span_of_array("row_lengths", row_lengths),
                      detail::span_of_array("entries", entries),
                      detail::span_of_array("values", values)};
  }
  [[nodiscard]] std::uint64_t bytes() const { return detail::bytes_of_arrays(*this); }
  [[nodiscard]] Rows row_access() const {
    return {row_lengths.data(), width_, static_cast<std::int64_t>(entries.stride(0)),
            static_cast<std::int64_t>(entries.stride(1))};
  }

  template <class ExecSpace>
  static Footprint footprint(const ExecSpace& exec, const Csr& csr, const FormatOptions& = {}) {
    const double slots =
        static_cast<double>(csr.rows()) * static_cast<double>(detail::longest_row(exec, csr));
    return {slots, slots * (sizeof(Scalar) + sizeof(Ordinal)) +
                       static_cast<double>(csr.rows()) * sizeof(Ordinal)};
  }

  /// Throws CapacityError, before allocating, where the padded arrays exceed options.memory_limit
  /// (default: the free memory) or Offset cannot count the slots.
  template <class ExecSpace>
  static EllMatrix from_csr(const ExecSpace& exec, const Csr& csr,
                            const FormatOptions& options = {}) {
    const Kokkos::Profiling::ScopedRegion region("fatvec::EllMatrix::from_csr");
    const Footprint need = footprint(exec, csr);
    EllMatrix ell;
    ell.rows_ = csr.rows();
    ell.cols_ = csr.cols();
    ell.nnz_ = csr.nnz();
    ell.width_ = csr.rows() == 0 ? 0 : static_cast<Ordinal>(need.stored_entries / csr.rows());
    detail::require_fits<memory_space>(
        "ELLPACK", need, options.memory_limit,
        detail::concat(ell.rows_, " rows padded to the longest, ", ell.width_,
                       " entries; CSR needs ", human_bytes(static_cast<double>(csr.bytes()))));
    detail::checked_count<Offset>(need.stored_entries, "ELLPACK slots");
    ell.row_lengths = detail::row_lengths(exec, csr);
    detail::fill_padded(exec, csr, ell, ell.rows_, ell.width_);
    return ell;
  }

  template <class ExecSpace>
  Csr to_csr(const ExecSpace& exec) const {
    return detail::drain_padded<Csr>(exec, *this);
  }

 private:
  Ordinal rows_ = 0;
  Ordinal cols_ = 0;
  Ordinal width_ = 0;
  std::int64_t nnz_ = 0;
};

static_assert(SparseFormat<EllMatrix<double>>);

}  // namespace fatvec
