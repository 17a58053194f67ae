// SPDX-License-Identifier: Apache-2.0
// Matrices of Binsparse in HDF5: those that h5py wrote (tests/data), those of fatvec, and that
// nothing wrong is taken for a matrix. Without HDF5 they are refused.
#include <fatvec/formats/assemble.hpp>
#include <fatvec/io/matrix_file.hpp>

#include "support.hpp"
#include "test_data.hpp"
#ifdef FATVEC_TEST_HDF5
#include <fatvec/io/detail/hdf5.hpp>
#endif

namespace fatvec::io::test {
namespace {

std::filesystem::path stored(const std::string& name) {
  return std::filesystem::path(FATVEC_TEST_DATA) / "binsparse" / (name + ".bsp.h5");
}

template <class Scalar = double>
Entries<Scalar> entries_in(const std::filesystem::path& path) {
  const auto csr = read_matrix<Scalar>(path).matrix;
  Entries<Scalar> all;
  for (int i = 0; i < csr.rows(); ++i)
    for (int n = csr.row_map(i); n < csr.row_map(i + 1); ++n)
      all.emplace_back(i, csr.entries(n), csr.values(n));
  return all;
}

class Binsparse : public IoTest {
 protected:
  template <class Error = InputError>
  static std::string message(const std::filesystem::path& file) {
    try {
      static_cast<void>(read_matrix<double>(file));
    } catch (const Error& error) {
      return error.what();
    }
    return {};
  }
};

#ifndef FATVEC_TEST_HDF5

TEST_F(Binsparse, BuildsWithoutHdf5SaySo) {
  EXPECT_NE(message(stored("csr")).find("csr.bsp.h5: is an HDF5 file, and this fatvec was built"),
            std::string::npos);
  EXPECT_THROW(write_matrix(path("a.bsp.h5"), read_matrix<double>(file("%%MatrixMarket matrix "
                                                                       "coordinate real general\n"
                                                                       "1 1 1\n1 1 1\n"))
                                                  .matrix),
               UsageError);
}

#else

TEST_F(Binsparse, EveryFormatThatH5pyWroteIsRead) {
  const Entries<double> wanted = {{0, 1, 1.5}, {2, 0, -2}, {2, 2, 3}, {3, 1, 4}};
  for (const char* const name : {"csr", "csc", "coo", "cooc"}) {
    EXPECT_EQ(entries_in(stored(name)), wanted) << name;
    EXPECT_EQ(read_matrix<double>(stored(name)).matrix.cols(), 3) << name;
  }
  EXPECT_EQ(read_matrix<double>(stored("csc")).description, "Binsparse CSC, float32");
}

TEST_F(Binsparse, TrianglesAreMirroredAndOneValueIsShared) {
  const Entries<double> symmetric = {{0, 0, 1}, {0, 1, 2}, {0, 2, 7}, {1, 0, 2}, {1, 1, 9},
                                     {1, 3, 2}, {2, 0, 7}, {2, 2, 2}, {2, 4, 3}, {3, 1, 2},
                                     {3, 3, 3}, {4, 2, 3}, {4, 4, 7}};
  EXPECT_EQ(entries_in(stored("symmetric")), symmetric);
  const Entries<double> iso = {{0, 3, 7}, {1, 1, 7}, {1, 4, 7}, {3, 1, 7}, {3, 2, 7}, {4, 3, 7}};
  EXPECT_EQ(entries_in(stored("iso")), iso);
  using Complex = Kokkos::complex<double>;
  const Entries<Complex> hermitian = {{0, 0, {5, 0}}, {0, 1, {1, 2}}, {1, 0, {1, -2}}};
  EXPECT_EQ(entries_in<Complex>(stored("hermitian")), hermitian);
  EXPECT_NE(message(stored("hermitian")).find("the matrix is complex"), std::string::npos);
}

TEST_F(Binsparse, MatricesComeBackBitByBit) {
  Coo<double> coo(1000, 3000, 100'000);
  for (int n = 0; n < 100'000; ++n) {
    coo.row(n) = n / 100;
    coo.col(n) = 7 * (n % 100);
    coo.value(n) = 1.0 / (n + 1);
  }
  const auto matrix = csr_from_coo<Kokkos::DefaultHostExecutionSpace, std::int32_t>(coo);
  write_matrix(path("a.bsp.h5"), matrix);
  EXPECT_EQ(entries_in(path("a.bsp.h5")), entries_of(coo));
  write_matrix(path("b.bsp.h5"), matrix);
  EXPECT_EQ(contents(path("a.bsp.h5")), contents(path("b.bsp.h5")));
  const auto empty =
      csr_from_coo<Kokkos::DefaultHostExecutionSpace, std::int32_t>(Coo<float>(3, 4, 0));
  write_matrix(path("a.bsp.h5"), empty);
  EXPECT_EQ(read_matrix<float>(path("a.bsp.h5")).matrix.rows(), 3);
}

TEST_F(Binsparse, MemoryLimitsHoldAndPipesAreNotWritten) {
  EXPECT_THROW(read_matrix<double>(stored("symmetric"), {.memory_limit = 300}), CapacityError);
  EXPECT_THROW(write_matrix("/dev/null/a.bsp.h5", read_matrix<double>(stored("csr")).matrix),
               Error);
}

/// A file of one entry, with another descriptor.
class BinsparseDescriptor : public Binsparse {
 protected:
  const std::string types =
      R"("data_types": {"pointers_to_1": "int32", "indices_1": "int32", "values": "float64"})";
  const std::string version = R"("version": "0.1", )";
  const std::string sizes = R"("shape": [1, 1], "number_of_stored_values": 1, )";
  const std::string csr = R"("format": "CSR", )";

  [[nodiscard]] std::filesystem::path with(const std::string& descriptor, int column = 0) const {
    const detail::Hdf5Library library;
    const detail::Hdf5Object file(
        H5Fcreate(path("a.bsp.h5").c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT), H5Fclose);
    const auto add = [&](const char* name, hid_t type, hsize_t elements, const void* data) {
      const detail::Hdf5Object space(H5Screate_simple(1, &elements, nullptr), H5Sclose);
      const detail::Hdf5Object set(
          H5Dcreate2(file.id(), name, type, space.id(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
          H5Dclose);
      H5Dwrite(set.id(), type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data);
    };
    const int pointers[] = {0, 1};
    const double value = 2.5;
    add("pointers_to_1", H5T_NATIVE_INT, 2, pointers);
    add("indices_1", H5T_NATIVE_INT, 1, &column);
    add("values", H5T_NATIVE_DOUBLE, 1, &value);
    const detail::Hdf5Object type(H5Tcopy(H5T_C_S1), H5Tclose);
    H5Tset_size(type.id(), descriptor.size() + 1);
    const detail::Hdf5Object one(H5Screate(H5S_SCALAR), H5Sclose);
    const detail::Hdf5Object attribute(
        H5Acreate2(file.id(), "binsparse", type.id(), one.id(), H5P_DEFAULT, H5P_DEFAULT),
        H5Aclose);
    H5Awrite(attribute.id(), type.id(), descriptor.c_str());
    return path("a.bsp.h5");
  }

  void expect(const std::string& members, const char* wanted) const {
    const std::string error = message(with("{" + members + "}"));
    EXPECT_NE(error.find(wanted), std::string::npos) << error;
    EXPECT_NE(error.find("a.bsp.h5: "), std::string::npos) << error;
  }
};

TEST_F(BinsparseDescriptor, WhatIsRightIsRead) {
  const std::string members = version + csr + sizes + types;
  for (const std::string& text : {"{" + members + "}", "{\"binsparse\": {" + members + "}}"})
    EXPECT_EQ(entries_in(with(text)), (Entries<double>{{0, 0, 2.5}}));
}

TEST_F(BinsparseDescriptor, WhatIsWrongIsNamed) {
  EXPECT_NE(message(with("[")).find("is no JSON object"), std::string::npos);
  EXPECT_NE(message(with(std::string(5000, '['))).find("is no JSON object"), std::string::npos);
  expect(csr + sizes + types, "has no text 'version'");
  expect("\"version\": \"7.0\", " + csr + sizes + types, "is of version \"7.0\"");
  expect(version + sizes + types, "has no text 'format'");
  expect(version + "\"custom\": {}, " + sizes + types, "has a custom format");
  expect(version + "\"format\": \"DCSR\", " + sizes + types, "has the format \"DCSR\"");
  expect(version + csr + types, "has no 'shape' of two extents");
  expect(version + csr + "\"shape\": [1], " + types, "has no 'shape' of two extents");
  expect(version + csr + "\"shape\": [1, -1], " + types, "has -1 in 'shape'");
  expect(version + csr + "\"shape\": [1, 1.5], " + types, "has 1.5 in 'shape'");
  expect(version + csr + "\"shape\": [1, 18446744073709551615], " + types, "and no count");
  expect(version + csr + "\"shape\": [1, 1], " + types, "has no 'number_of_stored_values'");
  expect(version + csr + "\"shape\": [1, 1], \"number_of_stored_values\": 2, " + types,
         "dataset 'values' has 1 elements, and the descriptor of Binsparse wants 2");
  expect(version + csr + "\"shape\": [2, 1], \"number_of_stored_values\": 1, " + types,
         "dataset 'pointers_to_1' has 2 elements, and the descriptor of Binsparse wants 3");
  expect(version + csr + sizes + "\"fill\": true, " + types, "has a fill value");
  expect(version + csr + sizes + "\"structure\": \"triangular\", " + types,
         "has the structure \"triangular\"");
  expect(version + csr + sizes + "\"structure\": \"hermitian_lower\", " + types,
         "has a hermitian structure, and values of float64");
  expect(version + csr + sizes + "\"structure\": \"skew_symmetric_lower\", " + types,
         "the entry at (0, 0), counted from 0, is none of a Binsparse CSR, skew_symmetric_lower");
  expect(version + csr + "\"shape\": [1, 2], \"number_of_stored_values\": 1, \"structure\": " +
             "\"symmetric_lower\", " + types,
         "and its shape is 1 x 2");
  expect(version + csr + sizes + "\"data_types\": {}", "has no 'data_types' with 'values'");
  std::string other = types;
  other.replace(other.find("float64"), 7, "float32");
  expect(version + csr + sizes + other, "says that 'values' is \"float32\", and the dataset is");
  expect(version + "\"format\": \"COO\", " + sizes + types, "dataset 'indices_0' is missing");
}

TEST_F(BinsparseDescriptor, IndicesOutOfRangeAreRefused) {
  EXPECT_NE(message(with("{" + version + csr + sizes + types + "}", 1))
                .find("indices_1: element 0 must be at least 0 and less than 1"),
            std::string::npos);
}

TEST_F(Binsparse, FilesThatAreCutOrOfOtherKindsAreRefused) {
  const std::string whole = contents(stored("csr"));
  for (std::size_t length = 8; length < whole.size(); length += 97)
    EXPECT_NE(message(file(whole.substr(0, length), "cut.bsp.h5")), "") << length;
  {
    const detail::Hdf5Library library;
    const detail::Hdf5Object other(
        H5Fcreate(path("b.h5").c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT), H5Fclose);
  }
  EXPECT_NE(message(path("b.h5")).find("no attribute 'binsparse'"), std::string::npos);
}

#endif

}  // namespace
}  // namespace fatvec::io::test
