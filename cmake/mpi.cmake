# SPDX-License-Identifier: Apache-2.0
# fatvec::mpi: one matrix over the ranks of an MPI communicator (docs/distributed.md).
file(GLOB mpi_sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/src/distributed/*.cpp")
if(NOT NCCL_FOUND)
  list(FILTER mpi_sources EXCLUDE REGEX "nccl_exchange")
endif()
add_library(fatvec_mpi STATIC ${mpi_sources})
add_library(fatvec::mpi ALIAS fatvec_mpi)
fatvec_precompile(fatvec_mpi)
target_link_libraries(fatvec_mpi PUBLIC fatvec::kernels fatvec::io MPI::MPI_CXX PRIVATE $<BUILD_INTERFACE:fatvec_options>)
if(NCCL_FOUND)
  target_link_libraries(fatvec_mpi PUBLIC NCCL::NCCL)
  target_compile_definitions(fatvec_mpi PUBLIC FATVEC_HAVE_NCCL)
endif()
