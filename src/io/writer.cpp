// SPDX-License-Identifier: Apache-2.0
#include <Kokkos_Core.hpp>
#include <Kokkos_Profiling_ScopedRegion.hpp>
#include <algorithm>
#include <charconv>
#include <string>
#include <vector>

#include <fatvec/core/output_file.hpp>
#include <fatvec/io/detail/npy.hpp>
#include <fatvec/io/detail/piece.hpp>
#include <fatvec/io/matrix_market.hpp>

namespace fatvec::io {
namespace {

using Space = Kokkos::DefaultHostExecutionSpace;
using fatvec::detail::concat;
using fatvec::detail::OutputFile;

constexpr std::size_t items_per_chunk = 8192;
constexpr std::size_t longest_number =
    32;  // of to_chars: 24 characters for a double, 19 for an index

template <class Number>
char* append(char* p, const Number& number, char separator) {
  p = std::to_chars(p, p + longest_number, number).ptr;
  *p = separator;
  return p + 1;
}

/// A value and the end of its line. to_chars without a precision writes the shortest text that
/// reads back to the same bits.
template <class Scalar>
char* append_value(char* p, const Scalar& value) {
  if constexpr (detail::is_complex<Scalar>) {
    return append(append(p, value.real(), ' '), value.imag(), '\n');
  } else {
    return append(p, value, '\n');
  }
}

template <class Scalar>
std::string banner(const char* kind, const std::string& comment) {
  std::string text = concat("%%MatrixMarket matrix ", kind,
                            detail::is_complex<Scalar> ? " complex general\n" : " real general\n");
  for (std::size_t at = 0; at < comment.size();) {
    const std::size_t end = std::min(comment.find('\n', at), comment.size());
    text += "% " + comment.substr(at, end - at) + '\n';
    at = end + 1;
  }
  return text;
}

/// Formats the items 0 ... items - 1 in parallel, chunk by chunk, and writes the chunks in order.
/// format(begin, end, into): appends their text to `into`, which has the room for longest_item
/// characters each. progress, where there is one: called with the share of the items written.
template <class Format>
void write_items(OutputFile& file, std::size_t items, std::size_t longest_item,
                 const Format& format, const std::function<void(double done)>& progress = {}) {
  const std::size_t chunks = (items + items_per_chunk - 1) / items_per_chunk;
  const std::size_t slots =
      std::min(chunks, 4 * static_cast<std::size_t>(std::max(1, Space().concurrency())));
  std::vector<std::vector<char>> text(slots);
  std::vector<std::size_t> length(slots);
  for (auto& one : text) one.resize(items_per_chunk * longest_item);
  for (std::size_t first = 0; first < chunks; first += slots) {
    const std::size_t now = std::min(slots, chunks - first);
    Kokkos::parallel_for(
        "fatvec::io::format", Kokkos::RangePolicy<Space>(0, now), [&](std::size_t n) {
          const std::size_t begin = (first + n) * items_per_chunk;
          char* const into = text[n].data();
          length[n] = static_cast<std::size_t>(
              format(begin, std::min(items, begin + items_per_chunk), into) - into);
        });
    Space().fence("fatvec::io::format");
    for (std::size_t n = 0; n < now; ++n) file.write({text[n].data(), length[n]});
    if (progress) progress(static_cast<double>(first + now) / static_cast<double>(chunks));
  }
}

}  // namespace

template <class Scalar>
void detail::write_entries(const std::filesystem::path& path, const EntriesView<Scalar>& matrix,
                           const std::string& comment) {
  const Kokkos::Profiling::ScopedRegion region("fatvec::io::write_matrix_market");
  OutputFile file(path);
  file.write(banner<Scalar>("coordinate", comment));
  file.write(concat(matrix.rows, ' ', matrix.cols, ' ', matrix.entries, '\n'));
  const auto format = [&](std::size_t begin, std::size_t end, char* p) {
    std::int64_t row[items_per_chunk];
    std::int64_t col[items_per_chunk];
    matrix.indices(begin, end, row, col);
    for (std::size_t n = begin; n < end; ++n) {
      p = append(p, row[n - begin] + 1, ' ');
      p = append(p, col[n - begin] + 1, ' ');
      p = append_value(p, matrix.values[n]);
    }
    return p;
  };
  write_items(file, matrix.entries, 4 * longest_number, format, matrix.progress);
  file.commit();
}

template <class Scalar>
void write_multivector(
    const std::filesystem::path& path,
    const Kokkos::View<const Scalar**, Kokkos::LayoutStride, Kokkos::HostSpace>& multivector,
    const std::string& comment) {
  const Kokkos::Profiling::ScopedRegion region("fatvec::io::write_multivector");
  if (path.extension() == ".npy") {
    detail::write_npy<Scalar>(path, multivector);
    return;
  }
  const std::size_t rows = multivector.extent(0);
  OutputFile file(path);
  file.write(banner<Scalar>("array", comment));
  file.write(concat(rows, ' ', multivector.extent(1), '\n'));
  write_items(file, multivector.size(), 2 * longest_number,
              [&](std::size_t begin, std::size_t end, char* p) {
                for (std::size_t n = begin; n < end; ++n)
                  p = append_value(p, multivector(n % rows, n / rows));
                return p;
              });
  file.commit();
}

#define FATVEC_INSTANTIATE(Scalar)                                                             \
  template void detail::write_entries<Scalar>(const std::filesystem::path&,                    \
                                              const EntriesView<Scalar>&, const std::string&); \
  template void write_multivector<Scalar>(                                                     \
      const std::filesystem::path&,                                                            \
      const Kokkos::View<const Scalar**, Kokkos::LayoutStride, Kokkos::HostSpace>&,            \
      const std::string&);
FATVEC_INSTANTIATE(float)
FATVEC_INSTANTIATE(double)
FATVEC_INSTANTIATE(Kokkos::complex<float>)
FATVEC_INSTANTIATE(Kokkos::complex<double>)
#undef FATVEC_INSTANTIATE

}  // namespace fatvec::io
