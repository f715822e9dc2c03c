// A one-way queue from one TPC to one partition or back. The sender publishes the packets of a step at its end, and the
// receiver has them from its receive() in the next step on. Both may run at the same time: each writes only its own
// counters, and reads only counters that the other published in the previous step.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/assert.h"
#include "base/host_lines.h"

namespace warptime::sim {

/// The packet counts of one sender (a TPC or a partition) for each of its channels (at most 256). The sender publishes
/// them at the end of a step, next to each other, so that each receiver reads one host cache line, and idle channels
/// are not touched. The counts are double-buffered like the channels.
class ChannelSender {
 public:
  static constexpr uint32_t kChannels = 256;

  explicit ChannelSender(uint32_t channels) : channels_(channels) {}

  /// Sender: the number of its next packet in this channel.
  uint32_t send(uint32_t channel) {
    quiet_steps_ = 0;
    ++fresh_[channel];
    return sent_[channel]++;
  }
  /// Sender, at the end of step `step`.
  void publish(uint64_t step) {
    if (quiet_steps_ > 2) return;  // no count in either parity: the lines stay in the caches of all receivers
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
  std::array<uint32_t, kChannels> sent_{};   // in total

 public:
  /// Saves or restores what changes (base/state_archive.h).
  template <class Archive>
  void serialize(Archive& archive) {
    archive(quiet_steps_);
    for (uint32_t channel = 0; channel < channels_; ++channel)
      archive(published_[0][channel], published_[1][channel], fresh_[channel], sent_[channel]);
  }
};

/// The slots of many channels in one piece. A slot is written by the sender before the receiver reads it, and by nobody
/// before: those that no packet needs take no memory of the host, and a large chip has tens of thousands of channels.
template <class T>
class ChannelSlots {
 public:
  /// `capacity`: as for Channel.
  ChannelSlots(size_t channels, uint64_t capacity)
      : each_(std::bit_ceil(std::max<uint64_t>(capacity, kHostLines / sizeof(T)))), slots_(channels * each_) {}

  T* of(size_t channel) { return slots_.data() + channel * each_; }
  /// Slots of a channel, a power of two.
  uint64_t each() const { return each_; }

 private:
  struct Unwritten : ApartAllocator<T> {
    template <class>
    struct rebind {
      using other = Unwritten;
    };
    void construct(T* /*slot*/) const {}
  };
  uint64_t each_;
  std::vector<T, Unwritten> slots_;
};

template <class T>
class Channel {
 public:
  /// One of `slots`, with a capacity that the credits of the model guarantee to be enough for the outstanding packets.
  Channel(ChannelSlots<T>& slots, size_t number) : slots_(slots.of(number)), mask_(slots.each() - 1) {}

  /// Sender: the slot of packet `number`, for the receiver's next step. Its fields should be written there one by one:
  /// copying a packet built elsewhere would use wider loads than its stores, for which processors cannot forward the
  /// stores.
  T& send(uint32_t number) { return slots_[number & mask_]; }

  /// Receiver, at the beginning of a step: `fresh` packets were sent in the previous step.
  void receive(uint32_t fresh) {
    constexpr uint32_t kALine = std::max<uint32_t>(1, 64 / sizeof(T));
    for (uint32_t packet = 0; packet < fresh; packet += kALine) __builtin_prefetch(&slots_[(seen_ + packet) & mask_]);
    seen_ += fresh;
    SIM_DEBUG_ASSERT(size() <= mask_ + 1, "{} packets in a channel of {}", size(), mask_ + 1);
  }
  bool empty() const { return taken_ == seen_; }
  uint32_t size() const { return seen_ - taken_; }
  const T& front() const { return slots_[taken_ & mask_]; }
  const T& operator[](uint64_t index) const { return slots_[(taken_ + index) & mask_]; }
  void take() { ++taken_; }

  /// Between launches: empty again.
  void reset() { taken_ = seen_ = 0; }

 private:
  T* slots_;
  uint64_t mask_;
  alignas(kHostLines) uint32_t taken_ = 0;  // this member and the next belong to the receiver
  uint32_t seen_ = 0;

 public:
  /// Saves or restores it between steps; `fresh`: packets that the receiver has not seen yet.
  template <class Archive>
  void serialize(Archive& archive, uint32_t fresh) {
    archive(taken_, seen_);
    for (uint32_t packet = taken_; packet != seen_ + fresh; ++packet) archive(slots_[packet & mask_]);
  }
};

}  // namespace warptime::sim
