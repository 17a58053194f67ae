// SPDX-License-Identifier: Apache-2.0
#include <omp.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "harness/contender.hpp"
#include "raw/array.hpp"
#include "raw/openmp/row_tile.hpp"

/// Contender `raw-openmp`: CSR as one would write it by hand for the CPU. Register tiles over the columns, one block of rows
/// per thread, every array first touched by the thread that uses it.
///   schedule:static     blocks of equally many rows, as `omp parallel for schedule(static)` cuts them
///   schedule:balanced   blocks of equal work (entries + rows), found once when the matrix is set up
namespace fatvec::bench {
namespace {

using product::HostMultivector;
using product::Layout;
using Blocks = std::vector<std::int64_t>;  ///< first row of each thread's block, then the number of rows

Blocks equal_rows(std::int64_t rows, std::int64_t threads) {
  Blocks first(threads + 1);
  for (std::int64_t t = 0; t <= threads; ++t) first[t] = rows * t / threads;
  return first;
}

Blocks equal_work(const std::int32_t* offsets, std::int64_t rows, std::int64_t threads) {
  Blocks first(threads + 1);
  for (std::int64_t t = 0; t <= threads; ++t) {
    const std::int64_t goal = (offsets[rows] + rows) * t / threads;
    std::int64_t low = 0;
    for (std::int64_t high = rows; low < high;) {
      const std::int64_t middle = low + (high - low) / 2;
      if (offsets[middle] + middle < goal) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    first[t] = low;
  }
  return first;
}

/// work(begin, end) on each block, block t on thread t; with fewer threads than blocks, a thread takes several.
template <class Work>
void for_each_block(const Blocks& first, const Work& work) {
  const auto blocks = static_cast<std::int64_t>(first.size()) - 1;
#pragma omp parallel for schedule(static, 1)
  for (std::int64_t t = 0; t < blocks; ++t) work(first[t], first[t + 1]);
}

class OpenMpCsr final : public product::Product {
 public:
  OpenMpCsr(const product::Case& task, bool balanced)
      : rows_(task.matrix.rows()), cols_(task.matrix.cols()), k_(task.k), layout_(task.layout) {
    const auto& csr = task.matrix;
    const auto nnz = static_cast<std::size_t>(csr.nnz());
    const int threads = omp_get_max_threads();
    const double start = omp_get_wtime();
    blocks_ = balanced ? equal_work(csr.row_map.data(), rows_, threads) : equal_rows(rows_, threads);
    setup_seconds = omp_get_wtime() - start;

    offsets_ = raw::allocate<std::int32_t>(rows_ + 1);
    columns_ = raw::allocate<std::int32_t>(nnz);
    values_ = raw::allocate<double>(nnz);
    offsets_[0] = 0;
    for_each_block(blocks_, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) offsets_[i + 1] = csr.row_map(i + 1);
      const std::int32_t from = csr.row_map(begin);
      const std::int32_t to = csr.row_map(end);
      std::copy(csr.entries.data() + from, csr.entries.data() + to, columns_.get() + from);
      std::copy(csr.values.data() + from, csr.values.data() + to, values_.get() + from);
    });
    x_ = raw::allocate<double>(cols_ * k_);
    y_ = raw::allocate<double>(rows_ * k_);
    matrix_bytes = csr.bytes();
    stored_entries = csr.nnz();
  }

  void load(const HostMultivector& x, const HostMultivector& y) override {
    for_each_block(equal_rows(cols_, omp_get_max_threads()), [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t j = begin; j < end; ++j)
        for (std::int64_t c = 0; c < k_; ++c) x_[index(j, c, cols_)] = x(j, c);
    });
    for_each_block(blocks_, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i)
        for (std::int64_t c = 0; c < k_; ++c) y_[index(i, c, rows_)] = y(i, c);
    });
  }

  double run(double alpha, double beta) override {
    const double start = omp_get_wtime();
    if (layout_ == Layout::row) {
      multiply<true>({alpha, beta, k_, k_});
    } else {
      multiply<false>({alpha, beta, cols_, rows_});
    }
    return omp_get_wtime() - start;
  }

  void store(const HostMultivector& y) const override {
    for_each_block(blocks_, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i)
        for (std::int64_t c = 0; c < k_; ++c) y(i, c) = y_[index(i, c, rows_)];
    });
  }

 private:
  [[nodiscard]] std::int64_t index(std::int64_t row, std::int64_t column, std::int64_t rows) const {
    return layout_ == Layout::row ? row * k_ + column : column * rows + row;
  }

  template <bool row_layout>
  void multiply(const raw::Scaling& by) {
    const std::int32_t* __restrict const offsets = offsets_.get();
    const std::int32_t* __restrict const columns = columns_.get();
    const double* __restrict const values = values_.get();
    const double* __restrict const x = x_.get();
    double* __restrict const y = y_.get();
    raw::with_tile<row_layout>(k_, [=, this](const auto& tile) {
      for_each_block(blocks_, [=](std::int64_t begin, std::int64_t end) {
        for (std::int64_t i = begin; i < end; ++i) {
          const raw::Row row{columns + offsets[i], values + offsets[i], offsets[i + 1] - offsets[i]};
          tile(row, by, x, y + i * (row_layout ? by.y_stride : 1));
        }
      });
    });
  }

  std::int64_t rows_;
  std::int64_t cols_;
  std::int64_t k_;
  Layout layout_;
  Blocks blocks_;
  raw::Array<std::int32_t> offsets_;
  raw::Array<std::int32_t> columns_;
  raw::Array<double> values_;
  raw::Array<double> x_;
  raw::Array<double> y_;
};

}  // namespace

void add_raw_openmp_csr(Registry& registry) {
  for (const bool balanced : {false, true}) {
    registry.add({.name = "raw-openmp",
                  .backend = "openmp",
                  .format = "csr",
                  .parameters = {{"schedule", balanced ? "balanced" : "static"}},
                  .prepare = [balanced](const product::Case& task) { return std::make_unique<OpenMpCsr>(task, balanced); }});
  }
}

}  // namespace fatvec::bench
