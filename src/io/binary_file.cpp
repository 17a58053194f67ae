// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include <fatvec/io/detail/stored_array.hpp>

namespace fatvec::io::detail {

using fatvec::detail::concat;

BinaryFile::BinaryFile(std::filesystem::path path)
    : path_(std::move(path)), descriptor_(open(path_.c_str(), O_RDONLY | O_CLOEXEC)) {
  struct stat status{};
  if (descriptor_ >= 0 && fstat(descriptor_, &status) == 0) {
    size_ = static_cast<std::uint64_t>(status.st_size);
    return;
  }
  const int reason = errno;
  if (descriptor_ >= 0) close(descriptor_);
  throw error(
      concat("cannot be read: ", std::strerror(reason), "; check the name and the permissions."));
}

BinaryFile::~BinaryFile() {
  close(descriptor_);
}

bool BinaryFile::read(std::uint64_t offset, std::size_t bytes, char* into) const {
  for (std::size_t done = 0; done < bytes;) {
    const ssize_t got =
        pread(descriptor_, into + done, bytes - done, static_cast<off_t>(offset + done));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    done += static_cast<std::size_t>(got);
  }
  return true;
}

std::string BinaryFile::bytes(std::uint64_t offset, std::size_t count) const {
  std::string text(offset <= size_ && count <= size_ - offset ? count : 0, '\0');
  if (text.size() != count || !read(offset, count, text.data()))
    throw error(concat("the file ends early: ", count, " bytes are wanted at ", offset, ", and ",
                       size_, " are there; fetch or write it again."));
  return text;
}

InputError BinaryFile::error(const std::string& what) const {
  return InputError(concat(path_.string(), ": ", what));
}

}  // namespace fatvec::io::detail
