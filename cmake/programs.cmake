# SPDX-License-Identifier: Apache-2.0
# fatvec::io (Matrix Market, generators, the cache of `fatvec tune`), the products that the programs
# choose from at run time, and the two programs.
file(GLOB io_sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/src/io/*.cpp" "${PROJECT_SOURCE_DIR}/src/generate/*.cpp"
     "${PROJECT_SOURCE_DIR}/src/plan/*.cpp")
set(without "/filtered_source[.]cpp$")
if(FATVEC_HAVE_LIBARCHIVE)
  set(without "/filtered_source_absent[.]cpp$")
endif()
if(FATVEC_HAVE_HDF5)
  string(APPEND without "|/binsparse_absent[.]cpp$")
else()
  string(APPEND without "|/(hdf5|binsparse|binsparse_writer)[.]cpp$")
endif()
list(APPEND io_sources "${PROJECT_SOURCE_DIR}/src/core/output_file.cpp") # every file that a program writes goes through it
list(FILTER io_sources EXCLUDE REGEX "${without}")
add_library(fatvec_io STATIC ${io_sources})
add_library(fatvec::io ALIAS fatvec_io)
fatvec_join_units(fatvec_io)
fatvec_precompile(fatvec_io)
target_link_libraries(fatvec_io PUBLIC fatvec::fatvec PRIVATE $<BUILD_INTERFACE:fatvec_options> MMIO::MMIO ZLIB::ZLIB fmt::fmt
                      $<BUILD_INTERFACE:nlohmann_json::nlohmann_json>)
if(FATVEC_HAVE_LIBARCHIVE)
  target_link_libraries(fatvec_io PRIVATE LibArchive::LibArchive)
endif()
if(FATVEC_HAVE_HDF5)
  target_link_libraries(fatvec_io PRIVATE SerialHDF5::SerialHDF5)
endif()

if("CUDA" IN_LIST Kokkos_DEVICES)
  # nvcc does not accept the consteval check of format strings of fmt 9, nor g++ 12 what fmt makes
  # of that by itself.
  add_compile_definitions(FMT_CONSTEVAL= FMT_USE_CONSTEXPR=1)
endif()

if(FATVEC_HAVE_MPI)
  include(mpi)
endif()

# The products that the programs choose from at run time.
# In float the kernels of some formats, each in a unit of its own; what fatvec::kernels has in float is not compiled again.
set(pages csr sell sliced_dia)
if("float:32" IN_LIST FATVEC_INSTANTIATE)
  set(pages ${FATVEC_KERNEL_PAGES})
endif()
set(FATVEC_FLOAT_FORMATS "${pages}" CACHE STRING "Pages of kernels/ whose kernels the benchmark has in float, too (empty: it has no float)")
set(FATVEC_EXTERN_PRODUCTS "")
set(FATVEC_PREPARE_PRODUCTS "")
set(FATVEC_FLOAT_FORMAT_NAMES "")
set(float_products "")
foreach(page IN LISTS FATVEC_FLOAT_FORMATS)
  if(NOT DEFINED FATVEC_KERNELS_OF_${page})
    list(JOIN FATVEC_KERNEL_PAGES ", " known)
    message(FATAL_ERROR "FATVEC_FLOAT_FORMATS: '${page}' is none of ${known}")
  endif()
  set(FATVEC_PRODUCTS "")
  foreach(kernel IN LISTS FATVEC_KERNELS_OF_${page})
    set(product "template std::unique_ptr<Product> prepare_on<float, ${kernel}>(std::string_view, const Case&);\n")
    string(APPEND FATVEC_PRODUCTS "${product}")
    string(APPEND FATVEC_EXTERN_PRODUCTS "extern ${product}")
    string(APPEND FATVEC_PREPARE_PRODUCTS "  if (kernel == ${kernel}::name) return prepare_on<float, ${kernel}>(backend, task);\n")
  endforeach()
  string(REPLACE "_" "-" name "${page}")
  list(APPEND FATVEC_FLOAT_FORMAT_NAMES "\"${name}\"")
  configure_file("${PROJECT_SOURCE_DIR}/cmake/float_product.cpp.in" "${PROJECT_BINARY_DIR}/products/${page}_float.cpp" @ONLY)
  list(APPEND float_products "${PROJECT_BINARY_DIR}/products/${page}_float.cpp")
endforeach()
list(JOIN FATVEC_FLOAT_FORMAT_NAMES ", " FATVEC_FLOAT_FORMAT_NAMES)

# With values of A in float, X and Y in double: the kernels that are not portable, so that less is compiled.
set(pages "")
if(FATVEC_FLOAT_FORMATS)
  set(pages csr sliced_dia)
endif()
set(FATVEC_SINGLE_FORMATS "${pages}" CACHE STRING "Pages of kernels/ whose kernels the programs have for A in single precision, too")
set(FATVEC_PREPARE_SINGLE_PRODUCTS "")
set(FATVEC_SINGLE_FORMAT_NAMES "")
foreach(page IN LISTS FATVEC_SINGLE_FORMATS)
  if(NOT DEFINED FATVEC_KERNELS_OF_${page})
    list(JOIN FATVEC_KERNEL_PAGES ", " known)
    message(FATAL_ERROR "FATVEC_SINGLE_FORMATS: '${page}' is none of ${known}")
  endif()
  set(FATVEC_PRODUCTS "")
  foreach(kernel IN LISTS FATVEC_KERNELS_OF_${page})
    if(kernel MATCHES "Portable$")
      continue()
    endif()
    set(product "template std::unique_ptr<Product> prepare_on<double, ${kernel}, float>(std::string_view, const Case&);\n")
    string(APPEND FATVEC_PRODUCTS "${product}")
    string(APPEND FATVEC_EXTERN_PRODUCTS "extern ${product}")
    string(APPEND FATVEC_PREPARE_SINGLE_PRODUCTS
           "  if (kernel == ${kernel}::name) return prepare_on<double, ${kernel}, float>(backend, task);\n")
  endforeach()
  string(REPLACE "_" "-" name "${page}")
  list(APPEND FATVEC_SINGLE_FORMAT_NAMES "\"${name}\"")
  configure_file("${PROJECT_SOURCE_DIR}/cmake/float_product.cpp.in" "${PROJECT_BINARY_DIR}/products/${page}_single.cpp" @ONLY)
  list(APPEND float_products "${PROJECT_BINARY_DIR}/products/${page}_single.cpp")
endforeach()
list(JOIN FATVEC_SINGLE_FORMAT_NAMES ", " FATVEC_SINGLE_FORMAT_NAMES)
configure_file("${PROJECT_SOURCE_DIR}/cmake/prepare_in_float.cpp.in" "${PROJECT_BINARY_DIR}/products/prepare_in_float.cpp" @ONLY)

# It declares extern what the others instantiate.
set_source_files_properties("${PROJECT_BINARY_DIR}/products/prepare_in_float.cpp" PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
# Symmetric storage has a kernel for CPUs alone, a specialised one.
set(symmetric_product symmetric_absent)
if(FATVEC_SPECIALISED)
  set(symmetric_product symmetric_product)
endif()
add_library(fatvec_product STATIC ${float_products} "${PROJECT_BINARY_DIR}/products/prepare_in_float.cpp"
            "${PROJECT_SOURCE_DIR}/src/app/dispatch/prepare.cpp" "${PROJECT_SOURCE_DIR}/src/app/dispatch/model.cpp"
            "${PROJECT_SOURCE_DIR}/src/app/dispatch/measure.cpp" "${PROJECT_SOURCE_DIR}/src/app/dispatch/search.cpp"
            "${PROJECT_SOURCE_DIR}/src/app/dispatch/${symmetric_product}.cpp"
            "${PROJECT_SOURCE_DIR}/src/app/dispatch/ordered.cpp" "${PROJECT_SOURCE_DIR}/src/app/dispatch/timing.cpp"
            "${PROJECT_SOURCE_DIR}/src/app/dispatch/transfer_bandwidth.cpp")
target_link_libraries(fatvec_product PUBLIC fatvec::kernels fatvec::io PRIVATE fatvec_options)
fatvec_precompile(fatvec_product)
fatvec_join_for_cuda(fatvec_product 8)

# What both programs do with their command lines and standard streams.
file(GLOB command_line_sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/src/app/cli/common/*.cpp")
add_library(fatvec_command_line STATIC ${command_line_sources})
target_link_libraries(fatvec_command_line PUBLIC fatvec::fatvec CLI11::CLI11 PRIVATE fatvec_options fmt::fmt)
fatvec_join_for_cuda(fatvec_command_line 8)

# Several ranks, where there is an MPI; otherwise a message that says so.
if(TARGET fatvec_mpi)
  set(left_out "_absent[.]cpp$")
  add_library(fatvec_ranks STATIC "${PROJECT_SOURCE_DIR}/src/app/ranks/session.cpp" "${PROJECT_SOURCE_DIR}/src/app/ranks/product.cpp"
              "${PROJECT_SOURCE_DIR}/src/app/ranks/rows.cpp" "${PROJECT_SOURCE_DIR}/src/app/ranks/support.cpp")
  target_link_libraries(fatvec_ranks PUBLIC fatvec::mpi)
else()
  set(left_out "_distributed[.]cpp$")
  add_library(fatvec_ranks STATIC "${PROJECT_SOURCE_DIR}/src/app/ranks/session_absent.cpp")
endif()
target_link_libraries(fatvec_ranks PUBLIC fatvec::kernels PRIVATE fatvec_options)
fatvec_precompile(fatvec_ranks)
fatvec_join_for_cuda(fatvec_ranks 8)

file(GLOB cli_sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/src/app/cli/*.cpp")
list(FILTER cli_sources EXCLUDE REGEX "${left_out}")
if(cli_sources)
  add_executable(fatvec_cli ${cli_sources})
  set_target_properties(fatvec_cli PROPERTIES OUTPUT_NAME fatvec)
  fatvec_join_units(fatvec_cli)
  if(NOT "CUDA" IN_LIST Kokkos_DEVICES) # what takes time is in the libraries; nvcc wants one -O
    target_compile_options(fatvec_cli PRIVATE $<$<CONFIG:Release>:-O1>)
  endif()
  target_compile_definitions(fatvec_cli PRIVATE FATVEC_VERSION="${PROJECT_VERSION}")
  target_link_libraries(fatvec_cli PRIVATE fatvec_options fatvec::io fatvec_product fatvec_ranks fatvec_command_line Kokkos::kokkoskernels fmt::fmt
                        nlohmann_json::nlohmann_json)
endif()

# fatvec-bench-io: the Matrix Market reader against mmio's fscanf route.
add_executable(fatvec-bench-io "${PROJECT_SOURCE_DIR}/bench/suites/io_benchmark.cpp")
target_link_libraries(fatvec-bench-io PRIVATE fatvec_options fatvec::io MMIO::MMIO benchmark::benchmark)

# Built on request: fatvec-bench-algebra, tall and skinny products beside those of BLAS libraries.
add_executable(fatvec-bench-algebra EXCLUDE_FROM_ALL "${PROJECT_SOURCE_DIR}/bench/suites/algebra_benchmark.cpp")
target_link_libraries(fatvec-bench-algebra PRIVATE fatvec_options fatvec::kernels Kokkos::kokkoskernels)
if("CUDA" IN_LIST Kokkos_DEVICES)
  if(CuBlas_FOUND)
    target_link_libraries(fatvec-bench-algebra PRIVATE CUDA::cublas)
    target_compile_definitions(fatvec-bench-algebra PRIVATE FATVEC_BENCH_CUBLAS)
  endif()
elseif(MKLPeer_FOUND)
  target_link_libraries(fatvec-bench-algebra PRIVATE MKLPeer::MKLPeer)
  target_compile_definitions(fatvec-bench-algebra PRIVATE FATVEC_BENCH_MKL)
endif()

# fatvec-bench: kernels, hand-written code and libraries, measured in one run.
if(EXISTS "${PROJECT_SOURCE_DIR}/bench/CMakeLists.txt")
  add_subdirectory(bench)
endif()
