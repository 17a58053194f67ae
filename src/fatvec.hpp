// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Everything of fatvec::fatvec: formats and kernels (registry.hpp).

#include <fatvec/algebra/algebra.hpp>
#include <fatvec/core/error.hpp>
#include <fatvec/formats/assemble.hpp>
#include <fatvec/formats/coo.hpp>
#include <fatvec/formats/multivector.hpp>
#include <fatvec/formats/transpose.hpp>
#include <fatvec/fused/fused.hpp>
#include <fatvec/kernels/registry.hpp>
#include <fatvec/kernels/spmm.hpp>
#include <fatvec/plan/convert.hpp>
#include <fatvec/plan/plan.hpp>
#include <fatvec/plan/single_precision.hpp>
#include <fatvec/statistics/vector_statistics.hpp>
