// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstdint>

#include <fatvec/algebra/detail/task.hpp>
#include <fatvec/core/execution.hpp>
#include <fatvec/core/macros.hpp>
#include <fatvec/formats/concepts.hpp>

/// gram() and update() in one source for every backend: tiles of 4 × 4 sums, or of 4, in registers.
namespace fatvec::detail::tall {

template <class T>
FATVEC_FORCEINLINE_FUNCTION T conjugate(const T& x) {
  if constexpr (is_complex<T>)
    return Kokkos::conj(x);
  else
    return x;
}

inline constexpr int tile = 4;
inline constexpr int gpu_threads = 256;  ///< in a team

/// A team has a share of the rows and some tiles of G; `slots` of its threads have the same tile,
/// and take rows in turns. What they have is joined in a tree.
template <class Sum, class T, bool host>
struct PortableGram {
  GramTask<Sum, T> task;
  std::int64_t share_rows;
  int tiles_across;  ///< of a row of G
  int tiles;         ///< of G
  int tiles_of_team;
  int groups;  ///< of tiles
  int slots;
  bool rows_first;  ///< neighbouring threads have neighbouring rows, not tiles

  using Tile = Sum[tile][tile];

  template <class Member>
  KOKKOS_FUNCTION void operator()(const Member& team) const {
    const std::int64_t share = team.league_rank() / groups;
    const int first_tile = team.league_rank() % groups * tiles_of_team;
    const std::int64_t begin = share * share_rows;
    const std::int64_t end = Kokkos::min(begin + share_rows, task.rows);
    Sum* const part = task.room + share * task.k * task.m;
    if constexpr (host) {
      // Blocks of rows stay in the caches while all tiles go over them.
      for (std::int64_t e = 0; e < std::int64_t{task.k} * task.m; ++e) part[e] = Sum{};
      for (std::int64_t first = begin; first < end; first += 64)
        for (int t = 0; t < tiles; ++t) {
          Tile sums = {};
          add(t, first, Kokkos::min(first + 64, end), 1, sums);
          store(t, sums, part, true);
        }
    } else {
      const int rank = team.team_rank();
      const int mine = rows_first ? rank / slots : rank % tiles_of_team;
      const int slot = rows_first ? rank % slots : rank / tiles_of_team;
      const int t = first_tile + mine;
      const bool idle = mine >= tiles_of_team || slot >= slots || t >= tiles;
      Tile sums = {};
      if (!idle) add(t, begin + slot, end, slots, sums);
      auto* const shared = static_cast<Sum*>(team.team_scratch(0).get_shmem_aligned(
          scratch_bytes(slots, tiles_of_team), alignof(Sum)));
      join(team, shared, mine, slot, idle, sums);
      if (!idle && slot == 0) store(t, sums, part, false);
    }
  }
  static KOKKOS_FUNCTION std::size_t scratch_bytes(int slots, int tiles_of_team) {
    return sizeof(Tile) * static_cast<std::size_t>(slots / 2 * tiles_of_team);
  }

 private:
  KOKKOS_FUNCTION void add(int t, std::int64_t first, std::int64_t end, int step,
                           Tile& sums) const {
    const int a = t / tiles_across * tile;
    const int c = t % tiles_across * tile;
    const int height = Kokkos::min(int{tile}, task.k - a);
    const int width = Kokkos::min(int{tile}, task.m - c);
    for (std::int64_t i = first; i < end; i += step) {
      Sum of_x[tile];
      Sum of_y[tile];
      for (int u = 0; u < tile; ++u) {
        of_x[u] = u < height ? conjugate(static_cast<Sum>(task.x(i, a + u))) : Sum{};
        of_y[u] = u < width ? static_cast<Sum>(task.y(i, c + u)) : Sum{};
      }
      for (int u = 0; u < tile; ++u)
        for (int w = 0; w < tile; ++w) sums[u][w] += of_x[u] * of_y[w];
    }
  }
  KOKKOS_FUNCTION void store(int t, const Tile& sums, Sum* part, bool add) const {
    const int a = t / tiles_across * tile;
    const int c = t % tiles_across * tile;
    for (int u = 0; u < tile; ++u)
      for (int w = 0; w < tile; ++w) {
        if (a + u >= task.k || c + w >= task.m) continue;
        Sum& to = part[std::int64_t{a + u} * task.m + c + w];
        to = add ? to + sums[u][w] : sums[u][w];
      }
  }
  /// `slots` is a power of two.
  template <class Member>
  KOKKOS_FUNCTION void join(const Member& team, Sum* shared, int mine, int slot, bool idle,
                            Tile& sums) const {
    for (int half = slots / 2; half > 0; half /= 2) {
      if (!idle && slot >= half && slot < 2 * half)
        for (int e = 0; e < tile * tile; ++e)
          shared[(e * half + slot - half) * tiles_of_team + mine] = sums[e / tile][e % tile];
      team.team_barrier();
      if (!idle && slot < half)
        for (int e = 0; e < tile * tile; ++e)
          sums[e / tile][e % tile] += shared[(e * half + slot) * tiles_of_team + mine];
      team.team_barrier();
    }
  }
};

/// G of the sums of the shares: a thread, or a team, has an element.
template <class Sum>
struct JoinShares {
  const Sum* parts;
  std::int64_t shares;
  std::int64_t share;  ///< elements from share to share,
  std::int64_t step;   ///< and from row to row of one
  Operand<Sum> g;
  int m;

  KOKKOS_FUNCTION void operator()(std::int64_t e) const {
    const Sum* const from = parts + e / m * step + e % m;
    Sum total{};
    for (std::int64_t n = 0; n < shares; ++n) total += from[n * share];
    g(e / m, e % m) = total;
  }
  template <class Member>
    requires requires(const Member& team) { team.league_rank(); }
  KOKKOS_FUNCTION void operator()(const Member& team) const {
    const std::int64_t e = team.league_rank();
    const Sum* const from = parts + e / m * step + e % m;
    Sum total{};
    Kokkos::parallel_reduce(
        Kokkos::TeamThreadRange(team, shares),
        [&](std::int64_t n, Sum& sum) { sum += from[n * share]; }, total);
    Kokkos::single(Kokkos::PerTeam(team), [&] { g(e / m, e % m) = total; });
  }
};

template <class Sum, class ExecSpace>
void join_shares(const ExecSpace& exec, const JoinShares<Sum>& join, std::int64_t k) {
  if constexpr (is_host<ExecSpace>)
    Kokkos::parallel_for("fatvec::gram::join", Range<ExecSpace>(exec, 0, k * join.m), join);
  else
    Kokkos::parallel_for("fatvec::gram::join",
                         Kokkos::TeamPolicy<ExecSpace>(exec, static_cast<int>(k * join.m), 32),
                         join);
}

/// How many shares of at least `least` rows, at most `most`.
inline std::int64_t shares_of(std::int64_t rows, std::int64_t least, std::int64_t most) {
  return std::clamp<std::int64_t>(rows / least, 1, std::max<std::int64_t>(1, most));
}

/// Teams of a device that are busy at a time.
template <class ExecSpace>
std::int64_t busy_teams(const ExecSpace& exec) {
  const std::int64_t threads = exec.concurrency();
  return is_host<ExecSpace> ? threads : std::max<std::int64_t>(1, threads / gpu_threads);
}

/// Elements of the workspace that portable_gram() wants.
template <class ExecSpace>
std::int64_t portable_room(const ExecSpace& exec, std::int64_t k, std::int64_t m) {
  return busy_teams(exec) * k * m;
}

template <class ExecSpace, class Sum, class T>
void portable_gram(const ExecSpace& exec, const GramTask<Sum, T>& task) {
  constexpr bool host = is_host<ExecSpace>;
  const auto count = [](int columns) { return (columns + tile - 1) / tile; };
  PortableGram<Sum, T, host> gram{.task = task,
                                  .share_rows = 0,
                                  .tiles_across = count(task.m),
                                  .tiles = count(task.k) * count(task.m),
                                  .tiles_of_team = 0,
                                  .groups = 1,
                                  .slots = 1,
                                  .rows_first = task.x.row_stride == 1 && task.y.row_stride == 1};
  gram.tiles_of_team = host ? gram.tiles : std::min(gram.tiles, gpu_threads);
  gram.groups = (gram.tiles + gram.tiles_of_team - 1) / gram.tiles_of_team;
  while (!host && 2 * gram.slots * gram.tiles_of_team <= gpu_threads) gram.slots *= 2;
  const std::int64_t elements = std::int64_t{task.k} * task.m;
  const std::int64_t shares = shares_of(task.rows, host ? 256 : std::max(64, 4 * gram.slots),
                                        std::min(busy_teams(exec), task.capacity / elements));
  gram.share_rows = (task.rows + shares - 1) / shares;
  const int threads = host ? 1 : (gram.slots * gram.tiles_of_team + 31) / 32 * 32;
  Kokkos::parallel_for(
      "fatvec::gram",
      Kokkos::TeamPolicy<ExecSpace>(exec, static_cast<int>(shares * gram.groups), threads)
          .set_scratch_size(0, Kokkos::PerTeam(static_cast<int>(
                                   gram.scratch_bytes(gram.slots, gram.tiles_of_team) + 16))),
      gram);
  join_shares(exec, JoinShares<Sum>{task.room, shares, elements, task.m, task.g, task.m}, task.k);
}

/// A thread has 4 neighbouring columns of a row of Y.
template <class T>
struct PortableUpdate {
  UpdateTask<T> task;
  int tiles;        ///< of a row
  bool rows_first;  ///< neighbouring threads have neighbouring rows, not columns

  KOKKOS_FUNCTION void operator()(std::int64_t item) const {
    const std::int64_t i = rows_first ? item % task.rows : item / tiles;
    const int c = static_cast<int>(rows_first ? item / task.rows : item % tiles) * tile;
    const int width = Kokkos::min(int{tile}, task.m - c);
    T sums[tile] = {};
    for (int j = 0; j < task.k; ++j) {
      const T x = task.x(i, j);
      for (int w = 0; w < tile; ++w)
        if (w < width) sums[w] += x * task.s(j, c + w);
    }
    for (int w = 0; w < width; ++w) {
      T& y = task.y(i, c + w);
      y = task.beta == T{} ? task.alpha * sums[w] : task.alpha * sums[w] + task.beta * y;
    }
  }
};

template <class ExecSpace, class T>
void portable_update(const ExecSpace& exec, const UpdateTask<T>& task) {
  const int tiles = (task.m + tile - 1) / tile;
  Kokkos::parallel_for("fatvec::update", Range<ExecSpace>(exec, 0, task.rows * tiles),
                       PortableUpdate<T>{task, tiles, task.y.row_stride == 1 && task.rows > 1});
}

}  // namespace fatvec::detail::tall
