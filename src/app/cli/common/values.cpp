// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <utility>

#include <fatvec/app/cli/common/values.hpp>
#include <fatvec/core/error.hpp>

namespace fatvec::cli {
namespace {

/// CLI11 shows what `problem` returns as "--option: ..."; an empty text is a good value.
template <class Problem>
CLI::Option* check(CLI::Option* option, const Problem& problem) {
  return option->check(CLI::Validator([problem](std::string& text) { return problem(text); }, ""));
}

/// The number that is all of `text`, NaN for none.
double number(std::string_view text) {
  double value = 0;
  if (text.starts_with('+')) text.remove_prefix(1);
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool good = status == std::errc() && end == text.data() + text.size();
  return good ? value : std::numeric_limits<double>::quiet_NaN();
}

}  // namespace

std::string joined(const std::vector<std::string_view>& names, std::string_view separator) {
  std::string text;
  for (const auto name : names) text.append(text.empty() ? "" : separator).append(name);
  return text;
}

CLI::Option* one_of(CLI::Option* option, const std::vector<std::string_view>& names) {
  option->type_name(joined(names, "|"));
  return check(option, [names](const std::string& text) {
    return std::ranges::find(names, text) != names.end()
               ? ""
               : fmt::format("unknown name '{}'; this build has {}.", text, joined(names, ", "));
  });
}

CLI::Option* finite(CLI::Option* option, double least) {
  return check(option, [least](const std::string& text) {
    const double value = number(text);
    if (std::isfinite(value) && value >= least) return std::string();
    return std::isinf(least)
               ? fmt::format("wants a finite number, not '{}'.", text)
               : fmt::format("wants a finite number of at least {}, not '{}'.", least, text);
  });
}

void require_sound_environment() {
  for (const auto& [name, least] :
       {std::pair("KOKKOS_NUM_THREADS", 1), std::pair("KOKKOS_DEVICE_ID", 0)}) {
    const char* const text = std::getenv(name);
    if (text == nullptr) continue;
    std::string_view rest(text);  // as Kokkos reads it: with space around
    rest.remove_prefix(std::min(rest.find_first_not_of(' '), rest.size()));
    rest.remove_suffix(rest.size() - (rest.find_last_not_of(' ') + 1));
    int value = 0;
    const auto [end, status] = std::from_chars(rest.data(), rest.data() + rest.size(), value);
    if (status != std::errc() || end != rest.data() + rest.size() || value < least)
      throw UsageError(fmt::format(
          "{}={}: wants a whole number of at least {}; correct or unset it.", name, text, least));
  }
}

CLI::Option* whole(CLI::Option* option, std::int64_t least, std::int64_t most) {
  const auto read = [least, most](std::string& text) {
    std::int64_t value = 0;
    const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), value);
    const bool number = status == std::errc() && end == text.data() + text.size();
    if (number && value >= least && value <= most) {
      text = std::to_string(value);  // CLI11 takes 010 for an octal number
      return std::string();
    }
    return most == std::numeric_limits<std::int64_t>::max()
               ? fmt::format("wants a whole number of at least {}, not '{}'.", least, text)
               : fmt::format("wants a whole number of {} to {}, not '{}'.", least, most, text);
  };
  return option->transform(CLI::Validator(read, ""));
}

CLI::Option* file_name(CLI::Option* option) {
  option->type_name("FILE");
  return check(option, [](const std::string& text) {
    return text.empty() ? "wants the name of a file, not an empty one." : "";
  });
}

CLI::Option* file_to_write(CLI::Option* option) {
  return check(file_name(option), [](const std::string& text) {
    return text == "-" ? "wants the name of a file; /dev/stdout is the standard output." : "";
  });
}

}  // namespace fatvec::cli
