// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <locale>
#include <sstream>
#include <stdexcept>
#include <string>

namespace fatvec {

/// Base of everything fatvec throws. what() is one clear paragraph: what was wrong, with names and
/// sizes, and what to do. Nothing throws inside a kernel.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A file or a text from outside is malformed; the message starts with "FILE:LINE: " where there is
/// a line.
class InputError : public Error {
 public:
  using Error::Error;
};

/// Operands do not conform: wrong extents, aliasing, a stride that cannot be used.
class ShapeError : public Error {
 public:
  using Error::Error;
};

/// Something would not fit: a format beyond the memory limit, a count beyond the index type. Thrown
/// before any allocation.
class CapacityError : public Error {
 public:
  using Error::Error;
};

/// A name or an option nobody knows; the message lists what exists.
class UsageError : public Error {
 public:
  using Error::Error;
};

/// A value cannot be stored in the precision that was asked for; the message names its place.
class PrecisionError : public Error {
 public:
  using Error::Error;
};

namespace detail {

/// Concatenates anything that streams, numbers without the groups of the global locale; keeps the
/// header-only library free of a formatting dependency.
template <class... Parts>
std::string concat(const Parts&... parts) {
  std::ostringstream text;
  text.imbue(std::locale::classic());
  (text << ... << parts);
  return text.str();
}

}  // namespace detail
}  // namespace fatvec
