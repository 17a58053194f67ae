// SPDX-License-Identifier: Apache-2.0
#include <string>

#include <fatvec/formats/csr.hpp>
#include <fatvec/formats/ellpack.hpp>
#include <fatvec/formats/hll.hpp>
#include <fatvec/product/matrix_product.hpp>

#include "harness/contender.hpp"
#include "raw/operands.hpp"
#include "raw/serial/space.hpp"

/// Contender `raw-serial`: the textbook products on one core, in plain C++, as the seeds have them (CSR and ELLPACK: 000 and
/// 002; HLL in both storages: 001). Everybody's baseline: no tiles, no intrinsics; the compiler vectorises the loop over
/// columns.
namespace fatvec::bench {
namespace {

using Space = raw::SerialSpace;

template <class Rows>
struct Textbook {
  template <class Matrix, class X, class Y>
  void operator()(const Space&, double alpha, const Matrix& matrix, const X& x, double beta, const Y& y) const {
    const Rows rows(matrix);
    const auto k = static_cast<std::int64_t>(y.extent(1));
    raw::with_layout(x, y, [&](auto x, auto y) {
      if constexpr (x.row_layout) {
        rows.walk(0, rows.count(), [=](std::int64_t i, const auto& row) { fat_row(row, k, alpha, x, beta, y.at(i, 0)); });
      } else {
        for (std::int64_t c = 0; c < k; ++c)
          rows.walk(0, rows.count(), [=](std::int64_t i, const auto& row) { dot(row, alpha, x.at(0, c), beta, *y.at(i, c)); });
      }
    });
  }

 private:
  /// Row layout: each entry times a row of X, added to a row of Y.
  template <class Row, class X>
  static void fat_row(const Row& row, std::int64_t k, double alpha, const X& x, double beta, double* __restrict y) {
    for (std::int64_t c = 0; c < k; ++c) y[c] = beta == 0 ? 0 : beta * y[c];
    for (std::int64_t n = 0; n < row.length; ++n) {
      const double a = alpha * row.values[n * row.step];
      const double* __restrict const xj = x.at(row.columns[n * row.step], 0);
      for (std::int64_t c = 0; c < k; ++c) y[c] += a * xj[c];
    }
  }

  /// Column layout: one column of X after the other.
  template <class Row>
  static void dot(const Row& row, double alpha, const double* __restrict x, double beta, double& y) {
    double sum = 0;
    for (std::int64_t n = 0; n < row.length; ++n) sum += row.values[n * row.step] * x[row.columns[n * row.step]];
    y = beta == 0 ? alpha * sum : beta * y + alpha * sum;
  }
};

template <template <StorageOrder> class Rows, template <class, class, class, class> class Format, StorageOrder order>
void add_padded(Registry& registry, const char* format) {
  registry.add({.name = "raw-serial",
                .backend = "serial",
                .format = format,
                .parameters = {{"storage", std::string(to_string(order))}},
                .prepare = [](product::Case task) {
                  task.options.storage = order;
                  return product::make_product<Format, Space>(task, Textbook<Rows<order>>{});
                }});
}

}  // namespace

void add_raw_serial(Registry& registry) {
  registry.add(
      {.name = "raw-serial", .backend = "serial", .format = "csr", .parameters = {}, .prepare = [](const product::Case& task) {
         return product::make_product<CsrMatrix, Space>(task, Textbook<raw::CsrRows>{});
       }});
  add_padded<raw::EllRows, EllMatrix, StorageOrder::row_major>(registry, "ellpack");
  add_padded<raw::EllRows, EllMatrix, StorageOrder::column_major>(registry, "ellpack");
  add_padded<raw::HllRows, HllMatrix, StorageOrder::row_major>(registry, "hll");
  add_padded<raw::HllRows, HllMatrix, StorageOrder::column_major>(registry, "hll");
}

}  // namespace fatvec::bench
