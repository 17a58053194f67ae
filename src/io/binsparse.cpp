// SPDX-License-Identifier: Apache-2.0
// Matrices of the Binsparse specification 0.1 (GraphBLAS, 2024) in HDF5: a descriptor, which is
// JSON in an attribute of the root group, and arrays that are datasets beside it.
#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

#include <fatvec/core/json_nesting.hpp>
#include <fatvec/io/detail/hdf5.hpp>
#include <fatvec/io/detail/stored_matrix.hpp>

namespace fatvec::io::detail {
namespace {

using fatvec::detail::concat;
using nlohmann::json;

constexpr const char* descriptor_name = "binsparse";

/// What JSON says, cut to what fits into a message.
std::string shown(const json& value) {
  return value.dump(-1, ' ', false, json::error_handler_t::replace).substr(0, 40);
}

/// The descriptor, of which every member is checked as it is taken.
class Descriptor {
 public:
  Descriptor(const BinaryFile& file, const std::string& text) : file_(file) {
    constexpr int deepest = 32;
    if (fatvec::detail::json_nesting(text) <= deepest) json_ = json::parse(text, nullptr, false);
    if (json_.is_object() && json_.contains(descriptor_name)) {
      json inner = json_[descriptor_name];
      json_ = std::move(inner);
    }
    if (!json_.is_object()) throw refuse("is no JSON object");
    const std::string version = word("version");
    if (!version.starts_with("0.") && !version.starts_with("1."))
      throw refuse(concat("is of version ", shown(version), ", and fatvec reads 0 and 1"));
    if (json_.contains("fill") && json_["fill"] != false)
      throw refuse("has a fill value, and elements that are not stored have to be zeros");
  }

  [[nodiscard]] std::string word(const char* key) const {
    if (!json_.contains(key) || !json_[key].is_string())
      throw refuse(concat("has no text '", key, '\''));
    return json_[key];
  }

  [[nodiscard]] std::string format() const {
    if (!json_.contains("format") && json_.contains("custom"))
      throw refuse("has a custom format, and fatvec reads CSR, CSC, COO, COOR and COOC");
    const std::string format = word("format");
    constexpr std::array known = {"CSR", "CSC", "COO", "COOR", "COOC"};
    if (std::find(known.begin(), known.end(), format) == known.end())
      throw refuse(concat("has the format ", shown(format),
                          ", and fatvec reads CSR, CSC, COO, COOR and COOC"));
    return format;
  }

  [[nodiscard]] std::pair<std::int64_t, std::int64_t> shape() const {
    if (!json_.contains("shape") || !json_["shape"].is_array() || json_["shape"].size() != 2)
      throw refuse("has no 'shape' of two extents, rows and columns");
    return {count(json_["shape"][0], "shape"), count(json_["shape"][1], "shape")};
  }

  [[nodiscard]] std::int64_t entries() const {
    constexpr const char* key = "number_of_stored_values";
    if (!json_.contains(key)) throw refuse(concat("has no '", key, '\''));
    return count(json_[key], key);
  }

  /// The text of an array's type.
  [[nodiscard]] std::string type(const std::string& array) const {
    const auto types = json_.find("data_types");
    if (types == json_.end() || !types->is_object() || !types->contains(array) ||
        !(*types)[array].is_string())
      throw refuse(concat("has no 'data_types' with '", array, '\''));
    return (*types)[array];
  }

  void take_structure(StoredMatrix& matrix) const {
    if (!json_.contains("structure")) return;
    const std::string structure = word("structure");
    constexpr std::pair<std::string_view, Symmetry> kinds[] = {
        {"symmetric_", Symmetry::symmetric},
        {"skew_symmetric_", Symmetry::skew_symmetric},
        {"hermitian_", Symmetry::hermitian}};
    for (const auto& [prefix, symmetry] : kinds) {
      if (!structure.starts_with(prefix)) continue;
      const std::string triangle = structure.substr(prefix.size());
      if (triangle != "lower" && triangle != "upper") continue;
      matrix.symmetry = symmetry;
      matrix.lower = triangle == "lower";
    }
    if (matrix.symmetry == Symmetry::general)
      throw refuse(concat("has the structure ", shown(structure),
                          "; there are symmetric, skew_symmetric and hermitian, with _lower or "
                          "_upper behind"));
    if (matrix.rows != matrix.cols)
      throw refuse(concat("has the structure ", shown(structure), ", and its shape is ",
                          matrix.rows, " x ", matrix.cols));
    matrix.name += ", " + structure;
  }

  [[nodiscard]] InputError refuse(const std::string& what) const {
    return file_.error(
        concat("its descriptor of Binsparse ", what, "; write the file again, or convert it."));
  }

 private:
  [[nodiscard]] std::int64_t count(const json& value, const char* key) const {
    if (!value.is_number_integer() || value < 0 || value > std::numeric_limits<std::int64_t>::max())
      throw refuse(concat("has ", shown(value), " in '", key, "', and no count"));
    return value;
  }

  const BinaryFile& file_;
  json json_;
};

/// Takes "complex[" ... "]" away; whether it was there.
bool unwrap(std::string& type, std::string_view modifier) {
  if (!type.starts_with(modifier) || !type.ends_with(']')) return false;
  type = type.substr(modifier.size(), type.size() - modifier.size() - 1);
  return true;
}

/// The arrays, which have to be what the descriptor says.
class Arrays {
 public:
  Arrays(const BinaryFile& file, const Hdf5File& hdf5, const Descriptor& descriptor)
      : file_(file), hdf5_(hdf5), descriptor_(descriptor) {}

  [[nodiscard]] StoredArray indices(const std::string& name, std::int64_t elements) const {
    StoredArray array = hdf5_.array(name);
    require_type(array, descriptor_.type(name));
    if (array.type.kind == NumberType::Kind::real)
      throw descriptor_.refuse(
          concat("has ", array.type.name(), " for '", name, "', and integers are wanted"));
    require_elements(array, elements);
    return array;
  }

  void take_values(StoredMatrix& matrix, std::int64_t entries) const {
    using Kind = NumberType::Kind;
    StoredArray array = hdf5_.array("values");
    std::string type = descriptor_.type("values");
    matrix.one_value = unwrap(type, "iso[");
    const bool complex = unwrap(type, "complex[");
    if (type == "bint8" && array.type.bytes == 1 && array.type.kind != Kind::real)
      array.type.kind = Kind::boolean;
    else
      require_type(array, type);
    if (complex && array.type.kind != Kind::real)
      throw descriptor_.refuse(
          concat("has complex numbers of ", type, "; there are float32 and ", "float64"));
    require_elements(array, (matrix.one_value ? 1 : entries) * (complex ? 2 : 1));
    if (complex) {
      array.type = {Kind::complex, 2 * array.type.bytes, array.type.big_endian};
      array.elements /= 2;
      if (array.fetch)
        array.fetch = [parts = array.fetch](std::uint64_t begin, std::uint64_t count, char* into) {
          return parts(2 * begin, 2 * count, into);
        };
    }
    if (matrix.symmetry == Symmetry::hermitian && !complex)
      throw descriptor_.refuse(concat("has a hermitian structure, and values of ", type));
    matrix.values = std::move(array);
  }

 private:
  void require_type(const StoredArray& array, const std::string& type) const {
    if (array.type.name() != type)
      throw descriptor_.refuse(concat("says that '", array.name, "' is ", shown(type),
                                      ", and the dataset is ", array.type.name()));
  }

  void require_elements(const StoredArray& array, std::int64_t wanted) const {
    if (array.elements != static_cast<std::uint64_t>(wanted))
      throw file_.error(concat("dataset '", array.name, "' has ", array.elements,
                               " elements, and the descriptor of Binsparse wants ", wanted,
                               "; the file is damaged, write it again."));
  }

  const BinaryFile& file_;
  const Hdf5File& hdf5_;
  const Descriptor& descriptor_;
};

}  // namespace

StoredMatrix open_binsparse(const BinaryFile& file) {
  const Hdf5File hdf5(file);
  const Descriptor descriptor(file, hdf5.text(descriptor_name));
  const std::string format = descriptor.format();
  const auto [rows, cols] = descriptor.shape();
  const std::int64_t entries = descriptor.entries();
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max() / 4;
  if (rows > most || cols > most || entries > most)
    throw descriptor.refuse(concat("announces ", rows, " x ", cols, " with ", entries,
                                   " entries, more than any file has"));
  using Layout = StoredMatrix::Layout;
  StoredMatrix matrix{.name = "Binsparse " + format,
                      .layout = format == "CSR"   ? Layout::csr
                                : format == "CSC" ? Layout::csc
                                                  : Layout::coo,
                      .rows = rows,
                      .cols = cols};
  descriptor.take_structure(matrix);
  const Arrays arrays(file, hdf5, descriptor);
  arrays.take_values(matrix, entries);
  StoredArray second = arrays.indices("indices_1", entries);
  if (matrix.layout == Layout::coo) {
    matrix.major = arrays.indices("indices_0", entries);
    if (format == "COOC") std::swap(matrix.major, second);  // columns come first there
  } else {
    matrix.offsets = arrays.indices("pointers_to_1", (format == "CSR" ? rows : cols) + 1);
  }
  matrix.minor = std::move(second);
  return matrix;
}

}  // namespace fatvec::io::detail
