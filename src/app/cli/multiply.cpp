// SPDX-License-Identifier: Apache-2.0
#include "multiply.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <initializer_list>
#include <memory>

#include <fatvec/app/dispatch/ordered.hpp>
#include <fatvec/app/dispatch/symmetric.hpp>
#include <fatvec/core/output_file.hpp>
#include <fatvec/io/matrix_market.hpp>
#include <fatvec/statistics/traffic.hpp>

#include "operands.hpp"
#include "options.hpp"
#include "subcommand.hpp"

namespace fatvec::cli {
namespace {

constexpr std::int64_t most_repetitions = 1'000'000;  // each one's time is kept

/// The format that was asked for, else the kernel's, else the first.
std::string_view format_of(const MultiplyOptions& options) {
  for (const auto& [kernel, format, portable] : product::kernels()) {
    if (kernel != options.kernel) continue;
    if (options.format.empty() || options.format == format) return format;
    throw UsageError(
        fmt::format("kernel {} multiplies the format {}, not {}; leave out --format or --kernel.",
                    kernel, format, options.format));
  }
  return options.format.empty() ? product::formats().front() : std::string_view(options.format);
}

void require_consistent(const MultiplyOptions& options) {
  if (options.scalar == "float") {
    if (options.precision.is_single())
      throw UsageError("With --scalar float A's values are floats; leave out --matrix-precision.");
    for (const double factor : {options.alpha, options.beta})
      if (!std::isfinite(static_cast<float>(factor)))
        throw UsageError(
            fmt::format("{} is beyond what a float can be; --scalar float wants "
                        "--alpha and --beta that are.",
                        factor));
  }
  const bool in_double = options.scalar == "double" && !options.precision.is_single();
  if ((options.symmetric || options.reorder != "none") && !in_double)
    throw UsageError(
        "--reorder and --symmetric multiply in double; leave out --scalar and "
        "--matrix-precision.");
  if (options.distributed && !in_double)
    throw UsageError(
        "--distributed multiplies in double; leave out --scalar and --matrix-precision.");
  if (!options.y.empty() && options.beta == 0) {
    throw UsageError(
        "--y is given, but with --beta 0 the product does not read Y; give --beta as well.");
  }
  const std::array inputs = {options.matrix, options.x, options.y, options.expect};
  if (std::count(inputs.begin(), inputs.end(), "-") > 1)
    throw UsageError(
        "Only one operand can be read from the standard input; name files for the others.");
  for (const auto& input : inputs) {
    if (!options.output.empty() && !input.empty()) require_not_the_input(options.output, input);
  }
}

double median(std::vector<double> seconds) {
  std::sort(seconds.begin(), seconds.end());
  return (seconds[(seconds.size() - 1) / 2] + seconds[seconds.size() / 2]) / 2;
}

/// The elements as floats, where all is in float. Throws CapacityError for what none can be.
product::HostMultivector in_scalar(const product::Case& task, const char* option,
                                   const product::HostMultivector& v) {
  if (task.in_double()) return v;
  for (std::size_t i = 0; i < v.extent(0); ++i)
    for (std::size_t c = 0; c < v.extent(1); ++c) {
      const auto rounded = static_cast<float>(v(i, c));
      if (std::isfinite(v(i, c)) && !std::isfinite(rounded))
        throw CapacityError(
            fmt::format("{}: row {}, column {} has {}, beyond what a float can be; multiply in "
                        "double, or scale it.",
                        option, i + 1, c + 1, v(i, c)));
      v(i, c) = rounded;
    }
  return v;
}

/// Y's values before the product; poison where it must not read them.
product::HostMultivector initial_y(const MultiplyOptions& options, std::int64_t rows,
                                   std::int64_t k, Progress& progress) {
  if (options.beta == 0) return poison(rows, k);
  if (options.y.empty()) return random_multivector(Operand::y, options.seed, rows, k);
  return read_operand(options.y, "--y", rows, k, options.format_options.memory_limit, progress);
}

/// The product that was asked for, ready to run; says in the outcome which.
std::unique_ptr<product::Product> prepared(const MultiplyOptions& options,
                                           const product::Case& task, Outcome& outcome) {
  outcome.format = format_of(options);
  outcome.kernel =
      options.kernel.empty() ? product::default_kernel(outcome.format) : options.kernel;
  if (options.symmetric) {
    outcome.format = product::symmetric_format;
    outcome.kernel = product::symmetric_kernel;
    return product::prepare_symmetric(options.backend, task);
  }
  if (options.reorder == "none") return product::prepare(outcome.kernel, options.backend, task);
  auto ordered = product::prepare_ordered(options.backend, task,
                                          {.order = product::order_of(options.reorder)});
  outcome.kernel = product::ordered_kernel;
  outcome.format = format_of_kernel(outcome.kernel);
  outcome.reordered = ordered.reordered;
  outcome.order = ordered.reordered ? "reverse Cuthill-McKee, stored where it belongs in Y" : "A's";
  return std::move(ordered.product);
}

/// Multiplies, times, checks and writes. x: as read from --x, without columns where it is to be
/// random.
Outcome run(const MultiplyOptions& options, const product::Case& task, product::HostMultivector x,
            Progress& progress) {
  Outcome outcome;
  outcome.k = task.k;
  progress.step(fmt::format("converting to {}", format_of(options)));
  const auto product = prepared(options, task, outcome);
  outcome.matrix_bytes = product->matrix_bytes;
  outcome.stored_entries = product->stored_entries;
  outcome.setup_seconds = product->setup_seconds;

  if (options.x.empty())
    x = random_multivector(Operand::x, options.seed, task.matrix.cols(), task.k);
  x = in_scalar(task, "--x", x);
  const auto y0 = in_scalar(task, "--y", initial_y(options, task.matrix.rows(), task.k, progress));
  product::HostMultivector expected;
  if (!options.expect.empty())
    expected = read_operand(options.expect, "--expect", task.matrix.rows(), task.k,
                            options.format_options.memory_limit, progress);
  const auto y = poison(task.matrix.rows(), task.k);
  progress.step("multiplying");
  product->load(x, y0);
  outcome.first_seconds = product->run(options.alpha, options.beta);
  product->store(y);
  std::vector<double> seconds;
  seconds.reserve(static_cast<std::size_t>(options.repeat));
  for (std::int64_t n = 0; n < options.repeat; ++n) {
    seconds.push_back(product->run(options.alpha, options.beta));
    progress.share(static_cast<double>(n + 1) / static_cast<double>(options.repeat));
  }
  outcome.seconds = seconds.empty() ? outcome.first_seconds : median(seconds);
  const double work = flops({.nnz = task.matrix.nnz(), .k = task.k});
  outcome.gflops = outcome.seconds > 0 ? 1e-9 * work / outcome.seconds : 0;

  const Kokkos::DefaultHostExecutionSpace host;
  outcome.x = vector_statistics(host, x);
  outcome.y = vector_statistics(host, y);
  progress.step("comparing");
  if (options.verify)
    outcome.checks.push_back(check_by_oracle(task, options.alpha, x, options.beta, y0, y));
  if (!options.expect.empty())
    outcome.checks.push_back(check_by_file(options.expect, options.tolerance, expected, y));
  const std::string comment = fmt::format("{}\nproduct with {}", version(), options.matrix);
  progress.step("writing");
  if (!options.output.empty()) io::write_multivector(options.output, y, comment);
  return outcome;
}

/// Ranks that mpirun or srun started, and that do not know of one another, are told: the first one
/// by a note.
void tell_lone_ranks() {
  const auto number = [](std::initializer_list<const char*> names) {
    for (const char* const name : names)
      if (const char* const text = std::getenv(name); text != nullptr)
        return std::strtol(text, nullptr, 10);
    return 0L;
  };
  const long ranks = number({"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_STEP_NUM_TASKS"});
  if (ranks < 2 || number({"OMPI_COMM_WORLD_RANK", "PMI_RANK", "SLURM_PROCID"}) != 0) return;
  fmt::print(stderr,
             "fatvec: note: each of {} processes multiplies the whole matrix, for itself; "
             "--distributed spreads its rows over them\n",
             ranks);
}

int multiply(const MultiplyOptions& options) {
  require_consistent(options);
  require_ending(options.output, {".npy", ".mtx", ".mtx.gz"},
                 ".npy (NumPy), .mtx or .mtx.gz (Matrix Market)");
  if (options.distributed) return multiply_distributed(options);
  tell_lone_ranks();
  if (!options.output.empty()) detail::OutputFile::require_writable(options.output);
  format_of(options);  // a kernel of another format is refused before a large file is read
  const KokkosSession kokkos;
  constexpr std::size_t own_steps = 4;
  const auto files = static_cast<std::size_t>(!options.x.empty()) +
                     static_cast<std::size_t>(!options.y.empty()) +
                     static_cast<std::size_t>(!options.expect.empty());
  Progress progress(load_steps + files + own_steps);
  const MatrixSource matrix =
      load_matrix(options.matrix, options.format_options.memory_limit, progress);
  product::Case task{matrix.csr, options.k, layout_of(options.layout), options.format_options,
                     options.storage};
  product::HostMultivector x;
  if (!options.x.empty()) {
    x = read_operand(options.x, "--x", matrix.csr.cols(), std::nullopt,
                     options.format_options.memory_limit, progress);
    task.k = static_cast<std::int64_t>(x.extent(1));
  }
  require_operands_fit(task, options.verify, !options.expect.empty());
  const auto matrix_error = take_precision(options.precision, task);
  if (options.scalar == "float") task = product::in_float(std::move(task));
  Outcome outcome = run(options, task, x, progress);
  outcome.matrix_error = matrix_error;
  progress.clear();
  report(report_stream(options.output), options, matrix, outcome);

  int exit_code = success;
  for (const auto& check : outcome.checks) {
    if (check.passed) continue;
    fmt::print(stderr, "fatvec: {}\n", complaint(check, outcome.kernel));
    exit_code = verification_failed;
  }
  return exit_code;
}

void add_operands(CLI::App& command, MultiplyOptions& options) {
  auto* const x = command.add_option("--x", options.x,
                                     "X from a Matrix Market file or NumPy's .npy (- for the "
                                     "standard input: text); its columns are k (default: random)");
  auto* const k =
      command.add_option("-k,--k", options.k, "Columns of a random X")->capture_default_str();
  file_name(x)->excludes(whole(k, 1)->type_name("K"));
  file_name(command.add_option(
      "--y", options.y,
      "Y before the product, for --beta (- for the standard input; default: random)"));
  auto* const seed = command.add_option("--seed", options.seed,
                                        "Of random X and Y; the same on any number of threads");
  whole(seed->capture_default_str(), 0)->type_name("N");
  finite(command.add_option("--alpha", options.alpha, "Factor of A X")->capture_default_str())
      ->type_name("A");
  finite(command.add_option("--beta", options.beta, "Factor of Y; 0 overwrites Y")
             ->capture_default_str())
      ->type_name("B");
}

void add_choices(CLI::App& command, MultiplyOptions& options) {
  std::vector<std::string_view> kernels;
  for (const auto& info : product::kernels()) kernels.push_back(info.kernel);
  const auto format =
      fmt::format("Storage format of A (default: the kernel's, or {})", product::formats().front());
  auto* const format_option =
      one_of(command.add_option("-f,--format", options.format, format), product::formats());
  auto* const kernel_option = one_of(command.add_option("--kernel", options.kernel,
                                                        "Default: the format's first in 'fatvec "
                                                        "list'"),
                                     kernels);
  add_reorder_option(command, options.reorder,
                     "Order of the rows of a square A, as CSR; automatic: reverse Cuthill-McKee "
                     "where it pays within 1000 products")
      ->excludes(format_option)
      ->excludes(kernel_option);
  command
      .add_flag("--symmetric", options.symmetric,
                "Store one triangle of a symmetric A; on CPUs (refused where A is not symmetric)")
      ->excludes(format_option)
      ->excludes(kernel_option)
      ->excludes("--reorder");
  add_backend_and_layout(command, options.backend, options.layout);
  one_of(
      command.add_option("--scalar", options.scalar, "Of A, X, Y and sums")->capture_default_str(),
      {"double", "float"});
  add_matrix_precision(command, options.precision);
  add_format_options(command, options.format_options, options.storage);
}

void add_ranks(CLI::App& command, MultiplyOptions& options) {
  auto* const distributed = command.add_flag(
      "--distributed", options.distributed,
      "Spread the rows over MPI ranks: mpirun -n 4 fatvec multiply --distributed ...");
  one_of(command
             .add_option("--partition", options.partition,
                         "Whether ranks get equally many rows, or entries, or parts by METIS")
             ->capture_default_str(),
         {"even", "nonzeros", "metis"})
      ->needs(distributed);
  distributed->excludes("--reorder")->excludes("--symmetric");
}

void add_results(CLI::App& command, MultiplyOptions& options) {
  auto* const repeat = command.add_option("--repeat", options.repeat,
                                          "Runs to time after the first one; the median counts");
  whole(repeat->capture_default_str(), 0, most_repetitions)->type_name("N");
  auto* const output = command.add_option(
      "-o,--output", options.output, "Write Y, correct or not: .npy for NumPy, .mtx or .mtx.gz");
  file_to_write(output);
  auto* const expect = command.add_option(
      "--expect", options.expect, "Compare Y with a known product (- for the standard input)");
  auto* const tolerance = command.add_option("--tolerance", options.tolerance,
                                             "For --expect: |y - e| <= T max(1, |e|)");
  finite(tolerance->capture_default_str(), 0)->type_name("T")->needs(file_name(expect));
  command.add_flag("--verify", options.verify,
                   "Compare Y with a serial product in extended precision (takes its time)");
  command.add_flag("--json", options.json, "Print one JSON object");
}

}  // namespace

void add_multiply(CLI::App& app, Action& action) {
  auto* const command =
      app.add_subcommand("multiply", "Y = beta Y + alpha A X: the result, its time and its error");
  const auto options = std::make_shared<MultiplyOptions>();
  add_matrix(*command, options->matrix);
  add_operands(*command, *options);
  add_choices(*command, *options);
  add_ranks(*command, *options);
  add_results(*command, *options);
  command->callback([&action, options] { action = [options] { return multiply(*options); }; });
}

}  // namespace fatvec::cli
