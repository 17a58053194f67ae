# SPDX-License-Identifier: Apache-2.0
# NCCL: NCCL_INCLUDE_DIR, and the library NCCL::NCCL, from NCCL_ROOT (an installation, or the folder nvidia/nccl of the wheel
# nvidia-nccl-cu13), from where an installed fatvec was built with it (_fatvec_nccl_root), from what scripts/setup downloaded, the
# system or the CUDA toolkit. Searched anew each time: a newer one may have come. The target has no include directories: nvcc would
# search them behind the toolkit's own, which may have an nccl.h.
include(FindPackageHandleStandardArgs)
find_package(CUDAToolkit QUIET)
set(_nccl_downloaded)
if(FATVEC_DEPS)
  set(_nccl_downloaded "${FATVEC_DEPS}/../nccl/nvidia/nccl")
endif()
find_path(NCCL_INCLUDE_DIR nccl.h HINTS ${_fatvec_nccl_root} ${_nccl_downloaded} ${CUDAToolkit_INCLUDE_DIRS} PATH_SUFFIXES include NO_CACHE)
find_library(NCCL_LIBRARY NAMES nccl libnccl.so.2 NAMES_PER_DIR HINTS "${NCCL_INCLUDE_DIR}/.." ${CUDAToolkit_LIBRARY_DIR}
  PATH_SUFFIXES lib lib64 "lib/${CMAKE_LIBRARY_ARCHITECTURE}" NO_CACHE)
if(NCCL_INCLUDE_DIR)
  file(STRINGS "${NCCL_INCLUDE_DIR}/nccl.h" version REGEX "#define NCCL_(MAJOR|MINOR|PATCH) ")
  string(REGEX REPLACE "#define [A-Z_]+ *([0-9]+)" "\\1" version "${version}")
  list(JOIN version "." NCCL_VERSION)
endif()
find_package_handle_standard_args(NCCL REQUIRED_VARS NCCL_LIBRARY NCCL_INCLUDE_DIR VERSION_VAR NCCL_VERSION)
if(NCCL_FOUND AND NOT TARGET NCCL::NCCL)
  add_library(NCCL::NCCL UNKNOWN IMPORTED)
  set_target_properties(NCCL::NCCL PROPERTIES IMPORTED_LOCATION "${NCCL_LIBRARY}")
endif()
