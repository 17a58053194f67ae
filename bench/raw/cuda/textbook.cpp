// SPDX-License-Identifier: Apache-2.0
#include "raw/cuda/row_kernels.hpp"

/// Contender `raw-cuda`, kernels as the papers print them: every slot of a padded row is visited,
/// up to the longest row's (ELLPACK) or the hack's (HLL), and compared with -1. With --sweep
/// textbook:
///   kernel:textbook-thread     a thread per row (Calzetta and Lori 2025, Fraga 2018); vector_length:128
///                              has 128 in a block, as OpenACC's (Stec and Stpiczyński)
///   kernel:textbook-block-2d   rows by columns in a block (Balayre 2024)
///   kernel:textbook-warp       a warp per row, 1 to 32 warps in a block (Calzetta and Lori 2025)
///   kernel:textbook-warp-shared   the same, adding up in shared memory
namespace fatvec::bench {
namespace raw::cuda::inline FATVEC_BENCH_IN {
namespace {

struct PaddedEllRows {
  template <class Scalar, class Ordinal, class Device, class Offset>
  using Format = EllMatrix<Scalar, Ordinal, Device, Offset>;
  static constexpr const char* name = "ellpack";

  int width;
  int row_stride;
  int slot_stride;

  template <class Matrix>
  static PaddedEllRows of(const Matrix& matrix) {
    return {static_cast<int>(matrix.width()), static_cast<int>(matrix.entries.stride(0)),
            static_cast<int>(matrix.entries.stride(1))};
  }
  KOKKOS_FUNCTION Slots operator[](int row) const {
    return {static_cast<std::int64_t>(row) * row_stride, slot_stride, width};
  }
};

struct PaddedHllRows {
  template <class Scalar, class Ordinal, class Device, class Offset>
  using Format = HllMatrix<Scalar, Ordinal, Device, Offset>;
  static constexpr const char* name = "hll";

  HllRows rows;

  template <class Matrix>
  static PaddedHllRows of(const Matrix& matrix) {
    return {.rows = HllRows::of(matrix)};
  }
  KOKKOS_FUNCTION Slots operator[](int row) const {
    const int hack = row / rows.hack_size;
    const int left = rows.rows - hack * rows.hack_size;
    const int height = left < rows.hack_size ? left : rows.hack_size;
    Slots slots = rows[row];
    slots.length = (rows.hack_offsets[hack + 1] - rows.hack_offsets[hack]) / height;
    return slots;
  }
};

/// pJAD: every row of a block as long as its first one.
struct PaddedJaggedRows {
  template <class Scalar, class Ordinal, class Device, class Offset>
  using Format = PjadMatrix<Scalar, Ordinal, Device, Offset>;
  static constexpr const char* name = "pjad";

  JaggedRows<PjadMatrix> rows;
  const int* permutation;
  int block_size;

  template <class Matrix>
  static PaddedJaggedRows of(const Matrix& matrix) {
    return {JaggedRows<PjadMatrix>::of(matrix), matrix.permutation.data(), matrix.block_size()};
  }
  KOKKOS_FUNCTION JaggedSlots operator[](int row) const {
    JaggedSlots slots = rows[row];
    slots.length = rows.lengths[row / block_size * block_size];
    return slots;
  }
};

/// The row's slots first, first + step, ... times column c of X.
template <class Rows>
__device__ Scalar textbook_sum(const Stored<Rows>& a, const Operands& o, int row, int first,
                               int step, int c) {
  const auto slots = a.row[row];
  Scalar sum = 0;
  for (int j = first; j < slots.length; j += step) {
    const std::int64_t slot = slots.at(j);
    const int column = a.columns[slot];
    if (column != -1) sum += a.values[slot] * o.x[o.x_at(column, c)];
  }
  return sum;
}

template <class Rows>
__global__ void textbook_thread(const Stored<Rows> a, const Operands o) {
  const unsigned row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= a.rows) return;
  for (int c = 0; c < o.k; ++c) o.store(a.target(row), c, textbook_sum(a, o, row, 0, 1, c));
}

template <class Rows>
__global__ void __launch_bounds__(1024) textbook_block_2d(const Stored<Rows> a, const Operands o) {
  const unsigned row = blockIdx.x * blockDim.y + threadIdx.y;
  if (row >= a.rows) return;
  for (int c = threadIdx.x; c < o.k; c += blockDim.x)
    o.store(row, c, textbook_sum(a, o, row, 0, 1, c));
}

template <class Sum, class Rows>
__global__ void __launch_bounds__(1024) textbook_warp(const Stored<Rows> a, const Operands o) {
  const unsigned row = blockIdx.x * blockDim.y + threadIdx.y;
  if (row >= a.rows) return;  // the whole warp
  for (int c = 0; c < o.k; ++c) {
    const Scalar total = Sum::total(textbook_sum(a, o, row, threadIdx.x, warp_size, c));
    if (threadIdx.x == 0) o.store(row, c, total);
  }
}

template <class Rows>
void add_textbook(Registry& registry, const char* kernel, std::vector<Parameter> more,
                  std::optional<product::StorageOrder> storage, const Launch<Rows>& launch) {
  if (storage) more.push_back({"storage", std::string(to_string(*storage))});
  add<Rows>(registry, {.kernel = kernel,
                       .make = [launch](const product::Case&) { return as_is<Rows>(launch); },
                       .more_parameters = std::move(more),
                       .sweep = "textbook",
                       .storage = storage});
}

template <class Rows>
void add_threads(Registry& registry, std::optional<product::StorageOrder> storage,
                 int threads = threads_per_block, std::vector<Parameter> more = {}) {
  add_textbook<Rows>(registry, "textbook-thread", std::move(more), storage,
                     [threads](cudaStream_t stream, const Stored<Rows>& a, const Operands& o) {
                       textbook_thread<<<blocks_for(a.rows, threads), threads, 0, stream>>>(a, o);
                     });
}

/// OpenACC's vector_length.
template <class Rows>
void add_vectors_of_128(Registry& registry, std::optional<product::StorageOrder> storage = {}) {
  add_threads<Rows>(registry, storage, 128, {{"vector_length", "128"}});
}

template <class Rows>
void add_warps(Registry& registry, std::optional<product::StorageOrder> storage) {
  for (const int warps : {1, 2, 4, 8, 16, 32})
    add_textbook<Rows>(registry, "textbook-warp", {{"warps", std::to_string(warps)}}, storage,
                       [warps](cudaStream_t stream, const Stored<Rows>& a, const Operands& o) {
                         textbook_warp<Shuffle>
                             <<<blocks_for(a.rows, warps), dim3(warp_size, warps), 0, stream>>>(a,
                                                                                                o);
                       });
}

}  // namespace
}  // namespace raw::cuda::inline FATVEC_BENCH_IN

inline namespace FATVEC_BENCH_IN {

void add_raw_cuda_textbook(Registry& registry) {
  using namespace raw::cuda;
  using enum product::StorageOrder;
  for (const auto storage : {row_major, column_major}) {
    add_threads<PaddedEllRows>(registry, storage);
    add_threads<PaddedHllRows>(registry, storage);
  }
  add_vectors_of_128<CsrRows>(registry);
  add_vectors_of_128<PaddedEllRows>(registry, column_major);
  add_vectors_of_128<JaggedRows<JadMatrix>>(registry);
  add_vectors_of_128<PaddedJaggedRows>(registry);
  for (const int x : {8, 16, 32, 64})
    for (const int y : {1, 2, 4, 8, 16})
      add_textbook<PaddedEllRows>(
          registry, "textbook-block-2d", {{"block", detail::concat(x, 'x', y)}}, row_major,
          [x, y](cudaStream_t stream, const Stored<PaddedEllRows>& a, const Operands& o) {
            textbook_block_2d<<<blocks_for(a.rows, y), dim3(x, y), 0, stream>>>(a, o);
          });
  add_warps<CsrRows>(registry, {});
  add_warps<PaddedHllRows>(registry, row_major);
  add_textbook<PaddedHllRows>(
      registry, "textbook-warp-shared", {}, row_major,
      [](cudaStream_t stream, const Stored<PaddedHllRows>& a, const Operands& o) {
        textbook_warp<Shared1d>
            <<<blocks_for(a.rows, warps_per_block), dim3(warp_size, warps_per_block), 0, stream>>>(
                a, o);
      });
}

}  // namespace FATVEC_BENCH_IN
}  // namespace fatvec::bench
