// An allocator for large zero-initialised tables: pages that are never written take no host memory.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <new>
#include <type_traits>
#include <vector>

namespace warptime {

template <class T>
struct ZeroPages {
  static_assert(std::is_trivially_copyable_v<T> && alignof(T) <= alignof(std::max_align_t));
  using value_type = T;
  ZeroPages() = default;
  template <class U>
  explicit ZeroPages(const ZeroPages<U>&) {}

  T* allocate(size_t count) {
    if (void* memory = std::calloc(count, sizeof(T))) return static_cast<T*>(memory);
    throw std::bad_alloc();
  }
  void deallocate(T* memory, size_t) { std::free(memory); }
  /// calloc has done it, with pages that the host's kernel adds at the first write.
  template <class U>
  void construct(U*) {}
  template <class U, class First, class... Rest>
  void construct(U* at, First&& first, Rest&&... rest) {
    ::new (static_cast<void*>(at)) U(std::forward<First>(first), std::forward<Rest>(rest)...);
  }
  bool operator==(const ZeroPages&) const { return true; }
};

/// A vector of a fixed size: what `resize` adds is not made zero.
template <class T>
using ZeroTable = std::vector<T, ZeroPages<T>>;

}  // namespace warptime
