// SPDX-License-Identifier: Apache-2.0
#include <string>

#include <fatvec/app/dispatch/matrix_product.hpp>
#include <fatvec/formats/bsr.hpp>

#include "harness/contender.hpp"
#include "raw/openmp/block_tile.hpp"
#include "raw/openmp/schedule.hpp"

/// Contender `raw-openmp`, format bsr, column-major blocks of the size with the fewest bytes; the
/// others with --sweep block_size:
///   kernel:textbook   Stec and Stpiczyński's, equally many block rows per thread
///   kernel:tiles      register tiles, equally many blocks per thread: the one to beat
namespace fatvec::bench::inline FATVEC_BENCH_IN {
namespace {

struct TextbookBlocks {
  template <class Matrix, class X, class Y>
  void operator()(const Kokkos::OpenMP&, Scalar alpha, const Matrix& matrix, const X& x,
                  Scalar beta, const Y& y) const {
    const raw::BlockRows a(matrix);
    const auto k = static_cast<std::int64_t>(y.extent(1));
    raw::with_layout(x, y, [&](auto x, auto y) {
      const std::int64_t step = x.row_layout ? k : 1;
      for (std::int64_t c = 0; c < k; c += step) {
#pragma omp parallel for schedule(static)
        for (std::int64_t i = 0; i < a.count(); ++i)
          raw::textbook_block_row(a, i, alpha, x, beta, y, c, c + step);
      }
    });
  }
};

struct TiledBlocks {
  raw::Partition partition = {};

  template <class Matrix>
  void prepare(const Kokkos::OpenMP&, const Matrix& matrix) {
    partition = raw::Partition({raw::Schedule::Kind::balanced}, raw::BlockRows(matrix));
  }
  template <class Matrix, class X, class Y>
  void operator()(const Kokkos::OpenMP&, Scalar alpha, const Matrix& matrix, const X& x,
                  Scalar beta, const Y& y) const {
    raw::with_layout(x, y, [&](auto by_hand_x, auto by_hand_y) {
      partition.for_each(raw::BlockTiles(raw::BlockRows(matrix), alpha, by_hand_x, beta, by_hand_y,
                                         static_cast<std::int64_t>(y.extent(1))));
    });
  }
};

template <class Multiply>
void add(Registry& registry, const char* kernel) {
  registry.add_with_sweep(
      {.name = "raw-openmp",
       .backend = "openmp",
       .format = "bsr",
       .parameters = {{"kernel", kernel},
                      {"storage", std::string(to_string(product::StorageOrder::column_major))}},
       .prepare = [](const product::Case& task) {
         return product::make_product<BsrMatrix, Scalar, Kokkos::OpenMP>(task, Multiply{});
       }});
}

}  // namespace

void add_raw_openmp_bsr(Registry& registry) {
  add<TextbookBlocks>(registry, "textbook");
  add<TiledBlocks>(registry, "tiles");
}

}  // namespace fatvec::bench::inline FATVEC_BENCH_IN
