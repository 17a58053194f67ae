// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include <fatvec/generate/build.hpp>
#include <fatvec/generate/random.hpp>
#include <fatvec/generate/twins.hpp>

namespace fatvec::generate {

/// The matrix that a symmetric Twin describes, in pattern and values. A Kind: every row can be
/// computed alone, from a table of one number per node.
///
/// Nodes of `dofs` unknowns are the vertices of a graph. Node g has edges to g + offset(m) for
/// m = 0 ... reach(g) - 1, around the end of the matrix. Reaches are short at the edges of each
/// line or plane of the mesh and long inside. An edge is a dense block and its transpose. What
/// blocks cannot meet exactly, single entries do: the longest row, the last entries of all, rows
/// that dofs does not divide.
class SymmetricTwin {
 public:
  SymmetricTwin(const Twin& twin, std::uint64_t seed);

  [[nodiscard]] std::int32_t rows() const { return static_cast<std::int32_t>(rows_); }
  [[nodiscard]] std::int32_t cols() const { return rows(); }

  [[nodiscard]] std::int64_t row_length(std::int64_t row) const {
    const auto [first, last] = singles(row);
    return blocks_length(row) + (last - first);
  }

  void fill_row(std::int64_t row, std::int32_t* columns, double* values) const {
    std::int32_t* const to = columns;
    std::vector<std::int32_t> whole;  // with the diagonal, for which `columns` has no room
    if (row == without_diagonal_) {
      whole.resize(static_cast<std::size_t>(row_length(row)) + 1);
      columns = whole.data();
    }
    std::int32_t* end = columns;
    if (row < nodes_ * dofs_) {
      const std::int64_t node = row / dofs_;
      *end++ = static_cast<std::int32_t>(node);
      for_each_neighbour(node,
                         [&](std::int64_t other) { *end++ = static_cast<std::int32_t>(other); });
      std::sort(columns, end);
      for (std::int64_t n = end - columns - 1; n >= 0; --n) {  // from nodes to their columns
        const auto first = static_cast<std::int32_t>(columns[n] * dofs_);
        for (std::int64_t dof = 0; dof < dofs_; ++dof)
          columns[n * dofs_ + dof] = first + static_cast<std::int32_t>(dof);
      }
      end = columns + (end - columns) * dofs_;
    } else {
      *end++ = static_cast<std::int32_t>(row);
    }
    if (row == without_diagonal_) end = std::remove(columns, end, static_cast<std::int32_t>(row));
    std::int32_t* const middle = end;
    for (auto [single, last] = singles(row); single != last; ++single) *end++ = single->second;
    std::inplace_merge(columns, middle, end);
    for (std::int64_t n = 0; n < end - columns; ++n) {
      const std::int64_t column = columns[n];
      const RowRandom random(seed_, Purpose::values, std::min(row, column));
      values[n] = 2 * random.unit(std::max(row, column)) - 1;
    }
    if (!whole.empty()) std::copy(columns, end, to);
  }

 private:
  using Single = std::pair<std::int32_t, std::int32_t>;  ///< row, column

  [[nodiscard]] std::int64_t node_after(std::int64_t node, std::int64_t offset) const {
    return node + offset < nodes_ ? node + offset : node + offset - nodes_;
  }

  /// visit(node) for the neighbours of a node; each once, as no offset exceeds half the nodes.
  template <class Visit>
  void for_each_neighbour(std::int64_t node, const Visit& visit) const {
    for (std::size_t m = 0; m < offsets_.size(); ++m) {
      if (reach_[static_cast<std::size_t>(node)] > m) visit(node_after(node, offsets_[m]));
      const std::int64_t before = node_after(node, nodes_ - offsets_[m]);
      if (reach_[static_cast<std::size_t>(before)] > m) visit(before);
    }
  }

  /// The row's entries but the single ones.
  [[nodiscard]] std::int64_t blocks_length(std::int64_t row) const {
    std::int64_t neighbours = 0;
    if (row < nodes_ * dofs_) for_each_neighbour(row / dofs_, [&](std::int64_t) { ++neighbours; });
    const std::int64_t width = row < nodes_ * dofs_ ? dofs_ : 1;
    return width * (1 + neighbours) - (row == without_diagonal_ ? 1 : 0);
  }

  [[nodiscard]] std::pair<const Single*, const Single*> singles(std::int64_t row) const {
    const auto key = static_cast<std::int32_t>(row);
    const auto by_row = [](const Single& single, std::int32_t wanted) {
      return single.first < wanted;
    };
    const Single* const end = singles_.data() + singles_.size();
    const Single* const first = std::lower_bound(singles_.data(), end, key, by_row);
    return {first, std::lower_bound(first, end, key + 1, by_row)};
  }

  void choose_offsets(const Twin& twin, std::int64_t count);
  void order_nodes(Structure structure);
  void deal_reaches(std::int64_t edges, double deviation);
  [[nodiscard]] std::int64_t longest_row() const;
  bool add_singles(std::int64_t longest_row, std::int64_t longest, std::int64_t pairs);

  std::int64_t rows_;
  std::int64_t dofs_;
  std::int64_t nodes_;
  std::uint64_t seed_;
  std::vector<std::int64_t> offsets_;
  std::vector<std::int32_t> rank_;      ///< of each node: shorter reaches before it
  std::vector<std::uint16_t> reach_;    ///< of each node: offsets with an edge
  std::vector<Single> singles_;         ///< ascending, both of each pair
  std::int64_t without_diagonal_ = -1;  ///< the row that lacks it for an odd number of entries
};

}  // namespace fatvec::generate
