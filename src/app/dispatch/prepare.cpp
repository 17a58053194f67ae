// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <functional>

#include <fatvec/app/dispatch/backends.hpp>
#include <fatvec/app/dispatch/matrix_product.hpp>
#include <fatvec/kernels/registry.hpp>
#include <fatvec/plan/packing.hpp>

namespace fatvec::product {
namespace {

std::string joined(const std::vector<std::string_view>& names) {
  std::string text;
  for (const auto& name : names) text += (text.empty() ? "" : ", ") + std::string(name);
  return text;
}

void require_known(const char* what, std::string_view name,
                   const std::vector<std::string_view>& known) {
  if (std::find(known.begin(), known.end(), name) != known.end()) return;
  throw UsageError(
      detail::concat("unknown ", what, " '", name, "'; this build has ", joined(known), "."));
}

std::vector<std::string_view> names_of_kernels() {
  return {kernel_names.begin(), kernel_names.end()};
}

/// A kernel with a policy, as a value: the products below are compiled for each format, not for
/// each kernel.
template <class ExecSpace, class Matrix>
using Launch = std::function<void(const ExecSpace&, const detail::SlotsOf<Matrix>&,
                                  const detail::Operand<const double>&,
                                  const detail::ScaledSum<double>&, std::int64_t k)>;

template <class ExecSpace, class Matrix>
struct KernelMultiply {
  Launch<ExecSpace, Matrix> launch;
  std::int64_t k;
  Prepared<Matrix> prepared{};

  void prepare(const ExecSpace& exec, const Matrix& matrix) {
    prepared = fatvec::prepare<double>(exec, matrix, k);
  }
  template <class X, class Y>
  void operator()(const ExecSpace& exec, double alpha, const Matrix&, const X& x, double beta,
                  const Y& y) const {
    launch(exec, detail::slots_of(prepared), detail::operand_of(x),
           {alpha, beta, detail::span_of<detail::Columns::strided>(y)}, multivector_columns(x));
  }
};

/// The same on row-major copies.
template <class ExecSpace, class Matrix>
struct PackedMultiply {
  Launch<ExecSpace, Matrix> launch;
  std::function<Packing<double, ExecSpace>(const ExecSpace&, const Matrix&)> pack;
  std::int64_t k;
  Prepared<Matrix> prepared{};
  Packing<double, ExecSpace> packing{};

  void prepare(const ExecSpace& exec, const Matrix& matrix) {
    prepared = fatvec::prepare<double>(exec, matrix, k);
    packing = pack(exec, matrix);
  }
  template <class X, class Y>
  void operator()(const ExecSpace& exec, double alpha, const Matrix&, const X& x, double beta,
                  const Y& y) const {
    packing.run(exec, detail::operand_of(x), beta, detail::span_of<detail::Columns::strided>(y), k,
                [&](const auto& packed_x, double packed_beta, const auto& packed_y) {
                  launch(exec, detail::slots_of(prepared), packed_x, {alpha, packed_beta, packed_y},
                         k);
                });
  }
};

template <class Kernel, class ExecSpace>
std::unique_ptr<Product> prepare_kernel(const Case& task) {
  using Format = typename Kernel::template Matrix<double, std::int32_t, ExecSpace, std::int32_t>;
  const auto policy = policy_of<Kernel, ExecSpace>(task.policy);
  const std::int64_t k = task.k;
  return with_storage<Format>(task.storage, [&]<class Matrix>(std::type_identity<Matrix>) {
    const Launch<ExecSpace, Matrix> launch = [policy](const auto& exec, const auto& a,
                                                      const auto& x, const auto& output,
                                                      std::int64_t columns) {
      detail::launch<Kernel>(exec, policy, a, x, output, columns);
    };
    if (!task.packed || task.layout == Layout::row || k == 1)
      return make_product<Matrix>(task, KernelMultiply<ExecSpace, Matrix>{launch, k});
    const auto pack = [policy, k](const auto& exec, const auto& matrix) {
      return Packing<double, ExecSpace>::template of<Kernel>(exec, policy, matrix, k);
    };
    return make_product<Matrix>(task, PackedMultiply<ExecSpace, Matrix>{launch, pack, k});
  });
}

}  // namespace

HostCsr host_csr(
    const CsrMatrix<double, std::int32_t, Kokkos::DefaultHostExecutionSpace, std::int64_t>& csr) {
  using Host = Kokkos::DefaultHostExecutionSpace;
  const auto narrow = [&](std::int64_t nnz) {
    return detail::checked_count<std::int32_t>(static_cast<double>(nnz), "entries");
  };
  narrow(csr.nnz());
  const auto rows = static_cast<std::size_t>(csr.rows());
  auto row_map = detail::allocate<HostCsr::Offsets>(Host(), "fatvec::csr::row_map", rows + 1);
  Kokkos::parallel_for(
      "fatvec::host_csr", detail::Range<Host>(0, csr.rows() + 1),
      [=](std::int64_t i) { row_map(i) = static_cast<std::int32_t>(csr.row_map(i)); });
  Kokkos::fence("fatvec::host_csr");
  return {csr.rows(), csr.cols(), row_map, csr.entries, csr.values};
}

HostMultivector allocate(const std::string& label, std::int64_t rows, std::int64_t k) {
  return detail::allocate<HostMultivector>(Kokkos::DefaultHostExecutionSpace(), label, rows, k);
}

std::vector<KernelInfo> kernels() {
  std::vector<KernelInfo> list;
  for (std::size_t n = 0; n < kernel_names.size(); ++n)
    list.push_back({kernel_names[n], kernel_formats[n], kernel_is_portable[n]});
  return list;
}

std::vector<std::string_view> formats() {
  std::vector<std::string_view> list;
  for (const auto& format : kernel_formats) {
    if (std::find(list.begin(), list.end(), format) == list.end()) list.push_back(format);
  }
  return list;
}

std::vector<std::string_view> backends() {
  std::vector<std::string_view> list;
  for_each_backend([&](auto backend) { list.push_back(backend.name); });
  return list;
}

std::string_view default_backend() {
  return backends().front();
}

std::unique_ptr<Product> prepare(std::string_view kernel, std::string_view backend,
                                 const Case& task) {
  require_known("kernel", kernel, names_of_kernels());
  require_known("backend", backend, backends());
  std::unique_ptr<Product> product;
  for_each_kernel([&](auto candidate) {
    for_each_backend([&](auto space) {
      if (kernel != candidate.name || backend != space.name) return;
      product = prepare_kernel<decltype(candidate), typename decltype(space)::Space>(task);
    });
  });
  return product;
}

std::string_view default_kernel(std::string_view format) {
  require_known("format", format, formats());
  std::string_view name;
  for_each_kernel([&](auto candidate) {
    using Matrix = detail::SampleMatrix<decltype(candidate)>;
    if (format == Matrix::name) name = DefaultKernel<Matrix>::type::name;
  });
  return name;
}

std::vector<FormatFootprint> footprints(const HostCsr& csr, const FormatOptions& options) {
  return fatvec::footprints(HostCsr::execution_space(), csr, options);
}

}  // namespace fatvec::product
