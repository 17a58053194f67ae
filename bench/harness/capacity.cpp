// SPDX-License-Identifier: Apache-2.0
#include "harness/capacity.hpp"

#include <algorithm>
#include <optional>

#include <fatvec/core/error.hpp>
#include <fatvec/core/memory.hpp>
#include <fatvec/generate/generate.hpp>
#include <fatvec/generate/twins.hpp>
#include <fatvec/io/matrix_market.hpp>

namespace fatvec::bench {
namespace {

std::optional<MatrixSize> size_of(const std::string& text) {
  if (!generate::is_spec(text)) {
    const auto header = io::read_header(text);
    const std::int64_t copies = header.symmetry == io::Symmetry::general ? 1 : 2;
    return MatrixSize{header.rows, header.cols, copies * header.entries, true};
  }
  const auto spec = generate::parse_spec(text);
  if (spec.twin.empty()) return {};
  const auto& full = generate::find_twin(spec.twin);
  const auto law =
      spec.sizes.empty() ? full.lengths : generate::scaled(full, spec.sizes.front()).lengths;
  return MatrixSize{law.rows, law.rows, law.nnz, false};
}

}  // namespace

double peak_bytes(const MatrixSize& size, std::int64_t k) {
  constexpr double entry = sizeof(double) + sizeof(std::int32_t);
  const auto nnz = static_cast<double>(size.nnz);
  const auto rows = static_cast<double>(size.rows);
  const auto cols = static_cast<double>(size.cols);
  const double csr = nnz * entry + rows * sizeof(std::int32_t);
  // A file is coordinates first; a generated matrix has 64-bit offsets first.
  const double loading =
      csr + (size.from_file ? nnz * (entry + sizeof(std::int32_t)) : rows * sizeof(std::int64_t));
  const double answer = rows * static_cast<double>(k) * 2 * sizeof(long double);
  const double vectors = (rows + cols) * static_cast<double>(k) * sizeof(double);
  return std::max(loading, 2 * csr + 2 * vectors + answer);
}

void require_fits(const MatrixSource& source, std::int64_t largest_k) {
  const auto size = size_of(source.text);
  if (!size) return;
  const double needed = peak_bytes(*size, largest_k);
  const auto free = static_cast<double>(free_memory<Kokkos::HostSpace>());
  if (needed <= free) return;
  throw CapacityError(detail::concat(
      source.name, " needs about ", human_bytes(needed), " for ", size->nnz,
      " entries and k = ", largest_k, ", ", human_bytes(free),
      " are free; choose smaller k, another machine, or a scaled twin (gen:twin:NAME:ROWS)."));
}

}  // namespace fatvec::bench
