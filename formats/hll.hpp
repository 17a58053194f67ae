// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Core.hpp>
#include <Kokkos_Profiling_ScopedRegion.hpp>

#include <fatvec/formats/csr.hpp>
#include <fatvec/formats/detail/long_rows.hpp>
#include <fatvec/formats/detail/padded.hpp>
#include <fatvec/formats/detail/row_access.hpp>
#include <fatvec/formats/detail/slices.hpp>

namespace fatvec {

/// HLL, hacked ELLPACK (PSBLAS; seed 001): the rows are cut into hacks of hack_size consecutive
/// rows, and each hack is an ELLPACK matrix of its own width, so that a long row pads only its
/// hack. Slot j of row r of hack h is entry
///
///     hack_offsets(h) + r + j · (rows of the hack)      column-major: rows lie side by side, which coalesces on GPUs
///     hack_offsets(h) + r · (width of the hack) + j     row-major: a row's slots lie side by side, which streams on CPUs
///
/// The last hack has the rows that are left. Padding as in EllMatrix: index -1, value 0, never read
/// by kernels.
template <class Scalar, class Ordinal = std::int32_t, class Device = Kokkos::DefaultExecutionSpace,
          class Offset = std::int32_t>
class HllMatrix : public FormatTraits<Scalar, Ordinal, Device, Offset> {
  using Traits = FormatTraits<Scalar, Ordinal, Device, Offset>;

 public:
  static constexpr const char* name = "hll";
  static constexpr Ordinal padding_index = -1;
  using typename Traits::memory_space;
  using typename Traits::Offsets;
  using typename Traits::Ordinals;
  using typename Traits::Scalars;
  using Csr = CsrMatrix<Scalar, Ordinal, Device, Offset>;
  using Rows = detail::HllRows<Offset, Ordinal>;

  Offsets hack_offsets;  ///< hacks + 1 offsets into entries and values
  Ordinals row_lengths;  ///< rows: entries of each row
  Ordinals entries;      ///< column indices, padding included
  Scalars values;        ///< values, padding included

  /// Rows far longer than the mean, which GPU kernels share among many threads and add up with
  /// atomics, in an order that may differ from run to run: `= {}` for the same bits every time, and
  /// before row_lengths are changed.
  detail::LongRows<Ordinal, typename Traits::device_type> long_rows;

  [[nodiscard]] Ordinal rows() const { return rows_; }
  [[nodiscard]] Ordinal cols() const { return cols_; }
  [[nodiscard]] Ordinal hack_size() const { return hack_size_; }
  [[nodiscard]] std::int64_t hacks() const { return detail::slices_of(rows_, hack_size_); }
  [[nodiscard]] StorageOrder storage() const { return storage_; }
  [[nodiscard]] std::int64_t nnz() const { return nnz_; }
  [[nodiscard]] std::int64_t stored_entries() const {
    return static_cast<std::int64_t>(values.extent(0));
  }
  /// Without long_rows: where there are any, a length for each row and a hundredth of their
  /// entries' bytes.
  [[nodiscard]] std::uint64_t bytes() const {
    return detail::view_bytes(hack_offsets) + detail::view_bytes(row_lengths) +
           detail::view_bytes(entries) + detail::view_bytes(values);
  }
  [[nodiscard]] Rows row_access() const {
    return {hack_offsets.data(), row_lengths.data(), static_cast<std::uint32_t>(hack_size_),
            static_cast<std::uint32_t>(rows_), storage_ == StorageOrder::column_major};
  }

  template <class ExecSpace>
  static Footprint footprint(const ExecSpace& exec, const Csr& csr,
                             const FormatOptions& options = {}) {
    const Slots hack_slots{csr.row_map, csr.rows(), checked_hack_size(options)};
    const double slots = detail::total_slots(exec, hack_slots);
    return {slots, slots * (sizeof(Scalar) + sizeof(Ordinal)) +
                       static_cast<double>(csr.rows()) * sizeof(Ordinal) +
                       static_cast<double>(hack_slots.slices() + 1) * sizeof(Offset)};
  }

  /// Throws UsageError for a hack size below 1 and CapacityError, before allocating, for 2^31 rows
  /// or where the arrays exceed options.memory_limit (default: the free memory) or Offset cannot
  /// count the slots.
  template <class ExecSpace>
  static HllMatrix from_csr(const ExecSpace& exec, const Csr& csr,
                            const FormatOptions& options = {}) {
    const Kokkos::Profiling::ScopedRegion region("fatvec::HllMatrix::from_csr");
    detail::require_rows_of_32_bits("HLL", csr.rows());
    HllMatrix hll;
    hll.rows_ = csr.rows();
    hll.cols_ = csr.cols();
    hll.nnz_ = csr.nnz();
    hll.hack_size_ = checked_hack_size(options);
    hll.storage_ = options.storage.value_or(default_storage<Device>());
    const Footprint need = footprint(exec, csr, options);
    detail::require_fits<memory_space>(
        "HLL", need, options.memory_limit,
        detail::concat("hacks of ", hll.hack_size_, " rows, each padded to its longest; CSR needs ",
                       human_bytes(static_cast<double>(csr.bytes()))));
    detail::checked_count<Offset>(need.stored_entries, "HLL slots");
    hll.row_lengths = detail::row_lengths(exec, csr);
    hll.hack_offsets = detail::allocate<Offsets>(exec, "fatvec::hll::hack_offsets",
                                                 static_cast<std::size_t>(hll.hacks() + 1));
    const Slots hack_slots{csr.row_map, csr.rows(), hll.hack_size_};
    detail::offsets_from_lengths(exec, hll.hack_offsets, hll.hacks(), hack_slots);
    detail::fill_padded(exec, csr, hll, static_cast<std::int64_t>(need.stored_entries));
    hll.long_rows =
        decltype(hll.long_rows)::find_and_hide(exec, hll.row_access(), hll.rows_, hll.nnz_);
    return hll;
  }

  template <class ExecSpace>
  Csr to_csr(const ExecSpace& exec) const {
    return detail::drain_padded<Csr>(exec, *this);
  }

 private:
  using Slots = detail::SliceSlots<typename Traits::ConstOffsets>;

  static Ordinal checked_hack_size(const FormatOptions& options) {
    return detail::checked_rows<Ordinal>("HLL", "hack size", options.hack_size);
  }

  Ordinal rows_ = 0;
  Ordinal cols_ = 0;
  Ordinal hack_size_ = 32;
  std::int64_t nnz_ = 0;
  StorageOrder storage_ = StorageOrder::column_major;
};

static_assert(SparseFormat<HllMatrix<double>>);

}  // namespace fatvec
