# SPDX-License-Identifier: Apache-2.0
# fatvec_options: what fatvec's own translation units are compiled with; never part of what users
# link.
add_library(fatvec_options INTERFACE)
# With CMAKE_CXX_EXTENSIONS off GCC does not contract a * b + c into one instruction unless it is
# told to; nvcc always does.
target_compile_options(fatvec_options INTERFACE -Wall -Wextra -ffp-contract=fast)
if(FATVEC_WARNINGS_AS_ERRORS)
  target_compile_options(fatvec_options INTERFACE -Werror)
endif()
if(FATVEC_ENABLE_SANITIZERS)
  # Null pointers and objects too small for their type are what AddressSanitizer finds, too, and the
  # processor finds vectors that are not aligned: each access need not be checked thrice, which
  # takes GCC up to a quarter of the time.
  target_compile_options(fatvec_options INTERFACE -fsanitize=address,undefined -fno-sanitize=null,object-size,alignment -fno-sanitize-recover=all
                         -fno-omit-frame-pointer)
  # At a fixed address: where programs are put at one of 2^32 pages (vm.mmap_rnd_bits), some land in what AddressSanitizer of GCC 12 and
  # Clang 14 has reserved for itself.
  target_link_options(fatvec_options INTERFACE -fsanitize=address,undefined $<$<STREQUAL:$<TARGET_PROPERTY:TYPE>,EXECUTABLE>:-no-pie>)
endif()

# fatvec_join_units(TARGET): compiled by eights, where the headers (Kokkos, CLI11, JSON) take most
# of the time.
option(FATVEC_JOIN_UNITS "Compile the sources of programs and of kernels' tests by eights" ON)
function(fatvec_join_units target)
  set_target_properties(${target} PROPERTIES UNITY_BUILD ${FATVEC_JOIN_UNITS} UNITY_BUILD_BATCH_SIZE 8)
  fatvec_join_for_cuda(${target} 32)
endfunction()

# fatvec_join_for_cuda(TARGET SIZE): with nvcc, which takes longer for Kokkos' headers than for most
# of what a unit has beside them, SIZE units are compiled as one, or a multiple of that where cores
# are few.
set(FATVEC_JOIN_FACTOR 1 CACHE STRING "Units that nvcc compiles together, in multiples of what many cores want")
function(fatvec_join_for_cuda target size)
  if("CUDA" IN_LIST Kokkos_DEVICES)
    math(EXPR size "${size} * ${FATVEC_JOIN_FACTOR}")
    set_target_properties(${target} PROPERTIES UNITY_BUILD ${FATVEC_JOIN_UNITS} UNITY_BUILD_BATCH_SIZE ${size})
  endif()
endfunction()

# fatvec_precompile(TARGET [SET] [OWN header...]): Kokkos' headers, most of what a unit reads, come
# precompiled from one target for each set of options; programs and tests differ. Or the target
# precompiles headers of its own. nvcc cannot.
option(FATVEC_PRECOMPILE_HEADERS "Precompile Kokkos' headers; clang-tidy wants them plain" ON)
function(fatvec_precompile target)
  # Position-independent code means -fPIC here and -fPIE there.
  if(NOT FATVEC_PRECOMPILE_HEADERS OR "CUDA" IN_LIST Kokkos_DEVICES OR CMAKE_POSITION_INDEPENDENT_CODE)
    return()
  endif()
  cmake_parse_arguments(ARG "" "" "OWN" ${ARGN})
  if(ARG_OWN)
    target_precompile_headers(${target} PRIVATE ${ARG_OWN})
    return()
  endif()
  set(headers <Kokkos_Core.hpp> <Kokkos_SIMD.hpp> <algorithm> <map> <string> <vector>)
  set(libraries fatvec_options fatvec::fatvec)
  if("${ARGN}" MATCHES "tests")
    list(APPEND headers <gtest/gtest.h>)
    list(APPEND libraries GTest::gtest)
  endif()
  get_target_property(independent ${target} POSITION_INDEPENDENT_CODE)
  if(independent) # of shared libraries, and of what becomes a part of one: its own
    target_precompile_headers(${target} PRIVATE ${headers})
    return()
  endif()
  set(from fatvec_precompiled ${ARGN})
  list(JOIN from "_" from)
  if(NOT TARGET ${from})
    file(CONFIGURE OUTPUT "${PROJECT_BINARY_DIR}/${from}.cpp" CONTENT "")
    add_library(${from} OBJECT "${PROJECT_BINARY_DIR}/${from}.cpp")
    target_link_libraries(${from} PRIVATE ${libraries})
    target_precompile_headers(${from} PRIVATE ${headers})
  endif()
  target_precompile_headers(${target} REUSE_FROM ${from})
endfunction()
