// SPDX-License-Identifier: Apache-2.0
#include "harness/suite.hpp"

#include <array>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>

#include <fatvec/core/error.hpp>
#include <fatvec/generate/generate.hpp>
#include <fatvec/generate/twins.hpp>

#include "suites/balayre.hpp"
#include "suites/calzetta.hpp"
#include "suites/demo.hpp"
#include "suites/floor.hpp"
#include "suites/gollmann.hpp"
#include "suites/ranks.hpp"
#include "suites/scaling.hpp"
#include "suites/stec.hpp"
#include "suites/vectors.hpp"

namespace fatvec::bench {

std::vector<SuiteMatrix> collection(std::initializer_list<std::string_view> names) {
  constexpr std::int64_t tiny_rows = 500;
  std::vector<SuiteMatrix> matrices;
  for (const auto name : names) {
    const std::string full = detail::concat("gen:twin:", name);
    const bool small = generate::find_twin(name).lengths.rows <= tiny_rows;
    matrices.push_back(
        {full, small ? full : detail::concat(full, ":", tiny_rows), std::string(name)});
  }
  return matrices;
}

std::string real_file(const SuiteMatrix& matrix) {
  const char* const folder = std::getenv("FATVEC_MATRICES");
  if (folder == nullptr || *folder == '\0' || matrix.real.empty()) return "";
  for (const char* const ending : {".mtx.gz", ".mtx"}) {
    const auto path = std::filesystem::path(folder) / (matrix.real + ending);
    std::error_code unreadable;  // as good as absent
    if (std::filesystem::is_regular_file(path, unreadable)) return path.string();
  }
  return "";
}

std::string source_text(const SuiteMatrix& matrix, bool tiny) {
  if (tiny) return matrix.tiny;
  const auto file = real_file(matrix);
  return file.empty() ? matrix.full : file;
}

std::string describe(const SuiteMatrix& matrix) {
  const auto file = real_file(matrix);
  if (!file.empty()) return detail::concat(matrix.real, "   (", file, ")");
  return detail::concat(matrix.full, twin_note(matrix.full));
}

std::string_view twin_note(std::string_view name) {
  if (!name.starts_with("gen:twin:")) return "";
  const auto spec = generate::parse_spec(std::string(name));
  return generate::find_twin(spec.twin).origin == generate::Origin::estimated
             ? "   (twin, spread estimated)"
             : "   (twin)";
}

std::span<const Suite> suites() {
  static const std::array all{demo_suite(),     balayre_suite(), stec_suite(),  calzetta_suite(),
                              gollmann_suite(), scaling_suite(), floor_suite(), vectors_suite(),
                              weak_suite(),     strong_suite()};
  return all;
}

const Suite& find_suite(std::string_view name) {
  std::string known;
  for (const auto& suite : suites()) {
    if (suite.name == name) return suite;
    known += (known.empty() ? "" : ", ") + std::string(suite.name);
  }
  throw UsageError(detail::concat("unknown suite '", name, "'; there are: ", known, "."));
}

}  // namespace fatvec::bench
