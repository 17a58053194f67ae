# SPDX-License-Identifier: Apache-2.0
include(FindPackageHandleStandardArgs)

# fatvec_find_cuda_library(PACKAGE LIBRARY HEADER PREFIX): what a find module says about a library
# of the CUDA toolkit, which may come without it. CUDA::LIBRARY is its target, and its version is
# what HEADER defines as PREFIX_MAJOR, _MINOR and _PATCH.
macro(fatvec_find_cuda_library package library header prefix)
  find_package(CUDAToolkit QUIET)
  if(TARGET CUDA::${library})
    get_target_property(${package}_LIBRARY CUDA::${library} IMPORTED_LOCATION)
    find_file(${package}_HEADER ${header} HINTS ${CUDAToolkit_INCLUDE_DIRS} NO_DEFAULT_PATH)
    mark_as_advanced(${package}_HEADER)
  endif()
  if(${package}_HEADER)
    file(STRINGS "${${package}_HEADER}" version REGEX "#define ${prefix}_(MAJOR|MINOR|PATCH) ")
    string(REGEX REPLACE "#define [A-Z_]+ *([0-9]+)" "\\1" version "${version}")
    list(JOIN version "." ${package}_VERSION)
  endif()
  find_package_handle_standard_args(${package} REQUIRED_VARS ${package}_LIBRARY ${package}_HEADER VERSION_VAR ${package}_VERSION)
endmacro()
