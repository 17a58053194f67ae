// SPDX-License-Identifier: Apache-2.0
#pragma once

/// What is compiled once, in the library fatvec::kernels. Whoever links it gets
/// FATVEC_KERNELS_LIBRARY defined; without that definition everything is compiled by its users, and
/// nothing here takes effect.
///
/// A header describes the explicit instantiation of its functions by a macro, and declares them
/// `extern template` for each execution space, scalar and offset of the library:
///
///     #define FATVEC_LAUNCH(how, Space, Scalar, Offset, Kernel) how template void launch<...>(...);
///     FATVEC_EXTERN(FATVEC_LAUNCH, CsrRow)
///
/// They are host functions that launch, never classes with device members: no relocatable device
/// code is needed. cmake/kernels.cmake writes the list, <fatvec/instantiations.hpp>, from
/// FATVEC_INSTANTIATE, and one source file for each instance, in which `how` is empty.

#if defined(FATVEC_KERNELS_LIBRARY)
#include <fatvec/instantiations.hpp>
#define FATVEC_EXTERN(MACRO, ...) FATVEC_INSTANCES(MACRO, extern __VA_OPT__(, ) __VA_ARGS__)
#define FATVEC_EXTERN_ON_SPACES(MACRO) FATVEC_COMPILED_SPACES(MACRO, extern)
#define FATVEC_EXTERN_FOR_SCALARS(MACRO) FATVEC_COMPILED_SCALARS(MACRO, extern)
#else
#define FATVEC_EXTERN(MACRO, ...)
#define FATVEC_EXTERN_FOR_SCALARS(MACRO)
#define FATVEC_EXTERN_ON_SPACES(MACRO)
#endif
