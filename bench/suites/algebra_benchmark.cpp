// SPDX-License-Identifier: Apache-2.0
// fatvec-bench-algebra [SELECTION...]: G = XᵀY and Y = X · S by gram() and update(),
// KokkosBlas::gemm and, where they were found, MKL or cuBLAS, in turns in one run. SELECTION: gram,
// update, double, float, row, column, or numbers of columns; all by default.
// FATVEC_ALGEBRA_ELEMENTS (default 16 million) elements of X and of Y. FATVEC_ALGEBRA_REPEATS
// (default 20) times, of which the median and the least are printed. Elements of each result are
// checked against sums in extended precision: a wrong one is a line that says so.
#include <KokkosBlas3_gemm.hpp>
#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <fatvec/algebra/algebra.hpp>

#if defined(FATVEC_BENCH_MKL)
#include <mkl_cblas.h>
#include <mkl_service.h>
#endif
#if defined(FATVEC_BENCH_CUBLAS)
#include <cublas_v2.h>
#endif

// Functors that a GPU may run need external linkage under nvcc; hence no anonymous namespace.
namespace algebra_benchmark {

using Exec = Kokkos::DefaultExecutionSpace;

/// SplitMix64 (Steele, Lea and Flood, OOPSLA 2014) of the position, in [-1, 1).
KOKKOS_INLINE_FUNCTION double element(int operand, std::int64_t i, std::int64_t c) {
  std::uint64_t z =
      static_cast<std::uint64_t>((i << 16) + 4 * c + operand + 1) * 0x9e3779b97f4a7c15ULL;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
  return static_cast<double>((z ^ (z >> 31)) >> 40) * 0x1p-23 - 1;
}

template <class View>
struct Fill {
  View to;
  int operand;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    for (std::size_t c = 0; c < to.extent(1); ++c)
      to(i, c) = static_cast<typename View::value_type>(element(operand, i, static_cast<int>(c)));
  }
};

/// What memory gives: X and Y read, or X read and Y written, without arithmetic to speak of.
template <class T>
struct Stream {
  static constexpr std::int64_t block = 4096;
  const T* x;
  T* y;
  T* result;
  std::int64_t elements;
  bool writes;

  void operator()(std::int64_t n) const {
    const std::int64_t begin = n * block;
    const std::int64_t end = Kokkos::min(begin + block, elements);
#if defined(FATVEC_HAS_GNU_VECTORS)
    using V = fatvec::detail::Vec<T, fatvec::detail::simd_lanes<T>>;
    V sums[8];
    for (std::int64_t i = begin; i + 4 * V::lanes <= end; i += 4 * V::lanes)
      for (int u = 0; u < 4; ++u) {
        V of_x, of_y;
        of_x.load(x + i + u * V::lanes);
        if (writes) {
          of_x.stream(y + i + u * V::lanes);
        } else {
          of_y.load(y + i + u * V::lanes);
          sums[u].add(of_x);
          sums[4 + u].add(of_y);
        }
      }
    for (int u = 1; u < 8; ++u) sums[0].add(sums[u]);
    T kept[V::lanes];
    sums[0].store(kept);
    asm volatile("" : : "r"(kept) : "memory");  // as if the sums were used
    fatvec::detail::end_streams();
#endif
  }
  KOKKOS_FUNCTION void operator()(std::int64_t i, T& sum) const {
    if (writes)
      y[i] = x[i];
    else
      sum += x[i] + y[i];
  }
};

struct Selection {
  std::vector<std::string> words;
  [[nodiscard]] bool has(const std::string& word, const std::vector<std::string>& others) const {
    const auto named = [&](const std::string& w) {
      return std::find(words.begin(), words.end(), w) != words.end();
    };
    return named(word) || std::none_of(others.begin(), others.end(), named);
  }
};

double setting(const char* name, double otherwise) {
  const char* const text = std::getenv(name);
  return text == nullptr ? otherwise : std::strtod(text, nullptr);
}

/// One case: both operations share the operands.
template <class T, class Layout>
struct Case {
  using View = Kokkos::View<T**, Layout, Exec>;
  using Host = Kokkos::View<T**, Layout, Kokkos::HostSpace>;
  static constexpr bool by_rows = std::is_same_v<Layout, Kokkos::LayoutRight>;

  Exec exec;
  std::int64_t n;
  int k;
  View x = fatvec::detail::allocate<View>(exec, "X", n, k);
  View y = fatvec::detail::allocate<View>(exec, "Y", n, k);
  View s = View("S", k, k);
  View g = View("G", k, k);
  fatvec::GramWorkspace<Exec, T> workspace{exec, k, k};

  Case(std::int64_t rows, int columns) : n(rows), k(columns) {
    fill(x, 0);
    fill(y, 1);
    fill(s, 2);
  }
  void fill(const View& view, int operand) {
    Kokkos::parallel_for("fill", Kokkos::RangePolicy<Exec>(exec, 0, view.extent(0)),
                         Fill<View>{view, operand});
  }

  void run(const std::string& contender, bool gram) {
    if (contender == "(bound)") {
      const std::int64_t elements = n * k;
      const Stream<T> stream{x.data(), y.data(), g.data(), elements, !gram};
      using Range = Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>;
      if constexpr (fatvec::detail::is_host<Exec>) {
        Kokkos::parallel_for("bound", Range(exec, 0, elements / Stream<T>::block), stream);
      } else {
        T sum{};
        Kokkos::parallel_reduce("bound", Range(exec, 0, elements), stream, sum);
      }
    } else if (contender == "fatvec") {
      if (gram)
        fatvec::gram(exec, x, y, g, workspace);
      else
        fatvec::update(exec, 1, x, s, 0, y);
    } else if (contender == "kokkoskernels") {
      if (gram)
        KokkosBlas::gemm(exec, "T", "N", T{1}, x, y, T{0}, g);
      else
        KokkosBlas::gemm(exec, "N", "N", T{1}, x, s, T{0}, y);
    } else {
      run_vendor(gram);
    }
  }

  void run_vendor([[maybe_unused]] bool gram) {
    [[maybe_unused]] const auto rows = static_cast<int>(n);
    [[maybe_unused]] const T one{1};
    [[maybe_unused]] const T zero{};
#if defined(FATVEC_BENCH_MKL)
    const auto order = by_rows ? CblasRowMajor : CblasColMajor;
    const int tall = by_rows ? k : rows;
    const auto gemm = [&](CBLAS_TRANSPOSE of_x, int m, int inner, const T* b, int ldb, T* c,
                          int ldc) {
      if constexpr (std::is_same_v<T, double>)
        cblas_dgemm(order, of_x, CblasNoTrans, m, k, inner, one, x.data(), tall, b, ldb, zero, c,
                    ldc);
      else
        cblas_sgemm(order, of_x, CblasNoTrans, m, k, inner, one, x.data(), tall, b, ldb, zero, c,
                    ldc);
    };
    if (gram)
      gemm(CblasTrans, k, rows, y.data(), tall, g.data(), k);
    else
      gemm(CblasNoTrans, rows, k, s.data(), k, y.data(), tall);
#elif defined(FATVEC_BENCH_CUBLAS)
    static const cublasHandle_t handle = [] {
      cublasHandle_t made = nullptr;
      cublasCreate(&made);
      return made;
    }();
    cublasSetStream(handle, exec.cuda_stream());
    // Row-major operands are the column-major transposes: Gᵀ = YᵀX, Yᵀ = SᵀXᵀ.
    const auto gemm = [&](auto... arguments) {
      if constexpr (std::is_same_v<T, double>)
        cublasDgemm(handle, arguments...);
      else
        cublasSgemm(handle, arguments...);
    };
    const T* const a = x.data();
    const T* const b = y.data();
    const T* const small = s.data();
    if (gram && by_rows)
      gemm(CUBLAS_OP_N, CUBLAS_OP_T, k, k, rows, &one, b, k, a, k, &zero, g.data(), k);
    else if (gram)
      gemm(CUBLAS_OP_T, CUBLAS_OP_N, k, k, rows, &one, a, rows, b, rows, &zero, g.data(), k);
    else if (by_rows)
      gemm(CUBLAS_OP_N, CUBLAS_OP_N, k, rows, k, &one, small, k, a, k, &zero, y.data(), k);
    else
      gemm(CUBLAS_OP_N, CUBLAS_OP_N, rows, k, k, &one, a, rows, small, k, &zero, y.data(), rows);
#endif
  }

  /// Whether some elements of the result are right.
  bool is_right(bool gram) {
    exec.fence();
    const Host result = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), gram ? g : y);
    const auto x_of = [](std::int64_t i, std::int64_t c) {
      return static_cast<T>(element(0, i, c));
    };
    const auto other = [gram](std::int64_t i, std::int64_t c) {
      return static_cast<T>(element(gram ? 1 : 2, i, c));
    };
    const std::int64_t inner = gram ? n : k;
    for (int sample = 0; sample < 37; ++sample) {
      const std::int64_t r = (result.extent(0) - 1) * static_cast<std::size_t>(sample) / 36;
      const std::int64_t c = sample * 11 % k;
      long double sum = 0, magnitudes = 0;
      for (std::int64_t i = 0; i < inner; ++i) {
        const long double product =
            static_cast<long double>(gram ? x_of(i, r) : x_of(r, i)) * other(i, c);
        sum += product;
        magnitudes += std::fabs(product);
      }
      const long double allowed =
          static_cast<long double>(inner + 2) * std::numeric_limits<T>::epsilon() * magnitudes;
      if (!(std::fabs(result(r, c) - sum) <= allowed)) return false;
    }
    return true;
  }
};

template <class T, class Layout>
void measure(const Selection& selection, const char* scalar, const char* layout,
             const std::vector<int>& columns) {
  const double elements = setting("FATVEC_ALGEBRA_ELEMENTS", 16e6);
  const auto repeats = static_cast<int>(std::max(1.0, setting("FATVEC_ALGEBRA_REPEATS", 20)));
  std::vector<std::string> contenders = {"(bound)", "fatvec"};
#if defined(FATVEC_BENCH_MKL)
  contenders.push_back("mkl");
#elif defined(FATVEC_BENCH_CUBLAS)
  contenders.push_back("cublas");
#endif
  if (setting("FATVEC_ALGEBRA_KOKKOSKERNELS", 1) != 0) contenders.push_back("kokkoskernels");
  for (const int k : columns) {
    Case<T, Layout> task(static_cast<std::int64_t>(elements) / k, k);
    for (const bool gram : {true, false}) {
      if (!selection.has(gram ? "gram" : "update", {"gram", "update"})) continue;
      if (gram) task.fill(task.y, 1);
      std::vector<std::vector<double>> seconds(contenders.size());
      std::vector<bool> right;
      for (const auto& contender : contenders) {
        Kokkos::deep_copy(gram ? task.g : task.y, std::numeric_limits<T>::quiet_NaN());
        task.run(contender, gram);
        right.push_back(contender == "(bound)" || task.is_right(gram));
      }
      for (int repeat = 0; repeat < repeats; ++repeat)
        for (std::size_t at = 0; at < contenders.size(); ++at) {
          if (repeat > 2 && seconds[at].front() > 1) continue;
          task.exec.fence();
          const Kokkos::Timer timer;
          task.run(contenders[at], gram);
          task.exec.fence();
          seconds[at].push_back(timer.seconds());
        }
      for (std::size_t at = 0; at < contenders.size(); ++at) {
        auto& times = seconds[at];
        std::sort(times.begin(), times.end());
        const double n = static_cast<double>(task.n);
        std::printf("%-6s %-6s %-6s %4d  %-13s %9.3f %9.3f  %7.1f %7.1f  %s\n",
                    gram ? "gram" : "update", scalar, layout, k, contenders[at].c_str(),
                    1e3 * times[times.size() / 2], 1e3 * times.front(),
                    2 * n * k * sizeof(T) / times.front() * 1e-9,
                    2 * n * k * k / times.front() * 1e-9, right[at] ? "right" : "WRONG");
      }
    }
  }
}

}  // namespace algebra_benchmark

int main(int argc, char** argv) {
  using namespace algebra_benchmark;
  const Kokkos::ScopeGuard kokkos(argc, argv);
#if defined(FATVEC_BENCH_MKL)
  mkl_set_dynamic(0);
  mkl_set_num_threads(Exec().concurrency());
#endif
  const Selection selection{{argv + 1, argv + argc}};
  std::vector<int> columns;
  for (const auto& word : selection.words)
    if (const int k = std::atoi(word.c_str()); k > 0) columns.push_back(k);
  if (columns.empty()) columns = {1, 2, 3, 4, 7, 8, 12, 16, 24, 32, 48, 64, 128, 256};
  std::printf("call   scalar layout  k  contender     median ms  least ms     GB/s  GFLOPS\n");
  const auto with = [&](const char* scalar, const char* layout) {
    return selection.has(scalar, {"double", "float"}) && selection.has(layout, {"row", "column"});
  };
  if (with("double", "row"))
    measure<double, Kokkos::LayoutRight>(selection, "double", "row", columns);
  if (with("double", "column"))
    measure<double, Kokkos::LayoutLeft>(selection, "double", "column", columns);
  if (with("float", "row")) measure<float, Kokkos::LayoutRight>(selection, "float", "row", columns);
  if (with("float", "column"))
    measure<float, Kokkos::LayoutLeft>(selection, "float", "column", columns);
}
