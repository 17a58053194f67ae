// SPDX-License-Identifier: Apache-2.0
// Before anything else runs: does this processor have what fatvec::kernels was compiled for? If not
// the process ends with a message instead of an illegal instruction. cmake/kernels.cmake compiles
// this file for the base architecture; it includes nothing whose functions the linker might take
// from a unit that is not.
#include <fatvec/core/processor.hpp>

namespace fatvec::detail {
const int processor_check = 0;
}

#if defined(FATVEC_CHECK_PROCESSOR) && !defined(__CUDACC__)
#include <unistd.h>

namespace fatvec::detail {
namespace {

void say(const char* text) {
  long length = 0;
  while (text[length] != '\0') ++length;
  while (length > 0) {
    const long written = write(STDERR_FILENO, text, static_cast<unsigned long>(length));
    if (written <= 0) return;
    text += written;
    length -= written;
  }
}

// In front of other constructors, which may be compiled for the processor that is not there.
__attribute__((constructor(101))) void check_processor() {
  __builtin_cpu_init();
#define FATVEC_NAME(macro, name) name,
#define FATVEC_PRESENT(macro, name) __builtin_cpu_supports(name) != 0,
  const char* const names[] = {FATVEC_PROCESSOR_FEATURES(FATVEC_NAME)};
  const bool present[] = {FATVEC_PROCESSOR_FEATURES(FATVEC_PRESENT)};
  constexpr unsigned count = sizeof present / sizeof present[0];

  bool fits = true;
  for (unsigned n = 0; n < count; ++n) fits = fits && (present[n] || !compiled_features[n]);
  if (fits) return;

  const auto list = [&](bool missing_only) {
    for (unsigned n = 0; n < count; ++n) {
      if (!compiled_features[n] || (missing_only && present[n])) continue;
      say(" ");
      say(names[n]);
    }
  };
  say("fatvec: fatvec::kernels was compiled for a processor with");
  list(false);
  say(".\nThis processor lacks");
  list(true);
  say(".\nCompile for it: FATVEC_HOST_ARCH=native scripts/bootstrap on this machine, or a -march "
      "value "
      "for both machines such as x86-64-v3, then fatvec; the Python package by "
      "FATVEC_HOST_ARCH=native pip install .; with a Kokkos of your own its option "
      "Kokkos_ARCH_... (docs/install.md).\n");
  _exit(2);
}

}  // namespace
}  // namespace fatvec::detail
#endif
