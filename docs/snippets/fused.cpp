// SPDX-License-Identifier: Apache-2.0
// The C++ of docs/fused.md.
#include <gtest/gtest.h>

#include <fatvec/fatvec.hpp>
#include <fatvec/generate/generate.hpp>

namespace {

using Exec = Kokkos::DefaultExecutionSpace;
using Matrix = fatvec::CsrMatrix<double>;

// snippet: fused quick start
/// R = B - A X, the squares of its columns' norms, and Q = A R with the dot products of R and Q.
void step(const Exec& exec, const fatvec::CsrPlan<double>& A, Kokkos::View<double**> B,
          Kokkos::View<double**> X, Kokkos::View<double**> R, Kokkos::View<double**> Q,
          Kokkos::View<double*> norms, Kokkos::View<double*> dots) {
  fatvec::residual(exec, B, A, X, R, norms);        // norms(c): the sum of R(i, c)² over i
  fatvec::spmm_dot(exec, 1.0, A, R, 0.0, Q, dots);  // dots(c): the sum of R(i, c) Q(i, c)
}
// end of snippet

// snippet: fused parts
void composed(const Exec& exec, const fatvec::Prepared<Matrix>& A, Kokkos::View<double**> X,
              Kokkos::View<double**> Y, Kokkos::View<double**> Z, Kokkos::View<double*> with_z,
              Kokkos::View<double*> norms) {
  // Y = 2 A X + Y / 2, the dot products of Z and the new Y, and the squares of Y's norms.
  fatvec::spmm(exec, 2.0, A, X, 0.5, Y, fatvec::fused::dot_with(Z, with_z),
               fatvec::fused::square_norms(norms));
}

/// A step of Chebyshev's iteration: W = alpha D⁻¹ (B - A X) + beta W.
void smooth(const Exec& exec, double alpha, Kokkos::View<double*> inverse, Kokkos::View<double**> B,
            const Matrix& A, Kokkos::View<double**> X, double beta, Kokkos::View<double**> W) {
  fatvec::chebyshev_step(exec, alpha, inverse, B, A, X, beta, W);
}
// end of snippet

// snippet: fused workspace
void with_a_workspace(const Exec& exec, const Matrix& A, Kokkos::View<double**> X,
                      Kokkos::View<double**> Y, Kokkos::View<double*> dots) {
  const fatvec::fused::Workspace<Exec> workspace(exec, Y.extent(1), 1);  // allocates: once
  for (int step = 0; step < 10; ++step) fatvec::spmm_dot(exec, 1.0, A, X, 0.5, Y, dots, workspace);
}
// end of snippet

#if defined(KOKKOS_ENABLE_CUDA)
// snippet: captured graph
/// Launches a step many times; exec is of a stream of its own, not the default one.
template <class Step>
void replay(const Kokkos::Cuda& exec, int times, const Step& step) {
  step(exec);  // once before: CUDA loads kernels when they are first launched
  exec.fence();
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t executable = nullptr;
  cudaStreamBeginCapture(exec.cuda_stream(), cudaStreamCaptureModeThreadLocal);
  step(exec);
  cudaStreamEndCapture(exec.cuda_stream(), &graph);
  cudaGraphInstantiateWithFlags(&executable, graph, 0);
  for (int n = 0; n < times; ++n) cudaGraphLaunch(executable, exec.cuda_stream());
  exec.fence();
  cudaGraphExecDestroy(executable);
  cudaGraphDestroy(graph);
}
// end of snippet
#endif

Matrix grid() {
  const auto host = fatvec::generate::generate(fatvec::generate::parse_spec("gen:stencil5:6x6"));
  const Matrix::Offsets row_map("row_map", host.rows() + 1);
  const auto offsets = Kokkos::create_mirror_view(row_map);
  for (int i = 0; i <= host.rows(); ++i) offsets(i) = static_cast<int>(host.row_map(i));
  Kokkos::deep_copy(row_map, offsets);
  return {host.rows(), host.cols(), row_map,
          Kokkos::create_mirror_view_and_copy(Exec(), host.entries),
          Kokkos::create_mirror_view_and_copy(Exec(), host.values)};
}

double first(Kokkos::View<double*> view) {
  return Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), view)(0);
}

class FusedGuide : public testing::Test {
 protected:
  static constexpr int n = 36, k = 2;
  Exec exec_;
  Matrix a_ = grid();
  Kokkos::View<double**> b_{"b", n, k}, x_{"x", n, k}, y_{"y", n, k}, z_{"z", n, k};
  Kokkos::View<double*> dots_{"dots", k}, norms_{"norms", k};
};

TEST_F(FusedGuide, QuickStart) {
  Kokkos::deep_copy(b_, 2);
  step(exec_, fatvec::analyse(exec_, a_, k), b_, x_, y_, z_, norms_, dots_);
  EXPECT_EQ(first(norms_), 4 * n);  // R = B, since X is 0
  EXPECT_EQ(first(dots_), fatvec::dot(exec_, y_, z_)[0]);
}

TEST_F(FusedGuide, Parts) {
  Kokkos::deep_copy(y_, 4);
  Kokkos::deep_copy(z_, 3);
  composed(exec_, fatvec::prepare(exec_, a_, k), x_, y_, z_, dots_, norms_);
  EXPECT_EQ(first(dots_), 6 * n);
  EXPECT_EQ(first(norms_), 4 * n);
  Kokkos::deep_copy(norms_, 1);
  const Kokkos::View<double*> inverse("inverse", n);
  Kokkos::deep_copy(inverse, 0.25);
  smooth(exec_, 2.0, inverse, z_, a_, x_, 1.0, y_);
  EXPECT_EQ(fatvec::vector_statistics(exec_, y_)[0].max, 3.5);
}

TEST_F(FusedGuide, Workspace) {
  Kokkos::deep_copy(x_, 1);
  with_a_workspace(exec_, a_, x_, y_, dots_);
  EXPECT_EQ(first(dots_), fatvec::dot(exec_, x_, y_)[0]);
}

#if defined(KOKKOS_ENABLE_CUDA)
TEST_F(FusedGuide, Graph) {
  cudaStream_t stream = nullptr;
  cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
  {
    const Exec exec(stream);
    Kokkos::deep_copy(x_, 1);
    const auto a = fatvec::prepare(exec_, a_, k);
    Kokkos::fence();
    replay(exec, 3, [&](const Exec& on) { fatvec::spmm_dot(on, 1.0, a, x_, 1.0, y_, dots_); });
    EXPECT_EQ(first(dots_), fatvec::dot(exec_, x_, y_)[0]);
  }
  cudaStreamDestroy(stream);
}
#endif

}  // namespace
