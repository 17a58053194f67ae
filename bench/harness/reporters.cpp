// SPDX-License-Identifier: Apache-2.0
#include "harness/reporters.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <ostream>
#include <sstream>

#include <fatvec/core/error.hpp>

#include "harness/suite.hpp"

namespace fatvec::bench {
namespace {

struct Fields {
  std::map<std::string, std::string> named;
  std::string variant;  ///< whatever else a contender says of itself
};

/// Splits a case name at '/' and each part at its first ':'.
Fields fields_of(const std::string& name) {
  Fields fields;
  for (std::size_t begin = 0; begin < name.size();) {
    const std::size_t end = std::min(name.find('/', begin), name.size());
    const std::string part = name.substr(begin, end - begin);
    std::string key = part.substr(0, part.find(':'));
    std::string value = key.size() < part.size() ? part.substr(key.size() + 1) : "";
    if (key == "vector") {  // these rows have the same columns, under their own names
      key = "matrix";
      value = "vectors of " + value;
    }
    if (key == "operation") key = "format";
    if (key == "matrix" || key == "scalar" || key == "contender" || key == "backend" ||
        key == "format" || key == "layout" || key == "k" || key == "ranks" || key == "exchange" ||
        key == "partition") {
      fields.named[key] = value;
    } else {
      fields.variant += (fields.variant.empty() ? "" : " ") + value;
    }
    begin = end + 1;
  }
  return fields;
}

double counter(const benchmark::BenchmarkReporter::Run& run, const char* name) {
  const auto found = run.counters.find(name);
  return found == run.counters.end() ? 0 : found->second.value;
}

/// "  (1.25 GFLOPS with copies, 2.5 pinned)"; nothing where no copies are timed.
std::string with_copies(const benchmark::BenchmarkReporter::Run& run) {
  if (counter(run, "copy_out_bytes") == 0) return "";
  const double seconds = counter(run, "median_seconds");
  const double flops = counter(run, "GFLOPS") * seconds;
  const auto gflops = [&](const char* in, const char* out) {
    return flops / (seconds + counter(run, in) + counter(run, out));
  };
  const std::string pinned =
      run.counters.contains("pinned_out_seconds")
          ? fmt::format(", {:.2f} pinned", gflops("pinned_in_seconds", "pinned_out_seconds"))
          : "";
  return fmt::format("  ({:.2f} GFLOPS with copies{})",
                     gflops("copy_in_seconds", "copy_out_seconds"), pinned);
}

/// What a number of the row is not to be taken for.
std::string notes_of(const benchmark::BenchmarkReporter::Run& run) {
  constexpr double noisy = 0.2;
  const double per_cache = counter(run, "bytes_per_cache");
  std::string notes = with_copies(run);
  if (per_cache > 0 && per_cache < 1) notes += "  (in cache)";
  if (counter(run, "spread") > noisy) notes += "  (noisy)";
  if (counter(run, "capped") > 0) notes += "  (capped)";
  return notes;
}

}  // namespace

bool TableReporter::ReportContext(const Context&) {
  GetOutputStream() << summary_ << "\n";
  return true;
}

void TableReporter::ReportRuns(const std::vector<Run>& runs) {
  for (const auto& run : runs)
    if (run.run_type == Run::RT_Iteration) print_row(run);
  GetOutputStream().flush();
}

void TableReporter::print_row(const Run& run) {
  constexpr auto columns = "{:<15} {:<7} {:<10} {:<13} {:<6} {:>4} ";
  constexpr auto of_ranks = "{:>5} {:<8} {:<9} {:<9} {:<6} {:>4} ";
  auto [named, variant] = fields_of(run.run_name.function_name);
  const bool on_ranks = !named["ranks"].empty();
  auto& out = GetOutputStream();
  if (named["matrix"] != matrix_) {
    matrix_ = named["matrix"];
    if (on_ranks)
      out << "\n"
          << matrix_ << "\n"
          << fmt::format(of_ranks, "ranks", "format", "exchange", "partition", "layout", "k")
          << "        ms  spread   GFLOPS efficiency  hidden  MB moved\n";
    else
      out << "\n"
          << cli::bold(stdout, matrix_) << twin_note(matrix_) << "\n"
          << fmt::format(columns, "contender", "backend", "format", "variant", "layout", "k")
          << "        ms  spread   GFLOPS    GB/s  bound  setup ms\n";
  }
  const bool told = run.report_label.starts_with("nccl");  // other names are longer than a column
  out << (on_ranks ? fmt::format(of_ranks, named["ranks"], named["format"],
                                 told ? run.report_label : named["exchange"], named["partition"],
                                 named["layout"], named["k"])
                   : fmt::format(columns, named["contender"], named["backend"], named["format"],
                                 variant, named["layout"], named["k"]));
  if (run.error_occurred || !measured_) {
    out << (run.error_occurred ? run.error_message : "verified") << "\n";
    return;
  }
  out << fmt::format("{:10.4f} {:5.1f} % {:8.2f} ", counter(run, "median_seconds") * 1e3,
                     counter(run, "spread") * 100, counter(run, "GFLOPS"))
      << (on_ranks
              ? fmt::format("{:10.3f} {:5.0f} % {:9.3f}", counter(run, "efficiency"),
                            counter(run, "overlap") * 100, counter(run, "exchanged_bytes") * 1e-6)
              : fmt::format("{:7.1f} {:4.0f} % {:9.2f}", counter(run, "GBs"),
                            counter(run, "bound_fraction") * 100,
                            counter(run, "setup_seconds") * 1e3))
      << notes_of(run) << "\n";
}

void JsonReporter::ReportRuns(const std::vector<Run>& runs) {
  std::vector<Run> cleaned = runs;
  for (auto& run : cleaned) {
    run.run_name.iterations.clear();
    run.run_name.time_type.clear();
    if (const auto found = run.counters.find("repetitions"); found != run.counters.end()) {
      run.repetitions = static_cast<std::int64_t>(found->second.value);
      run.counters.erase(found);  // else the object would have the key twice
    }
    if (run.error_occurred && run.error_message.rfind("verification failed", 0) == 0)
      run.counters["verified"] = 0;
  }
  JSONReporter::ReportRuns(cleaned);
}

RunProgress::RunProgress(std::size_t total) : total_(total), bar_(total) {
  bar_.step("preparing");
}

void RunProgress::step() {
  const auto now = Clock::now();
  if (now - last_ > std::chrono::milliseconds(100)) {  // the first row of a group
    rows_ = done_;
    seconds_ = std::chrono::duration<double>(group_ - start_).count();
    group_ = now;
  }
  last_ = now;
  ++done_;
  if (!bar_.shown() && now - told_ < std::chrono::seconds(30)) return;
  told_ = now;
  std::string text = detail::concat(done_, " of ", total_, " rows");
  if (rows_ > 0) {
    const double left = seconds_ / static_cast<double>(rows_) * static_cast<double>(total_ - done_);
    text += detail::concat(", about ", std::ceil(left / 60), " min left");
  }
  bar_.step(text);
  if (!bar_.shown()) std::fprintf(stderr, "%s\n", text.c_str());
}

bool RunReporter::ReportContext(const Context& context) {
  if (file_ != nullptr) {
    std::ostringstream text;  // "{ "context": {...}, "benchmarks": ["
    JsonReporter json;
    json.SetOutputStream(&text);
    json.SetErrorStream(&GetErrorStream());
    json.ReportContext(context);
    const std::string all = text.str();
    const auto begin = all.find('{', 1);
    file_->set_context(all.substr(begin, all.rfind('}') + 1 - begin));
  }
  return table_.ReportContext(context);
}

void RunReporter::ReportRuns(const std::vector<Run>& runs) {
  progress_.clear();
  table_.ReportRuns(runs);
  if (file_ != nullptr) {
    for (const auto& run : runs) {
      std::ostringstream text;
      JsonReporter json;  // a new one for each row: it would put a comma before its second
      json.SetOutputStream(&text);
      json.ReportRuns({run});
      file_->add(text.str());
    }
  }
  progress_.step();
}

}  // namespace fatvec::bench
