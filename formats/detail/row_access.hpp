// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>

#include <fatvec/formats/concepts.hpp>
#include <fatvec/formats/detail/rows.hpp>

/// How a format lays out its rows, as a small device-copyable value: what conversions and row kernels share. Pointers, not
/// Views, so that a work-item can copy it into registers.
///   begin(i), stride(i)   slot j of row i is entry begin(i) + j · stride(i) of the format's arrays
///   length(i)             entries of row i, without padding
///   width(i)              slots of row i, with padding
///   slots_before(i)       slots of all rows before i: monotone, so that a search cuts the rows into equal shares
///   contiguous            whether the entries of a row lie side by side
namespace fatvec::detail {

template <class Offset>
struct CsrRows {
  static constexpr bool contiguous = true;
  const Offset* row_map;

  KOKKOS_FUNCTION std::int64_t begin(std::int64_t i) const { return row_map[i]; }
  KOKKOS_FUNCTION static constexpr std::int64_t stride(std::int64_t) { return 1; }
  KOKKOS_FUNCTION std::int64_t length(std::int64_t i) const { return row_map[i + 1] - row_map[i]; }
  KOKKOS_FUNCTION std::int64_t width(std::int64_t i) const { return length(i); }
  KOKKOS_FUNCTION std::int64_t slots_before(std::int64_t i) const { return row_map[i]; }
};

template <class Ordinal>
struct EllRows {
  static constexpr bool contiguous = false;
  const Ordinal* row_lengths;
  std::int64_t slots;        ///< per row
  std::int64_t row_stride;   ///< from row to row
  std::int64_t slot_stride;  ///< within a row

  KOKKOS_FUNCTION std::int64_t begin(std::int64_t i) const { return i * row_stride; }
  KOKKOS_FUNCTION std::int64_t stride(std::int64_t) const { return slot_stride; }
  KOKKOS_FUNCTION std::int64_t length(std::int64_t i) const { return row_lengths[i]; }
  KOKKOS_FUNCTION std::int64_t width(std::int64_t) const { return slots; }
  KOKKOS_FUNCTION std::int64_t slots_before(std::int64_t i) const { return i * slots; }
};

template <class Offset, class Ordinal>
struct HllRows {
  static constexpr bool contiguous = false;
  const Offset* hack_offsets;
  const Ordinal* row_lengths;
  std::uint32_t hack_size;
  std::uint32_t rows;
  bool column_major;

  KOKKOS_FUNCTION std::uint32_t hack(std::int64_t i) const { return static_cast<std::uint32_t>(i) / hack_size; }
  /// The last hack holds the rows that are left.
  KOKKOS_FUNCTION std::int64_t hack_rows(std::uint32_t h) const {
    const std::uint32_t left = rows - h * hack_size;
    return left < hack_size ? left : hack_size;
  }
  KOKKOS_FUNCTION std::int64_t hack_width(std::uint32_t h) const {
    return (hack_offsets[h + 1] - hack_offsets[h]) / hack_rows(h);
  }
  KOKKOS_FUNCTION std::int64_t begin(std::int64_t i) const {
    const std::uint32_t h = hack(i);
    const std::int64_t within = i - static_cast<std::int64_t>(h) * hack_size;
    return hack_offsets[h] + (column_major ? within : within * hack_width(h));
  }
  KOKKOS_FUNCTION std::int64_t stride(std::int64_t i) const { return column_major ? hack_rows(hack(i)) : 1; }
  KOKKOS_FUNCTION std::int64_t length(std::int64_t i) const { return row_lengths[i]; }
  KOKKOS_FUNCTION std::int64_t width(std::int64_t i) const { return hack_width(hack(i)); }
  KOKKOS_FUNCTION std::int64_t slots_before(std::int64_t i) const {
    if (i >= rows) return rows == 0 ? 0 : hack_offsets[hack(static_cast<std::int64_t>(rows) - 1) + 1];
    const std::uint32_t h = hack(i);
    return hack_offsets[h] + (i - static_cast<std::int64_t>(h) * hack_size) * hack_width(h);
  }
};

/// Writes the rows of a CSR matrix into padded slots: column index -1 and value 0 behind each row's entries.
template <class Csr, class Rows>
struct FillPadded {
  typename Csr::Offsets row_map;
  typename Csr::Ordinals csr_entries;
  typename Csr::Scalars csr_values;
  Rows rows;
  typename Csr::Ordinals entries;
  typename Csr::Scalars values;

  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    const std::int64_t first = row_map(i);
    const std::int64_t length = rows.length(i);
    const std::int64_t stride = rows.stride(i);
    const std::int64_t width = rows.width(i);
    std::int64_t slot = rows.begin(i);
    for (std::int64_t j = 0; j < width; ++j, slot += stride) {
      entries(slot) = j < length ? csr_entries(first + j) : typename Csr::ordinal_type{-1};
      values(slot) = j < length ? csr_values(first + j) : typename Csr::value_type{};
    }
  }
};

/// The inverse: gathers the rows of a padded format into CSR arrays whose row_map is known.
template <class Csr, class Rows>
struct DrainPadded {
  typename Csr::Offsets row_map;
  typename Csr::Ordinals csr_entries;
  typename Csr::Scalars csr_values;
  Rows rows;
  typename Csr::Ordinals entries;
  typename Csr::Scalars values;

  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    const std::int64_t stride = rows.stride(i);
    std::int64_t slot = rows.begin(i);
    for (std::int64_t n = row_map(i); n < row_map(i + 1); ++n, slot += stride) {
      csr_entries(n) = entries(slot);
      csr_values(n) = values(slot);
    }
  }
};

/// Allocates and fills the slots of a padded matrix, whose row_lengths and row layout stand already.
template <class ExecSpace, class Csr, class Padded>
void fill_padded(const ExecSpace& exec, const Csr& csr, Padded& padded, std::int64_t slots) {
  const auto n = static_cast<std::size_t>(slots);
  padded.entries = allocate<typename Csr::Ordinals>(exec, "fatvec::padded::entries", n);
  padded.values = allocate<typename Csr::Scalars>(exec, "fatvec::padded::values", n);
  using Fill = FillPadded<Csr, typename Padded::Rows>;
  Kokkos::parallel_for("fatvec::from_csr", Range<ExecSpace>(exec, 0, csr.rows()),
                       Fill{csr.row_map, csr.entries, csr.values, padded.row_access(), padded.entries, padded.values});
}

template <class Csr, class ExecSpace, class Padded>
Csr drain_padded(const ExecSpace& exec, const Padded& padded) {
  const auto rows = static_cast<std::size_t>(padded.rows());
  auto row_map = allocate<typename Csr::Offsets>(exec, "fatvec::csr::row_map", rows + 1);
  const auto nnz = static_cast<std::size_t>(offsets_from_lengths(exec, row_map, padded.rows(), padded.row_lengths));
  Csr csr(padded.rows(), padded.cols(), row_map, allocate<typename Csr::Ordinals>(exec, "fatvec::csr::entries", nnz),
          allocate<typename Csr::Scalars>(exec, "fatvec::csr::values", nnz));
  using Drain = DrainPadded<Csr, typename Padded::Rows>;
  Kokkos::parallel_for("fatvec::to_csr", Range<ExecSpace>(exec, 0, padded.rows()),
                       Drain{csr.row_map, csr.entries, csr.values, padded.row_access(), padded.entries, padded.values});
  return csr;
}

template <class ExecSpace, class Csr>
typename Csr::Ordinals row_lengths(const ExecSpace& exec, const Csr& csr) {
  auto lengths = allocate<typename Csr::Ordinals>(exec, "fatvec::row_lengths", static_cast<std::size_t>(csr.rows()));
  const auto row_map = csr.row_map;
  Kokkos::parallel_for(
      "fatvec::row_lengths", Range<ExecSpace>(exec, 0, csr.rows()), KOKKOS_LAMBDA(const std::int64_t i) {
        lengths(i) = static_cast<typename Csr::ordinal_type>(row_map(i + 1) - row_map(i));
      });
  return lengths;
}

}  // namespace fatvec::detail
