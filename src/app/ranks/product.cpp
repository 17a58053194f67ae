// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>
#include <utility>

#include <fatvec/app/ranks/product.hpp>
#include <fatvec/generate/random.hpp>
#include <fatvec/kernels/registry.hpp>

namespace fatvec::ranks {
namespace {

using Csr = distributed::LocalCsr<double>;

/// As operands.hpp of the program has them: what random numbers are for.
enum class Purpose : std::uint64_t { x = 101, y = 102 };

/// Uniform in [-1, 1).
double element(Purpose purpose, std::uint64_t seed, std::int64_t row, std::int64_t column) {
  return 2 * generate::RowRandom(seed, static_cast<generate::Purpose>(purpose), row).unit(column) -
         1;
}

/// All of X, for the verification of any rows.
struct WholeX {
  std::uint64_t seed;
  std::int64_t k;
  [[nodiscard]] std::int64_t extent(int) const { return k; }
  double operator()(std::int64_t row, std::int64_t column) const {
    return element(Purpose::x, seed, row, column);
  }
};

Vectors allocate(const char* label, std::int64_t rows, const Operands& operands) {
  const auto n = static_cast<std::size_t>(rows);
  const auto k = static_cast<std::size_t>(operands.k);
  const bool by_rows = operands.layout == product::Layout::row;
  const Kokkos::LayoutStride layout(n, by_rows ? k : 1, k, by_rows ? 1 : n);
  return fatvec::detail::allocated([&] {
    return Vectors(Kokkos::view_alloc(Kokkos::WithoutInitializing, std::string(label)), layout);
  });
}

/// number_of(i): the global number of row i.
void fill(const Vectors& v, Purpose purpose, std::uint64_t seed, const auto& number_of) {
  const auto host = fatvec::detail::allocated([&] { return Kokkos::create_mirror_view(v); });
  for (std::size_t i = 0; i < v.extent(0); ++i)
    for (std::size_t c = 0; c < v.extent(1); ++c)
      host(i, c) = element(purpose, seed, number_of(static_cast<std::int64_t>(i)),
                           static_cast<std::int64_t>(c));
  Kokkos::deep_copy(v, host);
}

}  // namespace

Product::Product(const Communicator& communicator, Rows rows, std::string_view format,
                 const FormatOptions& options, bool use_nccl)
    : communicator_(communicator),
      rows_(std::move(rows)),
      exec_(communicator.agree([] { return Exec(); })),
      memory_limit_(options.memory_limit) {
  const Kokkos::Timer timer;
  distributed::Options halo;
  halo.memory_limit = memory_limit_;
  halo.use_nccl = use_nccl && ranks_per_gpu(communicator) == 1;
  const auto csr = rows_.numbering
                       ? distributed::from_rows(communicator, *rows_.numbering, rows_.mine, halo)
                       : distributed::from_rows(communicator, rows_.partition, rows_.mine, halo);
  const auto volume = csr.volume();
  share_ = {.rows = csr.local_rows(),
            .nnz = rows_.mine.nnz(),
            .sent_rows = volume.sent_rows,
            .received_rows = volume.received_rows,
            .neighbours = volume.neighbours,
            .matrix_bytes = static_cast<std::int64_t>(csr.halo().matrix().bytes())};
  local_cols_ = csr.local_cols();
  first_col_ = csr.column_partition().begin(communicator.rank());
  communicator.agree([&] {
    exchange_ = csr.exchange();
    reserve_ = [csr](std::int64_t k) { csr.reserve(k); };
    buffer_bytes_ = [csr] { return csr.halo().exchange().bytes(); };
    halo_ = [csr](const Exec& exec, double alpha, const Vectors& x, double, const Vectors& y) {
      csr.add_halo(exec, alpha, x, y);
    };
  });
  bool known = false;
  for_each_kernel([&]<class Kernel>(Kernel) {
    using Format = typename Kernel::template Matrix<double, std::int32_t, Exec, std::int32_t>;
    if (known || format != Format::name) return;
    known = true;
    if constexpr (std::is_same_v<Format, Csr>)
      take(csr);
    else
      take(distributed::convert<Format>(exec_, csr, options));
  });
  if (!known)
    throw UsageError(
        fatvec::detail::concat("unknown format '", format, "'; fatvec list shows the formats."));
  setup_seconds_ = timer.seconds();
  MPI_Allreduce(MPI_IN_PLACE, &setup_seconds_, 1, MPI_DOUBLE, MPI_MAX, communicator.get());
}

template <class Matrix>
void Product::take(const Matrix& matrix) {
  share_.matrix_bytes += static_cast<std::int64_t>(matrix.local().bytes());
  communicator_.agree([&] {
    whole_ = [matrix](const Exec& exec, double alpha, const Vectors& x, double beta,
                      const Vectors& y) { spmm(exec, alpha, matrix, x, beta, y); };
    local_ = [matrix](const Exec& exec, double alpha, const Vectors& x, double beta,
                      const Vectors& y) { fatvec::spmm(exec, alpha, matrix.local(), x, beta, y); };
    exec_.fence("fatvec::ranks::prepare");
  });
}

/// X, Y and the rows of X that travel, or a copy of X or Y where these are on a device; and what
/// verify() makes: Y as it was, as it is, and as it should be.
void Product::require_operands_fit(const Operands& operands) const {
  constexpr bool on_host = fatvec::detail::is_host<Exec>;
  const std::int64_t travel = share_.sent_rows + share_.received_rows;
  const std::int64_t rows =
      on_host ? local_cols_ + travel + share_.rows : std::max(local_cols_, share_.rows);
  constexpr std::size_t verified = 2 * sizeof(long double) + (on_host ? 1 : 2) * sizeof(double);
  const double bytes = static_cast<double>(operands.k) *
                       (sizeof(double) * static_cast<double>(rows) +
                        (operands.verify ? verified * static_cast<double>(share_.rows) : 0));
  distributed::require_fits_on_host(communicator_, "the product", bytes, memory_limit_, [&] {
    return fatvec::detail::concat(local_cols_, " rows of X, ", travel, " that travel, and ",
                                  share_.rows, " rows of Y",
                                  operands.verify ? ", with those that they are compared with" : "",
                                  ", of ", operands.k, " columns");
  });
}

void Product::load(const Operands& operands) {
  communicator_.agree_on("columns of X", operands.k, [&] {
    operands_ = operands;
    x_ = y_ = Vectors();  // first the old ones go
  });
  require_operands_fit(operands);
  communicator_.agree([&] {
    x_ = allocate("X", local_cols_, operands);
    y_ = allocate("Y", share_.rows, operands);
    fill(x_, Purpose::x, operands.seed, [&](auto i) { return number_of(i, first_col_); });
    fill_y();
  });
  reserve_(operands.k);
}

void Product::reset_y() {
  communicator_.agree([&] { fill_y(); });
}

void Product::fill_y() {
  const std::int64_t first = rows_.partition.begin(communicator_.rank());
  if (operands_.beta == 0)
    Kokkos::deep_copy(y_, std::numeric_limits<double>::quiet_NaN());
  else
    fill(y_, Purpose::y, operands_.seed, [&](auto i) { return number_of(i, first); });
}

Time Product::run(Part part, int batch) {
  const Multiply& multiply = part == Part::whole ? whole_ : part == Part::local ? local_ : halo_;
  communicator_.or_abort([&] { exec_.fence("fatvec::ranks::before"); });
  MPI_Barrier(communicator_.get());
  const Kokkos::Timer timer;
  communicator_.or_abort([&] {
    for (int n = 0; n < batch; ++n) multiply(exec_, operands_.alpha, x_, operands_.beta, y_);
    exec_.fence("fatvec::ranks::after");
  });
  struct {
    double seconds;
    int rank;
  } slowest{timer.seconds() / batch, communicator_.rank()};
  MPI_Allreduce(MPI_IN_PLACE, &slowest, 1, MPI_DOUBLE_INT, MPI_MAXLOC, communicator_.get());
  return {slowest.seconds, slowest.rank};
}

verify::Verdict Product::verify() const {
  const std::int64_t first = rows_.partition.begin(communicator_.rank());
  verify::Verdict mine;
  communicator_.agree([&] {
    const auto got = fatvec::detail::host_copy(y_);
    using Host = Kokkos::DefaultHostExecutionSpace;
    const auto before =
        fatvec::detail::allocate_zeros<Kokkos::View<double**, Kokkos::LayoutRight, Host>>(
            Host(), "Y", share_.rows, operands_.k);
    if (operands_.beta != 0)
      for (std::int64_t i = 0; i < share_.rows; ++i)
        for (std::int64_t c = 0; c < operands_.k; ++c)
          before(i, c) = element(Purpose::y, operands_.seed, number_of(i, first), c);
    const auto reference = verify::reference_product(
        operands_.alpha, rows_.mine, WholeX{operands_.seed, operands_.k}, operands_.beta, before);
    mine = verify::compare(reference, got);
    if (mine.worst_row >= 0) mine.worst_row = number_of(mine.worst_row, first);
  });
  struct {
    double scaled;
    int rank;
  } worst{mine.worst_row < 0 ? -1 : mine.scaled, communicator_.rank()};
  MPI_Allreduce(MPI_IN_PLACE, &worst, 1, MPI_DOUBLE_INT, MPI_MAXLOC, communicator_.get());
  verify::Verdict all = mine;
  MPI_Bcast(&all, sizeof all, MPI_BYTE, worst.rank, communicator_.get());
  double squares = mine.l2 * mine.l2;
  MPI_Allreduce(MPI_IN_PLACE, &squares, 1, MPI_DOUBLE, MPI_SUM, communicator_.get());
  all.l2 = std::sqrt(squares);
  MPI_Allreduce(&mine.max, &all.max, 1, MPI_DOUBLE, MPI_MAX, communicator_.get());
  return all;
}

Share Product::share() const {
  Share share = share_;
  const std::int64_t vectors = static_cast<std::int64_t>(x_.size() + y_.size());
  share.memory_bytes = share.matrix_bytes + vectors * static_cast<std::int64_t>(sizeof(double)) +
                       static_cast<std::int64_t>(buffer_bytes_());
  return share;
}

}  // namespace fatvec::ranks
