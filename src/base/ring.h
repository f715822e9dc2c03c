// A first-in first-out queue in one array of a power of two. It doubles when full, so a loop that has warmed up never
// allocates; elements are plain data.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "base/assert.h"
#include "base/host_lines.h"

namespace warptime {

template <class T>
class Ring {
  static_assert(std::is_trivially_copyable_v<T>, "a ring moves its elements as plain data");

 public:
  explicit Ring(size_t capacity = 16)
      : slots_(std::bit_ceil(capacity < 1 ? size_t{1} : capacity)), mask_(slots_.size() - 1) {}

  bool empty() const { return head_ == tail_; }
  size_t size() const { return static_cast<size_t>(tail_ - head_); }
  size_t capacity() const { return mask_ + 1; }

  void push_back(const T& value) { append() = value; }
  /// A new last element, of any value: to be written in place.
  T& append() {
    if (size() > mask_) [[unlikely]]
      grow();
    return slots_[tail_++ & mask_];
  }
  void pop_front() {
    SIM_DEBUG_ASSERT(!empty(), "pop from an empty ring");
    ++head_;
  }
  T& front() { return (*this)[0]; }
  const T& front() const { return (*this)[0]; }
  T& back() { return (*this)[size() - 1]; }
  /// Element `index` from the front.
  T& operator[](size_t index) {
    SIM_DEBUG_ASSERT(index < size(), "ring index {} of {}", index, size());
    return slots_[(head_ + index) & mask_];
  }
  const T& operator[](size_t index) const {
    SIM_DEBUG_ASSERT(index < size(), "ring index {} of {}", index, size());
    return slots_[(head_ + index) & mask_];
  }
  void clear() { head_ = tail_ = 0; }

 private:
  void grow() {
    ApartVector<T> larger(slots_.size() * 2);
    for (size_t i = 0; i < slots_.size(); ++i) larger[i] = slots_[(head_ + i) & mask_];
    tail_ = size();
    head_ = 0;
    slots_.swap(larger);
    mask_ = slots_.size() - 1;
  }

  ApartVector<T> slots_;
  uint64_t mask_;
  uint64_t head_ = 0, tail_ = 0;  // count up for ever; the mask wraps them

 public:
  /// Saves or restores what changes (base/state_archive.h).
  template <class Archive>
  void serialize(Archive& archive) {
    uint64_t count = size();
    archive(count);
    if constexpr (Archive::kRestores) clear();
    for (uint64_t i = 0; i < count; ++i) {
      if constexpr (Archive::kRestores) append() = T{};
      archive((*this)[i]);
    }
  }
};

}  // namespace warptime
