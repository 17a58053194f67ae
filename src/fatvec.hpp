// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Everything of fatvec::fatvec: formats and kernels.

#include <fatvec/core/error.hpp>
#include <fatvec/formats/assemble.hpp>
#include <fatvec/formats/bittcf.hpp>
#include <fatvec/formats/bsr.hpp>
#include <fatvec/formats/coo.hpp>
#include <fatvec/formats/csr.hpp>
#include <fatvec/formats/ellpack.hpp>
#include <fatvec/formats/hll.hpp>
#include <fatvec/formats/jad.hpp>
#include <fatvec/formats/multivector.hpp>
#include <fatvec/formats/sell.hpp>
#include <fatvec/formats/sliced_dia.hpp>
#include <fatvec/formats/transpose.hpp>
#include <fatvec/kernels/registry.hpp>
#include <fatvec/kernels/sliced_dia.hpp>
#include <fatvec/kernels/spmm.hpp>
#include <fatvec/plan/convert.hpp>
#include <fatvec/plan/plan.hpp>
#include <fatvec/statistics/vector_statistics.hpp>
