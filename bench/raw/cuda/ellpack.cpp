// SPDX-License-Identifier: Apache-2.0
#include "raw/cuda/block_kernels.hpp"
#include "raw/cuda/tuned.hpp"

/// Contender `raw-cuda`, format ellpack, in column-major storage:
///   kernel:tuned      the best that we know to write
///   kernel:thread     a thread per row (Fraga 2018)
///   kernel:block-2d   columns by rows in a block (Balayre 2024), block:32x4 and so on
namespace fatvec::bench::inline FATVEC_BENCH_IN {

void add_raw_cuda_ellpack(Registry& registry) {
  using namespace raw::cuda;
  using Rows = EllRows;
  add_tuned<Rows>(registry);
  add<Rows>(registry, {.kernel = "thread", .make = [](const product::Case&) {
                         return as_is<Rows>(launch_thread_per_row<Rows>);
                       }});
  add_blocks<Rows>(registry);
}

}  // namespace fatvec::bench::inline FATVEC_BENCH_IN
