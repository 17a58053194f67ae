# SPDX-License-Identifier: Apache-2.0
# cuSPARSE of the CUDA toolkit: CUDA::cusparse
include("${CMAKE_CURRENT_LIST_DIR}/cuda_toolkit_library.cmake")
fatvec_find_cuda_library(CuSparse cusparse cusparse.h CUSPARSE_VER)
