// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include <fatvec/distributed/communicator.hpp>

namespace fatvec::distributed {

/// Where a part of `all` things begins; for the part behind the last, where all end.
constexpr std::int64_t part_begin(std::int64_t all, std::int64_t part, std::int64_t parts) {
  return all / parts * part + all % parts * part / parts;
}

/// Sums of a number that each rank has.
struct Sums {
  std::int64_t before = 0;  ///< over the ranks before this one
  std::int64_t total = 0;   ///< over all ranks
};

/// The sums of `mine`. Collective.
Sums sums_of(const Communicator& communicator, std::int64_t mine);

/// Which rank has which rows: contiguous ranges in the order of the ranks. Ranges may be empty.
/// Every rank holds all offsets, 8 bytes a rank.
class Partition {
 public:
  /// Ranges that differ by at most one row. Throws ShapeError where rows < 0 or parts < 1.
  static Partition even(std::int64_t rows, int parts);
  /// The same, a range for each rank. Collective; throws on all ranks.
  static Partition even(const Communicator& communicator, std::int64_t rows);

  /// The caller's: rank p has the rows offsets[p] ... offsets[p + 1] - 1. Throws ShapeError unless
  /// offsets begin with 0, never fall, and are at least two.
  static Partition of_offsets(std::vector<std::int64_t> offsets);

  /// Each rank says how many rows it has. Collective; throws ShapeError on all ranks where one says
  /// less than 0.
  static Partition of_local_rows(const Communicator& communicator, std::int64_t rows);

  /// Ranges of about equally many entries, from the lengths of the rows that this rank has in
  /// `current`. Collective; throws ShapeError on all ranks where lengths do not fit `current`.
  static Partition by_nonzeros(const Communicator& communicator, const Partition& current,
                               const std::vector<std::int64_t>& lengths);

  [[nodiscard]] std::int64_t rows() const { return offsets_.back(); }
  [[nodiscard]] int parts() const { return static_cast<int>(offsets_.size()) - 1; }
  [[nodiscard]] std::int64_t begin(int part) const { return offsets_.at(index(part)); }
  [[nodiscard]] std::int64_t end(int part) const { return offsets_.at(index(part) + 1); }
  /// Rows of one part.
  [[nodiscard]] std::int64_t size(int part) const { return end(part) - begin(part); }
  /// The part that has a row, 0 <= row < rows().
  [[nodiscard]] int owner(std::int64_t row) const;
  /// parts() + 1 offsets.
  [[nodiscard]] const std::vector<std::int64_t>& offsets() const { return offsets_; }

  friend bool operator==(const Partition&, const Partition&) = default;

 private:
  explicit Partition(std::vector<std::int64_t> offsets) : offsets_(std::move(offsets)) {}
  static std::size_t index(int part) { return static_cast<std::size_t>(part); }

  std::vector<std::int64_t> offsets_;
};

}  // namespace fatvec::distributed
