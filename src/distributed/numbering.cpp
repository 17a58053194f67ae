// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <fatvec/distributed/all_to_all.hpp>
#include <fatvec/distributed/numbering.hpp>

namespace fatvec::distributed {
namespace {

using fatvec::detail::concat;

/// Rows ordered by the rank that knows them, where they were, and how many each rank gets.
struct Questions {
  std::vector<std::int64_t> rows;
  std::vector<std::size_t> places;
  std::vector<std::int64_t> counts;
};

Questions ask(const Communicator& communicator, const Partition& directory,
              const std::vector<std::int64_t>& rows) {
  return communicator.agree([&] {
    Questions asked;
    asked.counts.resize(static_cast<std::size_t>(directory.parts()));
    for (const std::int64_t row : rows) {
      if (row < 0 || row >= directory.rows())
        throw InputError(concat("distributed numbering: row ", row, " is not within 0 ... ",
                                directory.rows() - 1, "."));
      ++asked.counts[static_cast<std::size_t>(directory.owner(row))];
    }
    std::vector<std::size_t> next(asked.counts.size(), 0);
    for (std::size_t p = 1; p < next.size(); ++p)
      next[p] = next[p - 1] + static_cast<std::size_t>(asked.counts[p - 1]);
    asked.rows.resize(rows.size());
    asked.places.resize(rows.size());
    for (std::size_t n = 0; n < rows.size(); ++n) {
      const std::size_t to = next[static_cast<std::size_t>(directory.owner(rows[n]))]++;
      asked.rows[to] = rows[n];
      asked.places[to] = n;
    }
    return asked;
  });
}

}  // namespace

Numbering::Numbering(const Communicator& communicator, std::int64_t rows,
                     const std::vector<std::int64_t>& mine)
    : partition_(Partition::of_local_rows(communicator, static_cast<std::int64_t>(mine.size()))),
      directory_(Partition::even(communicator, rows)) {
  const Questions asked = ask(communicator, directory_, mine);
  auto numbers = communicator.agree([&] { return std::vector<std::int64_t>(mine.size()); });
  for (std::size_t n = 0; n < numbers.size(); ++n)
    numbers[n] = partition_.begin(communicator.rank()) + static_cast<std::int64_t>(asked.places[n]);
  const auto told_rows = all_to_all(communicator, asked.rows, asked.counts).items;
  const auto told_numbers = all_to_all(communicator, numbers, asked.counts).items;
  known_ = communicator.agree([&] {
    const std::int64_t first = directory_.begin(communicator.rank());
    std::vector<std::int64_t> known(static_cast<std::size_t>(directory_.size(communicator.rank())),
                                    -1);
    for (std::size_t n = 0; n < told_rows.size(); ++n) {
      std::int64_t& number = known[static_cast<std::size_t>(told_rows[n] - first)];
      if (number >= 0)
        throw InputError(concat("distributed numbering: row ", told_rows[n], " is there twice."));
      number = told_numbers[n];
    }
    const auto missing = std::find(known.begin(), known.end(), -1);
    if (missing != known.end())
      throw InputError(concat("distributed numbering: row ", first + (missing - known.begin()),
                              " of ", rows, " is on no rank."));
    return known;
  });
}

std::vector<std::int64_t> Numbering::operator()(const Communicator& communicator,
                                                const std::vector<std::int64_t>& rows) const {
  const Questions asked = ask(communicator, directory_, rows);
  auto told = all_to_all(communicator, asked.rows, asked.counts);
  const std::int64_t first = directory_.begin(communicator.rank());
  for (std::int64_t& row : told.items) row = known_[static_cast<std::size_t>(row - first)];
  const auto answers = all_to_all(communicator, told.items, told.counts).items;
  return communicator.agree([&] {
    std::vector<std::int64_t> numbers(rows.size());
    for (std::size_t n = 0; n < answers.size(); ++n) numbers[asked.places[n]] = answers[n];
    return numbers;
  });
}

}  // namespace fatvec::distributed
