// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <hdf5.h>

#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include <fatvec/io/detail/stored_array.hpp>

/// HDF5 through its C library: files open as long as somebody holds them, arrays within them.
namespace fatvec::io::detail {

/// While one lives, its thread alone calls the library, which prints nothing: it knows no threads,
/// and tells of errors on the standard error.
class Hdf5Library {
 public:
  Hdf5Library();
  ~Hdf5Library();
  Hdf5Library(const Hdf5Library&) = delete;
  Hdf5Library& operator=(const Hdf5Library&) = delete;

  /// What the library says of its last failure: "unable to open file".
  [[nodiscard]] static std::string reason();

 private:
  std::lock_guard<std::recursive_mutex> lock_;
  H5E_auto2_t print_ = nullptr;
  void* print_data_ = nullptr;
};

/// An object of the library's, closed by the function that fits it; none where creation failed.
class Hdf5Object {
 public:
  Hdf5Object(hid_t id, herr_t (*close)(hid_t)) : id_(id), close_(close) {}
  ~Hdf5Object() {
    if (id_ >= 0) close_(id_);
  }
  Hdf5Object(Hdf5Object&& other) noexcept
      : id_(std::exchange(other.id_, H5I_INVALID_HID)), close_(other.close_) {}
  Hdf5Object& operator=(Hdf5Object&&) = delete;

  explicit operator bool() const { return id_ >= 0; }
  [[nodiscard]] hid_t id() const { return id_; }
  /// Closes it now; whether that went well.
  [[nodiscard]] bool close() { return close_(std::exchange(id_, H5I_INVALID_HID)) >= 0; }

 private:
  hid_t id_;
  herr_t (*close_)(hid_t);
};

/// How files are opened and made: without locks, which some file systems refuse.
Hdf5Object hdf5_access();

/// A file that is read.
class Hdf5File {
 public:
  /// Throws InputError where the library cannot open it.
  explicit Hdf5File(const BinaryFile& file);

  /// An attribute of the root group that is text; throws InputError where there is none.
  [[nodiscard]] std::string text(const char* attribute) const;

  /// A one-dimensional dataset of numbers in the root group. Where its elements lie one after the
  /// other they are read by many threads, without the library; chunks are read through it.
  [[nodiscard]] StoredArray array(const std::string& name) const;

 private:
  const BinaryFile& file_;
  std::shared_ptr<Hdf5Object> id_;  ///< also held by the arrays that the library reads
};

}  // namespace fatvec::io::detail
