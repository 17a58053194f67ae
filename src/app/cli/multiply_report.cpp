// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "multiply.hpp"

namespace fatvec::cli {

using Columns = std::vector<VectorStatistics<double>>;

Json norms_json(const Columns& columns) {
  Json norms = {{"norm1", Json::array()}, {"norm2", Json::array()}, {"max_norm", Json::array()}};
  for (const auto& column : columns) {
    norms["norm1"].push_back(column.absolute_sum);
    norms["norm2"].push_back(column.norm2());
    norms["max_norm"].push_back(column.max_norm());
  }
  return norms;
}

std::string norms_text(const Columns& columns) {
  VectorStatistics<double> all;
  for (const auto& column : columns) all.join(column);
  return fmt::format("1-norm {:.9g}, 2-norm {:.9g}, max-norm {:.9g}", all.absolute_sum, all.norm2(),
                     all.max_norm());
}

namespace {

Json json_of(const MultiplyOptions& options, const MatrixSource& matrix, const Outcome& outcome) {
  Json object = {{"matrix", to_json(matrix)}, {"k", outcome.k},
                 {"layout", options.layout},  {"format", outcome.format},
                 {"kernel", outcome.kernel},  {"backend", options.backend}};
  object["scalar"] = options.scalar;
  object["matrix_precision"] = options.precision.matrix;
  if (outcome.matrix_error) object["matrix_error"] = *outcome.matrix_error;
  object.update(to_json(options.format_options, options.storage));
  object.update(Json{{"alpha", options.alpha},
                     {"beta", options.beta},
                     {"seed", options.seed},
                     {"matrix_bytes", outcome.matrix_bytes},
                     {"stored_entries", outcome.stored_entries},
                     {"setup_seconds", outcome.setup_seconds},
                     {"first_run_seconds", outcome.first_seconds},
                     {"repetitions", options.repeat},
                     {"seconds", outcome.seconds},
                     {"gflops", outcome.gflops},
                     {"x", norms_json(outcome.x)},
                     {"y", norms_json(outcome.y)}});
  if (!outcome.order.empty()) object["reordered"] = outcome.reordered;
  for (const auto& check : outcome.checks) object[check.name] = to_json(check);
  if (!options.output.empty()) object["output"] = options.output;
  return object;
}

void print(std::FILE* stream, const MultiplyOptions& options, const MatrixSource& matrix,
           const Outcome& outcome) {
  const auto nnz = std::max<double>(1, static_cast<double>(matrix.csr.nnz()));
  const double padding = 100 * static_cast<double>(outcome.stored_entries - matrix.csr.nnz()) / nnz;
  write_line(stream, "matrix", "{}", summary(matrix));
  write_line(stream, "product", "Y = {} Y + {} A X, k = {}, {} layout", options.beta, options.alpha,
             outcome.k, options.layout);
  write_line(stream, "kernel", "{} on {}", outcome.kernel, options.backend);
  const std::string slots = options.symmetric
                                ? fmt::format("{} entries of one triangle", outcome.stored_entries)
                                : fmt::format("{:.1f} % padding", padding);
  write_line(stream, "format", "{}, {}, {}", outcome.format,
             human_bytes(static_cast<double>(outcome.matrix_bytes)), slots);
  if (!outcome.order.empty()) write_line(stream, "order of rows", "{}", outcome.order);
  if (options.scalar != "double") write_line(stream, "scalar", "{}", options.scalar);
  if (outcome.matrix_error)
    write_line(stream, "precision", "{}", precision_text(*outcome.matrix_error));
  write_line(stream, "set-up", "{:.6f} s", outcome.setup_seconds);
  write_line(stream, "first run", "{:.6f} s", outcome.first_seconds);
  if (options.repeat > 0)
    write_line(stream, "time", "{:.6f} s, median of {} further runs", outcome.seconds,
               options.repeat);
  write_line(stream, "rate", "{:.3f} GFLOPS", outcome.gflops);
  write_line(stream, "X", "{}", norms_text(outcome.x));
  write_line(stream, "Y", "{}", norms_text(outcome.y));
  for (const auto& check : outcome.checks) write_line(stream, check.name, "{}", summary(check));
  if (!options.output.empty()) write_line(stream, "written", "{}", options.output);
}

}  // namespace

void report(std::FILE* stream, const MultiplyOptions& options, const MatrixSource& matrix,
            const Outcome& outcome) {
  if (options.json) return write_json(stream, json_of(options, matrix, outcome));
  print_notes(matrix);
  print(stream, options, matrix, outcome);
}

}  // namespace fatvec::cli
