// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

struct gzFile_s;

namespace fatvec::detail {

/// A file that appears under its name only when it is complete: written under a name of its own in
/// the target's folder, which commit() makes durable and renames. Whatever ends before that, an
/// exception included, leaves an old file as it was and no temporary. Names ending in .gz are
/// compressed. A link keeps pointing to its file. What is no regular file (a pipe, a terminal,
/// /dev/null) and what is the standard output already is written directly.
class OutputFile {
 public:
  /// Throws UsageError where the target is a folder or a block device, or where its folder takes no
  /// new file.
  explicit OutputFile(const std::filesystem::path& path);
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  /// Throws Error with the system's reason, as commit() does.
  void write(std::string_view text);
  void commit();
  /// Where a library that wants a name in place of write() finds the unfinished file. Throws
  /// UsageError for what is written directly.
  [[nodiscard]] const std::string& place();
  /// The target.
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

  /// Creates and removes a temporary, so that hours of work do not end with a folder that takes no
  /// file. Throws what the constructor throws.
  static void require_writable(const std::filesystem::path& path);
  /// Whether the target is written directly: nothing there can be kept or replaced.
  static bool is_stream(const std::filesystem::path& path);
  /// Whether both names lead to one target, which need not be there.
  static bool are_same(const std::filesystem::path& a, const std::filesystem::path& b);

 private:
  OutputFile() = default;

  void open_target(const std::filesystem::path& path);
  void open_temporary(const std::filesystem::path& folder, unsigned mode);
  void compress();
  void sync_folder() const;
  void write_raw(std::string_view bytes);
  [[noreturn]] void fail(const char* what) const;

  std::filesystem::path path_;            ///< no link
  std::string temporary_;                 ///< empty: writes go to path_ itself
  std::optional<unsigned> mode_at_last_;  ///< of a file that may not be opened by its name
  int slot_ = -1;                         ///< where the signals' handler finds temporary_
  int descriptor_ = -1;
  gzFile_s* gzip_ = nullptr;
};

/// Renames a file that makes no sense to FILE.damaged (.damaged.2 where something stands there), so
/// that nothing is lost. Returns its new name; throws UsageError where the folder does not let it.
std::filesystem::path set_aside(const std::filesystem::path& path);

/// For main(): signals that end the program (SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE, SIGXCPU)
/// remove the temporaries of unfinished files before they do. A file beyond the limit (SIGXFSZ) is
/// a failed write. A signal that is ignored stays so.
void remove_temporaries_on_signals();

}  // namespace fatvec::detail
