// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Core.hpp>
#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>

#include <fatvec/core/memory.hpp>
#include <fatvec/formats/detail/rows.hpp>

namespace fatvec {

/// The layout of padded arrays where none is named, as Kokkos has it for Views: LayoutRight on
/// hosts, where a contiguous row streams, LayoutLeft on GPUs, where neighbouring rows coalesce.
template <class Device>
using DefaultLayout = typename Device::execution_space::array_layout;

/// What a conversion may be told. A format ignores the fields that do not concern it.
struct FormatOptions {
  std::optional<std::uint64_t>
      memory_limit;             ///< bytes; default: the free memory of the matrix's space
  std::int64_t hack_size = 32;  ///< HLL: rows per hack, at least 1
  std::int64_t slice_size = 0;  ///< SELL: rows per slice (C), 0: on hosts as many as a vector
                                ///< register has elements, at least 4, on devices 32; pJAD: rows
                                ///< per block, 0: 32
  std::int64_t sort_window =
      1024;  ///< SELL: rows sorted by length among themselves (sigma), at least 1
  std::int64_t block_size = 0;  ///< BSR: rows and columns per block, 1 ... 16; 0: the fewest bytes
};

/// A sparse format is data: Views, a name, its sizes. It knows nothing of kernels.
///
/// Beside what is checked here, a format F<Scalar, Ordinal, Device, Offset> offers
///
///     static Footprint footprint(exec, csr, options)  its size, computed in parallel before anything is allocated
///     static F from_csr(exec, csr, options)           built where the CSR matrix lives, in parallel, no host round trip
///     CsrMatrix<...> to_csr(exec)                     the inverse, explicit zeros kept, padding dropped where keeps_pattern
///     std::array<detail::ArraySpan, n> arrays()       its arrays (may be left out: a Y that lies on one is not noticed then)
template <class F>
concept SparseFormat = requires(const F& matrix) {
  typename F::value_type;
  typename F::ordinal_type;
  typename F::offset_type;
  typename F::device_type;
  typename F::execution_space;
  typename F::memory_space;
  { F::name } -> std::convertible_to<std::string_view>;
  { F::keeps_pattern } -> std::convertible_to<bool>;
  { matrix.rows() } -> std::convertible_to<std::int64_t>;
  { matrix.cols() } -> std::convertible_to<std::int64_t>;
  {
    matrix.nnz()
  } -> std::convertible_to<std::int64_t>;  // entries of the matrix, explicit zeros included
  { matrix.stored_entries() } -> std::convertible_to<std::int64_t>;  // nnz plus padding
  { matrix.bytes() } -> std::convertible_to<std::uint64_t>;          // of all arrays
};

/// Stored entries that are not entries of the matrix, over the matrix's entries: 0 for CSR, 1 where
/// half the storage is padding.
template <SparseFormat F>
double padding_ratio(const F& matrix) {
  const auto nnz = static_cast<double>(matrix.nnz());
  return nnz == 0 ? 0.0 : (static_cast<double>(matrix.stored_entries()) - nnz) / nnz;
}

/// The types every format shares, from its template arguments. Those of CsrMatrix may be const: its
/// arrays are then Views of const elements.
template <class Scalar, class Ordinal, class Device, class Offset>
struct FormatTraits {
  static_assert(std::is_signed_v<Ordinal> && std::is_integral_v<Offset>);
  using value_type = std::remove_const_t<Scalar>;
  using ordinal_type = std::remove_const_t<Ordinal>;
  using offset_type = Offset;
  using device_type = typename Device::device_type;
  using execution_space = typename device_type::execution_space;
  using memory_space = typename device_type::memory_space;

  /// Whether the format can tell its padding from entries that are zero; if not, to_csr gives both
  /// back.
  static constexpr bool keeps_pattern = true;

  using Offsets = Kokkos::View<Offset*, device_type>;
  using ConstOffsets = Kokkos::View<const Offset*, device_type>;
  using Ordinals = Kokkos::View<Ordinal*, device_type>;
  using Scalars = Kokkos::View<Scalar*, device_type>;
};

namespace detail {

/// The same device in the spelling for which fatvec::kernels is compiled: the execution space, for
/// Device<Space, its own memory space>, too.
template <class Device>
using SpaceOf = std::conditional_t<
    std::is_same_v<typename Device::device_type, typename Device::execution_space::device_type>,
    typename Device::execution_space, Device>;

/// Part of a format's array as a matrix of its own: rows × slots, no ownership.
template <class T, class Layout, class Device>
using SlotView = Kokkos::View<T**, Layout, typename Device::device_type,
                              Kokkos::MemoryTraits<Kokkos::Unmanaged>>;

template <class Layout>
inline constexpr bool is_column_major = std::is_same_v<Layout, Kokkos::LayoutLeft>;
template <class Layout>
inline constexpr bool is_row_major = std::is_same_v<Layout, Kokkos::LayoutRight>;

template <class T>
inline constexpr bool is_complex = false;
template <class R>
inline constexpr bool is_complex<Kokkos::complex<R>> = true;

/// A new View that the caller fills: no wasted first write (and, on CPUs, the filling loop touches
/// it first). Throws CapacityError where there is no memory for it.
template <class View, class ExecSpace, class... Extents>
View allocate(const ExecSpace& exec, const std::string& label, Extents... extents) {
  return prefer_huge_pages(allocated([&] {
    return View(Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, label),
                static_cast<std::size_t>(extents)...);
  }));
}

/// The same, filled with zeros by exec.
template <class View, class ExecSpace, class... Extents>
View allocate_zeros(const ExecSpace& exec, const std::string& label, Extents... extents) {
  return allocated(
      [&] { return View(Kokkos::view_alloc(exec, label), static_cast<std::size_t>(extents)...); });
}

template <class View>
std::uint64_t view_bytes(const View& view) {
  return static_cast<std::uint64_t>(view.span()) * sizeof(typename View::value_type);
}

/// Where an array of a format lies.
struct ArraySpan {
  const char* name;
  const void* data;
  std::uint64_t bytes;
};
template <class View>
ArraySpan span_of_array(const char* name, const View& view) {
  return {name, view.data(), view_bytes(view)};
}

/// A format that tells where its arrays lie: products refuse a Y that lies on one of them.
template <class F>
concept HasArrays = requires(const F& matrix) { matrix.arrays().size(); };

template <HasArrays F>
std::uint64_t bytes_of_arrays(const F& matrix) {
  std::uint64_t bytes = 0;
  for (const ArraySpan& array : matrix.arrays()) bytes += array.bytes;
  return bytes;
}

}  // namespace detail
}  // namespace fatvec
