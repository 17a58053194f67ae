// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include <fatvec/kernels/csr.hpp>

#include "products.hpp"

namespace fatvec::python {

/// A CSR matrix of Python's arrays, which it keeps, or of arrays of its own.
template <class T, class Exec>
class Matrix : public Products<T, Exec, CsrMatrix<T, std::int32_t, Exec, std::int32_t>> {
 public:
  using Csr = CsrMatrix<T, std::int32_t, Exec, std::int32_t>;
  using Base = Products<T, Exec, Csr>;

  /// Adopts the arrays, of 32-bit indices. Throws ShapeError and InputError as fatvec::CsrMatrix
  /// does: offsets and columns are checked.
  Matrix(std::int32_t rows, std::int32_t cols, Readable indptr, Readable indices, Readable data)
      : Base(checked(rows, cols, indptr, indices, data)),
        indptr_(std::move(indptr)),
        indices_(std::move(indices)),
        data_(std::move(data)) {}
  /// A matrix that owns its arrays.
  explicit Matrix(Csr csr) : Base(std::move(csr)) {}

  /// Y = beta · Y + alpha · op(A) · X.
  void multiply_op(Op op, double alpha, const Readable& X, double beta, const Writable& Y,
                   std::uintptr_t stream) const {
    const auto x = multivector<const T, Exec>("X", X);
    const auto y = multivector<T, Exec>("Y", Y);
    const Turn turn;
    const Csr& a = this->get();
    spmm(this->on_stream(stream), op, alpha, a, x, beta, y);
  }

  /// The transpose, with arrays of its own.
  [[nodiscard]] std::unique_ptr<Matrix> transposed() const {
    std::optional<Csr> made;
    {
      const Turn turn;
      const Csr& a = this->get();
      Kokkos::fence("fatvec: values that other streams write");
      made.emplace(apply(Exec(), Op::transpose, a));
    }
    start_kokkos();                                     // throws where it has ended meanwhile
    return std::make_unique<Matrix>(std::move(*made));  // Kept's list is the GIL's
  }

 private:
  static Csr checked(std::int32_t rows, std::int32_t cols, const Readable& indptr,
                     const Readable& indices, const Readable& data) {
    start_kokkos();
    // A is only read: the types that are not const are those for which kernels are compiled.
    const auto offsets = vector<const std::int32_t, Exec>("indptr", indptr);
    const auto columns = vector<std::int32_t, Exec>("indices", indices);
    const auto values = vector<T, Exec>("data", data);
    const Turn turn;
    require_kokkos();
    Kokkos::fence("fatvec: indices that other streams write");
    return {Exec(),
            rows,
            cols,
            typename Csr::ConstOffsets(offsets.data(), offsets.extent(0)),
            typename Csr::Ordinals(columns.data(), columns.extent(0)),
            typename Csr::Scalars(values.data(), values.extent(0))};
  }

  Readable indptr_;
  Readable indices_;
  Readable data_;
};

}  // namespace fatvec::python
