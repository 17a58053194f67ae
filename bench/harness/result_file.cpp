// SPDX-License-Identifier: Apache-2.0
#include "harness/result_file.hpp"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include <fatvec/core/error.hpp>

namespace fatvec::bench {
namespace {

using nlohmann::json;

/// What must agree before rows of two runs may stand in one file.
constexpr const char* identity[] = {
    "git_hash",     "compiler", "compiler_flags", "kokkos_version", "device", "gpu",
    "cuda_runtime", "threads",  "dry_run",        "alpha",          "beta"};

std::string whole(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

}  // namespace

ResultFile::ResultFile(std::string path, const Facts& facts, bool resume)
    : path_(std::move(path)), part_(path_ + ".part") {
  const bool interrupted = std::filesystem::exists(part_);
  if (interrupted && !resume) {
    throw UsageError(detail::concat(
        "'", part_,
        "' holds the rows of an interrupted run: --resume goes on with it; delete it to ",
        "start anew."));
  }
  if (interrupted) {
    read(part_, facts);
  } else if (resume && std::filesystem::exists(path_)) {
    read(path_, facts);
  }
  journal_ = std::fopen(part_.c_str(), "wb");
  if (journal_ == nullptr)
    throw UsageError(detail::concat("cannot write '", part_, "': ", std::strerror(errno), "."));
  if (!context_.empty()) append(context_);
  for (const auto& row : rows_) append(row);
}

ResultFile::~ResultFile() {
  if (journal_ != nullptr) std::fclose(journal_);
}

/// FILE is one document, FILE.part one object a line, of which the last may be cut off.
void ResultFile::read(const std::string& from, const Facts& facts) {
  const std::string text = whole(from);
  json document = json::parse(text, nullptr, false);
  if (!document.is_object() || !document.contains("benchmarks")) {
    document = {{"context", json::object()}, {"benchmarks", json::array()}};
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
      json object = json::parse(line, nullptr, false);
      if (!object.is_object()) continue;
      if (object.contains("name")) {
        document["benchmarks"].push_back(std::move(object));
      } else {
        document["context"] = std::move(object);
      }
    }
  }
  const json& context = document["context"];
  for (const char* const key : identity) {
    for (const auto& [name, now] : facts) {
      if (name != key || document["benchmarks"].empty()) continue;
      const std::string then = context.value(name, "");
      if (then == now) continue;
      throw UsageError(detail::concat(
          "cannot resume '", from, "': its rows were measured with ", name, " '", then,
          "', this run has '", now,
          "'. Ratios hold only within one run: delete it, or write to another file."));
    }
  }
  if (!context.empty()) context_ = context.dump();
  for (const auto& row : document["benchmarks"]) {
    names_.insert(row.at("name").get<std::string>());
    rows_.push_back(row.dump());
  }
}

void ResultFile::append(const std::string& line) {
  if (std::fprintf(journal_, "%s\n", line.c_str()) < 0 || std::fflush(journal_) != 0)
    throw Error(detail::concat("cannot write '", part_, "': ", std::strerror(errno), "."));
}

void ResultFile::set_context(const std::string& json_text) {
  if (!context_.empty()) return;  // that of the run which is resumed
  context_ = json::parse(json_text).dump();
  append(context_);
}

void ResultFile::add(const std::string& row_json) {
  rows_.push_back(json::parse(row_json).dump());
  append(rows_.back());
}

void ResultFile::finish() {
  const std::string temporary = path_ + ".tmp";
  {
    std::ofstream out(temporary, std::ios::binary);
    out << "{\n\"context\": " << (context_.empty() ? "{}" : context_) << ",\n\"benchmarks\": [";
    for (std::size_t n = 0; n < rows_.size(); ++n) out << (n == 0 ? "\n" : ",\n") << rows_[n];
    out << "\n]}\n";
    out.close();
    if (!out)
      throw Error(detail::concat("cannot write '", temporary, "': ", std::strerror(errno),
                                 "; the rows are in '", part_, "'."));
  }
  std::filesystem::rename(temporary, path_);
  std::filesystem::remove(part_);
}

}  // namespace fatvec::bench
