// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include <fatvec/formats/concepts.hpp>
#include <fatvec/formats/csr.hpp>
#include <fatvec/formats/multivector.hpp>
#include <fatvec/formats/single_precision.hpp>
#include <fatvec/plan/convert.hpp>

/// Products chosen at run time, by name: what the programs and the benchmark call. The header-only
/// library needs none of this.
namespace fatvec::product {

/// Offsets are 32-bit, as every peer's are; host_csr() narrows and checks.
template <class Scalar>
using HostCsrOf = CsrMatrix<Scalar, std::int32_t, Kokkos::DefaultHostExecutionSpace, std::int32_t>;
/// A on the host as the programs hold it, and X and Y: in double, of which every float is one.
using HostCsr = HostCsrOf<double>;
using HostMultivector = Kokkos::View<double**, Kokkos::LayoutRight, Kokkos::HostSpace>;

/// A rows × k multivector that the caller fills, on huge pages where the system gives them.
HostMultivector allocate(const std::string& label, std::int64_t rows, std::int64_t k);

/// The same matrix with 32-bit offsets; throws CapacityError where it has 2^31 entries or more.
HostCsr host_csr(
    const CsrMatrix<double, std::int32_t, Kokkos::DefaultHostExecutionSpace, std::int64_t>& csr);

using fatvec::Layout;  // of both X and Y
using fatvec::to_string;

/// The layout of the padded arrays of ELLPACK and HLL, and of a block of BSR, as the programs name
/// it.
enum class StorageOrder { column_major, row_major };
constexpr std::string_view to_string(StorageOrder order) {
  return order == StorageOrder::column_major ? "column-major" : "row-major";
}

/// One task for a contender: multiply this matrix with k columns in this layout.
struct Case {
  HostCsr matrix;
  std::int64_t k = 1;
  Layout layout = Layout::row;
  FormatOptions options;
  std::optional<StorageOrder> storage{};  ///< picks the format's layout; default: the format's own
  std::string policy{};  ///< of the kernel's tuning range, as it prints itself; empty: its default
  bool packed = false;   ///< X and Y of layout column through row-major copies
  /// A's values as floats, which in_float() and in_single_precision() set; none: in double.
  std::optional<HostCsrOf<float>::Scalars> float_values{};
  bool operands_in_float = false;  ///< X, Y and sums

  [[nodiscard]] bool in_double() const { return !operands_in_float; }
};

/// The formats whose kernels this build has in float, too: FATVEC_FLOAT_FORMATS. None: nothing is
/// multiplied in float.
std::vector<std::string_view> formats_in_float();

/// The same task in float. Rounds the values of task.matrix, which others may share, to floats;
/// throws CapacityError where one is finite and beyond what a float can be.
Case in_float(Case task);

/// The formats whose kernels this build has for values of A in float beside X and Y in double:
/// FATVEC_SINGLE_FORMATS.
std::vector<std::string_view> formats_in_single_precision();

/// Whether it has this kernel for that: those of these formats, but no portable ones.
bool has_single_precision(std::string_view kernel);

/// The same task with A's values as floats, X, Y and sums in double.
struct SinglePrecisionCase {
  Case task;
  double largest_error = 0;  ///< of a value of A, relative
};
/// Rounds the values of task.matrix, which others may share, to floats; throws PrecisionError,
/// which names row and column, where one does not survive that within the bound.
SinglePrecisionCase in_single_precision(Case task, const ErrorBound& bound);

/// A of the task with values of this scalar.
template <class Scalar>
HostCsrOf<Scalar> matrix_of(const Case& task) {
  if constexpr (std::is_same_v<Scalar, float>) {
    const HostCsr& csr = task.matrix;
    return {csr.rows(), csr.cols(), csr.row_map, csr.entries, task.float_values.value()};
  } else {
    return task.matrix;
  }
}

/// A product that is ready to run: its own copies of A, X and Y where they are needed.
class Product {
 public:
  Product() = default;
  Product(const Product&) = delete;
  Product& operator=(const Product&) = delete;
  virtual ~Product() = default;

  /// Copies X (cols × k) and Y (rows × k) in.
  virtual void load(const HostMultivector& x, const HostMultivector& y) = 0;
  /// Y = beta · Y + alpha · A · X, complete on return; the seconds it took, by device events where
  /// there are any.
  virtual double run(double alpha, double beta) = 0;
  /// Copies Y (rows × k) out.
  virtual void store(const HostMultivector& y) const = 0;

  double setup_seconds = 0;         ///< conversion from CSR and analysis; no copies to the device
  std::uint64_t matrix_bytes = 0;   ///< of A in its format
  std::int64_t stored_entries = 0;  ///< of A, padding included
};

/// A kernel as the programs list it.
struct KernelInfo {
  std::string_view kernel;
  std::string_view format;
  bool portable = false;  ///< one source for every backend
};

std::vector<KernelInfo> kernels();
std::vector<std::string_view> formats();   ///< of the registered kernels, each once
std::vector<std::string_view> backends();  ///< of this build: serial, openmp, cuda
std::string_view default_backend();  ///< cuda where this build has it, else openmp, else serial

/// Prepares kernel on backend. Throws UsageError for unknown names (listing those known) and for
/// what the kernel does not support or this build has in double only, CapacityError where the
/// format does not fit (listing the formats that would).
std::unique_ptr<Product> prepare(std::string_view kernel, std::string_view backend,
                                 const Case& task);

/// The kernel of a format where none is named; throws UsageError for unknown formats.
std::string_view default_kernel(std::string_view format);

/// The size of the matrix in each registered format.
std::vector<FormatFootprint> footprints(const HostCsr& csr, const FormatOptions& options);

}  // namespace fatvec::product
