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

/// 16 bytes of neighbouring columns, of a number that is a multiple of width, where X
/// takes_adjacent tiles.
template <class T>
class AdjacentTile {
 public:
  static constexpr int width = 16 / sizeof(T);

  template <class X>
  KOKKOS_FUNCTION AdjacentTile(const X& x, ColumnRange range, int place, int)
      : first_(range.first + place * width), idle_(first_ >= range.last), x_(x, first_) {}

  [[nodiscard]] KOKKOS_FUNCTION bool idle() const { return idle_; }

  template <class Ordinal>
  FATVEC_FORCEINLINE_FUNCTION void load(Ordinal row, T (&to)[width]) const {
    const auto loaded = *reinterpret_cast<const Group*>(x_[row]);
    unroll<width>([&](int w) { to[w] = loaded.data[w]; });
  }
  template <class Output>
  FATVEC_FORCEINLINE_FUNCTION void store(const Output& output, std::int64_t row,
                                         const T (&sum)[width]) const {
    output.store(row, first_, sum);
  }

 private:
  struct alignas(16) Group {
    T data[width];
  };

  int first_;
  bool idle_;
  RowsOfX<T> x_;
};

/// Whether every row of X begins where an AdjacentTile can be loaded.
template <class T, class X>
bool takes_adjacent(const X& x) {
  return reinterpret_cast<std::uintptr_t>(x.data) % 16 == 0 &&
         x.row_stride % AdjacentTile<T>::width == 0;
}

/// `width` columns as far apart as there are threads on the row, so that neighbouring threads have
/// neighbouring columns. Those behind the last column read the last one again and are not stored:
/// no comparison in the loop over the entries.
template <class T, int width_>
class SpacedTile {
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
