// Alignment that keeps data written by different host threads in different cache lines.
#pragma once

#include <cstddef>
#include <new>
#include <vector>

namespace warptime {

/// Bytes: two lines of the host's cache, as hosts fetch the one beside, too.
inline constexpr size_t kHostLines = 128;

/// For arrays that one thread writes often: they share no line with what others write.
template <class T>
struct ApartAllocator {
  using value_type = T;

  ApartAllocator() = default;
  template <class U>
  ApartAllocator(const ApartAllocator<U>&) {}

  static constexpr std::align_val_t kAlignment{alignof(T) > kHostLines ? alignof(T) : kHostLines};
  static size_t bytes(size_t count) { return (count * sizeof(T) + kHostLines - 1) / kHostLines * kHostLines; }

  T* allocate(size_t count) { return static_cast<T*>(::operator new(bytes(count), kAlignment)); }
  void deallocate(T* at, size_t) { ::operator delete(at, kAlignment); }
  friend bool operator==(const ApartAllocator&, const ApartAllocator&) { return true; }
};

template <class T>
using ApartVector = std::vector<T, ApartAllocator<T>>;

}  // namespace warptime
