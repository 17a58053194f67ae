// SPDX-License-Identifier: Apache-2.0
#include <string>

#include <fatvec/app/dispatch/backends.hpp>
#include <fatvec/app/dispatch/matrix_product.hpp>
#include <fatvec/kernels/csr.hpp>

#include "harness/contender.hpp"
#include "harness/mixed_product.hpp"
#include "harness/scalar.hpp"

/// Contender `fatvec`, format csr, kernel:column-by-column: spmm once for each column, which is
/// what a program does that knows products of one vector only (Gollmann 2020). With --sweep
/// textbook:
///   copies:no    on the columns of X and Y where they lie
///   copies:yes   on a contiguous copy of each, whose making is part of the time
/// And kernel:csr-row/y_layout:column: one product of a row-major X into a column-major Y.
namespace fatvec::bench::inline FATVEC_BENCH_IN {
namespace {

template <class ExecSpace>
struct ColumnByColumn {
  using Matrix = CsrMatrix<Scalar, std::int32_t, ExecSpace, std::int32_t>;
  using Vector = Kokkos::View<Scalar*, ExecSpace>;

  bool copies;
  Prepared<Matrix> prepared{};
  Vector one_x{};
  Vector one_y{};

  void prepare(const ExecSpace& exec, const Matrix& matrix) {
    prepared = fatvec::prepare(exec, matrix, 1);
    if (!copies) return;
    one_x = detail::allocate<Vector>(exec, "fatvec::bench::one_x",
                                     static_cast<std::size_t>(matrix.cols()));
    one_y = detail::allocate<Vector>(exec, "fatvec::bench::one_y",
                                     static_cast<std::size_t>(matrix.rows()));
  }
  template <class X, class Y>
  void operator()(const ExecSpace& exec, Scalar alpha, const Matrix&, const X& x, Scalar beta,
                  const Y& y) const {
    for (std::size_t c = 0; c < y.extent(1); ++c) {
      const auto from = Kokkos::subview(x, Kokkos::ALL, c);
      const auto to = Kokkos::subview(y, Kokkos::ALL, c);
      if (!copies) {
        spmm(exec, alpha, prepared, from, beta, to);
        continue;
      }
      Kokkos::deep_copy(exec, one_x, from);
      if (beta != 0) Kokkos::deep_copy(exec, one_y, to);
      spmm(exec, alpha, prepared, one_x, beta, one_y);
      Kokkos::deep_copy(exec, to, one_y);
    }
  }
};

/// A product whose X and Y have layouts of their own.
template <class ExecSpace>
struct MixedLayouts {
  using Matrix = CsrMatrix<Scalar, std::int32_t, ExecSpace, std::int32_t>;

  std::int64_t k;
  Prepared<Matrix> prepared{};

  void prepare(const ExecSpace& exec, const Matrix& matrix) {
    prepared = fatvec::prepare(exec, matrix, k);
  }
  template <class X, class Y>
  void operator()(const ExecSpace& exec, Scalar alpha, const Matrix&, const X& x, Scalar beta,
                  const Y& y) const {
    spmm(exec, alpha, prepared, x, beta, y);
  }
};

template <class ExecSpace>
void add_columns(Registry& registry, const std::string& backend) {
  const bool on_request = runs_on_request(backend);
  registry.add({.name = "fatvec",
                .backend = backend,
                .format = "csr",
                .parameters = {{"kernel", std::string(CsrRow::name)}, column_major_y()},
                .on_request = on_request,
                .sweep = "textbook",
                .prepare = [](const product::Case& task) {
                  return make_mixed_product<Scalar, ExecSpace>(task,
                                                               MixedLayouts<ExecSpace>{task.k});
                }});
  for (const bool copies : {false, true}) {
    registry.add({.name = "fatvec",
                  .backend = backend,
                  .format = "csr",
                  .parameters = {{"kernel", "column-by-column"}, {"copies", copies ? "yes" : "no"}},
                  .on_request = on_request,
                  .sweep = "textbook",
                  .prepare = [copies](const product::Case& task) {
                    return product::make_product<CsrMatrix, Scalar, ExecSpace>(
                        task, ColumnByColumn<ExecSpace>{copies});
                  }});
  }
}

}  // namespace

void add_fatvec_columns(Registry& registry) {
  product::for_each_backend([&](auto backend) {
    add_columns<typename decltype(backend)::Space>(registry, std::string(backend.name));
  });
}

}  // namespace fatvec::bench::inline FATVEC_BENCH_IN
