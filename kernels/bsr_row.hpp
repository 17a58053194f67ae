// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fatvec/formats/bsr.hpp>
#include <fatvec/kernels/detail/block_product.hpp>

namespace fatvec {

/// BSR: all rows of a block together, so that each row of X that the block row needs is read once for all of them (register
/// blocking; Im, Yelick and Vuduc, "Sparsity", 2004; the format of seed 003).
struct BsrRow {
  static constexpr const char* name = "bsr-row";
  template <class Scalar, class Ordinal, class Device, class Offset>
  using Matrix = BsrMatrix<Scalar, Ordinal, Device, Offset>;

  /// Zeros leave the choice to the kernel.
  struct Policy {
    int rows_per_thread = 0;     ///< GPU: 1, or more for all rows of a block (4 where its size is not compiled)
    int columns_per_thread = 0;  ///< GPU: 1 or 2 columns in the registers of a thread; 4 where X's columns are apart
    int blocks_per_thread = 0;   ///< CPU: shares of the block rows per thread

    static std::vector<Policy> tuning_range() { return {{1, 1, 1}, {2, 1, 4}, {1, 2, 16}, {2, 2, 64}}; }
    [[nodiscard]] std::string to_string() const {
      return detail::concat("rows_per_thread:", rows_per_thread, "/columns_per_thread:", columns_per_thread,
                            "/blocks_per_thread:", blocks_per_thread);
    }
  };

  template <class ExecSpace>
  static std::optional<std::string> unsupported(const ExecSpace&, std::int64_t) {
    return std::nullopt;
  }

  template <class ExecSpace, class M, class T, class V, detail::Columns columns>
  static void run(const ExecSpace& exec, const Policy& policy, const M& matrix, const detail::MultiVectorSpan<V, columns>& x,
                  const detail::Epilogue<T>& epilogue, std::int64_t k) {
    constexpr bool cpu = detail::is_cpu<ExecSpace>;
    const auto launch = [&](auto tile, auto shape) {
      using Product = detail::BlockProduct<T, M, detail::MultiVectorSpan<V, columns>, decltype(tile), decltype(shape)>;
      Kokkos::parallel_for("fatvec::BsrRow", detail::Range<ExecSpace>(exec, 0, shape.items()),
                           Product{matrix.row_access(), matrix.block_access(), matrix.entries.data(), matrix.values.data(),
                                   matrix.rows(), matrix.cols(), x, epilogue, shape});
    };
    // A GPU reads the elements of a block side by side where each of its rows is a thread's; with many columns, what a thread
    // saves by reading X for all rows at once counts for more.
    const bool single_rows = !cpu && (policy.rows_per_thread > 0 ? policy.rows_per_thread == 1 : k <= 4);
    detail::with_block_tile<cpu>(matrix.block_size(), single_rows, [&](auto tile) {
      using Tile = decltype(tile);
      if constexpr (cpu) {
        const std::int64_t per_thread = policy.blocks_per_thread > 0 ? policy.blocks_per_thread : 4;
        launch(tile, detail::BlockRowSweep<columns, Tile>{{matrix.block_rows(), exec.concurrency() * per_thread, k},
                                                          matrix.block_size()});
      } else if constexpr (columns == detail::Columns::strided) {
        launch(tile, detail::BlockLanes<columns, 4, Tile>{matrix.block_rows(), k, matrix.block_size()});
      } else if ((policy.columns_per_thread > 0 ? policy.columns_per_thread : k / 16) < 2) {
        launch(tile, detail::BlockLanes<columns, 1, Tile>{matrix.block_rows(), k, matrix.block_size()});
      } else {
        launch(tile, detail::BlockLanes<columns, 2, Tile>{matrix.block_rows(), k, matrix.block_size()});
      }
    });
  }
};

}  // namespace fatvec
