// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fatvec/formats/bsr.hpp>
#include <fatvec/kernels/detail/block_product.hpp>
#include <fatvec/kernels/detail/run_blocks.hpp>
#include <fatvec/kernels/detail/run_lanes.hpp>

namespace fatvec {

/// BSR: all rows of a block together, so that each row of X that the block row needs is read once
/// for all of them (register blocking; Im, Yelick and Vuduc, "Sparsity", 2004; the format of seed
/// 003). GPUs take the rows of a block one by one for few neighbouring columns, where A is the
/// traffic and X is in the first-level cache, and for sizes that the compiler does not know.
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

  template <bool on_cpu, class>
  static bool writes_columns(const Policy& policy, std::int64_t k) {
    return on_cpu ? policy.threads_per_row == 0 : detail::lanes_write_columns(k);
  }

  template <class ExecSpace, class M, class T, class V, detail::Columns columns>
  static void run(const ExecSpace& exec, const Policy& policy, const M& matrix,
                  const detail::MultiVectorSpan<V, columns>& x, const detail::Epilogue<T>& epilogue,
                  std::int64_t k) {
    if constexpr (detail::is_cpu<ExecSpace>) {
      if (policy.threads_per_row == 0) {
        return detail::with_block_tile(matrix.block_size(), k, [&](auto tile) {
          using Product = detail::BlockProduct<T, M, V, columns, decltype(tile)>;
          detail::BlockSweep<columns> shares{
              matrix.block_rows(), detail::blocks_for(exec, policy, matrix.stored_entries(), k), k,
              detail::lookahead().of_lines()};
          if (Product::turns) shares.turn_rows_into(epilogue);
          detail::run_blocks(label, exec, shares.blocks,
                             Product{matrix.row_access(),
                                     matrix.block_access(),
                                     matrix.entries.data(),
                                     matrix.values.data(),
                                     matrix.rows(),
                                     matrix.cols(),
                                     x,
                                     {epilogue.streaming(matrix.rows(), k)},
                                     {shares, matrix.block_size()}});
        });
      }
    }
    const auto run = [&]<int block>(std::integral_constant<int, block>) {
      detail::run_lanes<block>(label, exec, policy, matrix, x, epilogue, k);
    };
    switch (matrix.block_size()) {
      case 1:
        return run(std::integral_constant<int, 1>{});
      case 2:
        return run(std::integral_constant<int, 2>{});
      case 3:
        return run(std::integral_constant<int, 3>{});
      case 4:
        return run(std::integral_constant<int, 4>{});
      case 5:
        return run(std::integral_constant<int, 5>{});
      case 6:
        return run(std::integral_constant<int, 6>{});
      case 8:
        return run(std::integral_constant<int, 8>{});
      default:
        return run(std::integral_constant<int, 0>{});
    }
  }
};

}  // namespace fatvec
