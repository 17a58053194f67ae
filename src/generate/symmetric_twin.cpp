// SPDX-License-Identifier: Apache-2.0
#include <map>
#include <numeric>
#include <set>

#include <fatvec/core/error.hpp>
#include <fatvec/generate/row_lengths.hpp>
#include <fatvec/generate/symmetric_twin.hpp>

namespace fatvec::generate {
namespace {

/// Distances of a row's windows from the diagonal, in nodes; see Structure.
std::vector<std::int64_t> centres(Structure structure, std::int64_t nodes) {
  using enum Structure;
  const auto extent = static_cast<double>(nodes);
  if (structure == band) return {0};
  if (structure == grid3 || structure == mesh3) {
    const std::int64_t line = std::llround(std::cbrt(extent));
    const std::int64_t plane = line * line;
    return {0, line, plane - line, plane, plane + line};
  }
  return {0, std::llround(std::sqrt(extent))};
}

[[noreturn]] void refuse(const Twin& twin) {
  const LengthLaw& law = twin.lengths;
  throw UsageError(detail::concat("the symmetric twin of ", twin.name, " cannot have ", law.rows,
                                  " rows with ", law.nnz, " entries; choose another number of ",
                                  "rows."));
}

}  // namespace

SymmetricTwin::SymmetricTwin(const Twin& twin, std::uint64_t seed)
    : rows_(twin.lengths.rows), dofs_(twin.dofs), nodes_(rows_ / dofs_), seed_(seed) {
  const LengthLaw& law = twin.lengths;
  const std::int64_t diagonal = nodes_ * dofs_ * dofs_ + rows_ % dofs_;
  const std::int64_t odd = (law.nnz - diagonal) % 2 != 0 ? 1 : 0;
  if (odd == 1) without_diagonal_ = rows_ - 1;
  const std::int64_t pairs = (law.nnz - diagonal + odd) / 2;

  const std::int64_t block = dofs_ * dofs_;
  choose_offsets(twin,
                 std::max<std::int64_t>(1, std::min((law.max / dofs_ - 1) / 2, pairs / block / 2)));
  order_nodes(twin.structure);
  // The longest row may want single entries, for which there must be fewer edges.
  const auto most = static_cast<std::int64_t>(offsets_.size());
  for (std::int64_t reserve = 0;; reserve = 2 * reserve + law.max / 8 + 1) {
    const std::int64_t edges =
        std::clamp((pairs - reserve) / block, most, std::max(most, (nodes_ - 1) * most));
    deal_reaches(edges, law.deviation);
    const std::int64_t longest = longest_row();
    const std::int64_t left = pairs - edges * block;
    if (left >= law.max - blocks_length(longest)) {
      if (!add_singles(longest, law.max, left)) refuse(twin);
      return;
    }
    if (reserve > pairs) refuse(twin);
  }
}

/// Around each centre in turn, nearest first.
void SymmetricTwin::choose_offsets(const Twin& twin, std::int64_t count) {
  const std::int64_t largest = (nodes_ - 1) / 2;
  count = std::min(count, largest);
  std::set<std::int64_t> taken;
  const auto add = [&](std::int64_t offset) {
    if (static_cast<std::int64_t>(offsets_.size()) == count) return;
    if (offset > 0 && offset <= largest && taken.insert(offset).second) offsets_.push_back(offset);
  };
  for (std::int64_t n = 0; static_cast<std::int64_t>(offsets_.size()) < count; ++n)
    for (const std::int64_t centre : centres(twin.structure, nodes_))
      add(centre == 0 ? n + 1 : centre + (n % 2 == 0 ? n / 2 : -(n + 1) / 2));
}

/// By their distance from the edges of their line or plane.
void SymmetricTwin::order_nodes(Structure structure) {
  const std::int64_t period = std::max<std::int64_t>(2, centres(structure, nodes_).back());
  std::vector<std::int32_t> order(static_cast<std::size_t>(nodes_));
  std::iota(order.begin(), order.end(), 0);
  const auto inside = [&](std::int32_t node) {
    return std::min(node % period, period - 1 - node % period);
  };
  std::stable_sort(order.begin(), order.end(),
                   [&](std::int32_t a, std::int32_t b) { return inside(a) < inside(b); });
  rank_.resize(order.size());
  for (std::size_t n = 0; n < order.size(); ++n)
    rank_[static_cast<std::size_t>(order[n])] = static_cast<std::int32_t>(n);
}

/// A node's edges are those that it reaches out to and those that reach it: how much their number
/// spreads is known only when all are dealt, and a few rounds correct it.
void SymmetricTwin::deal_reaches(std::int64_t edges, double deviation) {
  const auto most = static_cast<std::int64_t>(offsets_.size());
  LengthLaw law{.rows = nodes_,
                .nnz = edges,
                .min = 0,
                .body_max = most,
                .max = most,
                .long_rows = 1,
                .long_end = most,
                .deviation = deviation / static_cast<double>(2 * dofs_)};
  reach_.resize(static_cast<std::size_t>(nodes_));
  const double mean = 1 + 2 * static_cast<double>(edges) / static_cast<double>(nodes_);
  for (int round = 0; round < 5; ++round) {
    const RowLengths reaches(law);
    for (std::size_t node = 0; node < reach_.size(); ++node)
      reach_[node] = static_cast<std::uint16_t>(reaches.at(rank_[node]));
    double squares = 0;
    for (std::int64_t node = 0; node < nodes_; ++node) {
      const std::int64_t blocks = blocks_length(node * dofs_) / dofs_;
      const double distance = static_cast<double>(blocks) - mean;
      squares += distance * distance;
    }
    const double found =
        static_cast<double>(dofs_) * std::sqrt(squares / static_cast<double>(nodes_));
    law.deviation *= std::clamp(deviation / found, 0.5, 2.0);
  }
}

std::int64_t SymmetricTwin::longest_row() const {
  std::int64_t row = 0;
  std::int64_t length = 0;
  for (std::int64_t node = 0; node < nodes_; ++node) {
    const std::int64_t found = blocks_length(node * dofs_);
    if (found <= length) continue;
    length = found;
    row = node * dofs_;
  }
  return row;
}

/// First the longest row's, then the others, which make no row longer than that. False where there
/// is no room for all.
bool SymmetricTwin::add_singles(std::int64_t longest_row, std::int64_t longest,
                                std::int64_t pairs) {
  std::map<std::int64_t, std::set<std::int64_t>> added;
  const auto free = [&](std::int64_t row) {
    const auto found = added.find(row);
    const auto already = found == added.end() ? 0 : static_cast<std::int64_t>(found->second.size());
    return blocks_length(row) + already < longest;
  };
  const auto connected = [&](std::int64_t a, std::int64_t b) {
    if (a == b || (added.contains(a) && added[a].contains(b))) return true;
    if (std::max(a, b) >= nodes_ * dofs_) return false;
    bool found = a / dofs_ == b / dofs_;
    for_each_neighbour(a / dofs_, [&](std::int64_t node) { found = found || node == b / dofs_; });
    return found;
  };
  const auto add = [&](std::int64_t a, std::int64_t b) {
    if (pairs == 0 || !free(a) || !free(b) || connected(a, b)) return;
    added[a].insert(b);
    added[b].insert(a);
    --pairs;
  };
  const auto row_after = [&](std::int64_t row, std::int64_t distance) {
    return (row + distance) % rows_;
  };
  for (std::int64_t n = 0; n < rows_ && free(longest_row); ++n)
    add(longest_row, row_after(longest_row, rows_ / 2 + n));
  for (std::int64_t distance = rows_ / 2; distance > 0 && pairs > 0; --distance)
    for (std::int64_t row = 0; row < rows_ && pairs > 0; ++row) add(row, row_after(row, distance));
  for (const auto& [row, columns] : added)
    for (const auto column : columns)
      singles_.emplace_back(static_cast<std::int32_t>(row), static_cast<std::int32_t>(column));
  return pairs == 0 && !free(longest_row);
}

}  // namespace fatvec::generate
