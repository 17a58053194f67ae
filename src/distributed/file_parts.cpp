// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <memory>
#include <mutex>
#include <vector>

#include <fatvec/distributed/file_parts.hpp>
#include <fatvec/io/detail/body.hpp>
#include <fatvec/io/detail/reader.hpp>
#include <fatvec/io/detail/stored_matrix.hpp>

namespace fatvec::distributed::detail {
namespace {

using fatvec::detail::concat;
using io::detail::BinaryFile;
using io::detail::StoredMatrix;

template <class Scalar>
using Parser = io::detail::CoordinateParser<Scalar, std::int64_t>;
template <class Scalar>
using Item = typename Parser<Scalar>::Item;

constexpr std::size_t items_of_message = std::size_t{1} << 18;

/// Sends entries to one rank after the other; those of its own rank stay.
template <class Scalar>
class Dealer {
 public:
  Dealer(const Communicator& communicator, std::vector<Item<Scalar>>& mine)
      : communicator_(communicator), mine_(mine) {}

  void deal(const std::vector<Item<Scalar>>& items) {
    for (std::size_t begin = 0; begin < items.size(); begin += items_of_message) {
      const std::size_t count = std::min(items_of_message, items.size() - begin);
      const Item<Scalar>* const first = items.data() + begin;
      if (next_ == communicator_.rank())
        mine_.insert(mine_.end(), first, first + count);
      else
        send(next_, first, count);
      next_ = (next_ + 1) % communicator_.size();
    }
  }

  /// Tells the others that nothing more comes.
  void end() {
    for (int rank = 0; rank < communicator_.size(); ++rank)
      if (rank != communicator_.rank()) send(rank, nullptr, 0);
  }

 private:
  void send(int rank, const Item<Scalar>* items, std::size_t count) {
    MPI_Send(items, static_cast<int>(count * sizeof(Item<Scalar>)), MPI_BYTE, rank, 0,
             communicator_.get());
  }

  const Communicator& communicator_;
  std::vector<Item<Scalar>>& mine_;
  int next_ = 0;
};

/// Whatever happens, the other ranks are told of the end.
template <class Scalar>
void parse_and_deal(const Communicator& communicator, io::detail::TextBlocks& text,
                    const io::detail::ParsedHeader& header, std::vector<Item<Scalar>>& mine) {
  Dealer<Scalar> dealer(communicator, mine);
  try {
    io::detail::Body<Scalar, Parser<Scalar>> body(
        text, header, static_cast<std::uint64_t>(header.entries), io::detail::default_piece_bytes,
        sizeof(Scalar) == sizeof(double) ? "double" : "float");
    std::vector<Item<Scalar>> batch;
    std::mutex filling;
    body.read(
        [&](std::size_t, const std::vector<Item<Scalar>>& items) {
          const std::lock_guard lock(filling);
          batch.insert(batch.end(), items.begin(), items.end());
        },
        [&](double) {
          dealer.deal(batch);
          batch.clear();
        });
  } catch (const std::exception&) {
    dealer.end();
    throw;
  }
  dealer.end();
}

template <class Scalar>
void receive_all(const Communicator& communicator, std::vector<Item<Scalar>>& mine) {
  std::vector<Item<Scalar>> message(items_of_message);
  for (int bytes = 1; bytes > 0;) {
    MPI_Status status;
    MPI_Recv(message.data(), static_cast<int>(message.size() * sizeof(Item<Scalar>)), MPI_BYTE, 0,
             0, communicator.get(), &status);
    MPI_Get_count(&status, MPI_BYTE, &bytes);
    mine.insert(mine.end(), message.begin(),
                message.begin() + static_cast<std::ptrdiff_t>(bytes / sizeof(Item<Scalar>)));
  }
}

}  // namespace

template <class Scalar>
GlobalCoo<Scalar> read_text_on_one(const Communicator& communicator,
                                   const std::filesystem::path& path,
                                   std::optional<std::uint64_t> memory_limit) {
  std::unique_ptr<io::detail::TextBlocks> text;
  const io::detail::ParsedHeader header = communicator.agree([&] {
    if (communicator.rank() != 0) return io::detail::ParsedHeader{};
    text = std::make_unique<io::detail::TextBlocks>(path);
    return spread_header(*text);
  });
  std::int64_t sizes[] = {header.rows, header.cols, header.entries,
                          header.symmetry == io::Symmetry::general ? 1 : 2};
  MPI_Bcast(sizes, 4, MPI_INT64_T, 0, communicator.get());
  const auto [rows, cols, entries, items_per_entry] = sizes;
  // A growing list, which is then copied.
  const double items =
      static_cast<double>(entries) * static_cast<double>(items_per_entry) / communicator.size() +
      items_of_message;
  require_fits_on_host(communicator, "what is made of the Matrix Market file",
                       3 * items * sizeof(Item<Scalar>), memory_limit, [&] {
                         return concat(rows, " x ", cols, ", ", entries, " entries in the file");
                       });
  std::vector<Item<Scalar>> mine;
  communicator.agree([&] {
    if (communicator.rank() == 0)
      parse_and_deal<Scalar>(communicator, *text, header, mine);
    else
      communicator.or_abort([&] { receive_all<Scalar>(communicator, mine); });
  });
  return communicator.agree([&] {
    GlobalCoo<Scalar> coo(rows, cols, mine.size());
    for (std::size_t n = 0; n < mine.size(); ++n) {
      coo.row(n) = mine[n].row;
      coo.col(n) = mine[n].col;
      coo.value(n) = mine[n].value;
    }
    return coo;
  });
}

template <class Scalar>
GlobalCoo<Scalar> read_array_parts(const Communicator& communicator,
                                   const std::filesystem::path& path,
                                   std::optional<std::uint64_t> memory_limit) {
  using Reader = io::detail::SlabReader<Scalar, std::int64_t, std::int64_t>;
  std::unique_ptr<BinaryFile> file;
  const StoredMatrix matrix = communicator.agree([&] {
    file = std::make_unique<BinaryFile>(path);
    StoredMatrix stored = open_stored(*file, io::detail::kind_of(path));
    if (stored.header().field == io::Field::complex)
      throw file->error("complex values are not read by ranks; read the file on one.");
    return stored;
  });
  const std::int64_t slabs = matrix.slabs();
  const std::int64_t begin = part_begin(slabs, communicator.rank(), communicator.size());
  const std::int64_t end = part_begin(slabs, communicator.rank() + 1, communicator.size());
  const auto require_fits = [&](double bytes) {
    require_fits_on_host(communicator, "what is made of the file", bytes, memory_limit, [&] {
      return concat(matrix.rows, " x ", matrix.cols, ", ", matrix.header().entries,
                    " entries in the file");
    });
  };
  const double offsets = static_cast<double>(end - begin + 1) * sizeof(std::int64_t);
  require_fits(matrix.layout == StoredMatrix::Layout::coo ? 0 : offsets);
  const io::ReadOptions options;
  Reader reader = communicator.agree_on("rows of the file", matrix.rows,
                                        [&] { return Reader(*file, matrix, begin, end, options); });
  constexpr double entry = 2 * sizeof(std::int64_t) + sizeof(Scalar);
  require_fits(static_cast<double>(reader.entries()) *
               (sizeof(std::int64_t) + (matrix.symmetry == io::Symmetry::general ? 1.0 : 3.0) *
                                           static_cast<double>(matrix.block_size()) * entry));
  const std::int64_t before = sums_of(communicator, reader.entries()).before;
  const auto part = communicator.agree_on("columns of the file", matrix.cols,
                                          [&] { return reader.read(before); });
  return communicator.agree([&] { return reader.coo(part); });
}

#define FATVEC_INSTANTIATE(Scalar)                                                               \
  template GlobalCoo<Scalar> read_text_on_one(const Communicator&, const std::filesystem::path&, \
                                              std::optional<std::uint64_t>);                     \
  template GlobalCoo<Scalar> read_array_parts(const Communicator&, const std::filesystem::path&, \
                                              std::optional<std::uint64_t>);
FATVEC_INSTANTIATE(float)
FATVEC_INSTANTIATE(double)
#undef FATVEC_INSTANTIATE

}  // namespace fatvec::distributed::detail
