# SPDX-License-Identifier: Apache-2.0
# cuBLAS of the CUDA toolkit: CUDA::cublas
include("${CMAKE_CURRENT_LIST_DIR}/cuda_toolkit_library.cmake")
fatvec_find_cuda_library(CuBlas cublas cublas_api.h CUBLAS_VER)
