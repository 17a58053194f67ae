// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Core.hpp>
#include <Kokkos_Profiling_ScopedRegion.hpp>
#include <cmath>
#include <cstdint>

#include <fatvec/formats/csr.hpp>
#include <fatvec/statistics/detail/entry_blocks.hpp>

namespace fatvec {

/// What the structure of a matrix says about its product. All zero for a matrix without rows.
struct RowStatistics {
  std::int64_t rows = 0;
  std::int64_t cols = 0;
  std::int64_t nnz = 0;  ///< stored entries, explicit zeros included

  std::int64_t min = 0;           ///< entries in the shortest row
  std::int64_t max = 0;           ///< entries in the longest row
  double mean = 0;                ///< nnz / rows
  double median = 0;              ///< exact; the mean of the middle two for an even number of rows
  double standard_deviation = 0;  ///< of the entries per row, over all rows (not a sample)
  double average_deviation = 0;   ///< mean of |entries of the row - mean|
  double percent_average_deviation =
      0;  ///< 100 · average_deviation / mean: Fraga 2018, "PercentAvgDev"
  std::int64_t empty_rows = 0;

  std::int64_t lower_bandwidth = 0;  ///< largest row - column, at least 0
  std::int64_t upper_bandwidth = 0;  ///< largest column - row, at least 0
  std::int64_t columns_touched =
      0;  ///< columns with at least one entry: the rows of X that a product reads
  std::int64_t explicit_zeros = 0;  ///< stored entries of value 0
};

namespace detail {

template <class RowMap>
struct RowLengths {
  RowMap row_map;

  KOKKOS_FUNCTION std::int64_t length(std::int64_t row) const {
    return static_cast<std::int64_t>(row_map(row + 1)) - static_cast<std::int64_t>(row_map(row));
  }
};

template <class RowMap>
struct LengthExtremes : RowLengths<RowMap> {
  KOKKOS_FUNCTION void operator()(std::int64_t row, std::int64_t& min, std::int64_t& max,
                                  std::int64_t& empty) const {
    const std::int64_t length = this->length(row);
    min = Kokkos::min(min, length);
    max = Kokkos::max(max, length);
    empty += length == 0;
  }
};

template <class RowMap>
struct LengthDeviations : RowLengths<RowMap> {
  double mean;

  KOKKOS_FUNCTION void operator()(std::int64_t row, double& absolute, double& squared) const {
    const double deviation = static_cast<double>(this->length(row)) - mean;
    absolute += Kokkos::abs(deviation);
    squared += deviation * deviation;
  }
};

template <class RowMap>
struct CountRowsUpTo : RowLengths<RowMap> {
  std::int64_t bound;

  KOKKOS_FUNCTION void operator()(std::int64_t row, std::int64_t& count) const {
    count += this->length(row) <= bound;
  }
};

template <class Csr>
struct EntryStatistics {
  Csr csr;
  EntryBlocks<typename Csr::ConstOffsets> blocks;
  Kokkos::View<int*, typename Csr::device_type> touched;  ///< per column: 1 where an entry is

  KOKKOS_FUNCTION void operator()(std::int64_t block, std::int64_t& lower, std::int64_t& upper,
                                  std::int64_t& zeros) const {
    blocks.for_each_entry(block, [&](std::int64_t row, std::int64_t n) {
      const auto column = static_cast<std::int64_t>(csr.entries(n));
      lower = Kokkos::max(lower, row - column);
      upper = Kokkos::max(upper, column - row);
      zeros += csr.values(n) == typename Csr::value_type(0);
      if (Kokkos::atomic_load(&touched(column)) == 0) Kokkos::atomic_store(&touched(column), 1);
    });
  }
};

template <class Flags>
struct SumFlags {
  Flags flags;

  KOKKOS_FUNCTION void operator()(std::int64_t n, std::int64_t& sum) const { sum += flags(n); }
};

/// The length of the row of the given rank (from 0) were the rows sorted by length. Bisects on the
/// length, a reduction per step: a histogram needs max + 1 bins and, for the usual near-regular
/// matrix, has all threads on one of them.
template <class Policy, class RowMap>
std::int64_t length_of_rank(const Policy& policy, const RowMap& row_map, std::int64_t rank,
                            std::int64_t min, std::int64_t max) {
  while (min < max) {
    const std::int64_t middle = min + (max - min) / 2;
    std::int64_t count = 0;
    Kokkos::parallel_reduce("fatvec::row_statistics::median", policy,
                            CountRowsUpTo<RowMap>{{row_map}, middle}, count);
    if (count > rank) {
      max = middle;
    } else {
      min = middle + 1;
    }
  }
  return min;
}

template <class Policy, class RowMap>
void add_length_statistics(const Policy& policy, const RowMap& row_map, RowStatistics& result) {
  Kokkos::parallel_reduce("fatvec::row_statistics::extremes", policy,
                          LengthExtremes<RowMap>{{row_map}}, Kokkos::Min<std::int64_t>(result.min),
                          Kokkos::Max<std::int64_t>(result.max),
                          Kokkos::Sum<std::int64_t>(result.empty_rows));
  const auto rows = static_cast<double>(result.rows);
  result.mean = static_cast<double>(result.nnz) / rows;
  double absolute = 0;
  double squared = 0;
  Kokkos::parallel_reduce("fatvec::row_statistics::deviations", policy,
                          LengthDeviations<RowMap>{{row_map}, result.mean},
                          Kokkos::Sum<double>(absolute), Kokkos::Sum<double>(squared));
  result.standard_deviation = std::sqrt(squared / rows);
  result.average_deviation = absolute / rows;
  if (result.mean > 0)
    result.percent_average_deviation = 100 * result.average_deviation / result.mean;

  const std::int64_t lower =
      length_of_rank(policy, row_map, (result.rows - 1) / 2, result.min, result.max);
  const std::int64_t upper = length_of_rank(policy, row_map, result.rows / 2, lower, result.max);
  result.median = (static_cast<double>(lower) + static_cast<double>(upper)) / 2;
}

template <class ExecSpace, class Csr>
void add_entry_statistics(const ExecSpace& exec, const Csr& csr, RowStatistics& result) {
  using Policy = Kokkos::RangePolicy<ExecSpace, Kokkos::IndexType<std::int64_t>>;
  using Touched = Kokkos::View<int*, typename Csr::device_type>;
  const auto touched =
      allocate_zeros<Touched>(exec, "fatvec::row_statistics::touched", result.cols);
  const EntryBlocks blocks(csr.row_map, result.nnz);
  std::int64_t lower = 0;
  std::int64_t upper = 0;
  Kokkos::parallel_reduce("fatvec::row_statistics::entries", Policy(exec, 0, blocks.count()),
                          EntryStatistics<Csr>{csr, blocks, touched},
                          Kokkos::Max<std::int64_t>(lower), Kokkos::Max<std::int64_t>(upper),
                          Kokkos::Sum<std::int64_t>(result.explicit_zeros));
  Kokkos::parallel_reduce("fatvec::row_statistics::columns", Policy(exec, 0, result.cols),
                          SumFlags<Touched>{touched}, result.columns_touched);
  result.lower_bandwidth = Kokkos::max<std::int64_t>(lower, 0);
  result.upper_bandwidth = Kokkos::max<std::int64_t>(upper, 0);
}

}  // namespace detail

/// Analyses the matrix where it lives, in parallel; rows need not be sorted. Blocks until the
/// result is there. Allocates 4 bytes per column. exec: an instance of an execution space that can
/// access the matrix.
template <class ExecSpace, class Scalar, class Ordinal, class Device, class Offset>
RowStatistics row_statistics(const ExecSpace& exec,
                             const CsrMatrix<Scalar, Ordinal, Device, Offset>& csr) {
  const Kokkos::Profiling::ScopedRegion region("fatvec::row_statistics");
  using Policy = Kokkos::RangePolicy<ExecSpace, Kokkos::IndexType<std::int64_t>>;
  RowStatistics result;
  result.rows = csr.rows();
  result.cols = csr.cols();
  result.nnz = csr.nnz();
  if (result.rows > 0)
    detail::add_length_statistics(Policy(exec, 0, result.rows), csr.row_map, result);
  if (result.nnz > 0) detail::add_entry_statistics(exec, csr, result);
  return result;
}

/// The same on the default instance of the matrix's execution space.
template <class Scalar, class Ordinal, class Device, class Offset>
RowStatistics row_statistics(const CsrMatrix<Scalar, Ordinal, Device, Offset>& csr) {
  return row_statistics(typename CsrMatrix<Scalar, Ordinal, Device, Offset>::execution_space(),
                        csr);
}

}  // namespace fatvec
