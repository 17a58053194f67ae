// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace fatvec::cli {

/// A kernel's policy as people say it: "row by row, tiles of 4 columns, 2 threads a row" for
/// "form:range/width:4/threads_per_row:2". Settings that are left to the kernel (zeros) are not
/// named. A setting that is unknown here is kept as it is, so that nothing is lost.
std::string words_of_policy(std::string_view policy);

}  // namespace fatvec::cli
