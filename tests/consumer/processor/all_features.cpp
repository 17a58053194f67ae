// SPDX-License-Identifier: Apache-2.0
// In place of src/core/processor_features.cpp: compiled for what no processor has all of.
#include <fatvec/core/processor.hpp>

#define FATVEC_ALL(macro, name) true,

namespace fatvec::detail {
constexpr bool compiled_features[] = {FATVEC_PROCESSOR_FEATURES(FATVEC_ALL)};
}

// A constructor of lower priority stands for all that must not run before the check.
__attribute__((constructor)) void run_too_early() {
  __builtin_trap();
}

int main() {
  return fatvec::detail::processor_check;
}
