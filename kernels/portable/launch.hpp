// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
#include <type_traits>

#include <fatvec/core/execution.hpp>
#include <fatvec/formats/multivector.hpp>
#include <fatvec/kernels/portable/policy.hpp>
#include <fatvec/kernels/portable/row_kernel.hpp>
#include <fatvec/kernels/shared/entries.hpp>
#include <fatvec/kernels/shared/output.hpp>
#include <fatvec/kernels/shared/static_for.hpp>
#include <fatvec/kernels/shared/tile.hpp>
#include <fatvec/kernels/shared/warp.hpp>

/// How the portable kernel is launched.
namespace fatvec::portable {

/// The tiles that are compiled. Segments of rows have up to two columns, or single ones by threes.
template <bool host, detail::Columns columns, bool of_segments>
constexpr auto tiles() {
  if constexpr (columns == detail::Columns::strided && host)
    return detail::Widths<1, 4>{};
  else if constexpr (columns == detail::Columns::strided && of_segments)
    return detail::Widths<1, 2>{};
  else if constexpr (columns == detail::Columns::strided)
    return detail::Widths<1, 2, 4, 8>{};
  else if constexpr (host)
    return detail::Widths<1, 2, 3, 4, 6, 8, 16>{};
  else if constexpr (of_segments)
    return detail::Widths<1, 2, 3>{};
  else
    return detail::Widths<1, 2, 3, 4>{};
}

/// Whether every row of X begins where a device can load such tiles, of up to 4 columns.
template <class T, detail::Columns columns>
bool takes(int width, const detail::MultiVectorSpan<const T, columns>& x) {
  const int n = detail::vector_width<T>(std::min(width, 4));
  return x.row_stride % n == 0 && reinterpret_cast<std::uintptr_t>(x.data) % (n * sizeof(T)) == 0;
}

/// Launches blocks of rows on a host, in shares of so much work that handing them out costs little.
/// What takes less time than threads need to begin is the caller's.
template <class ExecSpace, class Kernel>
void launch_blocks(const char* label, const ExecSpace& exec, const Kernel& kernel) {
  const auto blocks =
      static_cast<int>((kernel.a.count() + Kernel::rows_of_block - 1) / Kernel::rows_of_block);
  const double work_of_block = Kernel::rows_of_block * (kernel.a.mean_length + 4) * kernel.k;
  if constexpr (detail::is_synchronous<ExecSpace>)
    if (work_of_block * blocks < least_work_of_threads) {
      for (int block = 0; block < blocks; ++block) kernel(block);
      return;
    }
  if (blocks == 0) return;
  const int threads = exec.concurrency();
  const int most = (blocks + threads - 1) / threads;
  const int least =
      static_cast<int>(std::min<double>(most, least_work_of_share / work_of_block)) + 1;
  const int share = std::min(most, std::max(least, blocks / (threads * shares_of_thread)));
  using Blocks =
      Kokkos::RangePolicy<ExecSpace, Kokkos::Schedule<Kokkos::Dynamic>, Kokkos::IndexType<int>>;
  Kokkos::parallel_for(label, Blocks(exec, 0, blocks, Kokkos::ChunkSize(share)), kernel);
}

/// Launches items of a device, as many at a time as a launch can have; no allocation, no fence.
template <class ExecSpace, class Kernel>
void launch_items(const char* label, const ExecSpace& exec, Kernel kernel) {
  // Blocks of few threads, and registers for what a thread loads at once.
  using Range = Kokkos::RangePolicy<
      ExecSpace, Kokkos::Schedule<Kokkos::Dynamic>, Kokkos::IndexType<int>,
      Kokkos::LaunchBounds<128, detail::least_resident<Kernel::resident_blocks>>>;
  const std::int64_t count = kernel.a.count();
  const std::int64_t of_row = std::int64_t{kernel.items_of_row} * kernel.threads_per_row();
  const std::int64_t at_once = std::numeric_limits<int>::max() / of_row;
  for (; kernel.first_row < count; kernel.first_row += kernel.rows) {
    kernel.rows = static_cast<int>(std::min(at_once, count - kernel.first_row));
    Kokkos::parallel_for(label, Range(exec, 0, static_cast<int>(kernel.rows * of_row)), kernel);
  }
}

/// Launches teams for the rows longer than `longest`; no allocation, no fence.
template <bool host, class ExecSpace, class Kernel>
void launch_teams(const char* label, const ExecSpace& exec, Kernel kernel, int longest) {
  constexpr int threads = detail::is_host<ExecSpace> ? 1 : 256;
  constexpr int most_parts = 8;
  constexpr std::int64_t most_teams = 512;  // with rows of their own
  const std::int64_t count = kernel.a.count();
  kernel.longest = longest;
  kernel.thread_bits = threads == 1 ? 0 : 5;
  kernel.rows =
      host ? 64 : static_cast<int>(std::max(count / most_teams / 32 + 1, std::int64_t{8}) * 32);
  kernel.parts = host ? 1 : std::min(kernel.items_of_row, most_parts);
  const auto teams = static_cast<int>((count + kernel.rows - 1) / kernel.rows * kernel.parts);
  using Teams = Kokkos::TeamPolicy<
      ExecSpace, Kokkos::Schedule<Kokkos::Dynamic>,
      Kokkos::LaunchBounds<threads, detail::least_resident<threads == 1 ? 1 : 4>>>;
  Kokkos::parallel_for(
      label, Teams(exec, teams, threads / kernel.threads_per_row(), kernel.threads_per_row()),
      kernel);
}

/// The kernel for tiles of `width` columns of X, as a value.
template <bool host, int width, bool shares_rows, class ExecSpace, class Entries, class T,
          detail::Columns columns, class Output>
auto row_kernel(const ExecSpace&, const Entries& entries,
                const detail::MultiVectorSpan<const T, columns>& x, const Output& output,
                std::int64_t k) {
  const auto step = host ? static_cast<int>(k) : width;
  return RowKernel<ExecSpace, host, Entries, T, Output, columns, width, shares_rows>{
      .a = entries,
      .x = x,
      .output = output,
      .k = static_cast<int>(k),
      .step = step,
      .items_of_row = static_cast<int>((k + step - 1) / step)};
}

/// Every row by items of its own.
template <bool host, class ExecSpace, class Entries, class T, detail::Columns columns, class Output>
void multiply_by_items(const char* label, const ExecSpace& exec, const Choice& asked,
                       const Entries& entries, const detail::MultiVectorSpan<const T, columns>& x,
                       const Output& output, std::int64_t k) {
  constexpr bool strided = columns == detail::Columns::strided;
  constexpr bool may_share = Entries::contiguous && detail::has_shuffles<ExecSpace>;
  const Work work{.host = host,
                  .strided = strided,
                  .contiguous_rows = Entries::contiguous,
                  .rows = entries.count(),
                  .mean_length = entries.mean_length,
                  .k = k};
  const Choice choice = chosen(asked, work);
  const bool fits = host || strided || takes(choice.width, x);
  const int wanted = fits ? choice.width : k < 3 ? 1 : 3;  // tiles of single columns
  constexpr auto compiled = tiles<host, columns, Entries::of_segments>();
  detail::with_width(compiled, wanted, [&]<int width>(detail::Width<width>) {
    if constexpr (may_share)
      if (choice.threads_per_row > 1 || Entries::of_segments) {
        auto kernel = row_kernel<host, width, true>(exec, entries, x, output, k);
        kernel.thread_bits = std::countr_zero(static_cast<unsigned>(choice.threads_per_row));
        return launch_items(label, exec, kernel);
      }
    if constexpr (!(may_share && Entries::of_segments)) {
      const auto kernel = row_kernel<host, width, false>(exec, entries, x, output, k);
      if constexpr (host)
        launch_blocks(label, exec, kernel);
      else
        launch_items(label, exec, kernel);
    }
  });
}

/// Rows longer than `longest`, each by teams.
template <bool host, class ExecSpace, class Entries, class T, detail::Columns columns, class Output>
void multiply_by_teams(const char* label, const ExecSpace& exec, int asked_width,
                       const Entries& entries, int longest,
                       const detail::MultiVectorSpan<const T, columns>& x, const Output& output,
                       std::int64_t k) {
  const int width = team_width(host, asked_width > 0 ? asked_width : k);
  const bool fits = host || columns == detail::Columns::strided || takes(width, x);
  if constexpr (!host)
    if (width == 1 || !fits)
      return launch_teams<host>(label, exec,
                                row_kernel<host, 1, false>(exec, entries, x, output, k), longest);
  launch_teams<host>(label, exec, row_kernel<host, 4, false>(exec, entries, x, output, k), longest);
}

/// All columns on hosts, those of a sweep on devices.
inline std::int64_t columns_at_once(bool host, std::int64_t value_bytes, std::int64_t k) {
  const std::int64_t sweeps = host ? 1 : sweeps_for(k, bytes_at_once / value_bytes, 0.5);
  return sweeps <= 1 ? k : ((k + sweeps - 1) / sweeps + 7) / 8 * 8;
}

/// Multiplies the rows that `entries` walks by X and gives the sums to `output`, in the form that
/// was asked for or is best for such rows. On devices rows that are far longer than the mean are
/// multiplied by teams in a second launch, unless A is known to have none. host: as on a CPU.
template <bool host, class ExecSpace, class Entries, class X, class Output>
void multiply(const char* label, const ExecSpace& exec, const Choice& asked, const Entries& entries,
              const X& x, const Output& output, std::int64_t k) {
  detail::require_near_rows(label, x);
  const std::int64_t at_once = columns_at_once(host, sizeof(*x.data), k);
  for (std::int64_t c = 0; c < k; c += at_once) {
    const auto of_x = x.from_column(c);
    const auto to = output.from_column(c);
    const std::int64_t columns = std::min(at_once, k - c);
    if (asked.form == Form::team) {
      multiply_by_teams<host>(label, exec, asked.width, entries, -1, of_x, to, columns);
      continue;
    }
    if constexpr (!host && requires { entries.without_longer_rows(0); })
      if (entries.may_have_long_rows) {
        const int longest = longest_of_items(entries.mean_length);
        const auto others = entries.without_longer_rows(longest);
        multiply_by_items<host>(label, exec, asked, others, of_x, to, columns);
        multiply_by_teams<host>(label, exec, 0, entries, longest, of_x, to.adding(), columns);
        continue;
      }
    multiply_by_items<host>(label, exec, asked, entries, of_x, to, columns);
  }
}

}  // namespace fatvec::portable

namespace fatvec::detail {

/// The portable kernel of a format; Kernel adds its name and the label of its launches.
template <class Kernel, template <class...> class Format,
          class OnDevices = portable::WholeRowPolicy>
struct PortableKernel {  // NOLINT(bugprone-crtp-constructor-accessibility)
  template <class Scalar, class Ordinal, class Device, class Offset>
  using Matrix = Format<Scalar, Ordinal, Device, Offset>;
  using HostPolicy = portable::HostPolicy;
  using DevicePolicy = OnDevices;
  static constexpr bool portable = true;

  /// Plans choose among the specialised kernels, or what `fatvec tune` found.
  template <class Scalar, class ExecSpace>
  static bool is_recommended(const ExecSpace&) {
    return false;
  }

  template <class S>
  static auto entries(const S& a) {
    return RowEntries<S>(a);
  }

  template <class ExecSpace, class Policy, class S, class X, class T>
  static void run(const ExecSpace& exec, const Policy& asked, const S& a, const X& x,
                  const Epilogue<T>& epilogue, std::int64_t k) {
    constexpr bool host = std::is_same_v<Policy, HostPolicy>;
    portable::multiply<host>(Kernel::label, exec, asked, Kernel::entries(a), x, epilogue, k);
  }
};

}  // namespace fatvec::detail
