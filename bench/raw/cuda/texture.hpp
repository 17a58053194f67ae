// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "raw/cuda/row_kernels.hpp"

/// X through the texture units (Calzetta and Lori 2025). There are no textures of double: a texel
/// is two ints, put together again.
namespace fatvec::bench::raw::cuda::inline FATVEC_BENCH_IN {

using Texel = std::conditional_t<std::is_same_v<Scalar, double>, int2, Scalar>;

static __device__ __forceinline__ double number_of(int2 halves) {
  return __hiloint2double(halves.y, halves.x);
}
static __device__ __forceinline__ float number_of(float texel) {
  return texel;
}

struct Textured : Plain {
  cudaTextureObject_t texture;
  int shift;  ///< texels before X

  __device__ Scalar x(const Operands&, std::int64_t at) const {
    return number_of(tex1Dfetch<Texel>(texture, static_cast<int>(at) + shift));
  }
};

/// A texture over X. Textures begin on coarser boundaries than Kokkos' arrays, which have a header
/// before them: this one begins a few elements early, which nobody fetches.
class XTexture {
 public:
  XTexture(const Scalar* x, std::int64_t size) {
    int device = 0;
    int alignment = 0;
    check(cudaGetDevice(&device), "cudaGetDevice");
    check(cudaDeviceGetAttribute(&alignment, cudaDevAttrTextureAlignment, device),
          "texture alignment");
    const auto address = reinterpret_cast<std::uintptr_t>(x);
    const std::uintptr_t before = address % static_cast<unsigned>(alignment);
    cudaResourceDesc resource{};
    resource.resType = cudaResourceTypeLinear;
    resource.res.linear.devPtr = reinterpret_cast<void*>(address - before);
    resource.res.linear.desc = cudaCreateChannelDesc<Texel>();
    resource.res.linear.sizeInBytes = before + static_cast<std::size_t>(size) * sizeof(Scalar);
    cudaTextureDesc description{};
    description.readMode = cudaReadModeElementType;
    fetch_.shift = static_cast<int>(before / sizeof(Scalar));
    check(cudaCreateTextureObject(&fetch_.texture, &resource, &description, nullptr),
          "a texture over X");
  }
  XTexture(const XTexture&) = delete;
  XTexture& operator=(const XTexture&) = delete;
  ~XTexture() { cudaDestroyTextureObject(fetch_.texture); }

  [[nodiscard]] const Textured& fetch() const { return fetch_; }

  /// The reason why no texture can hold X.
  static std::optional<std::string> unsupported(const product::Case& task) {
    constexpr std::int64_t before = 64;  // more than any alignment asks for
    const std::int64_t size = task.matrix.cols() * task.k;
    if (size == 0) return "X is empty";
    int device = 0;
    std::size_t most = 0;
    const cudaChannelFormatDesc texel = cudaCreateChannelDesc<Texel>();
    check(cudaGetDevice(&device), "cudaGetDevice");
    check(cudaDeviceGetTexture1DLinearMaxWidth(&most, &texel, device), "texture size");
    if (static_cast<std::size_t>(size + before) <= most) return std::nullopt;
    return detail::concat("a texture holds ", most, " elements, X has ", size);
  }

 private:
  Textured fetch_{};
};

/// A warp per row with shuffles, X fetched through a texture, which is made with the first product:
/// X does not exist before.
template <class Rows>
Multiply<Rows> textured(const product::Case& task) {
  const std::int64_t size = task.matrix.cols() * task.k;
  return as_is<Rows>([size, texture = std::shared_ptr<XTexture>()](
                         cudaStream_t stream, const Stored<Rows>& a, const Operands& o) mutable {
    if (texture == nullptr) texture = std::make_shared<XTexture>(o.x, size);
    launch_warp_per_row<Shuffle>(stream, a, o, texture->fetch());
  });
}

}  // namespace fatvec::bench::raw::cuda::inline FATVEC_BENCH_IN
