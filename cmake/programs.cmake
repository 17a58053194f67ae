# SPDX-License-Identifier: Apache-2.0
# fatvec::io (Matrix Market, generators, the cache of `fatvec tune`), the products that the programs choose from at run time, and the two programs.
file(GLOB io_sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/src/io/*.cpp" "${PROJECT_SOURCE_DIR}/src/generate/*.cpp"
     "${PROJECT_SOURCE_DIR}/src/tune/*.cpp")
add_library(fatvec_io STATIC ${io_sources})
add_library(fatvec::io ALIAS fatvec_io)
fatvec_join_units(fatvec_io)
target_link_libraries(fatvec_io PUBLIC fatvec::fatvec PRIVATE $<BUILD_INTERFACE:fatvec_options> MMIO::MMIO ZLIB::ZLIB fmt::fmt
                      $<BUILD_INTERFACE:nlohmann_json::nlohmann_json>)

if("CUDA" IN_LIST Kokkos_DEVICES)
  # nvcc does not accept the consteval check of format strings of fmt 9, nor g++ 12 what fmt makes of that by itself.
  add_compile_definitions(FMT_CONSTEVAL= FMT_USE_CONSTEXPR=1)
endif()

# One translation unit per kernel and backend: builds are parallel and a new kernel costs no edit here.
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/kernels/registry.hpp")
file(READ "${PROJECT_SOURCE_DIR}/kernels/registry.hpp" registry)
string(REGEX MATCH "AllKernels = TypeList<([^>]*)>" kernel_list "${registry}")
string(REGEX MATCHALL "[A-Za-z0-9_]+" FATVEC_KERNELS "${CMAKE_MATCH_1}")
if(NOT FATVEC_KERNELS)
  message(FATAL_ERROR "kernels/registry.hpp: found no 'AllKernels = TypeList<...>'")
endif()
set(FATVEC_SPACES "")
foreach(pair "SERIAL|Serial" "OPENMP|OpenMP" "CUDA|Cuda")
  string(REPLACE "|" ";" pair "${pair}")
  list(GET pair 0 device)
  list(GET pair 1 space)
  if(device IN_LIST Kokkos_DEVICES)
    list(APPEND FATVEC_SPACES "${space}")
  endif()
endforeach()
set(product_sources "${PROJECT_SOURCE_DIR}/src/product/prepare.cpp" "${PROJECT_SOURCE_DIR}/src/product/model.cpp"
                    "${PROJECT_SOURCE_DIR}/src/product/measure.cpp")
foreach(FATVEC_KERNEL IN LISTS FATVEC_KERNELS)
  foreach(FATVEC_SPACE IN LISTS FATVEC_SPACES)
    set(source "${PROJECT_BINARY_DIR}/product/${FATVEC_KERNEL}_${FATVEC_SPACE}.cpp")
    configure_file("${PROJECT_SOURCE_DIR}/src/product/kernel_product.cpp.in" "${source}" @ONLY)
    list(APPEND product_sources "${source}")
  endforeach()
endforeach()
add_library(fatvec_product STATIC ${product_sources})
target_link_libraries(fatvec_product PUBLIC fatvec::fatvec PRIVATE fatvec_options)

file(GLOB cli_sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/src/cli/*.cpp")
if(cli_sources)
  add_executable(fatvec_cli ${cli_sources})
  set_target_properties(fatvec_cli PROPERTIES OUTPUT_NAME fatvec)
  fatvec_join_units(fatvec_cli)
  target_compile_definitions(fatvec_cli PRIVATE FATVEC_VERSION="${PROJECT_VERSION}")
  target_link_libraries(fatvec_cli PRIVATE fatvec_options fatvec::io fatvec_product CLI11::CLI11 fmt::fmt nlohmann_json::nlohmann_json)
endif()

# fatvec-bench-io: the Matrix Market reader against mmio's fscanf route.
add_executable(fatvec-bench-io "${PROJECT_SOURCE_DIR}/bench/suites/io_benchmark.cpp")
target_link_libraries(fatvec-bench-io PRIVATE fatvec_options fatvec::io MMIO::MMIO benchmark::benchmark)

# fatvec-bench: kernels, hand-written code and libraries, measured in one run.
if(EXISTS "${PROJECT_SOURCE_DIR}/bench/CMakeLists.txt")
  add_subdirectory(bench)
endif()
