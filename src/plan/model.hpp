// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <string>
#include <string_view>
#include <vector>

#include <fatvec/kernels/registry.hpp>
#include <fatvec/kernels/shared/row_segments.hpp>
#include <fatvec/plan/costs.hpp>
#include <fatvec/plan/machine.hpp>
#include <fatvec/plan/structure.hpp>

/// The traffic model: what a product in each format takes on a machine, before anything is
/// converted.
namespace fatvec {

/// One way to multiply: a kernel, how it is told to work, and whether X and Y go through row-major
/// copies.
struct Choice {
  std::string kernel;    ///< as registered
  std::string policy{};  ///< as it prints itself; empty: the kernel's own choice
  bool packed = false;   ///< Packing, for X and Y whose columns are apart
  bool operator==(const Choice&) const = default;
};

/// What is asked: products with k columns, and how many of them.
struct Workload {
  std::int64_t k = 1;
  Layout layout = Layout::row;
  double products = 1000;
  bool keeps_value_map = false;     ///< PlanOptions::keep_value_map
  bool multiplies_a_itself = true;  ///< as CSR, rather than a transpose of A or the like
  std::size_t value_bytes = 0;      ///< of X and Y; 0: as of A
};

/// The terms of the model: what they would take each, in seconds, were the machine used perfectly.
/// A format's factors (costs.hpp) weigh them.
struct Term {
  enum : std::size_t {
    launch,
    main_memory,
    scattered_x,
    x_from_cache,
    entries,
    multiplications,
    rows,
    elements_of_y,
    longest_row,
    mean_row,
    packing,
    count
  };
};
/// The terms for people, in their order.
inline constexpr std::array<std::string_view, Term::count> term_names = {
    "the launch",
    "main memory",
    "rows of X that the caches have lost",
    "reading X from the cache",
    "entries of A",
    "multiplications",
    "rows",
    "elements of Y",
    "the longest row",
    "entries of a row, one after another",
    "packing X and Y"};

/// What a choice is expected to take.
struct Prediction {
  Choice choice;
  std::string_view format;
  bool fits = true;         ///< in the memory that is free
  double seconds = 0;       ///< of one product
  double bytes = 0;         ///< that one product moves through main memory
  double matrix_bytes = 0;  ///< of A in the format
  double new_bytes = 0;     ///< to be allocated: of that, but of CSR, of copies of X and Y, and of
                            ///< the value map
  double value_map_bytes = 0;  ///< what Plan::update(exec, values) wants
  double temporary_bytes = 0;  ///< freed once the value map is made: the format, with offsets as
                               ///< its values
  double setup_seconds = 0;    ///< of the conversion from CSR
  std::array<double, 2> setup_terms{};  ///< a launch; CSR and the format through main memory
  double break_even = 0;  ///< products after which the conversion has paid, against CSR; 0 for CSR,
                          ///< infinite for never
  std::array<double, Term::count> unweighted{};  ///< the terms
  std::array<double, Term::count>
      parts{};  ///< the terms times the format's factors: they add up to `seconds`
};

namespace detail {

inline const FormatFootprint& footprint_of(const Structure& structure, std::string_view format) {
  return *std::find_if(structure.formats.begin(), structure.formats.end(),
                       [&](const FormatFootprint& other) { return other.format == format; });
}

/// The factors of a format; of one that nobody has measured, those of CSR.
inline const CostFactors& factors_of(bool cpu, Layout layout, std::string_view format) {
  const auto* const found =
      std::find_if(cost_table.begin(), cost_table.end(), [&](const CostFactors& factors) {
        return factors.cpu == cpu && factors.layout == layout && factors.format == format;
      });
  return found == cost_table.end() ? factors_of(cpu, layout, "csr") : *found;
}

/// Bytes of X that are read.
struct XTraffic {
  double memory;  ///< from main memory, once
  double again;   ///< from there again, a row here and a row there
  double cache;   ///< from the shared cache
};

/// `value`: bytes of an element of X.
inline XTraffic x_traffic(const Machine& machine, const Structure& structure, std::int64_t k,
                          Layout layout, double value) {
  const double sector = machine.cpu ? 64 : 32;
  const auto rows = static_cast<double>(structure.rows.rows);
  const auto touched = static_cast<double>(structure.rows.columns_touched);
  const auto columns = static_cast<double>(k);
  const bool by_rows = layout == Layout::row;
  // What c columns of a row of X cost: whole sectors, and for column-major X one for every element,
  // unless neighbouring rows of A read neighbouring rows of X.
  const double scattered =
      std::min(1.0, structure.near_reads / std::max(static_cast<double>(structure.rows.nnz), 1.0));
  const auto row_bytes = [&](double c) {
    const double isolated = by_rows ? std::ceil(c * value / sector) * sector : c * sector;
    return by_rows ? isolated : c * value + scattered * (isolated - c * value);
  };
  // GPU kernels take some columns at a time (in double; kernels/portable/launch.hpp,
  // columns_at_once) and of columns that are apart a tile or two.
  const double at_once = machine.cpu ? columns : std::min(columns, by_rows ? 64.0 : 16.0);
  const auto stays = [&](double x_rows) {
    return std::min(1.0, 0.7 * machine.cache_bytes / std::max(x_rows * row_bytes(at_once), 1.0));
  };
  // Rows of X that far-away rows of A share are read again as far as X exceeds the cache, and those
  // that nearer rows share as far as what 65536 rows of A read does.
  const double windows = std::max(1.0, rows / 65536);
  const double again = (structure.far_reads - touched) * (1 - stays(touched)) +
                       std::max(0.0, structure.near_reads - structure.far_reads) *
                           (1 - stays(structure.far_reads / windows));
  // A core's own cache keeps what some thousand rows of A have in common, a multiprocessor's what
  // some hundred have.
  const double shared = machine.cpu ? structure.middle_reads : structure.near_reads;
  return {touched * columns * value, again * row_bytes(columns), shared * row_bytes(columns)};
}

/// Whether packing copies X alone for a registered kernel, whose policies are not told apart, with
/// X and Y of T.
template <class T>
bool stores_column_major(std::string_view kernel, bool on_cpu, std::int64_t k) {
  using Cpu = Kokkos::DefaultHostExecutionSpace;
  bool result = false;
  fatvec::for_each_kernel([&](auto registered) {
    using Kernel = decltype(registered);
    using Matrix = typename Kernel::template Matrix<T, int, Cpu, int>;
    if (Kernel::name == kernel)
      result =
          on_cpu
              ? fatvec::stores_column_major<Kernel, Matrix, T>(typename Kernel::HostPolicy{}, k)
              : fatvec::stores_column_major<Kernel, Matrix, T>(typename Kernel::DevicePolicy{}, k);
  });
  return result;
}

}  // namespace detail

/// The format of a registered kernel; throws UsageError for unknown names, listing those known.
inline std::string_view format_of_kernel(std::string_view kernel) {
  std::string known;
  for (std::size_t n = 0; n < kernel_names.size(); ++n) {
    if (kernel_names[n] == kernel) return kernel_formats[n];
    known.append(" ").append(kernel_names[n]);
  }
  throw UsageError(detail::concat("unknown kernel '", kernel, "'; there are:", known, "."));
}

namespace detail {

/// predict() for a kernel of this format.
inline Prediction predict_format(const Machine& machine, const Structure& structure,
                                 const Workload& workload, const Choice& choice,
                                 std::string_view format) {
  const Layout layout = choice.packed || workload.k == 1 ? Layout::row : workload.layout;
  const CostFactors& cost = detail::factors_of(machine.cpu, layout, format);
  const std::string_view like = cost.format;  // the format, or CSR
  const Footprint& stored = detail::footprint_of(structure, format).footprint;
  // ELLPACK's padding is not read, but where neighbouring rows have entries in the same line: what
  // HLL stores. (Row-major, on CPUs, HLL's is not read either: long paddings look dearer there than
  // they are.)
  const double read_bytes =
      detail::footprint_of(structure, format == "ellpack" ? "hll" : format).footprint.bytes;
  const auto k = static_cast<double>(workload.k);
  const auto stored_value = static_cast<double>(structure.value_bytes);
  const double value =
      workload.value_bytes > 0 ? static_cast<double>(workload.value_bytes) : stored_value;
  const detail::XTraffic x = detail::x_traffic(machine, structure, workload.k, layout, value);
  const auto rows = static_cast<double>(structure.rows.rows);
  const auto nnz = static_cast<double>(structure.rows.nnz);
  // A thread walks a row, but on GPUs CSR's threads share rows, and where row lengths are stored
  // long rows are cut up if one is worth a launch.
  auto walked = static_cast<double>(structure.rows.max);
  if (!machine.cpu && like == "csr")
    walked = structure.rows.mean;
  else if (!machine.cpu && like != "bsr" && like != "bittcf" && like != "sliced-dia" &&
           structure.rows.max > detail::worth_a_launch)
    walked = std::min(walked, static_cast<double>(detail::longest_walked_row(structure.rows.rows,
                                                                             structure.rows.nnz)));
  const double cache = machine.cache_gbs * 1e9;
  const double resident =
      read_bytes + k * value * (rows + static_cast<double>(structure.rows.columns_touched));
  const double memory = resident < 0.7 * machine.cache_bytes ? cache : machine.memory_gbs * 1e9;

  // A row of X is loaded once for each column of a block, its elements one by one where they are
  // apart.
  double loads = format == "bsr" && layout == Layout::row
                     ? stored.stored_entries / structure.block_size
                     : (format == "bsr" ? stored.stored_entries : nnz);
  double entries = format == "bsr" ? stored.stored_entries : nnz;
  if (format == "bittcf" &&
      !machine
           .cpu) {  // its tiles, each of which is 4 rows of X: what is there beside values and rows
    const auto ordinal = static_cast<double>(structure.ordinal_bytes);
    const double of_rows = rows * (ordinal + static_cast<double>(structure.offset_bytes) / 4);
    entries = std::max(0.0, stored.bytes - nnz * stored_value - of_rows) / (4 * ordinal + 4);
    loads = 4 * entries;
  }

  if (format == "sliced-dia") entries = stored.left_over;

  Prediction prediction{.choice = choice,
                        .format = format,
                        .bytes = read_bytes + x.memory + x.again + k * value * rows};
  prediction.matrix_bytes = stored.bytes;
  prediction.new_bytes = format == "csr" ? 0 : stored.bytes;
  if (workload.keeps_value_map && !(format == "csr" && workload.multiplies_a_itself)) {
    const auto offset = static_cast<double>(structure.offset_bytes);
    prediction.value_map_bytes = stored.stored_entries * offset;
    prediction.new_bytes += prediction.value_map_bytes;
    prediction.temporary_bytes =
        nnz * offset + stored.bytes - stored.stored_entries * (stored_value - offset);
  }
  auto& term = prediction.unweighted;
  term[Term::launch] = machine.launch_seconds;
  term[Term::main_memory] = (prediction.bytes - x.again) / memory;
  term[Term::scattered_x] = x.again / memory;
  term[Term::x_from_cache] = x.cache / cache;
  term[Term::entries] = entries / cache;
  term[Term::multiplications] = loads * k / cache;
  term[Term::rows] = rows / cache;
  term[Term::elements_of_y] = rows * k / cache;
  const double an_entry = (machine.cpu ? k : 1) * machine.latency_seconds;
  term[Term::longest_row] = (walked - structure.rows.mean) * an_entry;
  term[Term::mean_row] = structure.rows.mean * an_entry;
  if (choice.packed) {  // X, and where the kernel does not write columns itself, Y are read and
                        // written once more
    const bool copies_y =
        !(value == sizeof(double)
              ? detail::stores_column_major<double>(choice.kernel, machine.cpu, workload.k)
              : detail::stores_column_major<float>(choice.kernel, machine.cpu, workload.k));
    const double moved =
        2 * k * value * ((copies_y ? rows : 0) + static_cast<double>(structure.rows.cols));
    prediction.bytes += moved;
    prediction.new_bytes += moved / 2;
    term[Term::packing] = (copies_y ? 2 : 1) * machine.launch_seconds + moved / memory;
  }
  for (std::size_t n = 0; n < Term::count; ++n) prediction.parts[n] = cost.factors[n] * term[n];
  prediction.seconds = std::accumulate(prediction.parts.begin(), prediction.parts.end(), 0.0);
  const double csr = detail::footprint_of(structure, "csr").footprint.bytes;
  prediction.setup_terms = {machine.launch_seconds,
                            (csr + stored.bytes) / (machine.memory_gbs * 1e9)};
  prediction.setup_seconds = cost.setup_launches * prediction.setup_terms[0] +
                             cost.setup_bytes * prediction.setup_terms[1];
  return prediction;
}

}  // namespace detail

/// What the choice is expected to take. Throws UsageError for an unknown kernel. Policies are not
/// told apart.
inline Prediction predict(const Machine& machine, const Structure& structure,
                          const Workload& workload, const Choice& choice) {
  return detail::predict_format(machine, structure, workload, choice,
                                format_of_kernel(choice.kernel));
}

/// The choices for a workload, cheapest first: set-up and all products together. What does not fit
/// into `memory` bytes comes last. With column-major X and Y each kernel is there twice, packed and
/// not. The first kernel that is CSR's sets the break-even of the others.
inline std::vector<Prediction> rank(const Machine& machine, const Structure& structure,
                                    const Workload& workload,
                                    const std::vector<std::string_view>& kernels, double memory) {
  std::vector<Prediction> list;
  for (const std::string_view kernel : kernels) {
    list.push_back(predict(machine, structure, workload, {.kernel = std::string(kernel)}));
    if (workload.layout == Layout::column && workload.k > 1)
      list.push_back(
          predict(machine, structure, workload, {.kernel = std::string(kernel), .packed = true}));
  }
  double csr = std::numeric_limits<double>::infinity();
  for (auto& prediction : list) {
    prediction.fits = prediction.new_bytes + prediction.temporary_bytes <= memory;
    if (prediction.format == "csr") csr = std::min(csr, prediction.seconds);
  }
  for (auto& prediction : list) {
    if (prediction.format == "csr") continue;
    const double gain = csr - prediction.seconds;
    prediction.break_even = gain > 0 ? std::ceil(prediction.setup_seconds / gain)
                                     : std::numeric_limits<double>::infinity();
  }
  const auto total = [&](const Prediction& p) {
    return p.setup_seconds + workload.products * p.seconds;
  };
  std::stable_sort(list.begin(), list.end(), [&](const Prediction& a, const Prediction& b) {
    return a.fits != b.fits ? a.fits : total(a) < total(b);
  });
  return list;
}

}  // namespace fatvec
