// SPDX-License-Identifier: Apache-2.0
// PETSc: MatMatMult of AIJ and a dense matrix into one that is there already; MatMult for one
// column, which is what its users call there.
#include <petscmat.h>

#include "measure.hpp"

namespace {

using namespace peers;

Mat make_matrix(const Arguments& arguments, const Rows& rows) {
  std::vector<PetscInt> row_map{0}, columns;
  std::vector<PetscScalar> values;
  for (std::int64_t row = rows.begin; row < rows.end; ++row) {
    arguments.visit_row(row, [&](std::int64_t column, double value) {
      columns.push_back(static_cast<PetscInt>(column));
      values.push_back(value);
    });
    row_map.push_back(static_cast<PetscInt>(columns.size()));
  }
  Mat a = nullptr;
  const auto local = static_cast<PetscInt>(rows.count());
  const auto all = static_cast<PetscInt>(arguments.rows());
  PetscCallAbort(PETSC_COMM_WORLD, MatCreate(PETSC_COMM_WORLD, &a));
  PetscCallAbort(PETSC_COMM_WORLD, MatSetSizes(a, local, local, all, all));
  PetscCallAbort(PETSC_COMM_WORLD, MatSetType(a, MATAIJ));
  // Of these two one is for the type that AIJ is on that number of ranks; the other does nothing.
  PetscCallAbort(PETSC_COMM_WORLD,
                 MatSeqAIJSetPreallocationCSR(a, row_map.data(), columns.data(), values.data()));
  PetscCallAbort(PETSC_COMM_WORLD,
                 MatMPIAIJSetPreallocationCSR(a, row_map.data(), columns.data(), values.data()));
  return a;
}

bool multiply_vector(const std::string& version, const Arguments& arguments, const Rows& rows,
                     Mat a) {
  Vec x = nullptr, y = nullptr;
  PetscCallAbort(PETSC_COMM_WORLD, MatCreateVecs(a, &x, &y));
  PetscScalar* to = nullptr;
  PetscCallAbort(PETSC_COMM_WORLD, VecGetArray(x, &to));
  for (std::int64_t row = rows.begin; row < rows.end; ++row) to[row - rows.begin] = x_value(row, 0);
  PetscCallAbort(PETSC_COMM_WORLD, VecRestoreArray(x, &to));
  const bool right = report(
      version, arguments, rows, 1, [&] { PetscCallAbort(PETSC_COMM_WORLD, MatMult(a, x, y)); },
      [&](std::int64_t row, int) {
        const PetscScalar* from = nullptr;
        PetscCallAbort(PETSC_COMM_WORLD, VecGetArrayRead(y, &from));
        const PetscScalar value = from[row];
        PetscCallAbort(PETSC_COMM_WORLD, VecRestoreArrayRead(y, &from));
        return value;
      });
  PetscCallAbort(PETSC_COMM_WORLD, VecDestroy(&x));
  PetscCallAbort(PETSC_COMM_WORLD, VecDestroy(&y));
  return right;
}

bool multiply_dense(const std::string& version, const Arguments& arguments, const Rows& rows, int k,
                    Mat a) {
  Mat x = nullptr, y = nullptr;
  PetscCallAbort(PETSC_COMM_WORLD,
                 MatCreateDense(PETSC_COMM_WORLD, static_cast<PetscInt>(rows.count()), PETSC_DECIDE,
                                static_cast<PetscInt>(arguments.rows()), k, nullptr, &x));
  PetscInt stride = 0;
  PetscScalar* to = nullptr;
  PetscCallAbort(PETSC_COMM_WORLD, MatDenseGetLDA(x, &stride));
  PetscCallAbort(PETSC_COMM_WORLD, MatDenseGetArray(x, &to));
  for (int c = 0; c < k; ++c)
    for (std::int64_t row = rows.begin; row < rows.end; ++row)
      to[static_cast<std::int64_t>(c) * stride + row - rows.begin] = x_value(row, c);
  PetscCallAbort(PETSC_COMM_WORLD, MatDenseRestoreArray(x, &to));
  PetscCallAbort(PETSC_COMM_WORLD, MatAssemblyBegin(x, MAT_FINAL_ASSEMBLY));
  PetscCallAbort(PETSC_COMM_WORLD, MatAssemblyEnd(x, MAT_FINAL_ASSEMBLY));
  PetscCallAbort(PETSC_COMM_WORLD, MatMatMult(a, x, MAT_INITIAL_MATRIX, PETSC_DEFAULT, &y));
  PetscCallAbort(PETSC_COMM_WORLD, MatDenseGetLDA(y, &stride));
  const bool right = report(
      version, arguments, rows, k,
      [&] {
        PetscCallAbort(PETSC_COMM_WORLD, MatMatMult(a, x, MAT_REUSE_MATRIX, PETSC_DEFAULT, &y));
      },
      [&](std::int64_t row, int c) {
        const PetscScalar* from = nullptr;
        PetscCallAbort(PETSC_COMM_WORLD, MatDenseGetArrayRead(y, &from));
        const PetscScalar value = from[static_cast<std::int64_t>(c) * stride + row];
        PetscCallAbort(PETSC_COMM_WORLD, MatDenseRestoreArrayRead(y, &from));
        return value;
      });
  PetscCallAbort(PETSC_COMM_WORLD, MatDestroy(&x));
  PetscCallAbort(PETSC_COMM_WORLD, MatDestroy(&y));
  return right;
}

}  // namespace

int main(int argc, char** argv) {
  const Arguments arguments(argc, argv);
  argc = 1;  // the rest is not for PETSc
  PetscCallAbort(PETSC_COMM_SELF, PetscInitialize(&argc, &argv, nullptr, nullptr));
  bool right = true;
  {
    const std::string version = "PETSc " + std::to_string(PETSC_VERSION_MAJOR) + "." +
                                std::to_string(PETSC_VERSION_MINOR) + "." +
                                std::to_string(PETSC_VERSION_SUBMINOR);
    const Rows rows(arguments.rows());
    Mat a = make_matrix(arguments, rows);
    for (const int k : arguments.columns)
      right &= k == 1 ? multiply_vector(version, arguments, rows, a)
                      : multiply_dense(version, arguments, rows, k, a);
    PetscCallAbort(PETSC_COMM_WORLD, MatDestroy(&a));
  }
  PetscCallAbort(PETSC_COMM_SELF, PetscFinalize());
  return right ? 0 : 1;
}
