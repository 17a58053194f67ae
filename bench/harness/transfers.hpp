// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

namespace fatvec::bench {

/// Of which backends copies of X and Y are timed: of none, of those that have a memory of their
/// own, or of all. On a CPU "all" copies from one array of the host to another.
enum class Transfers { none, device, all };

/// Bytes of X, and of Y before the product where beta != 0, on their way to the backend's memory,
/// and of Y on its way back; with the median seconds of each way from and to ordinary (pageable)
/// memory of the host and page-locked (pinned) memory. The host's caches hold neither before.
struct Copies {
  double bytes_in = 0;
  double bytes_out = 0;
  double in_seconds = 0;
  double out_seconds = 0;
  std::optional<double> pinned_in_seconds{};  ///< none on a CPU, which needs no such memory
  std::optional<double> pinned_out_seconds{};
};

/// Whether the backend multiplies in a memory that is not the host's.
bool has_own_memory(const std::string& backend);

/// Times the copies of operands of x_bytes and y_bytes. Of a backend that shares the host's memory
/// there are none, 0 bytes in 0 seconds, unless `transfers` is all; nothing comes back where it is
/// none, or where there is no room for the buffers. quick: once each.
std::optional<Copies> measure_copies(const std::string& backend, Transfers transfers,
                                     double x_bytes, double y_bytes, bool reads_y, bool quick);

}  // namespace fatvec::bench
