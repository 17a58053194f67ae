// SPDX-License-Identifier: Apache-2.0
#include "raw/cuda/row_kernels.hpp"
#include "raw/cuda/tuned.hpp"

/// Contender `raw-cuda`, formats jad and pjad:
///   kernel:tuned    the best that we know to write
///   kernel:thread   a thread per row (Stec and Stpiczyński): coalesced, for neighbours of a diagonal belong to neighbouring rows
namespace fatvec::bench::inline FATVEC_BENCH_IN {
namespace {

template <class Rows>
void add_both(Registry& registry) {
  raw::cuda::add_tuned<Rows>(registry);
  const auto make = [](const product::Case&) {
    return raw::cuda::as_is<Rows>(raw::cuda::launch_thread_per_row<Rows>);
  };
  raw::cuda::add<Rows>(registry, {.kernel = "thread", .make = make});
}

}  // namespace

void add_raw_cuda_jad(Registry& registry) {
  add_both<raw::cuda::JaggedRows<JadMatrix>>(registry);
  add_both<raw::cuda::JaggedRows<PjadMatrix>>(registry);
}

}  // namespace fatvec::bench::inline FATVEC_BENCH_IN
