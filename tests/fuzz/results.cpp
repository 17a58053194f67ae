// SPDX-License-Identifier: Apache-2.0
// FILE and FILE.part of `fatvec-bench --output FILE --resume`: any bytes there are rows to go on
// with, or an error of fatvec which leaves them as they are.
#include <nlohmann/json.hpp>

#include "harness/result_file.hpp"
#include "support.hpp"

namespace fatvec::fuzz {
namespace {

const bench::ResultFile::Facts facts = {{"git_hash", "1"}, {"threads", "2"}};

/// The first byte says which of the two it is.
void check(std::string_view input) {
  const bool complete = !input.empty() && input.front() == 'F';
  const std::string_view text = input.substr(input.empty() ? 0 : 1);
  const auto path = folder() / "out.json";
  const auto part = path.string() + ".part";
  const auto aside = part + ".damaged";
  for (const auto& old : {path.string(), part, aside}) std::filesystem::remove(old);
  const auto given = write(complete ? "out.json" : "out.json.part", text);
  try {
    bench::ResultFile file(path.string(), facts, true);
    file.set_context(R"({"git_hash": "1", "threads": "2"})");
    file.add(R"({"name": "fuzz", "real_time": 1.0})");
    expect(file.has("fuzz"), "a row that was added is there");
    file.finish();
  } catch (const Error&) {
    expect(contents(given) == text, "an error leaves the file as it is");
    return;
  }
  const auto document = nlohmann::json::parse(contents(path), nullptr, false);
  expect(document.is_object() && document.contains("benchmarks"), "a document is written");
  expect(!std::filesystem::exists(part), "and the rows on the way to it are gone");
  if (std::filesystem::exists(aside))
    expect(contents(aside).starts_with(text), "or set aside as they were");
  bench::ResultFile again(path.string(), facts, true);
  expect(again.has("fuzz"), "a document that was written can be resumed");
}

}  // namespace
}  // namespace fatvec::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fatvec::fuzz::start_kokkos();
  fatvec::fuzz::check(fatvec::fuzz::text_of(data, size));
  return 0;
}
