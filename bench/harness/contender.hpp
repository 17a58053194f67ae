// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fatvec/app/dispatch/product.hpp>

namespace fatvec::bench {

/// A setting that tells variants of one contender apart: kernel:csr-row, schedule:balanced.
struct Parameter {
  std::string key;
  std::string value;
  bool operator==(const Parameter&) const = default;
};

/// Whatever can form a product in the benchmark: our kernels, hand-written code, libraries. The
/// harness treats all alike: the same matrix, the same X, the same clock, the same verification.
struct Contender {
  std::string name;  ///< "fatvec", "raw-openmp", "kokkoskernels"
  std::string
      backend;  ///< where it runs: serial, openmp, cuda; decides which measured bandwidth bounds it
  std::string format;  ///< of the matrix: "csr"
  std::vector<Parameter> parameters;
  bool on_request = false;  ///< runs only where --backend names its backend
  std::string sweep{};  ///< the setting that it varies ("block"): runs only where --sweep names it

  bool single_precision = false;  ///< takes tasks whose values of A are floats, X and Y doubles

  /// Converts the matrix and allocates the operands. CapacityError and UsageError skip the row,
  /// anything else fails it.
  std::function<std::unique_ptr<product::Product>(const product::Case&)> prepare;
  /// The reason why it cannot take this case; may be left empty.
  std::function<std::optional<std::string>(const product::Case&)> unsupported = {};

  /// "contender:NAME/backend:NAME/format:NAME/KEY:VALUE..."; the backend only on builds that have
  /// several.
  [[nodiscard]] std::string label() const;
  /// The value of a parameter, empty where it has none of that name.
  [[nodiscard]] std::string parameter(const std::string& key) const;
};

/// The same contender after change(task): a variant with this setting, run where --sweep names
/// that.
Contender varied(Contender contender, const std::string& setting, const std::string& value,
                 const std::function<void(product::Case&)>& change);

/// Whether contenders of every backend run on this one only where --backend names it: on the serial
/// one, where there is another.
bool runs_on_request(std::string_view backend);

/// What the suite of vectors asks for: a pass for all statistics, and what BLAS calls dot, asum
/// (1-norm) and nrm2 (2-norm).
enum class Operation { statistics, dot, asum, nrm2 };
inline constexpr std::array operations = {Operation::statistics, Operation::dot, Operation::asum,
                                          Operation::nrm2};
std::string_view to_string(Operation operation);

class Reduction;
struct VectorOperands;

/// The same for reductions of vectors, of a multivector's columns each by itself.
struct VectorContender {
  std::string name;
  std::string backend;
  Operation operation;
  std::vector<Parameter> parameters;
  bool on_request = false;
  std::function<std::unique_ptr<Reduction>(const VectorOperands&)> prepare;

  /// "contender:NAME/backend:NAME/KEY:VALUE...", as a Contender's.
  [[nodiscard]] std::string label() const;
};

/// Every contender of this build, in the order of their registration.
class Registry {
 public:
  void add(VectorContender contender) { vector_contenders_.push_back(std::move(contender)); }
  [[nodiscard]] const std::vector<VectorContender>& vector_contenders() const {
    return vector_contenders_;
  }

  /// Throws Error where the label exists already or a name would break the key:value form of case
  /// names.
  void add(Contender contender);
  /// The same, and once more for each value of the settings that its format has: hack, slice and
  /// block sizes, sort windows. BSR without a sweep takes the block size of fewest bytes; Stec and
  /// Stpiczyński shows its best.
  void add_with_sweep(const Contender& contender);
  [[nodiscard]] const std::vector<Contender>& contenders() const { return contenders_; }

  /// A fact about this build or machine for the results' context: {"mkl_version", "2026.2"}.
  void add_fact(std::string key, std::string value) {
    facts_.emplace_back(std::move(key), std::move(value));
  }
  [[nodiscard]] const std::vector<std::pair<std::string, std::string>>& facts() const {
    return facts_;
  }

 private:
  std::vector<Contender> contenders_;
  std::vector<VectorContender> vector_contenders_;
  std::vector<std::pair<std::string, std::string>> facts_;
};

/// Call every add_NAME(Registry&) that bench/CMakeLists.txt lists, of this scalar (generated).
void add_contenders_in_double(Registry& registry);
void add_contenders_in_float(Registry& registry);

}  // namespace fatvec::bench
