// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>
#include <zlib.h>

#include <Kokkos_Core.hpp>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <fatvec/core/error.hpp>
#include <fatvec/io/detail/reader.hpp>
#include <fatvec/io/matrix_market.hpp>

namespace fatvec::io::test {

/// A folder of its own for each test, removed afterwards.
class IoTest : public testing::Test {
 protected:
  void SetUp() override {
    const auto* const info = testing::UnitTest::GetInstance()->current_test_info();
    std::string name =
        std::string(info->test_suite_name()) + "-" + info->name() + "-" + std::to_string(getpid());
    for (char& c : name) c = c == '/' ? '-' : c;
    folder_ = std::filesystem::temp_directory_path() / name;
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  [[nodiscard]] std::filesystem::path path(const std::string& name) const { return folder_ / name; }

  std::filesystem::path file(const std::string& text, const std::string& name = "m.mtx") const {
    std::ofstream(path(name), std::ios::binary) << text;
    return path(name);
  }

  const std::filesystem::path& folder() const { return folder_; }

 private:
  std::filesystem::path folder_;
};

inline std::string contents(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// Compressed as one gzip member.
inline std::string gzipped(const std::string& text) {
  z_stream stream{};
  deflateInit2(&stream, 6, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY);
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

template <class Scalar>
using Entries = std::vector<std::tuple<int, int, Scalar>>;

template <class Scalar>
Entries<Scalar> entries_of(const Coo<Scalar>& coo) {
  Entries<Scalar> all;
  for (std::size_t n = 0; n < coo.entries(); ++n)
    all.emplace_back(coo.row(n), coo.col(n), coo.value(n));
  return all;
}

template <class Scalar>
Entries<Scalar> read_entries(const std::filesystem::path& path,
                             std::size_t piece_bytes = detail::default_piece_bytes) {
  return entries_of(detail::read_coo<Scalar>(path, nullptr, piece_bytes));
}

/// The message that reading the file throws; "" where it does not throw.
template <class Scalar = double>
std::string error_of(const std::filesystem::path& path,
                     std::size_t piece_bytes = detail::default_piece_bytes) {
  try {
    detail::read_coo<Scalar>(path, nullptr, piece_bytes);
  } catch (const InputError& error) {
    return error.what();
  }
  return {};
}

}  // namespace fatvec::io::test
