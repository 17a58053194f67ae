// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <utility>
#include <vector>

#include <fatvec/app/dispatch/matrix_product.hpp>
#include <fatvec/formats/csr.hpp>
#include <fatvec/formats/ellpack.hpp>
#include <fatvec/formats/hll.hpp>
#include <fatvec/formats/jad.hpp>

#include "harness/contender.hpp"
#include "raw/operands.hpp"
#include "raw/serial/space.hpp"

/// Contender `raw-serial`: the textbook products on one core, in plain C++, as the papers have
/// them (CSR and ELLPACK: Balayre 2024, Fraga 2018; HLL: Calzetta and Lori 2025; JAD and pJAD: Stec
/// and Stpiczyński). The common baseline: no tiles, no intrinsics; the compiler vectorises the loop
/// over columns.
namespace fatvec::bench::inline FATVEC_BENCH_IN {
namespace {

using Space = raw::SerialSpace;

template <class Rows>
struct Textbook {
  template <class Matrix, class X, class Y>
  void operator()(const Space&, Scalar alpha, const Matrix& matrix, const X& x, Scalar beta,
                  const Y& y) const {
    const Rows rows(matrix);
    const auto k = static_cast<std::int64_t>(y.extent(1));
    raw::with_layout(x, y, [&](auto x, auto y) {
      if constexpr (x.row_layout) {
        rows.walk(0, rows.count(), [=](std::int64_t i, const auto& row) {
          fat_row(row, k, alpha, x, beta, y.at(i, 0));
        });
      } else {
        for (std::int64_t c = 0; c < k; ++c)
          rows.walk(0, rows.count(), [=](std::int64_t i, const auto& row) {
            dot(row, alpha, x.at(0, c), beta, *y.at(i, c));
          });
      }
    });
  }

 private:
  /// Row layout: each entry times a row of X, added to a row of Y.
  template <class Row, class X>
  static void fat_row(const Row& row, std::int64_t k, Scalar alpha, const X& x, Scalar beta,
                      Scalar* __restrict y) {
    for (std::int64_t c = 0; c < k; ++c) y[c] = beta == 0 ? 0 : beta * y[c];
    for (std::int64_t n = 0; n < row.length; ++n) {
      const Scalar a = alpha * row.value(n);
      const Scalar* __restrict const xj = x.at(row.column(n), 0);
      for (std::int64_t c = 0; c < k; ++c) y[c] += a * xj[c];
    }
  }

  /// Column layout: one column of X after the other.
  template <class Row>
  static void dot(const Row& row, Scalar alpha, const Scalar* __restrict x, Scalar beta,
                  Scalar& y) {
    Scalar sum = 0;
    for (std::int64_t n = 0; n < row.length; ++n) sum += row.value(n) * x[row.column(n)];
    y = beta == 0 ? alpha * sum : beta * y + alpha * sum;
  }
};

/// The product of a format, in its Rows' storage where there is a choice.
template <class Rows, template <class...> class Format>
void add(Registry& registry, const char* format) {
  std::vector<Parameter> parameters;
  if constexpr (requires { Rows::storage; })
    parameters.push_back({"storage", std::string(to_string(Rows::storage))});
  registry.add({.name = "raw-serial",
                .backend = "serial",
                .format = format,
                .parameters = std::move(parameters),
                .prepare = [](product::Case task) {
                  if constexpr (requires { Rows::storage; }) task.storage = Rows::storage;
                  return product::make_product<Format, Scalar, Space>(task, Textbook<Rows>{});
                }});
}

}  // namespace

void add_raw_serial(Registry& registry) {
  add<raw::CsrRows, CsrMatrix>(registry, "csr");
  add<raw::EllRows<raw::StorageOrder::row_major>, EllMatrix>(registry, "ellpack");
  add<raw::EllRows<raw::StorageOrder::column_major>, EllMatrix>(registry, "ellpack");
  add<raw::HllRows<raw::StorageOrder::row_major>, HllMatrix>(registry, "hll");
  add<raw::HllRows<raw::StorageOrder::column_major>, HllMatrix>(registry, "hll");
  add<raw::JadRows, JadMatrix>(registry, "jad");
  add<raw::JadRows, PjadMatrix>(registry, "pjad");
}

}  // namespace fatvec::bench::inline FATVEC_BENCH_IN
