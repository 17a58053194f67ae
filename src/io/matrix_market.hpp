// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include <fatvec/formats/coo.hpp>
#include <fatvec/formats/csr.hpp>

/// Matrix Market files (https://math.nist.gov/MatrixMarket/formats.html), plain or gzip-compressed
/// (told by the first bytes, not by the name). Everything malformed is an InputError "FILE:LINE:
/// ..." that names the first bad line of the file.
///
/// Where the format leaves a choice, or files in the wild take one:
///   - Values: every decimal form of C, a leading '+', Fortran exponents (1.5D+3). Rounding is exact
///     (to nearest even). A number too large for the scalar is an error, one too small rounds to a
///     denormal or to zero. inf and nan are accepted.
///   - Comments (of any length up to 16 MiB a line) stand between banner and size line; blank lines
///     and CRLF are fine anywhere.
///   - Explicit zeros and duplicates are kept. A symmetric, skew-symmetric or hermitian file stores
///     one triangle, either one; entries on both sides of the diagonal are an error, since nobody
///     can tell whether they should be mirrored.
///   - A skew-symmetric file may hold only zeros on its diagonal, a hermitian one only real values.
namespace fatvec::io {

/// What the values of a file are.
enum class Field { real, integer, pattern, complex };
/// Which entries of a file stand for their mirror images, too.
enum class Symmetry { general, symmetric, skew_symmetric, hermitian };

/// Banner and size line of a file.
struct MatrixMarketHeader {
  bool coordinate = true;  ///< false: array (dense, column by column)
  Field field = Field::real;
  Symmetry symmetry = Symmetry::general;
  std::int64_t rows = 0;
  std::int64_t cols = 0;
  std::int64_t entries = 0;  ///< of the size line, before mirroring; rows * cols of an array
};

/// Banner and size line only.
MatrixMarketHeader read_header(const std::filesystem::path& path);

/// What a reader may be told.
struct ReadOptions {
  /// Bytes that what is made of the file may take; default: the free memory.
  std::optional<std::uint64_t> memory_limit{};
  /// false: entries of a symmetric coordinate file as they stand there, without mirror images.
  bool mirrors = true;
  /// Called with the header before anything is allocated for the entries; refuses by throwing.
  std::function<void(const MatrixMarketHeader&)> accept{};
  /// Called now and then with the share of the entries that were read, 0 to 1.
  std::function<void(double done)> progress{};
};

/// The whole matrix: 0-based, symmetric storage expanded (diagonal once), in file order, each
/// mirrored entry right after its original. An array file gives every element, zeros included.
/// Pattern entries are 1. The header is returned on request. Scalar: float, double,
/// Kokkos::complex<float> or Kokkos::complex<double>; a complex file wants a complex Scalar.
///
/// Throws InputError, and CapacityError, before anything is allocated, where what the size line
/// announces and the file can hold exceeds the memory limit. What a pipe or a compressed file holds
/// is not known before it was read: there memory is touched only as entries come.
template <class Scalar>
Coo<Scalar, std::int32_t> read_matrix_market(const std::filesystem::path& path,
                                             MatrixMarketHeader* header = nullptr,
                                             const ReadOptions& options = {});

/// A dense multivector as files have it, in host memory.
template <class Scalar>
using HostMultivector = Kokkos::View<Scalar**, Kokkos::LayoutRight, Kokkos::HostSpace>;

/// A dense rows × k multivector from an array file; a coordinate file is filled with zeros (its
/// duplicates add up). A NumPy array of one or two dimensions (.npy, told by its first bytes) is
/// read, too. Throws as read_matrix_market() does; the file is read before the multivector is
/// allocated.
template <class Scalar>
HostMultivector<Scalar> read_multivector(const std::filesystem::path& path,
                                         const ReadOptions& options = {});

namespace detail {

/// Writes 0-based (row, column) of the entries begin ... end - 1 to the arrays; hides COO and CSR
/// from the compiled writer.
using FillIndices =
    std::function<void(std::size_t begin, std::size_t end, std::int64_t* row, std::int64_t* col)>;

template <class Scalar>
struct EntriesView {
  std::int64_t rows = 0;
  std::int64_t cols = 0;
  std::size_t entries = 0;
  const Scalar* values = nullptr;
  FillIndices indices;
  std::function<void(double done)> progress{};
};

template <class Scalar>
void write_entries(const std::filesystem::path& path, const EntriesView<Scalar>& matrix,
                   const std::string& comment);

template <class View>
inline constexpr bool host_accessible =
    Kokkos::SpaceAccessibility<Kokkos::HostSpace, typename View::memory_space>::accessible;

}  // namespace detail

/// Writers. Values get the fewest digits that read back to the same bits. The text goes to a
/// temporary file beside the target, renamed when complete, so that no partial file is ever seen; a
/// name ending in .gz is compressed. `comment` may have several lines. `progress` is called now and
/// then with the share of the entries that were written, 0 to 1. Throws Error with the system's
/// reason (no such folder, disk full, ...), leaving an existing file as it was.
template <class Scalar, class Ordinal>
void write_matrix_market(const std::filesystem::path& path, const Coo<Scalar, Ordinal>& coo,
                         const std::string& comment = {},
                         const std::function<void(double done)>& progress = {}) {
  const auto fill = [&coo](std::size_t begin, std::size_t end, std::int64_t* row,
                           std::int64_t* col) {
    for (std::size_t n = begin; n < end; ++n) {
      row[n - begin] = coo.row(n);
      col[n - begin] = coo.col(n);
    }
  };
  detail::write_entries<Scalar>(
      path, {coo.rows, coo.cols, coo.entries(), coo.value.data(), fill, progress}, comment);
}

/// The same of a CSR matrix in host memory.
template <class Scalar, class Ordinal, class Device, class Offset>
void write_matrix_market(const std::filesystem::path& path,
                         const CsrMatrix<Scalar, Ordinal, Device, Offset>& csr,
                         const std::string& comment = {},
                         const std::function<void(double done)>& progress = {}) {
  static_assert(detail::host_accessible<decltype(csr.values)>,
                "mirror the matrix to the host first (fatvec::mirror)");
  const auto fill = [&csr](std::size_t begin, std::size_t end, std::int64_t* row,
                           std::int64_t* col) {
    const Offset* const offsets = csr.row_map.data();
    std::int64_t i =
        std::upper_bound(offsets, offsets + csr.rows() + 1, static_cast<Offset>(begin)) - offsets -
        1;
    for (std::size_t n = begin; n < end; ++n) {
      while (static_cast<std::size_t>(offsets[i + 1]) <= n) ++i;
      row[n - begin] = i;
      col[n - begin] = csr.entries(n);
    }
  };
  detail::write_entries<Scalar>(
      path, {csr.rows(), csr.cols(), csr.values.extent(0), csr.values.data(), fill, progress},
      comment);
}

/// An array file, rows × k; a NumPy array, without the comment, where the name ends in .npy.
template <class Scalar>
void write_multivector(
    const std::filesystem::path& path,
    const Kokkos::View<const Scalar**, Kokkos::LayoutStride, Kokkos::HostSpace>& multivector,
    const std::string& comment = {});

/// Any layout; const or not.
template <class View>
  requires(Kokkos::is_view_v<View> && View::rank() == 2 && detail::host_accessible<View>)
void write_multivector(const std::filesystem::path& path, const View& multivector,
                       const std::string& comment = {}) {
  using Scalar = typename View::non_const_value_type;
  const Kokkos::View<const Scalar**, Kokkos::LayoutStride, Kokkos::HostSpace> strided = multivector;
  write_multivector<Scalar>(path, strided, comment);
}

}  // namespace fatvec::io
