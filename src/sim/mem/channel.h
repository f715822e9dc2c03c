// A one-way queue from one TPC to one partition or back. What the sender sends in a step, and publishes at its end, the
// receiver sees from its look() in the next step on. Both may run at the same time: each writes only its own counters,
// and reads, of the other's, only the one that belongs to the step before.
#pragma once

#include <algorithm>
#include <array>
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

  /// Sender: the place of the next packet, for the receiver's next step. It is to be written there, part by part: a
  /// packet put together elsewhere is copied in larger parts than it was written in, which processors are slow at.
  T& send() { return slots_[sent_++ & mask_]; }
  /// Sender, at the end of step `step`. Writes only what changed, so that a quiet channel stays in both caches.
  void publish(uint64_t step) {
    uint64_t& published = published_[step & 1];
    if (published != sent_) published = sent_;
  }

  /// Receiver, before it looks at any of its channels: another host core may have written what look() reads.
  void expect_look() const { __builtin_prefetch(&published_); }
  /// Receiver, at the beginning of step `step`.
  void look(uint64_t step) {
    const uint64_t before = seen_;
    seen_ = published_[~step & 1];
    constexpr uint64_t kALine = std::max<uint64_t>(1, 64 / sizeof(T));
    for (uint64_t packet = before; packet < seen_; packet += kALine) __builtin_prefetch(&slots_[packet & mask_]);
    SIM_DEBUG_ASSERT(seen_ - taken_ <= slots_.size(), "{} packets in a channel of {}", seen_ - taken_, slots_.size());
  }
  bool empty() const { return taken_ == seen_; }
  uint64_t size() const { return seen_ - taken_; }
  const T& front() const { return slots_[taken_ & mask_]; }
  const T& operator[](uint64_t index) const { return slots_[(taken_ + index) & mask_]; }
  void take() { ++taken_; }

 private:
  std::vector<T> slots_;
  uint64_t mask_;
  // A cache line each for the sender, for what it tells, and for the receiver:
  alignas(64) uint64_t sent_ = 0;
  alignas(64) std::array<uint64_t, 2> published_{};  // by parity of the step
  alignas(64) uint64_t taken_ = 0;
  uint64_t seen_ = 0;
};

}  // namespace warptime::sim
