// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <fatvec/app/dispatch/product.hpp>
#include <fatvec/plan/cache.hpp>
#include <fatvec/plan/model.hpp>

/// The model and the tuning of the programs' products.
namespace fatvec::product {

/// The machine, where its figures can be (machine_problem()); else throws Error with the remedy.
const Machine& require_plausible(const Machine& machine);

/// Of the device behind a backend; measured once per process, required to be plausible.
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
  double seconds = 0;  ///< median
  double spread = 0;   ///< (90 % quantile - 10 % quantile) / median
  double setup_seconds = 0;
  bool in_turns = false;  ///< timed in turns with others
  std::string problem{};  ///< why there is no time: it does not fit, a wrong result
};

/// Tries choices on one task: each is verified, on as many rows as a tenth of a second's serial
/// work reaches, and then timed.
class Tuner {
 public:
  /// x: cols × k; poison: rows × k, what Y holds before a product.
  Tuner(std::string_view backend, const Case& task, const HostMultivector& x,
        const HostMultivector& poison, double seconds_per_choice);
  [[nodiscard]] Measurement measure(const Choice& choice) const;
  /// Several in turns, so that what else the machine does meets all of them; they hold their
  /// matrices at the same time.
  [[nodiscard]] std::vector<Measurement> measure_in_turns(const std::vector<Choice>& choices) const;

 private:
  struct Contender {
    Measurement result;
    std::unique_ptr<Product> product{};
    std::vector<double> seconds{};  ///< of its repetitions
  };
  void prepare_verified(Contender& contender) const;
  [[nodiscard]] std::string verified(const HostMultivector& y) const;

  std::string_view backend_;
  Case task_;
  double seconds_;
  HostMultivector x_;
  HostMultivector poison_;
  std::vector<std::int64_t> sampled_;  ///< rows that are verified
  HostCsr sample_;                     ///< these rows of A
};

}  // namespace fatvec::product
