// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fatvec/app/dispatch/ordered.hpp>
#include <fatvec/app/dispatch/product.hpp>
#include <fatvec/app/dispatch/timing.hpp>
#include <fatvec/plan/cache.hpp>
#include <fatvec/plan/model.hpp>

/// The model and the tuning of the programs' products.
namespace fatvec::product {

/// The machine, where its figures can be (machine_problem()); else throws Error with the remedy.
const Machine& require_plausible(const Machine& machine);

/// Of the device behind a backend: kept from an earlier run, or measured; required to be plausible.
const Machine& machine(std::string_view backend);

Structure structure(const HostCsr& csr, const FormatOptions& options);

/// Bytes that are free where the backend computes.
std::uint64_t free_memory_of(std::string_view backend);

tune::Key key_of(std::string_view backend, const Case& task);

/// The policies that may be tried with a kernel on a backend, the default (empty) first.
std::vector<std::string> policies(std::string_view kernel, std::string_view backend);

/// One choice that was tried.
struct Measurement {
  Choice choice;
  Timing timing{};           ///< of one product; nothing where there is a problem
  double setup_seconds = 0;  ///< conversion from CSR
  double bytes = 0;          ///< of A in its format, X and Y
  std::string problem{};     ///< why there is no time: it does not fit, a wrong result, ...
  bool fits = true;          ///< into memory

  /// Of one product, where there is no problem.
  [[nodiscard]] double seconds() const { return timing.least(); }
  [[nodiscard]] bool wrong() const { return problem.starts_with("wrong result"); }
};

/// Tries choices on one task: each is verified, on as many rows as a tenth of a second's serial
/// work reaches, and then timed, in turns with as many others as half of the memory holds.
class Tuner {
 public:
  /// x: cols × k; poison: rows × k, what Y holds before a product.
  Tuner(std::string_view backend, const Case& task, const HostMultivector& x,
        const HostMultivector& poison, const TimingPolicy& policy);
  /// Those that are `wanted` when their turn to be prepared has come, in the order of the choices.
  [[nodiscard]] std::vector<Measurement> measure(
      const std::vector<Choice>& choices, const std::function<bool(const Choice&)>& wanted) const;
  /// The best choice and CSR's kernel with its rows in another order, in turns; the second one
  /// alone where the first is a product that fails.
  [[nodiscard]] std::pair<Measurement, Measurement> measure_order(const Choice& best,
                                                                  const Ordering& ordering) const;
  /// Bytes that measurements may hold at the same time.
  [[nodiscard]] double memory() const { return memory_; }

 private:
  struct Contender {
    Measurement result;
    std::unique_ptr<Product> product{};
  };
  [[nodiscard]] Contender prepared(const Choice& choice, const Ordering& ordering = {}) const;
  void time(std::vector<Contender>& contenders) const;
  [[nodiscard]] std::string verified(const HostMultivector& y) const;

  std::string_view backend_;
  Case task_;
  TimingPolicy policy_;
  double memory_;
  HostMultivector x_;
  HostMultivector poison_;
  std::vector<std::int64_t> sampled_;  ///< rows that are verified
  HostCsr sample_;                     ///< these rows of A
};

}  // namespace fatvec::product
