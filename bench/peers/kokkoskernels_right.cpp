// SPDX-License-Identifier: Apache-2.0
#include "peers/kokkoskernels_no_transpose.hpp"

#if defined(FATVEC_BENCH_KOKKOSKERNELS_INSTANCES)
namespace fatvec::bench::instances::inline FATVEC_BENCH_IN {

#if defined(KOKKOS_ENABLE_CUDA)
template auto multivector_product<Kokkos::Cuda, Kokkos::LayoutRight>();
#endif
template auto multivector_product<Kokkos::DefaultHostExecutionSpace, Kokkos::LayoutRight>();

}  // namespace fatvec::bench::instances::inline FATVEC_BENCH_IN
#endif
