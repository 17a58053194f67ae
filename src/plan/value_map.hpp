// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <fatvec/core/error.hpp>
#include <fatvec/core/execution.hpp>
#include <fatvec/formats/csr.hpp>
#include <fatvec/formats/detail/blocks.hpp>
#include <fatvec/formats/transpose.hpp>

/// Where a format stores the values of a CSR matrix, so that new values of the same pattern need no
/// second look at it.
namespace fatvec::detail {

/// 1, 2, ..., nnz
template <class Index>
struct NumberEntries {
  Index* numbers;
  KOKKOS_FUNCTION void operator()(std::int64_t n) const { numbers[n] = static_cast<Index>(n + 1); }
};

/// Copies numbers of entries, and counts them.
template <class Index>
struct CopyNumbers {
  const Index* from;
  Index* to;
  KOKKOS_FUNCTION void operator()(std::int64_t slot, std::int64_t& entries) const {
    to[slot] = from[slot];
    if (to[slot] != 0) ++entries;
  }
};

/// Stores each value in its slot, as a Scalar; padding stays.
template <class Index, class Value, class Scalar>
struct StoreValues {
  const Index* numbers;
  const Value* from;
  Scalar* to;
  bool conjugate;
  KOKKOS_FUNCTION void operator()(std::int64_t slot) const {
    if (const Index n = numbers[slot]; n != 0)
      to[slot] = static_cast<Scalar>(conjugate_if(conjugate, from[n - 1]));
  }
};

/// Values as Scalars, in the same order.
template <class Value, class Scalar>
struct ConvertValues {
  const Value* from;
  Scalar* to;
  KOKKOS_FUNCTION void operator()(std::int64_t n) const { to[n] = static_cast<Scalar>(from[n]); }
};

/// The number of the entry of A that each slot of a format holds.
template <class Scalar, class Ordinal, class Device, class Offset>
class ValueMap {
  using Csr = CsrMatrix<Scalar, Ordinal, Device, Offset>;
  using Numbers = CsrMatrix<Offset, Ordinal, Device, Offset>;

 public:
  /// Of op(A) in the kernel's format, its rows as in_order() has them: converts a matrix whose
  /// values are the numbers of A's entries. Blocks. Throws UsageError where entries of A share a
  /// slot, as duplicates do in BSR.
  template <class Kernel, class ExecSpace, class InOrder>
  static ValueMap of(const ExecSpace& exec, const Csr& a, Op op, const FormatOptions& options,
                     const InOrder& in_order) {
    using Matrix = typename Kernel::template Matrix<Offset, Ordinal, Device, Offset>;
    Numbers numbers(a.rows(), a.cols(), a.row_map, a.entries,
                    allocate<typename Numbers::Scalars>(exec, "fatvec::plan::numbers", a.nnz()));
    Kokkos::parallel_for("fatvec::plan::number_entries", Range<ExecSpace>(exec, 0, a.nnz()),
                         NumberEntries<Offset>{numbers.values.data()});
    const Matrix stored = Matrix::from_csr(exec, in_order(apply(exec, op, numbers)), options);
    ValueMap map;
    map.conjugates_ = op == Op::conjugate || op == Op::conjugate_transpose;
    map.numbers_ =
        allocate<decltype(map.numbers_)>(exec, "fatvec::plan::value_map", stored.values.size());
    std::int64_t entries = 0;
    Kokkos::parallel_reduce(
        "fatvec::plan::value_map",
        Range<ExecSpace>(exec, 0, static_cast<std::int64_t>(stored.values.size())),
        CopyNumbers<Offset>{stored.values.data(), map.numbers_.data()}, entries);
    if (entries != a.nnz())
      throw UsageError(concat("analyse: A has ", a.nnz() - entries, " duplicate entries, which ",
                              Matrix::name,
                              " adds up: new values have no place of their own. Add them up in A "
                              "first, or leave keep_value_map off."));
    return map;
  }

  [[nodiscard]] bool empty() const { return !numbers_.is_allocated(); }
  [[nodiscard]] std::uint64_t bytes() const { return view_bytes(numbers_); }

  /// Only enqueues work on exec.
  template <class ExecSpace, class Value>
  void store(const ExecSpace& exec, const Value* from, Scalar* to) const {
    Kokkos::parallel_for(
        "fatvec::Plan::update",
        Range<ExecSpace>(exec, 0, static_cast<std::int64_t>(numbers_.extent(0))),
        StoreValues<Offset, Value, Scalar>{numbers_.data(), from, to, conjugates_});
  }

 private:
  Kokkos::View<Offset*, typename Csr::device_type> numbers_;  ///< per slot, from 1; 0 in padding
  bool conjugates_ = false;
};

/// Leaves out kernels whose formats add up the duplicates that A has, where others remain. Returns
/// the number of duplicates, 0 where no kernel had to go.
template <class... Kernels, class ExecSpace, class Scalar, class Ordinal, class Device,
          class Offset>
std::int64_t leave_out_sums(const ExecSpace& exec,
                            const CsrMatrix<Scalar, Ordinal, Device, Offset>& a,
                            std::vector<std::string_view>& kernels) {
  std::vector<std::string_view> others;
  for (const std::string_view kernel : kernels)
    if (((kernel == Kernels::name &&
          Kernels::template Matrix<Scalar, Ordinal, Device, Offset>::keeps_pattern) ||
         ...))
      others.push_back(kernel);
  if (others.empty() || others.size() == kernels.size()) return 0;
  const std::int64_t duplicates = duplicates_of(exec, a);
  if (duplicates > 0) kernels = std::move(others);
  return duplicates;
}

}  // namespace fatvec::detail
