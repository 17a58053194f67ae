// SPDX-License-Identifier: Apache-2.0
#include <fatvec/formats/jad.hpp>

#include "raw/openmp/row_product.hpp"

namespace fatvec::bench::inline FATVEC_BENCH_IN {
namespace {

/// The rows in equal numbers to the threads, as in Stec and Stpiczyński; schedule:balanced is the
/// one to beat, for the long rows come first.
template <template <class...> class Format>
void add_jagged(Registry& registry, const char* format) {
  using Kind = raw::Schedule::Kind;
  registry.add_with_sweep(
      raw::contender<raw::JadRows, Format>(format, {Kind::even}, {{"schedule", "static"}}));
  registry.add_with_sweep(
      raw::contender<raw::JadRows, Format>(format, {Kind::balanced}, {{"schedule", "balanced"}}));
}

}  // namespace

void add_raw_openmp_jad(Registry& registry) {
  add_jagged<JadMatrix>(registry, "jad");
  add_jagged<PjadMatrix>(registry, "pjad");
}

}  // namespace fatvec::bench::inline FATVEC_BENCH_IN
