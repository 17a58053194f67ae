# SPDX-License-Identifier: Apache-2.0
# cuSPARSE of the CUDA toolkit, which may come without it: CUDA::cusparse, and the version that its header names.
include(FindPackageHandleStandardArgs)

find_package(CUDAToolkit QUIET)
if(TARGET CUDA::cusparse)
  get_target_property(CuSparse_LIBRARY CUDA::cusparse IMPORTED_LOCATION)
  find_file(CuSparse_HEADER cusparse.h HINTS ${CUDAToolkit_INCLUDE_DIRS} NO_DEFAULT_PATH)
  mark_as_advanced(CuSparse_HEADER)
endif()
if(CuSparse_HEADER)
  file(STRINGS "${CuSparse_HEADER}" version REGEX "#define CUSPARSE_VER_(MAJOR|MINOR|PATCH) ")
  string(REGEX REPLACE "#define [A-Z_]+ *([0-9]+)" "\\1" version "${version}")
  list(JOIN version "." CuSparse_VERSION)
endif()

find_package_handle_standard_args(CuSparse REQUIRED_VARS CuSparse_LIBRARY CuSparse_HEADER VERSION_VAR CuSparse_VERSION)
