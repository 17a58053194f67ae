// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <vector>

#include <fatvec/formats/csr.hpp>
#include <fatvec/kernels/detail/row_product.hpp>

namespace fatvec::detail {

/// A tile's partial sums, as one value that a vector reduction can add.
template <class T, int width>
struct Sums {
  T of[width] = {};
  KOKKOS_FUNCTION Sums& operator+=(const Sums& other) {
    unroll<width>([&](int w) { of[w] += other.of[w]; });
    return *this;
  }
};

}  // namespace fatvec::detail

template <class T, int width>
struct Kokkos::reduction_identity<fatvec::detail::Sums<T, width>> {
  KOKKOS_FUNCTION static fatvec::detail::Sums<T, width> sum() { return {}; }
};

namespace fatvec {
namespace detail {

/// A team's threads take a row each; the thread's vector lanes split the row's nonzeros and reduce a tile of columns.
template <class T, class Matrix, class X, int width>
struct TeamProduct {
  typename Matrix::Rows rows;
  const typename Matrix::ordinal_type* entries;
  const typename Matrix::value_type* values;
  X x;
  Epilogue<T> epilogue;
  std::int64_t row_count;
  std::int64_t rows_per_team;
  std::int64_t k;

  template <class Member>
  KOKKOS_FUNCTION void operator()(const Member& team) const {
    const std::int64_t first = team.league_rank() * rows_per_team;
    const std::int64_t last = first + rows_per_team < row_count ? first + rows_per_team : row_count;
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, first, last), [&](std::int64_t i) {
      for (std::int64_t c = 0; c < k; c += width) tile(team, i, c);
    });
  }

  template <class Member>
  KOKKOS_FUNCTION void tile(const Member& team, std::int64_t i, std::int64_t c) const {
    const int count = k - c < width ? static_cast<int>(k - c) : width;
    const std::int64_t begin = rows.begin(i);
    const std::int64_t step = x.step();
    Sums<T, width> sums;
    Kokkos::parallel_reduce(
        Kokkos::ThreadVectorRange(team, begin, begin + rows.length(i)),
        [&](std::int64_t n, Sums<T, width>& partial) {
          const auto a = values[n];
          const auto* const x_row = &x(entries[n], c);
          unroll<width>([&](int w) {
            if (w < count) partial.of[w] += a * x_row[w * step];
          });
        },
        Kokkos::Sum<Sums<T, width>>(sums));
    Kokkos::single(Kokkos::PerThread(team), [&] { epilogue.store(i, c, sums.of, count); });
  }
};

}  // namespace detail

/// CSR, the vector lanes of a thread splitting a row: for few columns and long rows on GPUs, where a thread per row would read
/// A uncoalesced ("CSR vector", Bell and Garland 2008; seeds 001 and 002).
struct CsrTeam {
  static constexpr const char* name = "csr-team";
  template <class Scalar, class Ordinal, class Device, class Offset>
  using Matrix = CsrMatrix<Scalar, Ordinal, Device, Offset>;

  struct Policy {
    int lanes_per_row = 0;       ///< vector length, a power of two up to 32; 0: about an eighth of the mean row
    int columns_per_thread = 0;  ///< 1, 2, 3, 4, 6 or 8 columns in the registers of one lane; 0: min(k, 8)

    static std::vector<Policy> tuning_range() { return {{1, 1}, {2, 2}, {4, 3}, {8, 4}, {16, 6}, {32, 8}}; }
    [[nodiscard]] std::string to_string() const {
      return detail::concat("lanes_per_row:", lanes_per_row, "/columns_per_thread:", columns_per_thread);
    }
  };

  /// Lanes that keep a mean row of the matrix busy with some eight entries each: loads in flight matter more than full warps.
  template <class M>
  static int lanes_for(const M& matrix) {
    const std::int64_t mean = matrix.nnz() / std::max<std::int64_t>(1, matrix.rows());
    int lanes = 1;
    while (lanes < 32 && std::int64_t{8} * lanes < mean) lanes *= 2;
    return lanes;
  }

  template <class ExecSpace>
  static std::optional<std::string> unsupported(const ExecSpace&, std::int64_t) {
    return std::nullopt;
  }

  template <class ExecSpace, class M, class X, class T>
  static void run(const ExecSpace& exec, const Policy& policy, const M& matrix, const X& x, const detail::Epilogue<T>& epilogue,
                  std::int64_t k) {
    detail::with_thread_width(policy.columns_per_thread > 0 ? policy.columns_per_thread : k, [&](auto width) {
      using Teams = Kokkos::TeamPolicy<ExecSpace, Kokkos::IndexType<std::int64_t>>;
      using Product = detail::TeamProduct<T, M, X, decltype(width)::value>;
      const int wanted = policy.lanes_per_row > 0 ? policy.lanes_per_row : lanes_for(matrix);
      const int lanes = std::min(wanted, Teams::vector_length_max());
      const int threads = detail::is_cpu<ExecSpace> ? 1 : 256 / lanes;
      const std::int64_t rows_per_team = detail::is_cpu<ExecSpace> ? 64 : threads;
      const std::int64_t teams = (matrix.rows() + rows_per_team - 1) / rows_per_team;
      Kokkos::parallel_for("fatvec::CsrTeam", Teams(exec, static_cast<int>(teams), threads, lanes),
                           Product{matrix.row_access(), matrix.entries.data(), matrix.values.data(), x, epilogue, matrix.rows(),
                                   rows_per_team, k});
    });
  }
};

}  // namespace fatvec
