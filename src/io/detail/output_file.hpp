// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

struct gzFile_s;

namespace fatvec::io::detail {

/// A file that appears under its name only when complete: written as a temporary beside it, renamed
/// by commit(), removed otherwise. Names ending in .gz are compressed. A target that is no regular
/// file (/dev/stdout, a pipe) is written directly.
class OutputFile {
 public:
  explicit OutputFile(const std::filesystem::path& path);
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  void write(std::string_view text);
  void commit();

 private:
  [[noreturn]] void fail(const char* what) const;
  void write_raw(std::string_view bytes);

  std::filesystem::path path_;
  std::string temporary_;  ///< empty: writes go to path_ itself
  int descriptor_ = -1;
  gzFile_s* gzip_ = nullptr;
};

}  // namespace fatvec::io::detail
