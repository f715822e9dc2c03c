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

/// Into which of its channels (at most 64) a sender has sent in a step: their receivers look at no others, so quiet
/// channels stay out of the host's caches. It follows the rule of the channels themselves.
class Announcement {
 public:
  static constexpr uint32_t kChannels = 64;

  /// Sender, when it sends.
  void sends(uint32_t channel) { sending_ |= uint64_t{1} << channel; }
  /// Sender, at the end of step `step`; f(channel) for each that has to be published.
  template <class F>
  void publish(uint64_t step, F&& f) {
    uint64_t& published = published_[step & 1];
    if (published != sending_) published = sending_;  // what does not change stays in the caches of all
    for (; sending_ != 0; sending_ &= sending_ - 1) f(static_cast<uint32_t>(std::countr_zero(sending_)));
  }
  /// Receiver, in step `step`: whether it has to look.
  bool concerns(uint32_t channel, uint64_t step) const { return ((published_[~step & 1] >> channel) & 1) != 0; }

 private:
  alignas(64) std::array<uint64_t, 2> published_{};  // by parity of the step; a line for it alone
  alignas(64) uint64_t sending_ = 0;
};

template <class T>
class Channel {
 public:
  /// `capacity`: never more than this many on their way; the model's credits see to it.
  explicit Channel(uint64_t capacity) : slots_(std::bit_ceil(capacity)), mask_(slots_.size() - 1) {}

  /// Sender: the place of the next packet, for the receiver's next step. It is to be written there, part by part: a
  /// packet put together elsewhere is copied in larger parts than it was written in, which processors are slow at.
  T& send() { return slots_[sent_++ & mask_]; }
  /// Sender, at the end of step `step`, if it has sent.
  void publish(uint64_t step) { published_[step & 1] = sent_; }

  /// Receiver, before it looks at any of its channels: another host core may have written what look() reads.
  void expect_look() const { __builtin_prefetch(&published_); }
  /// Receiver, at the beginning of step `step`, if the sender has sent in the one before.
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
