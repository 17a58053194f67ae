// SPDX-License-Identifier: Apache-2.0
#include "matrices.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include <fatvec/core/error.hpp>
#include <fatvec/generate/generate.hpp>

#include "zoo.hpp"

namespace fatvec::test {
namespace {

constexpr std::int64_t most_entries = 60'000;

/// The columns of each row.
struct Pattern {
  std::string kind;
  int cols = 0;
  std::vector<std::vector<int>> rows;
};

Pattern pattern_of(const std::string& kind, const ZooMatrix& csr) {
  Pattern pattern{kind, csr.cols(), {}};
  for (int i = 0; i < csr.rows(); ++i)
    pattern.rows.emplace_back(csr.entries.data() + csr.row_map(i),
                              csr.entries.data() + csr.row_map(i + 1));
  return pattern;
}

int extent(Random& random) {
  const double u = random.unit();
  if (u < 0.03) return 0;
  if (u < 0.10) return 1;
  if (u < 0.45) return static_cast<int>(random.between(2, 40));
  if (u < 0.80) return static_cast<int>(random.between(41, 300));
  return static_cast<int>(random.between(301, 2000));
}

Pattern empty(Random& random) {
  return {"empty", extent(random), std::vector<std::vector<int>>(extent(random))};
}

/// Entries per row that a matrix of these extents may have on average.
double random_mean(Random& random, const Pattern& pattern) {
  const double rows = std::max<double>(1, static_cast<double>(pattern.rows.size()));
  const double most = std::min<double>(pattern.cols, static_cast<double>(most_entries) / rows);
  return most * std::pow(random.unit(), 3);
}

/// Random columns, ascending, without duplicates.
std::vector<int> random_columns(Random& random, int cols, std::int64_t count) {
  std::vector<int> columns;
  for (std::int64_t n = 0; n < count && cols > 0; ++n)
    columns.push_back(static_cast<int>(random.between(0, cols - 1)));
  std::sort(columns.begin(), columns.end());
  columns.erase(std::unique(columns.begin(), columns.end()), columns.end());
  return columns;
}

Pattern uniform(Random& random) {
  Pattern pattern = empty(random);
  pattern.kind = "uniform";
  const auto most = static_cast<std::int64_t>(2 * random_mean(random, pattern)) + 1;
  for (auto& row : pattern.rows)
    row = random_columns(random, pattern.cols, random.between(0, most));
  return pattern;
}

Pattern power_law(Random& random) {
  Pattern pattern = empty(random);
  pattern.kind = "powerlaw";
  const double mean = random_mean(random, pattern) / 3;
  for (auto& row : pattern.rows) {
    const double length = mean * std::pow(random.unit() + 1e-6, -0.7);
    row = random_columns(random, pattern.cols,
                         static_cast<std::int64_t>(std::min<double>(length, 2 * pattern.cols)));
  }
  return pattern;
}

Pattern banded(Random& random) {
  Pattern pattern = empty(random);
  pattern.kind = "banded";
  const auto half = static_cast<std::int64_t>(random_mean(random, pattern) / 2);
  const std::int64_t shift = random.between(-half, half);
  for (std::size_t i = 0; i < pattern.rows.size(); ++i) {
    const std::int64_t middle = static_cast<std::int64_t>(i) + shift;
    for (std::int64_t j = std::max<std::int64_t>(0, middle - half);
         j <= std::min<std::int64_t>(middle + half, pattern.cols - 1); ++j)
      pattern.rows[i].push_back(static_cast<int>(j));
  }
  return pattern;
}

/// Blocks that are full, or nearly so, of a size that BSR may find; the last ones are cut off.
Pattern blocks(Random& random) {
  Pattern pattern = empty(random);
  const std::int64_t size = random.between(1, 9);
  pattern.kind = detail::concat("blocks of ", size);
  const double fill = random.chance(0.5) ? 1 : 0.8;
  const double mean = random_mean(random, pattern) / static_cast<double>(size);
  for (std::size_t first = 0; first < pattern.rows.size(); first += size) {
    const auto starts = random_columns(random, (pattern.cols + static_cast<int>(size) - 1) / size,
                                       random.between(0, static_cast<std::int64_t>(2 * mean) + 1));
    for (std::size_t i = first; i < std::min(first + size, pattern.rows.size()); ++i)
      for (const int start : starts)
        for (std::int64_t j = start * size;
             j < std::min<std::int64_t>((start + 1) * size, pattern.cols); ++j)
          if (random.chance(fill)) pattern.rows[i].push_back(static_cast<int>(j));
  }
  return pattern;
}

Pattern dense(Random& random) {
  Pattern pattern = empty(random);
  pattern.kind = "dense";
  const auto rows = static_cast<std::int64_t>(pattern.rows.size());
  if (rows > 0)
    pattern.cols = static_cast<int>(std::min<std::int64_t>(pattern.cols, most_entries / rows));
  for (auto& row : pattern.rows) {
    row.resize(pattern.cols);
    std::iota(row.begin(), row.end(), 0);
  }
  return pattern;
}

Pattern generated(Random& random) {
  const std::int64_t n = random.between(1, 12);
  const std::int64_t dof = random.between(1, 4);
  const std::array<std::string, 5> specs = {
      detail::concat("gen:stencil5:", 3 * n, "x", 2 * n + 1, ":dof=", dof),
      detail::concat("gen:stencil9:", 2 * n, ":dof=", dof),
      detail::concat("gen:stencil7:", n, ":dof=", dof),
      detail::concat("gen:stencil27:", (n + 1) / 2, ":dof=", dof),
      detail::concat("gen:arrow:", 100 * n)};
  const std::string spec = random.one_of(specs);
  return pattern_of(spec, generate::generate(generate::parse_spec(spec)));
}

Pattern from_zoo(Random& random) {
  const std::string name = random.one_of(zoo());
  return pattern_of(name, zoo_matrix(name));
}

/// What may befall any matrix.
void disturb(Random& random, Pattern& pattern) {
  auto& rows = pattern.rows;
  if (random.chance(0.15)) {
    pattern.kind += ", empty rows";
    const double share = random.unit();
    for (auto& row : rows)
      if (random.chance(share)) row.clear();
  }
  if (!rows.empty() && pattern.cols > 0 && random.chance(0.15)) {
    pattern.kind += ", a long row";
    auto& row = rows[random.between(0, static_cast<std::int64_t>(rows.size()) - 1)];
    row = random_columns(random, pattern.cols, 3 * std::int64_t{pattern.cols});
  }
  if (random.chance(0.15)) {
    pattern.kind += ", duplicates";
    for (auto& row : rows)
      for (std::size_t n = 0, length = row.size(); n < length; ++n)
        if (random.chance(0.2)) row.push_back(row[n]);
    for (auto& row : rows) std::sort(row.begin(), row.end());
  }
  if (random.chance(0.25)) {
    pattern.kind += ", unsorted";
    for (auto& row : rows)
      for (std::int64_t n = static_cast<std::int64_t>(row.size()) - 1; n > 0; --n)
        std::swap(row[n], row[random.between(0, n)]);
  }
}

void fill(Random& random, RandomMatrix& matrix, int widest) {
  const bool wide = random.chance(0.2);
  const double zeros = random.chance(0.2) ? 0.3 : 0;
  if (wide) matrix.kind += ", wide exponents";
  if (zeros > 0) matrix.kind += ", explicit zeros";
  for (auto& value : matrix.values)
    value = random.chance(zeros) ? 0 : random_value(random, wide, widest);
}

RandomMatrix with_values(Random& random, const Pattern& pattern, int widest) {
  RandomMatrix matrix;
  matrix.kind = pattern.kind;
  matrix.rows = static_cast<int>(pattern.rows.size());
  matrix.cols = pattern.cols;
  for (const auto& row : pattern.rows) {
    matrix.entries.insert(matrix.entries.end(), row.begin(), row.end());
    matrix.row_map.push_back(static_cast<std::int64_t>(matrix.entries.size()));
  }
  matrix.values.resize(matrix.entries.size());
  fill(random, matrix, widest);
  return matrix;
}

}  // namespace

std::complex<double> random_value(Random& random, bool wide, int widest) {
  const std::complex<double> value(random.symmetric(), random.symmetric());
  return wide ? value * std::ldexp(1.0, static_cast<int>(random.between(-widest, widest))) : value;
}

RandomMatrix random_matrix(Random& random, int widest) {
  constexpr std::array makers = {uniform, uniform,   power_law, power_law, banded, blocks,
                                 blocks,  generated, from_zoo,  dense,     empty};
  Pattern pattern = random.one_of(makers)(random);
  disturb(random, pattern);
  return with_values(random, pattern, widest);
}

RandomMatrix with_other_values(Random& random, const RandomMatrix& matrix, int widest) {
  RandomMatrix other = matrix;
  fill(random, other, widest);
  return other;
}

RandomMatrix with_other_pattern(Random& random, const RandomMatrix& matrix, int widest) {
  Pattern pattern{"other", matrix.cols, std::vector<std::vector<int>>(matrix.rows)};
  for (auto& row : pattern.rows) row = random_columns(random, pattern.cols, random.between(0, 9));
  return with_values(random, pattern, widest);
}

RandomMatrix applied(Op op, const RandomMatrix& a) {
  RandomMatrix result = a;
  if (op == Op::conjugate || op == Op::conjugate_transpose)
    for (auto& value : result.values) value = std::conj(value);
  if (!transposes(op)) return result;
  std::vector<std::vector<std::int64_t>> of_column(a.cols);
  std::vector<int> row_of(a.entries.size());
  for (int i = 0; i < a.rows; ++i)
    for (std::int64_t n = a.row_map[i]; n < a.row_map[i + 1]; ++n) {
      of_column[a.entries[n]].push_back(n);
      row_of[n] = i;
    }
  RandomMatrix transpose;
  transpose.kind = a.kind;
  transpose.rows = a.cols;
  transpose.cols = a.rows;
  for (const auto& column : of_column) {
    for (const std::int64_t n : column) {
      transpose.entries.push_back(row_of[n]);
      transpose.values.push_back(result.values[n]);
    }
    transpose.row_map.push_back(static_cast<std::int64_t>(transpose.entries.size()));
  }
  return transpose;
}

}  // namespace fatvec::test
