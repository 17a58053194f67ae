// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <chrono>
#include <cstdint>

#include "harness/contender.hpp"
#include "raw/array.hpp"

/// Contender `raw-serial`: the textbook CSR product on one core, in plain C++, as the seeds have it. Everybody's baseline: no
/// tiles, no intrinsics; the compiler vectorises the loop over columns.
namespace fatvec::bench {
namespace {

using product::HostMultivector;
using product::Layout;

class SerialCsr final : public product::Product {
 public:
  explicit SerialCsr(const product::Case& task)
      : rows_(task.matrix.rows()), cols_(task.matrix.cols()), k_(task.k), layout_(task.layout) {
    const auto& csr = task.matrix;
    const auto nnz = static_cast<std::size_t>(csr.nnz());
    offsets_ = raw::allocate<std::int32_t>(rows_ + 1);
    columns_ = raw::allocate<std::int32_t>(nnz);
    values_ = raw::allocate<double>(nnz);
    std::copy_n(csr.row_map.data(), rows_ + 1, offsets_.get());
    std::copy_n(csr.entries.data(), nnz, columns_.get());
    std::copy_n(csr.values.data(), nnz, values_.get());
    x_ = raw::allocate<double>(cols_ * k_);
    y_ = raw::allocate<double>(rows_ * k_);
    matrix_bytes = csr.bytes();
    stored_entries = csr.nnz();
  }

  void load(const HostMultivector& x, const HostMultivector& y) override {
    for (std::int64_t j = 0; j < cols_; ++j)
      for (std::int64_t c = 0; c < k_; ++c) x_[index(j, c, cols_)] = x(j, c);
    for (std::int64_t i = 0; i < rows_; ++i)
      for (std::int64_t c = 0; c < k_; ++c) y_[index(i, c, rows_)] = y(i, c);
  }

  double run(double alpha, double beta) override {
    using Clock = std::chrono::steady_clock;
    const auto start = Clock::now();
    if (layout_ == Layout::row && k_ > 1) {  // one column is the same in both layouts, and is summed in a register
      by_rows(alpha, beta);
    } else {
      by_columns(alpha, beta);
    }
    return std::chrono::duration<double>(Clock::now() - start).count();
  }

  void store(const HostMultivector& y) const override {
    for (std::int64_t i = 0; i < rows_; ++i)
      for (std::int64_t c = 0; c < k_; ++c) y(i, c) = y_[index(i, c, rows_)];
  }

 private:
  [[nodiscard]] std::int64_t index(std::int64_t row, std::int64_t column, std::int64_t rows) const {
    return layout_ == Layout::row ? row * k_ + column : column * rows + row;
  }

  void by_rows(double alpha, double beta) {
    const double* __restrict const x = x_.get();
    double* __restrict const y = y_.get();
    for (std::int64_t i = 0; i < rows_; ++i) {
      double* const yi = y + i * k_;
      for (std::int64_t c = 0; c < k_; ++c) yi[c] = beta == 0 ? 0 : beta * yi[c];
      for (std::int32_t n = offsets_[i]; n < offsets_[i + 1]; ++n) {
        const double a = alpha * values_[n];
        const double* const xj = x + columns_[n] * k_;
        for (std::int64_t c = 0; c < k_; ++c) yi[c] += a * xj[c];
      }
    }
  }

  void by_columns(double alpha, double beta) {
    for (std::int64_t c = 0; c < k_; ++c) {
      const double* __restrict const x = x_.get() + c * cols_;
      double* __restrict const y = y_.get() + c * rows_;
      for (std::int64_t i = 0; i < rows_; ++i) {
        double sum = 0;
        for (std::int32_t n = offsets_[i]; n < offsets_[i + 1]; ++n) sum += values_[n] * x[columns_[n]];
        y[i] = beta == 0 ? alpha * sum : beta * y[i] + alpha * sum;
      }
    }
  }

  std::int64_t rows_;
  std::int64_t cols_;
  std::int64_t k_;
  Layout layout_;
  raw::Array<std::int32_t> offsets_;
  raw::Array<std::int32_t> columns_;
  raw::Array<double> values_;
  raw::Array<double> x_;
  raw::Array<double> y_;
};

}  // namespace

void add_raw_serial_csr(Registry& registry) {
  registry.add(
      {.name = "raw-serial", .backend = "serial", .format = "csr", .parameters = {}, .prepare = [](const product::Case& task) {
         return std::make_unique<SerialCsr>(task);
       }});
}

}  // namespace fatvec::bench
