// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>

#include <fatvec/core/macros.hpp>

#if defined(__SSE2__)
#include <immintrin.h>
#endif

/// Vector registers: the only place that knows the instructions of the host's processor.
namespace fatvec::detail {

/// Bytes of a vector register, and how many of them a CPU has.
#if defined(__AVX512F__) && defined(__AVX512VL__)
inline constexpr int simd_bytes = 64;
inline constexpr int simd_registers = 32;
#elif defined(__AVX__)
inline constexpr int simd_bytes = 32;
inline constexpr int simd_registers = 16;
#else
inline constexpr int simd_bytes = 16;
inline constexpr int simd_registers = 16;
#endif
/// Scalars that host kernels keep in vector registers.
template <class T>
concept HasRegisters = std::is_same_v<T, float> || std::is_same_v<T, double>;
template <class T>
inline constexpr int simd_lanes = simd_bytes / static_cast<int>(sizeof(T));
/// Values of A that are multiplied in registers of T: T's own, and floats as doubles.
template <class Value, class T>
concept LoadsAs = HasRegisters<T> && (std::is_same_v<Value, T> ||
                                      (std::is_same_v<Value, float> && std::is_same_v<T, double>));

/// Whether there are gathers, and masks of lanes.
#if defined(__AVX2__)
inline constexpr bool has_gathers = true;
#else
inline constexpr bool has_gathers = false;
#endif
/// Whether a mask is a bit for each lane, in a register of its own, and costs next to nothing.
inline constexpr bool has_mask_registers = simd_bytes == 64;

/// Columns of the widest tile that host kernels sum: 8 registers of a row.
template <class T>
inline constexpr int widest_tile = 8 * simd_lanes<T>;

/// Bytes beyond which what is written is not kept in the caches: non-temporal stores pay.
inline constexpr std::int64_t streaming_bytes = 64'000'000;

/// What a thread calls after its last non-temporal store: the barrier behind it would wait for
/// them.
KOKKOS_INLINE_FUNCTION void end_streams() {
#if defined(FATVEC_HAS_GNU_VECTORS) && defined(__SSE2__)
  _mm_sfence();
#endif
}

#if defined(FATVEC_HAS_GNU_VECTORS)

/// The compiler's type of n elements. One by one: nvcc's front end does not initialise vectors
/// whose size depends on a template.
template <class T, int n>
struct RegisterOf;
// clang-format off
template <> struct RegisterOf<float, 2> { typedef float type __attribute__((vector_size(8))); };
template <> struct RegisterOf<float, 4> { typedef float type __attribute__((vector_size(16))); };
template <> struct RegisterOf<float, 8> { typedef float type __attribute__((vector_size(32))); };
template <> struct RegisterOf<float, 16> { typedef float type __attribute__((vector_size(64))); };
template <> struct RegisterOf<double, 2> { typedef double type __attribute__((vector_size(16))); };
template <> struct RegisterOf<double, 4> { typedef double type __attribute__((vector_size(32))); };
template <> struct RegisterOf<double, 8> { typedef double type __attribute__((vector_size(64))); };
template <> struct RegisterOf<std::int32_t, 4> { typedef std::int32_t type __attribute__((vector_size(16))); };
template <> struct RegisterOf<std::int32_t, 8> { typedef std::int32_t type __attribute__((vector_size(32))); };
template <> struct RegisterOf<std::int32_t, 16> { typedef std::int32_t type __attribute__((vector_size(64))); };
// clang-format on

template <class To, class From>
FATVEC_FORCEINLINE To bits_of(const From& from) {
  To to;
  static_assert(sizeof to == sizeof from);
  std::memcpy(&to, &from, sizeof to);
  return to;
}

/// Writes a register to aligned memory, without reading its line before or keeping it in the
/// caches.
template <class Register>
FATVEC_FORCEINLINE void stream_to(void* to, const Register& from) {
#if defined(__AVX512F__)
  if constexpr (sizeof from == 64)
    return _mm512_stream_si512(static_cast<__m512i*>(to), bits_of<__m512i>(from));
#endif
#if defined(__AVX__)
  if constexpr (sizeof from == 32)
    return _mm256_stream_si256(static_cast<__m256i*>(to), bits_of<__m256i>(from));
#endif
#if defined(__SSE2__)
  if constexpr (sizeof from == 16)
    return _mm_stream_si128(static_cast<__m128i*>(to), bits_of<__m128i>(from));
#endif
  std::memcpy(to, &from, sizeof from);
}

/// Floats as doubles. Compilers make several instructions of the conversion of a whole register.
template <int n>
FATVEC_FORCEINLINE void widen(const typename RegisterOf<float, n>::type& from,
                              typename RegisterOf<double, n>::type& to) {
  using Doubles = typename RegisterOf<double, n>::type;
#if defined(__AVX512F__)
  if constexpr (n == 8) {
    to = bits_of<Doubles>(_mm512_maskz_cvtps_pd(0xff, bits_of<__m256>(from)));
    return;
  }
#endif
#if defined(__AVX__)
  if constexpr (n == 4) {
    to = bits_of<Doubles>(_mm256_cvtps_pd(bits_of<__m128>(from)));
    return;
  }
#endif
  to = __builtin_convertvector(from, Doubles);
}

/// n lanes, each k times, make k registers: of the p-th, the lanes that it repeats,
template <class Int, int n, int k, int p>
inline constexpr std::array<Int, n> repeated_lanes = [] {
  std::array<Int, n> lanes{};
  for (int l = 0; l < n; ++l) lanes[l] = (n * p + l) / k;
  return lanes;
}();
/// and a bit for each.
template <int n, int k, int p>
inline constexpr std::array<std::int32_t, n> bits_of_repeated = [] {
  std::array<std::int32_t, n> bits{};
  for (int l = 0; l < n; ++l) bits[l] = 1 << (n * p + l) / k;
  return bits;
}();

/// Some lanes of n. Elements of the others are not read, and count as 0, or not written.
template <int n>
struct Mask;

#if defined(__AVX512F__) && defined(__AVX512VL__)
/// Of 8 or 16 lanes: a bit for each.
template <int n>
struct Mask {
  std::uint32_t bits;

  static Mask first(std::int64_t count) { return {(1U << count) - 1}; }
  /// A bit for each lane, or for k neighbours in the p-th of k registers.
  template <int k = 1, int p = 0>
  static Mask of_bits(std::uint32_t bits) {
    if constexpr (k == 1) return {bits};
    const std::int32_t* const of_lane = bits_of_repeated<n, k, p>.data();
    if constexpr (n == 8)
      return {
          _mm256_test_epi32_mask(_mm256_set1_epi32(static_cast<int>(bits)),
                                 _mm256_loadu_si256(reinterpret_cast<const __m256i*>(of_lane)))};
    else
      return {_mm512_test_epi32_mask(_mm512_set1_epi32(static_cast<int>(bits)),
                                     _mm512_loadu_si512(of_lane))};
  }
  /// The lanes with numbers greater than this.
  static Mask greater(const typename RegisterOf<std::int32_t, n>::type& numbers,
                      std::int32_t than) {
    if constexpr (n == 8)
      return {_mm256_cmpgt_epi32_mask(bits_of<__m256i>(numbers), _mm256_set1_epi32(than))};
    else
      return {_mm512_cmpgt_epi32_mask(bits_of<__m512i>(numbers), _mm512_set1_epi32(than))};
  }
  [[nodiscard]] bool any() const { return bits != 0; }
  [[nodiscard]] bool all() const { return bits == (1U << n) - 1; }
};
FATVEC_FORCEINLINE __m256i masked_load(const std::int32_t* from, const Mask<8>& mask) {
  return _mm256_maskz_loadu_epi32(static_cast<__mmask8>(mask.bits), from);
}
FATVEC_FORCEINLINE __m512i masked_load(const std::int32_t* from, const Mask<16>& mask) {
  return _mm512_maskz_loadu_epi32(static_cast<__mmask16>(mask.bits), from);
}
FATVEC_FORCEINLINE __m512d masked_load(const double* from, const Mask<8>& mask) {
  return _mm512_maskz_loadu_pd(static_cast<__mmask8>(mask.bits), from);
}
FATVEC_FORCEINLINE __m512 masked_load(const float* from, const Mask<16>& mask) {
  return _mm512_maskz_loadu_ps(static_cast<__mmask16>(mask.bits), from);
}
FATVEC_FORCEINLINE __m256 masked_load(const float* from, const Mask<8>& mask) {
  return _mm256_maskz_loadu_ps(static_cast<__mmask8>(mask.bits), from);
}
template <int k, int p>
FATVEC_FORCEINLINE __m512d repeat_lanes(const __m512d& from) {
  return _mm512_maskz_permutexvar_pd(
      0xff, _mm512_loadu_si512(repeated_lanes<std::int64_t, 8, k, p>.data()), from);
}
template <int k, int p>
FATVEC_FORCEINLINE __m512 repeat_lanes(const __m512& from) {
  return _mm512_maskz_permutexvar_ps(
      0xffff, _mm512_loadu_si512(repeated_lanes<std::int32_t, 16, k, p>.data()), from);
}
FATVEC_FORCEINLINE void masked_store(double* to, const __m512d& from, const Mask<8>& mask) {
  _mm512_mask_storeu_pd(to, static_cast<__mmask8>(mask.bits), from);
}
FATVEC_FORCEINLINE void masked_store(float* to, const __m512& from, const Mask<16>& mask) {
  _mm512_mask_storeu_ps(to, static_cast<__mmask16>(mask.bits), from);
}
/// `then` in the lanes of the mask, `other` in the others.
FATVEC_FORCEINLINE __m512d select(const Mask<8>& mask, const __m512d& then, const __m512d& other) {
  return _mm512_mask_mov_pd(other, static_cast<__mmask8>(mask.bits), then);
}
FATVEC_FORCEINLINE __m512 select(const Mask<16>& mask, const __m512& then, const __m512& other) {
  return _mm512_mask_mov_ps(other, static_cast<__mmask16>(mask.bits), then);
}
FATVEC_FORCEINLINE __m512d masked_gather(const double* x, const __m256i& columns,
                                         const Mask<8>& mask) {
  return _mm512_mask_i32gather_pd(_mm512_setzero_pd(), static_cast<__mmask8>(mask.bits), columns, x,
                                  8);
}
FATVEC_FORCEINLINE __m512 masked_gather(const float* x, const __m512i& columns,
                                        const Mask<16>& mask) {
  return _mm512_mask_i32gather_ps(_mm512_setzero_ps(), static_cast<__mmask16>(mask.bits), columns,
                                  x, 4);
}
#elif defined(__AVX2__)
template <int n>
struct Mask {
  typename RegisterOf<std::int32_t, n>::type lanes;  ///< -1 or 0

  static Mask first(std::int64_t count) {
    static constexpr std::int32_t ones_and_zeros[16] = {-1, -1, -1, -1, -1, -1, -1, -1};
    Mask mask;
    std::memcpy(&mask.lanes, ones_and_zeros + 8 - count, sizeof mask.lanes);
    return mask;
  }
  static Mask greater(const typename RegisterOf<std::int32_t, n>::type& numbers,
                      std::int32_t than) {
    return {numbers > than};
  }
  [[nodiscard]] bool any() const { return bits() != 0; }
  [[nodiscard]] bool all() const { return bits() == (1 << n) - 1; }
  template <int k = 1, int p = 0>
  static Mask of_bits(std::uint32_t bits) {
    Mask mask;
    std::memcpy(&mask.lanes, bits_of_repeated<n, k, p>.data(), sizeof mask.lanes);
    return {(mask.lanes & static_cast<std::int32_t>(bits)) == mask.lanes};
  }

 private:
  [[nodiscard]] int bits() const {
    if constexpr (n == 4)
      return _mm_movemask_ps(bits_of<__m128>(lanes));
    else
      return _mm256_movemask_ps(bits_of<__m256>(lanes));
  }
};
FATVEC_FORCEINLINE __m128i masked_load(const std::int32_t* from, const Mask<4>& mask) {
  return _mm_maskload_epi32(from, bits_of<__m128i>(mask.lanes));
}
FATVEC_FORCEINLINE __m256d masked_load(const double* from, const Mask<4>& mask) {
  return _mm256_maskload_pd(from, _mm256_cvtepi32_epi64(bits_of<__m128i>(mask.lanes)));
}
FATVEC_FORCEINLINE __m256i masked_load(const std::int32_t* from, const Mask<8>& mask) {
  return _mm256_maskload_epi32(from, bits_of<__m256i>(mask.lanes));
}
FATVEC_FORCEINLINE __m256 masked_load(const float* from, const Mask<8>& mask) {
  return _mm256_maskload_ps(from, bits_of<__m256i>(mask.lanes));
}
FATVEC_FORCEINLINE __m128 masked_load(const float* from, const Mask<4>& mask) {
  return _mm_maskload_ps(from, bits_of<__m128i>(mask.lanes));
}
template <int k, int p>
FATVEC_FORCEINLINE __m256d repeat_lanes(const __m256d& from) {
  constexpr std::array<int, 4> lanes = repeated_lanes<int, 4, k, p>;
  constexpr int order = lanes[0] | lanes[1] << 2 | lanes[2] << 4 | lanes[3] << 6;
  return _mm256_permute4x64_pd(from, order);
}
template <int k, int p>
FATVEC_FORCEINLINE __m256 repeat_lanes(const __m256& from) {
  constexpr const std::int32_t* lanes = repeated_lanes<std::int32_t, 8, k, p>.data();
  return _mm256_permutevar8x32_ps(from,
                                  _mm256_loadu_si256(reinterpret_cast<const __m256i*>(lanes)));
}
FATVEC_FORCEINLINE __m256d select(const Mask<4>& mask, const __m256d& then, const __m256d& other) {
  const __m256i lanes = _mm256_cvtepi32_epi64(bits_of<__m128i>(mask.lanes));
  return _mm256_blendv_pd(other, then, bits_of<__m256d>(lanes));
}
FATVEC_FORCEINLINE __m256 select(const Mask<8>& mask, const __m256& then, const __m256& other) {
  return _mm256_blendv_ps(other, then, bits_of<__m256>(mask.lanes));
}
FATVEC_FORCEINLINE __m256d masked_gather(const double* x, const __m128i& columns,
                                         const Mask<4>& mask) {
  return _mm256_mask_i32gather_pd(
      _mm256_setzero_pd(), x, columns,
      bits_of<__m256d>(_mm256_cvtepi32_epi64(bits_of<__m128i>(mask.lanes))), 8);
}
FATVEC_FORCEINLINE __m256 masked_gather(const float* x, const __m256i& columns,
                                        const Mask<8>& mask) {
  return _mm256_mask_i32gather_ps(_mm256_setzero_ps(), x, columns, bits_of<__m256>(mask.lanes), 4);
}
#endif

/// n elements in a vector register.
template <class T, int n>
struct Vec {
  using Register = typename RegisterOf<T, n>::type;
  static constexpr int lanes = n;
  Register data{};

  FATVEC_FORCEINLINE void load(const T* from) { std::memcpy(&data, from, sizeof data); }
  template <class Mask>
  FATVEC_FORCEINLINE void load(const T* from, const Mask& mask) {
    data = bits_of<Register>(masked_load(from, mask));
  }
  /// Elements of a smaller type, as T.
  template <class Value, class... Mask>
    requires(!std::is_same_v<Value, T> && LoadsAs<Value, T>)
  FATVEC_FORCEINLINE void load(const Value* from, const Mask&... mask) {
    Vec<Value, n> narrow;
    narrow.load(from, mask...);
    widen<n>(narrow.data, data);
  }
  /// x[columns[0]], x[columns[1]], ..., by as many loads.
  template <class Ordinal>
  FATVEC_FORCEINLINE void gather(const T* x, const Ordinal* columns) {
    gather_lanes(x, columns, std::make_integer_sequence<int, n>());
  }
  template <class Mask>
  FATVEC_FORCEINLINE void gather(const T* x, const Vec<std::int32_t, n>& columns,
                                 const Mask& mask) {
    using Columns = decltype(masked_load(static_cast<const std::int32_t*>(nullptr), mask));
    data = bits_of<Register>(masked_gather(x, bits_of<Columns>(columns.data), mask));
  }
  FATVEC_FORCEINLINE void store(T* to) const { std::memcpy(to, &data, sizeof data); }
  template <class Mask>
  FATVEC_FORCEINLINE void store(T* to, const Mask& mask) const {
    using Native = decltype(masked_load(static_cast<const T*>(nullptr), mask));
    masked_store(to, bits_of<Native>(data), mask);
  }
  /// To aligned memory.
  FATVEC_FORCEINLINE void stream(T* to) const { stream_to(to, data); }
  FATVEC_FORCEINLINE void add(const Vec& other) { data += other.data; }
  FATVEC_FORCEINLINE void add_product(T a, const Vec& x) { data += a * x.data; }
  FATVEC_FORCEINLINE void add_product(const Vec& a, const Vec& x) { data += a.data * x.data; }
  /// In the lanes of the mask; others of a and x may be anything.
  template <class Mask>
  FATVEC_FORCEINLINE void add_product(const Vec& a, const Vec& x, const Mask& mask) {
    using Native = decltype(masked_load(static_cast<const T*>(nullptr), mask));
    const Register sum = data + a.data * x.data;
    data = bits_of<Register>(select(mask, bits_of<Native>(sum), bits_of<Native>(data)));
  }
  FATVEC_FORCEINLINE void scale(T a) { data *= a; }
  /// The sum of the lanes.
  [[nodiscard]] FATVEC_FORCEINLINE T total() const {
    if constexpr (n == 2)
      return data[0] + data[1];
    else
      return halves_added(std::make_integer_sequence<int, n / 2>()).total();
  }
  /// The p-th of k registers in which each lane comes k times.
  template <int k, int p>
  [[nodiscard]] FATVEC_FORCEINLINE Vec repeated() const {
    using Native = decltype(masked_load(static_cast<const T*>(nullptr), Mask<n>::of_bits(0)));
    return {bits_of<Register>(repeat_lanes<k, p>(bits_of<Native>(data)))};
  }

 private:
  template <int... lane>
  [[nodiscard]] FATVEC_FORCEINLINE Vec<T, n / 2> halves_added(
      std::integer_sequence<int, lane...>) const {
    using Half = typename Vec<T, n / 2>::Register;
    return {Half{data[lane]...} + Half{data[lane + n / 2]...}};
  }
  template <class Ordinal, int... lane>
  FATVEC_FORCEINLINE void gather_lanes(const T* x, const Ordinal* columns,
                                       std::integer_sequence<int, lane...>) {
    data = Register{x[column<lane>(columns)]...};
  }
  /// The lane's column. Two of 32 bits, none of which is negative, are one load.
  template <int lane, class Ordinal>
  FATVEC_FORCEINLINE static std::uint64_t column(const Ordinal* columns) {
    if constexpr (sizeof(Ordinal) == 4 && n % 2 == 0 &&
                  std::endian::native == std::endian::little) {
      std::uint64_t two = 0;
      std::memcpy(&two, columns + lane / 2 * 2, sizeof two);
      return lane % 2 == 0 ? static_cast<std::uint32_t>(two) : two >> 32;
    } else {
      return static_cast<std::uint64_t>(columns[lane]);
    }
  }
};

/// One element: no vector of one, which GCC keeps in memory.
template <class T>
struct Vec<T, 1> {
  static constexpr int lanes = 1;
  T data{};

  FATVEC_FORCEINLINE void load(const T* from) { data = *from; }
  FATVEC_FORCEINLINE void store(T* to) const { *to = data; }
  FATVEC_FORCEINLINE void stream(T* to) const { *to = data; }
  FATVEC_FORCEINLINE void add(const Vec& other) { data += other.data; }
  FATVEC_FORCEINLINE void add_product(T a, const Vec& x) { data += a * x.data; }
  FATVEC_FORCEINLINE void scale(T a) { data *= a; }
};

#endif

}  // namespace fatvec::detail
