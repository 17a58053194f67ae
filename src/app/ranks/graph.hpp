// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Core.hpp>
#include <functional>

/// Products that are enqueued once and launched often. Of CUDA; hosts have nothing of the kind.
namespace fatvec::ranks {

/// An instance whose work can be captured: the default one's cannot.
Kokkos::DefaultExecutionSpace capturable_instance();

/// A function that launches, on exec, the CUDA graph of what `enqueue` gives to exec now; `enqueue`
/// must have run before, and neither allocate nor wait. On hosts: enqueue itself. Throws Error
/// where CUDA refuses.
std::function<void()> captured(const Kokkos::DefaultExecutionSpace& exec,
                               const std::function<void()>& enqueue);

}  // namespace fatvec::ranks
