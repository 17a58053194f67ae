// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>

#include <fatvec/core/execution.hpp>
#include <fatvec/core/macros.hpp>
#include <fatvec/kernels/host/partition.hpp>
#include <fatvec/kernels/host/simd.hpp>
#include <fatvec/kernels/shared/pack_operands.hpp>
#include <fatvec/kernels/shared/static_for.hpp>

/// Packing of X and Y on host spaces.
namespace fatvec::detail {

#if defined(FATVEC_HAS_GNU_VECTORS) && defined(__has_builtin)
#if __has_builtin(__builtin_shufflevector) && \
    !defined(__CUDACC__)  // GCC from 12 on; nvcc's front end fails at what follows
#define FATVEC_TRANSPOSES_SQUARES
#endif
#endif

#if defined(FATVEC_TRANSPOSES_SQUARES)
/// Whether a CPU transposes squares of T in its vector registers.
template <class T>
inline constexpr bool transposes = std::is_arithmetic_v<T> && (sizeof(T) == 4 || sizeof(T) == 8);

/// Elements first, first + 1, ... of a and b in turns.
template <int first, class Vector, int... i>
FATVEC_FORCEINLINE Vector interleaved(const Vector& a, const Vector& b,
                                      std::integer_sequence<int, i...>) {
  constexpr int n = sizeof...(i);
  return __builtin_shufflevector(a, b, (first + i / 2 + i % 2 * n)...);
}

/// How what is transposed meets what is there.
enum class Write { overwrite, stream, update };

/// to[i · to_step + j] = from[j · from_step + i] for the n × n elements that fill n vector
/// registers, plus beta times what is there; past caches, vectors of `to` are aligned.
template <Write write, class T, int n>
FATVEC_FORCEINLINE void transpose_square(const T* from, std::int64_t from_step, T* to,
                                         std::int64_t to_step, T beta) {
  using Vector __attribute__((vector_size(sizeof(T) * n))) = T;
  constexpr std::make_integer_sequence<int, n> lanes;
  constexpr int rounds = n == 2 ? 1 : n == 4 ? 2 : n == 8 ? 3 : 4;
  Vector rows[n];
  each<n>([&](auto j) { std::memcpy(&rows[j], from + j * from_step, sizeof(Vector)); });
  each<rounds>([&](auto) {  // of perfect shuffles of the n · n elements: log2(n) of them transpose
                            // the square
    Vector shuffled[n];
    each<n / 2>([&](auto v) {
      shuffled[2 * v] = interleaved<0>(rows[v], rows[v + n / 2], lanes);
      shuffled[2 * v + 1] = interleaved<n / 2>(rows[v], rows[v + n / 2], lanes);
    });
    each<n>([&](auto v) { rows[v] = shuffled[v]; });
  });
  each<n>([&](auto i) {
    T* const there = to + i * to_step;
    if constexpr (write == Write::stream) {
      stream_to(there, rows[i]);
    } else {
      if constexpr (write == Write::update) {
        Vector old;
        std::memcpy(&old, there, sizeof old);
        rows[i] += beta * old;
      }
      std::memcpy(there, &rows[i], sizeof(Vector));
    }
  });
}

/// The same of height × width elements of `to`, multiples of n: by squares of lines, one below the
/// other (down) or side by side, a line of `to` at a time. Not inlined, for it needs all registers.
template <Write write, class T, int n>
[[gnu::noinline]] void transpose(const T* from, std::int64_t from_step, T* to, std::int64_t to_step,
                                 int height, int width, bool down, T beta) {
  constexpr int line = 64 / sizeof(T);
  const auto square_of_lines = [&](int top, int left) FATVEC_INLINE_LAMBDA {
    for (int i = top; i < top + line && i < height; i += n)
      for (int j = left; j < left + line && j < width; j += n)
        transpose_square<write, T, n>(from + j * from_step + i, from_step, to + i * to_step + j,
                                      to_step, beta);
  };
  if (down) {
    for (int left = 0; left < width; left += line)
      for (int top = 0; top < height; top += line) square_of_lines(top, left);
  } else {
    for (int top = 0; top < height; top += line)
      for (int left = 0; left < width; left += line) square_of_lines(top, left);
  }
}
#endif

template <Columns from_columns>
inline constexpr int host_tile_rows = from_columns == Columns::strided ? 256 : 64;
template <Columns from_columns>
inline constexpr int host_tile_columns = from_columns == Columns::strided ? 16 : 64;

/// A core copies a tile by squares of whole lines; tiles keep to some 16 streams or read whole
/// rows.
template <class T, Columns from_columns>
struct HostPack
    : OperandTiles<T, from_columns, host_tile_rows<from_columns>, host_tile_columns<from_columns>> {
  using Tiles =
      OperandTiles<T, from_columns, host_tile_rows<from_columns>, host_tile_columns<from_columns>>;
  using Tiles::beta;
  using Tiles::columns;
  using Tiles::from;
  using Tiles::packs;
  using Tiles::rows;
  using Tiles::to;
  using typename Tiles::Tile;
  bool streams = false;  ///< whole lines of `to` are written by non-temporal stores

  /// The same, past the caches where they could not hold both sides, and whole lines are written.
  [[nodiscard]] KOKKOS_FUNCTION HostPack streaming() const {
    constexpr std::int64_t size = sizeof(T);
    const std::int64_t line_step = packs ? to.row_stride : to.column_stride;
    HostPack result = *this;
    result.streams = beta == T{} && line_step * size % 64 == 0 &&
                     (!packs || columns * size % 64 == 0) &&
                     reinterpret_cast<std::uintptr_t>(to.data) % 64 == 0 &&
                     2 * rows * columns * size > streaming_bytes;
    return result;
  }

  /// A tile by one core: what squares cover of it, and the rest element by element.
  KOKKOS_FUNCTION void operator()(std::int64_t n) const {
    const Tile tile = this->tile_of(n);
    const Tile transposed = transpose_squares(tile);
    for (int c = 0; c < tile.wide; ++c)
      for (int r = c < transposed.wide ? transposed.high : 0; r < tile.high; ++r)
        this->store(tile.row + r, tile.column + c, from(tile.row + r, tile.column + c));
  }

 private:
  /// What of a CPU's tile vector registers can transpose: whole vectors of rows, and of columns
  /// what squares of falling size can.
  [[nodiscard]] KOKKOS_FUNCTION Tile transpose_squares(const Tile& tile) const {
    Tile transposed{tile.row, tile.column, 0, 0};
#if defined(FATVEC_TRANSPOSES_SQUARES)
    if constexpr (transposes<T>) {
      constexpr int n = Kokkos::min<int>(8, simd_bytes / sizeof(T));
      if ((packs ? from.row_stride : to.row_stride) != 1) return transposed;
      transposed.high = tile.high / n * n;
      transposed.wide = transpose_columns<n>(tile, transposed.high, 0);
    }
#endif
    return transposed;
  }

#if defined(FATVEC_TRANSPOSES_SQUARES)
  /// The same of columns `left` and beyond; returns up to which.
  template <int n>
  int transpose_columns(const Tile& tile, int high, int left) const {
    const int wide = (tile.wide - left) / n * n;
    if (high == 0 || left == tile.wide) return left;
    const auto by = [&](auto transposed) {
      const std::int64_t column = tile.column + left;
      transposed(&from(tile.row, column), packs ? from.column_stride : from.row_stride,
                 &to(tile.row, column), packs ? to.row_stride : to.column_stride,
                 packs ? high : wide, packs ? wide : high, !packs, beta);
    };
    if (streams) {
      by(transpose<Write::stream, T, n>);
      end_streams();
    } else if (beta == T{}) {
      by(transpose<Write::overwrite, T, n>);
    } else {
      by(transpose<Write::update, T, n>);
    }
    if constexpr (n > 4)
      return transpose_columns<n / 2>(tile, high, left + wide);  // pairs are faster one by one
    return left + wide;
  }
#endif
};

/// Packs on exec, which is a host space: without teams, for which Kokkos may allocate, and small
/// operands on the caller's thread.
template <class ExecSpace, class T, Columns from_columns>
void pack_on_host(const char* label, const ExecSpace& exec, const HostPack<T, from_columns>& work) {
  if (is_synchronous<ExecSpace> && work.rows * work.columns < serial_work)
    for (std::int64_t n = 0; n < work.tiles(); ++n) work(n);
  else
    Kokkos::parallel_for(label, Range<ExecSpace>(exec, 0, work.tiles()), work.streaming());
}

}  // namespace fatvec::detail
