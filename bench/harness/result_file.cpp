// SPDX-License-Identifier: Apache-2.0
#include "harness/result_file.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string_view>

#include <fatvec/core/error.hpp>
#include <fatvec/core/json_nesting.hpp>
#include <fatvec/core/output_file.hpp>

namespace fatvec::bench {

/// What a file of results holds.
struct Document {
  /// As much of a row as resuming wants to know.
  struct Row {
    std::string name;
    bool failed = false;  ///< to be measured again
    std::string text;
  };

  nlohmann::json context = nlohmann::json::object();
  std::vector<Row> rows{};
  std::size_t senseless = 0;  ///< lines that are none of these
};

namespace {

using nlohmann::json;
using Row = Document::Row;

/// What must agree before rows of two runs may stand in one file.
constexpr const char* identity[] = {"git_hash",         "git_dirty",      "compiler",
                                    "compiler_flags",   "kokkos_version", "kokkoskernels_version",
                                    "mkl_version",      "mkl_code_path",  "eigen_version",
                                    "cusparse_version", "device",         "gpu",
                                    "cuda_runtime",     "threads",        "dry_run",
                                    "scalar",           "alpha",          "beta",
                                    "transfers"};

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

std::optional<Row> row_of(const json& row) {
  const auto member = [&row](const char* name) { return row.contains(name) ? row[name] : json(); };
  if (!row.is_object() || !member("name").is_string()) return {};
  const json error = member("error_occurred");
  const json message = member("error_message");
  if (!(error.is_null() || error.is_boolean()) || !(message.is_null() || message.is_string()))
    return {};
  const bool skipped = message.is_string() && message.get<std::string>().starts_with("skipped: ");
  return Row{member("name").get<std::string>(), error == true && !skipped, row.dump()};
}

bool is_context(const json& object) {
  return object.is_object() &&
         std::all_of(std::begin(identity), std::end(identity), [&](const char* const key) {
           return !object.contains(key) || object[key].is_string();
         });
}

/// Of results: the document, its rows, a row; a context has lists of objects. And one to spare.
constexpr int deepest_nesting = 6;

json parsed(std::string_view text) {
  if (detail::json_nesting(text) > deepest_nesting) return json(json::value_t::discarded);
  return json::parse(text, nullptr, false);
}

/// What Google Benchmark wrote. It escapes neither all control characters nor what is not UTF-8,
/// and paths in messages, or the environment, may hold both.
json parsed_with_any_text(const std::string& written) {
  const auto valid = json::parse(json(written).dump(-1, ' ', false, json::error_handler_t::replace))
                         .get<std::string>();
  std::string text;
  for (const char c : valid) {
    const bool raw =
        static_cast<unsigned char>(c) < 0x20 && c != '\n';  // a line ends outside texts
    const std::string escaped = raw ? json(std::string(1, c)).dump() : std::string();
    text += raw ? escaped.substr(1, escaped.size() - 2) : std::string(1, c);
  }
  return json::parse(text);
}

/// FILE is one document; nothing where some of it is no result.
std::optional<Document> document_of_file(const std::string& text) {
  const json whole = parsed(text);
  if (!whole.is_object() || !whole.contains("benchmarks") || !whole["benchmarks"].is_array())
    return {};
  Document document{.context = whole.value("context", json())};
  if (!is_context(document.context)) return {};
  for (const auto& object : whole["benchmarks"]) {
    const auto row = row_of(object);
    if (!row) return {};
    document.rows.push_back(*row);
  }
  return document;
}

/// FILE.part is one object a line, of which any may have been cut off.
Document document_of_part(const std::string& text) {
  Document document;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    json object = parsed(line);
    if (const auto row = row_of(object)) {
      document.rows.push_back(*row);
    } else if (is_context(object) && !object.contains("name")) {
      document.context = std::move(object);
    } else if (!(object.is_discarded() && line.starts_with('{')) && !line.empty() &&
               !goes_on_with_file(line)) {
      ++document.senseless;
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
  std::error_code none;
  if (std::filesystem::exists(path_, none) && (part.empty() || continued)) {
    const auto document = document_of_file(whole(path_));
    if (!document)
      throw InputError(detail::concat("cannot resume '", path_, "': it holds no results of ",
                                      "fatvec-bench. It is left as it is; name another --output."));
    keep(path_, *document, facts);
    if (!continued) journal_->append(std::string(continues_file));
  }
  const Document rest = document_of_part(part);
  senseless_lines_ = rest.senseless;
  keep(journal_->path(), rest, facts);
}

void ResultFile::keep(const std::string& from, const Document& document, const Facts& facts) {
  const json& context = document.context;
  for (const char* const key : identity) {
    for (const auto& [name, now] : facts) {
      if (name != key || document.rows.empty()) continue;
      if (context.empty() && !context_.empty()) continue;  // FILE.part goes on with that of FILE
      const std::string then = context.value(name, "");
      if (then == now) continue;
      throw UsageError(detail::concat(
          "cannot resume '", from, "': its rows were measured with ", name, " '", then,
          "', this run has '", now,
          "'. Ratios hold only within one run: delete it, or write to another file."));
    }
  }
  // Without rows it is of a run that measured nothing, perhaps of another build.
  if (!context.empty() && !document.rows.empty()) context_ = context.dump();
  for (const auto& row : document.rows) put(row.name, row.failed, row.text);
}

/// The last row of a name counts.
void ResultFile::put(const std::string& name, bool failed, std::string row) {
  const auto [place, is_new] = places_.try_emplace(name, rows_.size());
  if (is_new) rows_.emplace_back();
  rows_[place->second] = std::move(row);
  if (!failed) names_.insert(name);
}

void ResultFile::append(const std::string& line) {
  if (journal_) journal_->append(line);
}

void ResultFile::set_context(const std::string& json_text) {
  if (!context_.empty()) return;  // that of the run which is resumed
  context_ = parsed_with_any_text(json_text).dump();
  append(context_);
}

void ResultFile::add(const std::string& row_json) {
  const auto row = row_of(parsed_with_any_text(row_json));
  if (!row) throw Error(detail::concat("a row without a name: ", row_json));
  put(row->name, row->failed, row->text);
  append(row->text);
}

std::string ResultFile::document() const {
  std::string text =
      "{\n\"context\": " + (context_.empty() ? "{}" : context_) + ",\n\"benchmarks\": [";
  for (std::size_t n = 0; n < rows_.size(); ++n) text += (n == 0 ? "\n" : ",\n") + rows_[n];
  return text + "\n]}\n";
}

std::string ResultFile::finish() {
  try {
    detail::OutputFile file(path_);
    file.write(document());
    file.commit();
  } catch (const Error& error) {
    if (!journal_) throw;
    throw Error(detail::concat(error.what(), " The rows are in '", journal_->path(),
                               "': --resume goes on with them."));
  }
  if (!journal_) return {};
  if (senseless_lines_ > 0) return journal_->set_aside();
  journal_->remove();
  return {};
}

}  // namespace fatvec::bench
