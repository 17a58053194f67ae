// SPDX-License-Identifier: Apache-2.0
#include "harness/journal.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <string_view>
#include <utility>

#include <fatvec/core/error.hpp>
#include <fatvec/core/output_file.hpp>

namespace fatvec::bench {

Journal::Journal(std::string path) : Journal() {
  path_ = std::move(path);
  do {
    if (descriptor_ >= 0) close(descriptor_);
    open_and_lock();
  } while (!is_current());
  read_contents();
  cut_off_ = !contents_.empty() && contents_.back() != '\n';
}

Journal::~Journal() {
  if (descriptor_ < 0) return;
  struct stat status{};
  if (fstat(descriptor_, &status) == 0 && S_ISREG(status.st_mode) && status.st_size == 0)
    unlink(path_.c_str());
  close(descriptor_);
}

void Journal::open_and_lock() {
  // O_NONBLOCK: a pipe of that name would wait for its reader.
  descriptor_ =
      open(path_.c_str(), O_RDWR | O_CREAT | O_APPEND | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0666);
  const int error = errno;
  struct stat status{};
  if (error == ELOOP ||
      (descriptor_ >= 0 && fstat(descriptor_, &status) == 0 && !S_ISREG(status.st_mode))) {
    throw UsageError(detail::concat("'", path_, "' is in the way: it is to hold the rows of this ",
                                    "run, but is no plain file. Remove it, or choose another ",
                                    "--output."));
  }
  if (descriptor_ < 0)
    throw UsageError(detail::concat("cannot write '", path_, "': ", std::strerror(error), "."));
  if (flock(descriptor_, LOCK_EX | LOCK_NB) != 0) {
    const bool taken = errno == EWOULDBLOCK;
    const std::string reason = std::strerror(errno);
    close(std::exchange(descriptor_, -1));
    throw UsageError(taken ? detail::concat("another run writes to '", path_,
                                            "': wait for its end, or choose another --output.")
                           : detail::concat("cannot lock '", path_, "': ", reason, "."));
  }
}

/// False where another run removed the file after it was opened here.
bool Journal::is_current() const {
  struct stat mine{};
  struct stat now{};
  return fstat(descriptor_, &mine) == 0 && lstat(path_.c_str(), &now) == 0 &&
         mine.st_dev == now.st_dev && mine.st_ino == now.st_ino;
}

void Journal::read_contents() {
  std::array<char, 65536> buffer{};
  while (true) {
    const ssize_t got = read(descriptor_, buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0)
      throw InputError(detail::concat("cannot read '", path_, "': ", std::strerror(errno), "."));
    if (got == 0) return;
    contents_.append(buffer.data(), static_cast<std::size_t>(got));
  }
}

void Journal::append(const std::string& line) {
  // What was cut off stays a line of its own.
  write((std::exchange(cut_off_, false) ? "\n" : "") + line + '\n');
}

void Journal::write(const std::string& text) {
  for (std::string_view rest = text; !rest.empty();) {
    const ssize_t done = ::write(descriptor_, rest.data(), rest.size());
    if (done < 0 && errno == EINTR) continue;
    if (done < 0) {
      throw Error(detail::concat("cannot write '", path_, "': ", std::strerror(errno),
                                 "; the rows before are there: --resume goes on with them."));
    }
    rest.remove_prefix(static_cast<std::size_t>(done));
  }
}

void Journal::remove() {
  unlink(path_.c_str());
  close(std::exchange(descriptor_, -1));
}

std::string Journal::set_aside() {
  const auto name = detail::set_aside(path_);
  close(std::exchange(descriptor_, -1));
  return name;
}

}  // namespace fatvec::bench
