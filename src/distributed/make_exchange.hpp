// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include <fatvec/distributed/exchange.hpp>

namespace fatvec::distributed {

/// The exchange for buffers in memory of ExecSpace. Collective.
template <class ExecSpace>
std::unique_ptr<Exchange<ExecSpace>> make_exchange(const Communicator& communicator,
                                                   const HaloPlan& plan) {
  return std::make_unique<MpiExchange<ExecSpace>>(communicator, plan);
}

}  // namespace fatvec::distributed
