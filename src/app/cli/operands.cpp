// SPDX-License-Identifier: Apache-2.0
#include "operands.hpp"

#include <fmt/format.h>

#include <limits>

#include <fatvec/generate/random.hpp>
#include <fatvec/io/matrix_market.hpp>

namespace fatvec::cli {
namespace {

using Host = Kokkos::DefaultHostExecutionSpace;

}  // namespace

void require_operands_fit(const product::Case& task, bool with_oracle, bool with_expected) {
  const auto k = static_cast<double>(task.k);
  const double x = k * sizeof(double) * task.matrix.cols();
  const double y = k * sizeof(double) * task.matrix.rows();
  const double oracle = with_oracle ? 2 * k * sizeof(long double) * task.matrix.rows() : 0;
  const double bytes = 2 * x + (with_expected ? 5 : 3) * y + oracle;
  const auto why =
      fmt::format("X of {} x {} and Y of {} x {}, with the copies that are made of them",
                  task.matrix.cols(), task.k, task.matrix.rows(), task.k);
  detail::require_fits<Kokkos::HostSpace>("the product", {0, bytes}, task.options.memory_limit,
                                          why);
}

product::HostMultivector random_multivector(Operand operand, std::uint64_t seed, std::int64_t rows,
                                            std::int64_t k) {
  const auto multivector = product::allocate("fatvec::cli::random", rows, k);
  const auto purpose = static_cast<generate::Purpose>(operand);
  Kokkos::parallel_for("fatvec::cli::random",
                       Kokkos::RangePolicy<Host, Kokkos::IndexType<std::int64_t>>(0, rows),
                       [=](std::int64_t i) {
                         const generate::RowRandom random(seed, purpose, i);
                         for (std::int64_t c = 0; c < k; ++c)
                           multivector(i, c) = 2 * random.unit(c) - 1;
                       });
  Kokkos::fence("fatvec::cli::random");
  return multivector;
}

product::HostMultivector poison(std::int64_t rows, std::int64_t k) {
  const auto multivector = product::allocate("fatvec::cli::poison", rows, k);
  Kokkos::deep_copy(multivector, std::numeric_limits<double>::quiet_NaN());
  return multivector;
}

product::HostMultivector read_operand(const std::string& file, const char* option,
                                      std::int64_t rows, std::optional<std::int64_t> k,
                                      std::optional<std::uint64_t> memory_limit,
                                      Progress& progress) {
  const std::string path = file == "-" ? "/dev/stdin" : file;
  progress.step(fmt::format("reading {}", path));
  const auto accept = [&](const io::MatrixMarketHeader& header) {
    if (header.rows == rows && header.cols == k.value_or(header.cols) && header.cols >= 1) return;
    const std::string columns = k ? fmt::to_string(*k) : "k";
    throw ShapeError(fmt::format(
        "{}: {} holds a {} x {} multivector; this product wants {} x {}{}.", path, option,
        header.rows, header.cols, rows, columns, k ? "" : " with k of at least 1"));
  };
  return io::read_multivector<double>(
      path, {.memory_limit = memory_limit, .accept = accept, .progress = [&](double done) {
               progress.share(done);
             }});
}

}  // namespace fatvec::cli
