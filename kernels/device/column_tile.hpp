// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>

#include <fatvec/core/macros.hpp>
#include <fatvec/formats/multivector.hpp>
#include <fatvec/kernels/shared/output.hpp>
#include <fatvec/kernels/shared/rows_of_x.hpp>
#include <fatvec/kernels/shared/static_for.hpp>

/// The columns that a thread of a staged kernel holds in registers, and how it reads X and writes Y
/// for them. Both tiles are built from the columns that its row's threads share, and its place
/// among them.
namespace fatvec::detail {

/// Columns first ... last - 1.
struct ColumnRange {
  int first;
  int last;
};

/// Elements that an AdjacentTile of `width` columns loads and stores at once: up to 16 bytes.
template <class T>
constexpr int adjacent_group(int width) {
  if (sizeof(T) >= 16) return 1;
  if (width % static_cast<int>(16 / sizeof(T)) == 0) return 16 / sizeof(T);
  return width % 2 == 0 ? 2 : 1;
}

/// Whether every row of X begins where an AdjacentTile of `width` columns can load its groups.
template <class T, class X>
bool takes_adjacent(int width, const X& x) {
  const int group = adjacent_group<T>(width);
  return group == 1 || (reinterpret_cast<std::uintptr_t>(x.data) % (group * sizeof(T)) == 0 &&
                        x.row_stride % group == 0);
}

/// `width` neighbouring columns, of a number that is a multiple of width, where X takes_adjacent
/// tiles. Y is stored in such groups where its rows allow it, else, mostly because its columns are
/// apart, element by element.
template <class V, int width_>
class AdjacentTile {
  using T = std::remove_const_t<V>;

 public:
  static constexpr int width = width_;

  template <class X>
  KOKKOS_FUNCTION AdjacentTile(const X& x, ColumnRange range, int place, int)
      : first_(range.first + place * width), idle_(first_ >= range.last), x_(x, first_) {}

  [[nodiscard]] KOKKOS_FUNCTION bool idle() const { return idle_; }

  template <class Ordinal>
  FATVEC_FORCEINLINE_FUNCTION void load(Ordinal row, T (&to)[width]) const {
    read(x_[row], to);
  }
  template <class Output>
  FATVEC_FORCEINLINE_FUNCTION void store(const Output& output, std::int64_t row,
                                         const T (&sum)[width]) const {
    if constexpr (is_scaled_sum<Output> && group > 1) {
      T* const at = &output.y(row, first_);
      if (output.y.column_stride == 1 &&
          reinterpret_cast<std::uintptr_t>(at) % sizeof(Group) == 0) {
        T old[width] = {};
        if (!output.overwrites()) read(at, old);
        unroll<width / group>([&](int g) {
          Group result;
          unroll<group>([&](int e) {
            result.data[e] = output.combined(old[g * group + e], sum[g * group + e]);
          });
          reinterpret_cast<Group*>(at)[g] = result;
        });
        return;
      }
    }
    output.store(row, first_, sum);
  }

 private:
  static constexpr int group = adjacent_group<T>(width);
  struct alignas(group * sizeof(T)) Group {
    T data[group];
  };

  FATVEC_FORCEINLINE_FUNCTION static void read(const T* from, T (&to)[width]) {
    unroll<width / group>([&](int g) {
      const Group loaded = reinterpret_cast<const Group*>(from)[g];
      unroll<group>([&](int e) { to[g * group + e] = loaded.data[e]; });
    });
  }

  int first_;
  bool idle_;
  RowsOfX<T> x_;
};

/// `width` columns as far apart as there are threads on the row, so that neighbouring threads have
/// neighbouring columns. Those behind the last column read the last one again and are not stored:
/// no comparison in the loop over the entries.
template <class V, Columns columns, int width_>
class SpacedTile {
  using T = std::remove_const_t<V>;

 public:
  static constexpr int width = width_;

  template <class X>
  KOKKOS_FUNCTION SpacedTile(const X& x, ColumnRange range, int place, int places)
      : first_(range.first + place), spacing_(places), last_(range.last) {
    unroll<width>([&](int w) {
      const int c = first_ + w * spacing_;
      x_[w] = RowsOfX<T>(x, c < last_ ? c : last_ - 1);
    });
  }

  [[nodiscard]] KOKKOS_FUNCTION bool idle() const { return first_ >= last_; }

  template <class Ordinal>
  FATVEC_FORCEINLINE_FUNCTION void load(Ordinal row, T (&to)[width]) const {
    unroll<width>([&](int w) { to[w] = *x_[w][row]; });
  }
  template <class Output>
  FATVEC_FORCEINLINE_FUNCTION void store(const Output& output, std::int64_t row,
                                         const T (&sum)[width]) const {
    unroll<width>([&](int w) {
      const T one[1] = {sum[w]};
      if (first_ + w * spacing_ < last_) output.store(row, first_ + w * spacing_, one);
    });
  }

 private:
  int first_;
  int spacing_;
  int last_;
  RowsOfX<T> x_[width];
};

}  // namespace fatvec::detail
