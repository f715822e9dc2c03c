// A pool of objects with small integer names that are allocated and released frequently. Chunks never move, so pointers
// stay valid while the pool grows; after warm-up, the pool does not allocate memory. The slot released last is reused
// first.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/assert.h"

namespace warptime {

template <class T, uint32_t kChunk = 256>
class SlotPool {
  static_assert((kChunk & (kChunk - 1)) == 0, "chunks are a power of two");

 public:
  static constexpr uint32_t kNone = ~uint32_t{0};

  /// The contents are whatever the last user left.
  uint32_t take() {
    if (free_.empty()) [[unlikely]]
      grow();
    uint32_t slot = free_.back();
    free_.pop_back();
    return slot;
  }
  void give_back(uint32_t slot) {
    SIM_DEBUG_ASSERT(slot < capacity() && free_.size() < capacity(), "slot {} given back to a pool of {}", slot,
                     capacity());
    free_.push_back(slot);
  }
  T& operator[](uint32_t slot) { return chunks_[slot / kChunk][slot % kChunk]; }
  const T& operator[](uint32_t slot) const { return chunks_[slot / kChunk][slot % kChunk]; }

  uint32_t in_use() const { return capacity() - static_cast<uint32_t>(free_.size()); }
  uint32_t capacity() const { return static_cast<uint32_t>(chunks_.size()) * kChunk; }

 private:
  void grow() {
    uint32_t first = capacity();
    chunks_.push_back(std::make_unique<T[]>(kChunk));
    free_.reserve(capacity());
    for (uint32_t i = kChunk; i-- > 0;) free_.push_back(first + i);
  }

  std::vector<std::unique_ptr<T[]>> chunks_;
  std::vector<uint32_t> free_;

 public:
  /// Saves or restores (base/state_archive.h) which slots are in use; their contents must follow.
  template <class Archive>
  void serialize_slots(Archive& archive) {
    auto count = static_cast<uint32_t>(chunks_.size());
    archive(count, free_);
    if constexpr (Archive::kRestores) {
      const uint64_t slots = uint64_t{count} * kChunk;
      // Each one in use takes a byte at least.
      archive.expect(free_.size() <= slots && slots - free_.size() <= archive.left() && slots < kNone);
      std::vector<bool> free(slots);
      for (const uint32_t slot : free_) {
        archive.expect(slot < slots && !free[slot]);
        free[slot] = true;
      }
      chunks_.clear();
      for (uint32_t i = 0; i < count; ++i) chunks_.push_back(std::make_unique<T[]>(kChunk));
    }
  }
  template <class Archive>
  void serialize(Archive& archive) {
    serialize_slots(archive);
    for_each_in_use([&](T& object) { archive(object); });
  }
  template <class F>
  void for_each_in_use(const F& f) {
    std::vector<bool> free(capacity());
    for (uint32_t slot : free_) free[slot] = true;
    for (uint32_t slot = 0; slot < capacity(); ++slot)
      if (!free[slot]) f((*this)[slot]);
  }
};

}  // namespace warptime
