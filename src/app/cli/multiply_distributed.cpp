// SPDX-License-Identifier: Apache-2.0
// Compiled where CMake finds MPI.
#include <algorithm>
#include <utility>

#include <fatvec/app/ranks/product.hpp>
#include <fatvec/distributed/statistics.hpp>
#include <fatvec/statistics/traffic.hpp>

#include "multiply.hpp"
#include "subcommand.hpp"

namespace fatvec::cli {
namespace {

using ranks::Communicator, ranks::Product, ranks::Range, ranks::range_of;

/// What of the other options makes no sense, or is not done, where Y lies on several ranks.
void require_applicable(const MultiplyOptions& options) {
  const auto refuse = [](bool given, const char* option, const char* why) {
    if (given) throw UsageError(fmt::format("{} is not for --distributed: {}.", option, why));
  };
  refuse(options.matrix == "-", "The standard input",
         "each rank reads a range of the file's bytes; name a file");
  refuse(!options.x.empty(), "--x", "X is random, a function of --seed");
  refuse(!options.y.empty(), "--y", "Y is random, a function of --seed");
  refuse(!options.output.empty(), "--output",
         "no rank has all of Y. A program that wants Y calls the library (docs/distributed.md)");
  refuse(!options.expect.empty(), "--expect",
         "no rank has all of Y; --verify looks at each rank's");
  refuse(options.precision.error.has_value(), "--matrix-error", "it multiplies in double");
  refuse(!options.kernel.empty(), "--kernel", "each rank takes its format's own; give --format");
  refuse(options.storage.has_value(), "--storage", "each rank takes its format's own");
  refuse(options.backend != product::default_backend(), "--backend",
         "ranks multiply on this build's first backend");
}

/// What is told of the product on all ranks.
struct Result {
  std::string source;
  std::int64_t rows = 0;
  std::int64_t cols = 0;
  std::int64_t duplicates = 0;
  std::string format;
  std::string exchange;
  int ranks = 1;
  int ranks_per_gpu = 1;
  Range local_rows, nnz, sent, received, neighbours, memory;
  double setup_seconds = 0;
  ranks::Time first, time;
  double gflops = 0;
  std::vector<VectorStatistics<double>> x, y;  ///< of each column, Y after the first run
  std::optional<Check> check{};
};

/// The median, with the rank that was the slowest in it.
ranks::Time median_of(std::vector<ranks::Time> times) {
  const auto middle = times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2);
  std::nth_element(times.begin(), middle, times.end(),
                   [](const auto& a, const auto& b) { return a.seconds < b.seconds; });
  return *middle;
}

ranks::Rows load(const Communicator& world, const MultiplyOptions& options) {
  const auto spread = ranks::spread_of(options.partition);
  const auto limit = options.format_options.memory_limit;
  if (!generate::is_spec(options.matrix))
    return ranks::read_rows(world, options.matrix, spread, limit);
  const auto spec = world.agree([&] { return generate::parse_spec(options.matrix); });
  return ranks::generate_rows(world, spec, spread, limit);
}

void fill_shares(const Communicator& world, const Product& product, Result& result) {
  const ranks::Share share = product.share();
  result.local_rows = range_of(world, share.rows);
  result.nnz = range_of(world, share.nnz);
  result.sent = range_of(world, share.sent_rows);
  result.received = range_of(world, share.received_rows);
  result.neighbours = range_of(world, share.neighbours);
  result.memory = range_of(world, share.memory_bytes);
}

Result run(const Communicator& world, const MultiplyOptions& options) {
  Result result;
  ranks::Rows rows = load(world, options);
  std::vector<ranks::Time> times;
  world.agree([&] {
    result.source = generate::is_spec(options.matrix) ? "generated" : "file";
    result.format = options.format.empty() ? product::formats().front() : options.format;
    times.reserve(static_cast<std::size_t>(options.repeat));
  });
  result.duplicates = rows.duplicates;
  result.ranks = world.size();
  result.ranks_per_gpu = ranks::ranks_per_gpu(world);
  Product product(world, std::move(rows), result.format, options.format_options, true);
  product.load({.k = options.k,
                .layout = layout_of(options.layout),
                .seed = options.seed,
                .alpha = options.alpha,
                .beta = options.beta,
                .verify = options.verify});
  result.rows = product.rows();
  result.cols = product.cols();
  world.agree([&] { result.exchange = product.exchange(); });
  result.setup_seconds = product.setup_seconds();
  fill_shares(world, product, result);

  result.first = product.run(ranks::Part::whole);
  const auto exec = world.agree([] { return ranks::Exec(); });
  result.x = distributed::vector_statistics(world, exec, product.x());
  result.y = distributed::vector_statistics(world, exec, product.y());
  if (options.verify) result.check = Check{product.verify(), "verified", "the oracle"};
  for (std::int64_t n = 0; n < options.repeat; ++n)
    times.push_back(product.run(ranks::Part::whole));
  result.time = times.empty() ? result.first : median_of(times);
  const double work = flops({.nnz = result.nnz.sum, .k = options.k});
  result.gflops = result.time.seconds > 0 ? 1e-9 * work / result.time.seconds : 0;
  return result;
}

Json range_json(const Range& range) {
  return {{"min", range.least}, {"max", range.most}};
}

std::int64_t exchanged_bytes(const MultiplyOptions& options, const Range& received) {
  return received.sum * options.k * static_cast<std::int64_t>(sizeof(double));
}

Json json_of(const MultiplyOptions& options, const Result& result) {
  Json object = {{"matrix",
                  {{"name", options.matrix},
                   {"source", result.source},
                   {"rows", result.rows},
                   {"cols", result.cols},
                   {"nnz", result.nnz.sum},
                   {"duplicates_merged", result.duplicates}}},
                 {"ranks", result.ranks},
                 {"ranks_per_gpu", result.ranks_per_gpu},
                 {"exchange", result.exchange},
                 {"partition", options.partition},
                 {"k", options.k},
                 {"layout", options.layout},
                 {"format", result.format},
                 {"backend", options.backend},
                 {"alpha", options.alpha},
                 {"beta", options.beta},
                 {"seed", options.seed},
                 {"per_rank",
                  {{"rows", range_json(result.local_rows)},
                   {"nnz", range_json(result.nnz)},
                   {"sent_rows", range_json(result.sent)},
                   {"received_rows", range_json(result.received)},
                   {"neighbours", range_json(result.neighbours)},
                   {"memory_bytes", range_json(result.memory)}}},
                 {"exchanged_bytes", exchanged_bytes(options, result.received)},
                 {"setup_seconds", result.setup_seconds},
                 {"first_run_seconds", result.first.seconds},
                 {"repetitions", options.repeat},
                 {"seconds", result.time.seconds},
                 {"slowest_rank", result.time.slowest},
                 {"gflops", result.gflops},
                 {"x", norms_json(result.x)},
                 {"y", norms_json(result.y)}};
  if (result.check) object[result.check->name] = to_json(*result.check);
  return object;
}

void print(const MultiplyOptions& options, const Result& result) {
  const auto range = [](const char* label, const Range& of, const char* what) {
    write_line(stdout, label, "{} to {} {} a rank", of.least, of.most, what);
  };
  write_line(stdout, "matrix", "{}, {} x {}, {} entries", options.matrix, result.rows, result.cols,
             result.nnz.sum);
  write_line(stdout, "product", "Y = {} Y + {} A X, k = {}, {} layout", options.beta, options.alpha,
             options.k, options.layout);
  write_line(stdout, "ranks", "{} on {}, {} threads each, rows spread {}", result.ranks,
             options.backend, Kokkos::DefaultHostExecutionSpace().concurrency(),
             options.partition == "even"    ? "evenly"
             : options.partition == "metis" ? "by METIS"
                                            : "by nonzeros");
  write_line(stdout, "format", "{}", result.format);
  range("rows", result.local_rows, "rows");
  range("entries", result.nnz, "entries");
  write_line(stdout, "exchange", "{}; {} a product: {} to {} rows of X from at most {} ranks",
             result.exchange,
             human_bytes(static_cast<double>(exchanged_bytes(options, result.received))),
             result.received.least, result.received.most, result.neighbours.most);
  write_line(stdout, "memory", "{} to {} a rank: matrix, X, Y and buffers",
             human_bytes(static_cast<double>(result.memory.least)),
             human_bytes(static_cast<double>(result.memory.most)));
  write_line(stdout, "set-up", "{:.6f} s", result.setup_seconds);
  write_line(stdout, "first run", "{:.6f} s", result.first.seconds);
  if (options.repeat > 0)
    write_line(stdout, "time", "{:.6f} s on the slowest rank ({}), median of {} further runs",
               result.time.seconds, result.time.slowest, options.repeat);
  write_line(stdout, "rate", "{:.3f} GFLOPS", result.gflops);
  write_line(stdout, "X", "{}", norms_text(result.x));
  write_line(stdout, "Y", "{}", norms_text(result.y));
  if (result.check) write_line(stdout, result.check->name, "{}", summary(*result.check));
}

void print_notes(const MultiplyOptions& options, const Result& result) {
  note_duplicates(options.matrix, result.duplicates);
  if (result.ranks_per_gpu > 1)
    fmt::print(
        stderr,
        "fatvec: note: {} ranks share a GPU, and exchange through MPI; start as many ranks as "
        "there are GPUs.\n",
        result.ranks_per_gpu);
}

}  // namespace

int multiply_distributed(const MultiplyOptions& options) {
  require_applicable(options);
  const KokkosSession kokkos;  // takes the GPU of the local rank
  const Communicator world;
  const Result result = run(world, options);
  const bool passed = !result.check || result.check->passed;
  if (world.rank() > 0) return passed ? success : verification_failed;
  print_notes(options, result);
  if (options.json)
    write_json(stdout, json_of(options, result));
  else
    print(options, result);
  if (passed) return success;
  fmt::print(stderr, "fatvec: {}\n", complaint(*result.check, result.format));
  return verification_failed;
}

}  // namespace fatvec::cli
