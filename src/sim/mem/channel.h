// A one-way queue from one TPC to one partition or back. What the sender sends in a step, and publishes at its end, the
// receiver has from its receive() in the next step on. Both may run at the same time: each writes only its own
// counters, and reads, of what the other publishes, only what belongs to the step before.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/assert.h"
#include "base/host_lines.h"

namespace warptime::sim {

/// How much one sender, a TPC or a partition, sends into each of its channels (at most 64). It publishes that at the
/// end of a step, for all of them side by side: each receiver finds in one line of the host's cache how much there is
/// to receive. Quiet channels stay out of the caches. It follows the rule of the channels themselves.
class ChannelSender {
 public:
  static constexpr uint32_t kChannels = 64;

  explicit ChannelSender(uint32_t channels) : channels_(channels) {}

  /// Sender: the number of its next packet in this channel.
  uint32_t send(uint32_t channel) {
    quiet_steps_ = 0;
    ++fresh_[channel];
    return sent_[channel]++;
  }
  /// Sender, at the end of step `step`.
  void publish(uint64_t step) {
    if (quiet_steps_ > 2) return;  // nothing is fresh in either parity: their lines stay in the caches of all
    ++quiet_steps_;
    for (uint32_t channel = 0; channel < channels_; ++channel)
      published_[step & 1][channel] = std::exchange(fresh_[channel], uint16_t{0});
  }

  /// Receiver, in step `step`: packets sent in the step before.
  uint32_t fresh(uint32_t channel, uint64_t step) const { return published_[~step & 1][channel]; }

 private:
  alignas(kHostLines) std::array<std::array<uint16_t, kChannels>, 2> published_{};  // by parity of the step
  alignas(kHostLines) uint32_t channels_;
  uint32_t quiet_steps_ = 3;
  std::array<uint16_t, kChannels> fresh_{};  // in this step
  std::array<uint32_t, kChannels> sent_{};   // in all
};

template <class T>
class Channel {
 public:
  /// `capacity`: never more than this many on their way; the model's credits see to it.
  explicit Channel(uint64_t capacity) : slots_(std::bit_ceil(capacity)), mask_(slots_.size() - 1) {}

  /// Sender: the slot of packet `number`, for the receiver's next step. Its fields are to be written there, one by one:
  /// a packet put together elsewhere is copied in larger pieces than it was written in, which processors are slow at.
  T& send(uint32_t number) { return slots_[number & mask_]; }

  /// Receiver, at the beginning of a step: `fresh` packets were sent in the one before.
  void receive(uint32_t fresh) {
    constexpr uint32_t kALine = std::max<uint32_t>(1, 64 / sizeof(T));
    for (uint32_t packet = 0; packet < fresh; packet += kALine) __builtin_prefetch(&slots_[(seen_ + packet) & mask_]);
    seen_ += fresh;
    SIM_DEBUG_ASSERT(size() <= slots_.size(), "{} packets in a channel of {}", size(), slots_.size());
  }
  bool empty() const { return taken_ == seen_; }
  uint32_t size() const { return seen_ - taken_; }
  const T& front() const { return slots_[taken_ & mask_]; }
  const T& operator[](uint64_t index) const { return slots_[(taken_ + index) & mask_]; }
  void take() { ++taken_; }

  /// Between launches: empty, as it was made.
  void reset() { taken_ = seen_ = 0; }

 private:
  ApartVector<T> slots_;
  uint64_t mask_;
  alignas(kHostLines) uint32_t taken_ = 0;  // this and the next are the receiver's
  uint32_t seen_ = 0;
};

}  // namespace warptime::sim
