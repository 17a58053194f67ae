// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include <fatvec/core/error.hpp>
#include <fatvec/io/detail/output_file.hpp>

namespace fatvec::io::detail {

OutputFile::OutputFile(const std::filesystem::path& path) : path_(path) {
  std::error_code ignored;
  // A link keeps pointing to its file.
  if (std::filesystem::is_symlink(path_, ignored)) {
    const auto target = std::filesystem::canonical(path_, ignored);
    if (!ignored) path_ = target;
  }
  struct stat status{};
  const bool exists = stat(path_.c_str(), &status) == 0;
  if (exists && S_ISDIR(status.st_mode)) {
    errno = EISDIR;
    fail("opened");
  }
  if (exists && !S_ISREG(status.st_mode)) {
    descriptor_ = open(path_.c_str(), O_WRONLY | O_CLOEXEC);
  } else {
    std::string name = path_.string() + ".tmp.XXXXXX";
    descriptor_ = mkostemp(name.data(), O_CLOEXEC);
    if (descriptor_ >= 0) temporary_ = name;
  }
  if (descriptor_ < 0) fail("opened");
  if (!temporary_.empty()) {
    const mode_t mask = umask(0);
    umask(mask);
    // mkostemp makes a private file; the result should have the permissions of any other new (or of
    // the replaced) file.
    if (fchmod(descriptor_, exists ? status.st_mode & 07777 : 0666 & ~mask) != 0) errno = 0;
  }
  if (path_.extension() == ".gz") {
    const int own = dup(descriptor_);  // gzclose closes it, and ours is still wanted for fsync
    gzip_ = own < 0 ? nullptr : gzdopen(own, "wb");
    if (gzip_ == nullptr) {
      if (own >= 0) close(own);
      fail("compressed");
    }
    gzbuffer(gzip_, 256 * 1024);
  }
}

OutputFile::~OutputFile() {
  if (gzip_ != nullptr) gzclose(gzip_);
  if (descriptor_ >= 0) close(descriptor_);
  if (!temporary_.empty()) unlink(temporary_.c_str());
}

void OutputFile::fail(const char* what) const {
  const char* const reason = errno != 0 ? std::strerror(errno) : "unknown reason";
  throw Error(fatvec::detail::concat(
      path_.string(), ": cannot be ", what, ": ", reason,
      "; check the folder, its permissions and the free space. Nothing was left behind."));
}

void OutputFile::write(std::string_view text) {
  if (gzip_ == nullptr) return write_raw(text);
  while (!text.empty()) {
    const std::string_view part = text.substr(0, std::size_t{1} << 30);
    if (gzwrite(gzip_, part.data(), static_cast<unsigned>(part.size())) <= 0) fail("written");
    text.remove_prefix(part.size());
  }
}

void OutputFile::write_raw(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t done = ::write(descriptor_, bytes.data(), bytes.size());
    if (done < 0 && errno == EINTR) continue;
    if (done < 0) fail("written");
    bytes.remove_prefix(static_cast<std::size_t>(done));
  }
}

void OutputFile::commit() {
  if (gzip_ != nullptr) {
    gzFile_s* const gzip = gzip_;
    gzip_ = nullptr;
    if (gzclose(gzip) != Z_OK) fail("written");
  }
  // Some file systems report a full disk only now; after the rename it would be too late.
  if (!temporary_.empty() && fsync(descriptor_) != 0) fail("written");
  const int descriptor = descriptor_;
  descriptor_ = -1;
  if (close(descriptor) != 0) fail("written");
  if (temporary_.empty()) return;
  if (std::rename(temporary_.c_str(), path_.c_str()) != 0) fail("renamed from its temporary");
  temporary_.clear();
}

}  // namespace fatvec::io::detail
