// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include "session.hpp"

/// What the module's units add to it.
namespace fatvec::python {

void bind_errors(nb::module_& m);
void bind_matrices(nb::module_& m);
void bind_plans(nb::module_& m);

/// The products of a matrix or of a plan (products.hpp) as methods.
template <class M>
void def_products(nb::class_<M>& type) {
  type.def("multiply", &M::multiply, nb::arg("alpha"), nb::arg("x"), nb::arg("beta"), nb::arg("y"),
           nb::arg("stream") = 0)
      .def("residual", &M::form_residual, nb::arg("b"), nb::arg("x"), nb::arg("r"),
           nb::arg("norms").none(), nb::arg("stream") = 0)
      .def("multiply_and_dot", &M::multiply_and_dot, nb::arg("alpha"), nb::arg("x"),
           nb::arg("beta"), nb::arg("y"), nb::arg("dots"), nb::arg("stream") = 0);
}

}  // namespace fatvec::python
