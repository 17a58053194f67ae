// SPDX-License-Identifier: Apache-2.0
// Compiled with the options of the kernels. Data only: no instruction of it runs.
#include <fatvec/core/processor.hpp>

#define FATVEC_TEXT(text) #text
// A predefined macro is 1, one that is not defined keeps its name.
#define FATVEC_COMPILED(macro, name) FATVEC_TEXT(macro)[0] == '1',

namespace fatvec::detail {
constexpr bool compiled_features[] = {FATVEC_PROCESSOR_FEATURES(FATVEC_COMPILED)};
}
