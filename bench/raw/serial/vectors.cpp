// SPDX-License-Identifier: Apache-2.0
#include "raw/serial/vectors.hpp"

#include "harness/scalar.hpp"
#include "raw/host_vectors.hpp"
#include "raw/serial/space.hpp"

namespace fatvec::bench::inline FATVEC_BENCH_IN {

void add_raw_serial_vectors(Registry& registry) {
  raw::add_host_vectors<double, raw::SerialSpace>(
      registry, "raw-serial", "serial", raw::serial::statistics<double>, raw::serial::dot<double>);
  raw::add_host_vectors<int, raw::SerialSpace>(registry, "raw-serial", "serial",
                                               raw::serial::statistics<int>, raw::serial::dot<int>);
}

}  // namespace fatvec::bench::inline FATVEC_BENCH_IN
