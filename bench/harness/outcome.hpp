// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include <fatvec/app/dispatch/timing.hpp>
#include <fatvec/core/error.hpp>

#include "harness/transfers.hpp"

namespace fatvec::bench {

using product::Timing;
using product::TimingPolicy;

/// What came of a case.
struct Outcome {
  enum class Kind { verified, skipped, failed, wrong };
  Kind kind = Kind::verified;
  std::string reason{};  ///< why there is no timing
  Timing timing{};
  double setup_seconds = 0;
  std::uint64_t matrix_bytes = 0;
  std::int64_t stored_entries = 0;
  std::optional<Copies> copies{};  ///< of X and Y, where they are timed
};

/// A result that differs from the oracle's; not an Error of the library, so that nothing else can
/// be taken for it.
struct WrongResult {
  std::string what;
};

/// Runs step() and turns what it throws into the outcome.
template <class Step>
void guarded(Outcome& outcome, const Step& step) {
  using Kind = Outcome::Kind;
  const auto ended = [&](Kind kind, std::string reason) {
    outcome.kind = kind;
    outcome.reason = std::move(reason);
  };
  try {
    step();
  } catch (const WrongResult& wrong) {
    ended(Kind::wrong, wrong.what);
  } catch (const CapacityError& error) {
    ended(Kind::skipped, detail::concat("skipped: ", error.what()));
  } catch (const UsageError& error) {
    ended(Kind::skipped, detail::concat("skipped: ", error.what()));
  } catch (const std::exception& error) {
    ended(Kind::failed, detail::concat("failed: ", error.what()));
  } catch (...) {
    ended(Kind::failed, "failed: an exception of unknown type");
  }
}

}  // namespace fatvec::bench
