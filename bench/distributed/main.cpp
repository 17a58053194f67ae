// SPDX-License-Identifier: Apache-2.0
// fatvec-bench-mpi: what more ranks bring. One run measures one rank alone and all ranks, weak (the
// grid grows with the ranks) or strong (it stays), and verifies each product.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include <fatvec/app/verify/oracle.hpp>
#include <fatvec/distributed/generate.hpp>

namespace {

using namespace fatvec;
using distributed::Communicator;
using distributed::Partition;
using Exec = Kokkos::DefaultExecutionSpace;
using Vectors = Kokkos::View<double**, Kokkos::LayoutRight, Exec>;

struct Arguments {
  std::string suite = "weak";
  std::string matrix = "gen:stencil27:64x64x64";
  std::vector<std::int64_t> columns = {1, 8, 32};
  int repetitions = 21;
  int batch = 10;
  bool use_nccl = true;
};

double x_value(std::int64_t row, std::int64_t column) {
  return 0.25 + 0.5 * static_cast<double>((row * 7 + column * 13) % 11);
}

/// All of X, for the verification of any rows.
struct GeneratedX {
  std::int64_t columns;
  [[nodiscard]] std::int64_t extent(int) const { return columns; }
  double operator()(std::int64_t row, std::int64_t column) const { return x_value(row, column); }
};

template <class Matrix>
Vectors x_of(const Matrix& a, std::int64_t k) {
  Vectors x("X", a.local_cols(), k);
  const auto host = Kokkos::create_mirror_view(x);
  const std::int64_t first = a.column_partition().begin(a.communicator().rank());
  for (std::int64_t i = 0; i < a.local_cols(); ++i)
    for (std::int64_t c = 0; c < k; ++c) host(i, c) = x_value(first + i, c);
  Kokkos::deep_copy(x, host);
  return x;
}

/// Whether Y is A · X within what rounding allows, on all ranks.
template <class Matrix>
bool verified(const Matrix& a, const generate::Spec& spec, const Vectors& y, std::int64_t k) {
  const int rank = a.communicator().rank();
  const auto rows = generate::generate_rows(spec, [&](std::int64_t) {
    return generate::RowRange{a.row_partition().begin(rank), a.row_partition().end(rank)};
  });
  const auto got = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), y);
  const auto reference = verify::reference_product(1.0, rows, GeneratedX{k}, 0.0, got);
  int right = verify::compare(reference, got).passed ? 1 : 0;
  MPI_Allreduce(MPI_IN_PLACE, &right, 1, MPI_INT, MPI_MIN, a.communicator().get());
  return right == 1;
}

/// Seconds of one product: the median over repetitions of the slowest rank's mean over a batch.
double seconds_of(const Communicator& communicator, const Arguments& arguments,
                  const std::function<void(const Exec&)>& product) {
  const Exec exec;
  std::vector<double> seconds;
  for (int repetition = -2; repetition < arguments.repetitions; ++repetition) {
    exec.fence();
    MPI_Barrier(communicator.get());
    const auto begin = std::chrono::steady_clock::now();
    for (int n = 0; n < arguments.batch; ++n) product(exec);
    exec.fence();
    const std::chrono::duration<double> mine = std::chrono::steady_clock::now() - begin;
    double slowest = mine.count() / arguments.batch;
    MPI_Allreduce(MPI_IN_PLACE, &slowest, 1, MPI_DOUBLE, MPI_MAX, communicator.get());
    if (repetition >= 0) seconds.push_back(slowest);  // the first two are to warm up
  }
  std::nth_element(seconds.begin(), seconds.begin() + seconds.size() / 2, seconds.end());
  return seconds[seconds.size() / 2];
}

/// The grid of `ranks` ranks: weak suites have as many times the last extent.
generate::Spec spec_for(const Arguments& arguments, int ranks) {
  generate::Spec spec = generate::parse_spec(arguments.matrix);
  if (arguments.suite == "strong") return spec;
  if (!spec.kind.starts_with("stencil") || spec.sizes.size() < 2)
    throw UsageError(
        "--suite weak wants a stencil with all extents, such as "
        "gen:stencil27:64x64x64, not " +
        spec.text + ".");
  spec.sizes.back() *= ranks;
  return spec;
}

/// Seconds for each number of columns; a wrong product gives a negative number.
std::vector<double> measure(const Communicator& communicator, const Arguments& arguments) {
  const generate::Spec spec = spec_for(arguments, communicator.size());
  const auto a = distributed::generate(communicator, spec, {.use_nccl = arguments.use_nccl});
  std::int64_t received = a.volume().received_rows;
  MPI_Allreduce(MPI_IN_PLACE, &received, 1, MPI_INT64_T, MPI_SUM, communicator.get());
  std::vector<double> all_seconds;
  for (const std::int64_t k : arguments.columns) {
    const Vectors x = x_of(a, k);
    const Vectors y("Y", a.local_rows(), k);
    Kokkos::deep_copy(y, std::numeric_limits<double>::quiet_NaN());
    const double seconds = seconds_of(communicator, arguments,
                                      [&](const Exec& exec) { spmm(exec, 1.0, a, x, 0.0, y); });
    const bool right = verified(a, spec, y, k);
    const double local = seconds_of(
        communicator, arguments, [&](const Exec& exec) { spmm(exec, 1.0, a.local(), x, 0.0, y); });
    if (communicator.rank() == 0)
      std::printf("%s,%lld,%d,%s,%lld,%.6g,%.6g,%lld,%s\n", arguments.suite.c_str(),
                  static_cast<long long>(a.rows()), communicator.size(),
                  std::string(a.exchange()).c_str(), static_cast<long long>(k), seconds, local,
                  static_cast<long long>(received * k * 8), right ? "right" : "WRONG");
    all_seconds.push_back(right ? seconds : -1);
  }
  return all_seconds;
}

int run(const Arguments& arguments) {
  const Communicator world;
  if (world.rank() == 0)
    std::printf("suite,rows,ranks,exchange,k,seconds,seconds_of_local_part,bytes,verified\n");
  MPI_Comm alone = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, world.rank() == 0 ? 0 : 1, 0, &alone);
  std::vector<double> of_one;
  if (world.rank() == 0) world.or_abort([&] { of_one = measure(Communicator(alone), arguments); });
  MPI_Barrier(world.get());
  MPI_Comm_free(&alone);
  std::vector<double> of_all;
  world.or_abort([&] { of_all = measure(world, arguments); });
  int wrong = 0;
  for (std::size_t n = 0; n < of_one.size(); ++n) {
    const bool weak = arguments.suite == "weak";
    std::printf("# k = %lld: %s %.3f on %d ranks\n", static_cast<long long>(arguments.columns[n]),
                weak ? "efficiency" : "speed-up", of_one[n] / of_all[n], world.size());
    wrong += of_one[n] < 0 || of_all[n] < 0 ? 1 : 0;
  }
  MPI_Bcast(&wrong, 1, MPI_INT, 0, world.get());
  return wrong == 0 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  Arguments arguments;
  CLI::App app{
      "The product of a generated matrix on all ranks against one: mpirun -n 2 fatvec-bench-mpi"};
  app.add_option("--suite", arguments.suite, "weak: the last extent grows with the ranks; strong")
      ->check(CLI::IsMember({"weak", "strong"}));
  app.add_option("--matrix", arguments.matrix, "what one rank has (weak), or all (strong)");
  app.add_option("--k", arguments.columns, "columns of X")->check(CLI::Range(1, 4096));
  app.add_option("--repetitions", arguments.repetitions)->check(CLI::Range(1, 10000));
  app.add_option("--batch", arguments.batch, "products between two waits")
      ->check(CLI::Range(1, 10000));
  app.add_flag("!--no-nccl", arguments.use_nccl, "exchange through MPI between GPUs, too");
  int level = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
  int result = 2;
  try {
    app.parse(argc, argv);
    const Kokkos::ScopeGuard kokkos(argc, argv);
    result = run(arguments);
  } catch (const CLI::ParseError& error) {
    result = app.exit(error) == 0 ? 0 : 2;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "fatvec-bench-mpi: %s\n", error.what());
  }
  MPI_Finalize();
  return result;
}
