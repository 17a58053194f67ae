// SPDX-License-Identifier: Apache-2.0
#include "harness/mixed_product.hpp"
#include "raw/cuda/block_kernels.hpp"
#include "raw/cuda/texture.hpp"
#include "raw/cuda/tuned.hpp"

/// Contender `raw-cuda`, format csr:
///   kernel:tuned              the best that we know to write
///   kernel:thread             a thread per row (Calzetta and Lori 2025, Fraga 2018)
///   kernel:warp-...           a warp per row, adding up by shuffles, in shared memory, or both; loads through __ldg, X through
///                             a texture (Calzetta and Lori 2025, its kernels 1 to 5)
///   kernel:strip-mining       a warp per row, the first lane adds up (Fraga 2018)
///   kernel:block-2d           columns by rows in a block (Balayre 2024), block:32x4 and so on
///   kernel:grid-stride        a fixed grid over the rows, in row and in column layout (Gollmann 2020)
///   kernel:column-by-column   k products of one column (Gollmann 2020), copies:yes through a contiguous copy of each, with
///                             --sweep textbook
namespace fatvec::bench::inline FATVEC_BENCH_IN {

void add_raw_cuda_csr(Registry& registry) {
  using namespace raw::cuda;
  using Rows = CsrRows;
  add_tuned<Rows>(registry);
  const auto add_plain = [&registry](const char* kernel, const Launch<Rows>& launch) {
    add<Rows>(registry, {.kernel = kernel,
                         .make = [launch](const product::Case&) { return as_is<Rows>(launch); }});
  };
  add_plain("thread", launch_thread_per_row<Rows>);
  add_plain("warp-shuffle", [](auto... of) { launch_warp_per_row<Shuffle>(of...); });
  add_plain("warp-shared", [](auto... of) { launch_warp_per_row<Shared1d>(of...); });
  add_plain("warp-shared-2d", [](auto... of) { launch_warp_per_row<Shared2d>(of...); });
  add_plain("warp-ldg", [](auto... of) { launch_warp_per_row<Shuffle>(of..., ReadOnly{}); });
  add<Rows>(
      registry,
      {.kernel = "warp-texture", .make = textured<Rows>, .unsupported = XTexture::unsupported});
  add_plain("strip-mining", [](auto... of) { launch_warp_per_row<Sequential>(of...); });
  add_blocks<Rows>(registry);
  add_plain("grid-stride", launch_grid_stride<Rows>);
  registry.add({.name = "raw-cuda",
                .backend = "cuda",
                .format = Rows::name,
                .parameters = {{"kernel", "grid-stride"}, column_major_y()},
                .sweep = "textbook",
                .prepare = [](const product::Case& task) {
                  return make_mixed_product<Scalar, Kokkos::Cuda>(
                      task, as_is<Rows>(launch_grid_stride<Rows>));
                }});
  add<Rows>(
      registry,
      {.kernel = "column-by-column",
       .make = [](const product::Case&) { return as_is<Rows>(launch_column_by_column<Rows>); },
       .more_parameters = {{"copies", "no"}}});
  add<Rows>(registry, {.kernel = "column-by-column",
                       .make = through_copies<Rows>,
                       .more_parameters = {{"copies", "yes"}},
                       .sweep = "textbook"});
}

}  // namespace fatvec::bench::inline FATVEC_BENCH_IN
