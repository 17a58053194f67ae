// SPDX-License-Identifier: Apache-2.0
#include <fatvec/formats/csr.hpp>

#include "raw/openmp/row_product.hpp"

namespace fatvec::bench::inline FATVEC_BENCH_IN {

/// CSR; with many cores schedule:shares is the one to beat, prefetch_distance:40
/// where columns are scattered.
void add_raw_openmp_csr(Registry& registry) {
  using Kind = raw::Schedule::Kind;
  const auto add = [&](const raw::Schedule& schedule, const char* name) {
    registry.add(raw::contender<raw::CsrRows, CsrMatrix>("csr", schedule, {{"schedule", name}}));
  };
  add({Kind::even}, "static");
  add({Kind::balanced}, "balanced");
  add({Kind::guided, 16}, "guided");
  add({Kind::shares}, "shares");
  registry.add(raw::contender<raw::CsrRows, CsrMatrix>(
      "csr", {Kind::shares}, {{"schedule", "shares"}, {"prefetch_distance", "40"}}, {}, 40));
  raw::add_dynamic<raw::CsrRows, CsrMatrix>(registry, "csr");
}

}  // namespace fatvec::bench::inline FATVEC_BENCH_IN
