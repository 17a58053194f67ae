// SPDX-License-Identifier: Apache-2.0
// Matrices as PETSc's MatView writes them to binary files: big-endian, in order a class, the sizes,
// the lengths of the rows, the columns, and the values.
#include <Kokkos_Core.hpp>
#include <algorithm>
#include <bit>
#include <cstring>
#include <string_view>
#include <vector>

#include <fatvec/io/detail/stored_matrix.hpp>
#include <fatvec/io/detail/stored_writers.hpp>

namespace fatvec::io::detail {
namespace {

using fatvec::detail::concat;

/// MAT_FILE_CLASSID; VEC_FILE_CLASSID and the others differ from it in the last bits.
constexpr std::int64_t matrix_class = 1211216;
constexpr std::int64_t first_class = matrix_class - 16;
constexpr std::int64_t last_class = matrix_class + 16;

std::int64_t big_endian(std::string_view bytes) {
  std::uint64_t value = 0;
  for (const char byte : bytes) value = value << 8 | static_cast<unsigned char>(byte);
  return bytes.size() == 4 ? static_cast<std::int32_t>(value) : static_cast<std::int64_t>(value);
}

/// Whether the file ends at a byte, or another object of PETSc begins there.
bool ends_at(const BinaryFile& file, std::uint64_t at, unsigned integer) {
  if (at == file.size()) return true;
  if (at > file.size() || file.size() - at < integer) return false;
  const std::int64_t number = big_endian(file.bytes(at, integer));
  return number >= first_class && number <= last_class;
}

/// The file does not say what its values are: real numbers, unless only complex ones fill it. Those
/// of a PETSc of single precision are not taken: a file cut in half would look like one.
NumberType type_of_values(const BinaryFile& file, std::uint64_t at, std::uint64_t entries,
                          unsigned integer) {
  using Kind = NumberType::Kind;
  constexpr NumberType types[] = {{Kind::real, 8, true}, {Kind::complex, 16, true}};
  for (const NumberType& type : types)
    if (ends_at(file, at + entries * type.bytes, integer)) return type;
  throw file.error(concat("has ", file.size() - at, " bytes for the values of ", entries,
                          " entries, which is neither 8 (real) nor 16 (complex) each; the file "
                          "is truncated or damaged, or of a PETSc of single precision: write it "
                          "again, in double."));
}

}  // namespace

StoredMatrix open_petsc(const BinaryFile& file) {
  // An integer of 64 bits begins with zeros, as no class of 32 bits does.
  const unsigned integer = file.bytes(0, 4) == std::string(4, '\0') ? 8 : 4;
  const std::string head = file.bytes(0, 4 * std::size_t{integer});
  const auto field = [&](std::size_t n) {
    return big_endian(std::string_view(head).substr(n * integer, integer));
  };
  if (field(0) != matrix_class)
    throw file.error("holds an object of PETSc that is no matrix; write it by MatView.");
  StoredMatrix matrix{.name = concat("PETSc AIJ with ", 8 * integer, "-bit integers"),
                      .rows = field(1),
                      .cols = field(2),
                      .lengths = true};
  const std::int64_t entries = field(3);
  if (entries == -1)
    throw file.error("holds a dense matrix of PETSc; convert it by MatConvert to MATAIJ.");
  const std::uint64_t integers = (file.size() - head.size()) / integer;
  if (matrix.rows < 0 || matrix.cols < 0 || entries < 0 ||
      static_cast<std::uint64_t>(matrix.rows) > integers ||
      static_cast<std::uint64_t>(entries) > integers - static_cast<std::uint64_t>(matrix.rows))
    throw file.error(concat("announces a matrix of ", matrix.rows, " x ", matrix.cols, " with ",
                            entries, " entries, and has ", file.size(),
                            " bytes; the file is truncated or damaged, write it again."));
  const auto rows = static_cast<std::uint64_t>(matrix.rows);
  const auto all = static_cast<std::uint64_t>(entries);
  const NumberType index{NumberType::Kind::integer, integer, true};
  matrix.offsets = {
      .name = "lengths of rows", .type = index, .elements = rows, .offset = head.size()};
  matrix.minor = {.name = "columns",
                  .type = index,
                  .elements = all,
                  .offset = matrix.offsets.offset + matrix.offsets.bytes()};
  const std::uint64_t values = matrix.minor.offset + matrix.minor.bytes();
  matrix.values = {.name = "values",
                   .type = type_of_values(file, values, all, integer),
                   .elements = all,
                   .offset = values};
  return matrix;
}

namespace {

using PetscSpace = Kokkos::DefaultHostExecutionSpace;

/// Writes the elements get(0) ... get(count - 1) as big-endian numbers of the type To.
template <class To, class Get>
void write_big_endian(fatvec::detail::OutputFile& file, std::int64_t count, const Get& get) {
  using Bits = std::conditional_t<sizeof(To) == 4, std::uint32_t, std::uint64_t>;
  constexpr std::int64_t at_a_time = std::int64_t{1} << 20;
  std::vector<Bits> numbers(static_cast<std::size_t>(std::min(count, at_a_time)));
  for (std::int64_t begin = 0; begin < count; begin += at_a_time) {
    const std::int64_t now = std::min(at_a_time, count - begin);
    Kokkos::parallel_for(
        "fatvec::io::big_endian", Kokkos::RangePolicy<PetscSpace>(0, now), [&](std::int64_t n) {
          Bits bits = std::bit_cast<Bits>(static_cast<To>(get(begin + n)));
          if constexpr (std::endian::native == std::endian::little)
            bits = sizeof bits == 4 ? __builtin_bswap32(bits) : __builtin_bswap64(bits);
          numbers[static_cast<std::size_t>(n)] = bits;
        });
    PetscSpace().fence("fatvec::io::big_endian");
    file.write({reinterpret_cast<const char*>(numbers.data()),
                static_cast<std::size_t>(now) * sizeof(Bits)});
  }
}

template <class Integer, class Scalar>
void write_aij(fatvec::detail::OutputFile& file, const HostMatrix<Scalar>& matrix,
               const WriteOptions& options) {
  const std::int64_t head[] = {matrix_class, matrix.rows(), matrix.cols(), matrix.nnz()};
  write_big_endian<Integer>(file, 4, [&](std::int64_t n) { return head[n]; });
  write_big_endian<Integer>(file, matrix.rows(), [&](std::int64_t i) {
    return matrix.row_map(i + 1) - matrix.row_map(i);
  });
  write_big_endian<Integer>(file, matrix.nnz(), [&](std::int64_t n) { return matrix.entries(n); });
  if (options.progress)
    options.progress(1.0 * sizeof(Integer) / (sizeof(Integer) + sizeof(double)));
  write_big_endian<double>(file, matrix.nnz(), [&](std::int64_t n) { return matrix.values(n); });
}

}  // namespace

template <class Scalar>
void write_petsc(fatvec::detail::OutputFile& file, const HostMatrix<Scalar>& matrix,
                 const WriteOptions& options) {
  if (options.petsc_bits == 64)
    write_aij<std::int64_t>(file, matrix, options);
  else
    write_aij<std::int32_t>(file, matrix, options);
}

template void write_petsc<float>(fatvec::detail::OutputFile&, const HostMatrix<float>&,
                                 const WriteOptions&);
template void write_petsc<double>(fatvec::detail::OutputFile&, const HostMatrix<double>&,
                                  const WriteOptions&);

}  // namespace fatvec::io::detail
