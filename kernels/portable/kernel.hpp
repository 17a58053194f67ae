// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <type_traits>

#include <fatvec/formats/multivector.hpp>
#include <fatvec/kernels/portable/launch.hpp>
#include <fatvec/kernels/portable/policy.hpp>
#include <fatvec/kernels/shared/entries.hpp>
#include <fatvec/kernels/shared/output.hpp>

namespace fatvec::detail {

/// The portable kernel of a format; Kernel adds its name and the label of its launches.
template <class Kernel, template <class...> class Format,
          class OnDevices = portable::WholeRowPolicy>
struct PortableKernel {  // NOLINT(bugprone-crtp-constructor-accessibility)
  template <class Scalar, class Ordinal, class Device, class Offset>
  using Matrix = Format<Scalar, Ordinal, Device, Offset>;
  using HostPolicy = portable::HostPolicy;
  using DevicePolicy = OnDevices;
  static constexpr bool portable = true;

  /// Plans choose among the specialised kernels, or what `fatvec tune` found.
  template <class Scalar, class ExecSpace>
  static bool is_recommended(const ExecSpace&) {
    return false;
  }

  template <class S>
  static auto entries(const S& a) {
    return RowEntries<S>(a);
  }

  template <class ExecSpace, class Policy, class S, class T>
  static void run(const ExecSpace& exec, const Policy& asked, const S& a, const Operand<const T>& x,
                  const Epilogue<T>& epilogue, std::int64_t k) {
    constexpr bool host = std::is_same_v<Policy, HostPolicy>;
    portable::multiply<host>(Kernel::label, exec, asked, Kernel::entries(a), x, epilogue, k);
  }
};

}  // namespace fatvec::detail
