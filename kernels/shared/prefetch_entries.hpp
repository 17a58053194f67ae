// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fatvec/core/macros.hpp>

namespace fatvec::detail {

/// Entries between the one that is multiplied and the one that is prefetched: with few columns a
/// CPU's own prefetching of A is late.
inline constexpr int prefetched_ahead = 384;

/// Prefetches the values and columns of the entries `prefetched_ahead` further on. Not to be called
/// by a function that does nothing else: GCC takes one for a function without effects, and drops
/// the call.
template <class Value, class Ordinal>
FATVEC_FORCEINLINE_FUNCTION void prefetch_entries(const Value* values, const Ordinal* entries) {
  FATVEC_PREFETCH(values + prefetched_ahead);
  FATVEC_PREFETCH(entries + prefetched_ahead);
}

}  // namespace fatvec::detail
