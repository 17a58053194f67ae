// SPDX-License-Identifier: Apache-2.0
#include "compare_backends.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include <fatvec/app/dispatch/compare_backends.hpp>

#include "subcommand.hpp"

namespace fatvec::cli {
namespace {

/// A backend with its best kernel for one k.
struct Candidate {
  std::string_view backend;
  Prediction prediction;
  double copied_matrix = 0;   ///< seconds; of CSR, as it stands on the host
  double copied_vectors = 0;  ///< of X there and Y back
  product::BackendCost cost{};
};

struct Backend {
  std::string_view name;
  Machine machine;
  product::TransferBandwidth transfers;
};

/// Those of this build, measured; the steps of the progress are the caller's.
std::vector<Backend> measured_backends(const ComparisonOptions& options, Progress& progress) {
  std::vector<Backend> found;
  for (const auto name : product::backends()) {
    progress.step("measuring the machine");
    Backend backend{name, product::machine(name), product::transfer_bandwidth(name)};
    if (options.transfer_gbs && std::isfinite(backend.transfers.in_gbs))
      backend.transfers = {*options.transfer_gbs, *options.transfer_gbs};
    found.push_back(std::move(backend));
  }
  return found;
}

Candidate candidate(const ComparisonOptions& options, const Backend& backend,
                    const MatrixSource& matrix, const Structure& structure, std::int64_t k) {
  ChoiceOptions choice = options.choice;
  choice.backend = backend.name;
  Candidate found{.backend = backend.name, .prediction = ranking_of(choice, structure, k).front()};
  const auto row = static_cast<double>(k) * sizeof(double);
  found.copied_matrix = static_cast<double>(matrix.csr.bytes()) / backend.transfers.in_gbs * 1e-9;
  found.copied_vectors = (matrix.csr.cols() * row / backend.transfers.in_gbs +
                          matrix.csr.rows() * row / backend.transfers.out_gbs) *
                         1e-9;
  const bool with_each = options.copies == "each";
  if (!found.prediction.fits) {
    found.cost.once = std::numeric_limits<double>::infinity();
    return found;
  }
  found.cost = {
      found.copied_matrix + found.prediction.setup_seconds + (with_each ? 0 : found.copied_vectors),
      found.prediction.seconds + (with_each ? found.copied_vectors : 0)};
  return found;
}

/// "cuda should take 3.2 ms for 1000 products, openmp 2.80 times as long; cuda is the fastest from
/// 14 products on."
std::string verdict(const std::vector<Candidate>& candidates, const product::Fastest& fastest,
                    double products) {
  const Candidate& best = candidates[fastest.index];
  if (!best.prediction.fits) return "no backend of this build has the memory.";
  std::string text = fmt::format("{} should take {} for {:.0f} products", best.backend,
                                 human_seconds(best.cost.total(products)), products);
  if (candidates.size() == 1) return text + "; this build has no other backend to compare it with.";
  for (const auto& other : candidates) {
    if (&other == &best) continue;
    text += other.prediction.fits
                ? fmt::format(", {} {:.2f} times as long", other.backend,
                              other.cost.total(products) / best.cost.total(products))
                : fmt::format(", {} has not the memory", other.backend);
  }
  text += fmt::format("; {} is the fastest", best.backend);
  const bool from_first = fastest.from <= 1;
  if (from_first && std::isinf(fastest.until)) return text + " for any number of products.";
  if (!from_first) text += fmt::format(" from {:.0f} products on", fastest.from);
  if (!std::isinf(fastest.until)) text += fmt::format(" up to {:.0f} products", fastest.until);
  return text + ".";
}

void print_candidates(const std::vector<Candidate>& candidates) {
  constexpr const char* columns = "  {:<8}{:<22}{:>12}{:>16}{:>16}{:>11}\n";
  fmt::print(columns, "", "", "a product", "X and Y copied", "A copied, once", "set-up");
  for (const auto& [backend, prediction, matrix, vectors, cost] : candidates)
    fmt::print(columns, backend, name_of(prediction.choice),
               prediction.fits ? human_seconds(prediction.seconds) : "does not fit",
               human_seconds(vectors), human_seconds(matrix),
               human_seconds(prediction.setup_seconds));
}

Json json_of(const Candidate& candidate) {
  return {{"backend", candidate.backend},
          {"prediction", to_json(candidate.prediction)},
          {"copied_matrix_seconds", candidate.copied_matrix},
          {"copied_vectors_seconds", candidate.copied_vectors},
          {"once_seconds", candidate.cost.once},
          {"each_seconds", candidate.cost.each}};
}

}  // namespace

void add_comparison_options(CLI::App& command, ComparisonOptions& options) {
  one_of(command
             .add_option("--copies", options.copies,
                         "With --backend all: X goes to a device and Y comes back with each "
                         "product, or once")
             ->capture_default_str(),
         {"each", "once"});
  finite(command.add_option("--transfer-bandwidth", options.transfer_gbs,
                            "With --backend all: GB/s between host and device (default: measured, "
                            "from and to pageable memory)"),
         1e-6)
      ->type_name("GB/S");
}

int compare_backends(const ComparisonOptions& options) {
  const ChoiceOptions& choice = options.choice;
  if (choice.reorder != "none" || choice.precision.is_single() || choice.precision.error)
    throw UsageError(
        "--backend all compares products in double, in A's order; leave out --reorder, "
        "--matrix-precision and --matrix-error.");
  const KokkosSession kokkos;
  Progress progress(load_steps + 1 + product::backends().size());
  const MatrixSource matrix = load_matrix(choice.matrix, choice.format.memory_limit, progress);
  const Structure structure = structure_of(choice, matrix, progress);
  const auto backends = measured_backends(options, progress);
  progress.clear();
  if (!choice.json) {
    print_notes(matrix);
    write_line(stdout, "matrix", "{}", summary(matrix));
    for (const auto& [name, machine, transfers] : backends) {
      write_line(stdout, "machine", "{}", summary(machine));
      if (std::isfinite(transfers.in_gbs))
        write_line(stdout, "copies", "{:.1f} GB/s to {}, {:.1f} GB/s back", transfers.in_gbs, name,
                   transfers.out_gbs);
    }
  }
  Json workloads = Json::array();
  const auto products = static_cast<double>(choice.products);
  for (const std::int64_t k : choice.k) {
    std::vector<Candidate> candidates;
    std::vector<product::BackendCost> costs;
    for (const auto& backend : backends) {
      candidates.push_back(candidate(options, backend, matrix, structure, k));
      costs.push_back(candidates.back().cost);
    }
    const auto fastest = product::fastest_backend(costs, products);
    const std::string reason = verdict(candidates, fastest, products);
    if (!choice.json) {
      write_line(stdout, fmt::format("k = {}", k).c_str(), "{}", reason);
      print_candidates(candidates);
      continue;
    }
    workloads.push_back(
        {{"k", k},
         {"reason", reason},
         {"fastest", candidates[fastest.index].prediction.fits
                         ? Json(candidates[fastest.index].backend)
                         : Json()},
         {"from_products", fastest.from},
         {"until_products", std::isinf(fastest.until) ? Json() : Json(fastest.until)},
         {"backends", Json::array()}});
    for (const auto& each : candidates) workloads.back()["backends"].push_back(json_of(each));
  }
  if (!choice.json) return success;
  Json object = to_json(matrix);
  object["structure"] = to_json(structure);
  object["machines"] = Json::array();
  for (const auto& backend : backends) object["machines"].push_back(to_json(backend.machine));
  object["products"] = choice.products;
  object["layout"] = choice.layout;
  object["copies"] = options.copies;
  object["workloads"] = workloads;
  write_json(stdout, object);
  return success;
}

}  // namespace fatvec::cli
