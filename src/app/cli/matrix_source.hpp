// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <optional>
#include <string>

#include <fatvec/app/cli/common/terminal.hpp>
#include <fatvec/app/cli/common/values.hpp>
#include <fatvec/app/dispatch/product.hpp>

#include "options.hpp"
#include "report.hpp"

namespace fatvec::cli {

/// Kokkos for the length of a subcommand's work. Its advice on thread binding would mix with the
/// program's own messages.
class KokkosSession {
 public:
  /// Throws UsageError for environment variables that would make Kokkos abort.
  KokkosSession() : guard_(settings()) {}

 private:
  static Kokkos::InitializationSettings settings() {
    require_sound_environment();
    return Kokkos::InitializationSettings().set_disable_warnings(true);
  }

  Kokkos::ScopeGuard guard_;
};

/// A matrix as the user named it.
struct MatrixSource {
  std::string name;         ///< the file or the spec
  std::string description;  ///< "coordinate real general" of a file, "generated" of a spec
  product::HostCsr csr;
  std::int64_t duplicates = 0;  ///< entries of the file that were added to one of their position
};

/// Steps of a Progress that load_matrix takes at most.
inline constexpr std::size_t load_steps = 2;

/// Reads the file, or generates from the spec ("gen:..."), that `text` names. Throws InputError for
/// a file that is malformed, missing or complex, UsageError for a wrong spec, CapacityError for
/// what does not fit.
MatrixSource load_matrix(const std::string& text, std::optional<std::uint64_t> memory_limit,
                         Progress& progress);

/// "cage4.mtx, 9 x 9, 49 entries".
std::string summary(const MatrixSource& matrix);
Json to_json(const MatrixSource& matrix);

/// Says on stderr what loading changed.
void note_duplicates(const std::string& name, std::int64_t duplicates);
inline void print_notes(const MatrixSource& matrix) {
  note_duplicates(matrix.name, matrix.duplicates);
}

/// Rounds A's values where they are asked for in single precision; returns the largest relative
/// error. Throws PrecisionError, and UsageError for an error that goes with nothing.
std::optional<double> take_precision(const PrecisionOptions& options, product::Case& task);

}  // namespace fatvec::cli
