// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Core.hpp>
#include <string>
#include <vector>

#include <fatvec/formats/csr.hpp>

/// The matrices every kernel is tested on: the awkward ones, one of each generator, and small real
/// ones.
namespace fatvec::test {

using ZooMatrix = CsrMatrix<double, std::int32_t, Kokkos::DefaultHostExecutionSpace, std::int64_t>;

/// Names, known without building anything: tests are listed before Kokkos starts.
const std::vector<std::string>& zoo();
ZooMatrix zoo_matrix(const std::string& name);

/// The real matrices of the folder FATVEC_MATRICES; empty where the variable is not set.
std::vector<std::string> real_matrices();
ZooMatrix real_matrix(const std::string& path);

}  // namespace fatvec::test
