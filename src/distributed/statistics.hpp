// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

#include <fatvec/distributed/communicator.hpp>
#include <fatvec/statistics/vector_statistics.hpp>

namespace fatvec {
namespace detail {

/// Joins the results of all ranks in their order, so that all have the same bits, and every run
/// with as many ranks. join(value, more) puts two of them together.
template <class Value, class Join>
std::vector<Value> join_ranks(const distributed::Communicator& communicator,
                              const std::vector<Value>& mine, const Join& join) {
  static_assert(std::is_trivially_copyable_v<Value>);
  const std::size_t k = mine.size();
  std::vector<Value> all(k * static_cast<std::size_t>(communicator.size()));
  const auto bytes = static_cast<int>(k * sizeof(Value));
  MPI_Allgather(mine.data(), bytes, MPI_BYTE, all.data(), bytes, MPI_BYTE, communicator.get());
  std::vector<Value> joined(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(k));
  for (std::size_t n = k; n < all.size(); ++n) join(joined[n % k], all[n]);
  return joined;
}

/// One answer for rank 1, one a column for rank 2, as of one device.
template <class Answer, class Join>
auto join_answers(const distributed::Communicator& communicator, const Answer& mine,
                  const Join& join) {
  if constexpr (requires { mine.size(); })
    return join_ranks(communicator, mine, join);
  else
    return join_ranks(communicator, std::vector<Answer>{mine}, join).front();
}

}  // namespace detail

namespace distributed {

/// The dot product of each column of x and y, this rank's rows of spread multivectors; see
/// fatvec::dot(). All ranks get the same bits. Collective, with the same number of columns.
template <class ExecSpace, MultiVector X, MultiVector Y>
auto dot(const Communicator& communicator, const ExecSpace& exec, const X& x, const Y& y) {
  const auto mine = communicator.agree([&] { return fatvec::dot(exec, x, y); });
  return detail::join_answers(communicator, mine,
                              [](auto& value, const auto& more) { value = value + more; });
}

/// The statistics of each column of x: sums, norms, extremes, zeros; see
/// fatvec::vector_statistics(). All ranks get the same bits. Collective, with the same number of
/// columns.
template <class ExecSpace, MultiVector X>
auto vector_statistics(const Communicator& communicator, const ExecSpace& exec, const X& x) {
  const auto mine = communicator.agree([&] { return fatvec::vector_statistics(exec, x); });
  return detail::join_answers(communicator, mine,
                              [](auto& value, const auto& more) { value.join(more); });
}

}  // namespace distributed
}  // namespace fatvec
