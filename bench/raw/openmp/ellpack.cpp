// SPDX-License-Identifier: Apache-2.0
#include <fatvec/formats/ellpack.hpp>

#include "raw/openmp/row_product.hpp"

namespace fatvec::bench::inline FATVEC_BENCH_IN {

/// ELLPACK, its rows being alike; schedule:static is the one to beat.
void add_raw_openmp_ellpack(Registry& registry) {
  using Rows = raw::EllRows<raw::StorageOrder::row_major>;
  registry.add(raw::contender<Rows, EllMatrix>("ellpack", {raw::Schedule::Kind::even},
                                               {{"schedule", "static"}}));
  raw::add_dynamic<Rows, EllMatrix>(registry, "ellpack");
}

}  // namespace fatvec::bench::inline FATVEC_BENCH_IN
