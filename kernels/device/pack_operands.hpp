// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>

#include <fatvec/core/error.hpp>
#include <fatvec/core/macros.hpp>
#include <fatvec/kernels/shared/pack_operands.hpp>
#include <fatvec/kernels/shared/static_for.hpp>

/// Packing of X and Y on devices.
namespace fatvec::detail {

/// A team copies a tile through scratch memory, so that neighbouring threads read neighbours and
/// write neighbours.
template <class T, Columns from_columns>
struct DevicePack : OperandTiles<T, from_columns, 64, 16> {
  using Tiles = OperandTiles<T, from_columns, 64, 16>;
  using Tiles::from;
  using Tiles::packs;
  using typename Tiles::Tile;
  static constexpr int tile_rows = 64;
  static constexpr int tile_columns = 16;
  static constexpr int team_size = 256;
  static constexpr std::size_t scratch_bytes = sizeof(T) * tile_rows * (tile_columns + 1);

  /// A tile by a GPU's team.
  template <class Member>
  KOKKOS_FUNCTION void operator()(const Member& team) const {
    const Tile tile = this->tile_of(team.league_rank());
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
      if (r < tile.high && c < tile.wide) this->store(tile.row + r, tile.column + c, held[n]);
    });
  }

 private:
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

/// Packs on exec, which is a device.
template <class ExecSpace, class T, Columns from_columns>
void pack_on_device(const char* label, const ExecSpace& exec,
                    const DevicePack<T, from_columns>& work) {
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

}  // namespace fatvec::detail
