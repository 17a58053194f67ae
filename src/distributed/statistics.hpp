// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <exception>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include <fatvec/distributed/communicator.hpp>
#include <fatvec/statistics/vector_statistics.hpp>

/// Reductions of multivectors that are spread over ranks: one round of messages each.
namespace fatvec::distributed {

/// Results of reductions over all ranks, one Value for each column: what fatvec::ColumnResults is
/// on one device, and room for what the ranks tell each other. Allocated once, it serves any number
/// of reductions of multivectors with that many columns, one after the other. Copies share
/// everything.
template <class Value, class ExecSpace>
class ColumnResults {
  static_assert(std::is_trivially_copyable_v<Value>);
  using OfThisRank = fatvec::ColumnResults<Value, ExecSpace>;

 public:
  using View = typename OfThisRank::View;

  /// Collective; throws on all ranks where one has no memory, or another number of columns.
  ColumnResults(const Communicator& communicator, const ExecSpace& exec, std::int64_t columns)
      : ColumnResults(communicator, communicator.agree_on("columns", columns, [&] {
          const auto k = static_cast<std::size_t>(columns);
          return Rooms{OfThisRank(exec, columns),
                       detail::allocate<View>(exec, "fatvec::column_results", k),
                       std::make_shared<Told>(static_cast<std::size_t>(communicator.size()), k)};
        })) {}

  View values;  ///< of each column, all ranks together, once exec has come so far

  /// The same in host memory, once the reduction has returned.
  [[nodiscard]] const std::vector<Value>& on_host(const ExecSpace&) const { return told_->joined; }

  /// As the functions without results return it, of which nobody else has copies: the number for a
  /// rank-1 X, else one a column. Moved, not copied: one rank alone might have no memory for that.
  template <MultiVector X>
  [[nodiscard]] auto answer() && {
    if constexpr (X::rank() == 1)
      return told_->joined.front();
    else
      return std::move(told_->joined);
  }

  /// reduce(results) reduces this rank's rows; join(value, more) puts the ranks' results together,
  /// in their order: all have the same bits, and every run with as many ranks. Waits for exec.
  /// Collective; what reduce throws on one rank is thrown on all.
  template <class Reduce, class Join>
  void run(const ExecSpace& exec, const Reduce& reduce, const Join& join) const {
    Told& told = *told_;
    Value* const mine = told.of_rank(communicator_.rank());
    std::exception_ptr failure;
    try {
      reduce(of_this_rank_);
      Kokkos::deep_copy(exec, Host(mine, told.columns), of_this_rank_.values);
      exec.fence("fatvec::distributed::column_results");
    } catch (const std::exception&) {
      failure = std::current_exception();
    }
    std::memset(static_cast<void*>(mine + told.columns), failure ? 1 : 0, sizeof(Value));
    const auto bytes = static_cast<int>((told.columns + 1) * sizeof(Value));
    MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, told.all.data(), bytes, MPI_BYTE,
                  communicator_.get());
    for (int rank = 0; rank < communicator_.size(); ++rank)
      if (*reinterpret_cast<const char*>(told.of_rank(rank) + told.columns) != 0)
        communicator_.agree([&] {
          if (failure) std::rethrow_exception(failure);
        });
    for (std::size_t c = 0; c < told.columns; ++c) {
      told.joined[c] = told.of_rank(0)[c];
      for (int rank = 1; rank < communicator_.size(); ++rank)
        join(told.joined[c], told.of_rank(rank)[c]);
    }
    communicator_.or_abort(
        [&] { Kokkos::deep_copy(exec, values, Host(told.joined.data(), told.columns)); });
  }

 private:
  using Host = Kokkos::View<Value*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>;

  /// What the ranks tell: each its values, and one more, whose bytes are 0 unless it has failed.
  struct Told {
    Told(std::size_t ranks, std::size_t k) : columns(k), all(ranks * (k + 1)), joined(k) {}
    Value* of_rank(int rank) { return all.data() + static_cast<std::size_t>(rank) * (columns + 1); }
    std::size_t columns;
    std::vector<Value> all;
    std::vector<Value> joined;
  };
  struct Rooms {
    OfThisRank of_this_rank;
    View values;
    std::shared_ptr<Told> told;
  };
  ColumnResults(const Communicator& communicator, Rooms rooms)
      : values(std::move(rooms.values)),
        communicator_(communicator),
        of_this_rank_(std::move(rooms.of_this_rank)),
        told_(std::move(rooms.told)) {}

  Communicator communicator_;
  OfThisRank of_this_rank_;
  std::shared_ptr<Told> told_;
};

/// The dot product of each column of x and y, this rank's rows of spread multivectors; see
/// fatvec::dot(). One round of messages; allocates nothing, waits for the answer. Collective, with
/// the same number of columns; throws ShapeError on all ranks where extents differ on one.
template <class ExecSpace, MultiVector X, MultiVector Y>
void dot(const ExecSpace& exec, const X& x, const Y& y,
         const ColumnResults<DotOf<X, Y>, ExecSpace>& results) {
  results.run(
      exec, [&](const auto& mine) { fatvec::dot(exec, x, y, mine); },
      [](auto& value, const auto& more) { value = value + more; });
}

/// The statistics of each column of x: sums, norms, extremes, zeros; see
/// fatvec::vector_statistics(). Otherwise as dot().
template <class ExecSpace, MultiVector X>
void vector_statistics(const ExecSpace& exec, const X& x,
                       const ColumnResults<StatisticsOf<X>, ExecSpace>& results) {
  results.run(
      exec, [&](const auto& mine) { fatvec::vector_statistics(exec, x, mine); },
      [](auto& value, const auto& more) { value.join(more); });
}

/// The same; returns it, a number for rank 1, for rank 2 a std::vector of them. Allocates its
/// workspace, on which the ranks agree in a round of messages more.
template <class ExecSpace, MultiVector X, MultiVector Y>
auto dot(const Communicator& communicator, const ExecSpace& exec, const X& x, const Y& y) {
  ColumnResults<DotOf<X, Y>, ExecSpace> results(communicator, exec, multivector_columns(x));
  dot(exec, x, y, results);
  return std::move(results).template answer<X>();
}
/// The statistics of X's columns, of all ranks' rows together; allocates its results. Otherwise as
/// the one above.
template <class ExecSpace, MultiVector X>
auto vector_statistics(const Communicator& communicator, const ExecSpace& exec, const X& x) {
  ColumnResults<StatisticsOf<X>, ExecSpace> results(communicator, exec, multivector_columns(x));
  vector_statistics(exec, x, results);
  return std::move(results).template answer<X>();
}

}  // namespace fatvec::distributed
