// SPDX-License-Identifier: Apache-2.0
#include "peers/kokkoskernels_no_transpose.hpp"

#if defined(FATVEC_BENCH_KOKKOSKERNELS_INSTANCES)
namespace fatvec::bench::instances::inline FATVEC_BENCH_IN {

#if defined(KOKKOS_ENABLE_CUDA)
template auto vector_product<Kokkos::Cuda, default_layout>();
template auto multivector_product<Kokkos::Cuda, Kokkos::LayoutLeft>();
#endif
template auto vector_product<Kokkos::DefaultHostExecutionSpace, default_layout>();
template auto multivector_product<Kokkos::DefaultHostExecutionSpace, Kokkos::LayoutLeft>();

}  // namespace fatvec::bench::instances::inline FATVEC_BENCH_IN
#endif
