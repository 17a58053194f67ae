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
    with_columns(x, k, [&]<Columns columns>(const MultiVectorSpan<const T, columns>& of_x) {
      constexpr bool host = is_host<ExecSpace>;
      constexpr bool strided = columns == Columns::strided;
      const portable::Work work{.host = host,
                                .strided = strided,
                                .contiguous_rows = Entries::contiguous,
                                .long_rows = entries.has_long_rows,
                                .rows = entries.count(),
                                .mean_length = entries.mean_length,
                                .k = k};
      const portable::Choice policy = portable::chosen(asked, work);
      const bool fits = host || strided || portable::takes(policy.width, x.data, x.row_stride);
      const int wanted = fits ? policy.width : k < 3 ? 1 : 3;  // tiles of single columns
      portable::with_tile<host, columns>(wanted, [&]<int width>(Width<width>) {
        portable::with_lanes<ExecSpace, Entries>(policy, [&]<bool shares_rows>(
                                                             std::bool_constant<shares_rows>) {
          const int step = host ? static_cast<int>(k) : width;
          portable::launch(Kernel::label, exec, policy,
                           portable::RowKernel<ExecSpace, Entries, T, columns, width, shares_rows>{
                               .a = entries,
                               .x = of_x,
                               .epilogue = epilogue,
                               .k = static_cast<int>(k),
                               .step = step,
                               .items_of_row = static_cast<int>((k + step - 1) / step)});
        });
      });
    });
  }
};

}  // namespace fatvec::detail
