// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace fatvec::bench {

/// The rows of a run that is not over, one line each, in a file of a fixed name that only grows.
/// One run at a time has it. It is gone with its object where it is empty, so that a run which
/// fails before its first row leaves nothing behind.
class Journal {
 public:
  /// Opens or creates the file. Throws UsageError where it is no regular file (a link may have been
  /// put there by somebody else), where another run has it, and where the folder takes no file.
  explicit Journal(std::string path);
  ~Journal();
  Journal(const Journal&) = delete;
  Journal& operator=(const Journal&) = delete;

  [[nodiscard]] const std::string& path() const { return path_; }
  /// What was there when it was opened.
  [[nodiscard]] const std::string& contents() const { return contents_; }
  /// Throws Error where the disk does not take it.
  void append(const std::string& line);
  /// When all rows are safe elsewhere.
  void remove();
  /// The same where some of its lines make no sense: renamed rather than removed. Returns the name.
  std::string set_aside();

 private:
  Journal() = default;

  void open_and_lock();
  [[nodiscard]] bool is_current() const;
  void read_contents();
  void write(const std::string& text);

  std::string path_;
  std::string contents_;
  bool cut_off_ = false;  ///< the last line of the contents has no end
  int descriptor_ = -1;
};

}  // namespace fatvec::bench
