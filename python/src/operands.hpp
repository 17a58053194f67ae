// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nanobind/ndarray.h>

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <string>
#include <type_traits>

#include <fatvec/core/error.hpp>
#include <fatvec/core/execution.hpp>

#include "session.hpp"

/// Arrays of NumPy, CuPy and PyTorch as Views of the same memory.
namespace fatvec::python {

namespace nb = nanobind;

using Readable = nb::ndarray<nb::ro>;
using Writable = nb::ndarray<>;

/// X, Y and the like: the array's own memory, with its strides.
template <class T, class Exec>
using Multivector =
    Kokkos::View<T**, Kokkos::LayoutStride, Exec, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
/// An array of rank 1 whose elements are neighbours.
template <class T, class Exec>
using Vector = Kokkos::View<T*, Exec, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;

/// Throws Python's TypeError unless the array is of T and where Exec computes.
template <class T, class Exec, class Array>
void require_type(const char* name, const Array& array) {
  using detail::concat;
  constexpr bool host = detail::is_host<Exec>;
  if (array.dtype() != nb::dtype<std::remove_const_t<T>>())
    throw nb::type_error(concat(name, " has another scalar type than ",
                                std::is_integral_v<T> ? "int" : "float", 8 * sizeof(T),
                                "; nothing is converted.")
                             .c_str());
  const int wanted = host ? nb::device::cpu::value : nb::device::cuda::value;
  const bool managed = !host && array.device_type() == nb::device::cuda_managed::value;
  if (array.device_type() != wanted && !managed)
    throw nb::type_error(
        concat(name, " is not in the memory of the ", host ? "CPU" : "GPU", ", where A is.")
            .c_str());
  if (!host && !managed && array.device_id() != gpu())
    throw nb::type_error(
        concat(name, " is on GPU ", array.device_id(), ", and fatvec computes on GPU ", gpu(), ".")
            .c_str());
}

/// The first element. What is read may be asked for as T that is not const, as the types of
/// CsrMatrix want it.
template <class T, class Array>
T* address(const Array& array) {
  return static_cast<T*>(const_cast<void*>(static_cast<const void*>(array.data())));
}

/// The array as rows × columns, of rank 1 as one column. Throws ShapeError for another rank, or
/// strides that are negative.
template <class T, class Exec, class Array>
Multivector<T, Exec> multivector(const char* name, const Array& array) {
  require_type<T, Exec>(name, array);
  if (array.ndim() != 1 && array.ndim() != 2)
    throw ShapeError(detail::concat("spmm: ", name, " has ", array.ndim(),
                                    " dimensions; 1 (one column) or 2 are wanted."));
  const std::size_t rows = array.shape(0);
  const std::size_t columns = array.ndim() == 2 ? array.shape(1) : 1;
  std::int64_t row = array.stride(0);
  std::int64_t column = array.ndim() == 2 ? array.stride(1) : 1;
  // Where there is no second element, NumPy says nothing of the distance to it.
  if (columns <= 1) column = 1;
  if (rows <= 1) row = column == 1 ? static_cast<std::int64_t>(columns) : 1;
  if (rows == 0 || columns == 0) {
    row = static_cast<std::int64_t>(columns);
    column = 1;
  }
  if (row < 0 || column < 0)
    throw ShapeError(detail::concat("spmm: ", name, " has strides of ", row, " and ", column,
                                    " elements; negative ones cannot be used: pass a copy."));
  return Multivector<T, Exec>(address<T>(array),
                              Kokkos::LayoutStride(rows, static_cast<std::size_t>(row), columns,
                                                   static_cast<std::size_t>(column)));
}

/// The array as neighbouring elements. Throws ShapeError for another rank or a stride.
template <class T, class Exec, class Array>
Vector<T, Exec> vector(const char* name, const Array& array) {
  require_type<T, Exec>(name, array);
  if (array.ndim() != 1 || (array.shape(0) > 1 && array.stride(0) != 1))
    throw ShapeError(detail::concat(
        name, " has ", array.ndim(), " dimensions",
        array.ndim() == 1 ? detail::concat(" and a stride of ", array.stride(0)) : std::string(),
        "; one dimension and a stride of 1 are wanted, as of a copy."));
  return Vector<T, Exec>(address<T>(array), array.shape(0));
}

}  // namespace fatvec::python
