// SPDX-License-Identifier: Apache-2.0
#include "harness/cases.hpp"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <regex>
#include <set>

#include <fatvec/core/error.hpp>
#include <fatvec/generate/generate.hpp>
#include <fatvec/io/matrix_market.hpp>

#include "harness/mixed_product.hpp"
#include "harness/reduction.hpp"

namespace fatvec::bench {
namespace {

using Names = std::vector<std::string>;

bool selected(const Names& wanted, const std::string& name) {
  return wanted.empty() || std::find(wanted.begin(), wanted.end(), name) != wanted.end();
}

void require_known(const char* what, const Names& wanted, const std::set<std::string>& known) {
  for (const auto& name : wanted) {
    if (known.contains(name)) continue;
    std::string list;
    for (const auto& other : known) list += (list.empty() ? "" : ", ") + other;
    throw UsageError(
        detail::concat("unknown ", what, " '", name, "'; this build has: ", list, "."));
  }
}

/// The name is to stand in JSON, in tables and in pictures.
void require_printable(const std::string& name) {
  // Control characters are shown as JSON has them, bytes that are not UTF-8 as U+FFFD.
  const std::string shown =
      nlohmann::json(name).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  const auto refuse = [&](const char* why) {
    throw UsageError(detail::concat("the matrix's file name ", shown, " ", why, "; rename it."));
  };
  const auto is_control = [](unsigned char c) { return c < 0x20 || c == 0x7f; };
  if (std::any_of(name.begin(), name.end(), is_control))
    refuse("has a control character, which no row's name may have");
  if (nlohmann::json::parse(shown) != name) refuse("is not UTF-8, as a row's name must be");
}

/// Whether the file can be read only once.
bool is_pipe(const std::filesystem::path& path) {
  std::error_code none;
  const auto status = std::filesystem::status(path, none);
  return std::filesystem::is_fifo(status) || std::filesystem::is_socket(status) ||
         std::filesystem::is_character_file(status);
}

/// Checks what can be checked without loading: a mistyped name should not surface after a minute of
/// benchmarks.
MatrixSource source_of(const std::string& given) {
  if (generate::is_spec(given)) return {given, generate::parse_spec(given).text};
  const std::string text = given == "-" ? "/dev/stdin" : given;
  std::filesystem::path path(text);
  if (!is_pipe(path)) io::read_header(text);
  if (path.extension() == ".gz") path.replace_extension();
  const std::string name = path.stem().string();
  require_printable(name);
  return {text, name};
}

std::vector<MatrixSource> select_matrices(const Suite& suite, const Options& options) {
  std::vector<MatrixSource> matrices;
  for (const auto& text : options.matrices) matrices.push_back(source_of(text));
  if (matrices.empty()) {
    for (const auto& matrix : suite.matrices)
      matrices.push_back(source_of(source_text(matrix, options.dry_run)));
  }
  std::set<std::string> names;
  for (const auto& matrix : matrices) {
    if (!names.insert(matrix.name).second)
      throw UsageError(
          detail::concat("two matrices are named '", matrix.name, "'; rename one of the files."));
  }
  return matrices;
}

std::vector<Sweep> select_sweeps(const Suite& suite, const Options& options) {
  require_known("layout", options.layouts, {"row", "column"});
  std::vector<Sweep> sweeps;
  for (const auto layout : {product::Layout::row, product::Layout::column}) {
    const auto of_suite = std::find_if(suite.sweeps.begin(), suite.sweeps.end(),
                                       [&](auto& sweep) { return sweep.layout == layout; });
    const bool asked =
        !options.layouts.empty() && selected(options.layouts, std::string(to_string(layout)));
    if (!asked && (!options.layouts.empty() || of_suite == suite.sweeps.end())) continue;
    Sweep sweep =
        of_suite == suite.sweeps.end() ? Sweep{layout, suite.sweeps.front().columns} : *of_suite;
    if (!options.columns.empty()) sweep.columns = options.columns;
    sweeps.push_back(sweep);
  }
  return sweeps;
}

/// Every setting that some build can sweep. One that this build has no variant of is none of the
/// user's mistakes: the same command is to run on a CPU and on a GPU.
std::set<std::string> known_sweeps(const std::set<std::string>& of_this_build) {
  std::set<std::string> known = {"all",        "block",       "block_size", "chunk",   "hack_size",
                                 "slice_size", "sort_window", "symmetric",  "textbook"};
  known.insert(of_this_build.begin(), of_this_build.end());
  return known;
}

void note_empty_sweeps(const Names& wanted, const std::set<std::string>& of_this_build) {
  for (const auto& name : wanted)
    if (name != "all" && of_this_build.count(name) == 0)
      std::fprintf(stderr, "fatvec-bench: note: this build has no variants for the sweep '%s'\n",
                   name.c_str());
}

std::vector<const Contender*> select_contenders(const Registry& registry, const Options& options) {
  std::set<std::string> names, backends, formats, kernels, sweeps;
  for (const auto& contender : registry.contenders()) {
    names.insert(contender.name);
    backends.insert(contender.backend);
    formats.insert(contender.format);
    if (!contender.sweep.empty()) sweeps.insert(contender.sweep);
    if (const auto kernel = contender.parameter("kernel"); !kernel.empty()) kernels.insert(kernel);
  }
  require_known("contender", options.contenders, names);
  require_known("backend", options.backends, backends);
  require_known("format", options.formats, formats);
  require_known("kernel", options.kernels, kernels);
  require_known("sweep", options.sweeps, known_sweeps(sweeps));
  note_empty_sweeps(options.sweeps, sweeps);
  const bool every_sweep = !options.sweeps.empty() && selected(options.sweeps, "all");

  std::vector<const Contender*> chosen;
  for (const auto& contender : registry.contenders()) {
    if (contender.on_request && options.backends.empty()) continue;
    if (options.precision() == Precision::single_values && !contender.single_precision) continue;
    if (!contender.sweep.empty() && !every_sweep &&
        (options.sweeps.empty() || !selected(options.sweeps, contender.sweep)))
      continue;
    const auto kernel = contender.parameter("kernel");
    if (selected(options.contenders, contender.name) &&
        selected(options.backends, contender.backend) &&
        selected(options.formats, contender.format) &&
        (kernel.empty() || selected(options.kernels, kernel)))
      chosen.push_back(&contender);
  }
  return chosen;
}

bool is_of_ints(const VectorContender& contender) {
  return std::ranges::find(contender.parameters, of_ints()) != contender.parameters.end();
}

std::vector<const VectorContender*> select_vector_contenders(const Registry& registry,
                                                             const Options& options) {
  std::set<std::string> names, backends;
  std::vector<const VectorContender*> chosen;
  for (const auto& contender : registry.vector_contenders()) {
    if (is_of_ints(contender) != options.in_int()) continue;
    names.insert(contender.name);
    backends.insert(contender.backend);
    if (contender.on_request && options.backends.empty()) continue;
    if (selected(options.contenders, contender.name) &&
        selected(options.backends, contender.backend))
      chosen.push_back(&contender);
  }
  require_known("contender", options.contenders, names);
  require_known("backend", options.backends, backends);
  return chosen;
}

/// The cases. Throws UsageError where there is none.
template <class Case>
std::vector<Case> at_least_one(std::vector<Case> cases) {
  if (cases.empty())
    throw UsageError("the selection leaves no case; --benchmark_list_tests shows their names.");
  return cases;
}

/// Rows of vectors (k = 1) or multivectors.
std::vector<std::int64_t> lengths_of(const Suite& suite, const Options& options, std::int64_t k) {
  if (!options.lengths.empty()) return options.lengths;
  if (options.dry_run) return {1, 33, 4099};
  if (k == 1) return suite.lengths;
  return {suite.multivector_elements / k};
}

/// Google Benchmark's --benchmark_filter, applied here: cases that it drops must not be measured
/// with their group.
class NameFilter {
 public:
  explicit NameFilter(const std::string& text) : negative_(!text.empty() && text[0] == '-') {
    if (text.empty() || text == "all") return;
    try {
      pattern_ =
          std::regex(text.substr(negative_ ? 1 : 0), std::regex::extended | std::regex::nosubs);
    } catch (const std::regex_error& error) {
      throw UsageError(detail::concat("--benchmark_filter: '", text,
                                      "' is no regular expression: ", error.what(), "."));
    }
  }
  [[nodiscard]] bool matches(const std::string& name) const {
    return !pattern_ || std::regex_search(name, *pattern_) != negative_;
  }

 private:
  bool negative_;
  std::optional<std::regex> pattern_;
};

}  // namespace

std::string BenchCase::name() const {
  const char* const told = precision == Precision::in_float        ? "/scalar:float/"
                           : precision == Precision::single_values ? "/precision:single/"
                                                                   : "/";
  return detail::concat("matrix:", matrix.name, told, contender->label(),
                        "/layout:", to_string(layout), "/k:", k);
}

std::vector<BenchCase> select_cases(const Registry& registry, const Suite& suite,
                                    const Options& options) {
  if (!options.lengths.empty() || options.partition != "even" || !options.use_nccl)
    throw UsageError(detail::concat(
        "the suite ", suite.name,
        " has no vectors and no ranks: --length, --partition and --no-nccl are not for it."));
  const auto contenders = select_contenders(registry, options);
  if (contenders.empty()) {
    throw UsageError(
        "the selection leaves no contender; --list shows which backend, format and kernel each one "
        "has.");
  }
  const auto sweeps = select_sweeps(suite, options);
  std::int64_t largest_k = 1;
  for (const auto& sweep : sweeps)
    largest_k = std::max(largest_k, *std::max_element(sweep.columns.begin(), sweep.columns.end()));

  const NameFilter filter(options.benchmark_flag("benchmark_filter"));
  std::vector<BenchCase> cases;
  for (const auto& matrix : select_matrices(suite, options))
    for (const auto& sweep : sweeps)
      for (const auto k : sweep.columns)
        for (const auto* const contender : contenders) {
          if (sweep.layout == product::Layout::column && has_column_major_y(*contender)) continue;
          const BenchCase bench_case{contender, matrix,    sweep.layout,
                                     k,         largest_k, options.precision()};
          if (filter.matches(bench_case.name())) cases.push_back(bench_case);
        }
  return at_least_one(std::move(cases));
}

namespace {

/// What --suite weak can make larger.
void require_grid(const MatrixSource& matrix) {
  if (generate::is_spec(matrix.text)) {
    const auto spec = generate::parse_spec(matrix.text);
    if (spec.kind.starts_with("stencil") && spec.sizes.size() > 1) return;
  }
  throw UsageError(detail::concat("--suite weak wants a grid with all its extents, of which the ",
                                  "last one grows, such as gen:stencil27:64x64x64, not ",
                                  matrix.text, "."));
}

}  // namespace

std::string RankCase::name() const {
  return detail::concat("matrix:", matrix.name, "/ranks:", ranks,
                        "/contender:fatvec/format:", format, "/exchange:", exchange,
                        "/partition:", partition, "/layout:", to_string(layout), "/k:", k);
}

std::vector<RankCase> select_rank_cases(const Suite& suite, const Options& options, int ranks,
                                        const std::string& exchange) {
  if (!options.contenders.empty() || !options.backends.empty() || !options.kernels.empty() ||
      !options.sweeps.empty() || !options.lengths.empty())
    throw UsageError(detail::concat("the suite ", suite.name,
                                    " has no contenders, backends, kernels, sweeps and lengths to ",
                                    "select."));
  const auto formats = product::formats();
  require_known("format", options.formats, {formats.begin(), formats.end()});
  const Names chosen = options.formats.empty() ? Names{"csr"} : options.formats;
  const NameFilter filter(options.benchmark_flag("benchmark_filter"));
  std::vector<RankCase> cases;
  const auto matrices = select_matrices(suite, options);
  if (suite.scaling == Scaling::weak) std::for_each(matrices.begin(), matrices.end(), require_grid);
  for (const auto& matrix : matrices)
    for (const auto& format : chosen)
      for (const auto& sweep : select_sweeps(suite, options))
        for (const auto k : sweep.columns)
          for (int n = 1;; n = std::min(2 * n, ranks)) {
            const RankCase rank_case{matrix,       n, format, exchange, options.partition,
                                     sweep.layout, k};
            if (filter.matches(rank_case.name())) cases.push_back(rank_case);
            if (n == ranks) break;
          }
  return at_least_one(std::move(cases));
}

std::string VectorCase::name() const {
  return detail::concat("vector:", n, "/operation:", to_string(contender->operation), "/",
                        contender->label(), "/layout:", to_string(layout), "/k:", k);
}

std::vector<VectorCase> select_vector_cases(const Registry& registry, const Suite& suite,
                                            const Options& options) {
  if (!options.matrices.empty() || !options.formats.empty() || !options.kernels.empty() ||
      !options.sweeps.empty())
    throw UsageError(detail::concat("the suite ", suite.name,
                                    " has no matrices, formats, kernels and sweeps to select."));
  if (options.alpha != 1 || options.beta != 0 || options.partition != "even" || !options.use_nccl)
    throw UsageError(detail::concat("the suite ", suite.name,
                                    " has no products and no ranks: --alpha, ",
                                    "--beta, --partition and --no-nccl are not for it."));
  const auto chosen = select_vector_contenders(registry, options);
  const NameFilter filter(options.benchmark_flag("benchmark_filter"));
  std::vector<VectorCase> cases;
  for (const auto& sweep : select_sweeps(suite, options))
    for (const auto k : sweep.columns)
      for (const auto n : lengths_of(suite, options, k))
        for (const auto operation : operations) {
          if (k > 1 && operation != Operation::statistics && operation != Operation::dot) continue;
          for (const auto* const contender : chosen) {
            const VectorCase bench_case{contender, n, sweep.layout, k};
            if (contender->operation == operation && filter.matches(bench_case.name()))
              cases.push_back(bench_case);
          }
        }
  return at_least_one(std::move(cases));
}

}  // namespace fatvec::bench
