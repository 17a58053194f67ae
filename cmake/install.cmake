# SPDX-License-Identifier: Apache-2.0
# What `cmake --install` puts where: headers, the programs, and a package for find_package(fatvec).
# Install components: library (headers and package), kernels (fatvec::kernels), io (fatvec::io), mpi
# (fatvec::mpi), programs.
include(CMakePackageConfigHelpers)
set(package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/fatvec")

# Where an installed Kokkos is; the other kind is installed with fatvec.
get_target_property(imported Kokkos::kokkos IMPORTED)
set(FATVEC_KOKKOS_DIR "")
if(imported)
  set(FATVEC_KOKKOS_DIR "${Kokkos_DIR}")
endif()
configure_package_config_file("${PROJECT_SOURCE_DIR}/cmake/fatvecConfig.cmake.in" "${PROJECT_BINARY_DIR}/package/fatvecConfig.cmake"
  INSTALL_DESTINATION "${package_dir}")
write_basic_package_version_file("${PROJECT_BINARY_DIR}/package/fatvecConfigVersion.cmake" COMPATIBILITY SameMinorVersion)

# The public folders; what only the programs use (src/app/dispatch, src/app/verify) stays behind.
foreach(folder formats kernels src/core src/statistics src/interop src/plan src/reorder src/fused src/algebra)
  get_filename_component(name "${folder}" NAME)
  install(DIRECTORY "${PROJECT_SOURCE_DIR}/${folder}/" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/fatvec/${name}"
          COMPONENT library FILES_MATCHING PATTERN "*.hpp")
endforeach()
install(FILES "${PROJECT_SOURCE_DIR}/src/fatvec.hpp" "${FATVEC_INCLUDE_DIR}/fatvec/version.hpp" "${FATVEC_INCLUDE_DIR}/fatvec/registered_formats.hpp"
        DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/fatvec" COMPONENT library)
install(FILES "${PROJECT_BINARY_DIR}/package/fatvecConfig.cmake" "${PROJECT_BINARY_DIR}/package/fatvecConfigVersion.cmake"
        "${PROJECT_SOURCE_DIR}/cmake/fatvecKokkos.cmake" DESTINATION "${package_dir}" COMPONENT library)
install(TARGETS fatvec EXPORT fatvecTargets)
install(EXPORT fatvecTargets NAMESPACE fatvec:: DESTINATION "${package_dir}" COMPONENT library)

if(TARGET fatvec_kernels)
  install(FILES "${FATVEC_INCLUDE_DIR}/fatvec/instantiations.hpp" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/fatvec" COMPONENT kernels)
  install(TARGETS fatvec_kernels EXPORT fatvecKernelsTargets COMPONENT kernels
          ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}" LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}")
  install(EXPORT fatvecKernelsTargets NAMESPACE fatvec:: DESTINATION "${package_dir}" COMPONENT kernels)
  set_target_properties(fatvec_kernels PROPERTIES INSTALL_RPATH_USE_LINK_PATH ON) # a shared Kokkos
endif()

if(TARGET fatvec_io)
  set_target_properties(fatvec_io PROPERTIES EXPORT_NAME io)
  foreach(name io generate)
    install(DIRECTORY "${PROJECT_SOURCE_DIR}/src/${name}/" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/fatvec/${name}"
            COMPONENT io FILES_MATCHING PATTERN "*.hpp")
  endforeach()
  install(FILES "${PROJECT_SOURCE_DIR}/cmake/FindMMIO.cmake" "${PROJECT_SOURCE_DIR}/cmake/FindSerialHDF5.cmake" DESTINATION "${package_dir}" COMPONENT io)
  install(TARGETS fatvec_io EXPORT fatvecIoTargets ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}" COMPONENT io)
  install(EXPORT fatvecIoTargets NAMESPACE fatvec:: DESTINATION "${package_dir}" COMPONENT io)
endif()

if(TARGET fatvec_mpi)
  set_target_properties(fatvec_mpi PROPERTIES EXPORT_NAME mpi)
  install(DIRECTORY "${PROJECT_SOURCE_DIR}/src/distributed/" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/fatvec/distributed"
          COMPONENT mpi FILES_MATCHING PATTERN "*.hpp" PATTERN "nccl_exchange.hpp" EXCLUDE)
  install(FILES "${PROJECT_SOURCE_DIR}/cmake/FindNCCL.cmake" "${PROJECT_SOURCE_DIR}/cmake/FindMETIS.cmake" DESTINATION "${package_dir}" COMPONENT mpi)
  install(TARGETS fatvec_mpi EXPORT fatvecMpiTargets ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}" COMPONENT mpi)
  install(EXPORT fatvecMpiTargets NAMESPACE fatvec:: DESTINATION "${package_dir}" COMPONENT mpi)
endif()

# Target `man`: man pages from the programs' help. They are made by default; where the programs do not run, as those for another
# processor, or without a GPU's driver, there are none.
find_package(Python3 3.9 COMPONENTS Interpreter QUIET)
if(TARGET fatvec_bench AND Python3_FOUND)
  add_custom_command(OUTPUT "${PROJECT_BINARY_DIR}/man/fatvec.1" "${PROJECT_BINARY_DIR}/man/fatvec-bench.1"
    COMMAND sh -c "\"$1\" --version > /dev/null || { echo 'no man pages: the programs do not run here'; exit 0; }; shift; exec \"$@\"" man "$<TARGET_FILE:fatvec_cli>" "$<TARGET_FILE:Python3::Interpreter>" -B "${PROJECT_SOURCE_DIR}/scripts/fatvec_docs/man_page.py" "${PROJECT_BINARY_DIR}/man" "${PROJECT_VERSION}"
            "$<TARGET_FILE:fatvec_cli>" "$<TARGET_FILE:fatvec_bench>"
    DEPENDS fatvec_cli fatvec_bench
    COMMENT "Man pages: ${PROJECT_BINARY_DIR}/man" VERBATIM)
  add_custom_target(fatvec_man ALL DEPENDS "${PROJECT_BINARY_DIR}/man/fatvec.1" "${PROJECT_BINARY_DIR}/man/fatvec-bench.1")
  install(FILES "${PROJECT_BINARY_DIR}/man/fatvec.1" "${PROJECT_BINARY_DIR}/man/fatvec-bench.1"
          DESTINATION "${CMAKE_INSTALL_MANDIR}/man1" COMPONENT programs OPTIONAL)
endif()
file(RELATIVE_PATH libraries_from_programs "${CMAKE_INSTALL_FULL_BINDIR}" "${CMAKE_INSTALL_FULL_LIBDIR}")
foreach(program fatvec_cli fatvec_bench)
  if(TARGET ${program})
    # Libraries that the loader does not search by itself: where they were found (a folder in this
    # tree is not among these).
    set_target_properties(${program} PROPERTIES INSTALL_RPATH_USE_LINK_PATH ON)
    if(BUILD_SHARED_LIBS)
      set_target_properties(${program} PROPERTIES INSTALL_RPATH "$ORIGIN/${libraries_from_programs}")
    endif()
    install(TARGETS ${program} RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}" COMPONENT programs)
  endif()
endforeach()
