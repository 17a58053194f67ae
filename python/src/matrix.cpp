// SPDX-License-Identifier: Apache-2.0
#include "matrix.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/unique_ptr.h>

#include "bind.hpp"
#include "spaces.hpp"

namespace fatvec::python {
namespace {

template <class T, class Exec>
void bind_matrix(nb::module_& m, nb::dict& classes, const char* scalar, const char* device) {
  using M = Matrix<T, Exec>;
  const std::string name = detail::concat("Matrix_", scalar, "_", device);
  nb::class_<M> type(m, name.c_str());
  type.def(nb::init<std::int32_t, std::int32_t, Readable, Readable, Readable>(), nb::arg("rows"),
           nb::arg("cols"), nb::arg("indptr"), nb::arg("indices"), nb::arg("data"))
      .def("multiply_op", &M::multiply_op, nb::arg("op"), nb::arg("alpha"), nb::arg("x"),
           nb::arg("beta"), nb::arg("y"), nb::arg("stream") = 0)
      .def("transposed", &M::transposed)
      .def_prop_ro("rows", [](const M& a) { return a.get().rows(); })
      .def_prop_ro("cols", [](const M& a) { return a.get().cols(); })
      .def_prop_ro("nnz", [](const M& a) { return a.get().nnz(); });
  def_products(type);
  classes[nb::make_tuple(scalar, device)] = type;
}

}  // namespace

void bind_matrices(nb::module_& m) {
  nb::enum_<Op>(m, "Op")
      .value("none", Op::none)
      .value("transpose", Op::transpose)
      .value("conjugate_transpose", Op::conjugate_transpose);
  nb::dict classes;
#define FATVEC_BIND(T, Space, scalar, device) bind_matrix<T, Space>(m, classes, scalar, device);
  FATVEC_PYTHON_TYPES(FATVEC_BIND)
#undef FATVEC_BIND
  m.attr("matrices") = classes;
}

}  // namespace fatvec::python
