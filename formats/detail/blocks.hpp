// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Core.hpp>
#include <Kokkos_NestedSort.hpp>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include <fatvec/core/error.hpp>
#include <fatvec/formats/concepts.hpp>
#include <fatvec/formats/detail/row_access.hpp>
#include <fatvec/formats/detail/rows.hpp>

/// How a CSR matrix is cut into square blocks and put together again, a block row or a row per
/// work-item.
namespace fatvec::detail {

inline constexpr int max_block_size = 16;

constexpr std::int64_t blocks_along(std::int64_t extent, std::int64_t block_size) {
  return (extent + block_size - 1) / block_size;
}

/// Where the elements of the blocks lie in the array of values: element (r, c) of block n at
/// begin(n) + at(r, c).
struct BlockAccess {
  int size;  ///< rows and columns of a block
  int row_step;
  int column_step;

  KOKKOS_FUNCTION std::int64_t begin(std::int64_t n) const { return n * size * size; }
  KOKKOS_FUNCTION std::int64_t at(std::int64_t r, std::int64_t c) const {
    return r * row_step + c * column_step;
  }
};

/// Entries whose column is smaller than that of the entry before: all of them, or those that begin
/// a row.
template <class Csr>
struct CountFalls {
  struct All {};
  struct AtRows {};
  Csr csr;

  [[nodiscard]] KOKKOS_FUNCTION bool falls(std::int64_t n) const {
    return csr.entries(n) < csr.entries(n - 1);
  }
  KOKKOS_FUNCTION void operator()(All, std::int64_t n, std::int64_t& count) const {
    count += falls(n);
  }
  KOKKOS_FUNCTION void operator()(AtRows, std::int64_t i, std::int64_t& count) const {
    const std::int64_t n = csr.row_map(i);
    count += n > 0 && n < csr.row_map(i + 1) && falls(n);
  }
  template <class Which, class ExecSpace>
  std::int64_t over(const ExecSpace& exec, std::int64_t begin, std::int64_t end) const {
    using Policy = Kokkos::RangePolicy<ExecSpace, Kokkos::IndexType<std::int64_t>, Which>;
    std::int64_t count = 0;
    Kokkos::parallel_reduce("fatvec::count_falls", Policy(exec, begin, end), *this, count);
    return count;
  }
};

/// Sorts each row by its keys: not at all where they are in order, else by a network, so that
/// equal keys end in an order that all keys of the row fix.
template <class Offsets, class Keys, class Values>
struct SortRows {
  Offsets row_map;
  Keys keys;
  Values values;

  template <class Member>
  KOKKOS_FUNCTION void operator()(const Member& team) const {
    const std::int64_t begin = row_map(team.league_rank());
    const std::int64_t end = row_map(team.league_rank() + 1);
    std::int64_t falls = 0;
    Kokkos::parallel_reduce(
        Kokkos::TeamThreadRange(team, begin + 1, end),
        [&](std::int64_t n, std::int64_t& count) { count += keys(n) < keys(n - 1); }, falls);
    if (falls == 0) return;
    const auto row = Kokkos::make_pair(begin, end);
    Kokkos::Experimental::sort_by_key_team(team, Kokkos::subview(keys, row),
                                           Kokkos::subview(values, row));
  }
};

template <class ExecSpace, class Offsets, class Keys, class Values>
void sort_rows(const char* label, const ExecSpace& exec, const Offsets& row_map, const Keys& keys,
               const Values& values) {
  const std::int64_t count = static_cast<std::int64_t>(row_map.extent(0)) - 1;
  if (count > std::numeric_limits<int>::max())
    throw CapacityError(
        concat(label, ": ", count,
               " rows are more than can be sorted at once, 2^31 - 1; sort the entries of "
               "each row by column before."));
  const auto rows = static_cast<int>(count);
  Kokkos::parallel_for(label, Kokkos::TeamPolicy<ExecSpace>(exec, rows, Kokkos::AUTO),
                       SortRows<Offsets, Keys, Values>{row_map, keys, values});
}

/// The matrix itself where its rows are sorted by column, as they usually are; else a copy of it
/// with sorted rows.
template <class ExecSpace, class Csr>
Csr sorted_by_column(const ExecSpace& exec, const Csr& csr) {
  using Falls = CountFalls<Csr>;
  const Falls falls{csr};
  if (csr.nnz() < 2 || falls.template over<typename Falls::All>(exec, 1, csr.nnz()) ==
                           falls.template over<typename Falls::AtRows>(exec, 0, csr.rows()))
    return csr;
  const auto nnz = static_cast<std::size_t>(csr.nnz());
  const Csr copy(csr.rows(), csr.cols(), csr.row_map,
                 allocate<typename Csr::Ordinals>(exec, "fatvec::csr::entries", nnz),
                 allocate<typename Csr::Scalars>(exec, "fatvec::csr::values", nnz));
  Kokkos::deep_copy(exec, copy.entries, csr.entries);
  Kokkos::deep_copy(exec, copy.values, csr.values);
  sort_rows("fatvec::sort_rows", exec, copy.row_map, copy.entries, copy.values);
  return copy;
}

template <class Csr>
struct CountDuplicates {
  Csr csr;

  KOKKOS_FUNCTION void operator()(std::int64_t i, std::int64_t& count) const {
    for (std::int64_t n = std::int64_t{csr.row_map(i)} + 1; n < csr.row_map(i + 1); ++n)
      count += csr.entries(n - 1) == csr.entries(n);
  }
};

/// Entries of a place that another one has, too.
template <class ExecSpace, class Csr>
std::int64_t duplicates_of(const ExecSpace& exec, const Csr& csr) {
  std::int64_t count = 0;
  Kokkos::parallel_reduce("fatvec::duplicates", Range<ExecSpace>(exec, 0, csr.rows()),
                          CountDuplicates<Csr>{sorted_by_column(exec, csr)}, count);
  return count;
}

/// The blocks that hold an entry, a block row at a time; rows sorted by column. Scanned for the
/// offsets, listed for the block columns.
template <class Csr>
struct OccupiedBlocks {
  typename Csr::ConstOffsets row_map;
  typename Csr::Ordinals entries;
  std::int64_t rows;
  std::int64_t block_size;

  /// visit(block column) for each of them in block row i, ascending: merges the rows.
  template <class Visit>
  KOKKOS_FUNCTION void for_each(std::int64_t i, const Visit& visit) const {
    const std::int64_t first = i * block_size;
    const std::int64_t count = first + block_size < rows ? block_size : rows - first;
    std::int64_t next[max_block_size];  // of each row, the first entry behind the blocks visited
    for (std::int64_t r = 0; r < count; ++r) next[r] = row_map(first + r);
    for (;;) {
      std::int64_t leftmost = INT64_MAX;
      for (std::int64_t r = 0; r < count; ++r) {
        if (next[r] < row_map(first + r + 1) && entries(next[r]) < leftmost)
          leftmost = entries(next[r]);
      }
      if (leftmost == INT64_MAX) return;
      const std::int64_t block = leftmost / block_size;
      visit(block);
      const std::int64_t end = (block + 1) * block_size;
      for (std::int64_t r = 0; r < count; ++r)
        while (next[r] < row_map(first + r + 1) && entries(next[r]) < end) ++next[r];
    }
  }

  KOKKOS_FUNCTION std::int64_t operator()(std::int64_t i) const {
    std::int64_t count = 0;
    for_each(i, [&](std::int64_t) { ++count; });
    return count;
  }
};

/// Counts the blocks that hold an entry. Of all entries: by their first ones, those of a row in
/// whose block no earlier row of the block row has one. Of a sample: each entry stands for its
/// share of its block, one of all that are there, so that full blocks are told exactly. A work-item
/// has a run of entries, so that long rows are shared out, too, and one of some sizes of blocks;
/// one of each `period` runs is taken, drawn (1: all). Rows sorted by column.
template <class Csr>
struct CountBlocks {
  using Ordinal = typename Csr::ordinal_type;
  using value_type = double[];  ///< the blocks of each size; Kokkos' names
  using size_type = unsigned;
  typename Csr::ConstOffsets row_map;
  typename Csr::Ordinals entries;
  std::int64_t rows;
  std::int64_t nnz;
  Ordinal first_size;
  unsigned value_count;  ///< sizes: first_size, first_size + 1, ...
  std::int64_t run;
  std::int64_t together;  ///< neighbouring work-items that have the same size
  std::int64_t period;

  template <class ExecSpace>
  static CountBlocks of(const Csr& csr, int first_size, int sizes, std::int64_t period) {
    return {csr.row_map,
            csr.entries,
            csr.rows(),
            csr.nnz(),
            static_cast<Ordinal>(first_size),
            static_cast<unsigned>(sizes),
            is_host<ExecSpace> && period == 1 ? 256 : 8,
            is_host<ExecSpace> ? 1 : 32,
            period};
  }
  /// Runs that are taken.
  [[nodiscard]] KOKKOS_FUNCTION std::int64_t runs() const {
    return (nnz + run * period - 1) / (run * period);
  }
  /// Work-items: of `together` runs each size, before the next runs.
  [[nodiscard]] std::int64_t items() const {
    return (runs() + together - 1) / together * together * value_count;
  }
  /// Entries of the runs that are taken.
  [[nodiscard]] std::int64_t sample() const {
    if (nnz == 0) return 0;
    const std::int64_t last = begin(runs() - 1);
    return (runs() - 1) * run + (nnz - last < run ? nnz - last : run);
  }
  /// The first entry of a run.
  [[nodiscard]] KOKKOS_FUNCTION std::int64_t begin(std::int64_t n) const {
    const std::int64_t first = n * period;
    const std::int64_t rest = (nnz + run - 1) / run - first;
    return (first + hashed(n) % (rest < period ? rest : period)) * run;
  }

  KOKKOS_FUNCTION void operator()(std::int64_t item, value_type sums) const {
    const std::int64_t group = item / together;
    const std::int64_t n = group / value_count * together + item % together;
    const auto size = static_cast<Ordinal>(group % value_count);
    if (n < runs()) sums[size] += of_run(n, first_size + size);
  }

 private:
  [[nodiscard]] KOKKOS_FUNCTION double of_run(std::int64_t run_index, Ordinal block_size) const {
    std::int64_t n = begin(run_index);
    const std::int64_t end = n + run < nnz ? n + run : nnz;
    double blocks = 0;
    for (std::int64_t i = -1; n < end;) {
      // The next row that has an entry: mostly the next one.
      if (++i == 0 || row_map(i + 1) == n)
        i = first_where(i, rows, [&](std::int64_t row) { return row_map(row + 1) > n; });
      const std::int64_t last = row_map(i + 1) < end ? row_map(i + 1) : end;
      blocks += of_row(i, n, last, block_size);
      n = last;
    }
    return blocks;
  }
  /// The first entry of [begin, end) whose column is not less: mostly a near one.
  [[nodiscard]] KOKKOS_FUNCTION std::int64_t seek(std::int64_t begin, std::int64_t end,
                                                  std::int64_t column) const {
    constexpr std::int64_t near = 8;
    const std::int64_t close = end - begin < near ? end : begin + near;
    for (; begin < close; ++begin)
      if (entries(begin) >= column) return begin;
    return first_where(begin, end, [&](std::int64_t m) { return entries(m) >= column; });
  }
  /// Of row i's entries begin, ..., end - 1.
  [[nodiscard]] KOKKOS_FUNCTION double of_row(std::int64_t i, std::int64_t begin, std::int64_t end,
                                              Ordinal block_size) const {
    const std::int64_t first = i / block_size * block_size;
    const std::int64_t behind = first + block_size < rows ? first + block_size : rows;
    std::int64_t next[max_block_size];  // of each row, the first entry that may matter
    for (std::int64_t r = first; r < behind; ++r) next[r - first] = row_map(r);
    /// Entries of row r in the block that begins at a column.
    const auto in_block = [&](std::int64_t r, std::int64_t column) {
      auto& m = next[r - first];
      m = seek(m, row_map(r + 1), column);
      const std::int64_t from = m;
      while (m < row_map(r + 1) && entries(m) < column + block_size) ++m;
      return m - from;
    };
    double blocks = 0;
    for (std::int64_t n = begin; n < end;) {
      const std::int64_t column = std::int64_t{entries(n)} / block_size * block_size;
      const std::int64_t from = n;
      while (n < end && entries(n) < column + block_size) ++n;
      if (period == 1) {
        bool is_first = from == row_map(i) || entries(from - 1) < column;
        for (std::int64_t r = i - 1; r >= first && is_first; --r)
          is_first = in_block(r, column) == 0;
        blocks += is_first;
      } else {
        std::int64_t all = 0;
        for (std::int64_t r = first; r < behind; ++r) all += in_block(r, column);
        blocks += static_cast<double>(n - from) / static_cast<double>(all);
      }
    }
    return blocks;
  }
};

/// The blocks of `sizes` sizes from first_size on that hold an entry: counted, or with a period
/// beyond 1 told from a sample of the entries. One launch for all sizes.
template <class ExecSpace, class Csr>
std::vector<double> count_blocks(const ExecSpace& exec, const Csr& sorted, int first_size,
                                 int sizes, std::int64_t period) {
  std::vector<double> blocks(sizes);
  const auto count = CountBlocks<Csr>::template of<ExecSpace>(sorted, first_size, sizes, period);
  Kokkos::parallel_reduce(
      "fatvec::count_blocks", Range<ExecSpace>(exec, 0, count.items()), count,
      Kokkos::View<double*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>(blocks.data(), sizes));
  exec.fence("fatvec::count_blocks");
  if (count.sample() < sorted.nnz())
    for (double& n : blocks)
      n *= static_cast<double>(sorted.nnz()) / static_cast<double>(count.sample());
  return blocks;
}

template <class Csr>
struct StoreCounts {
  OccupiedBlocks<Csr> occupied;
  typename Csr::Offsets counts;

  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    counts(i) = static_cast<typename Csr::offset_type>(occupied(i));
  }
};

/// Writes the block columns of a block row behind its offset.
template <class Csr>
struct ListBlocks {
  OccupiedBlocks<Csr> occupied;
  typename Csr::ConstOffsets block_row_map;
  typename Csr::Ordinals block_columns;

  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    std::int64_t n = block_row_map(i);
    occupied.for_each(i, [&](std::int64_t block) {
      block_columns(n++) = static_cast<typename Csr::ordinal_type>(block);
    });
  }
};

/// The arrays of a matrix of blocks, whatever the layout within a block.
template <class Csr>
struct StoredBlocks {
  typename Csr::Offsets row_map;
  typename Csr::Ordinals entries;
  typename Csr::Scalars values;
  BlockAccess block;
  std::int64_t cols;

  KOKKOS_FUNCTION static std::int64_t row(std::int64_t i) { return i; }
  /// Elements of row i that its blocks store: all but those behind the matrix's last column, which
  /// only the last block can have.
  KOKKOS_FUNCTION std::int64_t length(std::int64_t i) const {
    const std::int64_t first = row_map(i / block.size);
    const std::int64_t last = row_map(i / block.size + 1);
    if (first == last) return 0;
    const std::int64_t end = (entries(last - 1) + std::int64_t{1}) * block.size;
    return (last - first) * block.size - (end > cols ? end - cols : 0);
  }
};

/// Adds the entries of the rows, sorted by column, to their blocks, which hold zeros. Duplicates
/// are summed by one work-item, whose run the first of them is in.
template <class Csr>
struct FillBlocks {
  Csr csr;
  StoredBlocks<Csr> bsr;
  RowParts parts;

  KOKKOS_FUNCTION void operator()(std::int64_t n) const {
    const BlockAccess& block = bsr.block;
    const auto length = [&](std::int64_t i) { return csr.row_map(i + 1) - csr.row_map(i); };
    parts.for_each_run(n, length, [&](std::int64_t i, std::int64_t first, std::int64_t last) {
      const std::int64_t begin = csr.row_map(i);
      const std::int64_t end = csr.row_map(i + 1);
      const auto repeats = [&](std::int64_t m) {
        return m > begin && csr.entries(m) == csr.entries(m - 1);
      };
      std::int64_t m = begin + first;
      while (m < begin + last && repeats(m)) ++m;
      if (m == begin + last) return;
      const std::int64_t block_row = i / block.size;
      std::int64_t at = first_block(block_row, csr.entries(m));
      for (; m < begin + last || (m < end && repeats(m)); ++m) {
        const std::int64_t column = csr.entries(m);
        while ((bsr.entries(at) + std::int64_t{1}) * block.size <= column) ++at;
        const std::int64_t within = column - std::int64_t{bsr.entries(at)} * block.size;
        bsr.values(block.begin(at) + block.at(i - block_row * block.size, within)) += csr.values(m);
      }
    });
  }

  /// The first block of a block row that ends behind the column.
  [[nodiscard]] KOKKOS_FUNCTION std::int64_t first_block(std::int64_t block_row,
                                                         std::int64_t column) const {
    return first_where(bsr.row_map(block_row), bsr.row_map(block_row + 1), [&](std::int64_t n) {
      return (bsr.entries(n) + std::int64_t{1}) * bsr.block.size > column;
    });
  }
};

/// The inverse of FillBlocks: row i with everything that its blocks store.
template <class Csr>
struct DrainBlocks {
  Csr csr;
  StoredBlocks<Csr> bsr;

  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    const BlockAccess& block = bsr.block;
    const std::int64_t block_row = i / block.size;
    std::int64_t m = csr.row_map(i);
    for (std::int64_t n = bsr.row_map(block_row); n < bsr.row_map(block_row + 1); ++n) {
      for (std::int64_t c = 0; c < block.size && m < csr.row_map(i + 1); ++c, ++m) {
        csr.entries(m) =
            static_cast<typename Csr::ordinal_type>(std::int64_t{bsr.entries(n)} * block.size + c);
        csr.values(m) = bsr.values(block.begin(n) + block.at(i - block_row * block.size, c));
      }
    }
  }
};

}  // namespace fatvec::detail
