# SPDX-License-Identifier: Apache-2.0
# NCCL: NCCL_INCLUDE_DIR, and the library NCCL::NCCL, from NCCL_ROOT (an installation, or the folder nvidia/nccl of the wheel
# nvidia-nccl-cu13), from what scripts/setup downloaded, the system or the CUDA toolkit.
include(FindPackageHandleStandardArgs)
find_package(CUDAToolkit QUIET)
set(downloaded "${FATVEC_DEPS}/../nccl/nvidia/nccl")
find_path(NCCL_INCLUDE_DIR nccl.h HINTS "${downloaded}" ${CUDAToolkit_INCLUDE_DIRS} PATH_SUFFIXES include)
find_library(NCCL_LIBRARY NAMES nccl libnccl.so.2 NAMES_PER_DIR HINTS "${NCCL_INCLUDE_DIR}/.." ${CUDAToolkit_LIBRARY_DIR} PATH_SUFFIXES lib lib64)
mark_as_advanced(NCCL_INCLUDE_DIR NCCL_LIBRARY)
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
