// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Core.hpp>
#include <Kokkos_Profiling_ScopedRegion.hpp>
#include <array>

#include <fatvec/formats/csr.hpp>
#include <fatvec/formats/detail/row_access.hpp>
#include <fatvec/formats/detail/sliced.hpp>

namespace fatvec {

/// HLL, hacked ELLPACK (PSBLAS; Calzetta and Lori 2025): the rows are cut into hacks of hack_size
/// consecutive rows, and each hack is an ELLPACK matrix of its own width and of this Layout, so
/// that a long row pads only its hack. hack(h) has its Views; detail::SlicedEllpack says where they
/// lie. The last hack has the rows that are left. Padding as in EllMatrix: index -1, value 0, never
/// read by kernels.
template <class Scalar, class Ordinal = std::int32_t, class Device = Kokkos::DefaultExecutionSpace,
          class Offset = std::int32_t, class Layout = DefaultLayout<Device>>
class HllMatrix : public detail::SlicedEllpack<Scalar, Ordinal, Device, Offset, Layout> {
  using Base = detail::SlicedEllpack<Scalar, Ordinal, Device, Offset, Layout>;

 public:
  static constexpr const char* name = "hll";
  template <class Other>
  using WithLayout = HllMatrix<Scalar, Ordinal, Device, Offset, Other>;
  using typename Base::Csr;
  using Rows = detail::SlicedRows<Offset, Ordinal>;

  HllMatrix() = default;

  [[nodiscard]] KOKKOS_FUNCTION Ordinal hack_size() const { return this->slice_size(); }
  [[nodiscard]] KOKKOS_FUNCTION std::int64_t hacks() const { return this->slices(); }
  /// Hack h, 0 <= h < hacks(): rank-2 Views of its column indices and values, rows × width, for
  /// kernels of your own.
  [[nodiscard]] KOKKOS_FUNCTION auto hack(std::int64_t h) const { return this->slice(h); }
  /// hacks + 1 offsets into entries and values.
  [[nodiscard]] const typename Base::Offsets& hack_offsets() const { return this->slice_offsets; }

  [[nodiscard]] auto arrays() const {
    return std::array{detail::span_of_array("slice_offsets", this->slice_offsets),
                      detail::span_of_array("row_lengths", this->row_lengths),
                      detail::span_of_array("entries", this->entries),
                      detail::span_of_array("values", this->values)};
  }
  [[nodiscard]] std::uint64_t bytes() const { return detail::bytes_of_arrays(*this); }
  [[nodiscard]] Rows row_access() const {
    return {this->slice_offsets.data(), this->row_lengths.data(),
            static_cast<std::uint32_t>(this->slice_size()),
            static_cast<std::uint32_t>(this->rows()), detail::is_column_major<Layout>};
  }

  template <class ExecSpace>
  static Footprint footprint(const ExecSpace& exec, const Csr& csr,
                             const FormatOptions& options = {}) {
    return HllMatrix(csr, options).footprint_of(exec, csr);
  }

  /// Throws UsageError for a hack size below 1 and CapacityError, before entries and values are
  /// allocated, for 2^31 rows or where the arrays exceed options.memory_limit (default: the free
  /// memory) or Offset cannot count the slots.
  template <class ExecSpace>
  static HllMatrix from_csr(const ExecSpace& exec, const Csr& csr,
                            const FormatOptions& options = {}) {
    const Kokkos::Profiling::ScopedRegion region("fatvec::HllMatrix::from_csr");
    detail::require_rows_of_32_bits("HLL", csr.rows());
    HllMatrix hll(csr, options);
    detail::fill_slices(exec, csr, hll, "HLL",
                        detail::concat("hacks of ", hll.hack_size(), " rows"),
                        hll.footprint_of(exec, csr), options, detail::InOrder{});
    return hll;
  }

  template <class ExecSpace>
  Csr to_csr(const ExecSpace& exec) const {
    return detail::drain_padded<Csr>(exec, *this);
  }

 private:
  HllMatrix(const Csr& csr, const FormatOptions& options)
      : Base(csr, detail::checked_rows<Ordinal>("HLL", "hack size", options.hack_size)) {}

  template <class ExecSpace>
  Footprint footprint_of(const ExecSpace& exec, const Csr& csr) const {
    const detail::SliceSlots<typename Base::ConstOffsets> slots{csr.row_map, this->rows(),
                                                                this->slice_size()};
    return this->footprint_of_slots(detail::total_slots(exec, slots));
  }
};

static_assert(SparseFormat<HllMatrix<double>>);

}  // namespace fatvec
