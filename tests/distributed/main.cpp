// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <mpi.h>

#include <Kokkos_Core.hpp>

/// Every rank runs every test; a failure on any rank is one of the program.
int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  int level = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank > 0) testing::GTEST_FLAG(brief) = true;
  int result = 0;
  {
    const Kokkos::ScopeGuard kokkos(argc, argv);
    result = RUN_ALL_TESTS();
  }
  MPI_Finalize();
  return result;
}
