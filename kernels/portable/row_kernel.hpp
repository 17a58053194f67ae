// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <type_traits>

#include <fatvec/core/execution.hpp>
#include <fatvec/formats/multivector.hpp>
#include <fatvec/kernels/portable/policy.hpp>
#include <fatvec/kernels/shared/entries.hpp>
#include <fatvec/kernels/shared/output.hpp>
#include <fatvec/kernels/shared/rows_of_x.hpp>
#include <fatvec/kernels/shared/tile.hpp>

/// The product of every format on every backend, written once: the file to read first.
namespace fatvec::portable {

/// Adds products with the rows of X, from some column on, to the sums of a row.
template <class T, class Sums>
struct AddRow {
  using Tile = Sums;
  detail::RowsOfX<T> x;
  std::int64_t step;  ///< from column to column
  Sums& sums;

  template <class Ordinal>
  KOKKOS_FORCEINLINE_FUNCTION Tile load(Ordinal row) const {
    return {x[row], step};
  }
  KOKKOS_FORCEINLINE_FUNCTION void add(const T& value, const Tile& x) const { sums.add(value, x); }
};

/// Y = beta · Y + alpha · A · X. A row of A is multiplied by a tile of neighbouring columns of X at
/// a time, whose sums stay in registers; columns beyond whole tiles are taken by halves of a tile.
/// Entries: shared/entries.hpp.
template <class ExecSpace, class Entries, class T, detail::Columns columns, int width>
struct RowKernel {
  using Member = typename Kokkos::TeamPolicy<ExecSpace>::member_type;
  static constexpr int tile_width = width;
  static constexpr bool host = detail::is_host<ExecSpace>;
  static constexpr bool contiguous = columns == detail::Columns::contiguous;
  template <int w>
  using Sums = detail::Tile<T, w, contiguous ? detail::piece_width<T>(w) : 1>;
  Entries a;
  detail::MultiVectorSpan<const T, columns> x;
  detail::Epilogue<T> epilogue;
  int k;
  int step;  ///< columns of an item: a tile on devices, all on hosts
  int items_of_row;
  std::int64_t first_row = 0;
  int rows = 0;  ///< range: of this launch; team: of a team
  int lanes = 1;
  int longest = 0;  ///< row that a thread has to itself in the team form

  /// RangePolicy: a row and `step` of its columns. Neighbouring items have what lies side by side
  /// in X: columns of a row, or rows of a column.
  KOKKOS_FUNCTION void operator()(int item) const {
    if (items_of_row == 1) return multiply(first_row + item, 0);
    const int row = contiguous ? item / items_of_row : item % rows;
    const int place = contiguous ? item % items_of_row : item / rows;
    multiply(first_row + row, place);
  }

  /// TeamPolicy: a row for each thread of a team; those longer than `longest` are left to all of
  /// it.
  KOKKOS_FUNCTION void operator()(const Member& team) const {
    const std::int64_t first = std::int64_t{team.league_rank()} * rows;
    const auto here = static_cast<int>(Kokkos::min<std::int64_t>(rows, a.count() - first));
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, here), [&](int r) {
      if (a.length(first + r) > longest) return;
      if (items_of_row > 1)
        Kokkos::parallel_for(Kokkos::ThreadVectorRange(team, items_of_row),
                             [&](int place) { multiply(first + r, place); });
      else
        share(first + r, Kokkos::ThreadVectorRange(team, lanes), lanes, Kokkos::PerThread(team));
    });
    const int all = team.team_size() * lanes;
    for (int r = 0; r < here; ++r)
      if (a.length(first + r) > longest)
        share(first + r, Kokkos::TeamVectorRange(team, all), all, Kokkos::PerTeam(team));
  }

 private:
  KOKKOS_FORCEINLINE_FUNCTION void multiply(std::int64_t i, int place) const {
    const int last = Kokkos::min(k, (place + 1) * step);
    for_tiles<width>(place * step, last, [&](auto tile, int c) {
      Sums<decltype(tile)::value> sums;
      add(i, c, 0, 1, sums);
      store(i, c, sums);
    });
  }

  /// All columns of row i, whose entries the threads of a range share.
  template <class Threads, class One>
  KOKKOS_FUNCTION void share(std::int64_t i, const Threads& threads, int parts,
                             const One& one) const {
    for_tiles<width>(0, k, [&](auto tile, int c) {
      using TileSums = Sums<decltype(tile)::value>;
      TileSums sums;
      Kokkos::parallel_reduce(
          threads, [&](int part, TileSums& partial) { add(i, c, part, parts, partial); }, sums);
      Kokkos::single(one, [&] { store(i, c, sums); });
    });
  }

  /// sums += every parts-th entry of row i from `part` on, times columns c, c + 1, ... of X.
  /// Devices load several entries before they multiply.
  template <int w>
  KOKKOS_FORCEINLINE_FUNCTION void add(std::int64_t i, int c, int part, int parts,
                                       Sums<w>& sums) const {
    constexpr int at_once = host ? 1 : w * sizeof(T) <= 16 ? 4 : 2;
    a.template for_each<at_once>(i, part, parts,
                                 AddRow<T, Sums<w>>{detail::RowsOfX<T>(x, c), x.step(), sums});
  }

  template <int w>
  KOKKOS_FORCEINLINE_FUNCTION void store(std::int64_t i, int c, const Sums<w>& sums) const {
    alignas(16) T of_row[w];
    sums.copy_to(of_row);
    if (const std::int64_t row = a.row(i); row >= 0) epilogue.store(row, c, of_row);
  }

  /// visit(tile, c) for whole tiles of columns c ... last - 1, then for halves of them.
  template <int w, class Visit>
  KOKKOS_FORCEINLINE_FUNCTION static void for_tiles(int c, int last, const Visit& visit) {
    for (; c + w <= last; c += w) visit(std::integral_constant<int, w>(), c);
    if constexpr (w > 1)
      if (c < last) for_tiles<w / 2>(c, last, visit);
  }
};

template <int width>
using Width = std::integral_constant<int, width>;

/// run(Width) with the widest tile that is compiled and no wider than asked.
template <bool host, detail::Columns columns, class Run>
void with_width(int width, const Run& run) {
  if constexpr (columns == detail::Columns::contiguous) {
    if constexpr (host) {
      if (width >= 16) return run(Width<16>());
      if (width >= 8) return run(Width<8>());
      if (width >= 6) return run(Width<6>());
    }
    if (width >= 4) return run(Width<4>());
    if (width == 3) return run(Width<3>());
    if (width == 2) return run(Width<2>());
  }
  if (width >= 4) return run(Width<4>());
  run(Width<1>());
}

/// Whether every row of X begins where a device can load such tiles, of up to 4 columns.
template <class T>
bool takes(int width, const T* data, std::int64_t row_stride) {
  const int n = detail::piece_width<T>(std::min(width, 4));
  return row_stride % n == 0 && reinterpret_cast<std::uintptr_t>(data) % (n * sizeof(T)) == 0;
}

/// Tiles that the team form is compiled for.
template <bool host, int width>
inline constexpr bool has_teams = host ? width == 4 : width <= 2;

/// Threads of a device's team.
inline constexpr int team_threads = 128;

/// Launches a kernel in the form of a policy, items in place of teams where these are not compiled;
/// no allocation, no fence.
template <class ExecSpace, class Kernel>
void launch(const char* label, const ExecSpace& exec, const Choice& policy, Kernel kernel) {
  constexpr bool host = detail::is_host<ExecSpace>;
  const std::int64_t count = kernel.a.count();
  if constexpr (has_teams<host, Kernel::tile_width>)
    if (policy.form == Form::team) {
      kernel.lanes = host ? 1 : policy.lanes;
      const int threads = host ? 1 : team_threads / kernel.lanes;
      kernel.rows = host ? 64 : threads;
      kernel.longest = std::max(64 * kernel.lanes, static_cast<int>(4 * kernel.a.mean_length));
      const std::int64_t teams = (count + kernel.rows - 1) / kernel.rows;
      if (teams > std::numeric_limits<int>::max())
        throw CapacityError(
            detail::concat(label, ": ", teams, " teams are more than one launch can have."));
      using Teams = Kokkos::TeamPolicy<ExecSpace, Kokkos::Schedule<Kokkos::Dynamic>,
                                       Kokkos::LaunchBounds<team_threads, 8>>;
      Kokkos::parallel_for(label, Teams(exec, static_cast<int>(teams), threads, kernel.lanes),
                           kernel);
      return;
    }
  // Blocks of few threads, and registers for what a thread loads at once.
  using Range = Kokkos::RangePolicy<ExecSpace, Kokkos::Schedule<Kokkos::Dynamic>,
                                    Kokkos::IndexType<int>, Kokkos::LaunchBounds<128, 8>>;
  const std::int64_t at_once = std::numeric_limits<int>::max() / kernel.items_of_row;
  for (; kernel.first_row < count; kernel.first_row += kernel.rows) {
    kernel.rows = static_cast<int>(std::min(at_once, count - kernel.first_row));
    Kokkos::parallel_for(label, Range(exec, 0, kernel.rows * kernel.items_of_row), kernel);
  }
}

}  // namespace fatvec::portable

/// @cond
template <class T, int width, int n>
struct Kokkos::reduction_identity<fatvec::detail::Tile<T, width, n>> {
  KOKKOS_FORCEINLINE_FUNCTION static fatvec::detail::Tile<T, width, n> sum() { return {}; }
};
/// @endcond

namespace fatvec::detail {

/// The portable kernel of a format; Kernel adds its name, the label of its launches and the format.
template <class Kernel>
struct PortableKernel {  // NOLINT(bugprone-crtp-constructor-accessibility)
  using HostPolicy = portable::HostPolicy;
  using DevicePolicy = portable::DevicePolicy;
  static constexpr bool portable = true;

  template <class ExecSpace>
  static std::optional<std::string> unsupported(const ExecSpace&, std::int64_t) {
    return std::nullopt;
  }

  /// Plans choose among the specialised kernels, or what `fatvec tune` found.
  template <class Scalar, class ExecSpace>
  static bool suits(const ExecSpace&) {
    return false;
  }

  template <class S>
  static auto entries(const S& a) {
    return RowEntries<S>(a);
  }

  template <class ExecSpace, class S, class T>
  static void run(const ExecSpace& exec, const portable::Choice& asked, const S& a,
                  const Operand<const T>& x, const Epilogue<T>& epilogue, std::int64_t k) {
    require_near_rows(Kernel::label, x);
    const auto entries = Kernel::entries(a);
    using Entries = std::remove_const_t<decltype(entries)>;
    const portable::Choice policy =
        portable::chosen(asked, is_host<ExecSpace>, entries.has_long_rows, k);
    with_columns(x, k, [&]<Columns columns>(const MultiVectorSpan<const T, columns>& of_x) {
      const bool host = is_host<ExecSpace>;
      const bool apart = columns == Columns::strided;
      const bool fits = host || apart || portable::takes(policy.width, x.data, x.row_stride);
      const int wanted = fits ? policy.width : 1;
      portable::with_width<host, columns>(wanted, [&]<int width>(portable::Width<width>) {
        const int step = host ? static_cast<int>(k) : width;
        portable::launch(Kernel::label, exec, policy,
                         portable::RowKernel<ExecSpace, Entries, T, columns, width>{
                             .a = entries,
                             .x = of_x,
                             .epilogue = epilogue,
                             .k = static_cast<int>(k),
                             .step = step,
                             .items_of_row = static_cast<int>((k + step - 1) / step)});
      });
    });
  }
};

}  // namespace fatvec::detail
