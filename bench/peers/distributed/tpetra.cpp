// SPDX-License-Identifier: Apache-2.0
// Tpetra of Trilinos: CrsMatrix::apply with a MultiVector of k columns, column-major as it is
// there.
#include <Trilinos_version.h>
#include <Tpetra_Core.hpp>
#include <Tpetra_CrsMatrix.hpp>
#include <Tpetra_Map.hpp>
#include <Tpetra_MultiVector.hpp>

#include "measure.hpp"

namespace {

using namespace peers;
using Map = Tpetra::Map<>;
using Local = Map::local_ordinal_type;
using Global = Map::global_ordinal_type;
using Matrix = Tpetra::CrsMatrix<double, Local, Global>;
using Vectors = Tpetra::MultiVector<double, Local, Global>;

bool run(const Arguments& arguments) {
  const Rows rows(arguments.rows());
  const auto map =
      Teuchos::rcp(new Map(static_cast<Tpetra::global_size_t>(arguments.rows()),
                           static_cast<std::size_t>(rows.count()), 0, Tpetra::getDefaultComm()));
  Matrix a(map, 27);
  std::vector<Global> columns;
  std::vector<double> values;
  for (std::int64_t row = rows.begin; row < rows.end; ++row) {
    columns.clear();
    values.clear();
    arguments.visit_row(row, [&](std::int64_t column, double value) {
      columns.push_back(static_cast<Global>(column));
      values.push_back(value);
    });
    a.insertGlobalValues(static_cast<Global>(row), static_cast<Local>(columns.size()),
                         values.data(), columns.data());
  }
  a.fillComplete();

  bool right = true;
  for (const int k : arguments.columns) {
    Vectors x(map, static_cast<std::size_t>(k)), y(map, static_cast<std::size_t>(k));
    for (int c = 0; c < k; ++c) {
      const auto to = x.getDataNonConst(static_cast<std::size_t>(c));
      for (std::int64_t row = rows.begin; row < rows.end; ++row)
        to[row - rows.begin] = x_value(row, c);
    }
    const auto product = [&] { a.apply(x, y); };
    product();
    std::vector<Teuchos::ArrayRCP<const double>> columns_of_y;
    right &= report(std::string("Tpetra ") + TRILINOS_VERSION_STRING, arguments, rows, k, product,
                    [&](std::int64_t row, int c) {
                      while (columns_of_y.size() <= static_cast<std::size_t>(c))
                        columns_of_y.push_back(y.getData(columns_of_y.size()));
                      return columns_of_y[static_cast<std::size_t>(c)][row];
                    });
  }
  return right;
}

}  // namespace

int main(int argc, char** argv) {
  const Arguments arguments(argc, argv);
  const Tpetra::ScopeGuard tpetra(&argc, &argv);
  return run(arguments) ? 0 : 1;
}
