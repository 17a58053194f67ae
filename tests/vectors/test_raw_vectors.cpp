// SPDX-License-Identifier: Apache-2.0
// The benchmark's hand-written reductions, by the same oracle.
#include <type_traits>

#include "oracle.hpp"
#include "raw/serial/vectors.hpp"
#if defined(KOKKOS_ENABLE_OPENMP)
#include "raw/openmp/vectors.hpp"
#endif
#if defined(KOKKOS_ENABLE_CUDA)
#include "raw/cuda/vectors.hpp"
#endif

namespace fatvec::tests {

namespace raw = bench::raw;

struct Serial {
  template <class T>
  static raw::Seven<T> statistics(const std::vector<T>& x, std::int64_t step, std::int64_t n) {
    return raw::serial::statistics(x.data(), step, n);
  }
  template <class T>
  static raw::Product<T> dot(const std::vector<T>& x, const std::vector<T>& y, std::int64_t step,
                             std::int64_t n) {
    return raw::serial::dot(x.data(), y.data(), step, n);
  }
};

#if defined(KOKKOS_ENABLE_OPENMP)
struct OpenMP {
  template <class T>
  static raw::Seven<T> statistics(const std::vector<T>& x, std::int64_t step, std::int64_t n) {
    return raw::openmp::statistics(x.data(), step, n);
  }
  template <class T>
  static raw::Product<T> dot(const std::vector<T>& x, const std::vector<T>& y, std::int64_t step,
                             std::int64_t n) {
    return raw::openmp::dot(x.data(), y.data(), step, n);
  }
};
#endif

#if defined(KOKKOS_ENABLE_CUDA)
template <class Join>
struct Cuda {
  template <class T>
  static auto copied(const std::vector<T>& values) {
    const Kokkos::View<T*, Kokkos::Cuda> copy("copy", values.size());
    Kokkos::deep_copy(copy, Kokkos::View<const T*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>(
                                values.data(), values.size()));
    return copy;
  }
  template <class Vectors>
  static typename Vectors::Result reduce(const Vectors& vectors, std::int64_t n) {
    using Result = typename Vectors::Result;
    constexpr int blocks = 300;
    const Kokkos::View<Result*, Kokkos::Cuda> results(
        Kokkos::view_alloc(Kokkos::WithoutInitializing, "results"), blocks + 1);
    const Kokkos::Cuda exec;
    raw::cuda::reduce<Join>(exec.cuda_stream(), vectors, n, blocks, results.data(),
                            results.data() + blocks);
    Result result;
    KOKKOS_IMPL_CUDA_SAFE_CALL(cudaMemcpyAsync(&result, results.data() + blocks, sizeof result,
                                               cudaMemcpyDeviceToHost, exec.cuda_stream()));
    exec.fence("fatvec::tests::raw");
    return result;
  }
  template <class T>
  static raw::Seven<T> statistics(const std::vector<T>& x, std::int64_t step, std::int64_t n) {
    const auto copy = copied(x);
    return reduce(raw::cuda::OneVector<T>{copy.data(), step}, n);
  }
  template <class T>
  static raw::Product<T> dot(const std::vector<T>& x, const std::vector<T>& y, std::int64_t step,
                             std::int64_t n) {
    const auto x_copy = copied(x);
    const auto y_copy = copied(y);
    return reduce(raw::cuda::TwoVectors<T>{x_copy.data(), y_copy.data(), step}, n);
  }
};
#endif

template <class Way>
class RawVectors : public ::testing::Test {};
using Ways = ::testing::Types<Serial
#if defined(KOKKOS_ENABLE_OPENMP)
                              ,
                              OpenMP
#endif
#if defined(KOKKOS_ENABLE_CUDA)
                              ,
                              Cuda<raw::cuda::SharedTree<>>, Cuda<raw::cuda::WarpShuffles<>>,
                              Cuda<raw::cuda::SharedTree<128>>, Cuda<raw::cuda::WarpShuffles<128>>
#endif
                              >;
TYPED_TEST_SUITE(RawVectors, Ways);

/// A raw result with the accessors that the oracle compares.
template <class T>
struct AsFound : raw::Seven<T> {
  [[nodiscard]] auto max_norm() const { return raw::Seven<T>::max_norm; }
};

template <class Way, class T>
void expect_right() {
  for (const std::int64_t n : {0, 1, 2, 31, 32, 33, 255, 256, 257, 1000003}) {
    for (const std::int64_t step : {1, 3}) {
      SCOPED_TRACE(::testing::Message() << n << " elements, " << step << " apart");
      std::vector<T> x(static_cast<std::size_t>(n * step), T(99));
      std::vector<T> y(x.size(), T(99));
      Expected<T> expected;
      std::int64_t product = 0;
      for (std::int64_t i = 0; i < n; ++i) {
        x[i * step] = whole<T>(i);
        y[i * step] = whole<T>(i, 1);
        expected.add(whole<T>(i));
        product += whole<int>(i) * whole<int>(i, 1);
      }
      expect_statistics(AsFound<T>{Way::statistics(x, step, n)}, expected);
      EXPECT_EQ(static_cast<std::int64_t>(Way::dot(x, y, step, n).sum), product);
    }
  }
}

TYPED_TEST(RawVectors, FloatsAreRight) {
  expect_right<TypeParam, float>();
}
TYPED_TEST(RawVectors, DoublesAreRight) {
  expect_right<TypeParam, double>();
}
TYPED_TEST(RawVectors, IntegersAreRight) {
  expect_right<TypeParam, std::int32_t>();
  expect_right<TypeParam, std::int64_t>();
}

TYPED_TEST(RawVectors, NegativeElementsAndNanAreSeen) {
  const auto negative = TypeParam::template statistics<double>({-3, -7.5, -1}, 1, 3);
  EXPECT_EQ(negative.max_norm, 7.5);
  EXPECT_EQ(negative.max, -1);
  std::vector<double> x(1000, 1.0);
  x[777] = std::numeric_limits<double>::quiet_NaN();
  const auto s = TypeParam::statistics(x, 1, 1000);
  expect_nan({s.sum, s.absolute_sum, s.square_sum, s.max_norm, s.min, s.max});
}

}  // namespace fatvec::tests
