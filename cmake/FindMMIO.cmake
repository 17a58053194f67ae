# SPDX-License-Identifier: Apache-2.0
# The NIST Matrix Market I/O library (mmio.h): a plain installation first, then the copies that
# Debian packages inside ColPack (C++ linkage) and lp_solve (C linkage). Defines MMIO::MMIO; code
# includes the header as FATVEC_MMIO_HEADER.
include(CheckCXXSourceCompiles)
include(FindPackageHandleStandardArgs)

foreach(candidate "mmio.h|mmio" "ColPack/mmio.h|ColPack" "lpsolve/mmio.h|lpsolve55")
  string(REPLACE "|" ";" candidate "${candidate}")
  list(GET candidate 0 header)
  list(GET candidate 1 library)
  string(MAKE_C_IDENTIFIER "${library}" id)
  find_path(MMIO_${id}_INCLUDE_DIR "${header}")
  find_library(MMIO_${id}_LIBRARY "${library}")
  mark_as_advanced(MMIO_${id}_INCLUDE_DIR MMIO_${id}_LIBRARY)
  if(MMIO_${id}_INCLUDE_DIR AND MMIO_${id}_LIBRARY)
    set(MMIO_INCLUDE_DIR "${MMIO_${id}_INCLUDE_DIR}")
    set(MMIO_LIBRARY "${MMIO_${id}_LIBRARY}")
    set(MMIO_HEADER "${header}")
    set(MMIO_C_LINKAGE 1)
    if(library STREQUAL "ColPack")
      set(MMIO_C_LINKAGE 0)
    endif()
    break()
  endif()
endforeach()

find_package_handle_standard_args(MMIO REQUIRED_VARS MMIO_LIBRARY MMIO_INCLUDE_DIR)
if(MMIO_FOUND AND NOT TARGET MMIO::MMIO)
  add_library(MMIO::MMIO UNKNOWN IMPORTED)
  set_target_properties(MMIO::MMIO PROPERTIES IMPORTED_LOCATION "${MMIO_LIBRARY}" INTERFACE_INCLUDE_DIRECTORIES "${MMIO_INCLUDE_DIR}"
    INTERFACE_COMPILE_DEFINITIONS "FATVEC_MMIO_HEADER=<${MMIO_HEADER}>;FATVEC_MMIO_C_LINKAGE=${MMIO_C_LINKAGE}")
endif()
