// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstdint>
#include <string_view>
#include <type_traits>
#include <utility>

#include <fatvec/core/execution.hpp>
#include <fatvec/core/macros.hpp>
#include <fatvec/formats/detail/row_access.hpp>
#include <fatvec/kernels/concepts.hpp>
#include <fatvec/kernels/host/interleaved_rows.hpp>
#include <fatvec/kernels/host/output.hpp>
#include <fatvec/kernels/host/partition.hpp>
#include <fatvec/kernels/host/prefetch.hpp>
#include <fatvec/kernels/host/sparse_dot.hpp>
#include <fatvec/kernels/host/transposed_store.hpp>
#include <fatvec/kernels/portable/row_kernel.hpp>
#include <fatvec/kernels/shared/rows.hpp>
#include <fatvec/kernels/shared/static_for.hpp>
#include <fatvec/kernels/shared/tile.hpp>

/// The row-parallel product of host spaces, for every format whose rows are walked slot by slot.
namespace fatvec::detail {

/// A thread has consecutive rows. Of each it sums a tile of neighbouring columns in registers;
/// columns beyond one tile sweep over chunks of rows so small that a chunk's part of A stays in the
/// first-level cache: A comes from memory once, whatever k. With many columns a chunk is one row:
/// rows of X are read whole then, in streams that are long enough for the processor to prefetch
/// (docs/performance.md).
template <class T, class S, Columns columns, class Output>
struct HostRowKernel {
  static constexpr bool contiguous = columns == Columns::contiguous;
  template <int width>
  using Sums = Tile<T, width, contiguous ? vector_width<T>(width) : 1>;
  SlotRows<S> a;
  MultiVectorSpan<const T, columns> x;
  HostOutput<T, Output> to;
  std::int64_t x_rows;
  std::int64_t k;
  RowPartition partition;
  bool transposes_y = false;  ///< Y is column-major, and rows are transposed into it
  std::int64_t cached_bytes = host::prefetched_beyond();  ///< of X
  std::int64_t slots = 0;                                 ///< of all rows
  std::int64_t distance = 0;  ///< rows of A between prefetching a row of X and using it, in this
                              ///< part; 0: no prefetching

  bool masks_rows = false;  ///< a row's last entries are multiplied under a mask
  bool in_caches = false;   ///< caches keep A and X: nothing is prefetched

  static constexpr bool may_mask_rows =
      S::Rows::contiguous && has_masked_dot<T, typename S::value_type, typename S::ordinal_type>;
  static constexpr bool can_transpose_y =
      contiguous && in_matrix_order<typename S::Rows> && is_scaled_sum<Output>;
  static constexpr bool is_csr = requires { &S::Rows::row_map; };
  /// Widest tile of multiply_few.
  static constexpr int few = is_csr ? 16 : 8;
  /// Rows side by side that go into vectors, where X is a dense column, or several.
  static constexpr int group =
      S::Rows::contiguous ? 1
                          : interleaved_rows<typename S::value_type, T, typename S::ordinal_type>;
  /// Groups whose slots are read in turns, where a slice has rows for them: caches and processors
  /// like neighbouring lines.
  static constexpr int at_once = group > 8 ? 2 : 4;
  /// Whether the loop over a row's entries prefetches X by itself: with few columns a call for each
  /// row costs too much.
  KOKKOS_FUNCTION static constexpr bool prefetches_by_entry(std::int64_t width) {
    return contiguous && S::Rows::contiguous && width < 8 && width * sizeof(T) < 64;
  }

  KOKKOS_FUNCTION void operator()(std::int64_t part) const {
    const std::int64_t first = partition.begin(part, a.access);
    const std::int64_t last = partition.begin(part + 1, a.access);
    HostRowKernel of_part = *this;
    of_part.slots = a.access.slots_before(a.rows);
    of_part.to.begin(part);
    if constexpr (contiguous) {
      if (!in_caches)
        of_part.distance = prefetch_row_distance(a.access, a.columns, first, last,
                                                 {.rows = a.rows,
                                                  .x_rows = x_rows,
                                                  .bytes = k * std::int64_t{sizeof(T)},
                                                  .cached = cached_bytes});
      if constexpr (can_transpose_y)
        if (transposes_y) return of_part.multiply_transposed(first, last);
    }
    of_part.multiply(first, last, Widths());
    to.finish();
  }

  /// Into a column-major Y.
  [[gnu::noinline]] KOKKOS_FUNCTION void multiply_transposed(std::int64_t start,
                                                             std::int64_t last) const {
    TransposedStore<T>::run(to.output, a.rows, k, start, last, 1,
                            [&](std::int64_t first, std::int64_t end, std::int64_t c,
                                std::int64_t some_columns, const HostOutput<T, Output>& buffer) {
                              HostRowKernel some = *this;
                              some.x.data += c;
                              some.k = some_columns;
                              some.to = buffer;
                              some.multiply(first, end, Widths());
                            });
  }

  /// Columns of a tile, the widest first; widest_tile is the limit. Of columns that are apart each
  /// is a stream.
  using Widths = std::conditional_t<
      contiguous,
      std::integer_sequence<int, 128, 96, 64, 48, 32, 24, 16, 12, 8, 7, 6, 5, 4, 3, 2, 1>,
      std::integer_sequence<int, 8, 7, 6, 5, 4, 3, 2, 1>>;

  /// All columns of rows start ... last - 1, in chunks whose part of A stays in the first-level
  /// cache where they make several tiles.
  template <int... widths>
  [[gnu::noinline]] KOKKOS_FUNCTION void multiply(std::int64_t start, std::int64_t last,
                                                  std::integer_sequence<int, widths...>) const {
    // In registers: of *this the compiler must think that writing Y changes it.
    const HostRowKernel local = *this;
    const bool one_tile = k <= widest_tile<T> && ((k == widths) || ...);
    const std::int64_t chunk = one_tile ? last - start : contiguous && k >= 56 ? 1 : 16;
    for (std::int64_t first = start; first < last; first += chunk) {
      const std::int64_t end = Kokkos::min(last, first + chunk);
      std::int64_t c = 0;
      const auto take = [&]<int width>(std::integral_constant<int, width>) FATVEC_INLINE_LAMBDA {
        if constexpr (width <= widest_tile<T>) {
          for (; c + width <= local.k; c += width) {
            if constexpr (width <= few)
              local.template multiply_few<width>(first, end, c);
            else
              local.template multiply_tile<width>(first, end, c);
          }
        }
      };
      (take(std::integral_constant<int, widths>()), ...);
    }
  }

  /// Few columns, of rows that cost little: not inlined, so that the loop has all registers.
  template <int width>
  [[gnu::noinline]] KOKKOS_FUNCTION void multiply_few(std::int64_t first, std::int64_t end,
                                                      std::int64_t c) const {
    if constexpr (width == 1)
      if (x.row_stride == 1 && a.access.is_contiguous()) return dense_column(first, end, c);
    if constexpr (is_csr && contiguous)
      if (in_caches) return multiply_cached<width>(first, end, c);
    const HostRowKernel local = *this;
    if constexpr (prefetches_by_entry(width))
      if (distance > 0) return local.template multiply_tile<width, true>(first, end, c);
    local.template multiply_tile<width>(first, end, c);
  }

  /// CSR where caches keep A and X: the plain loop, which adds up in multiply_row's order.
  template <int width>
  KOKKOS_FUNCTION void multiply_cached(std::int64_t first, std::int64_t end, std::int64_t c) const {
    const auto access = a.access;
    const auto* const entries = a.columns;
    const auto* const values = a.values;
    const T* const from = &x(0, c);
    const std::int64_t row_stride = x.row_stride;
    const HostOutput<T, Output> output = to;
    for (std::int64_t i = first; i < end; ++i) {
      const std::int64_t last = access.row_map[i + 1];
      std::int64_t j = access.row_map[i];
      Sums<width> sums;
      if constexpr (width <= 8) {
        Sums<width> odd;
        for (; j + 1 < last; j += 2) {
          sums.add_product(values[j], Sums<width>(from + entries[j] * row_stride, 1));
          odd.add_product(values[j + 1], Sums<width>(from + entries[j + 1] * row_stride, 1));
        }
        sums += odd;
      }
      for (; j < last; ++j)
        sums.add_product(values[j], Sums<width>(from + entries[j] * row_stride, 1));
      alignas(64) T of_row[width];
      sums.copy_to(of_row);
      output.template store<contiguous>(access.row(i), c, of_row);
    }
  }

  /// Columns c ... c + width - 1 of rows first ... end - 1.
  template <int width, bool prefetches = false>
  FATVEC_FORCEINLINE_FUNCTION void multiply_tile(std::int64_t first, std::int64_t end,
                                                 std::int64_t c) const {
    if constexpr (group > 1 && width <= (contiguous ? 1 : 2))  // gathers of more columns lose
      if (x.row_stride == 1 && !a.access.is_contiguous())
        return multiply_rows_of_slices<width>(first, end, c);
    if constexpr (group > 1 && contiguous && width <= 8)
      if (!a.access.is_contiguous()) return multiply_slices<width>(first, end, c);
    if constexpr (requires { a.access.for_each_row(first, end, [](auto, const auto&) {}); })
      a.access.for_each_row(first, end, [&](auto i, const auto& slots) FATVEC_INLINE_LAMBDA {
        using Walk = std::remove_cvref_t<decltype(slots)>;
        using Row = SlotRow<Walk, typename S::ordinal_type, typename S::value_type>;
        multiply_row<width, prefetches>(i, Row{slots, a.columns, a.values, a.length(i)}, c);
      });
    else
      for (std::int64_t i = first; i < end; ++i) multiply_row<width, prefetches>(i, a(i), c);
  }

  /// Row i, whose entries are added to two sums in turns while a tile leaves registers: an addition
  /// need not wait for the one before.
  template <int width, bool prefetches, class Row>
  FATVEC_FORCEINLINE_FUNCTION void multiply_row(std::int64_t i, const Row& row,
                                                std::int64_t c) const {
    prefetch_ahead<width, prefetches>(i, row, c);
    const auto* const later = entries_ahead<width, prefetches>(row);
    Sums<width> sums;
    Sums<width> odd;
    int j = 0;
    if constexpr (width <= 8) {
      for (; j + 1 < row.length; j += 2) {
        if constexpr (prefetches) prefetch_row<width * sizeof(T)>(&x(later[j], c));
        sums.add_product(row.value(j), Sums<width>(&x(row.colidx(j), c), x.step()));
        if constexpr (prefetches) prefetch_row<width * sizeof(T)>(&x(later[j + 1], c));
        odd.add_product(row.value(j + 1), Sums<width>(&x(row.colidx(j + 1), c), x.step()));
      }
      sums += odd;
    }
    for (; j < row.length; ++j) {
      if constexpr (prefetches) prefetch_row<width * sizeof(T)>(&x(later[j], c));
      sums.add_product(row.value(j), Sums<width>(&x(row.colidx(j), c), x.step()));
    }
    alignas(64) T of_row[width];
    sums.copy_to(of_row);
    store(i, c, of_row);
  }

  template <int width>
  FATVEC_FORCEINLINE_FUNCTION void store(std::int64_t i, std::int64_t c,
                                         const T (&sums)[width]) const {
    to.template store<contiguous>(a.matrix_row(i), c, sums);
  }

  /// Rows that lie side by side, in vectors of rows.
  template <int width>
  FATVEC_FORCEINLINE_FUNCTION void multiply_rows_of_slices(std::int64_t i, std::int64_t end,
                                                           std::int64_t c) const {
    while (i < end) {
      const std::int64_t count = Kokkos::min(end - i, a.access.interleaved(i));
      i += count > group ? multiply_together<width, at_once>(i, count, c)
                         : multiply_together<width, 1>(i, count, c);
    }
  }

  /// The first of `count` rows from row i on that lie side by side. Returns how many.
  template <int width, int groups>
  FATVEC_FORCEINLINE_FUNCTION std::int64_t multiply_together(std::int64_t i, std::int64_t count,
                                                             std::int64_t c) const {
    constexpr int most = groups * group;
    const std::int64_t rows = Kokkos::min<std::int64_t>(count, most);
    T sums[width][most];
    InterleavedRows<T>::template multiply<width, groups>(a.access.row_lengths + i, rows,
                                                         a.access.walk(i), a.columns, a.values,
                                                         &x(0, c), x.step(), sums);
    for (std::int64_t r = 0; r < rows; ++r) {
      T of_row[width];
      for (int w = 0; w < width; ++w) of_row[w] = sums[w][r];
      store(i + r, c, of_row);
    }
    return rows;
  }

  /// Rows of slices, `group` at a time: slot by slot, as A lies in memory, while all have one.
  template <int width>
  FATVEC_FORCEINLINE_FUNCTION void multiply_slices(std::int64_t i, std::int64_t end,
                                                   std::int64_t c) const {
    while (i < end) {
      const std::int64_t count = Kokkos::min(end - i, a.access.interleaved(i));
      if (count < group) {
        for (const std::int64_t last = i + count; i < last; ++i)
          multiply_row<width, false>(i, a(i), c);
        continue;
      }
      if (distance > 0)
        for (int r = 0; r < group; ++r) prefetch_ahead<width, false>(i + r, a(i + r), c);
      const auto* const lengths = a.access.row_lengths + i;
      const std::int32_t common = common_length<group>(lengths);
      Sums<width> sums[group];
      auto slot = a.access.walk(i);
      for (std::int32_t j = 0; j < common; ++j, slot.advance(1)) {
        const auto* const values = a.values + slot[0];
        const auto* const entries = a.columns + slot[0];
        prefetch_entries(values, entries);
        unroll<group>([&](int r) FATVEC_INLINE_LAMBDA {
          sums[r].add_product(values[r], Sums<width>(&x(entries[r], c), x.step()));
        });
      }
      for (int r = 0; r < group; ++r) {
        auto rest = slot;
        for (std::int32_t j = common; j < lengths[r]; ++j, rest.advance(1))
          sums[r].add_product(a.values[rest[0] + r],
                              Sums<width>(&x(a.columns[rest[0] + r], c), x.step()));
        alignas(64) T of_row[width];
        sums[r].copy_to(of_row);
        store(i + r, c, of_row);
      }
      i += group;
    }
  }

  /// Rows whose entries lie side by side, with a dense column of X.
  KOKKOS_FUNCTION void dense_column(std::int64_t first, std::int64_t end, std::int64_t c) const {
#if defined(FATVEC_HAS_GNU_VECTORS)
    if constexpr (may_mask_rows) {
      const auto masked = [](auto gather) {
        return [gather](const auto&... row)
                   FATVEC_INLINE_LAMBDA { return masked_dot<T>(row..., gather); };
      };
      if (masks_rows)
        return gathers_pay<T>() ? dense_column(first, end, c, masked(ByInstruction()))
                                : dense_column(first, end, c, masked(ByLoads()));
    }
#endif
    const auto dot = [](auto prefetches) {
      return [](const auto&... row) FATVEC_INLINE_LAMBDA {
        return sparse_dot<T, decltype(prefetches)::value>(row...);
      };
    };
    if (in_caches)
      dense_column<false>(first, end, c, dot(std::false_type()));
    else
      dense_column(first, end, c, dot(std::true_type()));
  }

  template <class Dot>
  KOKKOS_FUNCTION void dense_column(std::int64_t first, std::int64_t end, std::int64_t c,
                                    const Dot& dot) const {
    if (distance > 0)
      dense_column<true>(first, end, c, dot);
    else
      dense_column<false>(first, end, c, dot);
  }

  /// prefetches: rows of X, too.
  template <bool prefetches, class Dot>
  [[gnu::noinline]] KOKKOS_FUNCTION void dense_column(std::int64_t first, std::int64_t end,
                                                      std::int64_t c, const Dot& dot) const {
    const HostRowKernel local = *this;
    const auto* const from = &x(0, c);
    for_each_row(
        local.a.access, first, end, [&](std::int64_t i, const auto& slots) FATVEC_INLINE_LAMBDA {
          const std::int64_t begin = slots[0];
          const std::int64_t length = local.a.length(i);
          if constexpr (prefetches) {  // of entries further on, at the end of A of the last
            const std::int64_t later = begin + prefetch_distance(sizeof(T));
            const auto* const ahead = local.a.columns + Kokkos::min(later, local.slots - length);
            for (std::int64_t n = 0; n < length; ++n) prefetch_row<sizeof(T)>(from + ahead[n]);
          }
          const T sum[1] = {dot(length, local.a.columns + begin, local.a.values + begin, from)};
          local.store(i, c, sum);
        });
  }

  /// Prefetches A, and the rows of X of later slots: where rows lie one behind the other, those of
  /// the entries prefetch_distance() ahead, else those of row i + distance.
  template <int width, bool by_entry, class Row>
  FATVEC_FORCEINLINE_FUNCTION void prefetch_ahead(std::int64_t i, const Row& row,
                                                  std::int64_t c) const {
    if (!in_caches && a.access.is_contiguous() && c == 0) row.prefetch_ahead();
    if constexpr (by_entry || !contiguous) return;
    if (distance == 0) return;
    constexpr std::int64_t bytes = width * std::int64_t{sizeof(T)};
    if (a.access.is_contiguous()) {
      const std::int64_t later = row.slots[0] + prefetch_distance(bytes);
      prefetch_rows(FixedWalk<1>{later}, Kokkos::min<std::int64_t>(row.length, slots - later),
                    a.columns, &x(0, c), x.row_stride, bytes);
    } else if (i + distance < a.rows) {
      prefetch_rows(a.access.walk(i + distance), a.length(i + distance), a.columns, &x(0, c),
                    x.row_stride, bytes);
    }
  }

  /// Of entries prefetch_distance() ahead of a row's, at the end of A once more of the last ones.
  template <int width, bool prefetches, class Row>
  FATVEC_FORCEINLINE_FUNCTION const typename S::ordinal_type* entries_ahead(const Row& row) const {
    if constexpr (!prefetches) return nullptr;
    constexpr std::int64_t bytes = width * std::int64_t{sizeof(T)};
    return a.columns + Kokkos::min(row.slots[0] + prefetch_distance(bytes), slots - row.length);
  }
};

}  // namespace fatvec::detail

namespace fatvec {

/// The kernel of formats whose rows are walked slot by slot: the above on hosts, the portable one
/// on devices.
template <template <class...> class Format>
struct RowKernelOf {
  template <class Scalar, class Ordinal, class Device, class Offset>
  using Matrix = Format<Scalar, Ordinal, Device, Offset>;
  using HostPolicy = host::Policy;
  using DevicePolicy = portable::PolicyOf<Format>;
  static constexpr auto label = detail::label_of<Format>("-row");
  static constexpr std::string_view name = label.name();

  template <class Scalar, class ExecSpace>
  static bool heeds_policy(const ExecSpace&) {
    return specialised || !detail::is_host<ExecSpace>;
  }

  template <class M, class, class Policy>
  static bool stores_column_major(const Policy&, std::int64_t k) {
    return detail::in_matrix_order<typename M::Rows> &&
           (std::is_same_v<Policy, HostPolicy> || portable::stores_column_major(k));
  }

  template <class ExecSpace, class S, class T, detail::Columns columns, class Output>
  static void run(const ExecSpace& exec, const HostPolicy& policy, const S& a,
                  const detail::MultiVectorSpan<const T, columns>& x, const Output& output,
                  std::int64_t k) {
    if constexpr (specialised) {
      Output to = output;
      detail::begin_sums(to, 0, k);
      const std::int64_t parts =
          detail::take_parts(to, detail::parts_for(exec, policy, a.stored_entries(), k));
      using Kernel = detail::HostRowKernel<T, S, columns, Output>;
      Kernel kernel{.a = detail::SlotRows<S>(a),
                    .x = x,
                    .to = decltype(Kernel::to)::of(to, a.rows(), k),
                    .x_rows = a.cols(),
                    .k = k,
                    .partition = {a.rows(), parts}};
      constexpr double bytes = sizeof(typename S::value_type) + sizeof(typename S::ordinal_type);
      kernel.in_caches = detail::caches_keep(
          bytes * static_cast<double>(a.stored_entries()) / exec.concurrency(),
          static_cast<double>(sizeof(T)) * static_cast<double>(a.cols()) * static_cast<double>(k),
          k);
      if constexpr (Kernel::may_mask_rows)
        kernel.masks_rows = k == 1 && detail::lengths_vary(kernel.a.access, a.rows());
      if constexpr (Kernel::can_transpose_y)
        kernel.transposes_y = detail::TransposedStore<T>::applies_to(output, k);
      if (kernel.transposes_y) kernel.partition.granularity = detail::TransposedStore<T>::line;
      detail::launch_parts(label.text, exec, parts, kernel);
      detail::join_sums(exec, to);
    } else {
      portable::multiply_rows<true>(label.text, exec, {}, a, x, output, k);
    }
  }
  template <class ExecSpace, class S, class X, class Output>
  static void run(const ExecSpace& exec, const DevicePolicy& policy, const S& a, const X& x,
                  const Output& output, std::int64_t k) {
    portable::multiply_rows<false>(label.text, exec, policy, a, x, output, k);
  }
};

/// The parts of this kernel have places of their own; it stands in for the portable one, too.
template <template <class...> class Format>
struct ReducingKernel<RowKernelOf<Format>> {
  using type = RowKernelOf<Format>;
};
/// For the portable one.
template <template <class...> class Format>
struct ReducingKernel<Portable<Format>> {
  using type = RowKernelOf<Format>;
};

}  // namespace fatvec
