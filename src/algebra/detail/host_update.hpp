// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstdint>

#include <fatvec/algebra/detail/host_gram.hpp>

/// Y = alpha · X · S + beta · Y on CPUs, of float and double: tiles of Y in vector registers, over
/// blocks of rows that stay in the caches; a panel of alpha · S lies on the stack.
namespace fatvec::detail::tall {

#if defined(FATVEC_HAS_GNU_VECTORS)

/// How a tile goes to Y.
template <class T>
struct TileStore {
  T beta;
  bool streams;

  /// `count` lanes, `step` elements apart.
  template <int lanes>
  FATVEC_FORCEINLINE void operator()(Vec<T, lanes> sums, T* y, std::int64_t step, int count) const {
    if (count == lanes && step == 1) {
      if (streams) return sums.stream(y);
      if (beta != T{}) {
        Vec<T, lanes> before;
        before.load(y);
        sums.add_product(beta, before);
      }
      return sums.store(y);
    }
    T lane[lanes];
    sums.store(lane);
    for (int l = 0; l < count; ++l)
      y[l * step] = beta == T{} ? lane[l] : lane[l] + beta * y[l * step];
  }
};

template <class T>
struct HostUpdate {
  static constexpr int lanes = simd_lanes<T>;
  static constexpr int rows_of_block = 128;
  static constexpr int width = 2 * lanes;  ///< columns of a panel of S, where lanes are columns
  static constexpr int rows_ahead = 32;    ///< whose part of X is prefetched
  static constexpr int narrow = 16;        ///< the same, where lanes are rows
  static constexpr int depth = 256;        ///< rows of S at a time
  using V = Vec<T, lanes>;

  UpdateTask<T> task;
  std::int64_t share_rows;
  bool by_columns;
  bool streams;
  bool gapless;  ///< Y's rows follow each other, and one panel has all columns

  void operator()(std::int64_t number) const {
    const std::int64_t begin = number * share_rows;
    const std::int64_t end = std::min(begin + share_rows, task.rows);
    const std::int64_t whole = by_columns ? begin + (end - begin) / lanes * lanes : begin;
    run<true>(begin, whole);
    run<false>(whole, end);
    if (streams) end_streams();
  }

 private:
  /// alpha times rows j, j + 1, ... and columns c, c + 1, ... of S, with zeros up to a whole panel.
  void load_panel(int j, int some, int c, int panel_width, T* panel) const {
    const int columns = std::min(panel_width, task.m - c);
    for (int i = 0; i < some; ++i) {
      T* const to = panel + i * panel_width;
      if (task.s.column_stride == 1)
        for (int w = 0; w < columns; ++w) to[w] = task.alpha * task.s.row(j + i)[c + w];
      else
        for (int w = 0; w < columns; ++w) to[w] = task.alpha * task.s(j + i, c + w);
      for (int w = columns; w < panel_width; ++w) to[w] = T{};
    }
  }

  template <bool columns>
  void run(std::int64_t begin, std::int64_t end) const {
    constexpr int panel_width = columns ? narrow : width;
    alignas(64) T panel[depth * panel_width];
    const bool one_panel = task.m <= panel_width && task.k <= depth;
    const int block = columns && task.k <= 64 ? 4 * rows_of_block : rows_of_block;
    for (std::int64_t first = begin; first < end; first += block) {
      const std::int64_t last = std::min(first + block, end);
      for (int j = 0; j == 0 || j < task.k; j += depth) {
        const int some = std::min(depth, task.k - j);
        const TileStore<T> store{j == 0 ? task.beta : T{1}, streams && task.k <= depth};
        for (int c = 0; c < task.m; c += panel_width) {
          if (first == begin || !one_panel) load_panel(j, some, c, panel_width, panel);
          if constexpr (columns)
            multiply_columns(first, last, j, some, c, store, panel);
          else
            multiply_rows(first, last, j, some, c, store, panel);
        }
      }
    }
  }

  void multiply_rows(std::int64_t first, std::int64_t last, int j, int some, int c,
                     const TileStore<T>& store, const T* panel) const {
    const int columns = std::min(width, task.m - c);
    in_tiles(Widths<8, 1>(), static_cast<int>(last - first), [&](auto r, int i) {
      if (columns > lanes)
        row_tile<decltype(r)::value, 2>(first + i, j, some, c, columns, store, panel);
      else
        row_tile<decltype(r)::value, 1>(first + i, j, some, c, columns, store, panel);
    });
  }

  /// r rows × v vectors of columns: an element of X times a vector of S.
  template <int r, int v>
  [[gnu::noinline]] void row_tile(std::int64_t i, int j, int some, int c, int columns,
                                  const TileStore<T>& store, const T* panel) const {
    V sums[r][v];
    const std::int64_t row_step = task.x.row_stride;
    const std::int64_t column_step = task.x.column_stride;
    const T* x = &task.x(i, j);
    if (c == 0 && column_step == 1)
      each<r>([&](auto u) FATVEC_INLINE_LAMBDA {
        for (int n = 0; n < some; n += lanes) FATVEC_PREFETCH(x + (u + rows_ahead) * row_step + n);
      });
    for (int n = 0; n < some; ++n, x += column_step, panel += width) {
      V of_s[v];
      each<v>([&](auto w) FATVEC_INLINE_LAMBDA { of_s[w].load(panel + w * lanes); });
      each<r>([&](auto u) FATVEC_INLINE_LAMBDA {
        each<v>([&](auto w)
                    FATVEC_INLINE_LAMBDA { sums[u][w].add_product(x[u * row_step], of_s[w]); });
      });
    }
    if constexpr (r == 8)
      if (store.streams && gapless) return stream_rows<v>(sums, &task.y(i, 0));
    TileStore<T> to = store;
    to.streams = to.streams && !gapless;  // a row by itself need not begin at a vector
    each<r>([&](auto u) FATVEC_INLINE_LAMBDA {
      each<v>([&](auto w) FATVEC_INLINE_LAMBDA {
        to(sums[u][w], &task.y(i + u, c + w * lanes), task.y.column_stride,
           std::min(lanes, columns - w * lanes));
      });
    });
  }

  /// 8 rows of Y, which are whole vectors together. What a row has too much the next one replaces.
  template <int v>
  void stream_rows(const V (&sums)[8][v], T* y) const {
    alignas(64) T rows[9 * width];
    each<8>([&](auto u) FATVEC_INLINE_LAMBDA {
      each<v>([&](auto w)
                  FATVEC_INLINE_LAMBDA { sums[u][w].store(rows + u * task.m + w * lanes); });
    });
    for (int n = 0; n < 8 * task.m; n += lanes) {
      V vector;
      vector.load(rows + n);
      vector.stream(y + n);
    }
  }

  /// first ... last - 1 are whole vectors.
  void multiply_columns(std::int64_t first, std::int64_t last, int j, int some, int c,
                        const TileStore<T>& store, const T* panel) const {
    in_tiles(Widths<16, 12, 8, 4, 3, 2, 1>(), std::min(narrow, task.m - c), [&](auto b, int at) {
      constexpr int columns = decltype(b)::value;
      constexpr int vectors = columns > 8 ? 1 : 2;
      std::int64_t i = first;
      for (; i + vectors * lanes <= last; i += vectors * lanes)
        column_tile<vectors, columns>(i, j, some, c + at, store, panel + at);
      for (; i < last; i += lanes) column_tile<1, columns>(i, j, some, c + at, store, panel + at);
    });
  }

  /// v vectors of rows × b columns: a vector of X times an element of S.
  template <int v, int b>
  [[gnu::noinline]] void column_tile(std::int64_t i, int j, int some, int c,
                                     const TileStore<T>& store, const T* panel) const {
    V sums[v][b];
    const std::int64_t step = task.x.column_stride;
    const T* x = &task.x(i, j);
    const std::int64_t ahead = c == 0 && some <= 64 ? 4 * rows_of_block : 0;
    for (int n = 0; n < some; ++n, x += step, panel += narrow) {
      V of_x[v];
      each<v>([&](auto u) FATVEC_INLINE_LAMBDA {
        of_x[u].load(x + u * lanes);
        FATVEC_PREFETCH(x + u * lanes + ahead);
      });
      each<b>([&](auto w) FATVEC_INLINE_LAMBDA {
        each<v>([&](auto u) FATVEC_INLINE_LAMBDA { sums[u][w].add_product(panel[w], of_x[u]); });
      });
    }
    each<b>([&](auto w) FATVEC_INLINE_LAMBDA {
      each<v>([&](auto u) FATVEC_INLINE_LAMBDA {
        store(sums[u][w], &task.y(i + u * lanes, c + w), 1, lanes);
      });
    });
  }
};

#endif

}  // namespace fatvec::detail::tall
