# SPDX-License-Identifier: Apache-2.0
# What a Kokkos or Kokkos Kernels is, from the header that it was configured with. Where it is
# installed and where it is a part of the same build there is such a header; only an installed one
# sets variables. Installed beside fatvecConfig.cmake.

# fatvec_read_header(HEADER VERSION FILE TARGET...): VERSION, such as 4.7.0, of the header's macros
# KOKKOS..._VERSION_MAJOR, _MINOR and _PATCH, and FILE, its path, among the include folders of the
# targets. Both are empty where there is none.
function(fatvec_read_header header version_variable file_variable)
  set(folders "")
  foreach(target IN LISTS ARGN)
    if(TARGET ${target})
      get_target_property(more ${target} INTERFACE_INCLUDE_DIRECTORIES)
      list(APPEND folders ${more})
    endif()
  endforeach()
  list(FILTER folders EXCLUDE REGEX "INSTALL_INTERFACE|NOTFOUND")
  string(REGEX REPLACE "\\$<BUILD_INTERFACE:|>" "" folders "${folders}")
  find_file(file "${header}" PATHS ${folders} NO_CACHE NO_DEFAULT_PATH NO_CMAKE_FIND_ROOT_PATH)
  set(version "")
  if(file)
    file(STRINGS "${file}" version REGEX "#define KOKKOS[A-Z]*_VERSION_(MAJOR|MINOR|PATCH) ")
    string(REGEX REPLACE "#define [A-Z_]+ *" "" version "${version}")
    list(JOIN version "." version)
  else()
    set(file "")
  endif()
  set(${version_variable} "${version}" PARENT_SCOPE)
  set(${file_variable} "${file}" PARENT_SCOPE)
endfunction()

# fatvec_inspect_kokkos(PREFIX): of the target Kokkos::kokkos, wherever it comes from,
# PREFIX_VERSION, PREFIX_DEVICES (its backends), PREFIX_FOLDER (of its header), and PREFIX_ERROR,
# empty where fatvec can use it.
function(fatvec_inspect_kokkos prefix)
  fatvec_read_header(KokkosCore_config.h version file Kokkos::kokkoscore Kokkos::kokkos)
  set(error "")
  set(devices "")
  if(NOT file)
    set(error "fatvec found no KokkosCore_config.h in the include folders of Kokkos::kokkoscore, so it cannot tell which Kokkos this is.")
  elseif(version VERSION_LESS 4.7 OR version VERSION_GREATER_EQUAL 6)
    string(CONCAT error "fatvec wants Kokkos 4.7 ... 5.x; the one of ${file} is ${version}. "
           "Fetch another, or set Kokkos_ROOT to an installed one.")
  else()
    file(STRINGS "${file}" devices REGEX "^#define KOKKOS_ENABLE_(SERIAL|OPENMP|OPENMPTARGET|OPENACC|THREADS|HPX|CUDA|HIP|SYCL) *$")
    string(REGEX REPLACE "#define KOKKOS_ENABLE_| " "" devices "${devices}")
  endif()
  get_filename_component(folder "${file}" DIRECTORY)
  set(${prefix}_VERSION "${version}" PARENT_SCOPE)
  set(${prefix}_DEVICES "${devices}" PARENT_SCOPE)
  set(${prefix}_FOLDER "${folder}" PARENT_SCOPE)
  set(${prefix}_ERROR "${error}" PARENT_SCOPE)
endfunction()
