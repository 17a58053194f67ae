// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include <fatvec/algebra/detail/task.hpp>
#include <fatvec/core/macros.hpp>
#include <fatvec/kernels/host/simd.hpp>
#include <fatvec/kernels/shared/static_for.hpp>

/// G = XᵀY on CPUs, of float and double. A thread has a share of the rows, and sums of its own. It
/// takes its rows in blocks, which stay in the caches while tiles of G, held in vector registers,
/// go over them. What does not lie as a tile reads it is packed before, block by block.
namespace fatvec::detail::tall {

/// Copies rows × columns of `from` to to[i · row_step + c · column_step].
template <class Sum, class T>
void pack(const Operand<const T>& from, std::int64_t first, int rows, int c, int columns, Sum* to,
          std::int64_t row_step, std::int64_t column_step) {
  const T* const begin = &from(first, c);
  if (from.row_stride == 1 && row_step != 1) {
    for (int w = 0; w < columns; ++w)
      for (int i = 0; i < rows; ++i)
        to[i * row_step + w * column_step] = static_cast<Sum>(begin[i + w * from.column_stride]);
  } else if (from.column_stride == 1 && column_step == 1) {
    for (int i = 0; i < rows; ++i)
      for (int w = 0; w < columns; ++w)
        to[i * row_step + w] = static_cast<Sum>(begin[i * from.row_stride + w]);
  } else {
    for (int i = 0; i < rows; ++i)
      for (int w = 0; w < columns; ++w)
        to[i * row_step + w * column_step] =
            static_cast<Sum>(begin[i * from.row_stride + w * from.column_stride]);
  }
}

#if defined(FATVEC_HAS_GNU_VECTORS)

/// Where a tile reads a block of an operand: in place, or packed in panels of some columns.
template <class Sum>
struct Panels {
  const Sum* data;
  std::int64_t step;        ///< from row to row, or column to column
  std::int64_t panel_step;  ///< from panel to panel
  std::int64_t ahead;       ///< to the same place of the next block, which is prefetched; or 0
};

/// A tile of G, a × (v vectors), over rows whose columns lie side by side: an element of X times a
/// vector of Y. With few sums several rows have sums of their own: a sum would wait for the last.
template <int a, int v, bool ahead, class Sum>
[[gnu::noinline]] void add_row_tile(int rows, Panels<Sum> of_x, Panels<Sum> of_y, Sum* g,
                                    std::int64_t g_step) {
  constexpr int lanes = simd_lanes<Sum>;
  constexpr int at_once = a * v >= 6 ? 1 : a * v >= 3 ? 2 : 4;
  using V = Vec<Sum, lanes>;
  V sums[at_once][a][v];
  const Sum* x = of_x.data;
  const Sum* y = of_y.data;
  const auto add_rows = [&](auto count) FATVEC_INLINE_LAMBDA {
    each<decltype(count)::value>([&](auto r) FATVEC_INLINE_LAMBDA {
      V vectors[v];
      each<v>([&](auto w) FATVEC_INLINE_LAMBDA { vectors[w].load(y + w * lanes); });
      each<a>([&](auto u) FATVEC_INLINE_LAMBDA {
        each<v>([&](auto w) FATVEC_INLINE_LAMBDA { sums[r][u][w].add_product(x[u], vectors[w]); });
      });
      if constexpr (ahead) {
        FATVEC_PREFETCH(x + of_x.ahead);
        each<v>([&](auto w) FATVEC_INLINE_LAMBDA { FATVEC_PREFETCH(y + of_y.ahead + w * lanes); });
      }
      x += of_x.step;
      y += of_y.step;
    });
  };
  int i = 0;
  for (; i + at_once <= rows; i += at_once) add_rows(Width<at_once>{});
  for (; i < rows; ++i) add_rows(Width<1>{});
  each<a>([&](auto u) FATVEC_INLINE_LAMBDA {
    each<v>([&](auto w) FATVEC_INLINE_LAMBDA {
      V total;
      total.load(g + u * g_step + w * lanes);
      each<at_once>([&](auto r) FATVEC_INLINE_LAMBDA { total.add(sums[r][u][w]); });
      total.store(g + u * g_step + w * lanes);
    });
  });
}

/// A tile of G, a × b, over columns whose rows lie side by side: a vector of X times one of Y. rows
/// is a multiple of the lanes.
template <int a, int b, bool ahead, class Sum>
[[gnu::noinline]] void add_column_tile(int rows, Panels<Sum> of_x, Panels<Sum> of_y, Sum* g,
                                       std::int64_t g_step) {
  constexpr int lanes = simd_lanes<Sum>;
  using V = Vec<Sum, lanes>;
  V sums[a][b];
  const Sum* x = of_x.data;
  const Sum* y = of_y.data;
  for (int i = 0; i < rows; i += lanes, x += lanes, y += lanes) {
    V vectors[a];
    each<a>([&](auto u) FATVEC_INLINE_LAMBDA {
      vectors[u].load(x + u * of_x.step);
      if constexpr (ahead) FATVEC_PREFETCH(x + u * of_x.step + of_x.ahead);
    });
    each<b>([&](auto w) FATVEC_INLINE_LAMBDA {
      V vector;
      vector.load(y + w * of_y.step);
      if constexpr (ahead) FATVEC_PREFETCH(y + w * of_y.step + of_y.ahead);
      each<a>([&](auto u) FATVEC_INLINE_LAMBDA { sums[u][w].add_product(vectors[u], vector); });
    });
  }
  alignas(64) Sum lane[a * b][lanes];
  each<a>([&](auto u) FATVEC_INLINE_LAMBDA {
    each<b>([&](auto w) FATVEC_INLINE_LAMBDA { sums[u][w].store(lane[u * b + w]); });
  });
  for (int t = 0; t < a * b; ++t) {
    Sum total = 0;
    for (int l = 0; l < lanes; ++l) total += lane[t][l];
    g[t / b * g_step + t % b] += total;
  }
}

/// run(Width<w>, position) for tiles that make up `count`: as many of the widest as fit, and so on.
template <int... widths, class Run>
void in_tiles(Widths<widths...>, int count, const Run& run) {
  int at = 0;
  const auto take = [&]<int width>(Width<width> w) {
    for (; at + width <= count; at += width) run(w, at);
  };
  (take(Width<widths>{}), ...);
}

template <class Sum, class T>
struct HostGram {
  static constexpr int lanes = simd_lanes<Sum>;
  static constexpr int x_panel = 8;  ///< columns packed together
  static constexpr int y_panel = 2 * lanes;
  static constexpr int rows_of_block = 64;     ///< of rows that lie together
  static constexpr int column_block = 512;     ///< rows of columns that lie together
  static constexpr int most_in_columns = 128;  ///< columns that are not packed into rows
  static constexpr bool same = std::is_same_v<Sum, T>;

  GramTask<Sum, T> task;
  std::int64_t share_rows;
  bool by_columns;

  /// Elements of a row of a share's sums; and of a share, with what it packs.
  static std::int64_t g_step(std::int64_t m) { return rounded_up(m, y_panel); }
  static std::int64_t sums_of_share(std::int64_t k, std::int64_t m) { return k * g_step(m); }
  static std::int64_t share(std::int64_t k, std::int64_t m) {
    const std::int64_t packed = rows_of_block * (rounded_up(k, x_panel) + rounded_up(m, y_panel));
    const std::int64_t columns = column_block * (k + m);
    return rounded_up(sums_of_share(k, m) + std::max(packed, columns), 64);
  }

  void operator()(std::int64_t number) const {
    Sum* const sums = task.room + number * share(task.k, task.m);
    const std::int64_t step = g_step(task.m);
    Sum* const packed = sums + sums_of_share(task.k, task.m);
    std::fill_n(sums, sums_of_share(task.k, task.m), Sum{});
    const std::int64_t begin = number * share_rows;
    const std::int64_t end = std::min(begin + share_rows, task.rows);
    const int block = by_columns ? column_block : rows_of_block;
    for (std::int64_t first = begin; first < end; first += block) {
      const int rows = static_cast<int>(std::min<std::int64_t>(block, end - first));
      if (by_columns)
        add_columns(first, rows, packed, sums, step);
      else
        add_rows(first, rows, packed, sums, step);
    }
  }

 private:
  /// Panels of columns that lie together in each row; of X elements are read one by one, of Y by
  /// vectors.
  static Panels<Sum> row_panels(const Operand<const T>& from, std::int64_t first, int rows,
                                int columns, int width, Sum* to, std::int64_t all_rows,
                                bool one_by_one) {
    // Behind a row a tile reads on in the next one: lanes that nobody looks at.
    if constexpr (same)
      if (from.column_stride == 1 && columns <= 64 && from.row_stride >= columns &&
          (columns % lanes == 0 || one_by_one || first + rows + lanes <= all_rows))
        return {&from(first, 0), from.row_stride, width, rows_of_block * from.row_stride};
    for (int c = 0; c < columns; c += width) {
      const int some = std::min(width, columns - c);
      Sum* const panel = to + c * rows_of_block;
      if (some < width) std::fill_n(panel, rows * width, Sum{});
      if (some == width)
        pack_whole(from, first, rows, c, width, panel);
      else
        pack(from, first, rows, c, some, panel, width, 1);
    }
    return {to, width, std::int64_t{width} * rows_of_block, 0};
  }
  /// A constant width, so that the compiler makes vectors of it.
  static void pack_whole(const Operand<const T>& from, std::int64_t first, int rows, int c,
                         int width, Sum* to) {
    if (width == x_panel)
      pack(from, first, rows, c, x_panel, to, x_panel, 1);
    else
      pack(from, first, rows, c, y_panel, to, y_panel, 1);
  }

  void add_rows(std::int64_t first, int rows, Sum* packed, Sum* sums, std::int64_t step) const {
    const Panels<Sum> x = row_panels(task.x, first, rows, task.k, x_panel, packed, task.rows, true);
    const Panels<Sum> y =
        row_panels(task.y, first, rows, task.m, y_panel,
                   packed + rounded_up(task.k, x_panel) * rows_of_block, task.rows, false);
    const int vectors = static_cast<int>(rounded_up(task.m, lanes)) / lanes;
    in_tiles(Widths<2, 1>(), vectors, [&](auto v, int at) {
      Panels<Sum> of_y = y;
      of_y.data += at / 2 * y.panel_step;
      in_tiles(Widths<8, 7, 6, 5, 4, 3, 2, 1>(), task.k, [&](auto a, int c) {
        Panels<Sum> of_x = x;
        of_x.data += c / x_panel * x.panel_step;
        Sum* const g = sums + c * step + at * lanes;
        constexpr int height = decltype(a)::value;
        constexpr int width = decltype(v)::value;
        if (x.ahead + y.ahead > 0)
          add_row_tile<height, width, true>(rows, of_x, of_y, g, step);
        else
          add_row_tile<height, width, false>(rows, of_x, of_y, g, step);
      });
    });
  }

  static Panels<Sum> column_panels(const Operand<const T>& from, std::int64_t first, int rows,
                                   int columns, Sum* to) {
    if constexpr (same)
      if (from.row_stride == 1 && rows % lanes == 0)
        return {&from(first, 0), from.column_stride, 0, column_block};
    const int whole = static_cast<int>(rounded_up(rows, lanes));
    pack(from, first, rows, 0, columns, to, 1, column_block);
    for (int c = 0; c < columns; ++c)
      std::fill(to + c * column_block + rows, to + c * column_block + whole, Sum{});
    return {to, column_block, 0, 0};
  }

  void add_columns(std::int64_t first, int rows, Sum* packed, Sum* sums, std::int64_t step) const {
    const Panels<Sum> x = column_panels(task.x, first, rows, task.k, packed);
    const Panels<Sum> y =
        column_panels(task.y, first, rows, task.m, packed + std::int64_t{task.k} * column_block);
    const int whole = static_cast<int>(rounded_up(rows, lanes));
    const bool few =
        task.k <= 16 && task.m <= 16;  // more columns compute for longer than they wait
    // 64 columns of X at a time stay in the second-level cache.
    for (int begin = 0; begin < task.k; begin += 64)
      in_tiles(Widths<4, 2, 1>(), task.m, [&](auto b, int at) {
        Panels<Sum> of_y = y;
        of_y.data += at * y.step;
        in_tiles(Widths<4, 2, 1>(), std::min(64, task.k - begin), [&](auto a, int c) {
          Panels<Sum> of_x = x;
          of_x.data += (begin + c) * x.step;
          Sum* const g = sums + (begin + c) * step + at;
          constexpr int height = decltype(a)::value;
          constexpr int width = decltype(b)::value;
          if (few && (c == 0 || at == 0))
            add_column_tile<height, width, true>(whole, of_x, of_y, g, step);
          else
            add_column_tile<height, width, false>(whole, of_x, of_y, g, step);
        });
      });
  }
};

#endif

}  // namespace fatvec::detail::tall
