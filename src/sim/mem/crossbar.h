// The crossbar between TPCs and partitions. A packet is a header and, where it carries any, data; a port moves so many
// bytes of one packet each core cycle (`tpc_width_bytes`, `partition_width_bytes`). Whole packets are passed on: a
// packet leaves its sender's port, travels the latency, and passes the receiver's port. The switch between the ports
// never blocks.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

#include "base/clock.h"
#include "sim/mem/channel.h"
#include "sim/mem/request.h"
#include "sim/model/machine.h"

namespace warptime::sim {

/// A Request on the crossbar. Small: thousands are on their way at a time, and each is moved several times. One that
/// rides takes no time of a port.
struct Packet : TransactionLabel {
  static constexpr uint32_t kGranule = 32;  // bytes; what a transaction's address and size are multiples of

  uint32_t tag = 0;
  Cycle cycle = 0;                // at the partition's port
  PendingStore* store = nullptr;  // nullptr: a read
  uint64_t granule : 40 = 0;      // where it lies in the partition
  uint64_t word : 5 = 0;          // number in the transaction
  uint64_t group : 19 = 0;        // Request::group; an SM's next ones are others

  Addr offset() const { return Addr{granule} * kGranule; }
  bool writes() const { return store != nullptr && !atomic; }
  /// Whether one that follows with the same word may ride.
  bool repeats_ride() const { return store == nullptr && kind == ReadKind::Plain; }
};
static_assert(sizeof(Packet) == 32);

using RequestChannel = Channel<Packet>;
using ResponseChannel = Channel<Response>;  // cycle: at the TPC's port

/// What a TPC's side or a partition tells at the end of a step. All that the steps' loop reads between steps: a cache
/// line each.
struct alignas(64) StepResult {
  uint64_t step = 0;          // it is of this step
  Cycle next_event = kNever;  // its own next, or the first effect that something it sent has elsewhere
  bool stores_to_apply = false;
};

/// One end of the crossbar, in one direction. Its time is in core cycles; what its users compare often, they keep in
/// core cycles, too.
class CrossbarPort {
 public:
  CrossbarPort(uint32_t width_bytes, uint32_t header_bytes, ClockRatio core)
      : core_(core),
        header_and_rounding_(header_bytes + width_bytes - 1),
        width_shift_(static_cast<uint32_t>(std::countr_zero(width_bytes))) {}

  /// Core cycles for a packet with so much data.
  uint32_t cycles(uint32_t data_bytes) const {
    return std::max(1u, (data_bytes + header_and_rounding_) >> width_shift_);
  }
  /// First core cycle at or after shader cycle `at`.
  uint64_t core_cycle(Cycle at) const { return core_.from_shader(at); }
  /// First core cycle that to_shader puts at or after shader cycle `at`: what begins before it begins before `at`.
  uint64_t first_in(Cycle at) const { return core_.first_edge_in(at); }
  Cycle to_shader(uint64_t core_cycle) const { return core_.to_shader(core_cycle); }

  /// When a packet that is there at core cycle `at` would begin to pass; `rides`: with the last one, for the same word.
  uint64_t begin(uint64_t at, bool rides) const {
    return std::max(at, rides ? std::max<uint64_t>(free_, 1) - 1 : free_);
  }
  /// Moves the packet, beginning in core cycle `begin`; the core cycle when it has passed.
  uint64_t pass(uint64_t begin, bool rides, uint32_t data_bytes) {
    if (rides) return begin + 1;
    return free_ = begin + cycles(data_bytes);
  }

 private:
  ClockRatio core_;
  uint32_t header_and_rounding_;
  uint32_t width_shift_;
  uint64_t free_ = 0;  // first core cycle that is not taken
};

/// The window edge at which something that happened at `cycle` shows to others: the first one after it.
/// A window is a power of two.
inline Cycle edge_after(Cycle cycle, Cycle window) { return (cycle | (window - 1)) + 1; }

/// Data that an answer or a request carries.
inline uint32_t request_data(const Packet& packet) { return packet.store != nullptr ? packet.bytes : 0; }
inline uint32_t response_data(const Response& response) {
  return response.store != nullptr && !response.atomic ? 0 : response.bytes;
}

inline ClockRatio clock_ratio(double shader_mhz, double domain_mhz) {
  auto khz = [](double mhz) { return static_cast<uint64_t>(mhz * 1000 + 0.5); };
  return ClockRatio(khz(shader_mhz), khz(domain_mhz));
}

}  // namespace warptime::sim
