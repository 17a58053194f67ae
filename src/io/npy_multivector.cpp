// SPDX-License-Identifier: Apache-2.0
// Dense operands as NumPy keeps them, numpy.save and numpy.load.
#include <Kokkos_Core.hpp>
#include <algorithm>
#include <limits>
#include <vector>

#include <fatvec/core/memory.hpp>
#include <fatvec/core/output_file.hpp>
#include <fatvec/formats/detail/rows.hpp>
#include <fatvec/io/detail/npy.hpp>
#include <fatvec/io/detail/piece.hpp>

namespace fatvec::io::detail {
namespace {

using fatvec::detail::concat;
using NpySpace = Kokkos::DefaultHostExecutionSpace;

/// The array of the whole file. Throws InputError where the file has fewer bytes, or more.
StoredArray open_npy(const BinaryFile& file, NpyHeader& header) {
  const std::uint32_t length = npy_header_bytes(file.bytes(0, npy_prefix));
  if (length == 0) throw file.error("it is no NumPy array of version 1 to 3.");
  header = parse_npy_header(file, "the array", file.bytes(0, length));
  StoredArray array{
      .name = "the array", .type = header.type, .elements = header.elements, .offset = length};
  if (header.text_bytes > 0) throw file.error("the array holds text, and numbers are wanted.");
  if (array.elements != (file.size() - length) / header.type.bytes ||
      (file.size() - length) % header.type.bytes != 0)
    throw file.error(concat("has ", file.size() - length, " bytes for ", array.elements,
                            " elements of ", header.type.name(),
                            "; the file is truncated or damaged, write it again."));
  return array;
}

}  // namespace

template <class Scalar>
HostMultivector<Scalar> read_npy(const std::filesystem::path& path, const ReadOptions& options) {
  const BinaryFile file(path);
  NpyHeader npy;
  const StoredArray array = open_npy(file, npy);
  if (npy.shape.empty() || npy.shape.size() > 2)
    throw file.error(concat("the array has ", npy.shape.size(),
                            " dimensions; a multivector has two, rows and columns, a vector one."));
  if (npy.type.kind == NumberType::Kind::complex && !is_complex<Scalar>)
    throw file.error(concat("the array is complex (", npy.type.name(),
                            "), and a real scalar type cannot hold it."));
  const auto rows = static_cast<std::int64_t>(npy.shape[0]);
  const auto cols = static_cast<std::int64_t>(npy.shape.size() == 2 ? npy.shape[1] : 1);
  constexpr std::int64_t largest = std::numeric_limits<std::int32_t>::max();
  if (rows > largest || cols > largest)
    throw file.error(concat("the array is ", rows, " x ", cols, "; fatvec reads at most ", largest,
                            " rows and columns."));
  if (options.accept)
    options.accept({.coordinate = false,
                    .field = Field::real,
                    .symmetry = Symmetry::general,
                    .rows = rows,
                    .cols = cols,
                    .entries = rows * cols});
  const bool transposed = npy.columns_first && rows > 1 && cols > 1;
  fatvec::detail::require_fits<Kokkos::HostSpace>(
      "what is made of the file",
      {0, (transposed ? 2.0 : 1.0) * static_cast<double>(array.elements) * sizeof(Scalar)},
      options.memory_limit, concat(rows, " x ", cols));
  std::uint64_t done = 0;
  const auto count = [&](std::uint64_t read) {
    done += read;
    if (options.progress)
      options.progress(static_cast<double>(done) / static_cast<double>(array.elements));
  };
  using Values = Kokkos::View<Scalar*, Kokkos::HostSpace>;
  const auto dense = fatvec::detail::allocate<HostMultivector<Scalar>>(
      NpySpace(), "fatvec::multivector", rows, cols);
  const auto values =
      transposed ? fatvec::detail::allocate<Values>(NpySpace(), "fatvec::io::npy", array.elements)
                 : Values(dense.data(), array.elements);
  read_array(file, array, 0, array.elements, values.data(),
             std::numeric_limits<std::int64_t>::max(), count);
  if (!transposed) return dense;
  Kokkos::parallel_for("fatvec::io::npy", Kokkos::RangePolicy<NpySpace>(0, rows),
                       [&](std::int64_t i) {
                         for (std::int64_t c = 0; c < cols; ++c) dense(i, c) = values(c * rows + i);
                       });
  NpySpace().fence("fatvec::io::npy");
  return dense;
}

template <class Scalar>
void write_npy(const std::filesystem::path& path, const StridedMultivector<Scalar>& multivector) {
  using Kind = NumberType::Kind;
  const std::size_t rows = multivector.extent(0);
  const std::size_t cols = multivector.extent(1);
  fatvec::detail::OutputFile file(path);
  file.write(npy_header({is_complex<Scalar> ? Kind::complex : Kind::real, sizeof(Scalar), false},
                        {rows, cols}));
  const std::size_t at_a_time =
      std::max<std::size_t>(1, (std::size_t{1} << 18) / std::max<std::size_t>(1, cols));
  std::vector<Scalar> values(std::min(rows, at_a_time) * cols);
  for (std::size_t begin = 0; begin < rows; begin += at_a_time) {
    const std::size_t now = std::min(at_a_time, rows - begin);
    for (std::size_t i = 0; i < now; ++i)
      for (std::size_t c = 0; c < cols; ++c) values[i * cols + c] = multivector(begin + i, c);
    file.write({reinterpret_cast<const char*>(values.data()), now * cols * sizeof(Scalar)});
  }
  file.commit();
}

#define FATVEC_INSTANTIATE(Scalar)                                                \
  template HostMultivector<Scalar> read_npy<Scalar>(const std::filesystem::path&, \
                                                    const ReadOptions&);          \
  template void write_npy<Scalar>(const std::filesystem::path&, const StridedMultivector<Scalar>&);
FATVEC_INSTANTIATE(float)
FATVEC_INSTANTIATE(double)
FATVEC_INSTANTIATE(Kokkos::complex<float>)
FATVEC_INSTANTIATE(Kokkos::complex<double>)
#undef FATVEC_INSTANTIATE

}  // namespace fatvec::io::detail
