// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <random>

#include <fatvec/core/error.hpp>
#include <fatvec/core/output_file.hpp>

namespace fatvec::detail {
namespace {

/// The names of the temporaries that exist, for a handler, which may not lock or allocate. It may
/// run on any thread: ending, once true, keeps the names from going away under it.
std::array<std::atomic<const char*>, 16> temporaries{};
std::atomic<bool> ending = false;
static_assert(std::atomic<const char*>::is_always_lock_free);

/// The slot, -1 where all are taken: that file is not removed by a signal.
int remember(const char* name) {
  for (std::size_t slot = 0; slot < temporaries.size(); ++slot) {
    const char* none = nullptr;
    if (temporaries[slot].compare_exchange_strong(none, name)) return static_cast<int>(slot);
  }
  return -1;
}

/// Before the name is changed or freed.
void forget(int& slot) {
  if (slot < 0) return;
  temporaries[static_cast<std::size_t>(slot)] = nullptr;
  slot = -1;
  while (ending) pause();  // either the handler found the slot empty, or we find it at work
}

extern "C" void fatvec_remove_temporaries(int signal) {
  ending = true;
  for (auto& name : temporaries)
    if (const char* const file = name.load()) unlink(file);
  raise(signal);        // whose handler was reset: the program ends as it would have
  _exit(128 + signal);  // but the first process of a container, whom default actions do not end
}

/// 64 random bits: a name that nobody can have put a file or a link under.
std::string random_name() {
  std::random_device random;
  std::array<char, 40> name{};
  std::snprintf(name.data(), name.size(), ".fatvec-%08x%08x", static_cast<unsigned>(random()),
                static_cast<unsigned>(random()));
  return name.data();
}

/// Whether both are the same file.
bool same(const struct stat& a, const struct stat& b) {
  return a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

/// The descriptor of the standard output, if that is the file: others write to it, too, and would
/// go on with what was replaced.
bool is_standard_output(const struct stat& status) {
  struct stat standard{};
  return fstat(STDOUT_FILENO, &standard) == 0 && same(status, standard);
}

/// Follows links to a name that is none, whether or not there is a file.
std::filesystem::path resolved(std::filesystem::path path) {
  constexpr int most_links = 40;  // as Linux has it
  for (int links = 0; links < most_links; ++links) {
    std::error_code none;
    const auto target = std::filesystem::read_symlink(path, none);
    if (none) return path;
    path = path.parent_path() / target;  // an absolute target replaces the folder
  }
  throw UsageError(concat(path.string(), ": too many links lead to one another; name a file."));
}

std::filesystem::path folder_of(const std::filesystem::path& path) {
  return path.has_parent_path() ? path.parent_path() : ".";
}

/// Refuses what can be no output.
void require_possible(const std::filesystem::path& path, mode_t mode) {
  const char* const what = S_ISDIR(mode)   ? "a folder"
                           : S_ISBLK(mode) ? "a block device, whose contents would be lost"
                                           : nullptr;
  if (what != nullptr)
    throw UsageError(concat(path.string(), ": cannot be written: it is ", what, "; name a file."));
}

/// A file that replaces another has its owner, group and permissions, whatever of that is allowed:
/// a group that could not be kept leaves nothing to the new one.
void take_permissions(int descriptor, const struct stat& old) {
  const bool has_group = fchown(descriptor, old.st_uid, old.st_gid) == 0 ||
                         fchown(descriptor, static_cast<uid_t>(-1), old.st_gid) == 0;
  static_cast<void>(fchmod(descriptor, old.st_mode & (has_group ? 0777U : 0707U)));
}

}  // namespace

OutputFile::OutputFile(const std::filesystem::path& path) : OutputFile() {
  open_target(path);
  if (path_.extension() == ".gz") compress();
}

void OutputFile::open_target(const std::filesystem::path& path) {
  path_ = path;
  struct stat status{};
  const bool exists = stat(path.c_str(), &status) == 0;
  if (!exists && errno == ENAMETOOLONG) fail("opened");  // else only the renaming would tell
  if (exists) require_possible(path, status.st_mode);
  if (exists && is_standard_output(status)) {
    descriptor_ = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
  } else if (exists && !S_ISREG(status.st_mode)) {
    descriptor_ = open(path.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY);
  } else {
    path_ = resolved(path);
    open_temporary(folder_of(path_), exists ? status.st_mode & 0777 : 0666);
    if (exists && descriptor_ >= 0) take_permissions(descriptor_, status);
  }
  if (descriptor_ < 0) fail("opened");
}

void OutputFile::open_temporary(const std::filesystem::path& folder, unsigned mode) {
  if (!path_.has_filename()) {
    errno = ENOENT;
    return;
  }
  do {
    forget(slot_);
    temporary_ = (folder / random_name()).string();
    slot_ = remember(temporary_.c_str());
    descriptor_ =
        open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode);
  } while (descriptor_ < 0 && errno == EEXIST);
}

void OutputFile::compress() {
  const int own = dup(descriptor_);  // gzclose closes this one; fsync needs the other
  gzip_ = own < 0 ? nullptr : gzdopen(own, "wb");
  if (gzip_ == nullptr) {
    if (own >= 0) close(own);
    fail("compressed");
  }
  gzbuffer(gzip_, 256 * 1024);
}

OutputFile::~OutputFile() {
  if (gzip_ != nullptr) gzclose(gzip_);
  if (descriptor_ >= 0) close(descriptor_);
  if (!temporary_.empty()) unlink(temporary_.c_str());
  forget(slot_);
}

void OutputFile::fail(const char* what) const {
  const char* const reason = errno != 0 ? std::strerror(errno) : "unknown reason";
  const auto text = concat(path_.string(), ": cannot be ", what, ": ", reason,
                           "; check the folder, its permissions and the free space.",
                           temporary_.empty() ? "" : " Nothing was left behind.");
  if (descriptor_ < 0 && gzip_ == nullptr) throw UsageError(text);
  throw Error(text);
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
  if (temporary_.empty()) return;
  if (mode_at_last_ && fchmod(descriptor_, *mode_at_last_) != 0) fail("given its permissions");
  // Some file systems report a full disk only now; after the rename it would be too late.
  if (fsync(descriptor_) != 0) fail("written");
  if (std::rename(temporary_.c_str(), path_.c_str()) != 0) fail("renamed from its temporary");
  forget(slot_);
  temporary_.clear();
  sync_folder();
}

const std::string& OutputFile::place() {
  if (temporary_.empty())
    throw UsageError(concat(path_.string(), ": this format is written in no order, and not to a ",
                            "pipe or a terminal; name a file."));
  struct stat status{};
  if (fstat(descriptor_, &status) == 0 && (status.st_mode & 0600) != 0600) {
    mode_at_last_ = status.st_mode & 0777;
    if (fchmod(descriptor_, status.st_mode | 0600) != 0) fail("opened by its name");
  }
  return temporary_;
}

/// The file is there; but its name may not outlive a power failure.
void OutputFile::sync_folder() const {
  const int folder = open(folder_of(path_).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder < 0) return;  // a folder that may be written but not read
  const int error = fsync(folder) == 0 ? 0 : errno;
  close(folder);
  if (error != 0 && error != EINVAL)  // EINVAL: a file system without it
    throw Error(concat(path_.string(), ": was written, but its folder could not be synced: ",
                       std::strerror(error), "; check the disk."));
}

bool OutputFile::is_stream(const std::filesystem::path& path) {
  struct stat status{};
  return stat(path.c_str(), &status) == 0 && !S_ISDIR(status.st_mode) &&
         (!S_ISREG(status.st_mode) || is_standard_output(status));
}

bool OutputFile::are_same(const std::filesystem::path& a, const std::filesystem::path& b) {
  const auto place = [](const std::filesystem::path& path) {
    std::error_code none;
    // Absolute first: a relative name of nothing stays relative.
    const auto target = std::filesystem::absolute(resolved(path), none);
    const auto found = std::filesystem::weakly_canonical(target, none);
    return none ? target : found;
  };
  return place(a) == place(b);
}

void OutputFile::require_writable(const std::filesystem::path& path) {
  struct stat status{};
  if (stat(path.c_str(), &status) == 0) require_possible(path, status.st_mode);
  // Opening a pipe would wait for its reader, and closing it would end that one's input.
  if (is_stream(path)) return;
  OutputFile trial;
  trial.open_target(path);
}

std::filesystem::path set_aside(const std::filesystem::path& path) {
  std::error_code error;
  std::filesystem::path name = path.string() + ".damaged";
  for (int n = 2; std::filesystem::exists(std::filesystem::symlink_status(name, error)); ++n)
    name = concat(path.string(), ".damaged.", n);
  std::filesystem::rename(path, name, error);
  if (error)
    throw UsageError(concat(path.string(), " makes no sense, and cannot be renamed to ",
                            name.string(), ": ", error.message(), ". Remove it, or name another."));
  return name;
}

void remove_temporaries_on_signals() {
  struct sigaction action{};
  action.sa_handler = fatvec_remove_temporaries;
  action.sa_flags = SA_RESETHAND | SA_NODEFER;
  const auto replace_default = [](int signal, const struct sigaction& by) {
    struct sigaction before{};
    if (sigaction(signal, nullptr, &before) == 0 && before.sa_handler == SIG_DFL)
      sigaction(signal, &by, nullptr);
  };
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE, SIGXCPU})
    replace_default(signal, action);
  struct sigaction ignore{};
  ignore.sa_handler = SIG_IGN;
  replace_default(SIGXFSZ, ignore);
}

}  // namespace fatvec::detail
