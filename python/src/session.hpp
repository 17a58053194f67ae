// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nanobind/nanobind.h>
#include <unistd.h>

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <mutex>
#include <type_traits>

#include <fatvec/core/execution.hpp>

/// The process as the Python module sees it: Kokkos, its instances, and Python's threads.
namespace fatvec::python {

namespace nb = nanobind;

/// Starts Kokkos unless it runs already. If this call started it, an exit handler of Python's ends
/// it, before Python drops its last matrices: those let go of their memory first. Throws Error
/// where it has ended.
void start_kokkos();

/// Throws Error where Kokkos has ended, as it may have while a thread waited for its turn.
void require_kokkos();

/// The GPU that Kokkos computes on; -1 where there is none.
int gpu();

/// What holds Kokkos memory as long as Kokkos runs.
class Kept {
 public:
  Kept();
  Kept(const Kept&) = delete;
  Kept& operator=(const Kept&) = delete;
  virtual ~Kept();
  virtual void let_go() = 0;
};

/// While it lives, Python's other threads run. A thread that comes back when Python has ended stops
/// there for good: before Python 3.14 it would be unwound, through functions that may not throw.
class WithoutGil {
 public:
  WithoutGil() = default;
  WithoutGil(const WithoutGil&) = delete;
  WithoutGil& operator=(const WithoutGil&) = delete;
  ~WithoutGil() {
    try {
      PyEval_RestoreThread(state_);
    } catch (...) {
      for (;;) ::pause();
    }
  }

 private:
  PyThreadState* const state_ = PyEval_SaveThread();
};

/// While it lives, Python's other threads run, and no other product does: each takes all cores, and
/// plans have scratch memory of their own that serves one product at a time.
class Turn {
 public:
  Turn() : lock_(mutex_) {}

 private:
  static std::mutex mutex_;
  WithoutGil without_gil_;
  std::lock_guard<std::mutex> lock_;
};

/// The instance for a stream of the caller's, as an address; CPUs have none.
template <class Exec>
Exec instance_of([[maybe_unused]] std::uintptr_t stream) {
#if defined(KOKKOS_ENABLE_CUDA)
  if constexpr (std::is_same_v<Exec, Kokkos::Cuda>)
    if (stream != 0) return Exec(reinterpret_cast<cudaStream_t>(stream));  // NOLINT
#endif
  return Exec();
}

}  // namespace fatvec::python
