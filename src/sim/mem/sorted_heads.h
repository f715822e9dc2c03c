// Merges at most 256 sorted queues: their heads in order of cycle, then of queue. The next element of the first queue
// usually moves back by only one or two positions.
#pragma once

#include <array>
#include <cstdint>
#include <utility>

#include "base/clock.h"

namespace warptime::sim {

class SortedHeads {
 public:
  SortedHeads() { clear(); }

  void clear() { heads_[0] = kNever; }
  bool empty() const { return heads_[0] == kNever; }
  void insert(Cycle cycle, uint32_t queue) {
    uint64_t* head = heads_.data();
    uint64_t key = key_of(cycle, queue);
    while (*head < key) ++head;
    for (; key != kNever; ++head) std::swap(*head, key);
    *head = kNever;
  }
  bool any_before(Cycle end) const { return heads_[0] < key_of(end, 0); }
  /// The first head; there must be one.
  Cycle cycle() const { return heads_[0] >> kQueueBits; }
  uint32_t queue() const { return heads_[0] & kQueueMask; }
  /// The next element of the first queue is at `cycle`.
  void replace(Cycle cycle) {
    const uint64_t key = key_of(cycle, queue());
    uint64_t* head = heads_.data();
    for (; head[1] < key; ++head) *head = head[1];
    *head = key;
  }
  /// The first queue is empty now.
  void remove() {
    for (uint64_t* head = heads_.data(); *head != kNever; ++head) *head = head[1];
  }

 private:
  static constexpr uint32_t kQueueBits = 8, kQueueMask = (1u << kQueueBits) - 1;
  static uint64_t key_of(Cycle cycle, uint32_t queue) { return cycle << kQueueBits | queue; }

  std::array<uint64_t, kQueueMask + 2> heads_;  // kNever after the last

 public:
  /// Saves or restores what changes (base/state_archive.h).
  template <class Archive>
  void serialize(Archive& archive) {
    size_t i = 0;
    do archive(heads_[i]);
    while (heads_[i] != kNever && ++i < heads_.size());
    archive.expect(i < heads_.size());
    for (size_t head = 0; head < i; ++head) archive.expect((heads_[head] & kQueueMask) < archive.limits.queues);
  }
};

}  // namespace warptime::sim
