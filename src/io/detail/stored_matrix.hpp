// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <string>

#include <fatvec/formats/coo.hpp>
#include <fatvec/io/detail/stored_array.hpp>
#include <fatvec/io/matrix_market.hpp>

/// Matrices of binary files: a description by the file's own reader (npz.cpp, petsc.cpp,
/// binsparse.cpp), from which one reader makes the matrix, or a rank's part of it.
namespace fatvec::io::detail {

/// A matrix as arrays of a file.
struct StoredMatrix {
  enum class Layout : std::uint8_t { csr, csc, bsr, coo };
  std::string name;  ///< "SciPy csr", "PETSc AIJ", "Binsparse CSR"
  Layout layout = Layout::csr;
  std::int64_t rows = 0;
  std::int64_t cols = 0;
  std::int64_t block_rows = 1;  ///< of bsr
  std::int64_t block_cols = 1;
  StoredArray offsets{};   ///< where each row (csc: column, bsr: block row) begins, and an end
  bool lengths = false;    ///< offsets has the length of each row in place of where it begins
  StoredArray major{};     ///< coo: the row of each entry
  StoredArray minor{};     ///< the column of each entry (csc: row, bsr: block column)
  StoredArray values{};    ///< of bsr block by block, each by rows
  bool one_value = false;  ///< values has one element, which all entries share
  Symmetry symmetry = Symmetry::general;  ///< of one triangle, which stands for both
  bool lower = true;                      ///< which triangle that is

  /// Rows (csc: columns, bsr: block rows, coo: entries) among which parts are cut.
  [[nodiscard]] std::int64_t slabs() const;
  /// Largest minor index, plus one.
  [[nodiscard]] std::int64_t minor_extent() const;
  [[nodiscard]] std::int64_t block_size() const { return block_rows * block_cols; }
  [[nodiscard]] MatrixMarketHeader header() const;
  /// "SciPy csr, float64".
  [[nodiscard]] std::string description() const { return name + ", " + values.type.name(); }
};

/// What the bytes of a file begin with, as far as fatvec reads it.
enum class FileKind : std::uint8_t { text, compressed, npz, petsc, hdf5, npy };
/// Looks into regular files only: what a pipe holds can be read once, and is taken as text, which
/// may be compressed.
FileKind kind_of(const std::filesystem::path& path);

/// Whether the file starts as that kind does. `head`: its first bytes, 8 where there are as many.
FileKind kind_of_bytes(std::string_view head);

/// Describe the matrix in the file. Throw InputError where it is none, or not complete.
StoredMatrix open_npz(const BinaryFile& file);
StoredMatrix open_petsc(const BinaryFile& file);
StoredMatrix open_binsparse(const BinaryFile& file);
StoredMatrix open_stored(const BinaryFile& file, FileKind kind);

/// Rows, or what else slabs() counts, as they are in the file.
template <class Scalar, class Ordinal, class Offset>
struct Slabs {
  template <class T>
  using Array = Kokkos::View<T*, Kokkos::DefaultHostExecutionSpace::device_type>;
  Array<Offset> offsets;  ///< of the first entry of each, from 0; none of coo
  Array<Ordinal> major;   ///< coo only
  Array<Ordinal> minor;
  Array<Scalar> values;
};

/// Reads the slabs begin ... end - 1. before: entries of all slabs before, which is wanted (and
/// known) only of lengths, and is not looked at otherwise.
template <class Scalar, class Ordinal, class Offset>
class SlabReader {
 public:
  SlabReader(const BinaryFile& file, const StoredMatrix& matrix, std::int64_t begin,
             std::int64_t end, const ReadOptions& options);

  /// Entries of these slabs.
  [[nodiscard]] std::int64_t entries() const { return entries_; }

  /// Throws InputError where something in the file is wrong.
  Slabs<Scalar, Ordinal, Offset> read(std::int64_t before = 0);

  /// The same as entries with their rows and columns; blocks with all their elements, a triangle
  /// with its mirror image. Throws InputError for an entry that the triangle cannot have.
  Coo<Scalar, Ordinal> coo(const Slabs<Scalar, Ordinal, Offset>& slabs) const;

 private:
  void read_offsets();
  void read_values(std::int64_t elements, const CountElements& count);
  Coo<Scalar, Ordinal> mirrored(const Coo<Scalar, Ordinal>& triangle) const;

  const BinaryFile& file_;
  const StoredMatrix& matrix_;
  std::int64_t begin_;
  std::int64_t end_;
  const ReadOptions& options_;
  std::int64_t first_ = 0;
  std::int64_t entries_ = 0;
  Slabs<Scalar, Ordinal, Offset> slabs_;
};

}  // namespace fatvec::io::detail
