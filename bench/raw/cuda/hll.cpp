// SPDX-License-Identifier: Apache-2.0
#include "raw/cuda/row_kernels.hpp"
#include "raw/cuda/tuned.hpp"

/// Contender `raw-cuda`, format hll:
///   kernel:tuned               the best that we know to write, column-major storage
///   kernel:thread              a thread per row, row-major (Calzetta and Lori 2025, as all that follow)
///   kernel:warp-shuffle        a warp per row, row-major, adding up by shuffles
///   kernel:warp-shared         a warp per row, row-major, adding up in shared memory
///   kernel:thread-column-major a thread per row, column-major: coalesced
namespace fatvec::bench::inline FATVEC_BENCH_IN {

void add_raw_cuda_hll(Registry& registry) {
  using namespace raw::cuda;
  using Rows = HllRows;
  using product::StorageOrder;
  add_tuned<Rows>(registry);
  const auto add_plain = [&registry](const char* kernel, StorageOrder storage,
                                     const Launch<Rows>& launch) {
    add<Rows>(registry, {.kernel = kernel,
                         .make = [launch](const product::Case&) { return as_is<Rows>(launch); },
                         .storage = storage});
  };
  add_plain("thread", StorageOrder::row_major, launch_thread_per_row<Rows>);
  add_plain("warp-shuffle", StorageOrder::row_major,
            [](auto... of) { launch_warp_per_row<Shuffle>(of...); });
  add_plain("warp-shared", StorageOrder::row_major,
            [](auto... of) { launch_warp_per_row<Shared1d>(of...); });
  add_plain("thread-column-major", StorageOrder::column_major, launch_thread_per_row<Rows>);
}

}  // namespace fatvec::bench::inline FATVEC_BENCH_IN
