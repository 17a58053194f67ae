// SPDX-License-Identifier: Apache-2.0
// Generator texts: any text is a description or a UsageError; a description names itself, and gives
// the same valid matrix every time.
#include <cstring>

#include <fatvec/generate/generate.hpp>

#include "support.hpp"

namespace fatvec::fuzz {
namespace {

constexpr std::uint64_t memory_limit = 4'000'000;
constexpr double most_rows = 1e5;

double rows_of(const generate::Spec& spec) {
  double rows = static_cast<double>(spec.dof);
  for (const auto size : spec.sizes) rows *= static_cast<double>(size);
  // One number stands for all of a grid's.
  return spec.sizes.size() == 1 ? rows * rows * rows : rows;
}

void check(std::string_view text) {
  try {
    const auto spec = generate::parse_spec(text);
    expect(generate::is_spec(spec.text), "a description is marked as one");
    const auto again = generate::parse_spec(spec.text);
    expect(again.text == spec.text && again.sizes == spec.sizes && again.seed == spec.seed,
           "a description's text describes the same");
    if (rows_of(spec) > most_rows) return;
    const auto a = generate::generate(spec, memory_limit);
    expect_valid(a);
    const auto b = generate::generate(again, memory_limit);
    const std::size_t nnz = a.entries.extent(0);
    expect(nnz == b.entries.extent(0) &&
               (nnz == 0 ||
                (std::memcmp(a.entries.data(), b.entries.data(), nnz * sizeof(a.entries(0))) == 0 &&
                 std::memcmp(a.values.data(), b.values.data(), nnz * sizeof(double)) == 0)),
           "a description gives the same matrix every time");
  } catch (const UsageError&) {
  } catch (const CapacityError&) {
  }
}

}  // namespace
}  // namespace fatvec::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fatvec::fuzz::start_kokkos();
  fatvec::fuzz::check(fatvec::fuzz::text_of(data, size));
  return 0;
}
