// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>

#include <fatvec/io/detail/text_blocks.hpp>

namespace fatvec::io::detail {

TextBlocks::TextBlocks(const std::filesystem::path& path, std::size_t header_bytes)
    : name_(path.string()), source_(open_source(path)), header_bytes_(header_bytes) {}

InputError TextBlocks::error(std::int64_t line, const std::string& what) const {
  return InputError(fatvec::detail::concat(name_, ":", line, ": ", what));
}

/// Moves what is left to the front and reads on until `bytes` are there; false when the source has
/// no more.
bool TextBlocks::fill(std::size_t bytes) {
  if (source_ended_) return false;
  if (begin_ > 0) {
    std::copy(buffer_.begin() + static_cast<std::ptrdiff_t>(begin_),
              buffer_.begin() + static_cast<std::ptrdiff_t>(end_), buffer_.begin());
    end_ -= begin_;
    begin_ = 0;
  }
  if (end_ >= bytes) return true;
  if (buffer_.size() < bytes + 1) buffer_.resize(bytes + 1);  // one more, for a missing last '\n'
  end_ += source_->read(buffer_.data() + end_, bytes - end_);
  if (end_ == bytes) return true;
  source_ended_ = true;
  // An unfinished line before a failure is the failure's, not the parser's.
  if (source_->failure().empty() && end_ > 0 && buffer_[end_ - 1] != '\n') buffer_[end_++] = '\n';
  return false;
}

std::string_view TextBlocks::next_lines(std::size_t bytes) {
  std::size_t wanted = std::max<std::size_t>(bytes, 1);
  for (;; wanted = std::max(wanted, std::min(2 * wanted, longest_line + 1))) {
    const bool more = fill(wanted);
    const std::string_view there(buffer_.data() + begin_, end_ - begin_);
    if (const std::size_t last = there.rfind('\n'); last != there.npos) {
      begin_ += last + 1;
      return there.substr(0, last + 1);
    }
    if (!more && !source_->failure().empty()) throw error(line_, source_->failure() + ".");
    if (!more) return {};
    if (end_ - begin_ > longest_line) {
      throw error(line_,
                  fatvec::detail::concat("this line is longer than ", longest_line >> 20,
                                         " MiB; is this a Matrix Market file? It starts with ",
                                         quoted(there), "."));
    }
  }
}

std::optional<TextBlocks::Line> TextBlocks::next_line() {
  const auto find_end = [this] {
    return end_ > begin_
               ? static_cast<const char*>(std::memchr(buffer_.data() + begin_, '\n', end_ - begin_))
               : nullptr;
  };
  const char* end = find_end();
  if (end == nullptr) {
    const std::string_view lines = next_lines(header_bytes_);
    if (lines.empty()) return std::nullopt;
    begin_ -= lines.size();
    end = find_end();
  }
  const char* const first = buffer_.data() + begin_;
  begin_ += static_cast<std::size_t>(end - first) + 1;
  std::string_view text(first, static_cast<std::size_t>(end - first));
  if (text.ends_with('\r')) text.remove_suffix(1);
  return Line{text, line_++};
}

std::string quoted(std::string_view text) {
  constexpr std::size_t longest = 80;
  std::string out = "'";
  for (const char c : text.substr(0, longest)) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x20 && byte < 0x7f) {
      out += c;
    } else if (c == '\t') {
      out += "\\t";
    } else {
      constexpr const char* digits = "0123456789abcdef";
      out += {'\\', 'x', digits[byte / 16], digits[byte % 16]};
    }
  }
  return out + (text.size() > longest ? "...'" : "'");
}

}  // namespace fatvec::io::detail
