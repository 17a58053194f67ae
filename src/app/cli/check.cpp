// SPDX-License-Identifier: Apache-2.0
#include "check.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fatvec/statistics/vector_statistics.hpp>

namespace fatvec::cli {

Check check_by_oracle(const product::Case& task, double alpha, const product::HostMultivector& x,
                      double beta, const product::HostMultivector& y0,
                      const product::HostMultivector& y) {
  const auto in_scalar = [&](double factor) {
    return task.in_double() ? factor : static_cast<float>(factor);
  };
  const auto reference = verify::reference_product(
      in_scalar(alpha), task.matrix, x, in_scalar(beta), y0,
      task.in_double() ? verify::Rounding::of<double>() : verify::Rounding::of<float>());
  return {verify::compare(reference, y), "verified", "the oracle"};
}

Check check_by_file(const std::string& path, double tolerance,
                    const product::HostMultivector& expected, const product::HostMultivector& y) {
  const auto rows = static_cast<std::int64_t>(y.extent(0));
  const auto k = static_cast<std::int64_t>(y.extent(1));
  Check check{{}, "expected", path};
  using Errors = Kokkos::View<double*, Kokkos::HostSpace>;
  const auto errors = detail::allocate_zeros<Errors>(Kokkos::DefaultHostExecutionSpace(),
                                                     "fatvec::cli::errors", rows * k);
  for (std::int64_t i = 0; i < rows; ++i) {
    for (std::int64_t c = 0; c < k; ++c) {
      const double want = expected(i, c);
      const double got = y(i, c);
      const bool same = got == want || (std::isnan(got) && std::isnan(want));
      const double error = same ? 0 : std::abs(got - want);
      double scaled = same ? 0 : error / (tolerance * std::max(1.0, std::abs(want)));
      if (!std::isfinite(error)) scaled = std::numeric_limits<double>::infinity();
      if (std::isfinite(error)) errors(i * k + c) = error;
      if (scaled > check.scaled || check.worst_row < 0) {
        check.scaled = scaled;
        check.worst_row = i;
        check.worst_column = c;
        check.expected = want;
        check.got = got;
      }
    }
  }
  const auto statistics = vector_statistics(Kokkos::DefaultHostExecutionSpace(), errors);
  check.l2 = statistics.norm2();
  check.max = statistics.max_norm();
  check.passed = check.scaled <= 1;
  return check;
}

Json to_json(const Check& check) {
  return {{"passed", check.passed},
          {"l2", check.l2},
          {"max", check.max},
          {"scaled", check.scaled},
          {"worst",
           {{"row", check.worst_row},
            {"column", check.worst_column},
            {"expected", check.expected},
            {"got", check.got}}}};
}

std::string summary(const Check& check) {
  return fmt::format("{}: error L2 {:.3g}, max {:.3g}, scaled {:.3g} (1 is allowed)",
                     check.passed ? "passed" : "FAILED", check.l2, check.max, check.scaled);
}

std::string complaint(const Check& check, std::string_view kernel) {
  return fmt::format(
      "verification failed: the result of {} differs from {}; worst is row {}, column {} (from 0): "
      "expected {}, "
      "got {}, {:.3g} times the error that is allowed.",
      kernel, check.against, check.worst_row, check.worst_column, check.expected, check.got,
      check.scaled);
}

}  // namespace fatvec::cli
