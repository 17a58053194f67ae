// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The extensions of x86-64 that compilers use unasked: the macro that is predefined for each, and
/// its name. Those that only intrinsics reach are left out: processors of one kind differ in them.
#define FATVEC_PROCESSOR_FEATURES(DO)        \
  DO(__SSE3__, "sse3")                       \
  DO(__SSSE3__, "ssse3")                     \
  DO(__SSE4_1__, "sse4.1")                   \
  DO(__SSE4_2__, "sse4.2")                   \
  DO(__POPCNT__, "popcnt")                   \
  DO(__FMA4__, "fma4")                       \
  DO(__XOP__, "xop")                         \
  DO(__AVX__, "avx")                         \
  DO(__AVX2__, "avx2")                       \
  DO(__FMA__, "fma")                         \
  DO(__BMI__, "bmi")                         \
  DO(__BMI2__, "bmi2")                       \
  DO(__AVX512F__, "avx512f")                 \
  DO(__AVX512CD__, "avx512cd")               \
  DO(__AVX512BW__, "avx512bw")               \
  DO(__AVX512DQ__, "avx512dq")               \
  DO(__AVX512VL__, "avx512vl")               \
  DO(__AVX512VBMI__, "avx512vbmi")           \
  DO(__AVX512VBMI2__, "avx512vbmi2")         \
  DO(__AVX512VNNI__, "avx512vnni")           \
  DO(__AVX512BITALG__, "avx512bitalg")       \
  DO(__AVX512VPOPCNTDQ__, "avx512vpopcntdq") \
  DO(__GFNI__, "gfni")

namespace fatvec::detail {

/// For each feature, in this order, whether fatvec::kernels was compiled with it
/// (src/core/processor_features.cpp).
extern const bool compiled_features[];

/// Units of fatvec::kernels refer to it, so that a static link, too, has the check of the processor
/// (src/core/processor.cpp).
extern const int processor_check;

}  // namespace fatvec::detail
