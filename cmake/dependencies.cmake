# SPDX-License-Identifier: Apache-2.0
# Every dependency is found here, once, and listed in one table when configure ends. A target that
# the project above fatvec has already goes first. Nothing is downloaded by CMake: scripts/bootstrap
# supplies Kokkos and Kokkos Kernels, the distribution everything else.
include(fatvecKokkos)
define_property(GLOBAL PROPERTY FATVEC_DEPENDENCIES)
define_property(GLOBAL PROPERTY FATVEC_MISSING)

# fatvec_dependency(NAME VERSION ORIGIN): one line of the table.
function(fatvec_dependency name version origin)
  if(NOT version)
    set(version "-")
  endif()
  set_property(GLOBAL APPEND PROPERTY FATVEC_DEPENDENCIES "${name}|${version}|${origin}")
endfunction()

# fatvec_found(NAME PACKAGE): the line of what find_package(PACKAGE) has just found.
macro(fatvec_found name package)
  set(_version "${${package}_VERSION}")
  if(NOT _version MATCHES "[0-9]")
    set(_version "${${package}_VERSION_STRING}")
  endif()
  set(_origin "${${package}_DIR}")
  if(NOT _origin)
    set(_origin "${${package}_LIBRARY}")
  endif()
  if(NOT _origin)
    set(_origin "${${package}_LIBRARIES}")
  endif()
  fatvec_dependency("${name}" "${_version}" "${_origin}")
endmacro()

# fatvec_missing(NAME REMEDY): remembered, so that all that is missing is named at once.
function(fatvec_missing name remedy)
  fatvec_dependency("${name}" "missing" "${remedy}")
  set_property(GLOBAL APPEND PROPERTY FATVEC_MISSING "${name}: ${remedy}")
endfunction()

# fatvec_require(PACKAGE TARGET REMEDY find_package-arguments...): TARGET as it is, or find PACKAGE,
# or it is missing.
macro(fatvec_require package target remedy)
  if(TARGET ${target})
    fatvec_dependency("${package}" "${${package}_VERSION}" "${target} of ${CMAKE_PROJECT_NAME}")
  else()
    find_package(${package} ${ARGN})
    if(${package}_FOUND)
      fatvec_found("${package}" ${package})
    else()
      fatvec_missing("${package}" "${remedy}")
    endif()
  endif()
endmacro()

# fatvec_peer(NAME PACKAGE REMEDY find_package-arguments...): a library that the benchmark compares
# with where there is one.
macro(fatvec_peer name package remedy)
  find_package(${package} ${ARGN})
  if(${package}_FOUND)
    fatvec_found("${name}" ${package})
  else()
    fatvec_dependency("${name}" "absent" "no such contender: ${remedy}")
  endif()
endmacro()

function(fatvec_print_dependencies)
  get_property(lines GLOBAL PROPERTY FATVEC_DEPENDENCIES)
  message(STATUS "fatvec ${PROJECT_VERSION}, ${CMAKE_BUILD_TYPE}, ${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION}")
  foreach(line IN LISTS lines)
    string(REPLACE "|" ";" parts "${line}")
    list(GET parts 0 name)
    list(GET parts 1 version)
    list(GET parts 2 origin)
    string(SUBSTRING "${name}                    " 0 18 name)
    string(SUBSTRING "${version}               " 0 12 version)
    message(STATUS "  ${name}${version}${origin}")
  endforeach()
endfunction()

# Kokkos: that of the project above, whether it found it or builds it; else an installed one
# (Kokkos_ROOT, CMAKE_PREFIX_PATH, Spack, a module); else what scripts/bootstrap put into .deps.
set(FATVEC_DEPS "${PROJECT_SOURCE_DIR}/.deps/openmp" CACHE PATH "Where scripts/bootstrap installed Kokkos; searched last")
# scripts/bootstrap builds only where nothing installed fits: what it has built then goes first,
# unless Kokkos_ROOT says otherwise.
if(EXISTS "${FATVEC_DEPS}/.complete" AND NOT Kokkos_ROOT AND NOT DEFINED ENV{Kokkos_ROOT})
  set(Kokkos_ROOT "${FATVEC_DEPS}")
  set(KokkosKernels_ROOT "${FATVEC_DEPS}")
endif()
if(NOT TARGET Kokkos::kokkos)
  find_package(Kokkos 4.7...<6 CONFIG PATHS "${FATVEC_DEPS}" QUIET)
endif()
if(TARGET Kokkos::kokkos)
  fatvec_inspect_kokkos(Kokkos)
  if(Kokkos_ERROR)
    message(FATAL_ERROR "${Kokkos_ERROR}")
  endif()
  foreach(backend IN LISTS FATVEC_BACKENDS)
    if(NOT backend IN_LIST Kokkos_DEVICES)
      message(FATAL_ERROR "the Kokkos in ${Kokkos_FOLDER} has ${Kokkos_DEVICES}, this build wants ${backend}. "
                          "Set Kokkos_ROOT to one that has it, or run scripts/bootstrap for this preset, "
                          "or build yours with -DKokkos_ENABLE_${backend}=ON.")
    endif()
  endforeach()
  # Without a device's backend that language is C++.
  if(FATVEC_ENABLE_KERNELS AND (Kokkos_COMPILE_LANGUAGE MATCHES "CUDA|HIP"
                                OR (Kokkos_ENABLE_COMPILE_AS_CMAKE_LANGUAGE AND Kokkos_DEVICES MATCHES "CUDA|HIP")))
    message(FATAL_ERROR "fatvec::kernels is compiled as C++, and this Kokkos wants what uses it compiled as another language of CMake "
                        "(Kokkos_ENABLE_COMPILE_AS_CMAKE_LANGUAGE). Build Kokkos without that, or take fatvec's headers alone: "
                        "FATVEC_ENABLE_KERNELS, FATVEC_ENABLE_TOOLS and FATVEC_ENABLE_TESTS are OFF then.")
  endif()
  fatvec_dependency("Kokkos" "${Kokkos_VERSION}" "${Kokkos_FOLDER}")
elseif(PROJECT_IS_TOP_LEVEL)
  fatvec_missing("Kokkos" "run scripts/bootstrap, or set Kokkos_ROOT to an installed Kokkos 4.7 ... 5.x")
else()
  set(unfit "")
  foreach(version config IN ZIP_LISTS Kokkos_CONSIDERED_VERSIONS Kokkos_CONSIDERED_CONFIGS)
    string(APPEND unfit "\nFound, but not used: Kokkos ${version} in ${config}")
  endforeach()
  message(FATAL_ERROR "fatvec needs Kokkos 4.7 ... 5.x, and ${CMAKE_PROJECT_NAME} has none. Before fatvec, do one of these:\n"
    "  find_package(Kokkos 4.7 REQUIRED)   # an installed one; -DKokkos_ROOT=PREFIX says where\n"
    "  add_subdirectory(kokkos)            # a source tree in yours\n"
    "  FetchContent_MakeAvailable(Kokkos)  # after FetchContent_Declare(Kokkos ...)\n"
    "or let ${PROJECT_SOURCE_DIR}/scripts/bootstrap build one for fatvec.${unfit}")
endif()

# Kokkos passes on the architecture options that it chose itself (native), not the -march=... of
# scripts/bootstrap's FATVEC_HOST_ARCH.
string(FIND "${Kokkos_FOLDER}" "${FATVEC_DEPS}/" position)
if(position EQUAL 0 AND EXISTS "${FATVEC_DEPS}/.arch")
  file(STRINGS "${FATVEC_DEPS}/.arch" arch LIMIT_COUNT 1)
  string(REGEX REPLACE " .*" "" arch "${arch}")
  if(NOT arch STREQUAL "native")
    target_compile_options(fatvec_options INTERFACE "-march=${arch}")
  endif()
endif()

if(FATVEC_ENABLE_TOOLS OR FATVEC_ENABLE_TESTS)
  # One that was installed was built with an installed Kokkos, and would bring that along.
  set(remedy "run scripts/bootstrap, or set KokkosKernels_ROOT")
  if(TARGET Kokkos::kokkos AND NOT TARGET Kokkos::kokkoskernels)
    get_target_property(imported Kokkos::kokkos IMPORTED)
    if(imported)
      find_package(KokkosKernels CONFIG HINTS "${Kokkos_DIR}/.." PATHS "${FATVEC_DEPS}" QUIET)
    else()
      set(remedy "add_subdirectory(kokkos-kernels) before fatvec: ${CMAKE_PROJECT_NAME} builds its Kokkos, and an installed one has another")
    endif()
  endif()
  if(TARGET Kokkos::kokkoskernels)
    fatvec_read_header(KokkosKernels_config.h FATVEC_KOKKOSKERNELS_VERSION file Kokkos::kokkoskernels)
    get_filename_component(file "${file}" DIRECTORY)
    fatvec_dependency("KokkosKernels" "${FATVEC_KOKKOSKERNELS_VERSION}" "${file}")
  else()
    fatvec_missing("KokkosKernels" "${remedy}")
  endif()
  fatvec_require(MMIO MMIO::MMIO "apt-get install libcolpack-dev (or liblpsolve55-dev, or NIST's mmio)" QUIET)
  fatvec_require(ZLIB ZLIB::ZLIB "apt-get install zlib1g-dev" QUIET)
  fatvec_require(fmt fmt::fmt "apt-get install libfmt-dev" CONFIG QUIET)
  fatvec_require(CLI11 CLI11::CLI11 "apt-get install libcli11-dev" CONFIG QUIET)
  fatvec_require(nlohmann_json nlohmann_json::nlohmann_json "apt-get install nlohmann-json3-dev" CONFIG QUIET)
  fatvec_require(benchmark benchmark::benchmark "apt-get install libbenchmark-dev" CONFIG QUIET)

  if("OPENMP" IN_LIST Kokkos_DEVICES)
    fatvec_peer("MKL" MKLPeer "set MKLROOT, or let scripts/setup download it (x86-64)" QUIET)
    fatvec_peer("Eigen" Eigen3 "apt-get install libeigen3-dev" CONFIG QUIET)
  endif()
  if("CUDA" IN_LIST Kokkos_DEVICES)
    fatvec_peer("cuSPARSE" CuSparse "a CUDA toolkit with libcusparse and cusparse.h" QUIET)
    fatvec_peer("cuBLAS" CuBlas "a CUDA toolkit with libcublas and cublas_v2.h" QUIET)
  endif()
endif()
# fatvec's own answers: MPI_CXX_FOUND and NCCL_FOUND may be those of the project above.
set(FATVEC_HAVE_MPI OFF)
set(FATVEC_HAVE_NCCL OFF)
if(FATVEC_ENABLE_MPI AND (FATVEC_ENABLE_TOOLS OR FATVEC_ENABLE_TESTS))
  set(MPI_CXX_SKIP_MPICXX ON) # the bindings for C are all that is used
  find_package(MPI COMPONENTS CXX QUIET)
  set(remedy "apt-get install libopenmpi-dev openmpi-bin, or load your cluster's module")
  if(MPI_CXX_FOUND)
    set(FATVEC_HAVE_MPI ON)
    fatvec_dependency("MPI" "${MPI_CXX_VERSION}" "${MPI_CXX_COMPILER}")
    if("CUDA" IN_LIST Kokkos_DEVICES)
      find_package(NCCL QUIET)
      if(NCCL_FOUND)
        set(FATVEC_HAVE_NCCL ON)
        fatvec_found("NCCL" NCCL)
      else()
        fatvec_dependency("NCCL" "absent" "GPUs exchange through host memory: set NCCL_ROOT, or apt-get install libnccl-dev")
      endif()
    endif()
  elseif(FATVEC_ENABLE_MPI STREQUAL "AUTO")
    fatvec_dependency("MPI" "absent" "no fatvec::mpi: ${remedy}")
  else()
    fatvec_missing("MPI" "${remedy}")
  endif()
endif()
if(FATVEC_ENABLE_TESTS)
  fatvec_require(GTest GTest::gtest "apt-get install libgtest-dev" QUIET)
endif()

get_property(missing GLOBAL PROPERTY FATVEC_MISSING)
if(missing)
  fatvec_print_dependencies()
  list(JOIN missing "\n  " missing)
  message(FATAL_ERROR "missing (./scripts/setup installs all of them on Debian and Ubuntu):\n  ${missing}")
endif()
