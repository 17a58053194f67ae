// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The standard streams of both programs.
namespace fatvec::cli {

/// For the begin of main(). A standard stream that the caller closed would lend its number to the
/// next file, which then got the program's report. It is taken: writing to a closed standard output
/// fails, the others are /dev/null.
void reserve_standard_streams();

/// Throws Error where the standard output did not take all that was written to it.
void flush_standard_output();

}  // namespace fatvec::cli
