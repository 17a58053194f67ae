// SPDX-License-Identifier: Apache-2.0
// Personalised PageRank for k seed pages at once, and the propagation of k features over the same
// graph.
//
// Column c of X is where a surfer is who follows a random link with probability d and otherwise, or
// where a page has no link, goes back to seed page c:
//
//     X = d P X + V diag(w),   P(i, j) = 1 / links of j where j links to i,   V(:, c) = 1 at seed c,
//
// with w_c such that column c sums to 1. Every step is one product with P for all seeds. The graph
// is a power-law one: few pages are linked to by very many others, so P has a few very long rows,
// for which prepare() makes GPUs ready.
//
// Features are propagated by H = (1 - a) A_hat H + a H0, A_hat(i, j) = 1 / links to i: every page
// takes the mean of the pages that link to it. A_hat shares the arrays of the graph with P and
// brings values of its own.
//
// Compiled for one device and, as distributed_pagerank, for many ranks, each of which has some of
// the pages: rows of the graph, of X and of H.
//
// Methods: L. Page et al., The PageRank citation ranking, 1999; T. Haveliwala, Topic-sensitive
// PageRank, WWW 2002; J. Gasteiger et al., Predict then propagate: graph neural networks meet
// personalized PageRank, ICLR 2019.
#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include "common.hpp"

using examples::Device;
using examples::Exec;
using examples::Multivector;
using examples::Prepared;
using examples::Rows;
using Counts = Kokkos::View<int*, Device>;
using Statistics = fatvec::VectorStatistics<double>;

namespace {

struct Options {
  int pages = 200000;
  double links = 8;
  int k = 16;
  double damping = 0.85;
  double tolerance = 1e-8;
  int max_iterations = 1000;
};

/// The graph with values of its own; value(i, j) is for the link from page j to page i.
template <class Value>
Prepared with_values(const Exec& exec, const Rows& graph, const Value& value) {
  const Kokkos::View<double*, Device> values("graph::values", graph.matrix.values.extent(0));
  const auto row_map = graph.matrix.row_map;
  const auto entries = graph.matrix.entries;
  const int first = static_cast<int>(graph.first);
  Kokkos::parallel_for(
      "with_values", Kokkos::RangePolicy<Exec>(exec, 0, graph.matrix.rows()), KOKKOS_LAMBDA(int i) {
        for (auto n = row_map(i); n < row_map(i + 1); ++n) values(n) = value(first + i, entries(n));
      });
  return examples::with_values(exec, graph, values);
}

/// How many links go out from each page of the whole graph.
Counts count_links(const Exec& exec, const Rows& graph) {
  const Counts links("links", graph.matrix.cols());
  const auto entries = graph.matrix.entries;
  Kokkos::parallel_for(
      "count_links",
      Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(exec, 0, graph.matrix.nnz()),
      KOKKOS_LAMBDA(std::int64_t n) { Kokkos::atomic_inc(&links(entries(n))); });
  const auto host = Kokkos::create_mirror_view(links);
  Kokkos::deep_copy(exec, host, links);
  exec.fence();
  examples::add_up(host.data(), host.extent(0));
  Kokkos::deep_copy(exec, links, host);
  exec.fence();
  return links;
}

struct Ranks {
  Multivector x;
  int iterations = 0;
  double seconds = 0;
  examples::Stopwatch products;
};

/// The ranks for seed pages first, first + step, ... (k of them), to a change of a column of at
/// most tolerance in the 1-norm.
Ranks page_rank(const Exec& exec, const Prepared& p, int k, int first, int step,
                const Options& options) {
  const int pages = examples::rows_here(p);
  const auto seed = static_cast<int>(first - examples::first_row(p));  // here, or another rank's
  Multivector x("x", pages, k);
  Multivector y("y", pages, k);
  const auto statistics = examples::column_results<Statistics>(exec, p, k);
  const auto of_column = statistics.values;
  const Kokkos::RangePolicy<Exec> columns(exec, 0, k);
  Ranks ranks;
  exec.fence();
  const Kokkos::Timer timer;
  Kokkos::parallel_for(
      "page_rank::start", columns, KOKKOS_LAMBDA(int c) {
        const int row = seed + c * step;
        if (row >= 0 && row < pages) x(row, c) = 1;
      });
  for (double change = 2; change > options.tolerance && ranks.iterations < options.max_iterations;
       ++ranks.iterations) {
    ranks.products.time(exec, [&] { spmm(exec, options.damping, p, x, 0.0, y); });
    vector_statistics(exec, y, statistics);
    Kokkos::parallel_for(
        "page_rank::seeds", columns, KOKKOS_LAMBDA(int c) {
          const int row = seed + c * step;
          if (row >= 0 && row < pages) y(row, c) += 1 - of_column(c).sum;
        });
    examples::for_each_element(
        "page_rank::change", exec, pages, k,
        KOKKOS_LAMBDA(std::int64_t i, int c) { x(i, c) = y(i, c) - x(i, c); });
    vector_statistics(exec, x, statistics);
    change = 0;
    for (const auto& column : statistics.on_host(exec))
      change = std::max(change, column.absolute_sum);
    std::swap(x, y);
  }
  ranks.seconds = timer.seconds();
  ranks.x = x;
  return ranks;
}

/// |d P x + w v - x| in the 1-norm for column c, on the host, pages without links counted as such.
double error_of_equation(const Rows& graph, const Counts& links, const Ranks& ranks, int c,
                         int seed, double damping) {
  const auto here = fatvec::mirror<Kokkos::DefaultHostExecutionSpace>(graph.matrix);
  const auto host_links = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), links);
  const auto mine = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), ranks.x);
  const int first = static_cast<int>(graph.first);
  std::vector<double> x(static_cast<std::size_t>(graph.all), 0);  // of all pages
  for (int i = 0; i < here.rows(); ++i) x[static_cast<std::size_t>(first + i)] = mine(i, c);
  examples::add_up(x.data(), x.size());
  double back_to_seed = 1 - damping;
  for (int j = 0; j < here.cols(); ++j)
    if (host_links(j) == 0) back_to_seed += damping * x[static_cast<std::size_t>(j)];
  double error = 0;
  for (int i = 0; i < here.rows(); ++i) {
    double rank = first + i == seed ? back_to_seed : 0;
    for (auto n = here.row_map(i); n < here.row_map(i + 1); ++n)
      rank += damping * x[static_cast<std::size_t>(here.entries(n))] / host_links(here.entries(n));
    error += std::abs(rank - mine(i, c));
  }
  examples::add_up(&error, 1);
  return error;
}

/// The features H0(i, c) = cos(c i), propagated in some steps.
Multivector propagate(const Exec& exec, const Prepared& a_hat, int k) {
  constexpr int steps = 10;
  constexpr double own = 0.1;
  const int pages = examples::rows_here(a_hat);
  const std::int64_t first = examples::first_row(a_hat);
  const Multivector start("H0", pages, k);
  Multivector h("H", pages, k);
  Multivector next("H", pages, k);
  examples::for_each_element(
      "features", exec, pages, k, KOKKOS_LAMBDA(std::int64_t i, int c) {
        start(i, c) = Kokkos::cos(static_cast<double>(c) * static_cast<double>(first + i));
      });
  Kokkos::deep_copy(exec, h, start);
  for (int step = 0; step < steps; ++step) {
    Kokkos::deep_copy(exec, next, start);
    spmm(exec, 1 - own, a_hat, h, own, next);  // next = (1 - own) A_hat h + own H0
    std::swap(h, next);
  }
  return h;
}

std::vector<Statistics> statistics_of(const Exec& exec, const Prepared& p, const Multivector& x) {
  const auto results = examples::column_results<Statistics>(exec, p, x.extent_int(1));
  vector_statistics(exec, x, results);
  return results.on_host(exec);
}

void check_ranks(const Exec& exec, const Rows& graph, const Prepared& p, const Counts& links,
                 const Ranks& ranks, int step, const Options& options, examples::Checks& checks) {
  std::vector<double> errors;
  for (const auto& column : statistics_of(exec, p, ranks.x))
    errors.push_back(std::abs(column.sum - 1));
  checks.at_most("largest |sum of a column - 1|", examples::largest(errors), 1e-12);

  const int c = options.k - 1;
  const double d = options.damping;
  checks.at_most("error of the last column's equation",
                 error_of_equation(graph, links, ranks, c, c * step, d), options.tolerance);

  const Ranks alone = page_rank(exec, p, 1, c * step, 0, options);
  const auto x = ranks.x;
  const auto y = alone.x;
  examples::for_each_element(
      "difference", exec, y.extent_int(0), 1,
      KOKKOS_LAMBDA(std::int64_t i, int) { y(i, 0) -= x(i, c); });
  checks.at_most("difference of that column from a run of its own",
                 statistics_of(exec, p, y).front().absolute_sum,
                 2 * d / (1 - d) * options.tolerance);
}

bool run(const Options& options) {
  const Exec exec;
  const int k = options.k;
  const Rows graph = examples::generated_rows(
      fatvec::detail::concat("gen:powerlaw:", options.pages, ":", options.links));
  const Counts links = count_links(exec, graph);
  const auto row_map = graph.matrix.row_map;
  const int first = static_cast<int>(graph.first);
  const Prepared p = with_values(exec, graph, KOKKOS_LAMBDA(int, int j) { return 1.0 / links(j); });
  const Prepared a_hat = with_values(
      exec, graph, KOKKOS_LAMBDA(int i, int) {
        return 1.0 / static_cast<double>(row_map(i - first + 1) - row_map(i - first));
      });
  std::printf("problem     %lld pages, %lld without links, %lld links; k = %d seeds, on %s\n",
              static_cast<long long>(graph.all),
              static_cast<long long>(fatvec::vector_statistics(exec, links).zeros),
              static_cast<long long>(examples::entries(p)), k, Exec::name());

  const int step = static_cast<int>(graph.all) / k;
  const Ranks ranks = page_rank(exec, p, k, 0, step, options);
  std::printf("iterations  %d\n", ranks.iterations);
  examples::print_share(ranks.products, ranks.seconds);

  examples::Checks checks;
  check_ranks(exec, graph, p, links, ranks, step, options, checks);
  const auto constant = statistics_of(exec, a_hat, propagate(exec, a_hat, k)).front();
  checks.at_most("change of a constant feature",  // H0(i, 0) = 1, and a mean of ones is 1
                 std::fmax(constant.max - 1, 1 - constant.min), 1e-12);
  return checks.passed();
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  CLI::App app("Personalised PageRank for k seeds at once, and propagation of k features.",
               "pagerank");
  examples::add_number(app, "--pages", options.pages, 256, 1e8, "pages of the graph");
  examples::add_number(app, "--links", options.links, 4, 64, "mean links of a page");
  examples::add_number(app, "--k", options.k, 1, 256, "seeds, and features");
  examples::add_number(app, "--damping", options.damping, 0, 0.999,
                       "probability of following a link");
  examples::add_number(app, "--tolerance", options.tolerance, 0, 1,
                       "change of a column's ranks, in the 1-norm, at which it is done");
  examples::add_number(app, "--max-iterations", options.max_iterations, 1, 1e6,
                       "iterations after which it gives up");
  return examples::run(app, argc, argv, [&] { return run(options); });
}
