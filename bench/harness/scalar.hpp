// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The contenders are compiled once for each scalar of the benchmark, double or float, which
/// bench/CMakeLists.txt defines as FATVEC_BENCH_SCALAR. What reads Scalar is in the inline
/// namespace FATVEC_BENCH_IN, in_double or in_float: one program has both.
#define FATVEC_BENCH_JOINED(a, b) a##b
#define FATVEC_BENCH_NAMESPACE(scalar) FATVEC_BENCH_JOINED(in_, scalar)
#define FATVEC_BENCH_IN FATVEC_BENCH_NAMESPACE(FATVEC_BENCH_SCALAR)

namespace fatvec::bench::inline FATVEC_BENCH_IN {

/// Of A, X, Y and all sums.
using Scalar = FATVEC_BENCH_SCALAR;

}  // namespace fatvec::bench::inline FATVEC_BENCH_IN
