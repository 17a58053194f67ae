// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include <fatvec/app/dispatch/kernel_product.hpp>

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

}  // namespace

HostCsr host_csr(
    const CsrMatrix<double, std::int32_t, Kokkos::DefaultHostExecutionSpace, std::int64_t>& csr) {
  using Host = Kokkos::DefaultHostExecutionSpace;
  detail::checked_count<std::int32_t>(static_cast<double>(csr.nnz()), "entries");
  const auto rows = static_cast<std::size_t>(csr.rows());
  auto row_map = detail::allocate<HostCsr::Offsets>(Host(), "fatvec::csr::row_map", rows + 1);
  Kokkos::parallel_for(
      "fatvec::host_csr", detail::Range<Host>(0, std::int64_t{csr.rows()} + 1),
      [=](std::int64_t i) { row_map(i) = static_cast<std::int32_t>(csr.row_map(i)); });
  Kokkos::fence("fatvec::host_csr");
  return {csr.rows(), csr.cols(), row_map, csr.entries, csr.values};
}

Case in_float(Case task) {
  using Host = Kokkos::DefaultHostExecutionSpace;
  const auto values = task.matrix.values;
  const auto floats =
      detail::allocate<HostCsrOf<float>::Scalars>(Host(), "fatvec::csr::values", values.extent(0));
  std::int64_t beyond = 0;
  Kokkos::parallel_reduce(
      "fatvec::in_float", detail::Range<Host>(0, static_cast<std::int64_t>(values.extent(0))),
      [=](std::int64_t n, std::int64_t& count) {
        floats(n) = static_cast<float>(values(n));
        count += std::isfinite(values(n)) && !std::isfinite(floats(n));
        values(n) = floats(n);
      },
      beyond);
  if (beyond > 0)
    throw CapacityError(detail::concat(beyond, " entries of the matrix are beyond what a float ",
                                       "can be, 3.4e38: multiply in double."));
  task.float_values = floats;
  task.operands_in_float = true;
  return task;
}

SinglePrecisionCase in_single_precision(Case task, const ErrorBound& bound) {
  const HostCsr::execution_space host;
  const auto floats =
      fatvec::rounded(host, single_precision(task.matrix, bound), task.options.memory_limit);
  Kokkos::deep_copy(task.matrix.values, floats.matrix.values);
  task.float_values = floats.matrix.values;
  return {std::move(task), floats.largest_error};
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

bool has_single_precision(std::string_view kernel) {
  const auto formats = formats_in_single_precision();
  return std::ranges::any_of(kernels(), [&](const KernelInfo& info) {
    return info.kernel == kernel && !info.portable &&
           std::ranges::find(formats, info.format) != formats.end();
  });
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
  require_known("kernel", kernel, {kernel_names.begin(), kernel_names.end()});
  require_known("backend", backend, backends());
  const auto known = [&](std::unique_ptr<Product> product, const char* what, const auto& formats,
                         const char* option) {
    if (!product)
      throw UsageError(detail::concat("this build has no kernel '", kernel, "' ", what,
                                      ", but those of ", joined(formats), "; ", option,
                                      " of CMake names more."));
    return product;
  };
  if (!task.in_double())
    return known(prepare_in_float(kernel, backend, task), "in float", formats_in_float(),
                 "FATVEC_FLOAT_FORMATS");
  if (task.float_values)
    return known(prepare_in_single_precision(kernel, backend, task),
                 "for values of A in single precision", formats_in_single_precision(),
                 "FATVEC_SINGLE_FORMATS");
  std::unique_ptr<Product> product;
  for_each_kernel([&](auto candidate) {
    if (kernel == candidate.name) product = prepare_on<double, decltype(candidate)>(backend, task);
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
