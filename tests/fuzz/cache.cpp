// SPDX-License-Identifier: Apache-2.0
// The cache of `fatvec tune`: any bytes there end in a winner or a message, never in an exception,
// and never lastingly. What was there is kept in the file, beside it, or as it was.
#include <fatvec/plan/cache.hpp>

#include "support.hpp"

namespace fatvec::fuzz {
namespace {

void check(std::string_view text) {
  const auto path = write("tune.json", text);
  const auto aside = path.string() + ".damaged";
  std::filesystem::remove(aside);
  const tune::Key key{"device", "build", "1234", 8, Layout::row};
  const tune::Winner winner{.choice = {"csr-row"},
                            .seconds = 1e-3,
                            .median_seconds = 2e-3,
                            .spread = 0.1,
                            .repetitions = 20};
  tune::Cache cache(path);
  if (const auto found = cache.find(key)) {
    expect(found->seconds > 0 && found->repetitions >= 1, "what is found makes sense");
    expect(cache.problem().empty(), "what is found is no problem");
  }
  expect(contents(path) == text, "looking changes nothing");
  const bool kept = cache.store(key, winner, tune::Replace::always);
  if (!kept) {
    expect(!cache.problem().empty(), "what is not kept is said");
    expect(contents(path) == text, "what is left alone is left alone");
    return;
  }
  expect(cache.find(key).has_value(), "what was kept is found");
  if (std::filesystem::exists(aside)) expect(contents(aside) == text, "set aside as it was");
}

}  // namespace
}  // namespace fatvec::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fatvec::fuzz::start_kokkos();
  fatvec::fuzz::check(fatvec::fuzz::text_of(data, size));
  return 0;
}
