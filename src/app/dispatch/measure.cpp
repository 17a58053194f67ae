// SPDX-License-Identifier: Apache-2.0
#include <fatvec/app/dispatch/measure.hpp>

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
  const Kokkos::DefaultHostExecutionSpace host;
  const auto row_map =
      fatvec::detail::allocate<HostCsr::Offsets>(host, "fatvec::tune::row_map", sampled.size() + 1);
  row_map(0) = 0;
  for (std::size_t n = 0; n < sampled.size(); ++n)
    row_map(n + 1) = row_map(n) + csr.row_map(sampled[n] + 1) - csr.row_map(sampled[n]);
  const auto nnz = static_cast<std::size_t>(row_map(sampled.size()));
  const auto entries =
      fatvec::detail::allocate<HostCsr::Ordinals>(host, "fatvec::tune::entries", nnz);
  const auto values = fatvec::detail::allocate<HostCsr::Scalars>(host, "fatvec::tune::values", nnz);
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

}  // namespace

Tuner::Tuner(std::string_view backend, const Case& task, const HostMultivector& x,
             const HostMultivector& poison, const TimingPolicy& policy)
    : backend_(backend),
      task_(task),
      policy_(policy),
      memory_(0.5 *
              static_cast<double>(task.options.memory_limit.value_or(free_memory_of(backend)))),
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

Tuner::Contender Tuner::prepared(const Choice& choice, const Ordering& ordering) const {
  Contender contender{.result = {.choice = choice}};
  auto& result = contender.result;
  try {
    Case task = task_;
    task.policy = choice.policy;
    task.packed = choice.packed;
    contender.product = ordering.order == RowOrder::none
                            ? prepare(choice.kernel, backend_, task)
                            : prepare_ordered(backend_, task, ordering).product;
    result.setup_seconds = contender.product->setup_seconds;
    const double operands =
        8.0 * static_cast<double>(task.k * (task.matrix.rows() + task.matrix.cols()));
    result.bytes =
        static_cast<double>(contender.product->matrix_bytes) + (choice.packed ? 2 : 1) * operands;
    contender.product->load(x_, poison_);
    contender.product->run(1, 0);
    const auto y = allocate("fatvec::tune::result", task.matrix.rows(), task.k);
    contender.product->store(y);
    result.problem = verified(y);
  } catch (const CapacityError& error) {
    result.fits = false;
    result.problem = error.what();
  } catch (const UsageError& error) {  // not with k columns, or not here
    result.problem = error.what();
  }
  if (!result.problem.empty()) contender.product.reset();
  return contender;
}

void Tuner::time(std::vector<Contender>& contenders) const {
  std::vector<std::function<double()>> runs;
  std::vector<Measurement*> timed;
  for (auto& [result, product] : contenders) {
    if (!product) continue;
    runs.emplace_back([&product = *product] { return product.run(1, 0); });
    timed.push_back(&result);
  }
  auto timings = time_in_turns(runs, policy_);
  for (std::size_t n = 0; n < timed.size(); ++n) {
    if (timings[n].error) std::rethrow_exception(timings[n].error);
    timed[n]->timing = std::move(timings[n]);
  }
}

std::pair<Measurement, Measurement> Tuner::measure_order(const Choice& best,
                                                         const Ordering& ordering) const {
  std::vector<Contender> both;
  both.push_back(prepared(best));
  const Choice choice{std::string(ordered_kernel), "", best.packed};
  try {
    both.push_back(prepared(choice, ordering));
  } catch (const ShapeError& error) {  // not square
    Contender refused{.result = {.choice = choice}};
    refused.result.problem = error.what();
    both.push_back(std::move(refused));
  }
  time(both);
  return {std::move(both.front().result), std::move(both.back().result)};
}

std::vector<Measurement> Tuner::measure(const std::vector<Choice>& choices,
                                        const std::function<bool(const Choice&)>& wanted) const {
  std::vector<Measurement> results;
  std::vector<Contender> side_by_side;
  double held = 0;
  const auto finish = [&] {
    time(side_by_side);
    for (auto& contender : side_by_side) results.push_back(std::move(contender.result));
    side_by_side.clear();
    held = 0;
  };
  for (const auto& choice : choices) {
    if (!wanted(choice)) continue;
    Contender contender = prepared(choice);
    if (!contender.result.fits && !side_by_side.empty()) {
      finish();  // the others may be what fills the memory
      contender = prepared(choice);
    }
    held += contender.product ? contender.result.bytes : 0;
    side_by_side.push_back(std::move(contender));
    if (held > memory_) finish();
  }
  finish();
  return results;
}

}  // namespace fatvec::product
