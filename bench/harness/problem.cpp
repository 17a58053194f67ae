// SPDX-License-Identifier: Apache-2.0
#include "harness/problem.hpp"

#include <fmt/format.h>

#include <limits>

#include <fatvec/generate/generate.hpp>
#include <fatvec/io/matrix_file.hpp>

#include "harness/capacity.hpp"

namespace fatvec::bench {
namespace {

using Host = Kokkos::DefaultHostExecutionSpace;

/// Text is read once, from its begin to its end, so that it may come from a pipe.
product::HostCsr load(const MatrixSource& source, std::int64_t largest_k) {
  if (generate::is_spec(source.text)) {
    require_fits(source, largest_k);
    return product::host_csr(generate::generate(generate::parse_spec(source.text)));
  }
  const auto accept = [&](const io::MatrixMarketHeader& header) {
    require_fits(source, header, largest_k);
  };
  return io::read_matrix<double>(source.text, {.accept = accept}).matrix;
}

/// SplitMix64 (Steele, Lea and Flood, OOPSLA 2014) of the position, as a number in [-1, 1).
double element(std::uint64_t row, std::uint64_t column) {
  std::uint64_t z = ((row << 16) + column + 1) * 0x9e3779b97f4a7c15ULL;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
  return static_cast<double>((z ^ (z >> 31)) >> 11) * 0x1p-52 - 1;
}

verify::Reference<double> leading_columns(const verify::Reference<double>& wide, std::int64_t k) {
  verify::Reference<double> narrow{
      .rows = wide.rows, .k = k, .value = {}, .allowed = {}, .largest = wide.largest};
  narrow.value.reserve(wide.rows * k);
  narrow.allowed.reserve(wide.rows * k);
  for (std::int64_t begin = 0; begin < wide.rows * wide.k; begin += wide.k) {
    narrow.value.insert(narrow.value.end(), wide.value.begin() + begin,
                        wide.value.begin() + begin + k);
    narrow.allowed.insert(narrow.allowed.end(), wide.allowed.begin() + begin,
                          wide.allowed.begin() + begin + k);
  }
  return narrow;
}

product::Case task_of(const product::HostCsr& matrix, Precision precision) {
  product::Case task{.matrix = matrix, .options = {}};
  if (precision == Precision::in_float) return product::in_float(std::move(task));
  if (precision == Precision::single_values)
    return product::in_single_precision(std::move(task), ErrorBound()).task;
  return task;
}

}  // namespace

Problem::Problem(const MatrixSource& source, std::int64_t largest_k, Precision precision,
                 double alpha, double beta)
    : name_(source.name),
      task_(task_of(load(source, largest_k), precision)),
      statistics_(row_statistics(task_.matrix)),
      largest_k_(largest_k),
      alpha_(rounded(alpha)),
      beta_(rounded(beta)) {}

product::Case Problem::task(std::int64_t k, product::Layout layout) const {
  product::Case task = task_;
  task.k = k;
  task.layout = layout;
  return task;
}

/// A number of the scalar.
double Problem::rounded(double value) const {
  return task_.in_double() ? value : static_cast<float>(value);
}

/// rows × k pseudo-random elements, the same for any k.
product::HostMultivector Problem::elements(const std::string& label, std::int64_t rows,
                                           std::int64_t k, std::int64_t first_row) const {
  const auto v = product::allocate(label, rows, k);
  Kokkos::parallel_for(label, Kokkos::RangePolicy<Host>(0, rows), [=, this](std::int64_t i) {
    for (std::int64_t c = 0; c < k; ++c) v(i, c) = rounded(element(first_row + i, c));
  });
  Kokkos::fence(label);
  return v;
}

product::HostMultivector Problem::x(std::int64_t k) const {
  return elements("fatvec::bench::X", matrix().cols(), k, 0);
}

product::HostMultivector Problem::initial_y(std::int64_t k) const {
  if (beta_ != 0) return elements("fatvec::bench::Y", matrix().rows(), k, matrix().cols());
  const auto y = product::allocate("fatvec::bench::Y", matrix().rows(), k);
  Kokkos::deep_copy(y, std::numeric_limits<double>::quiet_NaN());
  return y;
}

const verify::Reference<double>& Problem::reference(std::int64_t k) {
  if (widest_.k == 0)
    widest_ = verify::reference_product(
        alpha_, matrix(), x(largest_k_), beta_, initial_y(largest_k_),
        task_.in_double() ? verify::Rounding::of<double>() : verify::Rounding::of<float>());
  if (k == widest_.k) return widest_;
  if (k != current_.k) current_ = leading_columns(widest_, k);
  return current_;
}

std::optional<std::string> Problem::difference(const product::HostMultivector& y) {
  const auto verdict = verify::compare(reference(static_cast<std::int64_t>(y.extent(1))), y);
  if (verdict.passed) return {};
  return fmt::format("verification failed: row {} column {} expected {:.17g} got {:.17g}",
                     verdict.worst_row, verdict.worst_column, verdict.expected, verdict.got);
}

}  // namespace fatvec::bench
