// SPDX-License-Identifier: Apache-2.0
#include "harness/result_file.hpp"

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string_view>

#include <fatvec/core/error.hpp>
#include <fatvec/core/output_file.hpp>

namespace fatvec::bench {
namespace {

using nlohmann::json;

/// What must agree before rows of two runs may stand in one file.
constexpr const char* identity[] = {
    "git_hash",     "compiler", "compiler_flags", "kokkos_version", "device", "gpu",
    "cuda_runtime", "threads",  "dry_run",        "alpha",          "beta"};

/// The first line of FILE.part where a resumed run goes on with the rows of FILE: they need not be
/// copied, so that nothing can happen to them on the way.
constexpr std::string_view continues_file = R"("goes on with the complete file")";

/// Even if the line was cut off: all other lines begin with another character.
bool goes_on_with_file(std::string_view part) {
  const auto line = part.substr(0, part.find('\n'));
  return !line.empty() && continues_file.starts_with(line);
}

std::string whole(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

/// FILE is one document, FILE.part one object a line, of which any may have been cut off.
json document_of(const std::string& text) {
  json document = json::parse(text, nullptr, false);
  if (document.is_object() && document.contains("benchmarks")) return document;
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
  return document;
}

}  // namespace

ResultFile::ResultFile(std::string path, const Facts& facts, bool resume) : path_(std::move(path)) {
  detail::OutputFile::require_writable(path_);
  if (detail::OutputFile::is_stream(path_)) {
    if (resume)
      throw UsageError(detail::concat("cannot resume '", path_, "': a pipe or a device keeps no ",
                                      "rows; name a file."));
    return;
  }
  journal_.emplace(path_ + ".part");
  const std::string& part = journal_->contents();
  if (!part.empty() && !resume) {
    throw UsageError(detail::concat("'", journal_->path(), "' holds the rows of an interrupted ",
                                    "run: --resume goes on with it; delete it to start anew."));
  }
  if (!resume) return;
  const bool continued = goes_on_with_file(part);
  if (std::filesystem::exists(path_) && (part.empty() || continued)) {
    const std::string text = whole(path_);
    const json document = json::parse(text, nullptr, false);
    if (!document.is_object() || !document.contains("benchmarks"))
      throw InputError(detail::concat("cannot resume '", path_, "': it holds no results of ",
                                      "fatvec-bench. It is left as it is; name another --output."));
    keep(path_, text, facts);
    if (!continued) journal_->append(std::string(continues_file));
  }
  keep(journal_->path(), part, facts);
}

void ResultFile::keep(const std::string& from, const std::string& text, const Facts& facts) try {
  const json document = document_of(text);
  const json& context = document.at("context");
  for (const char* const key : identity) {
    for (const auto& [name, now] : facts) {
      if (name != key || document.at("benchmarks").empty()) continue;
      if (context.empty() && !context_.empty()) continue;  // FILE.part goes on with that of FILE
      const std::string then = context.value(name, "");
      if (then == now) continue;
      throw UsageError(detail::concat(
          "cannot resume '", from, "': its rows were measured with ", name, " '", then,
          "', this run has '", now,
          "'. Ratios hold only within one run: delete it, or write to another file."));
    }
  }
  if (!context.empty()) context_ = context.dump();
  for (const auto& row : document.at("benchmarks")) put(row);
} catch (const json::exception& error) {
  throw InputError(detail::concat("cannot resume '", from, "': it holds no results of ",
                                  "fatvec-bench (", error.what(), "). It is left as it is; name ",
                                  "another --output."));
}

/// The last row of a name counts.
void ResultFile::put(const json& row) {
  const auto name = row.at("name").get<std::string>();
  const auto [place, is_new] = places_.try_emplace(name, rows_.size());
  if (is_new) rows_.emplace_back();
  rows_[place->second] = row.dump();
  const bool failed = row.value("error_occurred", false) &&
                      row.value("error_message", "").rfind("skipped: ", 0) != 0;
  if (!failed) names_.insert(name);
}

void ResultFile::append(const std::string& line) {
  if (journal_) journal_->append(line);
}

void ResultFile::set_context(const std::string& json_text) {
  if (!context_.empty()) return;  // that of the run which is resumed
  context_ = json::parse(json_text).dump();
  append(context_);
}

void ResultFile::add(const std::string& row_json) {
  const json row = json::parse(row_json);
  put(row);
  append(row.dump());
}

std::string ResultFile::document() const {
  std::string text =
      "{\n\"context\": " + (context_.empty() ? "{}" : context_) + ",\n\"benchmarks\": [";
  for (std::size_t n = 0; n < rows_.size(); ++n) text += (n == 0 ? "\n" : ",\n") + rows_[n];
  return text + "\n]}\n";
}

void ResultFile::finish() {
  try {
    detail::OutputFile file(path_);
    file.write(document());
    file.commit();
  } catch (const Error& error) {
    if (!journal_) throw;
    throw Error(detail::concat(error.what(), " The rows are in '", journal_->path(),
                               "': --resume goes on with them."));
  }
  if (journal_) journal_->remove();
}

}  // namespace fatvec::bench
