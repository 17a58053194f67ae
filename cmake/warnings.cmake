# SPDX-License-Identifier: Apache-2.0
# fatvec_options: what fatvec's own translation units are compiled with; never part of what users link.
add_library(fatvec_options INTERFACE)
# With CMAKE_CXX_EXTENSIONS off GCC does not contract a * b + c into one instruction unless it is told to; nvcc always does.
target_compile_options(fatvec_options INTERFACE -Wall -Wextra -ffp-contract=fast)
if(FATVEC_WARNINGS_AS_ERRORS)
  target_compile_options(fatvec_options INTERFACE -Werror)
endif()
if(FATVEC_ENABLE_SANITIZERS)
  target_compile_options(fatvec_options INTERFACE -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(fatvec_options INTERFACE -fsanitize=address,undefined)
endif()
