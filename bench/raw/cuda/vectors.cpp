// SPDX-License-Identifier: Apache-2.0
#include "raw/cuda/vectors.hpp"

#include "harness/reduction.hpp"
#include "harness/scalar.hpp"
#include "raw/cuda/common.hpp"

/// Contender `raw-cuda` of the suite of vectors: kernel:shared-memory and kernel:shuffle, column by
/// column.
namespace fatvec::bench::inline FATVEC_BENCH_IN {
namespace {

template <class Join, class Vectors>
struct CudaReduction {
  using Result = typename Vectors::Result;
  using Results = Kokkos::View<Result*, Kokkos::Cuda>;
  VectorOperands operands;
  int most_blocks;
  Results of_block;
  Results results;

  static std::unique_ptr<Reduction> prepare(const VectorOperands& operands) {
    const Kokkos::Cuda exec;
    const int most_blocks = 8 * exec.cuda_device_prop().multiProcessorCount;
    return make_reduction<Kokkos::Cuda>(
        CudaReduction{operands, most_blocks,
                      detail::allocate<Results>(exec, "fatvec::bench::of_block", most_blocks),
                      detail::allocate<Results>(exec, "fatvec::bench::results", operands.k)});
  }

  void operator()(const Kokkos::Cuda& exec) const {
    for (std::int64_t c = 0; c < operands.k; ++c) {
      const std::int64_t begin = operands.column_begin(c);
      Vectors vectors{};
      vectors.x = operands.x + begin;
      if constexpr (requires { vectors.y; }) vectors.y = operands.y + begin;
      vectors.step = operands.row_stride();
      raw::cuda::reduce<Join>(exec.cuda_stream(), vectors, operands.n, most_blocks, of_block.data(),
                              results.data() + c);
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
        numbers.push_back(result.sum);
    }
    return numbers;
  }
};

template <class Join>
void add_way(Registry& registry) {
  const auto add = [&](Operation operation, auto prepare) {
    registry.add(VectorContender{.name = "raw-cuda",
                                 .backend = "cuda",
                                 .operation = operation,
                                 .parameters = {{"kernel", Join::name}},
                                 .prepare = prepare});
  };
  add(Operation::statistics, CudaReduction<Join, raw::cuda::OneVector<double>>::prepare);
  add(Operation::dot, CudaReduction<Join, raw::cuda::TwoVectors<double>>::prepare);
}

}  // namespace

void add_raw_cuda_vectors(Registry& registry) {
  add_way<raw::cuda::SharedTree>(registry);
  add_way<raw::cuda::WarpShuffles>(registry);
}

}  // namespace fatvec::bench::inline FATVEC_BENCH_IN
