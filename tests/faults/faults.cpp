// SPDX-License-Identifier: Apache-2.0
// Loaded before a program (LD_PRELOAD): the n-th of the calls by which the program changes files
// fails, and says so on stderr. The programs have no code for that.
//   FATVEC_FAULT=n             open() of a new file, write() to one, fsync() and rename() count
//   FATVEC_FAULT_STAYS=1       all later ones fail, too, as on a full disk
//   FATVEC_FAULT_SIGNAL=s      the n-th call raises the signal s instead
//   FATVEC_FAULT_ALLOCATION=n  the n-th allocation of aligned memory (a View) of less than a page
//                              fails: Kokkos does not survive that of its scratch, which is larger
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>

namespace {

long number(const char* variable) {
  const char* const text = std::getenv(variable);
  return text == nullptr ? 0 : std::atol(text);
}

template <class Function>
Function* original(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

/// Counts the call; whether it is to fail.
bool fails(const char* call) {
  static std::atomic<long> calls = 0;
  static const long chosen = number("FATVEC_FAULT");
  const long now = ++calls;
  const bool fault =
      chosen > 0 && (now == chosen || (now > chosen && number("FATVEC_FAULT_STAYS") != 0));
  if (!fault) return false;
  dprintf(STDERR_FILENO, "fault: %s\n", call);
  const long signal = number("FATVEC_FAULT_SIGNAL");
  if (signal != 0) raise(static_cast<int>(signal));
  return signal == 0;
}

bool is_regular(int descriptor) {
  struct stat status{};
  return descriptor > STDERR_FILENO && fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode);
}

int failure(int reason) {
  errno = reason;
  return -1;
}

}  // namespace

extern "C" {

int open(const char* path, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  const mode_t mode = (flags & O_CREAT) != 0 ? va_arg(arguments, mode_t) : 0;
  va_end(arguments);
  static auto* const real = original<int(const char*, int, ...)>("open");
  if ((flags & O_CREAT) != 0 && fails("open")) return failure(ENOSPC);
  return real(path, flags, mode);
}

ssize_t write(int descriptor, const void* bytes, size_t count) {
  static auto* const real = original<ssize_t(int, const void*, size_t)>("write");
  if (!is_regular(descriptor) || !fails("write")) return real(descriptor, bytes, count);
  static_cast<void>(real(descriptor, bytes, count / 2));  // what a full disk still took
  return failure(ENOSPC);
}

int fsync(int descriptor) {
  static auto* const real = original<int(int)>("fsync");
  return fails("fsync") ? failure(EIO) : real(descriptor);
}

int rename(const char* from, const char* to) noexcept {
  static auto* const real = original<int(const char*, const char*)>("rename");
  return fails("rename") ? failure(EACCES) : real(from, to);
}

void* aligned_alloc(size_t alignment, size_t size) noexcept {
  static auto* const real = original<void*(size_t, size_t)>("aligned_alloc");
  static std::atomic<long> calls = 0;
  static const long chosen = number("FATVEC_FAULT_ALLOCATION");
  constexpr size_t page = 4096;
  if (chosen <= 0 || size >= page || ++calls != chosen) return real(alignment, size);
  dprintf(STDERR_FILENO, "fault: allocation\n");
  errno = ENOMEM;
  return nullptr;
}

}  // extern "C"
