// SPDX-License-Identifier: Apache-2.0
// Matrices of Binsparse (binsparse.cpp) are written as CSR, arrays one after the other, which many
// threads can read.
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include <fatvec/io/detail/hdf5.hpp>
#include <fatvec/io/detail/stored_writers.hpp>

namespace fatvec::io::detail {
namespace {

using fatvec::detail::concat;

/// A file under the name of an unfinished one; errors name what it is to become.
class Hdf5Writer {
 public:
  Hdf5Writer(const std::string& place, std::string path)
      : path_(std::move(path)),
        file_(H5Fcreate(place.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, hdf5_access().id()), H5Fclose) {
    require(static_cast<bool>(file_), "created");
  }

  void add(const char* name, hid_t stored, hid_t in_memory, std::size_t elements,
           const void* data) {
    const hsize_t extent = elements;
    const Hdf5Object space(H5Screate_simple(1, &extent, nullptr), H5Sclose);
    const Hdf5Object how(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
    H5Pset_obj_track_times(how.id(), false);  // the same matrix, the same bytes
    const Hdf5Object dataset(
        H5Dcreate2(file_.id(), name, stored, space.id(), H5P_DEFAULT, how.id(), H5P_DEFAULT),
        H5Dclose);
    require(dataset && (elements == 0 || H5Dwrite(dataset.id(), in_memory, H5S_ALL, H5S_ALL,
                                                  H5P_DEFAULT, data) >= 0),
            "written");
  }

  void describe(const std::string& text) {
    const Hdf5Object type(H5Tcopy(H5T_C_S1), H5Tclose);
    H5Tset_size(type.id(), H5T_VARIABLE);
    H5Tset_cset(type.id(), H5T_CSET_UTF8);
    const Hdf5Object space(H5Screate(H5S_SCALAR), H5Sclose);
    const Hdf5Object attribute(
        H5Acreate2(file_.id(), "binsparse", type.id(), space.id(), H5P_DEFAULT, H5P_DEFAULT),
        H5Aclose);
    const char* const characters = text.c_str();
    require(attribute &&
                H5Awrite(attribute.id(), type.id(), static_cast<const void*>(&characters)) >= 0,
            "written");
  }

  void finish() { require(file_.close(), "written"); }

 private:
  void require(bool done, const char* what) const {
    if (!done)
      throw Error(concat(path_, ": cannot be ", what, " (HDF5: ", Hdf5Library::reason(),
                         "); check the space and the permissions of the folder."));
  }

  std::string path_;
  Hdf5Object file_;
};

template <class T>
constexpr const char* name_of_type = sizeof(T) == 4 ? "float32" : "float64";

}  // namespace

template <class Scalar>
void write_binsparse(fatvec::detail::OutputFile& file, const HostMatrix<Scalar>& matrix,
                     const WriteOptions& options) {
  const nlohmann::ordered_json descriptor = {
      {"binsparse",
       {{"version", "0.1"},
        {"format", "CSR"},
        {"shape", {matrix.rows(), matrix.cols()}},
        {"number_of_stored_values", matrix.nnz()},
        {"data_types",
         {{"pointers_to_1", "int32"}, {"indices_1", "int32"}, {"values", name_of_type<Scalar>}}}}}};
  constexpr bool is_single = sizeof(Scalar) == 4;
  const Hdf5Library library;
  Hdf5Writer writer(file.place(), file.path().string());
  writer.describe(descriptor.dump());
  writer.add("pointers_to_1", H5T_STD_I32LE, H5T_NATIVE_INT32, matrix.row_map.extent(0),
             matrix.row_map.data());
  writer.add("indices_1", H5T_STD_I32LE, H5T_NATIVE_INT32, matrix.entries.extent(0),
             matrix.entries.data());
  if (options.progress)
    options.progress(1.0 * sizeof(std::int32_t) / (sizeof(std::int32_t) + sizeof(Scalar)));
  writer.add("values", is_single ? H5T_IEEE_F32LE : H5T_IEEE_F64LE,
             is_single ? H5T_NATIVE_FLOAT : H5T_NATIVE_DOUBLE, matrix.values.extent(0),
             matrix.values.data());
  writer.finish();
}

template void write_binsparse<float>(fatvec::detail::OutputFile&, const HostMatrix<float>&,
                                     const WriteOptions&);
template void write_binsparse<double>(fatvec::detail::OutputFile&, const HostMatrix<double>&,
                                      const WriteOptions&);

}  // namespace fatvec::io::detail
