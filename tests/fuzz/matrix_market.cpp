// SPDX-License-Identifier: Apache-2.0
// The Matrix Market reader: any bytes are a matrix or an error of fatvec. The answer is the same
// however the text is cut into pieces and whether it is compressed; a matrix survives writing and
// reading, and assembles to a valid CSR.
#include <zlib.h>

#include <cstring>
#include <vector>

#include <fatvec/formats/assemble.hpp>
#include <fatvec/io/detail/reader.hpp>
#include <fatvec/io/matrix_market.hpp>

#include "support.hpp"

namespace fatvec::fuzz {
namespace {

using Host = Kokkos::DefaultHostExecutionSpace;

/// A few words that announce gigabytes are the reader's business; here every matrix is read many
/// times.
constexpr std::int64_t most_elements = 1'000'000;

std::string gzipped(std::string_view text) {
  z_stream stream{};
  deflateInit2(&stream, 1, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY);
  std::string out(deflateBound(&stream, text.size()) + 64, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  deflate(&stream, Z_FINISH);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

/// What reading a file gives: entries as bytes, so that NaN equals itself, or the message without
/// the file's name.
struct Answer {
  std::string entries;
  std::string error;
  bool no_room = false;
  bool operator==(const Answer&) const = default;
};

template <class Scalar>
void append(std::string& bytes, const Coo<Scalar>& coo) {
  const auto add = [&](const auto& view) {
    bytes.append(reinterpret_cast<const char*>(view.data()), view.size() * sizeof(view(0)));
  };
  bytes += std::to_string(coo.rows) + " x " + std::to_string(coo.cols) + ' ';
  add(coo.row);
  add(coo.col);
  add(coo.value);
}

template <class Scalar>
Answer answer(const std::filesystem::path& path, std::size_t piece_bytes) {
  Answer answer;
  try {
    append(answer.entries, io::detail::read_coo<Scalar>(path, nullptr, piece_bytes));
  } catch (const CapacityError& error) {
    answer.no_room = true;
  } catch (const Error& error) {
    answer.error = std::string(error.what()).substr(path.string().size());
  }
  return answer;
}

void check_matrix(const std::filesystem::path& path) {
  const auto coo = io::read_matrix_market<double>(path);
  const auto back = folder() / "back.mtx";
  io::write_matrix_market(back, coo, "a comment\nof two lines");
  std::string before;
  std::string after;
  append(before, coo);
  append(after, io::read_matrix_market<double>(back));
  expect(before == after, "writing and reading gives the same matrix");

  if (coo.rows > most_elements) return;
  AssemblyReport report;
  const auto csr = csr_from_coo<Host>(coo, &report);
  expect_valid(csr);
  expect(csr.entries.extent(0) + static_cast<std::size_t>(report.duplicates) == coo.entries(),
         "every entry is kept or added to another one");
  const auto again = folder() / "csr.mtx";
  io::write_matrix_market(again, csr);
  const auto same = csr_from_coo<Host>(io::read_matrix_market<double>(again));
  expect(csr.values.extent(0) == 0 || std::memcmp(csr.values.data(), same.values.data(),
                                                  csr.values.size() * sizeof(double)) == 0,
         "writing and reading gives the same CSR");
}

void check(std::string_view text) {
  const auto path = write("m.mtx", text);
  try {
    const auto header = io::read_header(path);
    if (!header.coordinate && header.entries > most_elements) return;
  } catch (const Error&) {  // the readers below say the same
  }
  const Answer whole = answer<double>(path, io::detail::default_piece_bytes);
  for (const std::size_t piece_bytes : {1, 7, 64})
    expect(answer<double>(path, piece_bytes) == whole, "pieces of any size give the same answer");
  answer<float>(path, 33);
  answer<Kokkos::complex<double>>(path, 33);
  if (!text.starts_with("\x1f\x8b")) {
    const Answer compressed = answer<double>(write("m.mtx.gz", gzipped(text)), 64);
    // Of compressed data the size is not known before: a size line may claim more of them.
    if (!whole.no_room && !compressed.no_room) {
      expect(compressed.entries == whole.entries, "compressed text gives the same matrix");
      expect(compressed.error.empty() == whole.error.empty(), "and an error where there is one");
    }
  }
  if (!whole.entries.empty()) check_matrix(path);
}

}  // namespace
}  // namespace fatvec::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fatvec::fuzz::start_kokkos();
  fatvec::fuzz::check(fatvec::fuzz::text_of(data, size));
  return 0;
}
