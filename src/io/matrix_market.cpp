// SPDX-License-Identifier: Apache-2.0
#include <Kokkos_Core.hpp>
#include <Kokkos_Profiling_ScopedRegion.hpp>
#include <algorithm>
#include <limits>
#include <utility>

#include <fatvec/core/memory.hpp>
#include <fatvec/io/detail/body.hpp>
#include <fatvec/io/detail/npy.hpp>
#include <fatvec/io/detail/reader.hpp>
#include <fatvec/io/detail/stored_matrix.hpp>

namespace fatvec::io {
namespace detail {
namespace {

using fatvec::detail::concat;
using HostSpace = Kokkos::HostSpace;

template <class Scalar>
constexpr const char* scalar_name() {
  if constexpr (std::is_same_v<Scalar, float>) return "float";
  if constexpr (std::is_same_v<Scalar, double>) return "double";
  if constexpr (std::is_same_v<Scalar, Kokkos::complex<float>>) return "complex<float>";
  return "complex<double>";
}

/// The header, refused where Scalar or 32-bit indices cannot hold the matrix, or where the caller
/// does not want it.
template <class Scalar>
ParsedHeader parse_header_for(TextBlocks& text, const ReadOptions& options) {
  ParsedHeader header = parse_header(text);
  header.mirrors = options.mirrors;
  if (header.field == Field::complex && !is_complex<Scalar>) {
    throw text.error(1, concat("the matrix is complex, and the real scalar type ",
                               scalar_name<Scalar>(), " cannot hold it; with the library, ",
                               "read it as complex<", scalar_name<Scalar>(), ">."));
  }
  constexpr std::int64_t largest = std::numeric_limits<std::int32_t>::max();
  if (header.rows > largest || header.cols > largest) {
    throw text.error(header.size_line, concat("the matrix is ", header.rows, " x ", header.cols,
                                              "; fatvec reads at most ", largest,
                                              " rows and columns (32-bit indices)."));
  }
  if (options.accept) options.accept(header);
  return header;
}

/// Refuses what the file announces, before anything is allocated. A file that is too short for
/// that is left to its reader, who says where it ends.
template <class Body>
void require_memory(const Body& body, const ParsedHeader& header, double bytes,
                    const ReadOptions& options) {
  if (!body.may_be_complete()) return;
  fatvec::detail::require_fits<HostSpace>(
      "what is made of the Matrix Market file", {0, bytes}, options.memory_limit,
      concat(header.rows, " x ", header.cols, ", ", header.entries, " entries in the file"));
}

template <class Scalar>
double dense_bytes(const MatrixMarketHeader& header) {
  return static_cast<double>(header.rows) * static_cast<double>(header.cols) * sizeof(Scalar);
}

/// Keeps the first `length` elements; what lies behind was never touched, so it costs address space
/// only.
template <class View>
View shortened(const View& view, std::size_t length) {
  return length == view.extent(0)
             ? view
             : View(Kokkos::subview(view, std::pair<std::size_t, std::size_t>(0, length)));
}

template <class Scalar>
Coo<Scalar, std::int32_t> read_coordinate_body(TextBlocks& text, const ParsedHeader& header,
                                               std::size_t piece_bytes, const ReadOptions& options,
                                               double bytes_beside) {
  Body<Scalar, CoordinateParser<Scalar>> body(
      text, header, static_cast<std::uint64_t>(header.entries), piece_bytes, scalar_name<Scalar>());
  const std::uint64_t capacity = body.most_items();
  constexpr double entry = 2 * sizeof(std::int32_t) + sizeof(Scalar);
  require_memory(body, header, static_cast<double>(capacity) * entry + bytes_beside, options);
  Coo<Scalar, std::int32_t> coo(static_cast<std::int32_t>(header.rows),
                                static_cast<std::int32_t>(header.cols), capacity);
  const std::size_t count = body.read(
      [&coo](std::size_t place, const std::vector<Entry<Scalar>>& entries) {
        std::int32_t* const row = coo.row.data() + place;
        std::int32_t* const col = coo.col.data() + place;
        Scalar* const value = coo.value.data() + place;
        for (std::size_t n = 0; n < entries.size(); ++n) {
          row[n] = entries[n].row;
          col[n] = entries[n].col;
          value[n] = entries[n].value;
        }
      },
      options.progress);
  coo.row = shortened(coo.row, count);
  coo.col = shortened(coo.col, count);
  coo.value = shortened(coo.value, count);
  return coo;
}

/// Walks over the stored elements of an array file: column by column, of symmetric ones the part
/// from the diagonal down.
class ArrayWalk {
 public:
  explicit ArrayWalk(const MatrixMarketHeader& header)
      : rows_(header.rows), cols_(header.cols), symmetry_(header.symmetry) {
    row_ = first_row();
  }

  [[nodiscard]] std::uint64_t elements() const {
    const auto n = static_cast<std::uint64_t>(rows_);
    if (symmetry_ == Symmetry::general) return n * static_cast<std::uint64_t>(cols_);
    return symmetry_ == Symmetry::skew_symmetric ? (n < 1 ? 0 : n * (n - 1) / 2) : n * (n + 1) / 2;
  }

  void skip(std::size_t elements) {
    while (elements > 0) {
      const std::size_t left = static_cast<std::size_t>(rows_ - row_);
      if (elements < left) {
        row_ += static_cast<std::int64_t>(elements);
        return;
      }
      elements -= left;
      ++col_;
      row_ = first_row();
    }
  }

  [[nodiscard]] std::int64_t row() const { return row_; }
  [[nodiscard]] std::int64_t col() const { return col_; }

 private:
  [[nodiscard]] std::int64_t first_row() const {
    return symmetry_ == Symmetry::general          ? 0
           : symmetry_ == Symmetry::skew_symmetric ? col_ + 1
                                                   : col_;
  }

  std::int64_t rows_;
  std::int64_t cols_;
  Symmetry symmetry_;
  std::int64_t row_ = 0;
  std::int64_t col_ = 0;
};

/// The stored values of an array file in its order. They are never cleared, so that pages are
/// touched only as values come.
template <class Scalar>
using ArrayValues = Kokkos::View<Scalar*, HostSpace>;

template <class Scalar>
ArrayValues<Scalar> read_array_body(TextBlocks& text, const ParsedHeader& header,
                                    std::size_t piece_bytes, const ReadOptions& options,
                                    double bytes_beside) {
  Body<Scalar, ArrayParser<Scalar>> body(text, header, ArrayWalk(header).elements(), piece_bytes,
                                         scalar_name<Scalar>());
  const std::uint64_t capacity = body.most_items();
  require_memory(body, header, static_cast<double>(capacity) * sizeof(Scalar) + bytes_beside,
                 options);
  const auto values = fatvec::detail::allocate<ArrayValues<Scalar>>(
      Kokkos::DefaultHostExecutionSpace(), "fatvec::io::array", capacity);
  body.read(
      [&values](std::size_t place, const std::vector<Scalar>& items) {
        std::copy(items.begin(), items.end(), values.data() + place);
      },
      options.progress);
  return values;
}

/// visit(row, column, value) for every element of the matrix that an array file tells; by many
/// threads.
template <class Scalar, class Visit>
void for_each_element(const ParsedHeader& header, const ArrayValues<Scalar>& values,
                      const Visit& visit) {
  using Space = Kokkos::DefaultHostExecutionSpace;
  constexpr std::size_t run = std::size_t{1} << 16;
  const std::size_t length = values.extent(0);
  const auto visit_run = [&](std::size_t r) {
    ArrayWalk at(header);
    at.skip(r * run);
    for (std::size_t n = r * run; n < std::min(length, (r + 1) * run); ++n, at.skip(1)) {
      visit(at.row(), at.col(), values(n));
      if (header.symmetry != Symmetry::general && at.row() != at.col())
        visit(at.col(), at.row(), mirrored(header.symmetry, values(n)));
    }
  };
  Kokkos::parallel_for("fatvec::io::array", Kokkos::RangePolicy<Space>(0, (length + run - 1) / run),
                       visit_run);
  Space().fence("fatvec::io::array");
}

template <class Scalar>
HostMultivector<Scalar> zeros(const MatrixMarketHeader& header) {
  return fatvec::detail::allocate_zeros<HostMultivector<Scalar>>(
      Kokkos::DefaultHostExecutionSpace(), "fatvec::multivector", header.rows, header.cols);
}

template <class Scalar>
HostMultivector<Scalar> dense_of(const ParsedHeader& header, const ArrayValues<Scalar>& values) {
  const auto dense = zeros<Scalar>(header);
  for_each_element(header, values, [&dense](std::int64_t i, std::int64_t j, const Scalar& value) {
    dense(i, j) = value;
  });
  return dense;
}

/// Every element, row by row.
template <class Scalar>
Coo<Scalar, std::int32_t> coo_of(const HostMultivector<Scalar>& dense) {
  const std::size_t cols = dense.extent(1);
  Coo<Scalar, std::int32_t> coo(static_cast<std::int32_t>(dense.extent(0)),
                                static_cast<std::int32_t>(cols), dense.size());
  for (std::size_t n = 0; n < dense.size(); ++n) {
    coo.row(n) = static_cast<std::int32_t>(n / cols);
    coo.col(n) = static_cast<std::int32_t>(n % cols);
    coo.value(n) = dense(n / cols, n % cols);
  }
  return coo;
}

}  // namespace

template <class Scalar>
Coo<Scalar, std::int32_t> read_coo(const std::filesystem::path& path, MatrixMarketHeader* header,
                                   std::size_t piece_bytes, const ReadOptions& options) {
  TextBlocks text(path, std::min<std::size_t>(piece_bytes, 4096));
  const ParsedHeader parsed = parse_header_for<Scalar>(text, options);
  if (header != nullptr) *header = parsed;
  if (parsed.coordinate) return read_coordinate_body<Scalar>(text, parsed, piece_bytes, options, 0);
  const double coo =
      dense_bytes<Scalar>(parsed) * (1 + 2.0 * sizeof(std::int32_t) / sizeof(Scalar));
  const double beside = dense_bytes<Scalar>(parsed) + coo;
  return coo_of(
      dense_of(parsed, read_array_body<Scalar>(text, parsed, piece_bytes, options, beside)));
}

template <class Scalar>
HostMultivector<Scalar> read_dense(const std::filesystem::path& path, std::size_t piece_bytes,
                                   const ReadOptions& options) {
  TextBlocks text(path, std::min<std::size_t>(piece_bytes, 4096));
  const ParsedHeader parsed = parse_header_for<Scalar>(text, options);
  const double bytes = dense_bytes<Scalar>(parsed);
  if (!parsed.coordinate)
    return dense_of(parsed, read_array_body<Scalar>(text, parsed, piece_bytes, options, bytes));
  const auto coo = read_coordinate_body<Scalar>(text, parsed, piece_bytes, options, bytes);
  const auto dense = zeros<Scalar>(parsed);
  for (std::size_t n = 0; n < coo.entries(); ++n) dense(coo.row(n), coo.col(n)) += coo.value(n);
  return dense;
}

}  // namespace detail

MatrixMarketHeader read_header(const std::filesystem::path& path) {
  detail::TextBlocks text(path);
  return detail::parse_header(text);
}

template <class Scalar>
Coo<Scalar, std::int32_t> read_matrix_market(const std::filesystem::path& path,
                                             MatrixMarketHeader* header,
                                             const ReadOptions& options) {
  const Kokkos::Profiling::ScopedRegion region("fatvec::io::read_matrix_market");
  return detail::read_coo<Scalar>(path, header, detail::default_piece_bytes, options);
}

template <class Scalar>
HostMultivector<Scalar> read_multivector(const std::filesystem::path& path,
                                         const ReadOptions& options) {
  const Kokkos::Profiling::ScopedRegion region("fatvec::io::read_multivector");
  if (detail::kind_of(path) == detail::FileKind::npy)
    return detail::read_npy<Scalar>(path, options);
  return detail::read_dense<Scalar>(path, detail::default_piece_bytes, options);
}

#define FATVEC_INSTANTIATE(Scalar)                                                              \
  template Coo<Scalar, std::int32_t> detail::read_coo<Scalar>(                                  \
      const std::filesystem::path&, MatrixMarketHeader*, std::size_t, const ReadOptions&);      \
  template HostMultivector<Scalar> detail::read_dense<Scalar>(const std::filesystem::path&,     \
                                                              std::size_t, const ReadOptions&); \
  template Coo<Scalar, std::int32_t> read_matrix_market<Scalar>(                                \
      const std::filesystem::path&, MatrixMarketHeader*, const ReadOptions&);                   \
  template HostMultivector<Scalar> read_multivector<Scalar>(const std::filesystem::path&,       \
                                                            const ReadOptions&);
FATVEC_INSTANTIATE(float)
FATVEC_INSTANTIATE(double)
FATVEC_INSTANTIATE(Kokkos::complex<float>)
FATVEC_INSTANTIATE(Kokkos::complex<double>)
#undef FATVEC_INSTANTIATE

}  // namespace fatvec::io
