// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

/// What the programs do on several ranks, started by mpirun or srun. Without an MPI the program is
/// the one rank that there is.
namespace fatvec::ranks {

/// Why a program that was built without MPI does not do this.
inline constexpr const char* no_mpi =
    "this program was built without MPI. Install one (apt-get install libopenmpi-dev openmpi-bin, "
    "or load your cluster's module), configure anew with -DFATVEC_ENABLE_MPI=ON, and build.";

/// MPI for the length of a program that asks for it.
class Session {
 public:
  explicit Session(bool wanted);
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  /// Throws UsageError on all ranks, naming what differs, where they were not given the same
  /// arguments: ranks that do not do the same wait for each other, or form another product than
  /// any of them was asked for. Collective; comes before anything reads an argument.
  void require_same_arguments(int argc, char** argv) const;

  /// Whether this rank prints what all have to say.
  [[nodiscard]] bool speaks() const { return rank_ == 0; }

  /// For the end of a program, with the exit code of a rank that succeeded: waits until all ranks
  /// have come to their end, so that none is in MPI_Finalize while another one may still fail.
  /// Returns the largest exit code of all.
  [[nodiscard]] int finish(int exit_code);

  /// The same for a rank that failed: the first of them writes its message, a line, to its standard
  /// error. Others would wait forever for a rank that fails alone: where they do not come to their
  /// end within seconds, it ends all with its message and its code.
  [[nodiscard]] int complain(int exit_code, const std::string& message);

 private:
  int end(int exit_code, const std::string* message);

  bool started_ = false;
  bool ended_ = false;
  int rank_ = 0;
};

}  // namespace fatvec::ranks
