// A one-way queue from one TPC to one partition or back. The sender writes during a step; flip(), between steps, shows
// it to the receiver. Sender and receiver may run at the same time: each touches only its own counter and other slots.
#pragma once

#include <bit>
#include <cstdint>
#include <vector>

#include "base/assert.h"

namespace warptime::sim {

template <class T>
class Channel {
 public:
  /// `capacity`: never more than this many on their way; the model's credits see to it.
  explicit Channel(uint64_t capacity) : slots_(std::bit_ceil(capacity)), mask_(slots_.size() - 1) {}

  void send(const T& packet) { slots_[sent_++ & mask_] = packet; }
  void flip() {
    SIM_DEBUG_ASSERT(sent_ - taken_ <= slots_.size(), "{} packets in a channel of {}", sent_ - taken_, slots_.size());
    shown_ = sent_;
  }

  bool empty() const { return taken_ == shown_; }
  uint64_t size() const { return shown_ - taken_; }
  const T& front() const { return slots_[taken_ & mask_]; }
  const T& operator[](uint64_t index) const { return slots_[(taken_ + index) & mask_]; }
  void take() { ++taken_; }

 private:
  std::vector<T> slots_;
  uint64_t mask_;
  uint64_t shown_ = 0;
  alignas(64) uint64_t sent_ = 0;
  alignas(64) uint64_t taken_ = 0;
};

}  // namespace warptime::sim
