# SPDX-License-Identifier: Apache-2.0
# fatvec::fatvec, header-only: formats and kernels. The build tree holds one folder of links that
# gives every header the spelling under which users include it (<fatvec/formats/csr.hpp>); the
# install tree has the real folders.
set(FATVEC_INCLUDE_DIR "${PROJECT_BINARY_DIR}/include")
set(FATVEC_HEADER_FOLDERS formats kernels src/core src/statistics src/generate src/interop src/io src/plan src/reorder src/fused src/algebra src/app)
if(FATVEC_HAVE_MPI)
  list(APPEND FATVEC_HEADER_FOLDERS src/distributed)
endif()
file(MAKE_DIRECTORY "${FATVEC_INCLUDE_DIR}/fatvec")
foreach(entry IN LISTS FATVEC_HEADER_FOLDERS ITEMS src/fatvec.hpp)
  get_filename_component(name "${entry}" NAME)
  file(CREATE_LINK "${PROJECT_SOURCE_DIR}/${entry}" "${FATVEC_INCLUDE_DIR}/fatvec/${name}" SYMBOLIC)
endforeach()

configure_file("${PROJECT_SOURCE_DIR}/cmake/version.hpp.in" "${FATVEC_INCLUDE_DIR}/fatvec/version.hpp" @ONLY)
include(register_formats)

add_library(fatvec INTERFACE)
add_library(fatvec::fatvec ALIAS fatvec)
target_compile_features(fatvec INTERFACE cxx_std_20)
target_include_directories(fatvec INTERFACE "$<BUILD_INTERFACE:${FATVEC_INCLUDE_DIR}>" "$<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>")
target_link_libraries(fatvec INTERFACE Kokkos::kokkos)
if(NOT FATVEC_SPECIALISED)
  target_compile_definitions(fatvec INTERFACE FATVEC_PORTABLE_ONLY)
endif()
