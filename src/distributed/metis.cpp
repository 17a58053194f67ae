// SPDX-License-Identifier: Apache-2.0
#include <fatvec/distributed/metis.hpp>

#ifdef FATVEC_HAVE_METIS
#include <metis.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

#include <fatvec/distributed/all_to_all.hpp>
#endif

namespace fatvec {

void distributed::require_metis() {
#ifndef FATVEC_HAVE_METIS
  throw UsageError(
      "partition_by_metis: fatvec was built without METIS. Install it (apt-get install "
      "libmetis-dev, or let METIS_ROOT say where it is), configure anew with "
      "-DFATVEC_ENABLE_METIS=ON, and build.");
#endif
}

#ifndef FATVEC_HAVE_METIS
std::vector<std::int64_t> detail::parts_by_metis(const distributed::Communicator& communicator,
                                                 const distributed::Partition&,
                                                 const RowsOfPattern&) {
  communicator.agree(distributed::require_metis);
  return {};
}
#else
namespace {

using detail::concat;
using detail::RowsOfPattern;
using distributed::Communicator, distributed::GlobalCoo, distributed::Partition;

/// A graph as METIS takes it, or a rank's vertices of one.
struct Graph {
  std::vector<idx_t> degrees;
  std::vector<idx_t> neighbours;  ///< of one vertex after the other
  std::vector<idx_t> weights;
};

void require_fitting(const Communicator& communicator, const Partition& rows,
                     const RowsOfPattern& mine) {
  if (rows.rows() != mine.all_columns)
    throw UsageError(concat("partition_by_metis: A is ", rows.rows(), " x ", mine.all_columns,
                            ", and METIS cuts the graph of a square matrix; spread the rows ",
                            "evenly, or by nonzeros."));
  if (rows.parts() != communicator.size() || rows.size(communicator.rank()) != mine.rows())
    throw ShapeError(concat("partition_by_metis: this rank has ", mine.rows(), " rows; the ",
                            "partition of ", rows.parts(), " parts on ", communicator.size(),
                            " ranks says otherwise."));
}

/// Throws CapacityError on all ranks where idx_t cannot count what they have together.
void require_countable(const Communicator& communicator, std::int64_t mine, const char* what) {
  std::int64_t all = 0;
  MPI_Allreduce(&mine, &all, 1, MPI_INT64_T, MPI_SUM, communicator.get());
  communicator.agree([&] {
    if (all > std::numeric_limits<idx_t>::max())
      throw CapacityError(concat("partition_by_metis: ", all, " ", what, " exceed METIS' indices ",
                                 "of ", 8 * sizeof(idx_t), " bits; build fatvec with a METIS of ",
                                 "64-bit indices, or spread the rows by nonzeros."));
  });
}

/// Each entry beside the diagonal, and the one in its mirror image.
GlobalCoo<double> both_triangles(const RowsOfPattern& mine, std::int64_t first_row) {
  std::size_t entries = 0;
  for (std::int64_t i = 0; i < mine.rows(); ++i)
    for (std::int64_t n = mine.row_map(i); n < mine.row_map(i + 1); ++n)
      if (mine.columns(n) != first_row + i) ++entries;
  GlobalCoo<double> coo(mine.all_columns, mine.all_columns, 2 * entries);
  std::size_t to = 0;
  const auto add = [&](std::int64_t row, std::int64_t col) {
    coo.row(to) = row;
    coo.col(to) = col;
    coo.value(to++) = 0;
  };
  for (std::int64_t i = 0; i < mine.rows(); ++i)
    for (std::int64_t n = mine.row_map(i); n < mine.row_map(i + 1); ++n) {
      if (mine.columns(n) == first_row + i) continue;
      add(first_row + i, mine.columns(n));
      add(mine.columns(n), first_row + i);
    }
  return coo;
}

/// This rank's vertices.
Graph vertices_of(const Communicator& communicator, const Partition& rows,
                  const RowsOfPattern& mine) {
  const auto coo =
      communicator.agree([&] { return both_triangles(mine, rows.begin(communicator.rank())); });
  const auto adjacency = distributed::gather_rows(communicator, rows, coo);
  require_countable(communicator, adjacency.nnz(), "entries of A + A^T");
  require_countable(communicator, mine.entries() + mine.rows(), "entries and rows");
  return communicator.agree([&] {
    Graph graph;
    graph.neighbours.assign(adjacency.entries.data(), adjacency.entries.data() + adjacency.nnz());
    for (std::int64_t i = 0; i < mine.rows(); ++i) {
      graph.degrees.push_back(static_cast<idx_t>(adjacency.row_map(i + 1) - adjacency.row_map(i)));
      graph.weights.push_back(static_cast<idx_t>(std::max<std::int64_t>(1, mine.length(i))));
    }
    return graph;
  });
}

/// All of the graph on the first rank, none on the others.
Graph gathered(const Communicator& communicator, const Graph& mine) {
  auto bytes = static_cast<double>(
      (mine.degrees.size() + mine.neighbours.size() + mine.weights.size()) * sizeof(idx_t));
  MPI_Allreduce(MPI_IN_PLACE, &bytes, 1, MPI_DOUBLE, MPI_SUM, communicator.get());
  constexpr double with_smaller_graphs = 3;  // METIS keeps some, each about half as large
  distributed::require_fits_on_host(
      communicator, "partition_by_metis",
      communicator.rank() == 0 ? with_smaller_graphs * bytes : 0, {},
      [] { return std::string("the whole graph, and METIS' smaller ones"); });
  const auto to_first = [&](const std::vector<idx_t>& items) {
    const auto counts = communicator.agree([&] {
      std::vector<std::int64_t> of_ranks(static_cast<std::size_t>(communicator.size()), 0);
      of_ranks.front() = static_cast<std::int64_t>(items.size());
      return of_ranks;
    });
    return distributed::all_to_all(communicator, items, counts).items;
  };
  Graph whole;
  whole.degrees = to_first(mine.degrees);
  whole.neighbours = to_first(mine.neighbours);
  whole.weights = to_first(mine.weights);
  return whole;
}

/// The part of each vertex: few parts by bisections, whose weights differ less; more at once, which
/// takes less time.
std::vector<idx_t> cut(Graph graph, idx_t parts) {
  constexpr idx_t most_by_bisection = 8;
  auto vertices = static_cast<idx_t>(graph.degrees.size());
  std::vector<idx_t> part(graph.degrees.size());
  if (parts == 1 || vertices <= parts) {  // METIS wants something to choose
    if (parts > 1) std::iota(part.begin(), part.end(), idx_t{0});
    return part;
  }
  std::vector<idx_t> begins(graph.degrees.size() + 1, 0);
  std::partial_sum(graph.degrees.begin(), graph.degrees.end(), begins.begin() + 1);
  idx_t options[METIS_NOPTIONS];
  METIS_SetDefaultOptions(options);
  options[METIS_OPTION_SEED] = 1;
  idx_t constraints = 1;
  idx_t edges_cut = 0;
  auto* const partition =
      parts > most_by_bisection ? METIS_PartGraphKway : METIS_PartGraphRecursive;
  const int status = partition(&vertices, &constraints, begins.data(), graph.neighbours.data(),
                               graph.weights.data(), nullptr, nullptr, &parts, nullptr, nullptr,
                               options, &edges_cut, part.data());
  if (status == METIS_ERROR_MEMORY)
    throw CapacityError(concat("partition_by_metis: METIS has no memory left for a graph of ",
                               vertices, " vertices and ", begins.back() / 2, " edges."));
  if (status != METIS_OK)
    throw Error(concat("partition_by_metis: METIS failed with ", status, "."));
  return part;
}

/// Rows 0, 1, ... in the order of their parts, and how many each part has.
struct RowsOfParts {
  std::vector<std::int64_t> rows;
  std::vector<std::int64_t> counts;
};

RowsOfParts in_order_of_parts(const std::vector<idx_t>& part, int parts) {
  RowsOfParts ordered;
  ordered.counts.resize(static_cast<std::size_t>(parts));
  for (const idx_t p : part) ++ordered.counts[static_cast<std::size_t>(p)];
  std::vector<std::size_t> next(ordered.counts.size(), 0);
  for (std::size_t p = 1; p < next.size(); ++p)
    next[p] = next[p - 1] + static_cast<std::size_t>(ordered.counts[p - 1]);
  ordered.rows.resize(part.size());
  for (std::size_t row = 0; row < part.size(); ++row)
    ordered.rows[next[static_cast<std::size_t>(part[row])]++] = static_cast<std::int64_t>(row);
  return ordered;
}

}  // namespace

std::vector<std::int64_t> detail::parts_by_metis(const Communicator& communicator,
                                                 const Partition& rows, const RowsOfPattern& mine) {
  communicator.agree([&] { require_fitting(communicator, rows, mine); });
  Graph whole = gathered(communicator, vertices_of(communicator, rows, mine));
  const RowsOfParts ordered = communicator.agree([&] {
    // Other ranks have no vertices, and send nothing.
    return in_order_of_parts(cut(std::move(whole), communicator.size()), communicator.size());
  });
  return distributed::all_to_all(communicator, ordered.rows, ordered.counts).items;
}
#endif

}  // namespace fatvec
