// SPDX-License-Identifier: Apache-2.0
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fatvec/plan/plan.hpp>

#include "bind.hpp"
#include "matrix.hpp"
#include "spaces.hpp"

namespace fatvec::python {
namespace {

/// f(kernel) for each kernel of plans, as a value of its type.
template <class F>
void for_each_plan_kernel(const F& f) {
  [&]<class... Kernels>(TypeList<Kernels...>) { (f(Kernels{}), ...); }(PlanKernels{});
}

/// The formats of plans, and the kernel that each has where none is named.
std::vector<std::pair<std::string_view, std::string_view>> formats() {
  std::vector<std::pair<std::string_view, std::string_view>> list;
  for_each_plan_kernel([&](auto kernel) {
    using Format = detail::SampleMatrix<decltype(kernel)>;
    if (!is_portable<decltype(kernel)>) list.emplace_back(Format::name, kernel.name);
  });
  return list;
}

/// The policies that `tune` tries with a kernel; none for one that plans do not have.
template <class Exec>
std::vector<std::string> policies(std::string_view name) {
  std::vector<std::string> list;
  for_each_plan_kernel([&](auto kernel) {
    if (kernel.name != name) return;
    for (const auto& policy : PolicyOn<decltype(kernel), Exec>::tuning_range())
      list.push_back(policy.to_string());
  });
  return list;
}

template <class T, class Exec>
class PythonPlan : public Products<T, Exec, CsrPlan<T, std::int32_t, Exec, std::int32_t>> {
 public:
  using Plan = CsrPlan<T, std::int32_t, Exec, std::int32_t>;
  using Base = Products<T, Exec, Plan>;

  PythonPlan(const Matrix<T, Exec>& a, std::int64_t k, Layout layout, double products, Op op,
             const std::optional<std::string>& kernel, const std::string& policy, bool packed,
             bool keep_value_map)
      : Base(analysed(a, k, layout, products, op, kernel, policy, packed, keep_value_map)) {}

  using Base::get;

  /// Takes new values of A; a plan of CSR shares the array.
  void update(const Readable& data, std::uintptr_t stream) {
    const auto values = vector<T, Exec>("data", data);
    Readable kept = data;
    {
      const Turn turn;
      Plan& plan = get();
      plan.update(this->on_stream(stream),
                  typename Matrix<T, Exec>::Csr::Scalars(values.data(), values.extent(0)));
      std::swap(data_, kept);
    }
    // The values before go here, with Python's lock.
  }

  [[nodiscard]] nb::list ranking() const {
    nb::list list;
    for (const Prediction& p : this->get().ranking()) {
      nb::dict entry;
      entry["format"] = p.format;
      entry["kernel"] = p.choice.kernel;
      entry["packed"] = p.choice.packed;
      entry["fits"] = p.fits;
      entry["seconds"] = p.seconds;
      entry["bytes"] = p.bytes;
      entry["matrix_bytes"] = p.matrix_bytes;
      entry["setup_seconds"] = p.setup_seconds;
      entry["break_even"] = p.break_even;
      list.append(entry);
    }
    return list;
  }

  [[nodiscard]] static std::vector<std::string> policies_of(std::string_view kernel) {
    return policies<Exec>(kernel);
  }

 private:
  static Plan analysed(const Matrix<T, Exec>& a, std::int64_t k, Layout layout, double products,
                       Op op, const std::optional<std::string>& kernel, const std::string& policy,
                       bool packed, bool keep_value_map) {
    PlanOptions options{
        .layout = layout, .products = products, .op = op, .keep_value_map = keep_value_map};
    if (kernel) options.choice = Choice{*kernel, policy, packed};
    const Turn turn;
    const auto& csr = a.get();
    Kokkos::fence("fatvec: values that other streams write");
    return analyse(Exec(), csr, k, options);
  }

  Readable data_;  ///< what update() was given
};

template <class T, class Exec>
void bind_plan(nb::module_& m, nb::dict& classes, const char* scalar, const char* device) {
  using P = PythonPlan<T, Exec>;
  const std::string name = detail::concat("Plan_", scalar, "_", device);
  nb::class_<P> type(m, name.c_str());
  type.def(nb::init<const Matrix<T, Exec>&, std::int64_t, Layout, double, Op,
                    const std::optional<std::string>&, const std::string&, bool, bool>(),
           nb::arg("a"), nb::arg("k"), nb::arg("layout"), nb::arg("products"), nb::arg("op"),
           nb::arg("kernel").none(), nb::arg("policy"), nb::arg("packed"),
           nb::arg("keep_value_map"))
      .def("update", &P::update, nb::arg("data"), nb::arg("stream") = 0)
      .def_prop_ro("rows", [](const P& p) { return p.get().rows(); })
      .def_prop_ro("cols", [](const P& p) { return p.get().cols(); })
      .def_prop_ro("k", [](const P& p) { return p.get().k(); })
      .def_prop_ro("kernel", [](const P& p) { return p.get().choice().kernel; })
      .def_prop_ro("policy", [](const P& p) { return p.get().choice().policy; })
      .def_prop_ro("packed", [](const P& p) { return p.get().choice().packed; })
      .def_prop_ro("format", [](const P& p) { return format_of_kernel(p.get().choice().kernel); })
      .def_prop_ro("reason", [](const P& p) { return p.get().reason(); })
      .def_prop_ro("ranking", &P::ranking)
      .def_static("policies", &P::policies_of, nb::arg("kernel"));
  def_products(type);
  classes[nb::make_tuple(scalar, device)] = type;
}

}  // namespace

void bind_plans(nb::module_& m) {
  nb::enum_<Layout>(m, "Layout").value("row", Layout::row).value("column", Layout::column);
  nb::dict kernels;
  for (const auto& [format, kernel] : formats())
    kernels[nb::str(format.data(), format.size())] = nb::str(kernel.data(), kernel.size());
  m.attr("kernels") = kernels;
  nb::dict classes;
#define FATVEC_BIND(T, Space, scalar, device) bind_plan<T, Space>(m, classes, scalar, device);
  FATVEC_PYTHON_TYPES(FATVEC_BIND)
#undef FATVEC_BIND
  m.attr("plans") = classes;
}

}  // namespace fatvec::python
