# SPDX-License-Identifier: Apache-2.0
# fatvec::kernels: the kernels, conversions and plans, compiled once for the scalars and offsets of
# FATVEC_INSTANTIATE. Headers alone (fatvec::fatvec) do without it; whoever links it does not
# compile these again (src/core/instantiate.hpp).
set(types "double:32;double:64;float:32;float:64")
if(NOT PROJECT_IS_TOP_LEVEL)
  set(types "double:32")
endif()
set(FATVEC_INSTANTIATE "${types}" CACHE STRING
    "What fatvec::kernels is compiled for: scalar:bits of an offset; scalars: double, float")

# The execution spaces of this Kokkos.
set(FATVEC_SPACES "")
foreach(pair "SERIAL|Serial" "OPENMP|OpenMP" "CUDA|Cuda")
  string(REPLACE "|" ";" pair "${pair}")
  list(GET pair 0 device)
  list(GET pair 1 space)
  if(device IN_LIST Kokkos_DEVICES)
    list(APPEND FATVEC_SPACES "${space}")
  endif()
endforeach()

# Every instance, as <fatvec/instantiations.hpp> has them.
set(instances "")
set(FATVEC_INSTANCES "")
set(FATVEC_COMPILED_SPACES "")
set(FATVEC_COMPILED_SCALARS "")
set(space_scalars "")
foreach(space IN LISTS FATVEC_SPACES)
  string(APPEND FATVEC_COMPILED_SPACES " \\\n  DO(how, Kokkos::${space})")
  foreach(type IN LISTS FATVEC_INSTANTIATE)
    if(NOT type MATCHES "^(double|float):(32|64)$")
      message(FATAL_ERROR "FATVEC_INSTANTIATE: '${type}' is not double:32, double:64, float:32 or float:64")
    endif()
    set(arguments "Kokkos::${space}, ${CMAKE_MATCH_1}, std::int${CMAKE_MATCH_2}_t")
    if(NOT "${space}|${CMAKE_MATCH_1}" IN_LIST space_scalars)
      list(APPEND space_scalars "${space}|${CMAKE_MATCH_1}")
      string(APPEND FATVEC_COMPILED_SCALARS " \\\n  DO(how, Kokkos::${space}, ${CMAKE_MATCH_1})")
    endif()
    list(APPEND instances "${space}_${CMAKE_MATCH_1}${CMAKE_MATCH_2}|${arguments}")
    string(APPEND FATVEC_INSTANCES " \\\n  DO(how, ${arguments} __VA_OPT__(, ) __VA_ARGS__)")
  endforeach()
endforeach()
configure_file("${PROJECT_SOURCE_DIR}/cmake/instantiations.hpp.in" "${FATVEC_INCLUDE_DIR}/fatvec/instantiations.hpp" @ONLY)

# One source file for each unit and instance, so that builds are parallel: what of its header is
# compiled there. Parts of kernels are those of specialised ones.
set(units ${FATVEC_UNITS} "plan|plan/plan.hpp|APPLY:|FOOTPRINTS:|STRUCTURE_OF:|PLAN:")
if(NOT FATVEC_SPECIALISED)
  list(FILTER units EXCLUDE REGEX "LAUNCH:[A-Za-z]+::")
endif()
set(sources "")
function(fatvec_unit name header) # NAME HEADER LINE...
  list(JOIN ARGN "\n" FATVEC_LINES)
  set(FATVEC_HEADER "${header}")
  set(FATVEC_UNIT "${name}")
  configure_file("${PROJECT_SOURCE_DIR}/cmake/instantiate.cpp.in" "${PROJECT_BINARY_DIR}/kernels/${name}.cpp" @ONLY)
  # ELLPACK's rows do not know their offsets: both widths instantiate the same functions, which nvcc
  # refuses in one unit.
  if(name MATCHES "^Ellpack.*64$")
    set_source_files_properties("${PROJECT_BINARY_DIR}/kernels/${name}.cpp" PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
  endif()
  set(sources ${sources} "${PROJECT_BINARY_DIR}/kernels/${name}.cpp" PARENT_SCOPE)
endfunction()
foreach(unit IN LISTS units)
  string(REPLACE "|" ";" parts "${unit}")
  list(POP_FRONT parts name header)
  foreach(instance IN LISTS instances)
    string(REPLACE "|" ";" instance "${instance}")
    list(GET instance 0 suffix)
    list(GET instance 1 arguments)
    set(lines "")
    foreach(part IN LISTS parts)
      string(REGEX MATCH "^([A-Z_]+):(.*)$" ignored "${part}")
      set(more "")
      if(CMAKE_MATCH_2)
        set(more ", ${CMAKE_MATCH_2}")
      endif()
      list(APPEND lines "FATVEC_${CMAKE_MATCH_1}(, ${arguments}${more})")
    endforeach()
    fatvec_unit("${name}_${suffix}" "${header}" ${lines})
  endforeach()
endforeach()
foreach(pair IN LISTS space_scalars)
  string(REPLACE "|" ";" pair "${pair}")
  list(GET pair 0 space)
  list(GET pair 1 scalar)
  fatvec_unit("statistics_${space}_${scalar}" statistics/vector_statistics.hpp "FATVEC_STATISTICS(, Kokkos::${space}, ${scalar})")
  fatvec_unit("scale_${space}_${scalar}" kernels/shared/output.hpp "FATVEC_SCALE_OUTPUT(, Kokkos::${space}, ${scalar})")
  fatvec_unit("zeros_${space}_${scalar}" fused/without_product.hpp "FATVEC_STORE_ZEROS(, Kokkos::${space}, ${scalar})")
  fatvec_unit("algebra_${space}_${scalar}" algebra/algebra.hpp "FATVEC_ALGEBRA(, Kokkos::${space}, ${scalar})")
endforeach()
foreach(space IN LISTS FATVEC_SPACES)
  fatvec_unit("machine_${space}" plan/machine.hpp "FATVEC_MEASURE_MACHINE(, Kokkos::${space})")
endforeach()

# The check of the processor before anything else runs is compiled for the base architecture.
# nvcc_wrapper leaves it to the host's compiler.
set(FATVEC_PROCESSOR_SOURCE "${PROJECT_SOURCE_DIR}/src/core/processor.cpp")
# sets its options in the caller's folder: those of sources are the folder's
function(fatvec_processor_source)
  set_source_files_properties("${FATVEC_PROCESSOR_SOURCE}" "${PROJECT_SOURCE_DIR}/src/core/processor_features.cpp"
                              PROPERTIES SKIP_PRECOMPILE_HEADERS ON)
  if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64)$" AND CMAKE_CXX_COMPILER_ID MATCHES "^(GNU|Clang)$")
    set(options -march=x86-64 -mtune=generic -mno-sse3)
    if("CUDA" IN_LIST Kokkos_DEVICES AND CMAKE_CXX_COMPILER MATCHES "nvcc_wrapper")
      list(APPEND options --host-only)
    endif()
    set_source_files_properties("${FATVEC_PROCESSOR_SOURCE}" PROPERTIES COMPILE_OPTIONS "${options}"
                                COMPILE_DEFINITIONS FATVEC_CHECK_PROCESSOR)
  endif()
endfunction()
fatvec_processor_source()

add_library(fatvec_kernels ${sources} "${FATVEC_PROCESSOR_SOURCE}" "${PROJECT_SOURCE_DIR}/src/core/processor_features.cpp")
add_library(fatvec::kernels ALIAS fatvec_kernels)
target_link_libraries(fatvec_kernels PUBLIC fatvec::fatvec PRIVATE $<BUILD_INTERFACE:fatvec_options>)
target_compile_definitions(fatvec_kernels PUBLIC FATVEC_KERNELS_LIBRARY)
if(FATVEC_HAVE_CUBLAS) # its header is included by one source alone
  target_sources(fatvec_kernels PRIVATE "${PROJECT_SOURCE_DIR}/src/algebra/cublas.cpp")
  target_link_libraries(fatvec_kernels PRIVATE CUDA::cublas)
  target_compile_definitions(fatvec_kernels PUBLIC FATVEC_HAVE_CUBLAS)
endif()
set_target_properties(fatvec_kernels PROPERTIES EXPORT_NAME kernels CXX_VISIBILITY_PRESET default VISIBILITY_INLINES_HIDDEN OFF
                      VERSION "${PROJECT_VERSION}" SOVERSION "${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR}")
if(FATVEC_HAVE_PYTHON) # the module is a shared library, and nothing in it is replaced at run time
  set_target_properties(fatvec_kernels PROPERTIES POSITION_INDEPENDENT_CODE ON)
  target_compile_options(fatvec_kernels PRIVATE -fno-semantic-interposition)
endif()
if(NOT PROJECT_IS_TOP_LEVEL AND NOT FATVEC_INSTALL) # compiled where something links it
  set_target_properties(fatvec_kernels PROPERTIES EXCLUDE_FROM_ALL ON)
endif()
fatvec_precompile(fatvec_kernels)
fatvec_join_for_cuda(fatvec_kernels 4)
