// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <tuple>
#include <vector>

namespace fatvec::detail {

/// The graph of the pattern of A + Aᵀ, in a host's memory: the edges of vertex i are the columns of
/// row i of A, and of row i of Aᵀ where the pattern is not symmetric.
template <class Offset, class Ordinal>
struct PatternGraph {
  std::int64_t vertices;
  const Offset* row_map;
  const Ordinal* entries;
  const Offset* row_map_across = nullptr;  ///< of Aᵀ; nullptr: the pattern is symmetric
  const Ordinal* entries_across = nullptr;

  template <class Visit>
  void for_each_neighbour(std::int64_t v, const Visit& visit) const {
    for (Offset n = row_map[v]; n < row_map[v + 1]; ++n) visit(entries[n]);
    if (row_map_across == nullptr) return;
    for (Offset n = row_map_across[v]; n < row_map_across[v + 1]; ++n) visit(entries_across[n]);
  }
  /// Edges of a vertex; those of A and Aᵀ count twice where the pattern is not symmetric.
  [[nodiscard]] std::int64_t degree(std::int64_t v) const {
    std::int64_t edges = row_map[v + 1] - row_map[v];
    if (row_map_across != nullptr) edges += row_map_across[v + 1] - row_map_across[v];
    return edges;
  }
};

/// The order of Cuthill and McKee (1969): breadth-first, the neighbours of a vertex by ascending
/// degree; of each component from a vertex that is about as far as possible from another one
/// (George and Liu 1979).
template <class Offset, class Ordinal>
class CuthillMcKee {
 public:
  explicit CuthillMcKee(const PatternGraph<Offset, Ordinal>& graph)
      : graph_(graph),
        order_(static_cast<std::size_t>(graph.vertices)),
        seen_(static_cast<std::size_t>(graph.vertices), 0) {}

  /// The vertices in that order, component by component.
  std::vector<Ordinal> run() && {
    for (std::int64_t v = 0; v < graph_.vertices; ++v)
      if (seen_[static_cast<std::size_t>(v)] != placed) {
        const Levels levels = traverse(far_end(static_cast<Ordinal>(v)), placed, true);
        begin_ += levels.vertices;
      }
    return std::move(order_);
  }

 private:
  static constexpr std::uint32_t placed = std::numeric_limits<std::uint32_t>::max();
  static constexpr int most_traversals = 4;  ///< in search of a vertex to begin with

  /// Of a breadth-first traversal.
  struct Levels {
    std::int64_t depth = 0;
    std::int64_t vertices = 0;
    Ordinal end = 0;  ///< the vertex of the last level that has the fewest edges
  };

  /// Writes the component of `root` to order_ from begin_ on, and marks it.
  Levels traverse(Ordinal root, std::uint32_t mark, bool sorts) {
    Ordinal* const begin = order_.data() + begin_;
    Ordinal* end = begin;
    const auto add = [&](Ordinal v) {
      auto& seen = seen_[static_cast<std::size_t>(v)];
      if (seen == mark) return;
      seen = mark;
      *end++ = v;
    };
    const auto by_degree = [&](Ordinal v, Ordinal w) {
      return std::tuple(graph_.degree(v), v) < std::tuple(graph_.degree(w), w);
    };
    add(root);
    Levels levels;
    const Ordinal* level = begin;
    const Ordinal* at = begin;
    for (const Ordinal* level_end = end;; level_end = end, ++levels.depth) {
      for (; at < level_end; ++at) {
        Ordinal* const first = end;
        graph_.for_each_neighbour(*at, add);
        if (sorts) std::sort(first, end, by_degree);
      }
      if (end == level_end) break;
      level = level_end;
    }
    levels.vertices = end - begin;
    levels.end = *std::min_element(level, static_cast<const Ordinal*>(end), by_degree);
    return levels;
  }

  Ordinal far_end(Ordinal root) {
    Levels levels = traverse(root, ++mark_, false);
    for (int n = 1; n < most_traversals && levels.vertices > 1; ++n) {
      const Levels further = traverse(levels.end, ++mark_, false);
      const bool deeper = further.depth > levels.depth;
      if (deeper || n == 1) root = levels.end;
      if (!deeper) break;
      levels = further;
    }
    return root;
  }

  PatternGraph<Offset, Ordinal> graph_;
  std::vector<Ordinal> order_;
  std::vector<std::uint32_t> seen_;  ///< by which traversal
  std::uint32_t mark_ = 0;
  std::int64_t begin_ = 0;
};

}  // namespace fatvec::detail
