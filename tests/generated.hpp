// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <string>

#include <fatvec/generate/generate.hpp>

namespace fatvec::test {

/// A generated matrix on the host with 32-bit offsets, for which fatvec::kernels is compiled.
inline CsrMatrix<double, std::int32_t, Kokkos::DefaultHostExecutionSpace> generated(
    const std::string& spec) {
  const auto wide = generate::generate(generate::parse_spec(spec));
  const Kokkos::View<std::int32_t*, Kokkos::DefaultHostExecutionSpace> row_map(
      "row_map", wide.row_map.extent(0));
  for (std::size_t i = 0; i < row_map.extent(0); ++i)
    row_map(i) = static_cast<std::int32_t>(wide.row_map(i));
  return {wide.rows(), wide.cols(), row_map, wide.entries, wide.values};
}

}  // namespace fatvec::test
