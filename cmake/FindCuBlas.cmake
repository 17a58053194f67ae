# SPDX-License-Identifier: Apache-2.0
# cuBLAS of the CUDA toolkit, which may come without it: CUDA::cublas, and the version that its header names.
include(FindPackageHandleStandardArgs)

find_package(CUDAToolkit QUIET)
if(TARGET CUDA::cublas)
  get_target_property(CuBlas_LIBRARY CUDA::cublas IMPORTED_LOCATION)
  find_file(CuBlas_HEADER cublas_api.h HINTS ${CUDAToolkit_INCLUDE_DIRS} NO_DEFAULT_PATH)
  mark_as_advanced(CuBlas_HEADER)
endif()
if(CuBlas_HEADER)
  file(STRINGS "${CuBlas_HEADER}" version REGEX "#define CUBLAS_VER_(MAJOR|MINOR|PATCH) ")
  string(REGEX REPLACE "#define [A-Z_]+ *([0-9]+)" "\\1" version "${version}")
  list(JOIN version "." CuBlas_VERSION)
endif()

find_package_handle_standard_args(CuBlas REQUIRED_VARS CuBlas_LIBRARY CuBlas_HEADER VERSION_VAR CuBlas_VERSION)
