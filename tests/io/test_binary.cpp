// SPDX-License-Identifier: Apache-2.0
// Matrices of SciPy (.npz) and PETSc: what comes back, and that no damaged file is taken for a
// whole one. Those that SciPy itself writes are read in tests/oracles.
#include <fatvec/formats/assemble.hpp>
#include <fatvec/io/matrix_file.hpp>

#include "support.hpp"

namespace fatvec::io::test {
namespace {

class Binary : public IoTest {
 protected:
  template <class Scalar>
  static HostMatrix<Scalar> sample() {
    Coo<Scalar> coo(5, 7, 9);
    for (int n = 0; n < 9; ++n) {
      coo.row(n) = n / 2;
      coo.col(n) = (3 * n) % 7;
      coo.value(n) = static_cast<Scalar>(1.0 / (n - 4.5));
    }
    return csr_from_coo<Kokkos::DefaultHostExecutionSpace, std::int32_t>(coo);
  }

  [[nodiscard]] std::string message(const std::filesystem::path& file) const {
    try {
      static_cast<void>(read_matrix<double>(file));
    } catch (const InputError& error) {
      return error.what();
    }
    return {};
  }
};

template <class Scalar>
Entries<Scalar> entries_of(const HostMatrix<Scalar>& csr) {
  Entries<Scalar> all;
  for (int i = 0; i < csr.rows(); ++i)
    for (int n = csr.row_map(i); n < csr.row_map(i + 1); ++n)
      all.emplace_back(i, csr.entries(n), csr.values(n));
  return all;
}

TEST_F(Binary, MatricesComeBackBitByBit) {
  const auto matrix = sample<double>();
  const auto single = sample<float>();
  for (const char* const name : {"a.npz", "a.petsc", "a.mtx", "a.mtx.gz"}) {
    for (const unsigned bits : {32U, 64U}) {
      write_matrix(path(name), matrix, {.petsc_bits = bits});
      const auto back = read_matrix<double>(path(name));
      EXPECT_EQ(back.matrix.cols(), 7);
      EXPECT_EQ(entries_of(back.matrix), entries_of(matrix)) << name;
      write_matrix(path(name), single, {.petsc_bits = bits});
      EXPECT_EQ(entries_of(read_matrix<float>(path(name)).matrix), entries_of(single)) << name;
      EXPECT_EQ(read_matrix<Kokkos::complex<double>>(path(name)).matrix.nnz(), 9) << name;
    }
  }
}

TEST_F(Binary, MatricesWithoutRowsOrEntriesComeBack) {
  for (const int rows : {0, 3}) {
    const auto empty =
        csr_from_coo<Kokkos::DefaultHostExecutionSpace, std::int32_t>(Coo<double>(rows, 4, 0));
    for (const char* const name : {"a.npz", "a.petsc"}) {
      write_matrix(path(name), empty);
      const auto back = read_matrix<double>(path(name)).matrix;
      EXPECT_EQ(back.rows(), rows) << name;
      EXPECT_EQ(back.nnz(), 0) << name;
    }
  }
  for (const char* const name : {"a.npz", "a.petsc"}) {
    write_matrix(path(name), HostMatrix<double>());  // has not even the first offset
    EXPECT_EQ(read_matrix<double>(path(name)).matrix.rows(), 0) << name;
  }
}

TEST_F(Binary, LargeMatricesComeBackInManyRuns) {
  Coo<double> coo(1000, 3000, 400'000);
  for (int n = 0; n < 400'000; ++n) {
    coo.row(n) = n / 400;
    coo.col(n) = 7 * (n % 400);
    coo.value(n) = n;
  }
  const auto matrix = csr_from_coo<Kokkos::DefaultHostExecutionSpace, std::int32_t>(coo);
  for (const char* const name : {"a.npz", "a.petsc"}) {
    double done = 0;
    write_matrix(path(name), matrix);
    const auto back = read_matrix<double>(path(name), {.progress = [&](double share) {
                                            EXPECT_GE(share, done);
                                            done = share;
                                          }});
    EXPECT_EQ(done, 1) << name;
    EXPECT_EQ(entries_of(back.matrix), entries_of(matrix)) << name;
  }
}

TEST_F(Binary, ContentTellsTheFormat) {
  write_matrix(path("a.npz"), sample<double>());
  std::filesystem::rename(path("a.npz"), path("a.mtx"));
  EXPECT_EQ(read_matrix<double>(path("a.mtx")).description, "SciPy csr, float64");
}

TEST_F(Binary, UnknownEndingsAreNotWritten) {
  EXPECT_THROW(write_matrix(path("a.dat"), sample<double>()), UsageError);
}

TEST_F(Binary, TruncatedFilesAreRefusedWhereverTheyEnd) {
  for (const char* const name : {"a.npz", "a.petsc"}) {
    write_matrix(path(name), sample<double>());
    const std::string whole = contents(path(name));
    for (std::size_t length = 8; length < whole.size(); ++length) {
      const std::string error = message(file(whole.substr(0, length), "cut"));
      EXPECT_NE(error, "") << name << " of " << length << " bytes";
    }
  }
}

TEST_F(Binary, ChangedBytesAreRefusedOrMakeAMatrix) {
  for (const char* const name : {"a.npz", "a.petsc"}) {
    write_matrix(path(name), sample<double>());
    const std::string whole = contents(path(name));
    for (std::size_t at = 0; at < whole.size(); ++at) {
      const bool in_head = at < 64;  // sizes: all three
      for (const char flip : in_head ? std::string("\x01\x80\xff") : std::string("\x80")) {
        std::string changed = whole;
        changed[at] = static_cast<char>(changed[at] ^ flip);
        try {
          const auto read =
              read_matrix<double>(file(changed, "changed"), {.memory_limit = 100'000});
          validate(Kokkos::DefaultHostExecutionSpace(), read.matrix);
        } catch (const Error&) {
        }
      }
    }
  }
}

TEST_F(Binary, ChecksumsOfArchivesAreCompared) {
  write_matrix(path("a.npz"), sample<double>());
  std::string text = contents(path("a.npz"));
  text[text.find("data.npy") + 200] ^= 1;
  EXPECT_NE(message(file(text, "b.npz")).find("data.npy is corrupt"), std::string::npos);
}

TEST_F(Binary, MemoryLimitsHold) {
  write_matrix(path("a.npz"), sample<double>());
  EXPECT_THROW(read_matrix<double>(path("a.npz"), {.memory_limit = 100}), CapacityError);
}

/// Big-endian integers of 32 bits.
std::string words(std::initializer_list<std::uint32_t> numbers) {
  std::string text;
  for (const std::uint32_t number : numbers)
    for (int shift = 24; shift >= 0; shift -= 8) text += static_cast<char>(number >> shift & 0xff);
  return text;
}

TEST_F(Binary, ObjectsOfPetscBehindAMatrixAreLeftAlone) {
  const std::string matrix = words({1211216, 1, 2, 1, 1, 1, 0x3ff80000, 0});
  EXPECT_EQ(message(file(matrix + words({1211214, 1, 0, 0}))), "");
  EXPECT_NE(message(file(matrix + words({5}))).find("8 bytes"), 0U);
  EXPECT_EQ(entries_of(read_matrix<double>(file(matrix)).matrix), (Entries<double>{{0, 1, 1.5}}));
}

TEST_F(Binary, WhatIsNoMatrixOfPetscSaysSo) {
  const auto expect = [&](const std::string& text, const char* wanted) {
    const std::string error = message(file(text, "a.petsc"));
    EXPECT_NE(error.find(wanted), std::string::npos) << error;
    EXPECT_NE(error.find("a.petsc: "), std::string::npos) << error;
  };
  expect(words({1211216, 2, 2, static_cast<std::uint32_t>(-1), 0}), "dense matrix of PETSc");
  expect(words({1211216, 1, 2, 1, 1, 2, 0, 0}), "columns: element 0 must be at least 0 and less");
  expect(words({1211216, 1, 2, 1, 0, 1, 0, 0}), "add up to 0 entries, and 1 are announced");
  expect(words({1211216, 2, 2, 1, 1, 1, 1, 0, 0}), "element 1 makes more than the 1 entries");
  expect(words({1211216, 9, 9, 9, 9}), "announces a matrix of 9 x 9 with 9 entries");
  expect(words({1211216, 1, 2, 1, 1, 1, 0, 0, 0, 0}), "matrix is complex");
}

}  // namespace
}  // namespace fatvec::io::test
