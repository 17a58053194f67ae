// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <fatvec/core/error.hpp>
#include <fatvec/io/detail/byte_source.hpp>

namespace fatvec::io::detail {

/// A text file as runs of whole lines, with line numbers; holds one run at a time, never the file.
class TextBlocks {
 public:
  struct Line {
    std::string_view text;  ///< without its line end (LF or CRLF); valid until the next call
    std::int64_t number;
  };

  static constexpr std::size_t longest_line = std::size_t{16} << 20;

  /// Header lines are read in steps of header_bytes.
  explicit TextBlocks(const std::filesystem::path& path, std::size_t header_bytes = 4096);

  /// The next line; nothing at the end of the file.
  std::optional<Line> next_line();

  /// About `bytes` of whole lines (at least one), each '\n'-terminated, the file's last one too;
  /// empty at the end of the file. The caller counts the lines and tells skip_lines(), since it
  /// looks at every byte anyway.
  std::string_view next_lines(std::size_t bytes);
  void skip_lines(std::int64_t lines) { line_ += lines; }

  /// Number of the first line not yet taken or skipped.
  [[nodiscard]] std::int64_t line() const { return line_; }

  /// Upper bound of the bytes that the file may hold.
  [[nodiscard]] std::uint64_t most_bytes() const { return source_->most_bytes(); }

  /// "FILE:LINE: what", to be thrown.
  [[nodiscard]] InputError error(std::int64_t line, const std::string& what) const;

 private:
  bool fill(std::size_t bytes);

  std::string name_;
  std::unique_ptr<ByteSource> source_;
  std::size_t header_bytes_;
  std::vector<char> buffer_;
  std::size_t begin_ = 0;  ///< bytes begin_ ... end_ - 1 of buffer_ were read and not handed out
  std::size_t end_ = 0;
  bool source_ended_ = false;
  std::int64_t line_ = 1;
};

/// Text from a file as it may appear in a message: quoted, short, control characters and non-ASCII
/// bytes as \xNN.
std::string quoted(std::string_view text);

}  // namespace fatvec::io::detail
