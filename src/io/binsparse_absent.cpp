// SPDX-License-Identifier: Apache-2.0
// In the place of binsparse.cpp and binsparse_writer.cpp where CMake found no HDF5.
#include <fatvec/io/detail/stored_matrix.hpp>
#include <fatvec/io/detail/stored_writers.hpp>

namespace fatvec::io::detail {

StoredMatrix open_binsparse(const BinaryFile& file) {
  throw file.error(
      "is an HDF5 file, and this fatvec was built without HDF5. Convert the file to .npz or .mtx, "
      "or build fatvec where HDF5 is (apt-get install libhdf5-dev).");
}

template <class Scalar>
void write_binsparse(fatvec::detail::OutputFile&, const HostMatrix<Scalar>&, const WriteOptions&) {
  throw UsageError(
      "this fatvec was built without HDF5, and writes no .bsp.h5. Write .npz, .petsc or .mtx, or "
      "build fatvec where HDF5 is (apt-get install libhdf5-dev).");
}

template void write_binsparse<float>(fatvec::detail::OutputFile&, const HostMatrix<float>&,
                                     const WriteOptions&);
template void write_binsparse<double>(fatvec::detail::OutputFile&, const HostMatrix<double>&,
                                      const WriteOptions&);

}  // namespace fatvec::io::detail
