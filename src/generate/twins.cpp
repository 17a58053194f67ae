// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cctype>
#include <cmath>
#include <numeric>
#include <utility>
#include <vector>

#include <fatvec/core/error.hpp>
#include <fatvec/generate/twins.hpp>

namespace fatvec::generate {
namespace {

std::string lower_case(std::string_view text) {
  std::string lower(text);
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](unsigned char c) { return std::tolower(c); });
  return lower;
}

/// Levenshtein's distance: insertions, deletions and replacements that lead from a to b.
std::size_t edits(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i + 1);
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({row[j] + 1, diagonal + 1, replaced});
    }
  }
  return row.back();
}

bool similar(std::string_view wanted, std::string_view known) {
  const std::string a = lower_case(wanted);
  const std::string b = lower_case(known);
  return edits(a, b) <= 2 || (a.size() >= 3 && b.find(a) != std::string::npos);
}

}  // namespace

const Twin& find_twin(std::string_view name) {
  std::string close;
  for (const Twin& twin : twins()) {
    if (twin.name == name) return twin;
    if (similar(name, twin.name)) close += detail::concat(close.empty() ? "" : ", ", twin.name);
  }
  throw UsageError(detail::concat("there is no twin of \"", name, "\"",
                                  close.empty() ? "" : "; similar: ", close, ". Twins:\n",
                                  twin_names("  ")));
}

std::string twin_names(std::string_view indent) {
  std::string text;
  std::size_t width = 0;
  for (const Twin& twin : twins()) {
    if (width == 0 || width + 1 + twin.name.size() > 80) {
      text.append(text.empty() ? "" : "\n").append(indent);
      width = indent.size();
    } else {
      text += ' ';
      ++width;
    }
    text += twin.name;
    width += twin.name.size();
  }
  return text + "\n";
}

Twin scaled(const Twin& twin, std::int64_t rows) {
  if (rows == twin.lengths.rows) return twin;
  if (rows < 100)
    throw UsageError(detail::concat("a scaled twin has at least 100 rows, not ", rows, "."));
  const LengthLaw& full = twin.lengths;
  LengthLaw law = full;
  const auto ratio = static_cast<double>(rows) / static_cast<double>(full.rows);
  const auto times = [](std::int64_t number, double factor) {
    return static_cast<std::int64_t>(std::floor(static_cast<double>(number) * factor));
  };
  law.rows = rows;
  // No row is longer than the columns: with very few rows all lengths shrink.
  const std::int64_t widest = rows / twin.dofs * twin.dofs;
  const double shrink =
      std::min(1.0, static_cast<double>(widest) / static_cast<double>(full.body_max));
  law.min = std::max(times(full.min, shrink), std::min<std::int64_t>(full.min, 1));
  law.body_max = shrink < 1 ? widest : full.body_max;
  law.deviation = full.deviation * shrink;
  law.nnz = std::llround(static_cast<double>(full.nnz) * ratio * shrink);
  law.nnz =
      std::clamp(law.nnz, (rows - 1) * law.min + law.body_max, law.min + (rows - 1) * law.body_max);
  // The long rows keep their part of all columns or half the columns, but leave half of the entries
  // to the others.
  const std::int64_t spare = (law.nnz - rows * law.min) / 2;
  law.max = full.long_rows == 1 && full.max == full.body_max
                ? law.body_max
                : std::min({full.max, std::max(times(full.max, ratio), widest / 2),
                            std::max(spare, law.body_max)});
  if (twin.symmetry == Symmetry::symmetric && rows != widest) {  // the last rows make no block
    const std::int64_t blocks = (law.max / twin.dofs - 1) / 2 * 2 + 1;
    law.nnz = std::min(law.nnz, widest * blocks * twin.dofs + rows - widest);
  }
  law.body_max = std::min(law.body_max, law.max);
  law.long_rows = std::clamp<std::int64_t>(times(full.long_rows, ratio), 1,
                                           std::max<std::int64_t>(1, spare / law.max));
  law.long_end = std::clamp(full.long_end, law.body_max, law.max);

  Twin result = twin;
  result.lengths = law;
  if (twin.structure != Structure::band)
    result.reach = times(twin.reach, ratio);  // a band keeps its width
  return result;
}

}  // namespace fatvec::generate
