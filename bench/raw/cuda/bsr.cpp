// SPDX-License-Identifier: Apache-2.0
#include "raw/cuda/block_rows.hpp"

/// Contender `raw-cuda`, format bsr, in column-major storage, blocks of the size with the fewest
/// bytes; the others with --sweep block_size:
///   kernel:tuned       the best that we know to write
///   kernel:block-row   a thread per block row (Stec and Stpiczyński)
namespace fatvec::bench::inline FATVEC_BENCH_IN {

void add_raw_cuda_bsr(Registry& registry) {
  using namespace raw::cuda;
  const auto add_kernel = [&registry](const char* kernel, const Launch<BlockRows>& launch) {
    registry.add_with_sweep(
        contender<BlockRows>({.kernel = kernel, .make = [launch](const product::Case&) {
                                return as_is<BlockRows>(launch);
                              }}));
  };
  add_kernel("tuned", launch_tuned_blocks);
  add_kernel("block-row", [](cudaStream_t stream, const StoredBlocks& a, const Operands& o) {
    thread_per_block_row<<<blocks_for(a.row.count, 128), 128, 0, stream>>>(a, o);
  });
}

}  // namespace fatvec::bench::inline FATVEC_BENCH_IN
