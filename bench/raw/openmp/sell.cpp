// SPDX-License-Identifier: Apache-2.0
#include <fatvec/formats/sell.hpp>

#include "raw/openmp/row_product.hpp"
#include "raw/openmp/sliced_rows.hpp"

namespace fatvec::bench::inline FATVEC_BENCH_IN {

/// SELL, one column by gathers for the rows of a slice, whole slices to a thread;
/// schedule:balanced is the one to beat.
void add_raw_openmp_sell(Registry& registry) {
  using Kind = raw::Schedule::Kind;
  for (const auto& [kind, name] :
       {std::pair{Kind::guided, "guided"}, {Kind::balanced, "balanced"}}) {
    registry.add_with_sweep(
        raw::contender<raw::SellRows, SellMatrix>("sell", {kind}, {{"schedule", name}}));
  }
}

}  // namespace fatvec::bench::inline FATVEC_BENCH_IN
