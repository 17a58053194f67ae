// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>

#include <fatvec/formats/concepts.hpp>
#include <fatvec/formats/detail/row_access.hpp>
#include <fatvec/formats/detail/row_order.hpp>
#include <fatvec/formats/detail/rows.hpp>

/// From CSR to the formats whose rows have slots (ELLPACK, HLL, SELL, JAD, pJAD), and back.
namespace fatvec::detail {

/// Writes the rows of a CSR matrix into padded slots: column index -1 and value 0 behind each row's
/// entries.
template <class Csr, class Rows>
struct FillPadded {
  typename Csr::ConstOffsets row_map;
  typename Csr::Ordinals csr_entries;
  typename Csr::Scalars csr_values;
  Rows rows;
  typename Csr::ordinal_type* entries;
  typename Csr::value_type* values;
  RowParts parts;

  KOKKOS_FUNCTION void operator()(std::int64_t n) const {
    const auto width = [&](std::int64_t i) { return rows.width(i); };
    parts.for_each_run(n, width, [&](std::int64_t i, std::int64_t first, std::int64_t last) {
      const std::int64_t begin = row_map(rows.row(i));
      const std::int64_t length = rows.length(i);
      auto slot = rows.walk(i);
      slot.advance(static_cast<int>(first));
      for (std::int64_t j = first; j < last; ++j, slot.advance(1)) {
        entries[slot[0]] = j < length ? csr_entries(begin + j) : typename Csr::ordinal_type{-1};
        values[slot[0]] = j < length ? csr_values(begin + j) : typename Csr::value_type{};
      }
    });
  }
};

/// The inverse: gathers the rows of a padded format into CSR arrays whose row_map is known.
template <class Csr, class Rows>
struct DrainPadded {
  typename Csr::ConstOffsets row_map;
  typename Csr::Ordinals csr_entries;
  typename Csr::Scalars csr_values;
  Rows rows;
  const typename Csr::ordinal_type* entries;
  const typename Csr::value_type* values;

  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    const std::int64_t row = rows.row(i);
    auto slot = rows.walk(i);
    for (std::int64_t n = row_map(row); n < row_map(row + 1); ++n, slot.advance(1)) {
      csr_entries(n) = entries[slot[0]];
      csr_values(n) = values[slot[0]];
    }
  }
};

/// Allocates and fills the slots of a padded matrix, whose row_lengths and row layout stand
/// already; extents: of entries and values.
template <class ExecSpace, class Csr, class Padded, class... Extents>
void fill_padded(const ExecSpace& exec, const Csr& csr, Padded& padded, Extents... extents) {
  padded.entries = allocate<decltype(padded.entries)>(exec, "fatvec::padded::entries", extents...);
  padded.values = allocate<decltype(padded.values)>(exec, "fatvec::padded::values", extents...);
  using Fill = FillPadded<Csr, typename Padded::Rows>;
  const auto parts = RowParts::of<ExecSpace>(csr.rows(), padded.stored_entries());
  Kokkos::parallel_for("fatvec::from_csr", parts.items(exec),
                       Fill{csr.row_map, csr.entries, csr.values, padded.row_access(),
                            padded.entries.data(), padded.values.data(), parts});
}

/// The lengths of stored rows, at the places of the matrix's rows; row -1 is none.
template <class Offsets, class Rows>
struct LengthsInPlace {
  Offsets lengths;
  Rows stored;

  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    if (const std::int64_t row = stored.row(i); row >= 0)
      lengths(row) = static_cast<typename Offsets::non_const_value_type>(stored.length(i));
  }
};

/// A CSR matrix of rows × cols with the lengths of `count` stored rows, whose row(i) and length(i)
/// it takes; its entries are still to be written.
template <class Csr, class ExecSpace, class Rows>
Csr csr_of_lengths(const ExecSpace& exec, std::int64_t rows, std::int64_t cols, const Rows& stored,
                   std::int64_t count) {
  using Ordinal = typename Csr::ordinal_type;
  const auto row_map = allocate<typename Csr::Offsets>(exec, "fatvec::csr::row_map", rows + 1);
  Kokkos::parallel_for("fatvec::row_lengths", Range<ExecSpace>(exec, 0, count),
                       LengthsInPlace<typename Csr::Offsets, Rows>{row_map, stored});
  const std::int64_t nnz = offsets_from_lengths(exec, row_map, rows, row_map);
  return Csr(static_cast<Ordinal>(rows), static_cast<Ordinal>(cols), row_map,
             allocate<typename Csr::Ordinals>(exec, "fatvec::csr::entries", nnz),
             allocate<typename Csr::Scalars>(exec, "fatvec::csr::values", nnz));
}

template <class Csr, class ExecSpace, class Padded>
Csr drain_padded(const ExecSpace& exec, const Padded& padded) {
  const auto rows = padded.row_access();
  const Csr csr = csr_of_lengths<Csr>(exec, padded.rows(), padded.cols(), rows, padded.rows());
  using Drain = DrainPadded<Csr, typename Padded::Rows>;
  Kokkos::parallel_for("fatvec::to_csr", Range<ExecSpace>(exec, 0, padded.rows()),
                       Drain{csr.row_map, csr.entries, csr.values, rows, padded.entries.data(),
                             padded.values.data()});
  return csr;
}

template <class Csr, class Order>
struct LengthsInOrder {
  typename Csr::Ordinals lengths;
  typename Csr::ConstOffsets row_map;
  Order order;

  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    const std::int64_t row = order(i);
    lengths(i) = static_cast<typename Csr::ordinal_type>(row_map(row + 1) - row_map(row));
  }
};

/// Entries of each row, in the order given.
template <class ExecSpace, class Csr, class Order = InOrder>
typename Csr::Ordinals row_lengths(const ExecSpace& exec, const Csr& csr, const Order& order = {}) {
  const auto lengths = allocate<typename Csr::Ordinals>(exec, "fatvec::row_lengths", csr.rows());
  Kokkos::parallel_for("fatvec::row_lengths", Range<ExecSpace>(exec, 0, csr.rows()),
                       LengthsInOrder<Csr, Order>{lengths, csr.row_map, order});
  return lengths;
}

}  // namespace fatvec::detail
