// SPDX-License-Identifier: Apache-2.0
#include <nanobind/nanobind.h>
#include <unistd.h>

#include <Kokkos_Core.hpp>
#include <exception>
#include <set>
#include <string>

#include <fatvec/core/error.hpp>
#include <fatvec/version.hpp>

#include "bind.hpp"
#include "session.hpp"

namespace fatvec::python {

std::mutex Turn::mutex_;

namespace {

std::set<Kept*>& all_kept() {
  static std::set<Kept*> kept;
  return kept;
}

int& gpu_of_kokkos() {
  static int id = -1;
  return id;
}

/// The process that started Kokkos: in a child that forked it has no threads to end.
pid_t& process() {
  static pid_t id = 0;
  return id;
}

void end_kokkos() {
  if (process() != getpid()) return;
  const Turn turn;  // other threads may be multiplying
  {
    const nb::gil_scoped_acquire with_gil;  // they may also make and drop matrices
    for (Kept* const one : all_kept()) one->let_go();
  }
  if (Kokkos::is_initialized()) Kokkos::finalize();
}

}  // namespace

Kept::Kept() {
  all_kept().insert(this);
}
Kept::~Kept() {
  all_kept().erase(this);
}

void require_kokkos() {
  if (Kokkos::is_finalized()) throw Error("Python is ending: nothing is multiplied any more.");
}

int gpu() {
  return gpu_of_kokkos();
}

void start_kokkos() {
  require_kokkos();
  const bool runs = Kokkos::is_initialized();
  if (!runs) Kokkos::initialize(Kokkos::InitializationSettings().set_disable_warnings(true));
  gpu_of_kokkos() = Kokkos::device_id();
  if (runs) return;
  process() = getpid();
  nb::module_::import_("atexit").attr("register")(nb::cpp_function(&end_kokkos));
}

namespace {

/// Python's classes of fatvec's errors: each is a fatvec.Error, and the exception that Python has
/// for such things.
struct ErrorTypes {
  PyObject* shape;
  PyObject* input;
  PyObject* usage;
  PyObject* capacity;
  PyObject* error;
};

PyObject* new_error(nb::module_& m, const char* name, const nb::object& bases, const char* doc) {
  const std::string full = detail::concat("fatvec.", name);
  PyObject* type = PyErr_NewExceptionWithDoc(full.c_str(), doc, bases.ptr(), nullptr);
  if (type == nullptr) throw nb::python_error();
  m.attr(name) = nb::handle(type);
  return type;
}

/// what(), without the empty labels of Views that are arrays of Python's.
std::string text_of(const std::exception& error) {
  std::string text = error.what();
  constexpr std::string_view no_label = " ()";
  for (std::size_t at = 0; (at = text.find(no_label, at)) != std::string::npos;)
    text.erase(at, no_label.size());
  return text;
}

ErrorTypes& error_types() {
  static ErrorTypes types{};
  return types;
}

void translate(const std::exception_ptr& thrown, void*) {
  const ErrorTypes& types = error_types();
  try {
    std::rethrow_exception(thrown);
  } catch (const ShapeError& error) {
    PyErr_SetString(types.shape, text_of(error).c_str());
  } catch (const InputError& error) {
    PyErr_SetString(types.input, text_of(error).c_str());
  } catch (const UsageError& error) {
    PyErr_SetString(types.usage, text_of(error).c_str());
  } catch (const CapacityError& error) {
    PyErr_SetString(types.capacity, text_of(error).c_str());
  } catch (const Error& error) {
    PyErr_SetString(types.error, text_of(error).c_str());
  }
}

}  // namespace

void bind_errors(nb::module_& m) {
  ErrorTypes& types = error_types();
  const auto base = nb::make_tuple(nb::handle(PyExc_Exception));
  types.error = new_error(m, "Error", base, "Whatever fatvec raises by itself.");
  const nb::handle error(types.error);
  const auto value_error = nb::make_tuple(error, nb::handle(PyExc_ValueError));
  const auto memory_error = nb::make_tuple(error, nb::handle(PyExc_MemoryError));
  types.shape = new_error(m, "ShapeError", value_error,
                          "Operands do not conform: extents, aliasing, strides. A ValueError.");
  types.input = new_error(m, "InputError", value_error,
                          "What a matrix is made of makes no sense. A ValueError.");
  types.usage = new_error(m, "UsageError", value_error,
                          "A name or an option that nobody knows. A ValueError.");
  types.capacity = new_error(m, "CapacityError", memory_error,
                             "Something would not fit, or a count is beyond 32 bits. A "
                             "MemoryError.");
  nb::register_exception_translator(translate);
}

}  // namespace fatvec::python

NB_MODULE(_core, m) {
  using namespace fatvec::python;
  nb::set_leak_warnings(false);  // Python may end before its matrices
  m.attr("__version__") = FATVEC_VERSION_STRING;
  m.def("threads", [] {
    start_kokkos();
    return Kokkos::DefaultHostExecutionSpace().concurrency();
  });
  m.attr("backend") = Kokkos::DefaultExecutionSpace::name();
  bind_errors(m);
  bind_matrices(m);
  bind_plans(m);
}
