// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include <fatvec/core/error.hpp>
#include <fatvec/formats/bittcf.hpp>
#include <fatvec/kernels/detail/run_blocks.hpp>
#include <fatvec/kernels/detail/window_product.hpp>

namespace fatvec {

namespace detail {

/// How windows are multiplied. Zeros leave the choice to the kernel.
struct WindowPolicy {
  int column_tiles =
      0;  ///< tensor cores: tiles of 8 columns of X that a warp holds, 1 to 9, or next to it
  int blocks_per_thread = 0;  ///< CPU: blocks of windows per thread

  static std::vector<WindowPolicy> tuning_range() { return {{4, 0}, {6, 0}, {0, 1}}; }
  [[nodiscard]] std::string to_string() const {
    return concat("column_tiles:", column_tiles, "/blocks_per_thread:", blocks_per_thread);
  }
};

}  // namespace detail

/// BitTCF, a window of 8 rows per warp: NVIDIA's tensor cores of compute capability 8.0, 9.0
/// and 10.0 multiply doubles, in full precision. Other scalars, other GPUs and CPUs go row by row,
/// which is right, and slower than CSR.
struct BitTcfWindow {
  static constexpr const char* name = "bittcf-window";
  static constexpr const char* label = "fatvec::BitTcfWindow";
  template <class Scalar, class Ordinal, class Device, class Offset>
  using Matrix = BitTcfMatrix<Scalar, Ordinal, Device, Offset>;
  using Policy = detail::WindowPolicy;

  template <class ExecSpace>
  static std::optional<std::string> unsupported(const ExecSpace&, std::int64_t) {
    return std::nullopt;
  }

  template <class Scalar, class ExecSpace>
  static bool suits(const ExecSpace& exec) {
    return detail::has_tensor_tiles<Scalar>(exec);
  }

  /// GPUs whose tensor cores do not multiply doubles are not told apart: plans do not think of
  /// BitTCF there.
  template <bool on_cpu, class M>
  static bool writes_columns(const Policy&, std::int64_t k) {
    return !on_cpu &&
           (std::is_same_v<typename M::value_type, double> || detail::lanes_write_columns(k));
  }

  template <class ExecSpace, class M, class T, class V, detail::Columns columns>
  static void run(const ExecSpace& exec, const Policy& policy, const M& matrix,
                  const detail::MultiVectorSpan<V, columns>& x, const detail::Epilogue<T>& epilogue,
                  std::int64_t k) {
    using Access = typename M::Access;
    const Access access = matrix.tile_access();
    const std::int64_t windows = matrix.windows();
    if constexpr (detail::is_cpu<ExecSpace>) {
      const std::int64_t blocks =
          detail::blocks_for(exec, {0, 0, policy.blocks_per_thread}, matrix.nnz(), k);
      detail::run_blocks(label, exec, blocks,
                         detail::BlockWindowProduct<Access, T, V, columns>{access, windows, blocks,
                                                                           x, epilogue, k});
    } else {
      if (x.row_stride * static_cast<std::int64_t>(sizeof(T)) > UINT32_MAX)
        throw CapacityError(detail::concat(label, ": the rows of X are ", x.row_stride,
                                           " elements apart, which is 4 GB or more."));
      if constexpr (detail::may_have_tensor_tiles<ExecSpace, T>)
        if (detail::has_tensor_tiles<T>(exec))
          return detail::run_tensor_windows(label, exec, policy.column_tiles, access, windows, x,
                                            epilogue, k);
      const auto lanes = static_cast<int>((k + 1) / 2);
      Kokkos::parallel_for(label,
                           detail::Range<ExecSpace>(exec, 0, windows * detail::window_rows * lanes),
                           detail::LaneWindowProduct<Access, T, V, columns>{
                               access, x, epilogue, static_cast<int>(k), lanes});
    }
  }
};

}  // namespace fatvec
