// SPDX-License-Identifier: Apache-2.0
// Compiled where CMake finds no MPI.
#include <fatvec/app/ranks/session.hpp>

#include <cstdio>

namespace fatvec::ranks {

Session::Session(bool) {}
Session::~Session() = default;
void Session::require_same_arguments(int, char**) const {}

int Session::finish(int exit_code) {
  return exit_code;
}

int Session::complain(int exit_code, const std::string& message) {
  std::fprintf(stderr, "%s\n", message.c_str());
  return exit_code;
}

}  // namespace fatvec::ranks
