// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <omp.h>

#include <algorithm>
#include <cstdint>
#include <vector>

namespace fatvec::bench::raw {

/// How rows are shared out among the threads: data, so that one loop serves every schedule and
/// every format.
struct Schedule {
  enum class Kind {
    even,      ///< a part of equally many rows per thread: omp schedule(static)
    balanced,  ///< a part of equal work per thread, found once when the matrix is set up
    shares,    ///< 16 such parts per thread, the next one for whoever is free
    dynamic,   ///< parts of `chunk` rows, the next one for whoever is free: omp schedule(dynamic,
               ///< chunk)
    guided     ///< portions of what is left, shrinking down to `chunk` rows or one unit: omp
               ///< schedule(guided)
  };
  Kind kind = Kind::even;
  std::int64_t chunk = 1;
};

/// The partition of the rows into consecutive parts, which the threads take one by one.
class Partition {
 public:
  Partition() = default;

  template <class Rows>
  Partition(const Schedule& schedule, const Rows& rows) : rows_(rows.count()) {
    const std::int64_t threads = omp_get_max_threads();
    if (schedule.kind == Schedule::Kind::balanced) {
      balance(rows, threads);
    } else if (schedule.kind == Schedule::Kind::shares) {
      balance(rows, 16 * threads);
      order_ = omp_sched_dynamic;
    } else if (schedule.kind == Schedule::Kind::even) {
      size_ = std::max<std::int64_t>(1, (rows_ + threads - 1) / threads);
    } else {
      size_ = (schedule.chunk + rows.unit() - 1) / rows.unit() * rows.unit();
      order_ = schedule.kind == Schedule::Kind::dynamic ? omp_sched_dynamic : omp_sched_guided;
    }
  }

  /// work(begin, end) on the rows of each part; part t on thread t where the schedule has one part
  /// per thread.
  template <class Work>
  void for_each(const Work& work) const {
    const bool balanced = !first_.empty();
    const std::int64_t count =
        balanced ? static_cast<std::int64_t>(first_.size()) - 1 : (rows_ + size_ - 1) / size_;
    omp_set_schedule(order_, 1);
#pragma omp parallel for schedule(runtime)
    for (std::int64_t b = 0; b < count; ++b) {
      work(balanced ? first_[b] : b * size_,
           balanced ? first_[b + 1] : std::min(rows_, (b + 1) * size_));
    }
  }

 private:
  /// The rule of Calzetta and Lori 2025, a new part where the entries reach nnz / threads, with
  /// two changes: the goals count from row 0, lest a part inherits what those before it took too
  /// much; and a row counts as an entry, for an empty one costs time too.
  template <class Rows>
  void balance(const Rows& rows, std::int64_t parts) {
    const std::int64_t units = (rows_ + rows.unit() - 1) / rows.unit();
    const auto work_before = [&](std::int64_t u) {
      return rows.entries_before(u) + std::min(u * rows.unit(), rows_);
    };
    const std::int64_t all = work_before(units);
    for (std::int64_t t = 0; t <= parts; ++t) {
      std::int64_t low = 0;
      for (std::int64_t high = units; low < high;) {
        const std::int64_t middle = low + (high - low) / 2;
        if (work_before(middle) < all * t / parts) {
          low = middle + 1;
        } else {
          high = middle;
        }
      }
      first_.push_back(std::min(low * rows.unit(), rows_));
    }
  }

  std::int64_t rows_ = 0;
  std::int64_t size_ = 1;
  omp_sched_t order_ = omp_sched_static;
  std::vector<std::int64_t> first_;  ///< balanced: first row of each part, then the number of rows
};

}  // namespace fatvec::bench::raw
