// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include <fatvec/io/detail/piece.hpp>
#include <fatvec/io/detail/text_blocks.hpp>

namespace fatvec::io::detail {

/// A failure in words: what was expected, what was found, what to do.
std::string explain(const Failure& failure, const ParsedHeader& header,
                    std::uint64_t expected_entries, const char* scalar);

/// The entries below the size line, parsed in parallel a batch of pieces at a time; the file is
/// never in memory as a whole.
///
/// Every piece is a run of whole lines. Threads parse into buffers of their own; when all counts
/// are known, `store` puts each piece at its place. Counts are checked piece by piece in the order
/// of the file, so that the error is the file's first one, however many threads there are.
template <class Scalar, class Parser>
class Body {
  using Item = typename Parser::Item;
  using Space = Kokkos::DefaultHostExecutionSpace;

 public:
  Body(TextBlocks& text, const ParsedHeader& header, std::uint64_t expected_entries,
       std::size_t piece_bytes, const char* scalar)
      : text_(text),
        header_(header),
        parser_(header),
        expected_(expected_entries),
        piece_bytes_(piece_bytes),
        scalar_(scalar),
        // Two pieces a thread even out what other programs take from some cores.
        pieces_(2 * static_cast<std::size_t>(std::max(1, Space().concurrency()))),
        bounds_(pieces_.size() + 1),
        places_(pieces_.size() + 1) {}

  /// Items the file can hold at most, whatever its size line claims.
  [[nodiscard]] std::uint64_t most_items() const {
    return parser_.items_per_entry() *
           std::min<std::uint64_t>(expected_, text_.most_bytes() / Parser::shortest_line + 1);
  }

  /// Whether the file is long enough for the entries that are announced: of a pipe, or of what is
  /// compressed, it may be.
  [[nodiscard]] bool may_be_complete() const {
    return text_.most_bytes() == std::numeric_limits<std::uint64_t>::max() ||
           most_items() >= expected_ * parser_.items_per_entry();
  }

  /// Calls store(place, items) for every piece, from many threads; place: number of items before
  /// it; and progress, where there is one, with the share of the entries that were stored. Returns
  /// the total of items.
  template <class Store>
  std::size_t read(const Store& store, const std::function<void(double done)>& progress) {
    const std::uint64_t capacity = most_items();
    while (true) {
      const std::string_view batch = text_.next_lines(pieces_.size() * piece_bytes_);
      if (batch.empty()) break;
      parse(batch);
      settle(capacity);
      Kokkos::parallel_for("fatvec::io::store", Kokkos::RangePolicy<Space>(0, pieces_.size()),
                           [&](std::size_t n) { store(places_[n], pieces_[n].items); });
      Space().fence("fatvec::io::store");
      places_[0] = places_.back();
      if (progress && expected_ > 0)
        progress(static_cast<double>(stored_) / static_cast<double>(expected_));
    }
    if (stored_ < expected_) {
      throw text_.error(
          std::max<std::int64_t>(text_.line() - 1, 1),
          fatvec::detail::concat("the file ends after ", stored_, " of the ", expected_,
                                 " entries that line ", header_.size_line,
                                 " announces; the file is truncated or its size line wrong."));
    }
    return places_.back();
  }

 private:
  void parse(std::string_view batch) {
    bounds_[0] = 0;
    for (std::size_t n = 1; n < bounds_.size(); ++n) {
      const std::size_t even = std::max(bounds_[n - 1], batch.size() / pieces_.size() * n);
      const std::size_t newline = even == 0 ? 0 : batch.find('\n', even - 1);
      bounds_[n] = n == pieces_.size() || newline == batch.npos ? batch.size()
                   : even == 0                                  ? 0
                                                                : newline + 1;
      const std::size_t entries = (bounds_[n] - bounds_[n - 1]) / Parser::shortest_line + 1;
      pieces_[n - 1].items.reserve(entries * parser_.items_per_entry());
    }
    batch_ = batch;
    using Policy = Kokkos::RangePolicy<Space, Kokkos::Schedule<Kokkos::Dynamic>>;
    Kokkos::parallel_for(
        "fatvec::io::parse", Policy(0, pieces_.size(), Kokkos::ChunkSize(1)),
        [&](std::size_t n) { parse_lines(parser_, piece_text(n), unlimited, pieces_[n]); });
    Space().fence("fatvec::io::parse");
  }

  /// In the order of the file: finds the first error, and the place of each piece.
  void settle(std::uint64_t capacity) {
    for (std::size_t n = 0; n < pieces_.size(); ++n) {
      auto& piece = pieces_[n];
      const std::uint64_t left = expected_ - stored_;
      if (piece.stored > left || (piece.stored == left && piece.failure.fault != Fault::none)) {
        parse_lines(parser_, piece_text(n), static_cast<std::size_t>(left),
                    piece);  // stops at the first line in excess
      }
      const Failure failure =
          std::min(piece.failure, other_triangle(piece),
                   [](const Failure& a, const Failure& b) { return a.line < b.line; });
      if (failure.fault != Fault::none) {
        throw text_.error(text_.line() + failure.line,
                          explain(failure, header_, expected_, scalar_));
      }
      stored_ += piece.stored;
      text_.skip_lines(piece.lines);
      places_[n + 1] = places_[n] + piece.items.size();
      if (places_[n + 1] > capacity)
        throw text_.error(text_.line(), "the file changed while it was read.");
    }
  }

  /// The first entry that is not in the triangle where the file's first off-diagonal entry is.
  Failure other_triangle(const Piece<Item>& piece) {
    if (triangle_ == Triangle::unknown && piece.lower.line != piece.upper.line) {
      triangle_ = piece.lower.line < piece.upper.line ? Triangle::lower : Triangle::upper;
    }
    if (triangle_ == Triangle::unknown) return {};
    return triangle_ == Triangle::lower ? piece.upper : piece.lower;
  }

  [[nodiscard]] std::string_view piece_text(std::size_t n) const {
    return batch_.substr(bounds_[n], bounds_[n + 1] - bounds_[n]);
  }

  enum class Triangle { unknown, lower, upper };
  static constexpr std::size_t unlimited = std::numeric_limits<std::size_t>::max();

  TextBlocks& text_;
  const ParsedHeader& header_;
  Parser parser_;
  std::uint64_t expected_;
  std::size_t piece_bytes_;
  const char* scalar_;
  std::vector<Piece<Item>> pieces_;
  std::vector<std::size_t> bounds_;  ///< of the pieces within the batch
  std::vector<std::size_t> places_;
  std::string_view batch_;
  std::uint64_t stored_ = 0;
  Triangle triangle_ = Triangle::unknown;
};

}  // namespace fatvec::io::detail
