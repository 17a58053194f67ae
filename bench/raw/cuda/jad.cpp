// SPDX-License-Identifier: Apache-2.0
#include "raw/cuda/row_kernels.hpp"

/// Contender `raw-cuda`, formats jad and pjad:
///   kernel:thread   a thread per row (seed 003): coalesced, for neighbours of a diagonal belong to neighbouring rows
namespace fatvec::bench {
namespace {

template <class Rows>
void add_thread(Registry& registry) {
  const auto make = [](const product::Case&) { return raw::cuda::as_is<Rows>(raw::cuda::launch_thread_per_row<Rows>); };
  raw::cuda::add<Rows>(registry, {.kernel = "thread", .make = make});
}

}  // namespace

void add_raw_cuda_jad(Registry& registry) {
  add_thread<raw::cuda::JaggedRows<JadMatrix>>(registry);
  add_thread<raw::cuda::JaggedRows<PjadMatrix>>(registry);
}

}  // namespace fatvec::bench
