// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mpi.h>

#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>

#include <fatvec/core/error.hpp>

/// One matrix over the ranks of an MPI communicator (docs/distributed.md).
namespace fatvec::distributed {

/// fatvec's own duplicate of a communicator, so that its messages never meet the application's.
/// Copies share it; the last one frees it.
class Communicator {
 public:
  /// Collective over parent. Throws UsageError where MPI is not initialised, or not with at least
  /// MPI_THREAD_FUNNELED: kernels run on several threads, and the thread that calls fatvec is the
  /// one that calls MPI.
  explicit Communicator(MPI_Comm parent = MPI_COMM_WORLD);

  [[nodiscard]] MPI_Comm get() const { return *comm_; }
  [[nodiscard]] int rank() const { return rank_; }
  [[nodiscard]] int size() const { return size_; }

  /// Runs work(), which calls no MPI, on every rank; returns its result where it succeeded on all.
  /// Otherwise every rank throws what the lowest failing one threw: the same class of
  /// fatvec::Error, its message and its rank. Collective.
  template <class Work>
  std::invoke_result_t<Work> agree(const Work& work) const {
    return agree_on(nullptr, 0, work);
  }

  /// The same in as many messages; where work() succeeds on all, but they have different values,
  /// throws ShapeError on all. what: the value's name, "columns of X".
  template <class Work>
  std::invoke_result_t<Work> agree_on(const char* what, std::int64_t value,
                                      const Work& work) const {
    using Result = std::invoke_result_t<Work>;
    std::exception_ptr failure;
    if constexpr (std::is_void_v<Result>) {
      try {
        work();
      } catch (const std::exception&) {
        failure = std::current_exception();
      }
      throw_together(failure, what, value);
    } else {
      std::optional<Result> result;
      try {
        result.emplace(work());
      } catch (const std::exception&) {
        failure = std::current_exception();
      }
      throw_together(failure, what, value);
      return std::move(*result);
    }
  }

  /// Runs work() on this rank alone. Others may be waiting for its messages, so that an exception
  /// ends all of them: its message goes to the standard error, then MPI_Abort(2).
  template <class Work>
  void or_abort(const Work& work) const {
    try {
      work();
    } catch (const std::exception& failure) {
      abort(failure);
    }
  }

 private:
  void throw_together(const std::exception_ptr& mine, const char* what, std::int64_t value) const;
  [[noreturn]] void abort(const std::exception& failure) const;

  std::shared_ptr<const MPI_Comm> comm_;
  int rank_ = 0;
  int size_ = 1;
};

}  // namespace fatvec::distributed
