// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <cstdlib>

#include <fatvec/distributed/generate.hpp>

#include "common.hpp"

namespace examples {
namespace {

using namespace fatvec::distributed;

}  // namespace

Matrix generated(const std::string& spec) {
  return fatvec::distributed::generate(Communicator(), fatvec::generate::parse_spec(spec));
}

Rows generated_rows(const std::string& spec) {
  const Communicator world;
  Rows result;
  const auto mine =
      fatvec::generate::generate_rows(fatvec::generate::parse_spec(spec), [&](std::int64_t all) {
        const Partition even = Partition::even(all, world.size());
        result.all = all;
        result.first = even.begin(world.rank());
        return fatvec::generate::RowRange{even.begin(world.rank()), even.end(world.rank())};
      });
  require_near_entries(spec, mine.nnz());
  const Kokkos::View<std::int32_t*, Kokkos::HostSpace> row_map("row_map", mine.row_map.extent(0));
  for (std::size_t i = 0; i < row_map.extent(0); ++i)
    row_map(i) = static_cast<std::int32_t>(mine.row_map(i));
  result.matrix = fatvec::mirror<Exec>(
      fatvec::CsrMatrix<double, std::int32_t, Kokkos::DefaultHostExecutionSpace>(
          mine.rows(), mine.cols(), row_map, mine.entries, mine.values));
  return result;
}

Prepared with_values(const Exec& exec, const Rows& rows, const LocalRows::Scalars& values) {
  const Communicator world;
  exec.fence();  // the values are there
  const auto host = fatvec::mirror<Kokkos::DefaultHostExecutionSpace>(rows.matrix);
  const GlobalCsr<double>::Offsets row_map("row_map", host.row_map.extent(0));
  const GlobalCsr<double>::Ordinals columns("columns", host.entries.extent(0));
  const GlobalCsr<double>::Scalars host_values("values", values.extent(0));
  Kokkos::deep_copy(row_map, host.row_map);
  Kokkos::deep_copy(columns, host.entries);
  Kokkos::deep_copy(host_values, values);
  return from_rows(world, Partition::even(rows.all, world.size()),
                   GlobalCsr<double>(host.rows(), host.cols(), row_map, columns, host_values));
}

std::int64_t entries(const Matrix& a) {
  std::int64_t count = a.local().nnz() + a.halo().matrix().nnz();
  MPI_Allreduce(MPI_IN_PLACE, &count, 1, MPI_INT64_T, MPI_SUM, a.communicator().get());
  return count;
}

Environment::Environment(int& argc, char**& argv) {
  int level = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank > 0 && std::freopen("/dev/null", "w", stdout) == nullptr) std::perror("stdout");
}

void Environment::fail(int status) {
  std::fflush(nullptr);
  MPI_Abort(MPI_COMM_WORLD, status);
  std::abort();  // MPI_Abort does not return
}

Environment::~Environment() {
  MPI_Finalize();
}

}  // namespace examples
