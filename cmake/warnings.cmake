# SPDX-License-Identifier: Apache-2.0
# fatvec_options: what fatvec's own translation units are compiled with; never part of what users link.
add_library(fatvec_options INTERFACE)
target_compile_options(fatvec_options INTERFACE -Wall -Wextra)
if(FATVEC_WARNINGS_AS_ERRORS)
  target_compile_options(fatvec_options INTERFACE -Werror)
endif()
if(FATVEC_ENABLE_SANITIZERS)
  target_compile_options(fatvec_options INTERFACE -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(fatvec_options INTERFACE -fsanitize=address,undefined)
endif()
