// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include <fatvec/app/dispatch/product.hpp>
#include <fatvec/app/verify/oracle.hpp>

#include "report.hpp"

/// How `fatvec multiply` judges its result.
namespace fatvec::cli {

/// The outcome of comparing Y with what it should be.
struct Check : verify::Verdict {
  const char* name;     ///< "verified" or "expected"
  std::string against;  ///< "the oracle", "b.mtx"
};

/// Y = beta · y0 + alpha · A · X against the serial product in extended precision, to within
/// rounding in the scalar of the task's X and Y. A is what the task multiplies: where its values
/// are in single precision, the rounded ones.
Check check_by_oracle(const product::Case& task, double alpha, const product::HostMultivector& x,
                      double beta, const product::HostMultivector& y0,
                      const product::HostMultivector& y);

/// Against a known result of the same extents, read from `path`: |y - expected| <= tolerance ·
/// max(1, |expected|) everywhere.
Check check_by_file(const std::string& path, double tolerance,
                    const product::HostMultivector& expected, const product::HostMultivector& y);

Json to_json(const Check& check);
/// "passed: L2 1.1e-14, max 3.6e-15, scaled 0.02".
std::string summary(const Check& check);
/// Names the worst element, for a check that did not pass.
std::string complaint(const Check& check, std::string_view kernel);

}  // namespace fatvec::cli
