// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include <fatvec/app/cli/common/streams.hpp>
#include <fatvec/core/error.hpp>

namespace fatvec::cli {

void reserve_standard_streams() {
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (fcntl(stream, F_GETFD) >= 0) continue;
    // The lowest free number is this one. What is written to a closed standard output is lost: the
    // wrong direction makes that an error.
    if (open("/dev/null", stream == STDOUT_FILENO ? O_RDONLY : O_RDWR) != stream) return;
  }
}

void flush_standard_output() {
  errno = 0;
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return;
  // What failed before this call has left no number; where nothing can be written one does.
  if (errno == 0 && write(STDOUT_FILENO, "", 0) == 0) errno = 0;
  throw Error(detail::concat("cannot write to the standard output: ",
                             errno != 0 ? std::strerror(errno) : "it did not take all",
                             "; check the disk, or what reads it."));
}

}  // namespace fatvec::cli
