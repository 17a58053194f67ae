// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>

#include <fatvec/core/execution.hpp>
#include <fatvec/core/macros.hpp>
#include <fatvec/formats/detail/blocks.hpp>
#include <fatvec/kernels/host/output.hpp>
#include <fatvec/kernels/host/partition.hpp>
#include <fatvec/kernels/host/prefetch.hpp>
#include <fatvec/kernels/host/transposed_store.hpp>
#include <fatvec/kernels/shared/static_for.hpp>
#include <fatvec/kernels/shared/tile.hpp>

/// The product of a matrix of dense blocks for CPUs: a work-part sums several rows of a block row
/// at once, so that what it reads of X serves all of them from registers.
namespace fatvec::detail {

/// What the compiler knows of a block: its size (0: nothing), and how many of its rows are summed
/// together.
template <int known_size_, int rows_>
struct BlockTile {
  static constexpr int known_size = known_size_;
  static constexpr int rows = rows_;

  /// Tiles that a block's rows make; the last one may have fewer.
  KOKKOS_FUNCTION static int count(int block_size) {
    return known_size > 0 ? known_size / rows : (block_size + rows - 1) / rows;
  }
};

/// A thread has consecutive block rows, of about equally many blocks; columns beyond one tile sweep
/// over one block row at a time, which stays in the first-level cache.
template <class T, class S, Columns columns, class Block, class Output>
struct HostBlockKernel {
  static constexpr bool contiguous = columns == Columns::contiguous;
  template <int width>
  using Sums = Tile<T, width, contiguous ? vector_width<T>(width) : 1>;
  typename S::Rows block_rows;
  BlockAccess access;
  const typename S::ordinal_type* entries;
  const typename S::value_type* values;
  std::int64_t count;  ///< block rows
  std::int64_t rows;
  std::int64_t cols;
  MultiVectorSpan<const T, columns> x;
  HostOutput<T, Output> to;
  std::int64_t k;
  RowPartition partition;
  bool transposes_y = false;  ///< Y is column-major, and rows are transposed into it
  std::int64_t cached_bytes = host::prefetched_beyond();  ///< of X
  std::int64_t distance = 0;  ///< block rows between prefetching rows of X and using them

  static constexpr bool can_transpose_y = contiguous && is_scaled_sum<Output>;
  /// Whether the sums of `width` columns, `chains` of each, fit the registers beside a vector of X
  /// and the elements of A.
  KOKKOS_FUNCTION static constexpr bool fits(int width, int chains) {
    constexpr int lanes = simd_bytes / sizeof(T);
    return chains * Block::rows * ((width + lanes - 1) / lanes) + Block::rows + 1 <= simd_registers;
  }
  static constexpr int widest = !contiguous   ? 4
                                : fits(64, 1) ? 64
                                : fits(32, 1) ? 32
                                : fits(16, 1) ? 16
                                              : 8;

  KOKKOS_FUNCTION void operator()(std::int64_t part) const {
    const std::int64_t begin = partition.begin(part, block_rows);
    const std::int64_t end = partition.begin(part + 1, block_rows);
    HostBlockKernel of_part = *this;
    of_part.to.begin(part);
    if constexpr (contiguous)
      of_part.distance = prefetch_row_distance(block_rows, entries, begin, end,
                                               {.rows = count,
                                                .x_rows = cols,
                                                .bytes = k * std::int64_t{sizeof(T)},
                                                .cached = cached_bytes,
                                                .block = access.size});
    if constexpr (can_transpose_y)
      if (transposes_y) return of_part.multiply_transposed(begin, end);
    of_part.multiply(begin, end);
    to.finish();
  }

  /// Into a column-major Y.
  [[gnu::noinline]] KOKKOS_FUNCTION void multiply_transposed(std::int64_t begin,
                                                             std::int64_t end) const {
    const std::int64_t size = access.size;
    TransposedStore<T>::run(to.output, rows, k, begin * size, Kokkos::min(rows, end * size), size,
                            [&](std::int64_t first, std::int64_t last, std::int64_t c,
                                std::int64_t some_columns, const HostOutput<T, Output>& buffer) {
                              HostBlockKernel some = *this;
                              some.x.data += c;
                              some.k = some_columns;
                              some.to = buffer;
                              some.multiply(first / size, (last + size - 1) / size);
                            });
  }

  /// All columns of block rows first ... last - 1. Not inlined: of several loops over parts, one
  /// copy.
  [[gnu::noinline]] KOKKOS_FUNCTION void multiply(std::int64_t first, std::int64_t last) const {
    // In registers: of *this the compiler must think that writing Y changes it.
    const HostBlockKernel local = *this;
    const bool one_tile = k <= widest && (k & (k - 1)) == 0;
    std::int64_t end = 0;
    for (; first < last; first = end) {
      end = one_tile ? last : first + 1;
      local.template multiply_columns<widest>(first, end, 0);
    }
  }

  /// Columns c ... k - 1, in tiles of falling powers of two.
  template <int width>
  FATVEC_FORCEINLINE_FUNCTION void multiply_columns(std::int64_t first, std::int64_t end,
                                                    std::int64_t c) const {
    const int tiles = Block::count(access.size);
    for (; c + width <= k; c += width)
      for (std::int64_t i = first; i < end; ++i)
        for (int t = 0; t < tiles; ++t) multiply_tile<width>(i, t * Block::rows, c);
    if constexpr (width > 1) multiply_columns<width / 2>(first, end, c);
  }

  /// Rows first, first + 1, ... of block row i.
  template <int width>
  FATVEC_FORCEINLINE_FUNCTION void multiply_tile(std::int64_t i, int first, std::int64_t c) const {
    if (distance > 0 && first == 0 && i + distance < count)
      for (int b = 0; b < access.size; ++b)
        prefetch_rows(block_rows.walk(i + distance), block_rows.length(i + distance), entries,
                      &x(b, c), access.size * x.row_stride, width * std::int64_t{sizeof(T)});
    Sums<width> sum[Block::rows];
    std::int64_t n = block_rows.begin(i);
    const std::int64_t end = n + block_rows.length(i);
    if (c == 0 && first == 0)
      for (std::int64_t v = access.begin(n); v < access.begin(end); v += 8)
        prefetch_entries(values + v, entries + n);
    if constexpr (fits(width, 2)) {  // two chains of additions while there are registers
      Sums<width> odd[Block::rows];
      for (; n + 1 < end; n += 2) {
        add_block(n, first, c, sum);
        add_block(n + 1, first, c, odd);
      }
      each<Block::rows>([&](auto r) FATVEC_INLINE_LAMBDA { sum[r] += odd[r]; });
    }
    for (; n < end; ++n) add_block(n, first, c, sum);

    const std::int64_t row = i * access.size + first;
    const std::int64_t inside = rows - row < access.size - first ? rows - row : access.size - first;
    each<Block::rows>([&](auto r) FATVEC_INLINE_LAMBDA {
      if (r < inside) store(row + r, c, sum[r]);
    });
  }

  template <int width, int n>
  FATVEC_FORCEINLINE_FUNCTION void store(std::int64_t row, std::int64_t c,
                                         const Tile<T, width, n>& sum) const {
    alignas(64) T of_row[width];
    sum.copy_to(of_row);
    to.template store<contiguous>(row, c, of_row);
  }

  template <class Sum>
  FATVEC_FORCEINLINE_FUNCTION void add_block(std::int64_t n, int first, std::int64_t c,
                                             Sum (&sum)[Block::rows]) const {
    const std::int64_t column = static_cast<std::int64_t>(entries[n]) * access.size;
    const auto* const block = values + access.begin(n);
    const T* const x_rows = &x(column, c);
    if (Block::known_size > 0 && cols - column >= access.size) {
      each<Block::known_size>(
          [&](auto b) FATVEC_INLINE_LAMBDA { add_column(block, x_rows, first, b, sum); });
    } else {  // a size that the compiler does not know, or a block that the matrix ends in
      const int inside =
          cols - column < access.size ? static_cast<int>(cols - column) : access.size;
      for (int b = 0; b < inside; ++b) add_column(block, x_rows, first, b, sum);
    }
  }

  /// sum += column b of the block times its row of X, which is loaded once for all of them.
  template <class A, class Sum>
  FATVEC_FORCEINLINE_FUNCTION void add_column(const A* block, const T* x_rows, int first, int b,
                                              Sum (&sum)[Block::rows]) const {
    const Sum of_x(x_rows + b * x.row_stride, x.step());
    each<Block::rows>([&](auto r) FATVEC_INLINE_LAMBDA {
      const int row =
          Block::known_size > 0 || first + r < access.size ? first + r : access.size - 1;
      sum[r].add_product(block[access.at(row, b)], of_x);
    });
  }
};

/// run(BlockTile) for blocks of this size (0: unknown) and k columns: up to 5 rows are summed
/// together. Of 4 or 8 rows, with 16 registers, two with twice as many columns are faster than
/// four.
template <int size, class Run>
void with_block_tile(std::int64_t k, const Run& run) {
  if constexpr (size % 4 == 0 && size > 0 && simd_registers <= 16) {
    if (k >= 16) return run(BlockTile<size, 2>{});
  }
  constexpr int rows = size == 0 || size == 8 ? 4 : size == 6 ? 3 : size;
  run(BlockTile<size, rows>{});
}

/// Launches the product of a matrix of blocks of this size (0: any) on a host space; no allocation,
/// no fence.
template <int size, class ExecSpace, class S, class T, Columns columns, class Output>
void launch_host_blocks(const char* label, const ExecSpace& exec, const host::Policy& policy,
                        const S& a, const MultiVectorSpan<const T, columns>& x,
                        const Output& output, std::int64_t k) {
  Output output_of_parts = output;
  begin_sums(output_of_parts, 0, k);
  const std::int64_t parts =
      take_parts(output_of_parts, parts_for(exec, policy, a.stored_entries(), k));
  bool transposes_y = false;
  if constexpr (columns == Columns::contiguous && is_scaled_sum<Output>)
    transposes_y = TransposedStore<T>::applies_to(output, k);
  with_block_tile<size>(k, [&](auto tile) {
    using Kernel = HostBlockKernel<T, S, columns, decltype(tile), Output>;
    Kernel kernel{.block_rows = a.access,
                  .access = a.block,
                  .entries = a.entries,
                  .values = a.values,
                  .count = a.count,
                  .rows = a.rows(),
                  .cols = a.cols(),
                  .x = x,
                  .to = decltype(Kernel::to)::of(output_of_parts, a.rows(), k),
                  .k = k,
                  .partition = {a.count, parts}};
    kernel.transposes_y = transposes_y;
    if (transposes_y) kernel.partition.granularity = TransposedStore<T>::line;
    launch_parts(label, exec, parts, kernel);
  });
  join_sums(exec, output_of_parts);
}

}  // namespace fatvec::detail
