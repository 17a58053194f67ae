// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <fatvec/app/dispatch/product.hpp>
#include <fatvec/app/verify/oracle.hpp>
#include <fatvec/distributed/matrix_market.hpp>
#include <fatvec/distributed/numbering.hpp>
#include <fatvec/generate/generate.hpp>

/// Products over ranks, chosen at run time: what `fatvec multiply --distributed` and the suites
/// weak and strong of fatvec-bench call. All functions are collective, and errors are thrown on all
/// ranks.
namespace fatvec::ranks {

using distributed::Communicator;
using Exec = Kokkos::DefaultExecutionSpace;
/// This rank's rows of X or Y, in either layout.
using Vectors = Kokkos::View<double**, Kokkos::LayoutStride, Exec>;

/// This rank's rows of a matrix, on the host; columns are those of the file or the generator.
struct Rows {
  distributed::Partition partition;
  distributed::GlobalCsr<double> mine;
  std::int64_t duplicates = 0;  ///< of a file, on all ranks together
  /// Where ranks have other rows than ranges: their order, and which rows this rank has.
  std::optional<distributed::Numbering> numbering{};
  std::vector<std::int64_t> numbers{};
};

/// How rows are spread over ranks.
enum class Spread {
  even,      ///< equally many rows
  nonzeros,  ///< about equally many entries
  metis      ///< the same, in parts that METIS finds; of square matrices
};
/// By its name; throws UsageError for metis in a program that was built without it.
Spread spread_of(std::string_view name);

/// A Matrix Market file, of which each rank reads a range of bytes. memory_limit: of one rank;
/// without it, ranks of one host may take what is free there together.
Rows read_rows(const Communicator& communicator, const std::string& path, Spread spread,
               std::optional<std::uint64_t> memory_limit = {});
/// A generated matrix, of which each rank makes its rows.
Rows generate_rows(const Communicator& communicator, const generate::Spec& spec, Spread spread,
                   std::optional<std::uint64_t> memory_limit = {});

/// What is multiplied: X(j, c), and Y(i, c) before the product, are functions of the seed and their
/// global place; those of `fatvec multiply` on one rank.
struct Operands {
  std::int64_t k = 1;
  product::Layout layout = product::Layout::row;
  std::uint64_t seed = 1;
  double alpha = 1;
  double beta = 0;     ///< with 0, Y holds NaN before
  bool verify = true;  ///< whether there is to be memory for verify()
};

/// What a rank has and exchanges.
struct Share {
  std::int64_t rows = 0;
  std::int64_t nnz = 0;
  std::int64_t sent_rows = 0;  ///< of X
  std::int64_t received_rows = 0;
  std::int64_t neighbours = 0;    ///< ranks that it receives from
  std::int64_t matrix_bytes = 0;  ///< both parts
  std::int64_t memory_bytes = 0;  ///< of the matrix, X, Y and the buffers
};

/// Over the ranks.
struct Range {
  std::int64_t least = 0;
  std::int64_t most = 0;
  std::int64_t sum = 0;
};
/// The range of one of a share's numbers.
Range range_of(const Communicator& communicator, std::int64_t value);

/// Which part of a product runs.
enum class Part {
  whole,
  local,  ///< what needs no other rank
  halo    ///< the rest: rows of X travel, and what they contribute is added to Y
};

/// A run on all ranks.
struct Time {
  double seconds = 0;  ///< of the slowest rank
  int slowest = 0;     ///< which that is
};

/// Y = beta · Y + alpha · A · X of a distributed matrix, its local part in any format.
class Product {
 public:
  /// Throws UsageError for a format that nobody knows, CapacityError for one that does not fit.
  /// options.memory_limit: of one rank, for load(), too. use_nccl: between GPUs; without effect
  /// where ranks share one.
  Product(const Communicator& communicator, Rows rows, std::string_view format,
          const FormatOptions& options, bool use_nccl);

  /// Makes X and Y, and what a product with as many columns needs. Throws CapacityError where the
  /// ranks of a host have no memory for that.
  void load(const Operands& operands);
  /// Y as it is before the first run.
  void reset_y();
  /// `batch` runs of the part, one after the other, and what one of them took.
  Time run(Part part, int batch = 1);

  /// Y as it is now, against the serial product in extended precision of what load() made. The
  /// worst place counts rows of the whole matrix.
  [[nodiscard]] verify::Verdict verify() const;

  [[nodiscard]] Share share() const;
  [[nodiscard]] std::string_view exchange() const { return exchange_; }
  [[nodiscard]] double setup_seconds() const { return setup_seconds_; }  ///< the slowest rank's
  [[nodiscard]] std::int64_t rows() const { return rows_.partition.rows(); }
  [[nodiscard]] std::int64_t cols() const { return rows_.mine.cols(); }
  [[nodiscard]] const Vectors& x() const { return x_; }
  [[nodiscard]] const Vectors& y() const { return y_; }

 private:
  using Multiply = std::function<void(const Exec&, double, const Vectors&, double, const Vectors&)>;

  template <class Matrix>
  void take(const Matrix& matrix);
  void require_operands_fit(const Operands& operands) const;
  void fill_y();
  /// What row i of this rank's part of a vector is called in the file or by the generator; first:
  /// row 0's, where ranks have ranges.
  [[nodiscard]] std::int64_t number_of(std::int64_t i, std::int64_t first) const {
    return rows_.numbering ? rows_.numbers[static_cast<std::size_t>(i)] : first + i;
  }

  Communicator communicator_;
  Rows rows_;
  Exec exec_;
  Multiply whole_, local_, halo_;
  std::function<void(std::int64_t)> reserve_;
  std::function<std::size_t()> buffer_bytes_;
  std::string exchange_;
  Share share_;
  std::int64_t local_cols_ = 0;
  std::int64_t first_col_ = 0;
  double setup_seconds_ = 0;
  std::optional<std::uint64_t> memory_limit_;
  Operands operands_;
  Vectors x_, y_;
};

/// The most ranks that have the same GPU; 1 where each has its own, or there are none.
int ranks_per_gpu(const Communicator& communicator);

/// Whether rows of X travel by NCCL in this build.
bool built_with_nccl();

/// Waits for all without taking the cores that others compute on.
void wait_for_all(const Communicator& communicator);

/// For a rank whose work on a communicator failed; ranks is another one, of the same ranks. Those
/// that go on would wait forever for one that fails alone: where not all call this within seconds,
/// ends them with the message and the exit code.
void end_all_unless_all_failed(MPI_Comm ranks, int exit_code, const std::string& message);

}  // namespace fatvec::ranks
