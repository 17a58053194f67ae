// SPDX-License-Identifier: Apache-2.0
#include "raw/cuda/row_kernels.hpp"
#include "raw/cuda/tuned.hpp"

/// Contender `raw-cuda`, format sell:
///   kernel:tuned    the best that we know to write: a thread for a row and a tile of columns
///   kernel:thread   a thread per row: coalesced
namespace fatvec::bench::inline FATVEC_BENCH_IN {

void add_raw_cuda_sell(Registry& registry) {
  using namespace raw::cuda;
  using Rows = SellRows;
  add_tuned<Rows>(registry);
  add<Rows>(registry, {.kernel = "thread", .make = [](const product::Case&) {
                         return as_is<Rows>(launch_thread_per_row<Rows>);
                       }});
}

}  // namespace fatvec::bench::inline FATVEC_BENCH_IN
