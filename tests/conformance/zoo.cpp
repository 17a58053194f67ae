// SPDX-License-Identifier: Apache-2.0
#include "zoo.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <map>
#include <random>
#include <stdexcept>

#include "test_data.hpp"

#include <fatvec/formats/assemble.hpp>
#include <fatvec/generate/generate.hpp>
#include <fatvec/io/matrix_market.hpp>

namespace fatvec::test {
namespace {

using Host = Kokkos::DefaultHostExecutionSpace;

struct Entry {
  int row;
  int col;
  double value;
};

ZooMatrix from_entries(int rows, int cols, const std::vector<Entry>& entries) {
  Coo<double> coo(rows, cols, entries.size());
  for (std::size_t n = 0; n < entries.size(); ++n) {
    coo.row(n) = entries[n].row;
    coo.col(n) = entries[n].col;
    coo.value(n) = entries[n].value;
  }
  return csr_from_coo<Host, std::int64_t>(coo);
}

ZooMatrix random(int rows, int cols, int per_row, double scale = 1) {
  std::mt19937 random(rows * 31 + cols);
  std::uniform_real_distribution<double> value(-1, 1);
  std::vector<Entry> entries;
  for (int i = 0; i < rows; ++i) {
    const int length = static_cast<int>(random() % (2 * per_row + 1));
    for (int n = 0; n < length; ++n)
      entries.push_back({i, static_cast<int>(random() % cols), scale * value(random)});
  }
  return from_entries(rows, cols, entries);
}

ZooMatrix mostly_empty_rows() {
  std::vector<Entry> entries;
  for (int i = 5; i < 200; i += 37) {
    for (int j = 0; j < 9; ++j) entries.push_back({i, (i * 7 + j * 11) % 150, 0.5 + j});
  }
  return from_entries(200, 150, entries);
}

ZooMatrix huge_and_tiny_values() {
  std::vector<Entry> entries;
  for (int i = 0; i < 96; ++i) {
    for (int j = 0; j < 6; ++j) {
      const double magnitude = j % 2 == 0 ? 1e30 : 1e-30;  // within float's range, too
      entries.push_back({i, (i * 5 + j * 13) % 96, (i % 3 == 0 ? -1 : 1) * magnitude * (1 + j)});
    }
  }
  return from_entries(96, 96, entries);
}

ZooMatrix duplicates_and_explicit_zeros() {
  std::vector<Entry> entries;
  for (int i = 0; i < 70; ++i) {
    for (int copy = 0; copy < 3; ++copy) entries.push_back({i, (i * 3) % 64, 0.25 * (copy + 1)});
    entries.push_back({i, (i * 7 + 1) % 64, 0.0});
    entries.push_back({i, i % 64, 2.0});
    entries.push_back({i, i % 64, -2.0});  // cancels to an explicit zero
  }
  return from_entries(70, 64, entries);
}

std::function<ZooMatrix()> generated(const char* spec) {
  return [spec] { return generate::generate(generate::parse_spec(spec)); };
}
std::function<ZooMatrix()> shipped(const char* file) {
  return [file] { return real_matrix(std::string(FATVEC_TEST_DATA "/") + file); };
}

const std::map<std::string, std::function<ZooMatrix()>>& makers() {
  static const std::map<std::string, std::function<ZooMatrix()>> all = {
      {"zero_by_zero", [] { return from_entries(0, 0, {}); }},
      {"zero_rows", [] { return from_entries(0, 7, {}); }},
      {"zero_columns", [] { return from_entries(7, 0, {}); }},
      {"no_entries", [] { return from_entries(33, 20, {}); }},
      {"one_by_one", [] { return from_entries(1, 1, {{0, 0, 3.0}}); }},
      {"mostly_empty_rows", mostly_empty_rows},
      {"wide", [] { return random(23, 400, 12); }},
      {"tall", [] { return random(400, 23, 5); }},
      {"ragged", [] { return random(257, 257, 20); }},
      {"one_row", [] { return random(1, 300, 150); }},
      {"one_column", [] { return random(300, 1, 1); }},
      {"duplicates_and_explicit_zeros", duplicates_and_explicit_zeros},
      {"huge_and_tiny_values", huge_and_tiny_values},
      {"arrow", generated("gen:arrow:500")},
      {"stencil5", generated("gen:stencil5:17x9")},
      {"stencil7", generated("gen:stencil7:7x6x5")},
      {"stencil9_dof2", generated("gen:stencil9:11:dof=2")},
      {"stencil27_dof3", generated("gen:stencil27:4:dof=3")},
      {"banded", generated("gen:banded:150:9")},
      {"uniform", generated("gen:uniform:211:19")},
      {"powerlaw", generated("gen:powerlaw:700:4")},
      {"diagonal", generated("gen:diagonal:129")},
      {"cage4", shipped("cage4.mtx.gz")},
      {"olm1000", shipped("olm1000.mtx.gz")},
      {"west2021", shipped("west2021.mtx.gz")},
  };
  return all;
}

}  // namespace

const std::vector<std::string>& zoo() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> list;
    for (const auto& [name, make] : makers()) list.push_back(name);
    return list;
  }();
  return names;
}

ZooMatrix zoo_matrix(const std::string& name) {
  return makers().at(name)();
}

std::vector<std::string> real_matrices() {
  std::vector<std::string> paths;
  if (const char* folder = std::getenv("FATVEC_MATRICES")) {
    for (const auto& file : std::filesystem::directory_iterator(folder)) {
      if (file.path().string().ends_with(".mtx.gz") || file.path().extension() == ".mtx")
        paths.push_back(file.path());
    }
    if (paths.empty())
      throw std::runtime_error(std::string("FATVEC_MATRICES=") + folder +
                               " holds no *.mtx or *.mtx.gz");
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

ZooMatrix real_matrix(const std::string& path) {
  return csr_from_coo<Host, std::int64_t>(io::read_matrix_market<double>(path));
}

}  // namespace fatvec::test
