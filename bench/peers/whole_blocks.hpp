// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <memory>
#include <utility>

#include <fatvec/app/dispatch/product.hpp>
#include <fatvec/core/memory.hpp>
#include <fatvec/formats/bsr.hpp>

#include "harness/scalar.hpp"

namespace fatvec::bench::inline FATVEC_BENCH_IN {

inline auto leading_rows(const product::HostMultivector& all, std::size_t rows) {
  return Kokkos::subview(all, std::pair(std::size_t{0}, rows), Kokkos::ALL);
}

/// The product of a matrix that was padded to whole blocks: X and Y get rows of zeros behind their
/// last one, whose results are dropped.
class PaddedProduct final : public product::Product {
 public:
  /// `product` multiplies a matrix of rows × cols.
  PaddedProduct(std::unique_ptr<product::Product> product, std::int64_t rows, std::int64_t cols)
      : product_(std::move(product)), rows_(rows), cols_(cols) {
    setup_seconds = product_->setup_seconds;
    matrix_bytes = product_->matrix_bytes;
    stored_entries = product_->stored_entries;
  }

  void load(const product::HostMultivector& x, const product::HostMultivector& y) override {
    product_->load(padded(x, cols_), padded(y, rows_));
  }
  double run(double alpha, double beta) override { return product_->run(alpha, beta); }
  void store(const product::HostMultivector& y) const override {
    const auto all =
        product::allocate("fatvec::bench::padded", rows_, static_cast<std::int64_t>(y.extent(1)));
    product_->store(all);
    Kokkos::deep_copy(y, leading_rows(all, y.extent(0)));
  }

 private:
  static product::HostMultivector padded(const product::HostMultivector& from, std::int64_t rows) {
    const auto all =
        product::allocate("fatvec::bench::padded", rows, static_cast<std::int64_t>(from.extent(1)));
    Kokkos::deep_copy(all, 0.0);
    Kokkos::deep_copy(leading_rows(all, from.extent(0)), from);
    return all;
  }

  std::unique_ptr<product::Product> product_;
  std::int64_t rows_;
  std::int64_t cols_;
};

/// The task with empty rows and columns behind the matrix, up to whole blocks of `size`.
inline product::Case padded_to_blocks(product::Case task, std::int64_t size) {
  const product::HostCsr& csr = task.matrix;
  const auto whole = [size](std::int64_t count) {
    return detail::checked_count<std::int32_t>(
        static_cast<double>((count + size - 1) / size * size), "rows and columns in whole blocks");
  };
  const auto rows = static_cast<std::size_t>(csr.rows());
  const auto all = static_cast<std::size_t>(whole(csr.rows()));
  const Kokkos::DefaultHostExecutionSpace exec;
  const auto row_map =
      detail::allocate<product::HostCsr::Offsets>(exec, "fatvec::bench::row_map", all + 1);
  Kokkos::deep_copy(Kokkos::subview(row_map, std::pair(std::size_t{0}, rows + 1)), csr.row_map);
  Kokkos::deep_copy(Kokkos::subview(row_map, std::pair(rows + 1, all + 1)),
                    static_cast<std::int32_t>(csr.nnz()));
  task.matrix =
      product::HostCsr(static_cast<std::int32_t>(all), static_cast<std::int32_t>(whole(csr.cols())),
                       row_map, csr.entries, csr.values);
  return task;
}

/// make(task) for a library that takes a matrix of blocks for one of whole blocks, and reads X and
/// writes Y accordingly: where the last block is not whole it is padded. Without a block size the
/// one of fewest bytes, whose choice in ExecSpace counts as set-up.
template <class ExecSpace, class Make>
std::unique_ptr<product::Product> make_in_whole_blocks(product::Case task, const Make& make) {
  double seconds = 0;
  std::int64_t& size = task.options.block_size;
  if (size == 0) {
    using Bsr = BsrMatrix<Scalar, std::int32_t, ExecSpace, std::int32_t>;
    const ExecSpace exec;
    const auto csr = mirror<ExecSpace>(product::matrix_of<Scalar>(task));
    exec.fence("fatvec::bench::whole_blocks");
    const Kokkos::Timer timer;
    size = Bsr::choose_block_size(exec, csr);
    seconds = timer.seconds();
  }
  const std::int64_t rows = task.matrix.rows();
  const std::int64_t cols = task.matrix.cols();
  std::unique_ptr<product::Product> product;
  if (rows % size == 0 && cols % size == 0) {
    product = make(task);
  } else {
    const product::Case padded = padded_to_blocks(task, size);
    product =
        std::make_unique<PaddedProduct>(make(padded), padded.matrix.rows(), padded.matrix.cols());
  }
  product->setup_seconds += seconds;
  return product;
}

}  // namespace fatvec::bench::inline FATVEC_BENCH_IN
