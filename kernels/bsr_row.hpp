// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fatvec/formats/bsr.hpp>
#include <fatvec/kernels/detail/block_product.hpp>
#include <fatvec/kernels/detail/run_lanes.hpp>

namespace fatvec {

/// BSR: all rows of a block together, so that each row of X that the block row needs is read once for all of them (register
/// blocking; Im, Yelick and Vuduc, "Sparsity", 2004; the format of seed 003).
struct BsrRow {
  static constexpr const char* name = "bsr-row";
  static constexpr const char* label = "fatvec::BsrRow";
  template <class Scalar, class Ordinal, class Device, class Offset>
  using Matrix = BsrMatrix<Scalar, Ordinal, Device, Offset>;
  using Policy = detail::RowPolicy;

  template <class ExecSpace>
  static std::optional<std::string> unsupported(const ExecSpace&, std::int64_t) {
    return std::nullopt;
  }

  template <class ExecSpace, class M, class T, class V, detail::Columns columns>
  static void run(const ExecSpace& exec, const Policy& policy, const M& matrix, const detail::MultiVectorSpan<V, columns>& x,
                  const detail::Epilogue<T>& epilogue, std::int64_t k) {
    const auto launch = [&](auto tile, auto shape) {
      using Product = detail::BlockProduct<T, M, detail::MultiVectorSpan<V, columns>, decltype(tile), decltype(shape)>;
      Kokkos::parallel_for(label, detail::Range<ExecSpace>(exec, 0, shape.items()),
                           Product{matrix.row_access(), matrix.block_access(), matrix.entries.data(), matrix.values.data(),
                                   matrix.rows(), matrix.cols(), x, epilogue, shape});
    };
    if constexpr (detail::is_cpu<ExecSpace>) {
      if (policy.threads_per_row == 0) {
        return detail::with_block_tile(matrix.block_size(), [&](auto tile) {
          const std::int64_t per_thread = policy.blocks_per_thread > 0 ? policy.blocks_per_thread : 4;
          launch(tile, detail::BlockRowSweep<columns, decltype(tile)>{{matrix.block_rows(), exec.concurrency() * per_thread, k},
                                                                      matrix.block_size()});
        });
      }
    }
    switch (matrix.block_size()) {
      case 2:
        return detail::run_lanes<2>(label, exec, policy, matrix, x, epilogue, k);
      case 3:
        return detail::run_lanes<3>(label, exec, policy, matrix, x, epilogue, k);
      case 4:
        return detail::run_lanes<4>(label, exec, policy, matrix, x, epilogue, k);
      case 6:
        return detail::run_lanes<6>(label, exec, policy, matrix, x, epilogue, k);
      case 8:
        return detail::run_lanes<8>(label, exec, policy, matrix, x, epilogue, k);
      default:
        using Tile = detail::BlockTile<0, 4>;
        launch(Tile{}, detail::BlockLanes < columns, columns == detail::Columns::strided ? 4 : 1,
               Tile > {matrix.block_rows(), k, matrix.block_size()});
    }
  }
};

}  // namespace fatvec
