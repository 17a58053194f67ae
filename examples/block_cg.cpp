// SPDX-License-Identifier: Apache-2.0
// Conjugate gradients for k right-hand sides at once: A x_c = b_c, c = 0 ... k - 1, each with its
// own alpha and beta.
//
// The k iterations know nothing of each other; they only share the products Q = A P, each of which
// reads A once for all of them, and forms the dot products of P and Q on the way. A column whose
// residual is small enough is frozen (its alpha and beta become 0), the others go on. A is the
// 7-point Poisson matrix of n × n × n points, the right-hand sides are heat sources at k places.
//
// Everything stays on the device but the test for convergence, k numbers an iteration. Compiled for
// one device and, as distributed_block_cg, for many ranks. --graph solves again, by iterations that
// are captured as CUDA graphs: small systems, whose launches take longer than the work, gain most.
//
// Method: M. R. Hestenes and E. Stiefel, Methods of conjugate gradients for solving linear systems,
// 1952.
#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstdio>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include <fatvec/core/error.hpp>

#include "common.hpp"

using examples::Device;
using examples::Exec;
using examples::Matrix;
using examples::Multivector;
using ColumnDots = examples::ColumnResults<double>;  // a number for each column, on the device

namespace {

struct Options : examples::SolverOptions {
  bool graph = false;
};

/// B(:, c) is a heat source of its own place and width; row x + n (y + n z) is a point of the unit
/// cube. first: the row that is row 0 of b.
void set_sources(const Exec& exec, int n, std::int64_t first, const Multivector& b) {
  examples::for_each_element(
      "set_sources", exec, b.extent_int(0), b.extent_int(1),
      KOKKOS_LAMBDA(std::int64_t row, int c) {
        const double place[] = {0.618 * (c + 1), 0.414 * (c + 1),
                                0.732 * (c + 1)};  // their fractions fill the cube evenly
        const double width = 0.05 + 0.3 / (c + 1);
        double distance = 0;  // squared
        std::int64_t left = first + row;
        for (int axis = 0; axis < 3; ++axis, left /= n) {
          const double away = static_cast<double>(left % n + 1) / (n + 1) -
                              (place[axis] - Kokkos::floor(place[axis]));
          distance += away * away;
        }
        b(row, c) = Kokkos::exp(-distance / (width * width));
      });
}

#if defined(KOKKOS_ENABLE_CUDA) && !defined(EXAMPLES_OF_RANKS)

/// What some work enqueues, captured once to be launched again and again.
class Graph {
 public:
  static constexpr bool available = true;

  /// exec: with a stream of its own. CUDA loads kernels when they are first launched: the work was
  /// done once before.
  template <class Work>
  Graph(const Exec& exec, const Work& work) {
    cudaGraph_t graph = nullptr;
    cudaError_t status =
        cudaStreamBeginCapture(exec.cuda_stream(), cudaStreamCaptureModeThreadLocal);
    if (status != cudaSuccess) throw std::runtime_error(cudaGetErrorString(status));
    work();
    status = cudaStreamEndCapture(exec.cuda_stream(), &graph);
    if (status == cudaSuccess) status = cudaGraphInstantiateWithFlags(&executable_, graph, 0);
    cudaGraphDestroy(graph);
    if (status != cudaSuccess) throw std::runtime_error(cudaGetErrorString(status));
  }
  ~Graph() { cudaGraphExecDestroy(executable_); }
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;
  void launch(const Exec& exec) const {
    const cudaError_t status = cudaGraphLaunch(executable_, exec.cuda_stream());
    if (status != cudaSuccess) throw std::runtime_error(cudaGetErrorString(status));
  }

 private:
  cudaGraphExec_t executable_ = nullptr;
};

#else

/// There are none.
struct Graph {
  static constexpr bool available = false;
  template <class Work>
  Graph(const Exec&, const Work&) {}
  void launch(const Exec&) const {}
};

#endif

/// The vectors of the iteration. r·r has two places: what an iteration finds in one it leaves, new,
/// in the other.
struct Vectors {
  Vectors(const Exec& exec, const Matrix& a, const Multivector& b)
      : r("r", b.extent(0), b.extent(1)),
        p("p", b.extent(0), b.extent(1)),
        q("q", b.extent(0), b.extent(1)),
        rr{examples::column_results<double>(exec, a, b.extent_int(1)),
           examples::column_results<double>(exec, a, b.extent_int(1))},
        pq(examples::column_results<double>(exec, a, b.extent_int(1))),
        workspace(exec, b.extent_int(1), 1),
        limit("limit", b.extent(1)) {}

  Multivector r, p, q;
  ColumnDots rr[2];
  ColumnDots pq;
  fatvec::fused::Workspace<Exec> workspace;
  Kokkos::View<double*, Device> limit;  ///< of rr: a column at or below it is frozen
};

/// Q = A P, and p·q.
void multiply(const Exec& exec, const Matrix& a, const Vectors& v) {
  spmm_dot(exec, 1.0, a, v.p, 0.0, v.q, v.pq, v.workspace);
}

/// The rest of an iteration, which finds r·r in place `from`.
void advance(const Exec& exec, const Vectors& v, int from, const Multivector& x) {
  const Multivector r = v.r;
  const Multivector p = v.p;
  const Multivector q = v.q;
  const auto limit = v.limit;
  const auto old_rr = v.rr[from].values;
  const auto new_rr = v.rr[1 - from].values;
  const auto p_q = v.pq.values;
  examples::for_each_element(
      "cg::step", exec, r.extent_int(0), r.extent_int(1), KOKKOS_LAMBDA(std::int64_t i, int c) {
        const double alpha = old_rr(c) > limit(c) ? old_rr(c) / p_q(c) : 0;
        x(i, c) += alpha * p(i, c);
        r(i, c) -= alpha * q(i, c);
      });
  dot(exec, r, r, v.rr[1 - from]);
  examples::for_each_element(
      "cg::direction", exec, r.extent_int(0), r.extent_int(1),
      KOKKOS_LAMBDA(std::int64_t i, int c) {
        const double beta = old_rr(c) > limit(c) ? new_rr(c) / old_rr(c) : 0;
        p(i, c) = r(i, c) + beta * p(i, c);
      });
}

struct Outcome {
  std::vector<int> iterations;  ///< of each column
  double seconds = 0;
  examples::Stopwatch products;
};

/// How an iteration runs: `timed`, its products apart; launch by launch; `replayed`, from the third
/// on as the launch of a graph, one for each place of r·r.
enum class Way { timed, launched, replayed };

/// Solves A X = B from X = 0 until each column has |r| <= tolerance |b|, or for max_iterations.
Outcome solve(const Exec& exec, const Matrix& a, const Multivector& b, const Multivector& x,
              const Options& options, Way way) {
  const Vectors v(exec, a, b);
  std::optional<Graph> graphs[2];
  Outcome outcome{std::vector<int>(b.extent(1)), 0, {}};

  Kokkos::deep_copy(exec, x, 0);
  Kokkos::deep_copy(exec, v.r, b);
  Kokkos::deep_copy(exec, v.p, b);
  dot(exec, v.r, v.r, v.rr[0]);
  auto limits = v.rr[0].on_host(exec);
  for (auto& value : limits) value *= options.tolerance * options.tolerance;
  Kokkos::deep_copy(exec, v.limit,
                    Kokkos::View<double*, Kokkos::HostSpace>(limits.data(), limits.size()));

  const Kokkos::Timer timer;
  for (int iteration = 0; iteration < options.max_iterations; ++iteration) {
    const int from = iteration % 2;
    const auto squares = v.rr[from].on_host(exec);  // waits for the device
    bool done = true;
    for (std::size_t c = 0; c < squares.size(); ++c) {
      if (squares[c] <= limits[c]) continue;
      ++outcome.iterations[c];
      done = false;
    }
    if (done) break;
    if (way == Way::replayed && iteration >= 2) {
      if (!graphs[from])
        graphs[from].emplace(exec, [&] {
          multiply(exec, a, v);
          advance(exec, v, from, x);
        });
      graphs[from]->launch(exec);
    } else {
      if (way == Way::timed)
        outcome.products.time(exec, [&] { multiply(exec, a, v); });
      else
        multiply(exec, a, v);
      advance(exec, v, from, x);
    }
  }
  exec.fence();
  outcome.seconds = timer.seconds();
  return outcome;
}

/// The same by graphs: how much faster an iteration is.
void replay(const Exec& exec, const Matrix& a, const Multivector& b, const Multivector& x,
            const Options& options) {
  const auto each = [](const Outcome& outcome) {
    const auto most = std::max_element(outcome.iterations.begin(), outcome.iterations.end());
    return 1e3 * outcome.seconds / std::max(1, *most);
  };
  const Outcome launched = solve(exec, a, b, x, options, Way::launched);
  const Outcome replayed = solve(exec, a, b, x, options, Way::replayed);
  examples::print_iterations(replayed.iterations);
  std::printf("graph       %.3f ms an iteration, launched %.3f ms: %.2f times as fast\n",
              each(replayed), each(launched), each(launched) / each(replayed));
}

bool run(const Options& options) {
  if (options.graph && !Graph::available)
    throw fatvec::UsageError("--graph wants CUDA, and one device");
  // A graph wants a stream of its own.
  const Exec exec = options.graph ? Kokkos::Experimental::partition_space(Exec(), 1)[0] : Exec();
  const Matrix a = examples::generated("gen:stencil7:" + std::to_string(options.size));
  std::printf(
      "problem     7-point matrix of %lld rows, %lld entries, k = %d right-hand sides, on %s\n",
      static_cast<long long>(a.rows()), static_cast<long long>(examples::entries(a)), options.k,
      Exec::name());
  const Multivector b("b", examples::rows_here(a), options.k);
  const Multivector x("x", examples::rows_here(a), options.k);
  set_sources(exec, options.size, examples::first_row(a), b);

  const Outcome outcome = solve(exec, a, b, x, options, Way::timed);
  examples::print_iterations(outcome.iterations);
  examples::print_share(outcome.products, outcome.seconds);

  examples::Checks checks;
  const auto check = [&] {
    checks.at_most("largest |b - A x| / |b|",
                   examples::largest(examples::relative_residuals(exec, a, b, x)),
                   10 * options.tolerance);
  };
  check();
  if (options.graph) {
    replay(exec, a, b, x, options);
    check();
  }
  return checks.passed();
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  CLI::App app("Conjugate gradients for k right-hand sides at once, on the 7-point Poisson matrix.",
               "block_cg");
  examples::add_solver_options(app, options, 256);
  app.add_flag("--graph", options.graph, "then the same with iterations captured as CUDA graphs");
  return examples::run(app, argc, argv, [&] { return run(options); });
}
