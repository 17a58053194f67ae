// SPDX-License-Identifier: Apache-2.0
#include <fstream>
#include <string_view>

#include <fatvec/formats/detail/rows.hpp>
#include <fatvec/io/detail/piece.hpp>
#include <fatvec/io/detail/stored_matrix.hpp>

namespace fatvec::io::detail {
namespace {

using fatvec::detail::concat;
using SlabSpace = Kokkos::DefaultHostExecutionSpace;
using Layout = StoredMatrix::Layout;

template <class T>
using HostArray = Kokkos::View<T*, SlabSpace::device_type>;

template <class T>
HostArray<T> host_array(const char* label, std::int64_t length) {
  return fatvec::detail::allocate<HostArray<T>>(SlabSpace(), label, length);
}

}  // namespace

std::int64_t StoredMatrix::slabs() const {
  switch (layout) {
    case Layout::csc:
      return cols;
    case Layout::bsr:
      return rows / block_rows;
    case Layout::coo:
      return static_cast<std::int64_t>(minor.elements);
    default:
      return rows;
  }
}

std::int64_t StoredMatrix::minor_extent() const {
  return layout == Layout::csc ? rows : cols / block_cols;
}

MatrixMarketHeader StoredMatrix::header() const {
  using Kind = NumberType::Kind;
  const Kind kind = values.type.kind;
  return {.coordinate = true,
          .field = kind == Kind::boolean   ? Field::pattern
                   : kind == Kind::complex ? Field::complex
                   : kind == Kind::real    ? Field::real
                                           : Field::integer,
          .symmetry = symmetry,
          .rows = rows,
          .cols = cols,
          .entries = static_cast<std::int64_t>(minor.elements) * block_size()};
}

FileKind kind_of_bytes(std::string_view head) {
  using namespace std::string_view_literals;
  if (head.starts_with("PK\x03\x04"sv) || head.starts_with("PK\x05\x06"sv)) return FileKind::npz;
  if (head.starts_with("\x93NUMPY"sv)) return FileKind::npy;
  if (head.starts_with("\x89HDF\r\n\x1a\n"sv)) return FileKind::hdf5;
  if (head.starts_with("\x00\x12\x7b\x50"sv) ||
      head.starts_with("\x00\x00\x00\x00\x00\x12\x7b\x50"sv))
    return FileKind::petsc;
  constexpr std::string_view filters[] = {"\x1f\x8b"sv, "BZh"sv,
                                          "\xfd"
                                          "7zXZ"sv,
                                          "\x28\xb5\x2f\xfd"sv};
  for (const std::string_view filter : filters)
    if (head.starts_with(filter)) return FileKind::compressed;
  return FileKind::text;
}

FileKind kind_of(const std::filesystem::path& path) {
  std::error_code unreadable;  // told by who reads the file
  if (!std::filesystem::is_regular_file(path, unreadable)) return FileKind::text;
  std::ifstream file(path, std::ios::binary);
  char head[8] = {};
  file.read(head, sizeof head);
  return kind_of_bytes({head, static_cast<std::size_t>(file.gcount())});
}

StoredMatrix open_stored(const BinaryFile& file, FileKind kind) {
  if (kind == FileKind::npy)
    throw file.error(
        "it is a NumPy array, dense, and no sparse matrix; scipy.sparse.save_npz(\"A.npz\", "
        "scipy.sparse.csr_matrix(array)) makes one of it.");
  if (kind == FileKind::hdf5) return open_binsparse(file);
  return kind == FileKind::npz ? open_npz(file) : open_petsc(file);
}

template <class Scalar, class Ordinal, class Offset>
SlabReader<Scalar, Ordinal, Offset>::SlabReader(const BinaryFile& file, const StoredMatrix& matrix,
                                                std::int64_t begin, std::int64_t end,
                                                const ReadOptions& options)
    : file_(file), matrix_(matrix), begin_(begin), end_(end), options_(options) {
  if (matrix.layout == Layout::coo) {
    first_ = begin;
    entries_ = end - begin;
  } else {
    read_offsets();
  }
}

/// Whatever the file has, offsets count from 0, never decrease, and end within the file's entries.
template <class Scalar, class Ordinal, class Offset>
void SlabReader<Scalar, Ordinal, Offset>::read_offsets() {
  const StoredArray& stored = matrix_.offsets;
  const auto all = static_cast<std::int64_t>(matrix_.minor.elements);
  fatvec::detail::checked_count<Offset>(static_cast<double>(all), "entries");
  const std::int64_t slabs = end_ - begin_;
  const auto offsets = host_array<Offset>("fatvec::csr::row_map", slabs + 1);
  slabs_.offsets = offsets;
  const auto refuse = [&](std::int64_t element, const std::string& what) {
    return file_.error(concat(stored.name, ": element ", element, ' ', what,
                              "; the file is damaged, fetch or write it again."));
  };
  if (matrix_.lengths) {
    offsets(0) = 0;
    read_array(file_, stored, begin_, end_, offsets.data() + 1, all + 1);
    for (std::int64_t i = 0; i < slabs; ++i) {
      entries_ += offsets(i + 1);
      if (entries_ > all)
        throw refuse(begin_ + i, concat("makes more than the ", all, " entries there are"));
      offsets(i + 1) = static_cast<Offset>(entries_);
    }
    return;
  }
  read_array(file_, stored, begin_, end_ + 1, offsets.data(), all + 1);
  first_ = offsets(0);
  if (begin_ == 0 && first_ != 0) throw refuse(0, concat("is ", first_, ", and has to be 0"));
  if (end_ == matrix_.slabs() && offsets(slabs) != all)
    throw refuse(end_,
                 concat("is ", offsets(slabs), ", and has to be the number of entries, ", all));
  for (std::int64_t i = 0; i < slabs; ++i) {
    if (offsets(i + 1) < offsets(i)) throw refuse(begin_ + i + 1, "is less than the one before");
  }
  for (std::int64_t i = 0; i <= slabs; ++i) offsets(i) -= static_cast<Offset>(first_);
  entries_ = offsets(slabs);
}

template <class Scalar, class Ordinal, class Offset>
Slabs<Scalar, Ordinal, Offset> SlabReader<Scalar, Ordinal, Offset>::read(std::int64_t before) {
  if (matrix_.lengths) {
    first_ = before;
    const auto all = static_cast<std::int64_t>(matrix_.minor.elements);
    const std::int64_t end = before + entries_;
    if (end > all || (end_ == matrix_.slabs() && end != all))
      throw file_.error(concat(matrix_.offsets.name, ": they add up to ", end, " entries, and ",
                               all,
                               " are announced; the file is damaged, fetch or write it again."));
  }
  const std::int64_t elements = entries_ * matrix_.block_size();
  slabs_.minor = host_array<Ordinal>("fatvec::csr::entries", entries_);
  slabs_.values = host_array<Scalar>("fatvec::csr::values", elements);
  std::uint64_t done = 0;
  const auto count = [&](std::uint64_t read) {
    done += read;
    if (options_.progress)
      options_.progress(static_cast<double>(done) / static_cast<double>(entries_ + elements));
  };
  read_array(file_, matrix_.minor, first_, first_ + entries_, slabs_.minor.data(),
             matrix_.minor_extent(), count);
  if (matrix_.layout == Layout::coo) {
    slabs_.major = host_array<Ordinal>("fatvec::Coo::row", entries_);
    read_array(file_, matrix_.major, first_, first_ + entries_, slabs_.major.data(), matrix_.rows);
  }
  read_values(elements, count);
  return slabs_;
}

template <class Scalar, class Ordinal, class Offset>
void SlabReader<Scalar, Ordinal, Offset>::read_values(std::int64_t elements,
                                                      const CountElements& count) {
  constexpr std::int64_t no_limit = std::numeric_limits<std::int64_t>::max();
  if (matrix_.one_value) {
    Scalar value{};
    read_array(file_, matrix_.values, 0, 1, &value, no_limit);
    Kokkos::deep_copy(SlabSpace(), slabs_.values, value);
    SlabSpace().fence("fatvec::io::one_value");
    if (elements > 0) count(static_cast<std::uint64_t>(elements));
    return;
  }
  const std::int64_t begin = first_ * matrix_.block_size();
  read_array(file_, matrix_.values, begin, begin + elements, slabs_.values.data(), no_limit, count);
}

template <class Scalar, class Ordinal, class Offset>
Coo<Scalar, Ordinal> SlabReader<Scalar, Ordinal, Offset>::coo(
    const Slabs<Scalar, Ordinal, Offset>& slabs) const {
  const std::int64_t block_rows = matrix_.block_rows;
  const std::int64_t block_cols = matrix_.block_cols;
  const std::int64_t block = matrix_.block_size();
  Coo<Scalar, Ordinal> coo;
  coo.rows = static_cast<Ordinal>(matrix_.rows);
  coo.cols = static_cast<Ordinal>(matrix_.cols);
  coo.value = slabs.values;
  if (matrix_.layout == Layout::coo) {
    coo.row = slabs.major;
    coo.col = slabs.minor;
    return matrix_.symmetry == Symmetry::general ? coo : mirrored(coo);
  }
  coo.row = host_array<Ordinal>("fatvec::Coo::row", entries_ * block);
  coo.col = block == 1 ? slabs.minor : host_array<Ordinal>("fatvec::Coo::col", entries_ * block);
  const auto expand = [&](std::int64_t slab) {
    for (std::int64_t n = slabs.offsets(slab); n < slabs.offsets(slab + 1); ++n) {
      const std::int64_t minor = slabs.minor(n);
      for (std::int64_t e = 0; e < block; ++e) {
        coo.row(n * block + e) =
            static_cast<Ordinal>((begin_ + slab) * block_rows + e / block_cols);
        if (block > 1)
          coo.col(n * block + e) = static_cast<Ordinal>(minor * block_cols + e % block_cols);
      }
    }
  };
  Kokkos::parallel_for("fatvec::io::expand",
                       Kokkos::RangePolicy<SlabSpace>(0, static_cast<std::size_t>(end_ - begin_)),
                       expand);
  SlabSpace().fence("fatvec::io::expand");
  if (matrix_.layout == Layout::csc) std::swap(coo.row, coo.col);
  return matrix_.symmetry == Symmetry::general ? coo : mirrored(coo);
}

template <class Scalar, class Ordinal, class Offset>
Coo<Scalar, Ordinal> SlabReader<Scalar, Ordinal, Offset>::mirrored(
    const Coo<Scalar, Ordinal>& triangle) const {
  const auto mirror = [&](const Scalar& value) {
    return detail::mirrored(matrix_.symmetry, value);
  };
  std::size_t off_diagonal = 0;
  for (std::size_t n = 0; n < triangle.entries(); ++n) {
    const Ordinal row = triangle.row(n);
    const Ordinal col = triangle.col(n);
    // of the others the diagonal is 0 or real; a symmetric one may hold anything, NaN among it
    const bool fits = row != col ? (row > col) == matrix_.lower
                                 : matrix_.symmetry == Symmetry::symmetric ||
                                       mirror(triangle.value(n)) == triangle.value(n);
    if (!fits)
      throw file_.error(concat("the entry at (", row, ", ", col, "), counted from 0, is none of a ",
                               matrix_.name, " matrix; the file is damaged, write it again."));
    off_diagonal += row != col;
  }
  Coo<Scalar, Ordinal> both(triangle.rows, triangle.cols, triangle.entries() + off_diagonal);
  std::size_t at = 0;
  const auto add = [&](Ordinal row, Ordinal col, const Scalar& value) {
    both.row(at) = row;
    both.col(at) = col;
    both.value(at++) = value;
  };
  for (std::size_t n = 0; n < triangle.entries(); ++n) {
    add(triangle.row(n), triangle.col(n), triangle.value(n));
    if (triangle.row(n) != triangle.col(n))
      add(triangle.col(n), triangle.row(n), mirror(triangle.value(n)));
  }
  return both;
}

template class SlabReader<float, std::int32_t, std::int32_t>;
template class SlabReader<double, std::int32_t, std::int32_t>;
template class SlabReader<float, std::int64_t, std::int64_t>;
template class SlabReader<double, std::int64_t, std::int64_t>;
template class SlabReader<Kokkos::complex<float>, std::int32_t, std::int32_t>;
template class SlabReader<Kokkos::complex<double>, std::int32_t, std::int32_t>;

}  // namespace fatvec::io::detail
