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

std::optional<MatrixSize> size_of_twin(const std::string& text) {
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

namespace {

void require_fits(const std::string& name, const MatrixSize& size, std::int64_t largest_k) {
  const double needed = peak_bytes(size, largest_k);
  const auto free = static_cast<double>(free_memory<Kokkos::HostSpace>());
  if (needed <= free) return;
  throw CapacityError(detail::concat(
      name, " needs about ", human_bytes(needed), " for ", size.nnz, " entries and k = ", largest_k,
      ", ", human_bytes(free),
      " are free; choose smaller k, another machine, or a scaled twin (gen:twin:NAME:ROWS)."));
}

}  // namespace

void require_fits(const MatrixSource& twin, std::int64_t largest_k) {
  if (const auto size = size_of_twin(twin.text)) require_fits(twin.name, *size, largest_k);
}

void require_fits(const MatrixSource& file, const io::MatrixMarketHeader& header,
                  std::int64_t largest_k) {
  const std::int64_t copies = header.symmetry == io::Symmetry::general ? 1 : 2;
  require_fits(file.name, {header.rows, header.cols, copies * header.entries, true}, largest_k);
}

}  // namespace fatvec::bench
