// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include <fatvec/plan/model.hpp>

namespace fatvec {

/// "1.23 ms".
inline std::string human_seconds(double seconds) {
  char text[32];
  if (seconds < 1e-3)
    std::snprintf(text, sizeof text, "%.3g us", seconds * 1e6);
  else if (seconds < 1)
    std::snprintf(text, sizeof text, "%.3g ms", seconds * 1e3);
  else
    std::snprintf(text, sizeof text, "%.3g s", seconds);
  return text;
}

namespace detail {

inline std::string fixed(double value, int digits) {
  char text[32];
  std::snprintf(text, sizeof text, "%.*f", digits, value);
  return text;
}

inline std::string described(const Prediction& prediction) {
  return std::string(prediction.format) + (prediction.choice.packed ? " on row-major copies" : "");
}

/// The term in which a costs most beyond b; `none` where there is no such term.
inline std::size_t largest_excess(const Prediction& a, const Prediction& b) {
  std::size_t largest = 0;
  for (std::size_t n = 1; n < Term::count; ++n)
    if (a.parts[n] - b.parts[n] > a.parts[largest] - b.parts[largest]) largest = n;
  return largest;
}

inline std::string share_of_largest_part(const Prediction& prediction) {
  const auto largest =
      static_cast<std::size_t>(std::max_element(prediction.parts.begin(), prediction.parts.end()) -
                               prediction.parts.begin());
  return concat(fixed(100 * prediction.parts[largest] / prediction.seconds, 0), " % of it for ",
                term_names[largest]);
}

}  // namespace detail

/// What a plan keeps for new values, as the end of its reason.
inline std::string explain_value_map(std::uint64_t bytes) {
  return detail::concat(" For update() with new values it keeps ",
                        human_bytes(static_cast<double>(bytes)), " more.");
}

/// Why formats that would add up A's duplicates are not in the ranking of a plan that keeps a value
/// map, as the end of its reason.
inline std::string explain_duplicates(std::int64_t count) {
  return detail::concat(" BSR was left out: it would add up ", count,
                        count == 1 ? " duplicate entry" : " duplicate entries",
                        " of A, whose new values would have no place of their own.");
}

/// Why the first of a ranking is first, in one sentence.
inline std::string explain(const std::vector<Prediction>& ranking, const Workload& workload) {
  const Prediction& best = ranking.front();
  std::string text =
      detail::concat(detail::described(best), " should take ", human_seconds(best.seconds),
                     " a product, ", detail::share_of_largest_part(best));
  const Prediction* other =
      nullptr;  // that the choice has to be defended against: plain CSR, or what comes next
  for (const auto& prediction : ranking)
    if (prediction.format == "csr" && !prediction.choice.packed && &prediction != &best)
      other = &prediction;
  if (other == nullptr)
    for (const auto& prediction : ranking)
      if (prediction.choice.kernel != best.choice.kernel && prediction.fits && other == nullptr)
        other = &prediction;
  if (other == nullptr) return text + ".";
  const double ratio = other->seconds / best.seconds;
  if (ratio >= 1) {
    text += detail::concat("; ", detail::described(*other), " ", detail::fixed(ratio, 2),
                           " times as long, most of it for ",
                           term_names[detail::largest_excess(*other, best)]);
    if (best.setup_seconds > other->setup_seconds && best.format != "csr")
      text += detail::concat("; the conversion (", human_seconds(best.setup_seconds),
                             ") pays after ", detail::fixed(best.break_even, 0), " products");
  } else {
    text += detail::concat("; ", detail::described(*other), " would take ",
                           human_seconds(other->seconds), ", but its conversion (",
                           human_seconds(other->setup_seconds), ") does not pay within ",
                           detail::fixed(workload.products, 0), " products");
  }
  return text + ".";
}

}  // namespace fatvec
