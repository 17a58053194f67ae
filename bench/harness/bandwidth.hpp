// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace fatvec::bench {

/// One measured pattern of streaming through memory.
struct Stream {
  std::string device;   ///< host, cuda
  std::string pattern;  ///< read, copy, triad
  double gbs = 0;       ///< best of several passes, 1e9 bytes per second
};

/// Main-memory bandwidth of each device, measured in the run that it bounds: on the host with all
/// threads, also for contenders on one core, so that all fractions of a run share one yardstick.
struct Bandwidths {
  std::vector<Stream> streams;

  /// The fastest pattern of the backend's device, GB/s.
  [[nodiscard]] double bound(const std::string& backend) const;
};

/// Bytes that can still be allocated where the backend computes.
std::uint64_t free_bytes(const std::string& backend);

/// Bytes of all last-level caches of the host that the process may use.
double last_level_cache_bytes();
/// The same of what a backend runs on: of a GPU its second-level cache.
double cache_bytes(const std::string& backend);

/// Host: read, copy and triad with streaming stores (no write-allocate), over arrays of four times
/// the last-level cache each. GPU: a copy. quick: small arrays, one pass; for --dry-run, where the
/// numbers only fill their places.
Bandwidths measure_bandwidths(bool quick);

}  // namespace fatvec::bench
