// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fatvec/app/dispatch/matrix_product.hpp>
#include <fatvec/formats/csr.hpp>
#include <fatvec/formats/ellpack.hpp>
#include <fatvec/formats/hll.hpp>

#include "harness/contender.hpp"
#include "harness/mixed_product.hpp"
#include "raw/operands.hpp"

/// Contenders kernel:textbook: what the papers print and nothing else. Every slot of a padded row
/// is visited up to the longest row's (ELLPACK) or the hack's (HLL) and compared with -1; sums are
/// kept in Y; no tiles, no prefetch. What padding costs, and what tuning brings, is their distance
/// to the others.
namespace fatvec::bench::raw::textbook::inline FATVEC_BENCH_IN {

using product::StorageOrder;

/// alpha, beta, X and Y by plain pointers, distances between rows and between columns.
struct Operands {
  Scalar alpha;
  Scalar beta;
  const Scalar* x;
  Scalar* y;
  std::int64_t x_row;
  std::int64_t x_column;
  std::int64_t y_row;
  std::int64_t y_column;
  std::int64_t k;

  void start(std::int64_t i) const {
    for (std::int64_t c = 0; c < k; ++c) {
      Scalar& sum = y[i * y_row + c * y_column];
      sum = beta == 0 ? 0 : beta * sum;
    }
  }
  void add(std::int64_t i, std::int64_t j, Scalar value) const {
    for (std::int64_t c = 0; c < k; ++c)
      y[i * y_row + c * y_column] += alpha * value * x[j * x_row + c * x_column];
  }
};

/// Balayre 2024, algorithm 1; Fraga 2018; Calzetta and Lori 2025, algorithm 1.
template <class Loop, class Matrix>
void multiply_csr(const Loop& loop, const Matrix& a, const Operands& o) {
  const auto* const offsets = a.row_map.data();
  const auto* const columns = a.entries.data();
  const Scalar* const values = a.values.data();
  loop(a.rows(), [=](std::int64_t i) {
    o.start(i);
    for (std::int64_t n = offsets[i]; n < offsets[i + 1]; ++n) o.add(i, columns[n], values[n]);
  });
}

/// Gollmann 2020, listing 6: columns outside entries, a sum in a register.
template <class Loop, class Matrix>
void multiply_csr_columns_outside(const Loop& loop, const Matrix& a, const Operands& o) {
  const auto* const offsets = a.row_map.data();
  const auto* const columns = a.entries.data();
  const Scalar* const values = a.values.data();
  loop(a.rows(), [=](std::int64_t i) {
    for (std::int64_t c = 0; c < o.k; ++c) {
      Scalar sum = 0;
      for (std::int64_t n = offsets[i]; n < offsets[i + 1]; ++n)
        sum += values[n] * o.x[columns[n] * o.x_row + c * o.x_column];
      Scalar& y = o.y[i * o.y_row + c * o.y_column];
      y = o.alpha * sum + (o.beta == 0 ? Scalar(0) : o.beta * y);
    }
  });
}

/// Balayre 2024, algorithm 2, with the width that its text gives: the longest row's.
template <StorageOrder order, class Loop, class Matrix>
void multiply_ellpack(const Loop& loop, const Matrix& a, const Operands& o) {
  const auto* const columns = a.entries.data();
  const Scalar* const values = a.values.data();
  const std::int64_t width = a.width();
  const std::int64_t to_row = order == StorageOrder::row_major ? width : 1;
  const std::int64_t to_slot = order == StorageOrder::row_major ? 1 : a.rows();
  loop(a.rows(), [=](std::int64_t i) {
    o.start(i);
    for (std::int64_t slot = 0; slot < width; ++slot) {
      const std::int64_t n = i * to_row + slot * to_slot;
      if (columns[n] != -1) o.add(i, columns[n], values[n]);
    }
  });
}

/// Calzetta and Lori 2025, algorithms 2 (row-major) and 3 (column-major); whole hacks to a thread.
template <StorageOrder order, class Loop, class Matrix>
void multiply_hll(const Loop& loop, const Matrix& a, const Operands& o) {
  const auto* const offsets = a.hack_offsets().data();
  const auto* const columns = a.entries.data();
  const Scalar* const values = a.values.data();
  const std::int64_t rows = a.rows();
  const std::int64_t hack_size = a.hack_size();
  loop((rows + hack_size - 1) / hack_size, [=](std::int64_t hack) {
    const std::int64_t first = hack * hack_size;
    const std::int64_t height = std::min(hack_size, rows - first);
    const std::int64_t width = (offsets[hack + 1] - offsets[hack]) / height;
    for (std::int64_t row = 0; row < height; ++row) {
      o.start(first + row);
      for (std::int64_t slot = 0; slot < width; ++slot) {
        const std::int64_t n =
            offsets[hack] +
            (order == StorageOrder::row_major ? row * width + slot : slot * height + row);
        if (columns[n] != -1) o.add(first + row, columns[n], values[n]);
      }
    }
  });
}

/// Gollmann 2020: k products of one column, in place or through contiguous copies of each column.
template <class Loop, class Matrix>
void multiply_column_by_column(const Loop& loop, const Matrix& a, const Operands& all,
                               bool copies) {
  std::vector<Scalar> x(copies ? static_cast<std::size_t>(a.cols()) : 0);
  std::vector<Scalar> y(copies ? static_cast<std::size_t>(a.rows()) : 0);
  for (std::int64_t c = 0; c < all.k; ++c) {
    Operands one = all;
    one.k = 1;
    one.x += c * all.x_column;
    one.y += c * all.y_column;
    if (!copies) {
      multiply_csr(loop, a, one);
      continue;
    }
    const Operands there = one;
    loop(a.cols(), [&](std::int64_t j) { x[j] = there.x[j * there.x_row]; });
    loop(a.rows(), [&](std::int64_t i) { y[i] = there.beta == 0 ? 0 : there.y[i * there.y_row]; });
    one.x = x.data();
    one.y = y.data();
    one.x_row = one.y_row = 1;
    multiply_csr(loop, a, one);
    loop(a.rows(), [&](std::int64_t i) { there.y[i * there.y_row] = y[i]; });
  }
}

/// Y = beta · Y + alpha · A · X by run(loop, matrix, operands), as MatrixProduct calls it.
template <class Loop, class Run>
struct Product {
  Loop loop;
  Run run;

  /// A loop that shares out the rows of a matrix sees it once.
  template <class Space, class Matrix>
  void prepare(const Space&, const Matrix& matrix) {
    if constexpr (requires { loop.prepare(matrix); }) loop.prepare(matrix);
  }

  template <class Space, class Matrix, class X, class Y>
  void operator()(const Space&, Scalar alpha, const Matrix& matrix, const X& x, Scalar beta,
                  const Y& y) const {
    run(loop, matrix,
        Operands{.alpha = alpha,
                 .beta = beta,
                 .x = x.data(),
                 .y = y.data(),
                 .x_row = static_cast<std::int64_t>(x.stride(0)),
                 .x_column = static_cast<std::int64_t>(x.stride(1)),
                 .y_row = static_cast<std::int64_t>(y.stride(0)),
                 .y_column = static_cast<std::int64_t>(y.stride(1)),
                 .k = static_cast<std::int64_t>(y.extent(1))});
  }
};

/// What the contenders of one backend share; loop(count, body) calls body(0) ... body(count - 1).
template <class Space, class Loop>
struct Family {
  std::string name;
  std::string backend;
  std::vector<Parameter> settings;  ///< of the loop
  Loop loop;
  std::string sweep = "textbook";

  template <template <class...> class Format, class Run>
  void add(Registry& registry, const char* format, const char* kernel, Run run,
           std::vector<Parameter> more = {}, std::optional<StorageOrder> storage = {}) const {
    std::vector<Parameter> parameters{{"kernel", kernel}};
    parameters.insert(parameters.end(), settings.begin(), settings.end());
    parameters.insert(parameters.end(), more.begin(), more.end());
    if (storage) parameters.push_back({"storage", std::string(to_string(*storage))});
    registry.add({.name = name,
                  .backend = backend,
                  .format = format,
                  .parameters = std::move(parameters),
                  .sweep = sweep,
                  .prepare = [loop = loop, run, storage](product::Case task) {
                    task.storage = storage;
                    return product::make_product<Format, Scalar, Space>(
                        task, Product<Loop, Run>{loop, run});
                  }});
  }

  /// Gollmann's loop with a row-major X and a column-major Y.
  void add_mixed(Registry& registry) const {
    std::vector<Parameter> parameters{{"kernel", "columns-outside"}};
    parameters.insert(parameters.end(), settings.begin(), settings.end());
    parameters.push_back(column_major_y());
    const auto run = [](const auto&... of) { multiply_csr_columns_outside(of...); };
    registry.add({.name = name,
                  .backend = backend,
                  .format = "csr",
                  .parameters = std::move(parameters),
                  .sweep = sweep,
                  .prepare = [loop = loop, run](const product::Case& task) {
                    return make_mixed_product<Scalar, Space>(
                        task, Product<Loop, decltype(run)>{loop, run});
                  }});
  }

  void add_csr(Registry& registry) const {
    add<CsrMatrix>(registry, "csr", "textbook", [](const auto&... of) { multiply_csr(of...); });
  }

  void add_rows(Registry& registry) const {
    using enum StorageOrder;
    add_csr(registry);
    add<EllMatrix>(
        registry, "ellpack", "textbook",
        [](const auto&... of) { multiply_ellpack<row_major>(of...); }, {}, row_major);
  }

  void add_all(Registry& registry) const {
    using enum StorageOrder;
    add_rows(registry);
    add<EllMatrix>(
        registry, "ellpack", "textbook",
        [](const auto&... of) { multiply_ellpack<column_major>(of...); }, {}, column_major);
    add<HllMatrix>(
        registry, "hll", "textbook", [](const auto&... of) { multiply_hll<row_major>(of...); }, {},
        row_major);
    add<HllMatrix>(
        registry, "hll", "textbook", [](const auto&... of) { multiply_hll<column_major>(of...); },
        {}, column_major);
  }

  void add_columns(Registry& registry) const {
    add<CsrMatrix>(registry, "csr", "columns-outside",
                   [](const auto&... of) { multiply_csr_columns_outside(of...); });
    add<CsrMatrix>(registry, "csr", "column-by-column",
                   [](const auto&... of) { multiply_column_by_column(of..., false); },
                   {{"copies", "no"}});
    add<CsrMatrix>(registry, "csr", "column-by-column",
                   [](const auto&... of) { multiply_column_by_column(of..., true); },
                   {{"copies", "yes"}});
    add_mixed(registry);
  }
};

}  // namespace fatvec::bench::raw::textbook::inline FATVEC_BENCH_IN
