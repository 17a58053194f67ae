// SPDX-License-Identifier: Apache-2.0
// What the programs of this folder share: the matrix, X, the timer and the check, each as
// fatvec-bench has them, and without a line of fatvec.
#pragma once

#include <mpi.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

namespace peers {

/// PROGRAM NX NY NZ REPETITIONS BATCH K...: the grid of all ranks together.
struct Arguments {
  std::int64_t nx, ny, nz;
  int repetitions;  ///< timed, after two that are not
  int batch;        ///< products in a repetition
  std::vector<int> columns;

  Arguments(int argc, char** argv) {
    std::vector<long> numbers;
    for (int n = 1; n < argc; ++n) numbers.push_back(std::strtol(argv[n], nullptr, 10));
    if (numbers.size() < 6 || *std::min_element(numbers.begin(), numbers.end()) < 1) {
      std::fprintf(stderr, "usage: %s NX NY NZ REPETITIONS BATCH K...\n", argv[0]);
      std::exit(2);
    }
    nx = numbers[0], ny = numbers[1], nz = numbers[2];
    repetitions = static_cast<int>(numbers[3]), batch = static_cast<int>(numbers[4]);
    columns.assign(numbers.begin() + 5, numbers.end());
  }

  [[nodiscard]] std::int64_t rows() const { return nx * ny * nz; }

  /// Calls entry(column, value) for each entry of a row of the 27-point stencil, in order.
  template <class Entry>
  void visit_row(std::int64_t row, const Entry& entry) const {
    const std::int64_t x = row % nx, y = row / nx % ny, z = row / nx / ny;
    for (std::int64_t w = std::max<std::int64_t>(z - 1, 0); w <= std::min(z + 1, nz - 1); ++w)
      for (std::int64_t v = std::max<std::int64_t>(y - 1, 0); v <= std::min(y + 1, ny - 1); ++v)
        for (std::int64_t u = std::max<std::int64_t>(x - 1, 0); u <= std::min(x + 1, nx - 1); ++u) {
          const std::int64_t column = (w * ny + v) * nx + u;
          entry(column, column == row ? 26.0 : -1.0);
        }
  }
};

/// An element of X: quarters, so that sums in any order are exact.
inline double x_value(std::int64_t row, std::int64_t column) {
  return 0.25 + 0.5 * static_cast<double>((row * 7 + column * 13) % 11);
}

/// This rank's rows: as even as they go, the first ranks have one more.
struct Rows {
  int rank = 0, ranks = 1;
  std::int64_t begin, end;

  explicit Rows(std::int64_t rows) {
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    const auto offset = [&](std::int64_t part) {
      return part * (rows / ranks) + std::min(part, rows % ranks);
    };
    begin = offset(rank), end = offset(rank + 1);
  }
  [[nodiscard]] std::int64_t count() const { return end - begin; }
};

/// Seconds of one product: the median over repetitions of the slowest rank's mean over a batch.
template <class Product>
double seconds_of(const Arguments& arguments, const Product& product) {
  std::vector<double> seconds;
  for (int repetition = -2; repetition < arguments.repetitions; ++repetition) {
    MPI_Barrier(MPI_COMM_WORLD);
    const auto begin = std::chrono::steady_clock::now();
    for (int n = 0; n < arguments.batch; ++n) product();
    const std::chrono::duration<double> mine = std::chrono::steady_clock::now() - begin;
    double slowest = mine.count() / arguments.batch;
    MPI_Allreduce(MPI_IN_PLACE, &slowest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    if (repetition >= 0) seconds.push_back(slowest);
  }
  std::nth_element(seconds.begin(), seconds.begin() + seconds.size() / 2, seconds.end());
  return seconds[seconds.size() / 2];
}

/// Whether each element y(row, column) of this rank's rows is exactly A · X, on all ranks.
template <class Y>
bool verified(const Arguments& arguments, const Rows& rows, int k, const Y& y) {
  int right = 1;
  for (std::int64_t row = rows.begin; row < rows.end; ++row) {
    for (int c = 0; c < k; ++c) {
      double sum = 0;
      arguments.visit_row(
          row, [&](std::int64_t column, double value) { sum += value * x_value(column, c); });
      if (y(row - rows.begin, c) != sum) right = 0;
    }
  }
  MPI_Allreduce(MPI_IN_PLACE, &right, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  return right == 1;
}

/// Measures product(), checks what y(row of this rank, column) then gives, prints a line of CSV.
/// Returns whether Y was right.
template <class Product, class Y>
bool report(const std::string& version, const Arguments& arguments, const Rows& rows, int k,
            const Product& product, const Y& y) {
  const double seconds = seconds_of(arguments, product);
  const bool right = verified(arguments, rows, k, y);
  if (rows.rank == 0)
    std::printf("%s,%lld,%d,%d,%.6g,%s\n", version.c_str(),
                static_cast<long long>(arguments.rows()), rows.ranks, k, seconds,
                right ? "right" : "WRONG");
  return right;
}

}  // namespace peers
