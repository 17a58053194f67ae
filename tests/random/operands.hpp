// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include <fatvec/core/error.hpp>

#include "random.hpp"

namespace fatvec::test {

/// Where a rows × k operand lies: which elements of the memory, and whether these are those of a
/// LayoutRight or a LayoutLeft View without padding.
struct Place {
  enum class Kind { right, left, padded };
  std::int64_t rows = 0;
  std::int64_t k = 0;
  Kind kind = Kind::right;
  std::int64_t first = 0;
  std::int64_t row_stride = 1;
  std::int64_t column_stride = 1;

  [[nodiscard]] std::int64_t at(std::int64_t i, std::int64_t c) const {
    return first + i * row_stride + c * column_stride;
  }
  [[nodiscard]] std::int64_t end() const {
    return rows == 0 || k == 0 ? first : at(rows - 1, k - 1) + 1;
  }
  [[nodiscard]] std::string to_string() const {
    return detail::concat(first, " + ", row_stride, " i + ", column_stride, " c",
                          kind == Kind::right  ? " (LayoutRight)"
                          : kind == Kind::left ? " (LayoutLeft)"
                                               : "");
  }
};

/// A View's layout or a part of one, row-major or column-major, beginning at or behind `from`.
inline Place random_place(Random& random, std::int64_t rows, std::int64_t k, std::int64_t from) {
  Place place{
      .rows = rows, .k = k, .first = from + (random.chance(0.5) ? random.between(0, 9) : 0)};
  if (random.chance(0.3)) place.first = (place.first + 7) / 8 * 8;  // whole lines
  const bool row_major = random.chance(0.5);
  if (random.chance(0.5)) {
    place.kind = row_major ? Place::Kind::right : Place::Kind::left;
    place.row_stride = row_major ? k : 1;
    place.column_stride = row_major ? 1 : rows;
    return place;
  }
  place.kind = Place::Kind::padded;
  const std::int64_t step = random.chance(0.2) ? random.between(2, 3) : 1;
  const std::int64_t padding = random.between(0, 17);
  place.row_stride = row_major ? k * step + padding : step;
  place.column_stride = row_major ? step : rows * step + padding;
  return place;
}

/// X and Y in one allocation, whose other elements are NaN: who reads them shows in Y, and who
/// writes them is told.
template <class T>
class Operands {
  using Exec = Kokkos::DefaultExecutionSpace;
  using Unmanaged = Kokkos::MemoryTraits<Kokkos::Unmanaged>;

 public:
  Operands(Random& random, std::int64_t cols, std::int64_t rows, std::int64_t k) {
    if (random.chance(0.1)) {  // both are columns of one block of vectors
      const std::int64_t stride = 2 * k + random.between(0, 5);
      const std::int64_t gap = random.between(0, stride - 2 * k);
      x = {cols, k, Place::Kind::padded, 0, stride, 1};
      y = {rows, k, Place::Kind::padded, k + gap, stride, 1};
      if (random.chance(0.5)) std::swap(x.first, y.first);
    } else {
      x = random_place(random, cols, k, 0);
      y = random_place(random, rows, k, x.end());
    }
    const std::int64_t size = std::max(x.end(), y.end()) + (random.chance(0.5) ? 9 : 0);
    memory_ = decltype(memory_)("operands", size);
    before_ = Host("operands before", size);
    after_ = Host("operands after", size);
    const auto nan = std::numeric_limits<double>::quiet_NaN();
    Kokkos::deep_copy(before_, T(nan));
    of_y_.assign(static_cast<std::size_t>(size), false);
    for (std::int64_t i = 0; i < rows; ++i)
      for (std::int64_t c = 0; c < k; ++c) of_y_[y.at(i, c)] = true;
  }

  T& before(const Place& place, std::int64_t i, std::int64_t c) const {
    return before_(place.at(i, c));
  }
  /// X or Y as it was, and Y as it is.
  [[nodiscard]] auto host_before(const Place& place) const { return strided(before_, place); }
  [[nodiscard]] auto host_after() const { return strided(after_, y); }

  void load() const { Kokkos::deep_copy(memory_, before_); }
  void fetch() const { Kokkos::deep_copy(after_, memory_); }

  /// Whether all but Y has the bits that it had.
  [[nodiscard]] bool others_are_untouched() const {
    for (std::size_t n = 0; n < of_y_.size(); ++n)
      if (!of_y_[n] && std::memcmp(&before_(n), &after_(n), sizeof(T)) != 0) return false;
    return true;
  }
  /// All bits after the product.
  [[nodiscard]] std::vector<unsigned char> bits() const {
    std::vector<unsigned char> bytes(after_.extent(0) * sizeof(T));
    if (!bytes.empty()) std::memcpy(bytes.data(), after_.data(), bytes.size());
    return bytes;
  }

  /// visit(X, Y) with Views of whatever strides; X is of const elements.
  template <class Visit>
  auto with_strided_views(const Visit& visit) const {
    return visit(as_const(strided(memory_, x)), strided(memory_, y));
  }
  /// The same with Views in the layouts that X and Y have, of rank 1 where that is asked for.
  template <class Visit>
  auto with_views(bool rank_one, const Visit& visit) const {
    using enum Place::Kind;
    using Right = Kokkos::LayoutRight;
    using Left = Kokkos::LayoutLeft;
    if (rank_one && x.row_stride == 1 && y.row_stride == 1)
      return visit(column<Right>(x), column<Right>(y));
    if (rank_one) return visit(strided_column(x), strided_column(y));
    if (x.kind == right && y.kind == right) return visit(compact<Right>(x), compact<Right>(y));
    if (x.kind == right && y.kind == left) return visit(compact<Right>(x), compact<Left>(y));
    if (x.kind == left && y.kind == right) return visit(compact<Left>(x), compact<Right>(y));
    if (x.kind == left && y.kind == left) return visit(compact<Left>(x), compact<Left>(y));
    return with_strided_views(visit);
  }

  Place x;
  Place y;

 private:
  using Host = Kokkos::View<T*, Kokkos::HostSpace>;

  template <class Memory>
  static auto strided(const Memory& memory, const Place& place) {
    using View = Kokkos::View<T**, Kokkos::LayoutStride, typename Memory::memory_space, Unmanaged>;
    return View(memory.data() + place.first,
                Kokkos::LayoutStride(place.rows, place.row_stride, place.k, place.column_stride));
  }
  template <class View>
  static typename View::const_type as_const(const View& view) {
    return view;
  }
  template <class Layout>
  auto compact(const Place& place) const {
    return Kokkos::View<T**, Layout, Exec, Unmanaged>(memory_.data() + place.first, place.rows,
                                                      place.k);
  }
  template <class Layout>
  auto column(const Place& place) const {
    return Kokkos::View<T*, Layout, Exec, Unmanaged>(memory_.data() + place.first, place.rows);
  }
  auto strided_column(const Place& place) const {
    return Kokkos::View<T*, Kokkos::LayoutStride, Exec, Unmanaged>(
        memory_.data() + place.first, Kokkos::LayoutStride(place.rows, place.row_stride));
  }

  Kokkos::View<T*, Exec> memory_;
  Host before_;
  Host after_;
  std::vector<bool> of_y_;
};

}  // namespace fatvec::test
