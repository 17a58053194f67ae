// SPDX-License-Identifier: Apache-2.0
#include "raw/textbook.hpp"
#include "raw/serial/space.hpp"

namespace fatvec::bench::inline FATVEC_BENCH_IN {
namespace {

struct SerialLoop {
  template <class Body>
  void operator()(std::int64_t count, const Body& body) const {
    for (std::int64_t i = 0; i < count; ++i) body(i);
  }
};

}  // namespace

void add_raw_serial_textbook(Registry& registry) {
  const raw::textbook::Family<raw::SerialSpace, SerialLoop> family{
      .name = "raw-serial", .backend = "serial", .settings = {}, .loop = {}};
  family.add_all(registry);
  family.add_columns(registry);
}

}  // namespace fatvec::bench::inline FATVEC_BENCH_IN
