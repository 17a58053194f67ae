// SPDX-License-Identifier: Apache-2.0
#include <memory>

#include <fatvec/app/ranks/graph.hpp>
#include <fatvec/core/error.hpp>

namespace fatvec::ranks {

using Exec = Kokkos::DefaultExecutionSpace;

#ifdef KOKKOS_ENABLE_CUDA
namespace {

void check(cudaError_t status, const char* call) {
  if (status != cudaSuccess)
    throw Error(fatvec::detail::concat(call, ": ", cudaGetErrorString(status), "."));
}

/// A graph that can be launched.
class Graph {
 public:
  Graph(cudaStream_t stream, const std::function<void()>& enqueue) : stream_(stream) {
    cudaGraph_t graph = nullptr;
    check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal),
          "cudaStreamBeginCapture");
    try {
      enqueue();
    } catch (...) {
      cudaStreamEndCapture(stream, &graph);
      if (graph != nullptr) cudaGraphDestroy(graph);
      throw;
    }
    check(cudaStreamEndCapture(stream, &graph), "cudaStreamEndCapture");
    const cudaError_t made = cudaGraphInstantiateWithFlags(&graph_, graph, 0);
    cudaGraphDestroy(graph);
    check(made, "cudaGraphInstantiate");
  }
  ~Graph() { cudaGraphExecDestroy(graph_); }
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;

  void launch() const { check(cudaGraphLaunch(graph_, stream_), "cudaGraphLaunch"); }

 private:
  cudaStream_t stream_;
  cudaGraphExec_t graph_ = nullptr;
};

}  // namespace

Exec capturable_instance() {
  return Kokkos::Experimental::partition_space(Exec(), 1).front();
}

std::function<void()> captured(const Exec& exec, const std::function<void()>& enqueue) {
  const auto graph = std::make_shared<const Graph>(exec.cuda_stream(), enqueue);
  return [graph] { graph->launch(); };
}
#else
Exec capturable_instance() {
  return {};
}

std::function<void()> captured(const Exec&, const std::function<void()>& enqueue) {
  return enqueue;
}
#endif

}  // namespace fatvec::ranks
