// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include <fatvec/formats/transpose.hpp>
#include <fatvec/plan/fingerprint.hpp>
#include <fatvec/plan/model.hpp>
#include <fatvec/version.hpp>

/// What `fatvec tune` has measured on this machine, in a file of its user: compiled, in fatvec::io.
namespace fatvec::tune {

/// What a measurement holds for.
struct Key {
  std::string device;  ///< Machine::device, and its threads on a CPU
  std::string build;   ///< versions of fatvec and Kokkos, and the scalar type
  std::string matrix;  ///< fingerprint(), in hexadecimal
  std::int64_t k = 1;
  Layout layout = Layout::row;
  [[nodiscard]] std::string text() const;
};

/// The choice that was the fastest of those measured.
struct Winner {
  Choice choice;
  double seconds = 0;  ///< of one product
};

/// $FATVEC_CACHE, else fatvec/tune.json in $XDG_CACHE_HOME or ~/.cache.
std::filesystem::path default_cache_path();

/// A JSON file. Writers take a lock, read what others have written meanwhile, and put a new file in
/// its place, so that readers never see half of one. A file that cannot be understood is set aside
/// as FILE.damaged, and said to be.
class Cache {
 public:
  explicit Cache(std::filesystem::path path = default_cache_path()) : path_(std::move(path)) {}

  /// Nothing where there is no file, no such key, or no sense in what stands there.
  std::optional<Winner> find(const Key& key);
  /// Throws InputError where the file cannot be written.
  void store(const Key& key, const Winner& winner);
  /// What was wrong with the file when it was last read, for people; usually empty.
  [[nodiscard]] const std::string& problem() const { return problem_; }
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
  std::string problem_;
};

/// What a measurement depends on beside the machine: the versions of fatvec and Kokkos, the scalar
/// type.
template <class Scalar>
std::string build_name() {
  const char* const kind = std::is_integral_v<Scalar>           ? "i"
                           : fatvec::detail::is_complex<Scalar> ? "c"
                                                                : "f";
  return fatvec::detail::concat("fatvec ", FATVEC_VERSION_STRING, ", Kokkos ", KOKKOS_VERSION, ", ",
                                kind, 8 * sizeof(Scalar));
}

/// The device of exec, of a CPU with its number of threads.
template <class ExecSpace>
std::string device_key(const ExecSpace& exec) {
  std::string device = fatvec::detail::device_name<ExecSpace>();
  if (fatvec::detail::is_host<ExecSpace>)
    device += fatvec::detail::concat(", ", ExecSpace::name(), ", ", exec.concurrency(), " threads");
  return device;
}

/// The key under which a measurement is kept.
template <class ExecSpace, class Scalar, class Ordinal, class Device, class Offset>
Key key_of(const ExecSpace& exec, const CsrMatrix<Scalar, Ordinal, Device, Offset>& a,
           std::int64_t k, Layout layout) {
  std::ostringstream matrix;
  matrix << std::hex << fingerprint(exec, a);
  return {device_key(exec), build_name<Scalar>(), matrix.str(), k, layout};
}

}  // namespace fatvec::tune

namespace fatvec {

/// What `fatvec tune` found for this matrix, k and layout on this machine, for PlanOptions::choice;
/// nothing where it did not. `problem`, where given, becomes what is wrong with the file of these
/// findings, for people: empty where nothing is.
template <class ExecSpace, class Scalar, class Ordinal, class Device, class Offset>
std::optional<Choice> tuned_choice(const ExecSpace& exec,
                                   const CsrMatrix<Scalar, Ordinal, Device, Offset>& a,
                                   std::int64_t k, Layout layout = Layout::row,
                                   std::string* problem = nullptr) {
  tune::Cache cache;
  const auto winner = cache.find(tune::key_of(exec, a, k, layout));
  if (problem != nullptr) *problem = cache.problem();
  if (!winner) return {};
  return winner->choice;
}

}  // namespace fatvec
