// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <limits>
#include <utility>
#include <vector>

#include <fatvec/core/error.hpp>
#include <fatvec/io/detail/byte_source.hpp>
#include <fatvec/io/detail/stored_matrix.hpp>

namespace fatvec::io::detail {
namespace {

using fatvec::detail::concat;

constexpr std::size_t chunk_bytes = std::size_t{256} << 10;

/// An open file or pipe, undecoded.
class RawFile final : public ByteSource {
 public:
  RawFile(int descriptor, std::uint64_t size, bool seekable)
      : descriptor_(descriptor), size_(size), seekable_(seekable) {}
  ~RawFile() override { close(descriptor_); }
  RawFile(const RawFile&) = delete;
  RawFile& operator=(const RawFile&) = delete;

  std::size_t read(char* into, std::size_t bytes) override {
    std::size_t done = std::min(bytes, peeked_.size());
    std::copy_n(peeked_.data(), done, into);
    peeked_.erase(0, done);
    done += seekable_ ? read_at(into + done, bytes - done) : read_on(into + done, bytes - done);
    return done;
  }

  [[nodiscard]] std::uint64_t most_bytes() const override {
    // Files in /proc and the like say 0.
    return seekable_ && size_ > 0 ? size_ : std::numeric_limits<std::uint64_t>::max();
  }

  /// The first bytes, which read() will deliver again.
  const std::string& peek(std::size_t bytes) {
    std::string head(bytes, '\0');
    head.resize(read(head.data(), bytes));
    return peeked_ = std::move(head);
  }

 private:
  /// One core copies from the page cache more slowly than many cores parse: big reads are shared.
  std::size_t read_at(char* into, std::size_t bytes) {
    const std::size_t chunks = (bytes + chunk_bytes - 1) / chunk_bytes;
    std::size_t end = bytes;  // of what could be read without a gap
    std::atomic<int> error = 0;
    const auto read_chunk = [&](std::size_t chunk) {
      const std::size_t first = chunk * chunk_bytes;
      const std::size_t last = std::min(bytes, first + chunk_bytes);
      for (std::size_t at = first; at < last;) {
        const ssize_t got =
            pread(descriptor_, into + at, last - at, static_cast<off_t>(offset_ + at));
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) error = errno;
        if (got <= 0) {
          Kokkos::atomic_min(&end, at);
          break;
        }
        at += static_cast<std::size_t>(got);
      }
    };
    if (chunks <= 1) {
      if (chunks == 1) read_chunk(0);
    } else {
      using Space = Kokkos::DefaultHostExecutionSpace;
      Kokkos::parallel_for("fatvec::io::read", Kokkos::RangePolicy<Space>(0, chunks), read_chunk);
      Space().fence("fatvec::io::read");
    }
    offset_ += end;
    if (error != 0) failure_ = concat("reading failed: ", std::strerror(error));
    return end;
  }

  std::size_t read_on(char* into, std::size_t bytes) {
    std::size_t done = 0;
    while (done < bytes) {
      const ssize_t got = ::read(descriptor_, into + done, bytes - done);
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) failure_ = concat("reading failed: ", std::strerror(errno));
      if (got <= 0) break;
      done += static_cast<std::size_t>(got);
    }
    return done;
  }

  int descriptor_;
  std::uint64_t size_;
  bool seekable_;
  std::uint64_t offset_ = 0;
  std::string peeked_;
};

/// gzip, one or several members; zeros after the last one are padding, as for gzip itself.
class GzipFile final : public ByteSource {
 public:
  explicit GzipFile(std::unique_ptr<RawFile> raw) : raw_(std::move(raw)), input_(chunk_bytes) {
    constexpr int gzip_only = 16 + MAX_WBITS;
    if (inflateInit2(&stream_, gzip_only) != Z_OK)
      throw Error("zlib could not be initialised: out of memory.");
  }
  ~GzipFile() override { inflateEnd(&stream_); }
  GzipFile(const GzipFile&) = delete;
  GzipFile& operator=(const GzipFile&) = delete;

  std::size_t read(char* into, std::size_t bytes) override {
    std::size_t done = 0;
    while (done < bytes && !ended_ && failure_.empty()) {
      if (stream_.avail_in == 0 && !refill()) {
        failure_ =
            raw_->failure().empty()
                ? "the compressed data end early: the file is truncated; fetch or compress it again"
                : raw_->failure();
        break;
      }
      const auto room =
          static_cast<uInt>(std::min<std::size_t>(bytes - done, std::numeric_limits<uInt>::max()));
      stream_.next_out = reinterpret_cast<Bytef*>(into + done);
      stream_.avail_out = room;
      const int status = inflate(&stream_, Z_NO_FLUSH);
      done += room - stream_.avail_out;
      if (status == Z_STREAM_END) {
        start_next_member();
      } else if (status != Z_OK && status != Z_BUF_ERROR) {
        failure_ = concat("the compressed data are corrupt (zlib: ",
                          stream_.msg != nullptr ? stream_.msg : zError(status),
                          "); fetch or compress the file again");
      }
    }
    return done;
  }

  [[nodiscard]] std::uint64_t most_bytes() const override {
    constexpr std::uint64_t best_ratio = 1032;  // of deflate: 258 bytes from two bits
    const std::uint64_t raw = raw_->most_bytes();
    return raw > std::numeric_limits<std::uint64_t>::max() / best_ratio
               ? std::numeric_limits<std::uint64_t>::max()
               : raw * best_ratio;
  }

 private:
  bool refill() {
    stream_.next_in = input_.data();
    stream_.avail_in =
        static_cast<uInt>(raw_->read(reinterpret_cast<char*>(input_.data()), input_.size()));
    return stream_.avail_in > 0;
  }

  void start_next_member() {
    while (true) {
      while (stream_.avail_in > 0 && *stream_.next_in == 0) {
        ++stream_.next_in;
        --stream_.avail_in;
      }
      if (stream_.avail_in > 0) break;
      if (!refill()) {
        ended_ = true;
        failure_ = raw_->failure();
        return;
      }
    }
    if (*stream_.next_in == 0x1f) {
      inflateReset(&stream_);
    } else {
      failure_ =
          "something that is not gzip follows the compressed data; fetch or compress the file "
          "again";
    }
  }

  std::unique_ptr<RawFile> raw_;
  std::vector<Bytef> input_;
  z_stream stream_{};
  bool ended_ = false;
};

}  // namespace

std::unique_ptr<ByteSource> open_source(const std::filesystem::path& path) {
  const auto refuse = [&path](const std::string& why) {
    return InputError(concat(path.string(), ": cannot be read: ", why));
  };
  const int descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0)
    throw refuse(concat(std::strerror(errno), "; check the name and the permissions."));
  struct stat status{};
  if (fstat(descriptor, &status) != 0 || S_ISDIR(status.st_mode)) {
    close(descriptor);
    throw refuse("it is a folder; name a file in it, .mtx for example.");
  }
  auto raw = std::make_unique<RawFile>(descriptor, static_cast<std::uint64_t>(status.st_size),
                                       S_ISREG(status.st_mode));
  const std::string head = raw->peek(8);
  if (head.starts_with("\x1f\x8b")) return std::make_unique<GzipFile>(std::move(raw));
  const FileKind kind = kind_of_bytes(head);
  if (kind == FileKind::compressed) return inflated(path, std::move(raw));
  if (kind != FileKind::text)
    throw refuse(concat("it is ",
                        kind == FileKind::npz    ? "a zip archive (.npz)"
                        : kind == FileKind::npy  ? "a NumPy array (.npy)"
                        : kind == FileKind::hdf5 ? "an HDF5 file (.bsp.h5)"
                                                 : "a matrix of PETSc",
                        S_ISREG(status.st_mode)
                            ? ", and text is wanted here, or for X and Y NumPy's .npy."
                            : ", and text is wanted here. Matrices are read of files of that "
                              "kind, but not from pipes: name the file itself."));
  return raw;
}

}  // namespace fatvec::io::detail
