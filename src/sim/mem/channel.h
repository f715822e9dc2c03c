// A one-way queue from one TPC to one partition or back. Senders and receivers run in turns, never at the same time.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <vector>

#include "base/assert.h"

namespace warptime::sim {

/// How many packets one sender, a TPC or a partition, has sent into each of its channels (at most 64), side by side:
/// one line of the host's cache says to a receiver how much there is to look at, and quiet channels stay out of the
/// caches.
class Outbox {
 public:
  static constexpr uint32_t kChannels = 64;

  /// The number of its next packet in this channel. All counts are modulo 2^32.
  uint32_t send(uint32_t channel) { return sent_[channel]++; }
  uint32_t sent(uint32_t channel) const { return sent_[channel]; }

 private:
  alignas(64) std::array<uint32_t, kChannels> sent_{};
};

template <class T>
class Channel {
 public:
  /// `capacity`: never more than this many on their way; the model's credits see to it.
  explicit Channel(uint64_t capacity) : slots_(std::bit_ceil(capacity)), mask_(slots_.size() - 1) {}

  /// Sender: the place of packet `number`. It is to be written there, part by part: a packet put together elsewhere is
  /// copied in larger parts than it was written in, which processors are slow at.
  T& send(uint32_t number) { return slots_[number & mask_]; }

  /// Receiver: so many have been sent in all.
  void look(uint32_t sent) {
    constexpr uint32_t kALine = std::max<uint32_t>(1, 64 / sizeof(T));
    for (uint32_t i = 0; i < sent - seen_; i += kALine) __builtin_prefetch(&slots_[(seen_ + i) & mask_]);
    seen_ = sent;
    SIM_DEBUG_ASSERT(size() <= slots_.size(), "{} packets in a channel of {}", size(), slots_.size());
  }
  bool empty() const { return taken_ == seen_; }
  uint32_t size() const { return seen_ - taken_; }
  const T& front() const { return slots_[taken_ & mask_]; }
  const T& operator[](uint64_t index) const { return slots_[(taken_ + index) & mask_]; }
  void take() { ++taken_; }

 private:
  std::vector<T> slots_;
  uint64_t mask_;
  alignas(64) uint32_t taken_ = 0;  // this and the next are the receiver's
  uint32_t seen_ = 0;
};

}  // namespace warptime::sim
