// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include <fatvec/core/error.hpp>
#include <fatvec/formats/detail/rows.hpp>
#include <fatvec/kernels/detail/epilogue.hpp>
#include <fatvec/kernels/detail/pack.hpp>
#include <fatvec/kernels/detail/rhs_tile.hpp>

/// The row-parallel product, written once for every format that can walk the slots of a row (formats/detail/row_access.hpp). A
/// Shape says which rows and columns a work-item owns; the functor says what is done with them. Rows are stored rows; the
/// matrix's row is wanted for Y only.
namespace fatvec::detail {

/// CPU shape: a work-item is a block of consecutive rows, blocks being of about equal numbers of slots. Columns beyond one tile
/// sweep over chunks of rows so small that a chunk's part of A stays in the first-level cache: A comes from memory once,
/// whatever k.
template <Columns columns>
struct BlockSweep {
  std::int64_t rows;
  std::int64_t blocks;
  std::int64_t k;
  static constexpr std::int64_t chunk = 16;
  static constexpr bool many_rows = true;
  static constexpr bool vectorised = columns == Columns::contiguous;
  /// One sum is a chain of additions, each waiting for the last: two chains while a tile leaves registers for them.
  template <int width>
  static constexpr int chains = width <= 8 ? 2 : 1;

  [[nodiscard]] std::int64_t items() const { return blocks; }

  template <class Rows, class Tile>
  KOKKOS_FUNCTION void visit(std::int64_t block, const Rows& access, const Tile& tile) const {
    const std::int64_t last = cut(block + 1, access);
    std::int64_t end = 0;
    for (std::int64_t first = cut(block, access); first < last; first = end) {
      end = fits_one_tile<columns>(k) || last - first < chunk ? last : first + chunk;
      sweep_columns<columns>(k, [&](auto width, std::int64_t c) { tile(width, first, end, c, width, Width<1>{}); });
    }
  }

  /// First row of a block: where slots and rows before it reach the block's share (a row costs something even when empty).
  template <class Rows>
  KOKKOS_FUNCTION std::int64_t cut(std::int64_t block, const Rows& access) const {
    const double share = static_cast<double>(access.slots_before(rows) + rows) / static_cast<double>(blocks);
    const auto target = static_cast<std::int64_t>(share * static_cast<double>(block));
    if (block == blocks) return rows;
    std::int64_t low = 0;
    std::int64_t high = rows;
    while (low < high) {
      const std::int64_t middle = low + (high - low) / 2;
      if (access.slots_before(middle) + middle < target)
        low = middle + 1;
      else
        high = middle;
    }
    return low;
  }
};

/// GPU shape: a work-item is one row and `width` of its columns. With contiguous columns the lanes of a row lie side by side
/// and take every lanes()-th column, so that each of their reads of X's row is coalesced and A's entry a broadcast; otherwise
/// rows lie side by side and a thread's columns are neighbours.
template <Columns columns, int width>
struct LaneTile {
  std::int64_t rows;
  std::int64_t k;
  static constexpr bool many_rows = false;
  static constexpr bool vectorised = false;
  template <int>
  static constexpr int chains = 1;

  [[nodiscard]] KOKKOS_FUNCTION std::int64_t lanes() const { return (k + width - 1) / width; }
  [[nodiscard]] std::int64_t items() const { return rows * lanes(); }

  template <class Rows, class Tile>
  KOKKOS_FUNCTION void visit(std::int64_t item, const Rows&, const Tile& tile) const {
    if constexpr (columns == Columns::contiguous) {
      const std::int64_t i = divide(item, lanes());
      const std::int64_t c = item - i * lanes();
      tile(Width<width>{}, i, i + 1, c, static_cast<int>((k - c + lanes() - 1) / lanes()), lanes());
    } else {
      const std::int64_t lane = divide(item, rows);
      const std::int64_t c = width * lane;
      const std::int64_t i = item - lane * rows;
      tile(Width<width>{}, i, i + 1, c, k - c < width ? static_cast<int>(k - c) : width, 1);
    }
  }

  /// 64-bit division costs a GPU some eighty instructions, and nearly every launch fits 32 bits.
  KOKKOS_FUNCTION static std::int64_t divide(std::int64_t a, std::int64_t b) {
    return a <= UINT32_MAX ? static_cast<std::uint32_t>(a) / static_cast<std::uint32_t>(b) : a / b;
  }
};

template <class T, class Matrix, class X, class Shape>
struct RowProduct {
  typename Matrix::Rows rows;
  const typename Matrix::ordinal_type* entries;
  const typename Matrix::value_type* values;
  X x;
  Epilogue<T> epilogue;
  Shape shape;

  KOKKOS_FUNCTION void operator()(std::int64_t item) const {
    shape.visit(item, rows, [&](auto width, std::int64_t first, std::int64_t end, std::int64_t c, auto count, auto spacing) {
      constexpr int columns = decltype(width)::value;
      if constexpr (Shape::many_rows) {
        const RowProduct local = *this;  // in registers: of *this the compiler must think that writing Y changes it
        for (std::int64_t i = first; i < end; ++i) local.template multiply_row<columns>(i, c, count, spacing);
      } else {
        multiply_row<columns>(first, c, count, spacing);
      }
    });
  }

  template <int columns, class Count, class Spacing>
  KOKKOS_FORCEINLINE_FUNCTION void multiply_row(std::int64_t i, std::int64_t c, Count count, Spacing spacing) const {
    Pack<T, columns, Shape::vectorised> sum;
    if (count == columns)
      accumulate<Shape::template chains<columns>>(i, c, spacing, sum, [](int) { return true; });
    else
      accumulate<1>(i, c, spacing, sum, [count](int w) { return w < count; });
    T sums[columns];
    sum.store(sums);
    epilogue.store(rows.row(i), c, sums, count, spacing);
  }

  /// sum += the tile's part of A's row i times X, even and odd entries apart where there are two chains.
  template <int chains, class Sum, class Active>
  KOKKOS_FORCEINLINE_FUNCTION void accumulate(std::int64_t i, std::int64_t c, std::int64_t spacing, Sum& sum,
                                              const Active& active) const {
    const std::int64_t length = rows.length(i);
    const std::int64_t step = spacing * x.step();
    auto slot = rows.walk(i);
    std::int64_t j = 0;
    if constexpr (chains == 2) {
      Sum odd;
      for (; j + 1 < length; j += 2, slot.advance(2)) {
        sum.add_scaled(values[slot[0]], &x(entries[slot[0]], c), step, active);
        odd.add_scaled(values[slot[1]], &x(entries[slot[1]], c), step, active);
      }
      sum.add(odd);
    }
    for (; j < length; ++j, slot.advance(1)) sum.add_scaled(values[slot[0]], &x(entries[slot[0]], c), step, active);
  }
};

template <class ExecSpace>
inline constexpr bool is_cpu = std::is_same_v<typename ExecSpace::memory_space, Kokkos::HostSpace>;

/// How the row-parallel kernels cut up their work. Zeros leave the choice to the kernel.
struct RowPolicy {
  int columns_per_thread = 0;  ///< GPU: 1, 2, 3, 4, 6 or 8 columns in the registers of one thread
  int blocks_per_thread = 0;   ///< CPU: blocks of rows per thread

  static std::vector<RowPolicy> tuning_range() { return {{1, 1}, {2, 4}, {3, 16}, {4, 64}, {6, 4}, {8, 4}}; }
  [[nodiscard]] std::string to_string() const {
    return concat("columns_per_thread:", columns_per_thread, "/blocks_per_thread:", blocks_per_thread);
  }
};

/// Launches the row-parallel product of a format on exec; no allocation, no fence.
template <class ExecSpace, class Matrix, class T, class V, Columns columns>
void run_row_product(const char* label, const ExecSpace& exec, const RowPolicy& policy, const Matrix& matrix,
                     const MultiVectorSpan<V, columns>& x, const Epilogue<T>& epilogue, std::int64_t k) {
  const auto launch = [&](auto shape) {
    using Product = RowProduct<T, Matrix, MultiVectorSpan<V, columns>, decltype(shape)>;
    Kokkos::parallel_for(label, Range<ExecSpace>(exec, 0, shape.items()),
                         Product{matrix.row_access(), matrix.entries.data(), matrix.values.data(), x, epilogue, shape});
  };
  const std::int64_t rows = matrix.rows();
  if constexpr (is_cpu<ExecSpace>) {
    const std::int64_t per_thread = policy.blocks_per_thread > 0 ? policy.blocks_per_thread : 4;
    launch(BlockSweep<columns>{rows, exec.concurrency() * per_thread, k});
  } else {
    // A thread holds a whole row of Y while that is narrow. Beyond, on an H200, pairs of columns with the lanes of a row side
    // by side are twice as fast as 8 columns a thread.
    const std::int64_t chosen = k <= 6 || columns == Columns::strided ? k : 2;
    with_thread_width(policy.columns_per_thread > 0 ? policy.columns_per_thread : chosen, [&](auto width) {
      launch(LaneTile<columns, decltype(width)::value>{rows, k});
    });
  }
}

/// What the kernels that are this product of a format share; Kernel adds its name, the label of its launches and the format.
template <class Kernel>
struct RowKernel {
  using Policy = RowPolicy;

  template <class ExecSpace>
  static std::optional<std::string> unsupported(const ExecSpace&, std::int64_t) {
    return std::nullopt;
  }

  template <class ExecSpace, class M, class X, class T>
  static void run(const ExecSpace& exec, const Policy& policy, const M& matrix, const X& x, const Epilogue<T>& epilogue,
                  std::int64_t k) {
    run_row_product(Kernel::label, exec, policy, matrix, x, epilogue, k);
  }
};

}  // namespace fatvec::detail
