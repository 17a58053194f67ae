// SPDX-License-Identifier: Apache-2.0
#include <fatvec/app/dispatch/measure.hpp>

#include <Kokkos_Timer.hpp>
#include <algorithm>
#include <cmath>

#include <fatvec/app/verify/oracle.hpp>

namespace fatvec::product {
namespace {

constexpr double serial_work = 2e7;  ///< multiplications of the oracle: a tenth of a second

/// Rows whose products with k columns the oracle can afford: all, or some spread evenly, the
/// longest among them.
std::vector<std::int64_t> sample_rows(const HostCsr& csr, std::int64_t k) {
  const std::int64_t rows = csr.rows();
  const double work = static_cast<double>(csr.nnz() * k);
  const auto step = static_cast<std::int64_t>(std::max(1.0, std::ceil(work / serial_work)));
  std::vector<std::int64_t> sampled;
  std::int64_t longest = 0;
  for (std::int64_t i = 0; i < rows; ++i) {
    if (i % step == 0) sampled.push_back(i);
    if (csr.row_map(i + 1) - csr.row_map(i) > csr.row_map(longest + 1) - csr.row_map(longest))
      longest = i;
  }
  if (rows > 0 && longest % step != 0) sampled.push_back(longest);
  return sampled;
}

HostCsr rows_of(const HostCsr& csr, const std::vector<std::int64_t>& sampled) {
  const HostCsr::Offsets row_map("fatvec::tune::row_map", sampled.size() + 1);
  for (std::size_t n = 0; n < sampled.size(); ++n)
    row_map(n + 1) = row_map(n) + csr.row_map(sampled[n] + 1) - csr.row_map(sampled[n]);
  const auto nnz = static_cast<std::size_t>(row_map(sampled.size()));
  const HostCsr::Ordinals entries("fatvec::tune::entries", nnz);
  const HostCsr::Scalars values("fatvec::tune::values", nnz);
  for (std::size_t n = 0; n < sampled.size(); ++n) {
    std::int32_t to = row_map(n);
    for (std::int32_t from = csr.row_map(sampled[n]); from < csr.row_map(sampled[n] + 1);
         ++from, ++to) {
      entries(to) = csr.entries(from);
      values(to) = csr.values(from);
    }
  }
  return {static_cast<std::int32_t>(sampled.size()), csr.cols(), row_map, entries, values};
}

double quantile(const std::vector<double>& ascending, double p) {
  return ascending[static_cast<std::size_t>(p * static_cast<double>(ascending.size() - 1) + 0.5)];
}

}  // namespace

Tuner::Tuner(std::string_view backend, const Case& task, const HostMultivector& x,
             const HostMultivector& poison, double seconds_per_choice)
    : backend_(backend),
      task_(task),
      seconds_(seconds_per_choice),
      x_(x),
      poison_(poison),
      sampled_(sample_rows(task.matrix, task.k)),
      sample_(rows_of(task.matrix, sampled_)) {}

std::string Tuner::verified(const HostMultivector& y) const {
  const auto rows = static_cast<std::int64_t>(sampled_.size());
  const auto of_sample = allocate("fatvec::tune::sample", rows, task_.k);
  for (std::int64_t n = 0; n < rows; ++n)
    for (std::int64_t c = 0; c < task_.k; ++c)
      of_sample(n, c) = y(sampled_[static_cast<std::size_t>(n)], c);
  const auto verdict =
      verify::compare(verify::reference_product(1.0, sample_, x_, 0.0, of_sample), of_sample);
  if (verdict.passed) return "";
  return fatvec::detail::concat(
      "wrong result in row ", sampled_[static_cast<std::size_t>(verdict.worst_row)], ", column ",
      verdict.worst_column, ": the error is ", verdict.scaled, " times what rounding allows");
}

void Tuner::prepare_verified(Contender& contender) const {
  auto& result = contender.result;
  try {
    Case task = task_;
    task.policy = result.choice.policy;
    task.packed = result.choice.packed;
    contender.product = prepare(result.choice.kernel, backend_, task);
    result.setup_seconds = contender.product->setup_seconds;
    contender.product->load(x_, poison_);
    contender.product->run(1, 0);
    const auto y = allocate("fatvec::tune::result", task.matrix.rows(), task.k);
    contender.product->store(y);
    result.problem = verified(y);
  } catch (const CapacityError& error) {
    result.problem = error.what();
  }
  if (!result.problem.empty()) contender.product.reset();
}

std::vector<Measurement> Tuner::measure_in_turns(const std::vector<Choice>& choices) const {
  constexpr std::size_t most_repetitions = 10'000;
  const bool several = choices.size() > 1;
  std::vector<Contender> contenders;
  double slowest = 0;
  for (const auto& choice : choices) {
    auto& contender =
        contenders.emplace_back(Contender{.result = {.choice = choice, .in_turns = several}});
    prepare_verified(contender);
    if (contender.product) slowest = std::max(slowest, contender.product->run(1, 0));
  }
  const double wanted = std::ceil(seconds_ / std::max(slowest, 1e-9));
  const std::size_t turns = several ? static_cast<std::size_t>(std::clamp(wanted, 2.0, 10.0)) : 1;
  const std::size_t least = several ? 1 : 5;  // repetitions a turn
  for (std::size_t turn = 0; turn < turns; ++turn) {
    for (auto& [result, product, seconds] : contenders) {
      if (!product) continue;
      if (several) product->run(1, 0);  // the caches hold what others left
      const std::size_t before = seconds.size();
      const auto turns_now = static_cast<double>(turns);
      for (const Kokkos::Timer timer;
           seconds.size() - before < least ||
           (timer.seconds() < seconds_ / turns_now && seconds.size() < most_repetitions);)
        seconds.push_back(product->run(1, 0));
    }
  }
  std::vector<Measurement> results;
  for (auto& [result, product, seconds] : contenders) {
    if (product) {
      std::sort(seconds.begin(), seconds.end());
      result.seconds = quantile(seconds, 0.5);
      result.spread = (quantile(seconds, 0.9) - quantile(seconds, 0.1)) / result.seconds;
    }
    results.push_back(result);
  }
  return results;
}

Measurement Tuner::measure(const Choice& choice) const {
  return measure_in_turns({choice}).front();
}

}  // namespace fatvec::product
