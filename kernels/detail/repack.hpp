// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>

#include <fatvec/core/error.hpp>
#include <fatvec/core/host_pass.hpp>
#include <fatvec/formats/detail/rows.hpp>
#include <fatvec/formats/multivector.hpp>
#include <fatvec/kernels/detail/pack.hpp>
#include <fatvec/kernels/detail/run_blocks.hpp>

/// Copies between a multivector whose columns are neighbours in memory and one whose rows are.
namespace fatvec::detail {

#if defined(FATVEC_GNU_HOST_PASS) && defined(__has_builtin)
#if __has_builtin(__builtin_shufflevector) && \
    !defined(__CUDACC__)  // GCC from 12 on; nvcc's front end fails at what follows
#define FATVEC_TURNS_SQUARES
#endif
#endif

#if defined(FATVEC_TURNS_SQUARES)
/// Whether a CPU turns squares of T over in its vector registers.
template <class T>
inline constexpr bool turns = std::is_arithmetic_v<T> && (sizeof(T) == 4 || sizeof(T) == 8);

/// Elements first, first + 1, ... of a and b in turns.
template <int first, class Vector, int... i>
FATVEC_FORCEINLINE Vector interleaved(const Vector& a, const Vector& b,
                                      std::integer_sequence<int, i...>) {
  constexpr int n = sizeof...(i);
  return __builtin_shufflevector(a, b, (first + i / 2 + i % 2 * n)...);
}

/// How what is turned meets what is there.
enum class Write { over, over_past_caches, added_to_beta_times };

/// to[i · to_step + j] = from[j · from_step + i] for the n × n elements that fill n vector
/// registers, plus beta times what is there; past caches, vectors of `to` are aligned.
template <Write write, class T, int n>
FATVEC_FORCEINLINE void turn_square(const T* from, std::int64_t from_step, T* to,
                                    std::int64_t to_step, T beta) {
  using Vector __attribute__((vector_size(sizeof(T) * n))) = T;
  constexpr std::make_integer_sequence<int, n> lanes;
  constexpr int rounds = n == 2 ? 1 : n == 4 ? 2 : n == 8 ? 3 : 4;
  Vector rows[n];
  each<n>([&](auto j) { std::memcpy(&rows[j], from + j * from_step, sizeof(Vector)); });
  each<rounds>(
      [&](auto) {  // of perfect shuffles of the n · n elements: log2(n) of them turn the square
        Vector shuffled[n];
        each<n / 2>([&](auto v) {
          shuffled[2 * v] = interleaved<0>(rows[v], rows[v + n / 2], lanes);
          shuffled[2 * v + 1] = interleaved<n / 2>(rows[v], rows[v + n / 2], lanes);
        });
        each<n>([&](auto v) { rows[v] = shuffled[v]; });
      });
  each<n>([&](auto i) {
    T* const there = to + i * to_step;
    if constexpr (write == Write::over_past_caches) {
      store_past_caches(there, rows[i]);
    } else {
      if constexpr (write == Write::added_to_beta_times) {
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
[[gnu::noinline]] void turn(const T* from, std::int64_t from_step, T* to, std::int64_t to_step,
                            int height, int width, bool down, T beta) {
  constexpr int line = 64 / sizeof(T);
  const auto square_of_lines = [&](int top, int left) FATVEC_INLINE_LAMBDA {
    for (int i = top; i < top + line && i < height; i += n)
      for (int j = left; j < left + line && j < width; j += n)
        turn_square<write, T, n>(from + j * from_step + i, from_step, to + i * to_step + j, to_step,
                                 beta);
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

/// to(i, c) = from(i, c), or from(i, c) + beta · to(i, c) where beta is not 0, between a
/// multivector whose columns are neighbours and one whose rows are. By tiles: on a GPU through
/// scratch memory, so that neighbouring threads read neighbours and write neighbours; on a CPU by
/// squares of whole lines, of tiles that keep to some 16 streams or read whole rows.
template <class T, Columns from_columns, bool on_cpu, class From, class To>
struct Repack {
  static constexpr bool packs = from_columns == Columns::strided;
  static constexpr int tile_rows = on_cpu && packs ? 256 : 64;
  static constexpr int tile_columns = on_cpu && !packs ? 64 : 16;
  static constexpr int team_size = 256;  // of a GPU
  MultiVectorSpan<From, from_columns> from;
  MultiVectorSpan<To, packs ? Columns::contiguous : Columns::strided> to;
  T beta;
  std::int64_t rows;
  std::int64_t columns;
  bool past_caches = false;  ///< CPU: whole lines of `to` are written and not kept

  [[nodiscard]] KOKKOS_FUNCTION std::int64_t tiles_across() const {
    return (columns + tile_columns - 1) / tile_columns;
  }
  [[nodiscard]] KOKKOS_FUNCTION std::int64_t tiles() const {
    return (rows + tile_rows - 1) / tile_rows * tiles_across();
  }
  static constexpr std::size_t scratch_bytes = sizeof(T) * tile_rows * (tile_columns + 1);

  /// The same, past the caches where they could not hold both sides, and whole lines are written.
  [[nodiscard]] KOKKOS_FUNCTION Repack streaming() const {
    constexpr std::int64_t size = sizeof(T);
    const std::int64_t line_step = packs ? to.row_stride : to.column_stride;
    Repack result = *this;
    result.past_caches = beta == T{} && line_step * size % 64 == 0 &&
                         (!packs || columns * size % 64 == 0) &&
                         reinterpret_cast<std::uintptr_t>(to.data) % 64 == 0 &&
                         2 * rows * columns * size > larger_than_caches;
    return result;
  }

  /// A tile by one core: what squares cover of it, and the rest element by element.
  KOKKOS_FUNCTION void operator()(std::int64_t n) const {
    const Tile tile = tile_of(n);
    const Tile turned = turn_squares(tile);
    for (int c = 0; c < tile.wide; ++c)
      for (int r = c < turned.wide ? turned.high : 0; r < tile.high; ++r)
        store(tile.row + r, tile.column + c, from(tile.row + r, tile.column + c));
  }

  /// A tile by a GPU's team.
  template <class Member>
    requires requires(const Member& team) { team.team_shmem(); }
  KOKKOS_FUNCTION void operator()(const Member& team) const {
    const Tile tile = tile_of(team.league_rank());
    const std::size_t bytes =
        scratch_bytes;  // get_shmem takes a reference, and device code has none to the constant
    T* const scratch = static_cast<T*>(team.team_shmem().get_shmem(bytes));
    constexpr int each_thread = tile_rows * tile_columns / team_size;
    T held[each_thread] =
        {};  // loads first: of scratch and `from` the compiler must think that they overlap
    unroll<each_thread>([&](int n) {
      const auto [r, c] = element_of<!packs>(team, n);
      if (r < tile.high && c < tile.wide) held[n] = from(tile.row + r, tile.column + c);
    });
    unroll<each_thread>([&](int n) {
      const auto [r, c] = element_of<!packs>(team, n);
      scratch[r * (tile_columns + 1) + c] = held[n];
    });
    team.team_barrier();
    unroll<each_thread>([&](int n) {
      const auto [r, c] = element_of<packs>(team, n);
      held[n] = scratch[r * (tile_columns + 1) + c];
    });
    unroll<each_thread>([&](int n) {
      const auto [r, c] = element_of<packs>(team, n);
      if (r < tile.high && c < tile.wide) store(tile.row + r, tile.column + c, held[n]);
    });
  }

 private:
  struct Tile {
    std::int64_t row;
    std::int64_t column;
    int high;
    int wide;
  };

  [[nodiscard]] KOKKOS_FUNCTION Tile tile_of(std::int64_t n) const {
    const std::int64_t row = n / tiles_across() * tile_rows;
    const std::int64_t column = n % tiles_across() * tile_columns;
    return {row, column, static_cast<int>(Kokkos::min<std::int64_t>(tile_rows, rows - row)),
            static_cast<int>(Kokkos::min<std::int64_t>(tile_columns, columns - column))};
  }

  KOKKOS_FUNCTION void store(std::int64_t i, std::int64_t c, const T& value) const {
    To& element = to(i, c);
    element = beta == T{} ? value : value + beta * element;
  }

  /// What of a CPU's tile vector registers can turn over: whole vectors of rows, and of columns
  /// what squares of falling size can.
  [[nodiscard]] KOKKOS_FUNCTION Tile turn_squares(const Tile& tile) const {
    Tile turned{tile.row, tile.column, 0, 0};
#if defined(FATVEC_TURNS_SQUARES)
    if constexpr (turns<T> && std::is_same_v<std::remove_const_t<From>, T> &&
                  std::is_same_v<To, T>) {
      constexpr int n = Kokkos::min<int>(8, simd_bytes / sizeof(T));
      if ((packs ? from.row_stride : to.row_stride) != 1) return turned;
      turned.high = tile.high / n * n;
      turned.wide = turn_columns<n>(tile, turned.high, 0);
    }
#endif
    return turned;
  }

#if defined(FATVEC_TURNS_SQUARES)
  /// The same of columns `left` and beyond; returns up to which.
  template <int n>
  int turn_columns(const Tile& tile, int high, int left) const {
    const int wide = (tile.wide - left) / n * n;
    if (high == 0 || left == tile.wide) return left;
    const auto by = [&](auto turned) {
      const std::int64_t column = tile.column + left;
      turned(&from(tile.row, column), packs ? from.column_stride : from.row_stride,
             &to(tile.row, column), packs ? to.row_stride : to.column_stride, packs ? high : wide,
             packs ? wide : high, !packs, beta);
    };
    if (past_caches) {
      by(turn<Write::over_past_caches, T, n>);
      end_stores_past_caches();
    } else if (beta == T{}) {
      by(turn<Write::over, T, n>);
    } else {
      by(turn<Write::added_to_beta_times, T, n>);
    }
    if constexpr (n > 4)
      return turn_columns<n / 2>(tile, high, left + wide);  // pairs are faster one by one
    return left + wide;
  }
#endif

  struct Element {
    int row;
    int column;
  };
  /// The n-th element of a team's thread: neighbouring threads have neighbouring columns of a row,
  /// or rows of a column.
  template <bool by_rows, class Member>
  FATVEC_FORCEINLINE_FUNCTION static Element element_of(const Member& team, int n) {
    const int e = n * team_size + team.team_rank();
    return by_rows ? Element{e / tile_columns, e % tile_columns}
                   : Element{e % tile_rows, e / tile_rows};
  }
};

/// Launches on exec; on CPUs without teams, for which Kokkos may allocate, and small ones on the
/// caller's thread.
template <Columns from_columns, class T, class ExecSpace, class From, class To>
void repack(const char* label, const ExecSpace& exec, const From& from, const To& to,
            const T& beta) {
  constexpr bool on_cpu = is_cpu<ExecSpace>;
  constexpr Columns to_columns =
      from_columns == Columns::contiguous ? Columns::strided : Columns::contiguous;
  const Repack<T, from_columns, on_cpu, typename From::value_type, typename To::value_type> work{
      span_of<from_columns>(from), span_of<to_columns>(to), beta, multivector_rows(from),
      multivector_columns(from)};
  if (work.tiles() == 0) return;
  if constexpr (on_cpu) {
    if (is_synchronous<ExecSpace> && work.rows * work.columns < serial_work)
      for (std::int64_t n = 0; n < work.tiles(); ++n) work(n);
    else
      Kokkos::parallel_for(label, Range<ExecSpace>(exec, 0, work.tiles()), work.streaming());
  } else {
    if (work.tiles() > INT32_MAX)
      throw CapacityError(
          concat(label, ": ", work.tiles(), " tiles are more than one launch can have."));
    const std::size_t bytes = work.scratch_bytes;
    Kokkos::parallel_for(
        label,
        Kokkos::TeamPolicy<ExecSpace>(exec, static_cast<int>(work.tiles()), work.team_size)
            .set_scratch_size(0, Kokkos::PerTeam(bytes)),
        work);
  }
}

}  // namespace fatvec::detail
