// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <fatvec/core/instantiate.hpp>
#include <fatvec/core/memory.hpp>
#include <fatvec/kernels/registry.hpp>

namespace fatvec {

/// A matrix's size in one format.
struct FormatFootprint {
  std::string_view format;
  Footprint footprint;
};

/// The sizes of a CSR matrix in every format that a registered kernel multiplies; computed in
/// parallel; sorted formats take three indices a row for as long.
template <class ExecSpace, class Scalar, class Ordinal, class Device, class Offset>
std::vector<FormatFootprint> footprints(const ExecSpace& exec,
                                        const CsrMatrix<Scalar, Ordinal, Device, Offset>& csr,
                                        const FormatOptions& options = {}) {
  std::vector<FormatFootprint> list;
  for_each_kernel([&](auto kernel) {
    using Format = typename decltype(kernel)::template Matrix<Scalar, Ordinal, Device, Offset>;
    const auto listed = [](const FormatFootprint& other) { return other.format == Format::name; };
    if (std::none_of(list.begin(), list.end(), listed))
      list.push_back({Format::name, Format::footprint(exec, csr, options)});
  });
  return list;
}

/// Format::from_csr, whose CapacityError here also names the formats that would fit.
template <SparseFormat Format, class ExecSpace, class Csr>
Format convert(const ExecSpace& exec, const Csr& csr, const FormatOptions& options = {}) {
  try {
    return Format::from_csr(exec, csr, options);
  } catch (const CapacityError& error) {
    const auto limit = static_cast<double>(
        options.memory_limit.value_or(free_memory<typename Format::memory_space>()));
    std::string fitting;
    for (const auto& [format, footprint] : footprints(exec, csr, options)) {
      if (format == Format::name || footprint.bytes > limit) continue;
      fitting += detail::concat(fitting.empty() ? " Formats that fit: " : ", ", format, " (",
                                human_bytes(footprint.bytes), ")");
    }
    throw CapacityError(error.what() +
                        (fitting.empty() ? " No other format fits." : fitting + "."));
  }
}

/// The same of a matrix of const arrays, such as CsrMatrix<const double>.
template <SparseFormat Format, class ExecSpace, class Scalar, class Ordinal, class Device,
          class Offset>
  requires detail::ConstArrays<Scalar, Ordinal>
Format convert(const ExecSpace& exec, const CsrMatrix<Scalar, Ordinal, Device, Offset>& csr,
               const FormatOptions& options = {}) {
  static_assert(std::string_view(Format::name) != "csr",
                "A is CSR already; where its arrays are to be changed, copy them");
  return convert<Format>(exec, detail::without_const(csr), options);
}

namespace detail {
template <class Format>
concept HasLayouts = requires { typename Format::template WithLayout<Kokkos::LayoutLeft>; };
}  // namespace detail

}  // namespace fatvec

#define FATVEC_CONVERT(how, Space, Scalar, Offset, Kernel)                                      \
  static_assert(                                                                                \
      !fatvec::detail::HasLayouts<fatvec::Kernel::Matrix<Scalar, std::int32_t, Space, Offset>>, \
      "this format has several layouts: name them, as LAYOUTS, in kernels/registry.cmake");     \
  how template fatvec::Kernel::Matrix<Scalar, std::int32_t, Space, Offset> fatvec::convert(     \
      const Space&, const fatvec::CsrMatrix<Scalar, std::int32_t, Space, Offset>&,              \
      const fatvec::FormatOptions&);
/// The same to a format in this Kokkos layout.
#define FATVEC_CONVERT_TO(how, Space, Scalar, Offset, Kernel, Layout)                          \
  how template fatvec::Kernel::Matrix<Scalar, std::int32_t, Space,                             \
                                      Offset>::WithLayout<Kokkos::Layout>                      \
  fatvec::convert(const Space&, const fatvec::CsrMatrix<Scalar, std::int32_t, Space, Offset>&, \
                  const fatvec::FormatOptions&);
FATVEC_CONVERSIONS(FATVEC_EXTERN)

#define FATVEC_FOOTPRINTS(how, Space, Scalar, Offset)                              \
  how template std::vector<fatvec::FormatFootprint> fatvec::footprints(            \
      const Space&, const fatvec::CsrMatrix<Scalar, std::int32_t, Space, Offset>&, \
      const fatvec::FormatOptions&);
FATVEC_EXTERN(FATVEC_FOOTPRINTS)
