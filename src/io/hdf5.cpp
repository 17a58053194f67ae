// SPDX-License-Identifier: Apache-2.0
#include <array>

#include <fatvec/io/detail/hdf5.hpp>

namespace fatvec::io::detail {
namespace {

using fatvec::detail::concat;

std::recursive_mutex& hdf5_mutex() {
  static std::recursive_mutex mutex;
  return mutex;
}

/// An array's object in the library, which may be closed in any thread.
struct OpenDataset {
  std::shared_ptr<Hdf5Object> file;
  Hdf5Object dataset;
  Hdf5Object type;

  /// Reads elements as they are stored.
  [[nodiscard]] bool read(hsize_t begin, hsize_t elements, char* into) const {
    const Hdf5Library library;
    const Hdf5Object space(H5Dget_space(dataset.id()), H5Sclose);
    const Hdf5Object memory(H5Screate_simple(1, &elements, nullptr), H5Sclose);
    return space && memory &&
           H5Sselect_hyperslab(space.id(), H5S_SELECT_SET, &begin, nullptr, &elements, nullptr) >=
               0 &&
           H5Dread(dataset.id(), type.id(), memory.id(), space.id(), H5P_DEFAULT, into) >= 0;
  }
};

struct CloseDataset {
  void operator()(OpenDataset* open) const {
    const Hdf5Library library;
    delete open;
  }
};

/// What fatvec reads, of bytes that are a number from the first bit to the last.
std::optional<NumberType> number_type(hid_t type) {
  using Kind = NumberType::Kind;
  const auto bytes = static_cast<unsigned>(H5Tget_size(type));
  const bool big = H5Tget_order(type) == H5T_ORDER_BE;
  if (H5Tget_class(type) == H5T_INTEGER) {
    const bool whole = H5Tget_precision(type) == 8 * std::size_t{bytes} &&
                       (bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8);
    if (!whole) return {};
    return NumberType{H5Tget_sign(type) == H5T_SGN_NONE ? Kind::natural : Kind::integer, bytes,
                      big};
  }
  const std::array reals = {H5T_IEEE_F32LE, H5T_IEEE_F32BE, H5T_IEEE_F64LE, H5T_IEEE_F64BE};
  for (const hid_t real : reals)
    if (H5Tequal(type, real) > 0) return NumberType{Kind::real, bytes, big};
  return {};
}

}  // namespace

Hdf5Library::Hdf5Library() : lock_(hdf5_mutex()) {
  H5Eget_auto2(H5E_DEFAULT, &print_, &print_data_);
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
}

Hdf5Library::~Hdf5Library() {
  H5Eset_auto2(H5E_DEFAULT, print_, print_data_);
}

std::string Hdf5Library::reason() {
  std::string text = "no reason given";
  const auto take = [](unsigned n, const H5E_error2_t* error, void* into) -> herr_t {
    if (n == 0 && error->desc != nullptr) *static_cast<std::string*>(into) = error->desc;
    return 0;
  };
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, take, &text);
  return text;
}

Hdf5Object hdf5_access() {
  Hdf5Object access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
  H5Pset_file_locking(access.id(), 0, 1);
  return access;
}

Hdf5File::Hdf5File(const BinaryFile& file) : file_(file) {
  const Hdf5Library library;
  const Hdf5Object access = hdf5_access();
  Hdf5Object opened(H5Fopen(file.path().c_str(), H5F_ACC_RDONLY, access.id()), H5Fclose);
  if (!opened)
    throw file.error(
        concat("is no whole HDF5 file (", Hdf5Library::reason(), "); fetch or write it again."));
  id_ = std::shared_ptr<Hdf5Object>(new Hdf5Object(std::move(opened)), [](Hdf5Object* object) {
    const Hdf5Library library_of_last;
    delete object;
  });
}

std::string Hdf5File::text(const char* attribute) const {
  const Hdf5Library library;
  if (H5Aexists(id_->id(), attribute) <= 0)
    throw file_.error(concat("is an HDF5 file whose root group has no attribute '", attribute,
                             "', and no matrix of Binsparse; `fatvec convert` writes one."));
  const Hdf5Object opened(H5Aopen(id_->id(), attribute, H5P_DEFAULT), H5Aclose);
  const Hdf5Object type(H5Aget_type(opened.id()), H5Tclose);
  const Hdf5Object space(H5Aget_space(opened.id()), H5Sclose);
  constexpr std::size_t longest = std::size_t{1} << 20;
  const std::size_t bytes = type ? H5Tget_size(type.id()) : 0;
  const bool one = space && H5Sget_simple_extent_npoints(space.id()) == 1;
  if (one && type && H5Tget_class(type.id()) == H5T_STRING && bytes <= longest) {
    if (H5Tis_variable_str(type.id()) > 0) {
      char* text = nullptr;
      if (H5Aread(opened.id(), type.id(), static_cast<void*>(&text)) >= 0 && text != nullptr) {
        std::string copy = text;
        H5free_memory(text);
        return copy;
      }
    } else {
      std::string text(bytes, '\0');
      if (H5Aread(opened.id(), type.id(), text.data()) >= 0) return text.substr(0, text.find('\0'));
    }
  }
  throw file_.error(concat("its attribute '", attribute, "' is not one text of at most ", longest,
                           " bytes; write the file again."));
}

StoredArray Hdf5File::array(const std::string& name) const {
  const Hdf5Library library;
  const auto refuse = [&](const std::string& what) {
    return file_.error(concat("dataset '", name, "' ", what));
  };
  H5L_info_t link;
  if (H5Lexists(id_->id(), name.c_str(), H5P_DEFAULT) <= 0 ||
      H5Lget_info(id_->id(), name.c_str(), &link, H5P_DEFAULT) < 0)
    throw refuse("is missing; the file is incomplete, write it again.");
  if (link.type != H5L_TYPE_HARD)
    throw refuse("is a link, and fatvec follows none; copy what it leads to into the file.");
  Hdf5Object dataset(H5Dopen2(id_->id(), name.c_str(), H5P_DEFAULT), H5Dclose);
  if (!dataset) throw refuse(concat("cannot be opened (", Hdf5Library::reason(), ")."));
  const Hdf5Object space(H5Dget_space(dataset.id()), H5Sclose);
  Hdf5Object type(H5Dget_type(dataset.id()), H5Tclose);
  const Hdf5Object made(H5Dget_create_plist(dataset.id()), H5Pclose);
  if (!space || H5Sget_simple_extent_ndims(space.id()) != 1)
    throw refuse("has not one dimension, as arrays of Binsparse have.");
  const std::optional<NumberType> number = type ? number_type(type.id()) : std::nullopt;
  if (!number) throw refuse("holds neither integers of 8 to 64 bits nor IEEE numbers of 32 or 64.");
  const H5D_layout_t layout = H5Pget_layout(made.id());
  if (layout == H5D_VIRTUAL || H5Pget_external_count(made.id()) > 0)
    throw refuse("lies in other files, where fatvec does not look; copy it into this one.");
  hsize_t elements = 0;
  H5Sget_simple_extent_dims(space.id(), &elements, nullptr);
  StoredArray array{.name = name, .type = *number, .elements = elements};
  const haddr_t offset = layout == H5D_CONTIGUOUS ? H5Dget_offset(dataset.id()) : HADDR_UNDEF;
  if (offset != HADDR_UNDEF) {
    if (offset > file_.size() || elements > (file_.size() - offset) / number->bytes)
      throw refuse(concat("has ", elements, " elements, more than the file has bytes for; it is ",
                          "truncated: fetch or write it again."));
    array.offset = offset;
  } else {
    const std::shared_ptr<OpenDataset> open(
        new OpenDataset{id_, std::move(dataset), std::move(type)}, CloseDataset());
    array.fetch = [open](std::uint64_t begin, std::uint64_t count, char* into) {
      return open->read(begin, count, into);
    };
  }
  return array;
}

}  // namespace fatvec::io::detail
