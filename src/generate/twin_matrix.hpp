// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <numeric>

#include <fatvec/generate/build.hpp>
#include <fatvec/generate/random.hpp>
#include <fatvec/generate/twins.hpp>

namespace fatvec::generate {

/// The matrix that a Twin describes. A Kind: every row can be computed alone, from tables of the
/// size of the longest row.
///
/// Rows are taken in groups of `dofs`. The lengths, sorted, are dealt to the groups in strides near
/// the golden section, so that every part of the matrix has its share of each length. A row's
/// columns lie in a few windows; within one the entries are stratified: one per equal part, which
/// makes them ascending and distinct without a second try. Values in [-1, 1).
class TwinMatrix {
 public:
  TwinMatrix(const Twin& twin, std::uint64_t seed)
      : structure_(twin.structure),
        dofs_(twin.dofs),
        law_(twin.lengths),
        lengths_(twin.lengths),
        groups_(law_.rows / dofs_),
        stride_(static_cast<std::int64_t>(static_cast<double>(groups_) * 0.6180339887498949) + 1),
        seed_(seed) {
    while (std::gcd(stride_, groups_) != 1) ++stride_;
    const auto extent = static_cast<double>(groups_);
    if (twin.reach > 0) {
      far_ = std::max<std::int64_t>(1, twin.reach / dofs_);
      near_ = std::max<std::int64_t>(1, std::llround(std::sqrt(static_cast<double>(far_))));
    } else {
      const bool cube = structure_ == Structure::grid3 || structure_ == Structure::mesh3;
      near_ = std::llround(cube ? std::cbrt(extent) : std::sqrt(extent));
      far_ = cube ? near_ * near_ : near_;
    }
  }

  [[nodiscard]] std::int32_t rows() const { return static_cast<std::int32_t>(law_.rows); }
  [[nodiscard]] std::int32_t cols() const { return rows(); }

  [[nodiscard]] std::int64_t row_length(std::int64_t row) const { return lengths_.at(rank(row)); }

  void fill_row(std::int64_t row, std::int32_t* columns, double* values) const {
    const std::int64_t length = row_length(row);
    const std::int64_t group = std::min(row / dofs_, groups_ - 1);
    const RowRandom places(seed_, Purpose::columns, group);
    std::int64_t written = 0;
    std::int64_t draw = 0;
    // The whole group takes its places from its longest row, shorter ones their first.
    const std::int64_t longest = std::max(length, lengths_.at(rank(group * dofs_ + dofs_ - 1)));
    for (const Window& window : windows(group, longest, places.unit(draw++))) {
      std::int64_t next = 0;
      for (std::int64_t n = 0; n < window.entries; ++n) {
        const std::int64_t place =
            std::clamp(window.place(n, places.unit(draw++), group), next, window.last_for(n));
        next = place + 1;
        const std::int64_t first = (window.begin + place) * dofs_;
        for (std::int64_t dof = 0; dof < dofs_ && written < length; ++dof) {
          columns[written++] = static_cast<std::int32_t>(first + dof);
        }
      }
    }
    const RowRandom random(seed_, Purpose::values, row);
    for (std::int64_t n = 0; n < length; ++n) values[n] = 2 * random.unit(n) - 1;
  }

 private:
  [[nodiscard]] std::int64_t rank(std::int64_t row) const {
    const std::int64_t group = row / dofs_;
    return group < groups_ ? group * stride_ % groups_ * dofs_ + row % dofs_
                           : row;  // the last rows, which dofs does not divide
  }

  /// Places (groups of columns) that hold some of a row's entries.
  struct Window {
    std::int64_t begin = 0;
    std::int64_t width = 0;
    std::int64_t entries = 0;
    bool skewed = false;  ///< more at the begin

    /// Of entry n: its equal part of the window at `unit`, but the diagonal where that lies in the
    /// part.
    [[nodiscard]] std::int64_t place(std::int64_t n, double unit, std::int64_t diagonal) const {
      double place = (static_cast<double>(n) + unit) / static_cast<double>(entries);
      if (skewed) return static_cast<std::int64_t>(place * place * static_cast<double>(width));
      const std::int64_t own = diagonal - begin;
      if (own >= 0 && own < width && own * entries / width == n) return own;
      return static_cast<std::int64_t>(place * static_cast<double>(width));
    }
    /// Leaves room for the entries after n.
    [[nodiscard]] std::int64_t last_for(std::int64_t n) const { return width - entries + n; }
  };
  using Windows =
      std::array<Window, 9>;  ///< disjoint and ascending; those not needed have no entries

  [[nodiscard]] Windows windows(std::int64_t group, std::int64_t length, double unit) const {
    using enum Structure;
    const std::int64_t entries = (length + dofs_ - 1) / dofs_;
    if (length > law_.body_max) return {Window{0, groups_, entries}};  // a dense row
    switch (structure_) {
      case band: {
        const std::int64_t first = std::max<std::int64_t>(0, group - far_);
        const std::int64_t width = std::max(entries, std::min(groups_, group + far_ + 1) - first);
        return {Window{std::min(first, groups_ - width), width, entries}};
      }
      case grid2:
        return lines<3>(group, entries, 1, {1, 3, 1}, {-far_, 0, far_});
      case grid3:
        return lines<5>(group, entries, 1, {1, 1, 3, 1, 1}, {-far_, -near_, 0, near_, far_});
      case mesh2:
        return lines<3>(group, entries, 3, {1, 1, 1}, {-far_, 0, far_});
      case mesh3:
        return lines<9>(group, entries, 3, {1, 1, 1, 1, 1, 1, 1, 1, 1},
                        {-far_ - near_, -far_, -far_ + near_, -near_, 0, near_, far_ - near_, far_,
                         far_ + near_});
      case circuit:
        return near_and_far(group, entries, 0.33, unit, false);
      case web:
        return near_and_far(group, entries, 0.5, unit, true);
      case road:
        return near_and_far(group, entries, 0.1, unit, false);
    }
    return {};
  }

  /// Windows `spread` times as wide as their share of the entries, at these distances from the
  /// diagonal; pushed aside where they overlap or leave the matrix.
  template <std::size_t count>
  [[nodiscard]] Windows lines(std::int64_t group, std::int64_t entries, std::int64_t spread,
                              const std::array<std::int64_t, count>& shares,
                              const std::array<std::int64_t, count>& distances) const {
    const std::int64_t all = std::accumulate(shares.begin(), shares.end(), std::int64_t{0});
    if (entries * spread > groups_) spread = 1;
    Windows windows;
    std::int64_t share = 0;
    std::int64_t given = 0;
    for (std::size_t n = 0; n < count; ++n) {
      share += shares[n];
      // rounded down before the diagonal's window and up from there on: that one is never without
      // an entry
      const std::int64_t end = (share * entries + (n < count / 2 ? 0 : all - 1)) / all;
      windows[n] = {.begin = 0, .width = spread * (end - given), .entries = end - given};
      windows[n].begin = group + distances[n] - windows[n].width / 2;
      given = end;
    }
    for (std::int64_t n = 0, free = 0; n < static_cast<std::int64_t>(count); ++n) {
      windows[n].begin = std::max(windows[n].begin, free);
      free = windows[n].begin + windows[n].width;
    }
    for (std::int64_t n = count - 1, end = groups_; n >= 0; --n) {
      windows[n].begin = std::min(windows[n].begin, end - windows[n].width);
      end = windows[n].begin;
    }
    return windows;
  }

  /// A window around the diagonal, eight times as wide as its entries, and what is left and right
  /// of it; `unit` rounds the shares of the far ones up or down.
  [[nodiscard]] Windows near_and_far(std::int64_t group, std::int64_t entries, double far_share,
                                     double unit, bool skewed) const {
    auto far = static_cast<std::int64_t>(static_cast<double>(entries) * far_share + unit);
    const std::int64_t width = std::min(groups_, 8 * (entries - far) + 1);
    far = std::min(far, groups_ - width);
    const std::int64_t begin = std::clamp<std::int64_t>(group - width / 2, 0, groups_ - width);
    const std::int64_t end = begin + width;
    // low of the far ones lie left; neither side may be asked for more than it has places
    auto low = static_cast<std::int64_t>(
        static_cast<double>(far * begin) / static_cast<double>(groups_ - width + 1) + unit);
    if (skewed) low = far;
    low = std::clamp(low, std::max<std::int64_t>(0, far - (groups_ - end)), std::min(far, begin));
    return {Window{0, begin, low, skewed}, Window{begin, width, entries - far},
            Window{end, groups_ - end, far - low}};
  }

  Structure structure_;
  std::int64_t dofs_;
  LengthLaw law_;
  RowLengths lengths_;
  std::int64_t groups_;
  std::int64_t stride_;
  std::int64_t near_ = 0;  ///< distance of neighbouring lines in groups
  std::int64_t far_ = 0;   ///< of neighbouring planes of a 3-D structure, lines of a 2-D one; half
                           ///< the width of a band
  std::uint64_t seed_;
};

}  // namespace fatvec::generate
