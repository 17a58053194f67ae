// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <unistd.h>

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>

#include <fatvec/core/error.hpp>

/// What the fuzzers share. A fuzzer checks more than "it does not crash": expect() ends it, and
/// libFuzzer then keeps the input.
namespace fatvec::fuzz {

inline void expect(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "violated: %s\n", what);
  std::abort();
}

/// Kokkos for the life of the process.
inline void start_kokkos() {
  static const Kokkos::ScopeGuard kokkos;
}

/// A folder of this process ($TMPDIR, which scripts/fuzz puts into memory), removed at its end.
inline const std::filesystem::path& folder() {
  struct Folder {
    std::filesystem::path path =
        std::filesystem::temp_directory_path() / ("fatvec-fuzz-" + std::to_string(getpid()));
    Folder() { std::filesystem::create_directories(path); }
    ~Folder() {
      std::error_code ignored;
      std::filesystem::remove_all(path, ignored);
    }
  };
  static const Folder folder;
  return folder.path;
}

inline std::filesystem::path write(const std::string& name, std::string_view text) {
  const auto path = folder() / name;
  std::ofstream(path, std::ios::binary) << text;
  return path;
}

inline std::string contents(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

inline std::string_view text_of(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

/// Offsets from 0 to the number of entries, never falling; columns within the matrix and rising
/// within each row.
template <class Csr>
void expect_valid(const Csr& a) {
  const auto rows = static_cast<std::int64_t>(a.rows());
  const auto nnz = static_cast<std::int64_t>(a.entries.extent(0));
  expect(a.values.extent(0) == a.entries.extent(0), "a value for each entry");
  if (a.row_map.extent(0) == 0) return expect(rows == 0 && nnz == 0, "no offsets, no rows");
  expect(a.row_map(0) == 0, "the first offset is 0");
  expect(static_cast<std::int64_t>(a.row_map(rows)) == nnz, "the last offset counts the entries");
  for (std::int64_t i = 0; i < rows; ++i) {
    expect(a.row_map(i) <= a.row_map(i + 1), "offsets never fall");
    for (auto n = a.row_map(i); n < a.row_map(i + 1); ++n) {
      expect(a.entries(n) >= 0 && a.entries(n) < a.cols(), "columns lie within the matrix");
      expect(n == a.row_map(i) || a.entries(n - 1) < a.entries(n), "columns rise within a row");
    }
  }
}

}  // namespace fatvec::fuzz
