// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>
#include <vector>

#include <fatvec/core/memory.hpp>
#include <fatvec/distributed/from_parts.hpp>

/// PETSc's MPIAIJ matrices as fatvec's, without a copy: both keep what multiplies a rank's own rows
/// of X apart from the rest. Includes nothing of PETSc.
namespace fatvec {
namespace detail {

/// The integers in an array of 32-bit ones: their own where they have 32 bits, else a copy. They
/// are within its range.
template <class View, class Int>
View in_32_bits(const char* label, const Int* from, std::size_t count) {
  if constexpr (sizeof(Int) == sizeof(std::int32_t)) {
    return View(const_cast<Int*>(from), count);  // never written
  } else {
    const typename View::execution_space exec;
    const auto copy = allocate<View>(exec, label, count);
    Kokkos::deep_copy(copy, Kokkos::View<const Int*, typename View::device_type>(from, count));
    return copy;
  }
}

}  // namespace detail

namespace distributed {

/// The arrays of a SeqAIJ matrix: of MatGetRowIJ(M, 0, PETSC_FALSE, PETSC_FALSE, &rows, &i, &j,
/// &done) and MatSeqAIJGetArray(M, &a). In memory of Device. Int is PetscInt, of 32 or 64 bits.
template <class Scalar, class Int = std::int32_t>
struct AijArrays {
  static_assert(std::is_signed_v<Int> && (sizeof(Int) == 4 || sizeof(Int) == 8),
                "Int is PetscInt: a signed integer of 32 or 64 bits");
  Int rows;
  Int cols;
  const Int* i;  ///< rows + 1 offsets
  const Int* j;
  Scalar* a;
  Int nnz;  ///< i[rows]

  /// As CSR: values are shared, and so are i and j of 32 bits; of 64 bits they are copied once.
  /// Throws CapacityError where a rank's rows, columns or entries exceed 32 bits, or the copies
  /// memory.
  template <class Device>
  [[nodiscard]] LocalCsr<Scalar, Device> csr() const {
    using Csr = LocalCsr<Scalar, Device>;
    const auto within_32_bits = [](Int count, const char* what) {
      return fatvec::detail::checked_count<std::int32_t>(static_cast<double>(count), what);
    };
    within_32_bits(nnz, "entries of one rank");
    const auto count = static_cast<std::size_t>(nnz);
    return Csr(within_32_bits(rows, "rows of one rank"),
               within_32_bits(cols, "columns of one rank"),
               fatvec::detail::in_32_bits<typename Csr::Offsets>(
                   "fatvec::csr::row_map", i, static_cast<std::size_t>(rows) + 1),
               fatvec::detail::in_32_bits<typename Csr::Ordinals>("fatvec::csr::entries", j, count),
               typename Csr::Scalars(a, count));
  }
};

/// The matrix of what MatMPIAIJGetSeqAIJ(A, &diagonal, &off_diagonal, &garray) gives. PETSc keeps
/// the arrays; they must outlive the matrix, their pattern must stay, and later values are seen by
/// both. Indices of 64 bits are copied once, values never. Collective; errors are thrown on all
/// ranks.
template <class Device = Kokkos::DefaultHostExecutionSpace, class Scalar, class Int>
auto from_mpiaij(const Communicator& communicator, const AijArrays<Scalar, Int>& diagonal,
                 const std::type_identity_t<AijArrays<Scalar, Int>>& off_diagonal,
                 const std::type_identity_t<Int>* garray, const Options& options = {}) {
  const Partition rows = Partition::of_local_rows(communicator, diagonal.rows);
  const Partition x_rows = Partition::of_local_rows(communicator, diagonal.cols);
  const auto columns = communicator.agree(
      [&] { return std::vector<std::int64_t>(garray, garray + off_diagonal.cols); });
  const auto parts = communicator.agree([&] {
    return std::pair(diagonal.template csr<Device>(), off_diagonal.template csr<Device>());
  });
  return from_parts(communicator, rows, x_rows, parts.first, parts.second, columns, options);
}

}  // namespace distributed
}  // namespace fatvec
