// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <Kokkos_Graph.hpp>

#include <fatvec/fatvec.hpp>

#include "generated.hpp"

/// What stands in the guide: products, fused ones, reductions and new values of a plan can be
/// captured into a CUDA graph, which is then replayed.
#if defined(KOKKOS_ENABLE_CUDA)
namespace fatvec {
namespace {

using Exec = Kokkos::Cuda;
using Csr = CsrMatrix<double, std::int32_t, Exec>;
using Rows = Kokkos::View<double**, Kokkos::LayoutRight, Exec>;
using Columns = Kokkos::View<double**, Kokkos::LayoutLeft, Exec>;
using Results = Kokkos::View<double*, Exec>;
constexpr int k = 8;

/// A stream of its own: the default one cannot be captured.
class Stream {
 public:
  Stream() { cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking); }
  ~Stream() { cudaStreamDestroy(stream_); }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  [[nodiscard]] cudaStream_t get() const { return stream_; }

 private:
  cudaStream_t stream_ = nullptr;
};

/// Allocations and fences that Kokkos is told of.
class Events {
 public:
  Events() {
    count() = 0;
    namespace tools = Kokkos::Tools::Experimental;
    tools::set_allocate_data_callback(
        [](Kokkos_Profiling_SpaceHandle, const char*, const void*, std::uint64_t bytes) {
          count() += bytes > 0 ? 1 : 0;  // Kokkos 4.7 tells of one of no bytes for each TeamPolicy
        });
    tools::set_begin_fence_callback([](const char*, std::uint32_t, std::uint64_t*) { ++count(); });
  }
  ~Events() {
    Kokkos::Tools::Experimental::set_allocate_data_callback(nullptr);
    Kokkos::Tools::Experimental::set_begin_fence_callback(nullptr);
  }
  Events(const Events&) = delete;
  Events& operator=(const Events&) = delete;
  static int& count() {
    static int events = 0;
    return events;
  }
};

/// A graph of what work(exec) enqueues.
class Captured {
 public:
  template <class Work>
  Captured(const Exec& exec, const Work& work) {
    EXPECT_EQ(cudaStreamBeginCapture(exec.cuda_stream(), cudaStreamCaptureModeThreadLocal),
              cudaSuccess);
    {
      const Events events;
      work(exec);
      EXPECT_EQ(Events::count(), 0) << "it allocates, or waits";
    }
    EXPECT_EQ(cudaStreamEndCapture(exec.cuda_stream(), &graph_), cudaSuccess);
    EXPECT_EQ(cudaGraphInstantiateWithFlags(&executable_, graph_, 0), cudaSuccess);
  }
  ~Captured() {
    cudaGraphExecDestroy(executable_);
    cudaGraphDestroy(graph_);
  }
  Captured(const Captured&) = delete;
  Captured& operator=(const Captured&) = delete;
  void replay(const Exec& exec) const {
    EXPECT_EQ(cudaGraphLaunch(executable_, exec.cuda_stream()), cudaSuccess);
  }

 private:
  cudaGraph_t graph_ = nullptr;
  cudaGraphExec_t executable_ = nullptr;
};

struct Fill {
  Rows to;
  int seed;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    for (int c = 0; c < to.extent_int(1); ++c)
      to(i, c) = 0.125 * static_cast<double>((i * 7 + c * 13 + seed * 5) % 23) - 1.25;
  }
};

void fill(const Exec& exec, const Rows& view, int seed) {
  Kokkos::parallel_for("fill", Kokkos::RangePolicy<Exec>(exec, 0, view.extent_int(0)),
                       Fill{view, seed});
}

template <class View>
void expect_same_bits(const View& found, const View& expected, const char* what) {
  const auto a = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), found);
  const auto b = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), expected);
  for (std::size_t n = 0; n < a.span(); ++n) ASSERT_EQ(a.data()[n], b.data()[n]) << what;
}

/// What a step of a solver computes.
struct Step {
  Rows b, x, y, r;
  Results dots, norms, sums;

  Step(std::int64_t rows, const Rows& b, const Rows& x)
      : b(b),
        x(x),
        y("y", rows, k),
        r("r", rows, k),
        dots("dots", k),
        norms("norms", k),
        sums("sums", k) {}

  template <class A>
  void run(const Exec& exec, const A& a, const ColumnResults<double, Exec>& results) const {
    spmm_dot(exec, 1.5, a, x, 0.0, y, dots);
    residual(exec, b, a, y, r, norms);
    dot(exec, r, y, results);
    Kokkos::deep_copy(exec, sums, results.values);
    spmm(exec, 1.0, a, r, 0.5, y);
  }
};

void expect_same(const Step& found, const Step& expected) {
  expect_same_bits(found.y, expected.y, "Y");
  expect_same_bits(found.r, expected.r, "R");
  expect_same_bits(found.dots, expected.dots, "dot products");
  expect_same_bits(found.norms, expected.norms, "norms");
  expect_same_bits(found.sums, expected.sums, "sums");
}

/// A graph computes with what X and A's values hold when it is launched.
template <class A, class Update>
void expect_replayed(const Exec& exec, const A& a, const Update& update) {
  const Rows b("b", a.rows(), k), x("x", a.cols(), k);
  const ColumnResults<double, Exec> results(exec, k);
  const Step replayed(a.rows(), b, x), launched(a.rows(), b, x);
  fill(exec, b, 3);
  fill(exec, x, 4);
  launched.run(exec, a, results);  // kernels are loaded
  exec.fence();
  const Captured graph(exec, [&](const Exec& on) { replayed.run(on, a, results); });
  for (int seed = 0; seed < 4; ++seed) {
    fill(exec, x, seed);
    update(seed);
    launched.run(exec, a, results);
    graph.replay(exec);
    exec.fence();
    expect_same(replayed, launched);
  }
}

TEST(Graph, HoldsFusedProductsOfAPreparedMatrix) {
  const Stream stream;
  const Exec exec(stream.get());
  for (const char* const spec : {"gen:stencil7:12", "gen:stencil27:9:dof=2", "gen:arrow:20000"}) {
    SCOPED_TRACE(spec);
    const Csr csr = mirror<Exec>(test::generated(spec));
    expect_replayed(exec, prepare(exec, csr, k), [](int) {});
    expect_replayed(exec, prepare(exec, convert<HllMatrix<double>>(exec, csr), k), [](int) {});
    expect_replayed(exec, prepare(exec, convert<BsrMatrix<double>>(exec, csr), k), [](int) {});
  }
}

/// Plan::update of values stores them where the graph reads them.
TEST(Graph, HoldsAPlanWhoseValuesAreReplaced) {
  const Stream stream;
  const Exec exec(stream.get());
  const Csr csr = mirror<Exec>(test::generated("gen:stencil7:12"));
  const Machine machine{"test", Exec::name(), false, 4, 50, 200, 32e6, 1e-6, 1e-8};
  for (const char* const kernel : {"hll-row", "sell-row", "bsr-row"}) {
    SCOPED_TRACE(kernel);
    auto plan =
        analyse(exec, csr, k,
                {.choice = Choice{.kernel = kernel}, .machine = machine, .keep_value_map = true});
    const Csr::Scalars values("values", csr.nnz());
    expect_replayed(exec, plan, [&](int seed) {
      Kokkos::deep_copy(exec, values, 0.5 + seed);
      plan.update(exec, values);
    });
  }
}

/// Packed copies of X are made within the graph.
TEST(Graph, HoldsAPlanThatPacks) {
  const Stream stream;
  const Exec exec(stream.get());
  const Csr csr = mirror<Exec>(test::generated("gen:uniform:3000:9"));
  PlanOptions options;
  options.choice = Choice{.kernel = "csr-row", .packed = true};
  options.layout = Layout::column;
  options.machine = Machine{"test", Exec::name(), false, 4, 50, 200, 32e6, 1e-6, 1e-8};
  const auto plan = analyse(exec, csr, k, options);
  const Columns x("x", csr.cols(), k), y("y", csr.rows(), k), expected("expected", csr.rows(), k);
  const Results dots("dots", k), expected_dots("expected dots", k);
  spmm_dot(exec, 1.0, plan, x, 0.0, y, dots);
  exec.fence();
  const Captured graph(exec, [&](const Exec& on) { spmm_dot(on, 1.0, plan, x, 0.0, y, dots); });
  for (int seed = 1; seed < 4; ++seed) {
    Kokkos::deep_copy(exec, x, 0.3 * seed);
    spmm_dot(exec, 1.0, plan, x, 0.0, expected, expected_dots);
    graph.replay(exec);
    exec.fence();
    expect_same_bits(y, expected, "Y");
    expect_same_bits(dots, expected_dots, "dot products");
  }
}

/// Few columns, and many, which cuBLAS may multiply; also as a node of Kokkos' graphs.
TEST(Graph, HoldsGramMatricesAndUpdates) {
  const Stream stream;
  const Exec exec(stream.get());
  for (const int columns : {5, 64}) {
    const Rows x("X", 20'000, columns), s("S", columns, columns);
    const Rows y("Y", 20'000, columns), g("G", columns, columns);
    const Rows expected_y("Y", 20'000, columns), expected_g("G", columns, columns);
    const GramWorkspace<Exec> workspace(exec, columns, columns);
    fill(exec, s, 1);
    fill(exec, x, 2);
    const auto step = [=](const Exec& on, const Rows& to_y, const Rows& to_g) {
      update(on, 1, x, s, 0, to_y);
      gram(on, x, to_y, to_g, workspace);
    };
    step(exec, expected_y, expected_g);  // kernels are loaded
    exec.fence();
    const Captured graph(exec, [&](const Exec& on) { step(on, y, g); });
    auto node = Kokkos::Experimental::create_graph(exec, [&](const auto& root) {
      root.cuda_capture(exec, [=](const Exec& on) { step(on, y, g); });
    });
    node.instantiate();
    for (int seed = 0; seed < 4; ++seed) {
      fill(exec, x, seed);
      step(exec, expected_y, expected_g);
      if (seed % 2 == 0)
        graph.replay(exec);
      else
        node.submit(exec);
      exec.fence();
      expect_same_bits(y, expected_y, "Y");
      expect_same_bits(g, expected_g, "G");
    }
  }
}

/// An update that is captured before anything ran on its stream, by the portable form.
TEST(Graph, HoldsAnUpdateThatIsTheFirstOfItsStream) {
  const Stream stream;
  const Exec exec(stream.get());
  const Rows x("X", 1000, 32), s("S", 32, 32), y("Y", 1000, 32);
  const Kokkos::View<double***, Kokkos::LayoutRight, Exec> wide("wide", 1000, 32, 2);
  Kokkos::deep_copy(exec, x, 2.0);
  Kokkos::deep_copy(exec, s, 3.0);
  const Exec other;  // kernels of both forms are loaded
  update(other, 1, x, s, 0, y);
  update(other, 1, Kokkos::subview(wide, Kokkos::ALL, Kokkos::ALL, 1), s, 0, y);
  other.fence();
  exec.fence();
  const Captured graph(exec, [&](const Exec& on) { update(on, 1, x, s, 0, y); });
  graph.replay(exec);
  exec.fence();
  const auto found = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), y);
  EXPECT_EQ(found(999, 31), 192);
}

/// As a node of Kokkos' graphs, submitted more than once.
TEST(Graph, IsANodeOfKokkosGraphs) {
  const Stream stream;
  const Exec exec(stream.get());
  const Csr csr = mirror<Exec>(test::generated("gen:stencil7:12"));
  const auto a = prepare(exec, csr, k);
  const Rows b("b", a.rows(), k), x("x", a.cols(), k);
  const ColumnResults<double, Exec> results(exec, k);
  const Step replayed(a.rows(), b, x), launched(a.rows(), b, x);
  fill(exec, b, 3);
  fill(exec, x, 4);
  launched.run(exec, a, results);  // kernels are loaded
  exec.fence();
  auto graph = Kokkos::Experimental::create_graph(exec, [&](const auto& root) {
    root.cuda_capture(exec, [=](const Exec& on) { replayed.run(on, a, results); });
  });
  graph.instantiate();
  for (int seed = 0; seed < 4; ++seed) {
    fill(exec, x, seed);
    launched.run(exec, a, results);
    graph.submit(exec);
    exec.fence();
    expect_same(replayed, launched);
  }
}

}  // namespace
}  // namespace fatvec
#endif
