// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fatvec/formats/symmetric.hpp>
#include <fatvec/kernels/host/symmetric_kernel.hpp>
#include <fatvec/kernels/spmm.hpp>

namespace fatvec {

/// A symmetric matrix, and what its products by several threads of a CPU want: the rows of each
/// thread, and scratch memory for what it adds to the rows of others. prepare() makes it.
template <SparseFormat Matrix>
struct PreparedSymmetric : Matrix {
  Kokkos::View<detail::SymmetricShare*, Kokkos::HostSpace> shares;  ///< of the rows, one a thread
  Kokkos::View<std::byte*, Kokkos::HostSpace> strips;
  std::int64_t strip_rows = 0;    ///< of all shares
  std::int64_t bytes_of_row = 0;  ///< of a strip

  PreparedSymmetric() = default;
  explicit PreparedSymmetric(Matrix matrix) : Matrix(std::move(matrix)) {}
  /// Of the triangle, and of what is beside it.
  [[nodiscard]] std::uint64_t bytes() const {
    return Matrix::bytes() + detail::view_bytes(shares) + detail::view_bytes(strips);
  }
  /// Columns that the strips have room for; products of more go over the matrix several times.
  template <class T>
  [[nodiscard]] std::int64_t columns() const {
    return std::max<std::int64_t>(1, bytes_of_row / static_cast<std::int64_t>(sizeof(T)));
  }
};

/// Symmetric storage on CPUs: each entry of the triangle is read once and multiplied twice.
///
/// A thread has consecutive rows with about equal numbers of entries. What its entries add to rows
/// of other threads goes to a strip of its own; a second launch adds the strips to Y, in the order
/// of the threads. So there are no atomics, and sums are the same bits in every run with as many
/// threads. The strips belong to what prepare() makes: products of a matrix that is not prepared
/// are made by one thread.
///
/// There is no kernel for devices, and none for outputs of the caller's: the ordinary one is added
/// to as entries come. to_csr() makes a matrix for both.
struct SymmetricRows {
  static constexpr std::string_view name = "symmetric-rows";
  template <class Scalar, class Ordinal, class Device, class Offset>
  using Matrix = SymmetricMatrix<Scalar, Ordinal, Device, Offset>;

  /// There is nothing to choose.
  struct Policy {
    static std::vector<Policy> tuning_range() { return {{}}; }
    [[nodiscard]] std::string to_string() const { return "rows:equal-entries"; }
    bool operator==(const Policy&) const = default;
  };
  using HostPolicy = Policy;
  using DevicePolicy = Policy;

  template <class Scalar, class ExecSpace>
  static bool heeds_policy(const ExecSpace&) {
    return false;
  }

  template <class ExecSpace, class M, class T, detail::Columns columns, class Output>
  static void run(const ExecSpace& exec, const Policy&, const M& a,
                  const detail::MultiVectorSpan<const T, columns>& x, const Output& output,
                  std::int64_t k) {
    static_assert(detail::is_host<ExecSpace>,
                  "symmetric storage is multiplied on CPUs: on devices multiply A.to_csr(exec)");
    static_assert(detail::is_scaled_sum<Output>,
                  "products of symmetric storage end in Y = beta Y + alpha A X, not in outputs or "
                  "fused operations: for those multiply A.to_csr(exec)");
    if constexpr (detail::is_host<ExecSpace> && detail::is_scaled_sum<Output>) {
      constexpr bool may_be_contiguous = columns == detail::Columns::contiguous;
      const detail::Operand<const T> of_x{x.data, x.row_stride, x.step()};
      if constexpr (may_be_contiguous)
        if (k == 1 || output.y.column_stride == 1) return multiply<true>(exec, a, of_x, output, k);
      multiply<false>(exec, a, of_x, output, k);
    }
  }

 private:
  template <bool contiguous, class ExecSpace, class M, class T>
  static void multiply(const ExecSpace& exec, const M& a, const detail::Operand<const T>& x,
                       const detail::ScaledSum<T>& output, std::int64_t k) {
    using Rows = detail::UpperRows<typename M::value_type, typename M::ordinal_type,
                                   typename M::offset_type>;
    const Rows rows{a.upper.row_map.data(), a.upper.entries.data(), a.upper.values.data(),
                    a.rows()};
    detail::SymmetricOperands<T> of{x, output, k, nullptr, k};
    const auto by_one_thread = [&] {
      detail::launch_parts("fatvec::symmetric-rows", exec, 1,
                           detail::SymmetricProduct<T, Rows, contiguous>{rows, of, nullptr});
    };
    if constexpr (!requires { a.shares; }) {
      by_one_thread();
    } else {
      const auto shares = static_cast<std::int64_t>(a.shares.extent(0));
      if (shares == 0) return by_one_thread();  // not prepared yet
      of.strips = reinterpret_cast<T*>(a.strips.data());
      if (a.strip_rows > 0) of.capacity = a.template columns<T>();
      for (std::int64_t c = 0; c < k; c += of.capacity) {
        of.columns = std::min(of.capacity, k - c);
        of.x = x.from_column(c);
        of.output.y = output.y.from_column(c);
        detail::launch_parts(
            "fatvec::symmetric-rows", exec, shares,
            detail::SymmetricProduct<T, Rows, contiguous>{rows, of, a.shares.data()});
        if (a.strip_rows == 0) continue;
        detail::launch_parts("fatvec::symmetric-strips", exec, shares,
                             detail::AddStrips<T>{of, a.shares.data(), shares, rows.rows, shares});
      }
    }
  }
};

/// What says that sums over rows are not formed: SymmetricRows::run.
template <>
struct ReducingKernel<SymmetricRows> {
  using type = SymmetricRows;
};

/// The kernel of SymmetricMatrix.
template <class Scalar, class Ordinal, class Device, class Offset>
struct DefaultKernel<SymmetricMatrix<Scalar, Ordinal, Device, Offset>> {
  using type = SymmetricRows;
};
template <class Matrix>
struct DefaultKernel<PreparedSymmetric<Matrix>> : DefaultKernel<Matrix> {};

namespace detail {

/// Behind the last row that a share reaches.
template <class Rows>
struct FindReach {
  Rows rows;
  SymmetricShare* shares;
  RowPartition partition;

  void operator()(std::int64_t part) const {
    SymmetricShare& share = shares[part];
    share = {partition.begin(part, rows), partition.begin(part + 1, rows), 0, 0};
    share.reach = rows.reach(share.first, share.last);
  }
};

/// Shares the rows of a matrix out among `count` threads, and allocates the strips.
template <class ExecSpace, class Matrix>
void share_rows(const ExecSpace& exec, PreparedSymmetric<Matrix>& a, std::int64_t bytes_of_row,
                std::int64_t count) {
  using Rows = UpperRows<typename Matrix::value_type, typename Matrix::ordinal_type,
                         typename Matrix::offset_type>;
  const Kokkos::DefaultHostExecutionSpace host;
  const Rows rows{a.upper.row_map.data(), a.upper.entries.data(), a.upper.values.data(), a.rows()};
  a.shares = allocate<decltype(a.shares)>(host, "fatvec::symmetric::shares", count);
  auto* const shares = a.shares.data();
  Kokkos::parallel_for("fatvec::symmetric::shares", Range<ExecSpace>(exec, 0, count),
                       FindReach<Rows>{rows, shares, {rows.rows, count}});
  exec.fence("fatvec::prepare");
  constexpr std::int64_t together = 64;  // rows, so that strips have no line in common
  a.strip_rows = 0;
  for (std::int64_t s = 0; s < count; ++s) {
    shares[s].strip = a.strip_rows;
    a.strip_rows += (shares[s].reach - shares[s].last + together - 1) / together * together;
  }
  a.bytes_of_row = std::max<std::int64_t>(16, bytes_of_row);
  const std::int64_t bytes = a.strip_rows * a.bytes_of_row;
  require_fits<Kokkos::HostSpace>(
      "prepare: symmetric storage", {0, static_cast<double>(bytes)}, {},
      concat(a.strip_rows, " rows that threads add to each other's; prepare for fewer columns, or ",
             "order the matrix by reverse Cuthill-McKee"));
  a.strips = allocate<decltype(a.strips)>(host, "fatvec::symmetric::strips", bytes);
}

}  // namespace detail

/// Shares the rows out among exec's threads, and allocates the scratch memory of products with k
/// columns of T: for each thread as many rows of k elements as lie between its own last row and the
/// last one that its entries reach. Matrices with a narrow band want little. A matrix whose entries
/// lie anywhere wants up to half of Y for each thread: order it first (reverse Cuthill-McKee).
///
/// @param exec    where the products will run: a host space
/// @param matrix  its arrays are shared, and its pattern is to stay
/// @param k       columns of X; products of more columns go over the matrix several times, and
///                by one thread where those of k have too little work for more
/// @tparam T      the scalar type of X and Y
///
/// The scratch memory serves one product at a time. Throws ShapeError for a k out of range,
/// CapacityError, before it is allocated, where the strips exceed the free memory.
template <class T = void, class ExecSpace, class Scalar, class Ordinal, class Device, class Offset>
auto prepare(const ExecSpace& exec, const SymmetricMatrix<Scalar, Ordinal, Device, Offset>& matrix,
             std::int64_t k) {
  static_assert(detail::is_host<ExecSpace>,
                "symmetric storage is multiplied on CPUs: on devices prepare A.to_csr(exec)");
  using Prepared = PreparedSymmetric<SymmetricMatrix<Scalar, Ordinal, Device, Offset>>;
  using Of = detail::ScalarOr<T, Scalar>;
  detail::require_columns("prepare", k, 0);
  Prepared prepared(matrix);
  const std::int64_t work = matrix.stored_entries() * (k + 3);
  detail::share_rows(exec, prepared, k * std::int64_t{sizeof(Of)},
                     work < detail::serial_work ? 1 : std::int64_t{exec.concurrency()});
  return prepared;
}

}  // namespace fatvec
