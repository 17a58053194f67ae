// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Core.hpp>
#include <Kokkos_Profiling_ScopedRegion.hpp>
#include <cstdint>

#include <fatvec/core/error.hpp>
#include <fatvec/core/memory.hpp>
#include <fatvec/formats/detail/rows.hpp>
#include <fatvec/formats/multivector.hpp>

namespace fatvec {
namespace detail {

/// to(i, c) = from(i, c), or from(i, c) + beta · to(i, c) where beta is not 0, between a multivector whose columns are
/// neighbours and one whose rows are. By tiles: on a GPU through scratch memory, so that neighbouring threads read neighbours
/// and write neighbours; a CPU's tile stays in the cache.
template <class T, Columns from_columns, class From, class To>
struct Repack {
  static constexpr int tile_rows = 64;
  static constexpr int tile_columns = 16;
  MultiVectorSpan<From, from_columns> from;
  MultiVectorSpan<To, from_columns == Columns::contiguous ? Columns::strided : Columns::contiguous> to;
  T beta;
  std::int64_t rows;
  std::int64_t columns;

  [[nodiscard]] KOKKOS_FUNCTION std::int64_t tiles_across() const { return (columns + tile_columns - 1) / tile_columns; }
  [[nodiscard]] std::int64_t tiles() const { return (rows + tile_rows - 1) / tile_rows * tiles_across(); }
  static constexpr std::size_t scratch_bytes = sizeof(T) * tile_rows * (tile_columns + 1);

  /// A tile by one core.
  KOKKOS_FUNCTION void operator()(std::int64_t n) const {
    const Tile tile = tile_of(n);
    for (int c = 0; c < tile.wide; ++c)
      for (int r = 0; r < tile.high; ++r) store(tile, r, c, from(tile.row + r, tile.column + c));
  }

  /// A tile by a GPU's team.
  template <class Member>
  requires requires(const Member& team) { team.team_shmem(); }
  KOKKOS_FUNCTION void operator()(const Member& team) const {
    const Tile tile = tile_of(team.league_rank());
    const std::size_t bytes = scratch_bytes;  // get_shmem takes a reference, and device code has none to the constant
    T* const scratch = static_cast<T*>(team.team_shmem().get_shmem(bytes));
    constexpr bool by_rows = from_columns == Columns::contiguous;
    each<by_rows>(team, tile, [&](int r, int c) { scratch[r * (tile_columns + 1) + c] = from(tile.row + r, tile.column + c); });
    team.team_barrier();
    each<!by_rows>(team, tile, [&](int r, int c) { store(tile, r, c, scratch[r * (tile_columns + 1) + c]); });
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

  KOKKOS_FUNCTION void store(const Tile& tile, int r, int c, const T& value) const {
    To& element = to(tile.row + r, tile.column + c);
    element = beta == T{} ? value : value + beta * element;
  }

  /// visit(r, c) over the tile by the team's threads, neighbours being columns of a row or rows of a column.
  template <bool by_rows, class Member, class Visit>
  KOKKOS_FUNCTION static void each(const Member& team, const Tile& tile, const Visit& visit) {
    for (int e = team.team_rank(); e < tile_rows * tile_columns; e += team.team_size()) {
      const int r = by_rows ? e / tile_columns : e % tile_rows;
      const int c = by_rows ? e % tile_columns : e / tile_rows;
      if (r < tile.high && c < tile.wide) visit(r, c);
    }
  }
};

/// Launches on exec; on CPUs without teams, for which Kokkos may allocate.
template <class T, class ExecSpace, Columns from_columns, class From, class To>
void repack(const char* label, const ExecSpace& exec, const Repack<T, from_columns, From, To>& work) {
  if (work.tiles() == 0) return;
  if constexpr (is_cpu<ExecSpace>) {
    Kokkos::parallel_for(label, Range<ExecSpace>(exec, 0, work.tiles()), work);
  } else {
    if (work.tiles() > INT32_MAX)
      throw CapacityError(concat(label, ": ", work.tiles(), " tiles are more than one launch can have."));
    const std::size_t bytes = work.scratch_bytes;
    Kokkos::parallel_for(
        label,
        Kokkos::TeamPolicy<ExecSpace>(exec, static_cast<int>(work.tiles()), 256).set_scratch_size(0, Kokkos::PerTeam(bytes)),
        work);
  }
}

}  // namespace detail

/// Row-major copies of X and Y beside a product whose X and Y are column-major (LayoutLeft): an element of X in a row of its
/// own costs a whole sector or line of memory, k neighbours cost little more. Two passes over each, against up to six times the
/// speed of product and copies together (docs/choice.md).
template <class T, class Device>
class Packing {
 public:
  using View = Kokkos::View<T**, Kokkos::LayoutRight, typename Device::device_type>;

  Packing() = default;
  [[nodiscard]] bool empty() const { return x_.extent(0) == 0 && y_.extent(0) == 0; }
  /// For products of a rows × cols matrix with up to k columns: (rows + cols) · k elements.
  template <class ExecSpace>
  Packing(const ExecSpace& exec, std::int64_t rows, std::int64_t cols, std::int64_t k)
      : x_(prefer_huge_pages(View(Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, "fatvec::packing::x"), cols, k))),
        y_(prefer_huge_pages(View(Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, "fatvec::packing::y"), rows, k))) {}

  /// Whether X and Y of this kind can be packed: columns apart in both, no more of them than there is room for.
  template <MultiVector XView, MultiVector YView>
  [[nodiscard]] bool takes(const XView& x, const YView& y) const {
    return !detail::has_contiguous_columns(x) && !detail::has_contiguous_columns(y) && x.extent(0) == x_.extent(0) &&
           y.extent(0) == y_.extent(0) && x.extent(1) <= x_.extent(1) && x.extent(1) == y.extent(1);
  }

  /// product(X, Y), which forms Y = A · X or the like, on the copies; then Y = beta · Y + that. Only enqueues, like a product;
  /// one at a time, for all use the same copies.
  template <class ExecSpace, MultiVector XView, MultiVector YView, class Product>
  void run(const ExecSpace& exec, const XView& x, const T& beta, const YView& y, const Product& product) const {
    using From = typename XView::value_type;
    const auto used = std::pair<std::size_t, std::size_t>(0, x.extent(1));
    const auto packed_x = Kokkos::subview(x_, Kokkos::ALL, used);
    const auto packed_y = Kokkos::subview(y_, Kokkos::ALL, used);
    const auto k = static_cast<std::int64_t>(x.extent(1));
    using detail::Columns;
    detail::repack(
        "fatvec::packing::pack", exec,
        detail::Repack<T, Columns::strided, From, T>{
            detail::span_of<Columns::strided>(x), detail::span_of<Columns::contiguous>(packed_x), T{}, multivector_rows(x), k});
    product(packed_x, packed_y);
    detail::repack(
        "fatvec::packing::unpack", exec,
        detail::Repack<T, Columns::contiguous, T, T>{detail::span_of<Columns::contiguous>(packed_y),
                                                     detail::span_of<Columns::strided>(y), beta, multivector_rows(y), k});
  }

 private:
  View x_;
  View y_;
};

}  // namespace fatvec
