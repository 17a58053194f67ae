// SPDX-License-Identifier: Apache-2.0
#include <memory>

#include <fatvec/distributed/petsc.hpp>
#include <fatvec/distributed/tpetra.hpp>

#include "support.hpp"

namespace fatvec::test {
namespace {

using HostExec = Kokkos::DefaultHostExecutionSpace;

/// This rank's rows as PETSc keeps them: its own columns apart from the others, both compressed.
struct MpiAij {
  struct Aij {
    std::vector<std::int32_t> i{0};
    std::vector<std::int32_t> j;
    std::vector<double> a;
    [[nodiscard]] distributed::AijArrays<double> arrays(std::int64_t columns) {
      return {static_cast<std::int32_t>(i.size()) - 1,
              static_cast<std::int32_t>(columns),
              i.data(),
              j.data(),
              a.data(),
              i.back()};
    }
  };
  Aij diagonal;
  Aij off_diagonal;
  std::vector<std::int32_t> garray;

  MpiAij(const HostCsr& serial, const Partition& rows, const Partition& x_rows, int rank) {
    const auto parts = distributed::split<double, std::int32_t>(
        distributed::with_global_columns(rows_of(serial, rows.begin(rank), rows.end(rank))),
        x_rows.begin(rank), x_rows.end(rank));
    std::size_t b = 0;
    const auto append = [](Aij& to, const auto& from, std::int64_t row) {
      for (auto n = from.row_map(row); n < from.row_map(row + 1); ++n) {
        to.j.push_back(from.entries(n));
        to.a.push_back(from.values(n));
      }
    };
    for (std::int32_t i = 0; i < parts.local.rows(); ++i) {
      append(diagonal, parts.local, i);
      if (b < parts.boundary.size() && parts.boundary[b] == i)
        append(off_diagonal, parts.halo, static_cast<std::int64_t>(b++));
      diagonal.i.push_back(static_cast<std::int32_t>(diagonal.j.size()));
      off_diagonal.i.push_back(static_cast<std::int32_t>(off_diagonal.j.size()));
    }
    for (const std::int64_t column : parts.columns)
      garray.push_back(static_cast<std::int32_t>(column));
  }
};

TEST(DistributedInterop, SharesTheArraysOfPetscsMatrices) {
  const Communicator world;
  for (const char* const spec : {"stencil5:9x8", "uniform:61x37:5", "arrow:50", "diagonal:3"}) {
    SCOPED_TRACE(spec);
    const HostCsr serial = whole(spec);
    const Partition rows = Partition::even(serial.rows(), world.size());
    const Partition x_rows = Partition::even(serial.cols(), world.size());
    MpiAij petsc(serial, rows, x_rows, world.rank());
    auto a = distributed::from_mpiaij(
        world, petsc.diagonal.arrays(x_rows.size(world.rank())),
        petsc.off_diagonal.arrays(static_cast<std::int64_t>(petsc.garray.size())),
        petsc.garray.data(), options());
    EXPECT_EQ(a.local().values.data(), petsc.diagonal.a.data());
    EXPECT_EQ(a.halo().matrix().values.data(), petsc.off_diagonal.a.data());
    expect_product<LayoutRight, LayoutRight>(a, serial, 3, 1.0, 0.0);
    expect_product<LayoutLeft, LayoutLeft>(a, serial, 2, -1.5, 0.5);
    // Values that change on PETSc's side are the matrix', without a call.
    for (double& value : petsc.diagonal.a) value *= 2;
    for (double& value : petsc.off_diagonal.a) value *= 2;
    expect_product<LayoutRight, LayoutRight>(a, twice(serial), 3, 1.0, 0.0);
    a.update(decltype(a)::ExecSpace(), doubled(serial, a.row_partition(), world.rank()));
    expect_product<LayoutRight, LayoutRight>(a, twice(serial), 3, 1.0, 0.0);
  }
}

/// The same arrays as a PETSc configured with 64-bit indices has them.
struct WideAij {
  std::vector<std::int64_t> i;
  std::vector<std::int64_t> j;
  std::vector<double>& a;
  explicit WideAij(MpiAij::Aij& narrow)
      : i(narrow.i.begin(), narrow.i.end()), j(narrow.j.begin(), narrow.j.end()), a(narrow.a) {}
  [[nodiscard]] distributed::AijArrays<double, std::int64_t> arrays(std::int64_t columns) const {
    return {
        static_cast<std::int64_t>(i.size()) - 1, columns, i.data(), j.data(), a.data(), i.back()};
  }
};

TEST(DistributedInterop, SharesTheValuesOfPetscsMatricesWith64BitIndices) {
  const Communicator world;
  const HostCsr serial = whole("uniform:61x37:5");
  const Partition rows = Partition::even(serial.rows(), world.size());
  const Partition x_rows = Partition::even(serial.cols(), world.size());
  MpiAij petsc(serial, rows, x_rows, world.rank());
  const WideAij diagonal(petsc.diagonal);
  const WideAij off_diagonal(petsc.off_diagonal);
  const std::vector<std::int64_t> garray(petsc.garray.begin(), petsc.garray.end());
  auto a = distributed::from_mpiaij(world, diagonal.arrays(x_rows.size(world.rank())),
                                    off_diagonal.arrays(static_cast<std::int64_t>(garray.size())),
                                    garray.data(), options());
  EXPECT_EQ(a.local().values.data(), petsc.diagonal.a.data());
  expect_product<LayoutRight, LayoutRight>(a, serial, 3, 1.0, 0.0);
  for (double& value : petsc.diagonal.a) value *= 2;
  for (double& value : petsc.off_diagonal.a) value *= 2;
  expect_product<LayoutRight, LayoutRight>(a, twice(serial), 3, 1.0, 0.0);
}

TEST(DistributedInterop, RefusesIndicesBeyond32Bits) {
  const std::int64_t many = std::int64_t{1} << 31;
  const distributed::AijArrays<double, std::int64_t> arrays{1, many, nullptr, nullptr, nullptr, 0};
  EXPECT_THROW(static_cast<void>(arrays.csr<HostExec>()), CapacityError);
}

TEST(DistributedInterop, RefusesPartsThatDoNotFit) {
  const Communicator world;
  const HostCsr serial = whole("stencil5:9x8");
  const Partition rows = Partition::even(serial.rows(), world.size());
  MpiAij petsc(serial, rows, rows, world.rank());
  const auto own = petsc.diagonal.arrays(rows.size(world.rank()));
  if (world.rank() == 0) {  // a column of its own among those of others
    petsc.garray.insert(petsc.garray.begin(), 0);
  }
  const auto others = petsc.off_diagonal.arrays(static_cast<std::int64_t>(petsc.garray.size()));
  EXPECT_THROW(distributed::from_mpiaij(world, own, others, petsc.garray.data(), options()),
               InputError);
  const Partition more = Partition::even(serial.rows(), world.size() + 3);
  const auto n = static_cast<std::int32_t>(more.size(world.rank()));
  const HostCsr::Offsets row_map("row_map", n + 1);
  const HostCsr fits(n, n, row_map, HostCsr::Ordinals(), HostCsr::Scalars());
  const HostCsr no_others(n, 0, row_map, HostCsr::Ordinals(), HostCsr::Scalars());
  EXPECT_THROW(distributed::from_parts(world, more, more, fits, no_others, {}), ShapeError);
}

/// What the adapter asks of a Tpetra::CrsMatrix.
struct LikeTpetra {
  struct Map {
    using local_ordinal_type = int;
    std::vector<long long> elements;
    std::size_t all;
    [[nodiscard]] std::size_t getLocalNumElements() const { return elements.size(); }
    [[nodiscard]] std::size_t getGlobalNumElements() const { return all; }
    [[nodiscard]] long long getGlobalElement(int n) const {
      return elements[static_cast<std::size_t>(n)];
    }
  };
  struct Local {
    HostCsr graph;
    HostCsr::Scalars values;
    [[nodiscard]] int numRows() const { return graph.rows(); }
  };
  using impl_scalar_type = double;
  std::shared_ptr<Map> rows;
  std::shared_ptr<Map> columns;
  HostCsr matrix;
  [[nodiscard]] auto getRowMap() const { return rows; }
  [[nodiscard]] auto getDomainMap() const { return rows; }
  [[nodiscard]] auto getColMap() const { return columns; }
  [[nodiscard]] Local getLocalMatrixHost() const { return {matrix, matrix.values}; }
};

/// Rows are dealt out like cards, and so are those of X; the columns are numbered as they come.
TEST(DistributedInterop, TakesTpetrasMatricesWithAnyMaps) {
  const Communicator world;
  const HostCsr serial = whole("uniform:61x61:5");
  LikeTpetra a{std::make_shared<LikeTpetra::Map>(), std::make_shared<LikeTpetra::Map>(), {}};
  a.rows->all = a.columns->all = 61;
  std::vector<std::int64_t> row_map{0};
  std::vector<int> entries;
  std::vector<double> values;
  std::vector<int> place(61, -1);
  for (int i = world.rank(); i < 61; i += world.size()) {
    a.rows->elements.push_back(i);
    for (std::int64_t n = serial.row_map(i); n < serial.row_map(i + 1); ++n) {
      int& of = place[static_cast<std::size_t>(serial.entries(n))];
      if (of < 0) {
        of = static_cast<int>(a.columns->elements.size());
        a.columns->elements.push_back(serial.entries(n));
      }
      entries.push_back(of);
      values.push_back(serial.values(n));
    }
    row_map.push_back(static_cast<std::int64_t>(entries.size()));
  }
  a.matrix = HostCsr(static_cast<int>(a.rows->elements.size()),
                     static_cast<int>(a.columns->elements.size()),
                     detail::to_device<HostExec>(row_map, "row_map"),
                     detail::to_device<HostExec>(entries, "entries"),
                     detail::to_device<HostExec>(values, "values"));
  const std::vector<std::int64_t> rows(a.rows->elements.begin(), a.rows->elements.end());
  expect_rows(distributed::from_tpetra(world, a, options()), serial, rows, rows);
}

}  // namespace
}  // namespace fatvec::test
