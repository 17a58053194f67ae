// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Core.hpp>
#include <Kokkos_Profiling_ScopedRegion.hpp>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

#include <fatvec/distributed/halo.hpp>
#include <fatvec/distributed/host_memory.hpp>
#include <fatvec/distributed/update.hpp>
#include <fatvec/plan/plan.hpp>

namespace fatvec::distributed {

/// What a distributed matrix may be told.
struct Options {
  /// spmm() finds out whether the operands fit on all ranks before it begins, and throws on all
  /// where they do not: a reduction per product, for debugging. Otherwise an error on one rank ends
  /// all ranks with its message.
  bool agree_on_errors = false;
  /// Between GPUs, where fatvec::mpi was built with NCCL; false: MPI, as elsewhere.
  bool use_nccl = true;
  /// Bytes that one rank may take for a step of building; without it, ranks of one host may take
  /// what is free there together.
  std::optional<std::uint64_t> memory_limit{};
};

/// Columns whose sums of long rows have scratch memory (prepare()).
inline constexpr std::int64_t prepared_columns = 32;

/// The local part of a rank, ready for products: a matrix prepared, a Plan as it is.
template <class Local>
auto ready_for_products(const Local& local) {
  if constexpr (SparseFormat<Local>)
    return prepare(typename Local::execution_space(), local, prepared_columns);
  else
    return local;
}

/// What one rank exchanges in a product.
struct Volume {
  std::int64_t sent_rows = 0;      ///< rows of X, k elements each
  std::int64_t received_rows = 0;  ///< the same: each row that this rank lacks, once
  std::int64_t neighbours = 0;     ///< ranks that it receives from
};

/// What stays when the local part of a matrix is converted; Csr is that of both parts.
template <class Csr>
struct MatrixParts {
  Communicator communicator;
  Partition rows;    ///< of A and Y
  Partition x_rows;  ///< of X: the columns of A
  Options options;
  Volume volume;
  Halo<Csr> halo;
  ValueSource<Csr> values;
};

/// A matrix whose rows are spread over the ranks of a communicator, as are the rows of X and Y: a
/// rank multiplies its rows of X by `local()`, whatever spmm() takes (a matrix in any format, or a
/// Plan), while rows of X of other ranks are on their way for its halo part, in CSR. Built by
/// from_coo() and its sisters (build.hpp). Copies are shallow and share the buffers: their products
/// must not run at the same time.
template <class Local, class Csr_ = Local>
class Matrix {
 public:
  using Csr = Csr_;  ///< of both parts, before local() was converted
  using ExecSpace = typename Csr::execution_space;

  Matrix(const Local& local, std::shared_ptr<MatrixParts<Csr>> shared)
      : local_(ready_for_products(local)), shared_(std::move(shared)) {}

  [[nodiscard]] std::int64_t rows() const { return row_partition().rows(); }
  [[nodiscard]] std::int64_t cols() const { return column_partition().rows(); }
  [[nodiscard]] const Partition& row_partition() const { return shared_->rows; }
  [[nodiscard]] const Partition& column_partition() const { return shared_->x_rows; }
  /// This rank's number of rows of A and Y.
  [[nodiscard]] std::int64_t local_rows() const {
    return row_partition().size(communicator().rank());
  }
  /// This rank's number of rows of X.
  [[nodiscard]] std::int64_t local_cols() const {
    return column_partition().size(communicator().rank());
  }
  [[nodiscard]] const Communicator& communicator() const { return shared_->communicator; }
  [[nodiscard]] const auto& local() const { return local_; }  ///< a matrix is Prepared<Local>
  [[nodiscard]] const Halo<Csr>& halo() const { return shared_->halo; }
  [[nodiscard]] Volume volume() const { return shared_->volume; }
  /// How rows of X travel: "mpi", ...
  [[nodiscard]] std::string_view exchange() const { return halo().exchange().name(); }

  /// Allocates the buffers for products with up to k columns now, not in the first one. T: the
  /// scalar of X and Y, where it is another one than A's. Collective; throws CapacityError on all
  /// ranks, ShapeError for a k out of range or where ranks give another k, UsageError where a
  /// captured product holds smaller ones.
  template <class T = typename Csr::value_type>
  void reserve(std::int64_t k) const {
    agree_on_columns(k);
    make_room(k, sizeof(T));
  }
  /// The same for products with an output of the caller's, which also want scratch memory for the
  /// sums of boundary rows.
  template <class T = typename Csr::value_type>
  void reserve_for_outputs(std::int64_t k) const {
    agree_on_columns(k);
    make_room_for_sums(k, sizeof(T));
  }
  [[nodiscard]] const Options& options() const { return shared_->options; }

  /// The same matrix with another local part, which was made of local().
  template <class Other>
  [[nodiscard]] Matrix<Other, Csr> with_local(const Other& local) const {
    return {local, shared_};
  }

  /// For what is made of local(): limit_of_rank(), on hosts. Collective.
  [[nodiscard]] std::optional<std::uint64_t> limit_of_local(
      std::optional<std::uint64_t> memory_limit) const {
    if constexpr (fatvec::detail::is_host<ExecSpace>)
      return limit_of_rank(communicator(), static_cast<double>(local_.bytes()), memory_limit);
    else
      return memory_limit;
  }

  /// Y = beta · Y + alpha · A · X; see spmm().
  template <class Alpha, MultiVector X, class Beta, MultiVector Y>
  void multiply(const ExecSpace& exec, const Alpha& alpha, const X& x, const Beta& beta,
                const Y& y) const {
    if constexpr (fatvec::detail::types_fit<ExecSpace, Csr, X, Y>()) {
      const Kokkos::Profiling::ScopedRegion region("fatvec::distributed::spmm");
      const auto check = [&] {
        fatvec::detail::validate_operands({"rows of one rank", local_rows(), local_cols()}, x, y);
        const auto of_y = fatvec::detail::operand_of(y);
        const std::int64_t columns = multivector_columns(y);
        if constexpr (SparseFormat<Local>)
          fatvec::detail::require_apart_from_matrix(local_, of_y, local_rows(), columns);
        else
          local_.require_apart(of_y, columns);
        fatvec::detail::require_apart_from_matrix(halo().matrix(), of_y, local_rows(), columns);
      };
      const std::int64_t k = multivector_columns(x);
      const bool agree = shared_->options.agree_on_errors;
      if (agree) {
        communicator().agree_on("columns of X", k, check);
        make_room(k, sizeof(typename Y::value_type));
      }
      communicator().or_abort([&] {
        if (!agree) {
          check();
          make_room(k, sizeof(typename Y::value_type));
        }
        const auto local = [&] { launch_local(exec, alpha, x, beta, y); };
        if (!shared_->halo.has_neighbours()) return local();  // the call of one device
        shared_->halo.multiply(exec, local, alpha, x, y);
      });
    }
  }

  /// A · X, whose rows go to an output of the caller's; see spmm().
  template <MultiVector X, class To>
  void multiply(const ExecSpace& exec, const X& x, const To& output) const {
    using T = std::remove_const_t<typename X::value_type>;
    const Kokkos::Profiling::ScopedRegion region("fatvec::distributed::spmm");
    const std::int64_t k = multivector_columns(x);
    const auto check = [&] {
      fatvec::detail::validate_x({"rows of one rank", local_rows(), local_cols()}, x);
    };
    const bool agree = shared_->options.agree_on_errors;
    if (agree) {
      communicator().agree_on("columns of X", k, check);
      make_room_for_sums(k, sizeof(T));
    }
    communicator().or_abort([&] {
      if (!agree) {
        check();
        make_room_for_sums(k, sizeof(T));
      }
      shared_->halo.multiply_to(
          exec, [&](const auto& to) { fatvec::spmm(exec, local_, x, to); }, x, output);
    });
  }

  /// What a product does beside its local part, alone: rows of X travel, and the halo part is added
  /// to Y. For measuring how much of it the local part hides. Collective, with the same k.
  template <class Alpha, MultiVector X, MultiVector Y>
  void add_halo(const ExecSpace& exec, const Alpha& alpha, const X& x, const Y& y) const {
    static_assert(
        std::is_same_v<std::remove_const_t<typename X::value_type>, typename Y::value_type>,
        "X and Y must have the same scalar type");
    communicator().or_abort([&] {
      fatvec::detail::validate_operands({"rows of one rank", local_rows(), local_cols()}, x, y);
      make_room(multivector_columns(x), sizeof(typename Y::value_type));
      shared_->halo.multiply(exec, [] {}, alpha, x, y);
    });
  }

  /// Takes new values: those of this rank's rows in the order of their global columns, in memory of
  /// exec. Only enqueues work on exec. For a local part in CSR, or a Plan with
  /// PlanOptions::keep_value_map. Matrices that were made of one share its halo: give each of them
  /// the same values before its next product. No messages; throws ShapeError for another number of
  /// values.
  void update(const ExecSpace& exec, const typename Csr::Scalars& values) {
    if constexpr (std::is_same_v<Local, Csr>)
      if (local_.values.data() != shared_->values.local().data())
        throw UsageError(
            "distributed update: this local part was converted back to CSR; update the matrix that "
            "it was made of, and convert that.");
    if constexpr (requires { local_.require_update(values.extent(0), values.label()); })
      local_.require_update(shared_->values.local().extent(0), values.label());
    shared_->values.store(exec, values, shared_->halo);
    if constexpr (!std::is_same_v<Local, Csr>) local_.update(exec, shared_->values.local());
  }

 private:
  void agree_on_columns(std::int64_t k) const {
    communicator().agree_on("columns to reserve", k,
                            [&] { fatvec::detail::require_columns("reserve", k, 0); });
  }

  /// Buffers for rows of X with k elements of that size. Collective.
  void make_room(std::int64_t k, std::size_t element_bytes) const {
    shared_->halo.make_room(communicator(), static_cast<std::size_t>(k) * element_bytes,
                            shared_->options.memory_limit);
  }

  /// The local part of the ordinary product, of operands that are known to fit.
  template <class Alpha, class X, class Beta, class Y>
  void launch_local(const ExecSpace& exec, const Alpha& alpha, const X& x, const Beta& beta,
                    const Y& y) const {
    using T = typename Y::value_type;
    const auto of_x = fatvec::detail::operand_of(x);
    const fatvec::detail::ScaledSum<T> output{
        static_cast<T>(alpha), static_cast<T>(beta),
        fatvec::detail::span_of<fatvec::detail::Columns::strided>(y)};
    const std::int64_t k = multivector_columns(x);
    if constexpr (SparseFormat<Local>) {
      using Kernel = typename DefaultKernel<Local>::type;
      fatvec::detail::launch<Kernel>(exec, PolicyOn<Kernel, ExecSpace>{},
                                     fatvec::detail::slots_of(local_), of_x, output, k);
    } else if constexpr (requires {
                           local_.run(exec, output.alpha, of_x, output.beta, output.y, k);
                         })
      local_.run(exec, output.alpha, of_x, output.beta, output.y, k);
    else
      fatvec::spmm(exec, alpha, local_, x, beta, y);  // a plan of const arrays
  }

  /// The same for products with an output of the caller's.
  void make_room_for_sums(std::int64_t k, std::size_t element_bytes) const {
    shared_->halo.make_room_for_sums(communicator(), local_rows(),
                                     static_cast<std::size_t>(k) * element_bytes,
                                     shared_->options.memory_limit);
  }

  std::decay_t<decltype(ready_for_products(std::declval<const Local&>()))> local_;
  std::shared_ptr<MatrixParts<Csr>> shared_;
};

/// Y = beta · Y + alpha · A · X on the rows of this rank. Collective: all ranks call it, with the
/// same k.
/// exec is an instance of A's execution space; x and y are this rank's rows, a.local_cols() × k and
/// a.local_rows() × k, in any layout.
///
/// The local product runs while rows of X travel. On return Y may still be in the making, as with
/// spmm() of one device. Buffers are allocated in the first product with k columns, or by
/// A.reserve(k). An operand that does not fit ends all ranks with a message
/// (Options::agree_on_errors: throws ShapeError on all).
template <class ExecSpace, class Alpha, class Local, class Csr, MultiVector X, class Beta,
          MultiVector Y>
void spmm(const ExecSpace& exec, const Alpha& alpha, const Matrix<Local, Csr>& a, const X& x,
          const Beta& beta, const Y& y) {
  a.multiply(exec, alpha, x, beta, y);
}

/// A · X, whose rows on this rank go to an output of the caller's (kernels/shared/output.hpp): each
/// element once, complete; boundary rows after the rows of X have come. Collective, as the ordinary
/// product. Buffers, and scratch memory for the boundary rows, are allocated in the first product
/// with k columns, or by A.reserve_for_outputs(k).
template <class ExecSpace, class Local, class Csr, MultiVector X, class To>
  requires Output<To, std::remove_const_t<typename X::value_type>>
void spmm(const ExecSpace& exec, const Matrix<Local, Csr>& a, const X& x, const To& output) {
  a.multiply(exec, x, output);
}

/// The same matrix, its local part in another format. Without a limit, each of the ranks of a host
/// may take a part of its free memory, as large as its part of the entries. Collective.
template <SparseFormat Format, class Local, class Csr>
Matrix<Format, Csr> convert(const typename Csr::execution_space& exec, const Matrix<Local, Csr>& a,
                            const FormatOptions& options = {}) {
  FormatOptions of_rank = options;
  of_rank.memory_limit = a.limit_of_local(options.memory_limit);
  return a.communicator().agree([&] {
    return within(of_rank.memory_limit, options.memory_limit, [&] {
      return a.with_local(Format::from_csr(exec, a.local().to_csr(exec), of_rank));
    });
  });
}

/// The same matrix, its local part a Plan for products with k columns: each rank chooses for its
/// own rows. Collective. Throws UsageError where options name an operation, for the halo part is
/// not transposed or conjugated, or an order of rows.
template <class Csr>
auto analyse(const typename Csr::execution_space& exec, const Matrix<Csr>& a, std::int64_t k,
             const PlanOptions& options = {}) {
  const auto limit = a.limit_of_local(options.format.memory_limit);
  return a.communicator().agree([&] {
    if (options.op != Op::none)
      throw UsageError(
          "distributed analyse: PlanOptions::op must be Op::none; the halo part is not transposed "
          "or conjugated.");
    if (options.order != RowOrder::none)
      throw UsageError(
          "distributed analyse: PlanOptions::order must be RowOrder::none; reorder the matrix "
          "before it is distributed.");
    PlanOptions local = options;
    local.format.memory_limit = limit;
    const Csr& rows = a.local();
    return a.with_local(fatvec::analyse(exec, rows, k, local));
  });
}

}  // namespace fatvec::distributed
