// SPDX-License-Identifier: Apache-2.0
// Text compressed by bzip2, xz or zstd, by libarchive. gzip is zlib's: libarchive does not compare
// its checksums.
#include <archive.h>
#include <archive_entry.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <utility>
#include <vector>

#include <fatvec/core/error.hpp>
#include <fatvec/io/detail/byte_source.hpp>

namespace fatvec::io::detail {
namespace {

class FilteredSource final : public ByteSource {
 public:
  explicit FilteredSource(std::unique_ptr<ByteSource> raw)
      : raw_(std::move(raw)), input_(std::size_t{256} << 10), archive_(archive_read_new()) {
    if (archive_ == nullptr) throw Error("libarchive could not be initialised: out of memory.");
    archive_read_support_filter_bzip2(archive_);
    archive_read_support_filter_xz(archive_);
    archive_read_support_filter_zstd(archive_);
    archive_read_support_format_raw(archive_);
    archive_entry* entry = nullptr;
    const bool opened = archive_read_open(archive_, this, nullptr, &read_on, nullptr) == ARCHIVE_OK;
    const int status = opened ? archive_read_next_header(archive_, &entry) : ARCHIVE_FATAL;
    constexpr int filters = 2;  // the one that inflates, and the file below it
    if (status == ARCHIVE_EOF)
      ended_ = true;
    else if (status != ARCHIVE_OK || archive_filter_count(archive_) < filters)
      fail();
  }
  ~FilteredSource() override { archive_read_free(archive_); }
  FilteredSource(const FilteredSource&) = delete;
  FilteredSource& operator=(const FilteredSource&) = delete;

  std::size_t read(char* into, std::size_t bytes) override {
    std::size_t done = 0;
    while (done < bytes && (left_ > 0 || next_block())) {
      const std::size_t now = std::min(bytes - done, left_);
      std::memcpy(into + done, block_, now);
      block_ += now;
      left_ -= now;
      done += now;
    }
    return done;
  }

  [[nodiscard]] std::uint64_t most_bytes() const override {
    return std::numeric_limits<std::uint64_t>::max();  // a few bytes may stand for gigabytes
  }

 private:
  bool next_block() {
    while (!ended_ && failure_.empty() && left_ == 0) {
      const void* block = nullptr;
      la_int64_t offset = 0;
      const int status = archive_read_data_block(archive_, &block, &left_, &offset);
      block_ = static_cast<const char*>(block);
      if (status == ARCHIVE_EOF) {
        left_ = 0;
        ended_ = true;
        failure_ = raw_->failure();
      } else if (status != ARCHIVE_OK) {
        left_ = 0;
        fail();
      }
    }
    return left_ > 0;
  }

  void fail() {
    const char* const reason = archive_error_string(archive_);
    failure_ =
        !raw_->failure().empty()
            ? raw_->failure()
            : fatvec::detail::concat("the compressed data are corrupt or end early (libarchive: ",
                                     reason != nullptr ? reason : "no such compression",
                                     "); fetch or compress the file again");
  }

  static la_ssize_t read_on(archive*, void* self, const void** block) {
    auto& source = *static_cast<FilteredSource*>(self);
    *block = source.input_.data();
    return static_cast<la_ssize_t>(source.raw_->read(source.input_.data(), source.input_.size()));
  }

  std::unique_ptr<ByteSource> raw_;
  std::vector<char> input_;
  archive* archive_;
  const char* block_ = nullptr;  ///< libarchive's, until the next call
  std::size_t left_ = 0;
  bool ended_ = false;
};

}  // namespace

std::unique_ptr<ByteSource> inflated(const std::filesystem::path&,
                                     std::unique_ptr<ByteSource> raw) {
  return std::make_unique<FilteredSource>(std::move(raw));
}

}  // namespace fatvec::io::detail
