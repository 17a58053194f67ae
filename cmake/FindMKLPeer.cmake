# SPDX-License-Identifier: Apache-2.0
# oneMKL as a peer of the benchmark: 32-bit integers, and its threads those of GNU OpenMP. MKL's own
# package files would link Intel's OpenMP runtime instead, a second one in the same program.
# Searched in MKLROOT, in an installed oneAPI, in what scripts/setup downloaded, in the system.
# Defines MKLPeer::MKLPeer.
include(FindPackageHandleStandardArgs)

find_path(MKLPeer_INCLUDE_DIR mkl_spblas.h
  HINTS ENV MKLROOT "/opt/intel/oneapi/mkl/latest" "${FATVEC_DEPS}/../mkl" PATH_SUFFIXES include mkl)
set(libraries "")
foreach(library intel_lp64 gnu_thread core) # the order in which they need each other
  # PyPI's packages have no link without a version number.
  find_library(MKLPeer_${library}_LIBRARY NAMES mkl_${library} libmkl_${library}.so.3 libmkl_${library}.so.2
    HINTS "${MKLPeer_INCLUDE_DIR}/.." PATH_SUFFIXES lib lib/intel64)
  list(APPEND libraries "${MKLPeer_${library}_LIBRARY}")
  list(APPEND variables MKLPeer_${library}_LIBRARY)
endforeach()
mark_as_advanced(MKLPeer_INCLUDE_DIR ${variables})

if(EXISTS "${MKLPeer_INCLUDE_DIR}/mkl_version.h") # year and update, as Intel prints it
  file(STRINGS "${MKLPeer_INCLUDE_DIR}/mkl_version.h" version REGEX "#define __INTEL_MKL_(_|UPDATE__) ")
  string(REGEX REPLACE "#define [A-Z_]+ *([0-9]+)" "\\1" version "${version}")
  list(JOIN version "." MKLPeer_VERSION)
endif()

find_package_handle_standard_args(MKLPeer REQUIRED_VARS MKLPeer_core_LIBRARY ${variables} MKLPeer_INCLUDE_DIR
  VERSION_VAR MKLPeer_VERSION)
if(MKLPeer_FOUND AND NOT TARGET MKLPeer::MKLPeer)
  set(MKLPeer_LIBRARY "${MKLPeer_core_LIBRARY}")
  add_library(MKLPeer::MKLPeer INTERFACE IMPORTED)
  # The three refer to each other, and the program only to the first: a linker that drops what looks
  # unused would drop two.
  set_target_properties(MKLPeer::MKLPeer PROPERTIES INTERFACE_INCLUDE_DIRECTORIES "${MKLPeer_INCLUDE_DIR}"
    INTERFACE_LINK_OPTIONS "-Wl,--no-as-needed" INTERFACE_LINK_LIBRARIES "${libraries}")
endif()
