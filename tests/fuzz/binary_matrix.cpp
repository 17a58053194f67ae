// SPDX-License-Identifier: Apache-2.0
// The readers of SciPy's and PETSc's files: any bytes are a matrix or an error of fatvec. A matrix
// is a valid CSR, has as many entries in parts as ranks read it, and survives writing and reading.
#include <cstring>

#include <fatvec/io/detail/stored_matrix.hpp>
#include <fatvec/io/matrix_file.hpp>

#include "support.hpp"

namespace fatvec::fuzz {
namespace {

constexpr std::uint64_t most_bytes = 1'000'000;

template <class View>
bool same(const View& a, const View& b) {
  return a.size() == b.size() &&
         (a.size() == 0 || std::memcmp(a.data(), b.data(), a.size() * sizeof(a(0))) == 0);
}

void check_parts(const std::filesystem::path& path, std::int64_t entries) {
  const io::detail::BinaryFile file(path);
  const auto stored = open_stored(file, io::detail::kind_of(path));
  const io::ReadOptions options;
  std::int64_t before = 0;
  std::int64_t elements = 0;
  constexpr std::int64_t parts = 3;
  for (std::int64_t part = 0; part < parts; ++part) {
    const std::int64_t slabs = stored.slabs();
    io::detail::SlabReader<double, std::int64_t, std::int64_t> reader(
        file, stored, slabs / parts * part, part + 1 == parts ? slabs : slabs / parts * (part + 1),
        options);
    elements += static_cast<std::int64_t>(reader.coo(reader.read(before)).entries());
    before += reader.entries();
  }
  expect(elements == entries, "parts have the entries of the whole");
}

void check(std::string_view bytes) {
  const auto path = write("a", bytes);
  if (io::detail::kind_of(path) == io::detail::FileKind::text) return;
  try {
    const auto read = io::read_matrix<double>(path, {.memory_limit = most_bytes});
    expect_valid(read.matrix);
    check_parts(path, read.matrix.nnz() + read.duplicates);
    for (const char* const name : {"back.npz", "back.petsc"}) {
      io::write_matrix(folder() / name, read.matrix, {.petsc_bits = bytes.size() % 2 ? 32U : 64U});
      const auto back = io::read_matrix<double>(folder() / name).matrix;
      expect(back.rows() == read.matrix.rows() && back.cols() == read.matrix.cols() &&
                 same(back.row_map, read.matrix.row_map) &&
                 same(back.entries, read.matrix.entries) && same(back.values, read.matrix.values),
             "writing and reading gives the same matrix");
    }
  } catch (const Error&) {
  }
}

}  // namespace
}  // namespace fatvec::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fatvec::fuzz::start_kokkos();
  fatvec::fuzz::check(fatvec::fuzz::text_of(data, size));
  return 0;
}
