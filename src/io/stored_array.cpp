// SPDX-License-Identifier: Apache-2.0
#include <zlib.h>

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include <fatvec/io/detail/piece.hpp>
#include <fatvec/io/detail/stored_array.hpp>

namespace fatvec::io::detail {
namespace {

using fatvec::detail::concat;
using ArraySpace = Kokkos::DefaultHostExecutionSpace;

/// Elements at a time: what a thread reads stays in its second-level cache.
constexpr std::size_t elements_at_a_time = std::size_t{1} << 15;
constexpr std::uint64_t no_element = std::numeric_limits<std::uint64_t>::max();

/// An element whose bytes lie anywhere, and in the other order where `swap` says so.
template <class From, bool swap>
From load(const char* at) {
  using Bits = std::conditional_t<
      sizeof(From) == 1, std::uint8_t,
      std::conditional_t<sizeof(From) == 2, std::uint16_t,
                         std::conditional_t<sizeof(From) == 4, std::uint32_t, std::uint64_t>>>;
  Bits bits;
  std::memcpy(&bits, at, sizeof bits);
  if constexpr (swap && sizeof bits == 2) bits = __builtin_bswap16(bits);
  if constexpr (swap && sizeof bits == 4) bits = __builtin_bswap32(bits);
  if constexpr (swap && sizeof bits == 8) bits = __builtin_bswap64(bits);
  return std::bit_cast<From>(bits);
}

/// Whether To can hold the element.
template <class To, class From>
bool fits(const From& from, std::int64_t extent) {
  if constexpr (std::is_integral_v<To>)
    return std::cmp_greater_equal(from, 0) && std::cmp_less(from, extent);
  else if constexpr (std::is_same_v<typename RealOf<To>::type, float> &&
                     std::is_same_v<From, double>)
    return !std::isfinite(from) || std::isfinite(static_cast<float>(from));
  else
    return true;
}

/// Returns the place of the first element that To cannot hold; no_element where there is none.
template <class From, bool swap, class To>
std::uint64_t convert_run(const char* raw, std::size_t elements, std::int64_t extent, To* into) {
  constexpr std::size_t bytes = sizeof(From);
  bool all = true;
  for (std::size_t n = 0; n < elements; ++n) {
    const From from = load<From, swap>(raw + n * bytes);
    // A signed byte is a number here, no letter.
    into[n] = static_cast<To>(from);  // NOLINT(bugprone-signed-char-misuse)
    all &= fits<To>(from, extent);
  }
  for (std::size_t n = 0; !all && n < elements; ++n)
    if (!fits<To>(load<From, swap>(raw + n * bytes), extent)) return n;
  return no_element;
}

template <bool swap, class To>
std::uint64_t convert_ordered(const NumberType& type, const char* raw, std::size_t elements,
                              std::int64_t extent, To* into) {
  using Kind = NumberType::Kind;
  const auto as = [&]<class From>(From) {
    return convert_run<From, swap>(raw, elements, extent, into);
  };
  const bool is_signed = type.kind == Kind::integer;
  if constexpr (is_complex<To>) {
    if (type.kind == Kind::complex) {
      auto* const parts = reinterpret_cast<typename RealOf<To>::type*>(into);
      const NumberType part{.kind = Kind::real, .bytes = type.bytes / 2, .big_endian = {}};
      const std::uint64_t bad = convert_ordered<swap>(part, raw, 2 * elements, extent, parts);
      return bad == no_element ? bad : bad / 2;
    }
  }
  if constexpr (!std::is_integral_v<To>) {
    if (type.kind == Kind::real) return type.bytes == 4 ? as(float{}) : as(double{});
  }
  switch (type.bytes) {
    case 1:
      return is_signed ? as(std::int8_t{}) : as(std::uint8_t{});
    case 2:
      return is_signed ? as(std::int16_t{}) : as(std::uint16_t{});
    case 4:
      return is_signed ? as(std::int32_t{}) : as(std::uint32_t{});
    default:
      return is_signed ? as(std::int64_t{}) : as(std::uint64_t{});
  }
}

template <class To>
std::uint64_t convert_elements(const NumberType& type, const char* raw, std::size_t elements,
                               std::int64_t extent, To* into) {
  return type.big_endian == (std::endian::native == std::endian::big)
             ? convert_ordered<false>(type, raw, elements, extent, into)
             : convert_ordered<true>(type, raw, elements, extent, into);
}

std::uint32_t sum_of(const char* data, std::size_t bytes, std::uint32_t before = 0) {
  return static_cast<std::uint32_t>(crc32_z(before, reinterpret_cast<const Bytef*>(data), bytes));
}

/// Reads a range of one array.
template <class To>
class ArrayReader {
 public:
  ArrayReader(const BinaryFile& file, const StoredArray& array, std::int64_t extent)
      : file_(file), array_(array), extent_(extent) {}

  void read_plain(std::uint64_t begin, std::uint64_t end, To* into, const CountElements& count) {
    const bool whole = begin == 0 && end == array_.elements;
    const std::uint64_t runs = (end - begin + elements_at_a_time - 1) / elements_at_a_time;
    // As many at a time as give a share of the work to tell, and keep all threads busy.
    const auto batch = static_cast<std::uint64_t>(64 * std::max(1, ArraySpace().concurrency()));
    std::vector<std::uint32_t> sums(std::min(batch, runs));
    std::uint32_t sum = array_.header_sum;
    for (std::uint64_t first = 0; first < runs; first += batch) {
      const std::uint64_t now = std::min(batch, runs - first);
      const auto range_of = [&](std::uint64_t run) {
        const std::uint64_t at = begin + (first + run) * elements_at_a_time;
        return std::pair(at, std::min(end, at + elements_at_a_time));
      };
      std::uint64_t unread = no_element;
      std::uint64_t bad = no_element;
      Kokkos::parallel_for(
          "fatvec::io::read_array",
          Kokkos::RangePolicy<ArraySpace, Kokkos::Schedule<Kokkos::Dynamic>>(0, now),
          [&](std::uint64_t run) {
            const auto [from, to] = range_of(run);
            const std::size_t bytes = (to - from) * array_.type.bytes;
            const std::unique_ptr<char[]> raw(new char[bytes]);
            if (!file_.read(array_.offset + from * array_.type.bytes, bytes, raw.get())) {
              Kokkos::atomic_min(&unread, from);
              return;
            }
            if (whole && array_.sum) sums[run] = sum_of(raw.get(), bytes);
            const std::uint64_t wrong =
                convert_elements(array_.type, raw.get(), to - from, extent_, into + (from - begin));
            if (wrong != no_element) Kokkos::atomic_min(&bad, from + wrong);
          });
      ArraySpace().fence("fatvec::io::read_array");
      if (unread != no_element) throw failed("cannot be read: the file was cut or changed");
      if (bad != no_element) throw refused(bad);
      for (std::uint64_t run = 0; whole && array_.sum && run < now; ++run) {
        const auto [from, to] = range_of(run);
        sum = static_cast<std::uint32_t>(
            crc32_combine(sum, sums[run], static_cast<z_off_t>((to - from) * array_.type.bytes)));
      }
      if (count) count(range_of(now - 1).second - range_of(0).first);
    }
    if (whole) require_sum(sum);
  }

  void read_fetched(std::uint64_t begin, std::uint64_t end, To* into, const CountElements& count) {
    // Libraries inflate a chunk each time that a part of it is wanted.
    constexpr std::uint64_t at_a_time = 32 * elements_at_a_time;
    std::vector<char> raw(std::min(at_a_time, end - begin) * array_.type.bytes);
    for (std::uint64_t at = begin; at < end;) {
      const std::uint64_t now = std::min(at_a_time, end - at);
      if (!array_.fetch(at, now, raw.data()))
        throw failed("cannot be read: the file is damaged, or compressed by what is not there");
      const std::uint64_t wrong =
          convert_elements(array_.type, raw.data(), now, extent_, into + (at - begin));
      if (wrong != no_element) throw refused(at + wrong);
      if (count) count(now);
      at += now;
    }
  }

  void read_deflated(std::uint64_t begin, std::uint64_t end, To* into, const CountElements& count) {
    Inflater inflater(*this);
    std::vector<char> raw(elements_at_a_time * array_.type.bytes);
    std::uint32_t sum = 0;
    const auto take = [&](std::size_t bytes) {
      inflater.take(raw.data(), bytes);
      sum = sum_of(raw.data(), bytes, sum);
    };
    for (std::size_t left = array_.header_bytes; left > 0;) {
      const std::size_t now = std::min(left, raw.size());
      take(now);
      left -= now;
    }
    for (std::uint64_t at = 0; at < end;) {
      const std::uint64_t to =
          std::min<std::uint64_t>(at < begin ? begin : end, at + elements_at_a_time);
      take((to - at) * array_.type.bytes);
      if (at >= begin) {
        To* const place = into + (at - begin);
        const std::uint64_t wrong =
            convert_elements(array_.type, raw.data(), to - at, extent_, place);
        if (wrong != no_element) throw refused(at + wrong);
        if (count) count(to - at);
      }
      at = to;
    }
    if (end == array_.elements) require_sum(sum);
  }

 private:
  /// Bytes of a compressed member in order.
  class Inflater {
   public:
    explicit Inflater(const ArrayReader& reader)
        : reader_(reader), input_(std::size_t{256} << 10), at_(reader.array_.offset) {
      if (inflateInit2(&stream_, -MAX_WBITS) != Z_OK)
        throw Error("zlib could not be initialised: out of memory.");
    }
    ~Inflater() { inflateEnd(&stream_); }
    Inflater(const Inflater&) = delete;
    Inflater& operator=(const Inflater&) = delete;

    void take(char* into, std::size_t bytes) {
      stream_.next_out = reinterpret_cast<Bytef*>(into);
      stream_.avail_out = static_cast<uInt>(bytes);
      while (stream_.avail_out > 0) {
        if (stream_.avail_in == 0) refill();
        const int status = inflate(&stream_, Z_NO_FLUSH);
        if (status == Z_STREAM_END && stream_.avail_out > 0)
          throw reader_.failed("ends before its last element");
        if (status != Z_OK && status != Z_STREAM_END)
          throw reader_.failed(concat(
              "is corrupt (zlib: ", stream_.msg != nullptr ? stream_.msg : zError(status), ')'));
      }
    }

   private:
    void refill() {
      const std::uint64_t end = reader_.array_.offset + reader_.array_.packed_bytes;
      const std::size_t now = std::min<std::uint64_t>(input_.size(), end - at_);
      if (now == 0) throw reader_.failed("ends before its last element");
      if (!reader_.file_.read(at_, now, input_.data()))
        throw reader_.failed("cannot be read: the file was cut or changed");
      at_ += now;
      stream_.next_in = reinterpret_cast<Bytef*>(input_.data());
      stream_.avail_in = static_cast<uInt>(now);
    }

    const ArrayReader& reader_;
    std::vector<char> input_;
    std::uint64_t at_;
    z_stream stream_{};
  };

  void require_sum(std::uint32_t sum) const {
    if (array_.sum && *array_.sum != sum)
      throw failed("is corrupt (its CRC-32 differs from the archive's)");
  }

  [[nodiscard]] InputError failed(const std::string& what) const {
    return file_.error(concat(array_.name, ' ', what, "; fetch or write the file again."));
  }

  [[nodiscard]] InputError refused(std::uint64_t element) const {
    if constexpr (std::is_integral_v<To>)
      return file_.error(concat(array_.name, ": element ", element, " must be at least 0 and less ",
                                "than ", extent_,
                                "; the file is damaged, or its sizes are wrong."));
    else
      return file_.error(concat(array_.name, ": element ", element,
                                " is too large for single precision; read it in double."));
  }

  const BinaryFile& file_;
  const StoredArray& array_;
  std::int64_t extent_;
};

}  // namespace

std::string NumberType::name() const {
  constexpr const char* kinds[] = {"bool", "int", "uint", "float", "complex"};
  return kind == Kind::boolean ? "bool" : concat(kinds[static_cast<int>(kind)], 8 * bytes);
}

template <class To>
void read_array(const BinaryFile& file, const StoredArray& array, std::uint64_t begin,
                std::uint64_t end, To* into, std::int64_t extent, const CountElements& count) {
  ArrayReader<To> reader(file, array, extent);
  if (array.fetch)
    reader.read_fetched(begin, end, into, count);
  else if (array.deflated)
    reader.read_deflated(begin, end, into, count);
  else
    reader.read_plain(begin, end, into, count);
}

std::uint32_t checksum(const char* data, std::size_t bytes) {
  constexpr std::size_t run = std::size_t{1} << 20;
  const std::size_t runs = (bytes + run - 1) / run;
  std::vector<std::uint32_t> sums(runs);
  const auto length = [&](std::size_t n) { return std::min(run, bytes - n * run); };
  Kokkos::parallel_for("fatvec::io::checksum", Kokkos::RangePolicy<ArraySpace>(0, runs),
                       [&](std::size_t n) { sums[n] = sum_of(data + n * run, length(n)); });
  ArraySpace().fence("fatvec::io::checksum");
  std::uint32_t sum = 0;
  for (std::size_t n = 0; n < runs; ++n)
    sum = static_cast<std::uint32_t>(crc32_combine(sum, sums[n], static_cast<z_off_t>(length(n))));
  return sum;
}

#define FATVEC_INSTANTIATE(To)                                                       \
  template void read_array<To>(const BinaryFile&, const StoredArray&, std::uint64_t, \
                               std::uint64_t, To*, std::int64_t, const CountElements&);
FATVEC_INSTANTIATE(std::int32_t)
FATVEC_INSTANTIATE(std::int64_t)
FATVEC_INSTANTIATE(float)
FATVEC_INSTANTIATE(double)
FATVEC_INSTANTIATE(Kokkos::complex<float>)
FATVEC_INSTANTIATE(Kokkos::complex<double>)
#undef FATVEC_INSTANTIATE

}  // namespace fatvec::io::detail
