// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include <fatvec/formats/single_precision.hpp>
#include <fatvec/formats/transpose.hpp>
#include <fatvec/plan/fingerprint.hpp>
#include <fatvec/plan/model.hpp>
#include <fatvec/version.hpp>

/// What `fatvec tune` has measured on this machine, in a file of its user: compiled, in fatvec::io.
namespace fatvec::tune {

/// What a measurement holds for.
struct Key {
  std::string device;  ///< Machine::device, and its threads on a CPU
  std::string build;   ///< versions of fatvec and Kokkos, the scalar type, and the kernels
  std::string matrix;  ///< fingerprint(), in hexadecimal
  std::int64_t k = 1;
  Layout layout = Layout::row;
  [[nodiscard]] std::string text() const;
};

/// The choice that was the fastest of those measured.
struct Winner {
  Choice choice;
  double seconds = 0;            ///< of one product: the least of all repetitions
  double median_seconds = 0;     ///< of the repetitions, at least `seconds`
  double spread = 0;             ///< (90 % quantile - 10 % quantile) / median of the repetitions
  std::int64_t repetitions = 0;  ///< at least 1
};

/// When a winner takes the place of what is kept under its key.
enum class Replace {
  slower,  ///< where what is kept took more seconds, or makes no sense
  always
};

/// How a writer waits for another one's lock.
struct Waiting {
  std::function<void(const std::string&)> tell{};  ///< gets a sentence, once; may be empty
  std::chrono::milliseconds silence{1'000};        ///< before that
  std::chrono::milliseconds limit{60'000};         ///< of all the waiting
};

/// $FATVEC_CACHE, else fatvec/tune.json in $XDG_CACHE_HOME or ~/.cache.
std::filesystem::path default_cache_path();

/// A JSON file. Writers take a lock, read what others have written meanwhile, and put a new file in
/// its place, so that readers never see half of one. A file that cannot be understood is set aside
/// as FILE.damaged (.damaged.2 where there is one), an entry that makes no sense is set aside
/// within the file, and both are said to be. What a newer fatvec wrote, what cannot be read and
/// what is no plain file is said, and left alone. docs/schemas/tune-cache.schema.json describes the
/// file.
class Cache {
 public:
  explicit Cache(std::filesystem::path path = default_cache_path(), Waiting waiting = {})
      : path_(std::move(path)), waiting_(std::move(waiting)) {}

  /// Nothing where there is no file, no such key, or no sense in what stands there.
  std::optional<Winner> find(const Key& key);
  /// Whether the winner is kept now: not, where an entry of another writer or run is as fast and
  /// `replace` does not say `always`, and not where the file is left alone. Throws UsageError
  /// where the file cannot be written, another process holds its lock for too long, or the winner
  /// itself makes no sense.
  bool store(const Key& key, const Winner& winner, Replace replace = Replace::slower);
  /// What was wrong with the file when it was last read, for people; usually empty.
  [[nodiscard]] const std::string& problem() const { return problem_; }
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
  Waiting waiting_;
  std::string problem_;
};

/// A hash of the names of all kernels: who has others chose among others.
inline std::uint64_t kernel_set() {
  std::uint64_t hash = 0;
  for (const std::string_view name : kernel_names)
    for (const char letter : name)
      hash = fatvec::detail::HashSum<int>::mixed(hash + static_cast<unsigned char>(letter));
  return hash;
}

/// "f64" of double.
template <class Scalar>
std::string scalar_name() {
  const char* const kind = std::is_integral_v<Scalar>           ? "i"
                           : fatvec::detail::is_complex<Scalar> ? "c"
                                                                : "f";
  return fatvec::detail::concat(kind, 8 * sizeof(Scalar));
}

/// What a measurement depends on beside the machine: the versions of fatvec and Kokkos, the scalar
/// type of X and Y, that of A where it is another one, the kernels.
template <class Scalar, class Value = Scalar>
std::string build_name() {
  const std::string of_a = std::is_same_v<Scalar, Value> ? "" : ", A in " + scalar_name<Value>();
  return fatvec::detail::concat("fatvec ", FATVEC_VERSION_STRING, ", Kokkos ", KOKKOS_VERSION, ", ",
                                scalar_name<Scalar>(), of_a, ", kernels ", std::hex, kernel_set());
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
  return {device_key(exec), build_name<Scalar>(),
          fatvec::detail::concat(std::hex, fingerprint(exec, a)), k, layout};
}

/// The same for values in single precision.
template <class ExecSpace, class Csr>
Key key_of(const ExecSpace& exec, const SinglePrecision<Csr>& a, std::int64_t k, Layout layout) {
  Key key = key_of(exec, a.matrix, k, layout);
  key.build = build_name<double, float>();
  return key;
}

}  // namespace fatvec::tune

namespace fatvec {

/// What `fatvec tune` found for this matrix, k and layout on this machine, for PlanOptions::choice;
/// nothing where it did not. `problem`, where given, becomes what is wrong with the file of these
/// findings, for people: empty where nothing is.
///
/// A: a CsrMatrix, or what single_precision() makes of it.
template <class ExecSpace, class A>
std::optional<Choice> tuned_choice(const ExecSpace& exec, const A& a, std::int64_t k,
                                   Layout layout = Layout::row, std::string* problem = nullptr) {
  tune::Cache cache;
  const auto winner = cache.find(tune::key_of(exec, a, k, layout));
  if (problem != nullptr) *problem = cache.problem();
  if (!winner) return {};
  return winner->choice;
}

}  // namespace fatvec
