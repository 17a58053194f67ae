// SPDX-License-Identifier: Apache-2.0
// Random products of every kernel, format and kind of plan, against an oracle in extended
// precision; each runs several times, and must have the same bits. Exit status: 0, 1 for a wrong
// product or one whose bits differ, 2 for arguments.
#include <unistd.h>

#include <Kokkos_Core.hpp>
#include <charconv>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "outcome.hpp"

namespace {

using fatvec::test::Outcome;

constexpr const char* usage =
    "usage: fatvec-test-random [--seed N] [--products N | --minutes M] [--scalar NAME] "
    "[--verbose]\n"
    "       fatvec-test-random --scalar NAME --repro N\n"
    "  --seed N      of the sequence of products; default 1\n"
    "  --products N  that many; default 1000\n"
    "  --minutes M   as many as there is time for\n"
    "  --scalar NAME all (the default), or one of:";

struct Arguments {
  std::uint64_t seed = 1;
  std::uint64_t products = 1000;
  double minutes = 0;  ///< 0: the number counts
  std::optional<std::uint64_t> repro;
  std::vector<std::string> scalars;
  bool verbose = false;
};

[[noreturn]] void refuse(const std::string& why) {
  std::fprintf(stderr, "%s\n%s", why.c_str(), usage);
  for (const auto& [name, run] : fatvec::test::scalars()) std::fprintf(stderr, " %s", name.c_str());
  std::fprintf(stderr, "\n");
  std::exit(2);
}

template <class Number>
Number number(std::string_view option, std::string_view text) {
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size())
    refuse(std::string(option) + ": '" + std::string(text) + "' is not a number that it takes.");
  return value;
}

Arguments parse(int argc, char** argv) {
  Arguments arguments;
  std::string scalar = "all";
  for (int n = 1; n < argc; ++n) {
    const std::string_view option = argv[n];
    if (option == "--verbose") {
      arguments.verbose = true;
      continue;
    }
    if (n + 1 == argc) refuse(std::string(option) + " is unknown, or wants a value.");
    const std::string_view value = argv[++n];
    if (option == "--seed")
      arguments.seed = number<std::uint64_t>(option, value);
    else if (option == "--products")
      arguments.products = number<std::uint64_t>(option, value);
    else if (option == "--minutes")
      arguments.minutes = number<double>(option, value);
    else if (option == "--repro")
      arguments.repro = number<std::uint64_t>(option, value);
    else if (option == "--scalar")
      scalar = value;
    else
      refuse("unknown option " + std::string(option) + ".");
  }
  for (const auto& [name, run] : fatvec::test::scalars())
    if (scalar == "all" || scalar == name) arguments.scalars.push_back(name);
  if (arguments.scalars.empty()) refuse("--scalar: this build has no " + scalar + ".");
  if (!(arguments.minutes >= 0)) refuse("--minutes wants a number from 0 on.");
  if (arguments.repro && scalar == "all") refuse("--repro wants a --scalar, too.");
  return arguments;
}

/// The product that runs: what a crash tells.
char running[160];
bool tells_all = false;

[[maybe_unused]] void tell_crash(int signal) {
  const auto write_all = [](const char* text) {
    [[maybe_unused]] const auto written = write(STDERR_FILENO, text, std::strlen(text));
  };
  write_all("crashed: ");
  write_all(running);
  write_all("\n");
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

void announce(const std::string& product) {
  if (!tells_all) return;
  std::printf("%s\n    %s\n", running, product.c_str());
  std::fflush(stdout);
}

/// Well mixed (splitmix64): neighbouring seeds have nothing in common.
std::uint64_t mixed(std::uint64_t z) {
  z += 0x9e3779b97f4a7c15ULL;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
  return z ^ (z >> 31);
}

struct Summary {
  std::uint64_t products = 0;
  std::uint64_t wrong = 0;
  std::uint64_t differ = 0;
  double worst = 0;
  std::string worst_line;

  void add(const Outcome& outcome) {
    ++products;
    wrong += outcome.wrong;
    differ += outcome.differs;
    if (outcome.wrong || outcome.differs)
      std::printf("%s\n    %s\n    %s\n", running, outcome.product.c_str(),
                  outcome.problem.c_str());
    std::fflush(stdout);
    if (!outcome.wrong && outcome.scaled >= worst) {
      worst = outcome.scaled;
      worst_line = running;
    }
  }
  [[nodiscard]] bool passed() const { return wrong == 0 && differ == 0; }
};

void run_one(const std::string& scalar, std::uint64_t seed, Summary& summary) {
  std::snprintf(running, sizeof running, "fatvec-test-random --scalar %s --repro %llu",
                scalar.c_str(), static_cast<unsigned long long>(seed));
  summary.add(fatvec::test::scalars().at(scalar)(seed, announce));
}

int run(const Arguments& arguments) {
  tells_all = arguments.verbose || arguments.repro;
  Summary summary;
  if (arguments.repro) {
    run_one(arguments.scalars.front(), *arguments.repro, summary);
  } else {
    std::printf("seed %llu\n", static_cast<unsigned long long>(arguments.seed));
    const Kokkos::Timer timer;
    for (std::uint64_t n = 0;
         arguments.minutes > 0 ? timer.seconds() < 60 * arguments.minutes : n < arguments.products;
         ++n)
      run_one(arguments.scalars[n % arguments.scalars.size()], mixed(mixed(arguments.seed) + n),
              summary);
  }
  std::printf("%llu products: %llu wrong, %llu with other bits in another run",
              static_cast<unsigned long long>(summary.products),
              static_cast<unsigned long long>(summary.wrong),
              static_cast<unsigned long long>(summary.differ));
  std::printf("; largest error of the others: %.3f of what rounding allows%s%s\n", summary.worst,
              summary.worst_line.empty() ? "" : ", ", summary.worst_line.c_str());
  return summary.passed() ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  const Arguments arguments = parse(argc, argv);
#if !defined(__SANITIZE_ADDRESS__)  // which has more to tell; --verbose then says of which product
  for (const int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGABRT, SIGTERM})
    std::signal(signal, tell_crash);
#endif
  const Kokkos::ScopeGuard kokkos;
  return run(arguments);
}
