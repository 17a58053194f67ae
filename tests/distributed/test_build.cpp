// SPDX-License-Identifier: Apache-2.0
#include <filesystem>

#include <fatvec/core/output_file.hpp>
#include <fatvec/distributed/generate.hpp>
#include <fatvec/distributed/matrix_market.hpp>
#include <fatvec/formats/assemble.hpp>
#include <fatvec/io/matrix_file.hpp>

#include "support.hpp"
#include "test_data.hpp"

namespace fatvec::test {
namespace {

TEST(DistributedPartition, IsEvenUpToOneRow) {
  const Partition p = Partition::even(10, 4);
  EXPECT_EQ(p.offsets(), (std::vector<std::int64_t>{0, 3, 6, 8, 10}));
  EXPECT_EQ(p.owner(0), 0);
  EXPECT_EQ(p.owner(5), 1);
  EXPECT_EQ(p.owner(9), 3);
  EXPECT_EQ(Partition::of_offsets({0, 0, 4, 4, 4}).owner(2), 1);  // empty parts have no rows
  EXPECT_THROW(Partition::even(-1, 2), ShapeError);
  EXPECT_THROW(Partition::of_offsets({0, 3, 2}), ShapeError);
  EXPECT_THROW(Partition::of_offsets({1, 3}), ShapeError);
}

TEST(DistributedPartition, OfNonzerosBalancesThem) {
  const Communicator world;
  // Row i has i entries; each part has its share but for the longest row.
  const Partition even = Partition::even(100, world.size());
  std::vector<std::int64_t> lengths;
  for (std::int64_t i = even.begin(world.rank()); i < even.end(world.rank()); ++i)
    lengths.push_back(i);
  const Partition p = Partition::by_nonzeros(world, even, lengths);
  EXPECT_EQ(p.rows(), 100);
  EXPECT_EQ(p.parts(), world.size());
  std::int64_t mine = 0;
  for (std::int64_t i = p.begin(world.rank()); i < p.end(world.rank()); ++i) mine += i;
  EXPECT_NEAR(static_cast<double>(mine), 4950.0 / world.size(), 100);
  EXPECT_EQ(Partition::of_local_rows(world, p.size(world.rank())), p);
}

TEST(DistributedExchange, EnvironmentSaysWhetherMpiReadsGpus) {
  constexpr const char* variable = "FATVEC_GPU_AWARE_MPI";
  const char* const told = std::getenv(variable);
  const std::string before(told == nullptr ? "" : told);
  setenv(variable, "1", 1);
  EXPECT_TRUE(distributed::mpi_reads_gpus("HIP"));
  setenv(variable, "0", 1);
  EXPECT_FALSE(distributed::mpi_reads_gpus("Cuda"));
  setenv(variable, "yes", 1);
  EXPECT_THROW(distributed::mpi_reads_gpus("Cuda"), UsageError);
  unsetenv(variable);
  EXPECT_FALSE(distributed::mpi_reads_gpus("HIP"));  // nobody asks MPI about other GPUs
  EXPECT_NO_THROW(distributed::mpi_reads_gpus("Cuda"));
  if (told != nullptr) setenv(variable, before.c_str(), 1);
}

TEST(DistributedMatrix, AddsUpDuplicatesOfAllRanks) {
  const Communicator world;
  const HostCsr serial = whole("stencil5:5x5");
  GlobalCoo<double> coo(serial.rows(), serial.cols(), serial.nnz());
  for (std::int64_t i = 0, n = 0; i < serial.rows(); ++i)
    for (; n < serial.row_map(i + 1); ++n) {
      coo.row(n) = i;
      coo.col(n) = serial.entries(n);
      coo.value(n) = serial.values(n) / world.size();
    }
  const auto a = distributed::from_coo(world, Partition::even(25, world.size()), coo);
  EXPECT_EQ(sum_of(a.local().nnz() + a.halo().matrix().nnz()), serial.nnz());
  if (world.size() == 1 || world.size() == 2 || world.size() == 4)  // sums are exact
    expect_product<LayoutRight, LayoutRight>(a, serial, 3, 1.0, 0.0);
}

/// Indices beyond 32 bits: X has more rows than a 32-bit index counts, this test the few it wants.
TEST(DistributedMatrix, HasGlobalIndicesOf64Bits) {
  const Communicator world;
  constexpr std::int64_t columns = std::int64_t{1} << 40;
  GlobalCoo<double> coo(8, columns, 1);
  coo.row(0) = world.rank();
  coo.col(0) = columns - 1;
  coo.value(0) = 1;
  const Partition rows = Partition::even(8, world.size());
  const auto mine = distributed::gather_rows(world, rows, coo);
  for (std::int64_t n = 0; n < mine.nnz(); ++n) EXPECT_EQ(mine.entries(n), columns - 1);
  EXPECT_EQ(sum_of(mine.nnz()), world.size());
  const auto parts = distributed::split<double, std::int32_t>(mine, columns - 3, columns);
  EXPECT_EQ(parts.local.nnz(), mine.nnz());
  // All of X on few ranks is refused by all.
  EXPECT_THROW(distributed::from_rows(world, rows, mine), CapacityError);
}

TEST(DistributedErrors, KeepTheirClass) {
  const Communicator world;
  const auto last = [&](const auto& error) {
    return [&world, error] {
      if (world.rank() == world.size() - 1) throw error;
      return 0;
    };
  };
  EXPECT_THROW(world.agree(last(PrecisionError("a value"))), PrecisionError);
  EXPECT_THROW(world.agree(last(CapacityError("memory"))), CapacityError);
  EXPECT_THROW(world.agree(last(UsageError("a call"))), UsageError);
}

TEST(DistributedErrors, OfOneRankAreThrownOnAll) {
  const Communicator world;
  const int bad = world.size() / 2;
  GlobalCoo<double> coo(5, 5, 1);
  coo.row(0) = world.rank() == bad ? 5 : 0;
  coo.col(0) = 0;
  coo.value(0) = 1;
  const Partition rows = Partition::even(5, world.size());
  EXPECT_THROW(distributed::from_coo(world, rows, coo), InputError);
  const std::string message = message_of([&] { distributed::from_coo(world, rows, coo); });
  EXPECT_NE(message.find("entry 0 is at (5, 0)"), message.npos) << message;
  if (world.size() > 1) {
    EXPECT_NE(message.find("[rank " + std::to_string(bad) + " of"), message.npos) << message;
  }
  EXPECT_THROW(distributed::from_coo(world, Partition::even(6, world.size()), coo), ShapeError);
}

TEST(DistributedGenerator, MakesTheSameMatrix) {
  const Communicator world;
  for (const char* const spec : {"stencil27:5x4x3:dof=2", "powerlaw:90:4", "uniform:40x70:6",
                                 "arrow:31", "twin:cavity10:300", "banded:3:1"}) {
    SCOPED_TRACE(spec);
    const auto a =
        distributed::generate(world, generate::parse_spec(std::string("gen:") + spec), options());
    expect_product<LayoutRight, LayoutRight>(a, whole(spec), 4, 1.0, 0.0);
  }
}

/// A file that all ranks see while it lives; rank 0 writes it. ending: .mtx.gz compresses.
class File {
 public:
  explicit File(const std::string& text, const std::string& ending = ".mtx")
      : path_(std::filesystem::temp_directory_path() /
              ("fatvec-distributed-" + std::to_string(unique()) + ending)) {
    if (world_.rank() == 0) {
      fatvec::detail::OutputFile file(path_);
      file.write(text);
      file.commit();
    }
    MPI_Barrier(MPI_COMM_WORLD);
  }
  ~File() {
    MPI_Barrier(MPI_COMM_WORLD);
    if (world_.rank() == 0) std::filesystem::remove(path_);
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  static int unique() {
    int id = static_cast<int>(getpid());
    MPI_Bcast(&id, 1, MPI_INT, 0, MPI_COMM_WORLD);
    return id;
  }
  Communicator world_;
  std::filesystem::path path_;
};

const std::string banner = "%%MatrixMarket matrix coordinate ";

const std::string good_files[] = {
    banner + "real general\n% a comment\n4 5 5\n1 1 1.5\n4 5 -2\n2 3 1e-3\n3 1 7\n1 5 0.25\n",
    banner + "real symmetric\n5 5 6\n1 1 2\n2 1 -1\n3 3 4\n5 1 0.5\n5 5 1\n4 2 3",  // no last '\n'
    banner + "integer skew-symmetric\r\n4 4 2\r\n3 1 5\r\n4 2 -6\r\n",
    banner + "pattern general\n\n3 3 4\n1 1\n\n2 2\n3 3\n1 3\n\n",
    banner + "real general\n3 3 0\n",
    banner + "real general\n1 1 3\n1 1 1\n1 1 2\n1 1 4\n"};

TEST(DistributedFile, GivesTheMatrixThatOneRankReads) {
  const Communicator world;
  for (const std::string& text : good_files)
    for (const char* const ending : {".mtx", ".mtx.gz"}) {
      SCOPED_TRACE(text + ending);
      const File file(text, ending);
      const HostCsr serial = csr_from_coo<HostCsr::device_type, std::int64_t>(
          io::read_matrix_market<double>(file.path()));
      for (const auto how : {distributed::Spread::even, distributed::Spread::nonzeros}) {
        const auto a = distributed::read_matrix_market(world, file.path(), how);
        ASSERT_EQ(a.rows(), serial.rows());
        ASSERT_EQ(a.cols(), serial.cols());
        expect_product<LayoutRight, LayoutRight>(a, serial, 3, 1.0, 0.0);
      }
    }
}

TEST(DistributedFile, GivesALargerMatrixWhateverTheFormat) {
  const Communicator world;
  const HostCsr serial = whole("powerlaw:400:9:max=300");
  const File text("", ".txt");
  if (world.rank() == 0) io::write_matrix_market(text.path(), serial);
  std::vector<const char*> endings = {".mtx", ".mtx.gz", ".npz", ".petsc"};
#ifdef FATVEC_TEST_HDF5
  endings.push_back(".bsp.h5");
#endif
  for (const char* const ending : endings) {
    SCOPED_TRACE(ending);
    const File file("", ending);
    if (world.rank() == 0) {
      const auto matrix = io::read_matrix<double>(text.path()).matrix;
      io::write_matrix(file.path(), matrix, {.petsc_bits = 64});
    }
    MPI_Barrier(MPI_COMM_WORLD);
    const auto a =
        distributed::read_matrix_market(world, file.path(), distributed::Spread::nonzeros);
    expect_product<LayoutRight, LayoutRight>(a, serial, 8, 1.0, 0.0);
  }
}

#ifdef FATVEC_TEST_HDF5
TEST(DistributedFile, TakesTrianglesAndChunksOfBinsparse) {
  const Communicator world;
  for (const char* const name : {"symmetric", "iso", "cooc", "csc"}) {
    SCOPED_TRACE(name);
    const std::string path = std::string(FATVEC_TEST_DATA "/binsparse/") + name + ".bsp.h5";
    const File text("", ".mtx");
    if (world.rank() == 0)
      io::write_matrix_market(text.path(), io::read_matrix<double>(path).matrix);
    MPI_Barrier(MPI_COMM_WORLD);
    const HostCsr serial = csr_from_coo<Kokkos::DefaultHostExecutionSpace, std::int64_t>(
        io::read_matrix_market<double>(text.path()));
    const auto a = distributed::read_matrix_market(world, path, distributed::Spread::even);
    expect_product<LayoutRight, LayoutRight>(a, serial, 3, 1.0, 0.0);
  }
}
#endif

const std::string bad_files[] = {
    banner + "real general\n3 3 3\n1 1 1\n2 two 2\n3 3 3\n",
    banner + "real general\n3 3 3\n1 1 1\n2 2 2\n4 3 3\n",
    banner + "real general\n3 3 2\n1 1 1\n2 2 2\n3 3 3\n3 2 1\n",
    banner + "real general\n3 3 4\n1 1 1\n2 2 2\n3 3 3\n",
    banner + "real symmetric\n4 4 5\n1 1 1\n2 1 2\n3 3 3\n1 4 4\n4 4 1\n",
    banner + "real symmetric\n4 4 5\n1 1 1\n1 2 2\n3 3 3\n4 1 4\n4 4 x\n",
    banner + "real general\n3 3\n",
    "no banner\n",
    ""};

TEST(DistributedFile, HasTheErrorThatOneRankFinds) {
  const Communicator world;
  for (const std::string& text : bad_files)
    for (const char* const ending : {".mtx", ".mtx.gz"}) {
      SCOPED_TRACE(text + ending);
      const File file(text, ending);
      const std::string serial =
          message_of([&] { (void)io::read_matrix_market<double>(file.path()); });
      const std::string spread =
          message_of([&] { (void)distributed::read_entries<double>(world, file.path()); });
      ASSERT_NE(serial, "no error");
      EXPECT_EQ(spread.substr(0, serial.size()), serial);
    }
}

TEST(DistributedFile, IsRefusedWhereItIsDamaged) {
  const Communicator world;
  const auto message = [&](const std::string& text) {
    const File file(text);
    return message_of([&] { (void)distributed::read_entries<double>(world, file.path()); });
  };
  EXPECT_NE(message("\x1f\x8b\x08").find("end early"), std::string::npos);
  EXPECT_NE(message("PK\x03\x04").find("zip archive without its directory"), std::string::npos);
  const std::string petsc(
      "\0\x12\x7b\x50\0\0\0\x02\0\0\0\x02\0\0\0\x01\0\0\0\0\0\0\0\x01\0\0\0\x02\0\0\0\0\0\0\0\0",
      36);
  EXPECT_NE(message(petsc).find("columns: element 0 must be at least 0 and less than 2"),
            std::string::npos);
  EXPECT_NE(message(petsc.substr(0, 30)).find("truncated or damaged"), std::string::npos);
  EXPECT_THROW((void)distributed::read_entries<double>(world, "/nowhere/at/all.mtx"), InputError);
}

}  // namespace
}  // namespace fatvec::test
