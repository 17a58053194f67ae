// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <new>

namespace fatvec::bench::raw {

struct Free {
  void operator()(void* memory) const { std::free(memory); }
};

/// An array on cache-line boundaries that nobody has touched yet: on NUMA machines a page belongs to the thread that writes it
/// first, which std::vector would make the main thread.
template <class T>
using Array = std::unique_ptr<T[], Free>;

template <class T>
Array<T> allocate(std::size_t size) {
  constexpr std::size_t line = 64;
  void* const memory = std::aligned_alloc(line, (size * sizeof(T) / line + 1) * line);
  if (memory == nullptr) throw std::bad_alloc();
  return Array<T>(static_cast<T*>(memory));
}

}  // namespace fatvec::bench::raw
