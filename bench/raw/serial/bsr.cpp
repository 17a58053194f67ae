// SPDX-License-Identifier: Apache-2.0
#include <string>

#include <fatvec/app/dispatch/matrix_product.hpp>
#include <fatvec/formats/bsr.hpp>

#include "harness/contender.hpp"
#include "raw/blocks.hpp"
#include "raw/serial/space.hpp"

/// Contender `raw-serial`, format bsr: Stec and Stpiczyński's product on one core.
namespace fatvec::bench::inline FATVEC_BENCH_IN {
namespace {

struct TextbookBlocks {
  template <class Matrix, class X, class Y>
  void operator()(const raw::SerialSpace&, Scalar alpha, const Matrix& matrix, const X& x,
                  Scalar beta, const Y& y) const {
    const raw::BlockRows a(matrix);
    const auto k = static_cast<std::int64_t>(y.extent(1));
    raw::with_layout(x, y, [&](auto x, auto y) {
      const std::int64_t step =
          x.row_layout ? k : 1;  // column layout: one column of X after the other
      for (std::int64_t c = 0; c < k; c += step)
        for (std::int64_t i = 0; i < a.count(); ++i)
          raw::textbook_block_row(a, i, alpha, x, beta, y, c, c + step);
    });
  }
};

}  // namespace

void add_raw_serial_bsr(Registry& registry) {
  registry.add_with_sweep(
      {.name = "raw-serial",
       .backend = "serial",
       .format = "bsr",
       .parameters = {{"storage", std::string(to_string(product::StorageOrder::column_major))}},
       .prepare = [](const product::Case& task) {
         return product::make_product<BsrMatrix, Scalar, raw::SerialSpace>(task, TextbookBlocks{});
       }});
}

}  // namespace fatvec::bench::inline FATVEC_BENCH_IN
