// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>

#include <fatvec/core/execution.hpp>
#include <fatvec/formats/multivector.hpp>
#include <fatvec/kernels/portable/launch.hpp>
#include <fatvec/kernels/portable/policy.hpp>
#include <fatvec/kernels/portable/row_kernel.hpp>
#include <fatvec/kernels/shared/entries.hpp>
#include <fatvec/kernels/shared/output.hpp>
#include <fatvec/kernels/shared/static_for.hpp>

namespace fatvec::detail {

/// The portable kernel of a format; Kernel adds its name, the label of its launches and the format.
template <class Kernel>
struct PortableKernel {  // NOLINT(bugprone-crtp-constructor-accessibility)
  using HostPolicy = portable::HostPolicy;
  using DevicePolicy = portable::DevicePolicy;
  static constexpr bool portable = true;

  template <class ExecSpace>
  static std::optional<std::string> unsupported(const ExecSpace&, std::int64_t) {
    return std::nullopt;
  }

  /// Plans choose among the specialised kernels, or what `fatvec tune` found.
  template <class Scalar, class ExecSpace>
  static bool suits(const ExecSpace&) {
    return false;
  }

  template <class S>
  static auto entries(const S& a) {
    return RowEntries<S>(a);
  }

  template <class ExecSpace, class S, class T>
  static void run(const ExecSpace& exec, const portable::Choice& asked, const S& a,
                  const Operand<const T>& x, const Epilogue<T>& epilogue, std::int64_t k) {
    require_near_rows(Kernel::label, x);
    const auto entries = Kernel::entries(a);
    using Entries = std::remove_const_t<decltype(entries)>;
    const portable::Choice policy =
        portable::chosen(asked, is_host<ExecSpace>, entries.has_long_rows, k);
    with_columns(x, k, [&]<Columns columns>(const MultiVectorSpan<const T, columns>& of_x) {
      const bool host = is_host<ExecSpace>;
      const bool apart = columns == Columns::strided;
      const bool fits = host || apart || portable::takes(policy.width, x.data, x.row_stride);
      const int wanted = fits ? policy.width : 1;
      portable::with_tile<host, columns>(wanted, [&]<int width>(Width<width>) {
        const int step = host ? static_cast<int>(k) : width;
        portable::launch(Kernel::label, exec, policy,
                         portable::RowKernel<ExecSpace, Entries, T, columns, width>{
                             .a = entries,
                             .x = of_x,
                             .epilogue = epilogue,
                             .k = static_cast<int>(k),
                             .step = step,
                             .items_of_row = static_cast<int>((k + step - 1) / step)});
      });
    });
  }
};

}  // namespace fatvec::detail
