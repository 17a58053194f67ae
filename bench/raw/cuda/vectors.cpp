// SPDX-License-Identifier: Apache-2.0
#include "raw/cuda/vectors.hpp"

#include <algorithm>
#include <optional>

#include "harness/reduction.hpp"
#include "harness/scalar.hpp"
#include "raw/cuda/common.hpp"

/// Contender `raw-cuda` of the suite of vectors: kernel:shared-memory and kernel:shuffle, column by
/// column, by eight blocks of 256 threads on each multiprocessor; with launch:256-per-block by
/// N / 256 blocks of 128 threads, as Gollmann (2020).
namespace fatvec::bench::inline FATVEC_BENCH_IN {
namespace {

template <class Join, class Vectors>
struct CudaReduction {
  using Result = typename Vectors::Result;
  using Results = Kokkos::View<Result*, Kokkos::Cuda>;
  using T = typename Vectors::Element;
  VectorOperands operands;
  std::int64_t block_elements;
  int most_blocks;
  Results of_block;
  Results results;

  /// block_elements: of a block, whatever the device; none: eight blocks a multiprocessor.
  static std::unique_ptr<Reduction> prepare(const VectorOperands& operands,
                                            std::optional<std::int64_t> block_elements) {
    const Kokkos::Cuda exec;
    const int most_blocks = block_elements
                                ? static_cast<int>(std::max<std::int64_t>(
                                      1, raw::cuda::blocks_for(operands.n, *block_elements)))
                                : 8 * exec.cuda_device_prop().multiProcessorCount;
    return make_reduction<Kokkos::Cuda>(
        CudaReduction{operands, block_elements.value_or(Join::threads), most_blocks,
                      detail::allocate<Results>(exec, "fatvec::bench::of_block", most_blocks),
                      detail::allocate<Results>(exec, "fatvec::bench::results", operands.k)});
  }

  void operator()(const Kokkos::Cuda& exec) const {
    for (std::int64_t c = 0; c < operands.k; ++c) {
      const std::int64_t begin = operands.column_begin(c);
      Vectors vectors{};
      vectors.x = operands.template x<T>() + begin;
      if constexpr (requires { vectors.y; }) vectors.y = operands.template y<T>() + begin;
      vectors.step = operands.row_stride();
      raw::cuda::reduce<Join>(exec.cuda_stream(), vectors, operands.n, most_blocks, of_block.data(),
                              results.data() + c, block_elements);
    }
    raw::cuda::check(cudaGetLastError(), "launch");
  }
  [[nodiscard]] std::vector<double> numbers(const Kokkos::Cuda& exec) const {
    std::vector<Result> host(results.extent(0));
    raw::cuda::check(cudaMemcpyAsync(host.data(), results.data(), host.size() * sizeof(Result),
                                     cudaMemcpyDeviceToHost, exec.cuda_stream()),
                     "copying the results");
    exec.fence("fatvec::bench::results");
    std::vector<double> numbers;
    for (const auto& result : host) {
      if constexpr (requires { result.zeros; })
        append_numbers(numbers, Operation::statistics, result);
      else
        numbers.push_back(static_cast<double>(result.sum));
    }
    return numbers;
  }
};

template <class T, class Join>
void add_way(Registry& registry, std::optional<std::int64_t> block_elements = {}) {
  std::vector<Parameter> parameters = {{"kernel", Join::name}};
  if (block_elements)
    parameters.push_back({"launch", detail::concat(*block_elements, "-per-block")});
  for (const auto& scalar : scalar_parameter<T>()) parameters.push_back(scalar);
  const auto add = [&](Operation operation, auto prepare) {
    registry.add(VectorContender{.name = "raw-cuda",
                                 .backend = "cuda",
                                 .operation = operation,
                                 .parameters = parameters,
                                 .prepare = [=](const VectorOperands& operands) {
                                   return prepare(operands, block_elements);
                                 }});
  };
  add(Operation::statistics, CudaReduction<Join, raw::cuda::OneVector<T>>::prepare);
  add(Operation::dot, CudaReduction<Join, raw::cuda::TwoVectors<T>>::prepare);
}

template <class T>
void add_ways(Registry& registry) {
  add_way<T, raw::cuda::SharedTree<>>(registry);
  add_way<T, raw::cuda::WarpShuffles<>>(registry);
  add_way<T, raw::cuda::SharedTree<128>>(registry, 256);
  add_way<T, raw::cuda::WarpShuffles<128>>(registry, 256);
}

}  // namespace

void add_raw_cuda_vectors(Registry& registry) {
  add_ways<double>(registry);
  add_ways<int>(registry);
}

}  // namespace fatvec::bench::inline FATVEC_BENCH_IN
