// The crossbar between TPCs and partitions. A packet is a header and, for some packets, data; a port transfers
// `tpc_width_bytes` or `partition_width_bytes` of one packet per core cycle. Packets are forwarded as a whole: a packet
// leaves its sender's port, takes the latency, and passes the receiver's port. The switch between the ports never
// blocks.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>

#include "base/clock.h"
#include "sim/mem/channel.h"
#include "sim/mem/request.h"
#include "sim/model/machine.h"

namespace warptime::sim {

/// Bytes of a request besides its data.
inline uint32_t request_header_bytes(const MachineConfig& machine) {
  return machine.interconnect.header_bytes + machine.interconnect.request_header_bytes;
}
/// Bytes of answers that a partition's port moves each core cycle.
inline uint32_t answer_width(const MachineConfig& machine) {
  const InterconnectConfig& crossbar = machine.interconnect;
  return crossbar.partition_answer_bytes == 0 ? crossbar.partition_width_bytes : crossbar.partition_answer_bytes;
}
/// Whether packets between them cross from one half of the L2 to the other.
inline bool is_far(const MachineConfig& machine, uint32_t tpc, uint32_t partition) {
  if (machine.l2.halves < 2) return false;
  return (2 * tpc < machine.chip.tpcs) != (2 * partition < machine.memory.partitions);
}

/// A request as a partition stores it. Small, because thousands are outstanding at a time, and each is copied several
/// times.
/// A number of a run of this TPC, in a restored state: RunAnswers, which is restored later, must have it.
template <class Archive>
void note_run(Archive& archive, uint64_t tpc, uint32_t run) {
  if constexpr (Archive::kRestores) {
    archive.limits.runs.resize(archive.limits.tpcs);
    archive.expect(tpc < archive.limits.tpcs);
    archive.limits.runs[tpc] = std::max(archive.limits.runs[tpc], uint64_t{run} + 1);
  }
}

struct PartitionRequest {
  static constexpr uint32_t kGranule = 32;  // bytes; addresses and sizes of transactions are multiples of it

  PendingStore* store = nullptr;  // nullptr: a read
  uint64_t place = 0;             // place_of
  uint32_t run = 0;               // number of its run, within its TPC
  uint16_t sm = 0;                // index on the chip
  uint8_t bytes = 0;
  ReadKind kind : 3 = ReadKind::Plain;
  bool atomic : 1 = false;         // `store` is a PendingAtomic
  bool with_previous : 1 = false;  // merged with the previous one, for the same word: it takes no time of a port
  uint8_t more : 3 = 0;            // granules after the first, where it has some of these only

  /// Offset in the partition, in granules: 40 bits; number of the word in the transaction: 5 bits; Request::group: 19
  /// bits, which suffice to tell successive groups of an SM apart.
  static uint64_t place_of(uint64_t granule, uint64_t word, uint32_t group) {
    return granule << 24 | word << 19 | (group & ((1u << 19) - 1));
  }
  Addr offset() const { return (place >> 24) * kGranule; }
  /// Granule and word.
  uint64_t word() const { return place >> 19; }
  uint32_t group() const { return place & ((1u << 19) - 1); }
  bool writes() const { return store != nullptr && !atomic; }
  /// Whether the next one may be merged with it, if it is for the same word.
  bool may_join() const { return store == nullptr && kind == ReadKind::Plain; }
  /// Its granules, of which bit 0 is the first of the aligned kBlock bytes that it lies in.
  uint32_t granules() const {
    const uint32_t count = bytes / kGranule, all = (1u << count) - 1;
    return (more == 0 ? all : 1u | uint32_t{more} << 1) << (place >> 24) % (kBlock / kGranule);
  }
  /// Offset of these bytes.
  Addr block() const { return offset() / kBlock * kBlock; }
  static constexpr uint32_t kBlock = 128;  // bytes: no line and no request is longer, and none crosses two
  /// Granules of data in the request, and in its answer.
  uint32_t request_granules() const { return store != nullptr ? bytes / kGranule : 0; }
  uint32_t answer_granules() const { return writes() ? 0 : bytes / kGranule; }

  template <class Archive>
  void serialize(Archive& archive) {
    ReadKind is_kind = kind;
    bool is_atomic = atomic, is_with_previous = with_previous;
    uint8_t others = more;
    archive.pointer(store);
    archive(place, run);
    archive.index(sm, archive.limits.sms);
    archive(bytes, is_kind, is_atomic, is_with_previous, others);
    archive.expect(bytes % kGranule == 0 && bytes / kGranule < 8 && (store != nullptr || !is_atomic));
    archive.template expect_kind<PendingAtomic>(store, is_atomic);
    note_run(archive, sm * archive.limits.tpcs / std::max<uint64_t>(1, archive.limits.sms), run);
    kind = is_kind;
    atomic = is_atomic;
    with_previous = is_with_previous;
    more = others & 7;
  }
};
static_assert(sizeof(PartitionRequest) == 24);

/// A request on the crossbar. The requests of all TPCs pass a partition's port in the order of cycle and TPC.
struct Packet {
  Cycle cycle = 0;  // at the partition's port
  PartitionRequest request;

  template <class Archive>
  void serialize(Archive& archive) {
    archive(cycle, request);
  }
};

/// An answer on the crossbar: data of a read, or a write's acknowledgement. The TPC knows the rest by the run's number.
struct Answer {
  Cycle cycle = 0;   // at the partition's port, then at the TPC's
  uint32_t run = 0;  // number
  uint16_t tpc = 0;
  uint8_t granules = 0;  // of data
  bool with_previous = false;

  /// To the TPC, which knows its own number: the partition's cache had it. Where it has not, nothing is written.
  static constexpr uint16_t kFromCache = 0x8000;
  bool from_cache() const { return (tpc & kFromCache) != 0; }

  template <class Archive>
  void serialize(Archive& archive) {
    archive(cycle, run, tpc, granules, with_previous);
    archive.expect(granules < 8);
    note_run(archive, tpc & ~kFromCache, run);
  }
};
static_assert(sizeof(Answer) == 16);

using RequestChannel = Channel<Packet>;
using AnswerChannel = Channel<Answer>;

/// The time of one port of the crossbar, in one direction; its users choose which packet passes next. Its time is in
/// core cycles; users also keep times in core cycles if they compare them often.
class CrossbarPort {
 public:
  /// `core`: to the clock of which `parts` cycles are a core cycle; all that follows says core cycle for one of them.
  CrossbarPort(uint32_t width_bytes, uint32_t header_bytes, ClockRatio core, uint32_t parts = 1,
               uint32_t mask_bytes = 0)
      : core_(core), parts_(parts), width_(width_bytes), header_(header_bytes) {
    for (uint32_t masked = 0; masked < kMasked; ++masked)
      for (uint32_t granules = 0; granules < kGranules; ++granules)
        cycles_[masked * kGranules + granules] =
            std::max(1u, cycles_of_bytes(granules * PartitionRequest::kGranule + masked * mask_bytes));
  }

  /// First core cycle at or after shader cycle `at`.
  uint64_t core_cycle(Cycle at) const { return core_.from_shader(at); }
  /// First core cycle that to_shader converts to shader cycle `at` or later: a transfer that begins before it begins
  /// before `at`.
  uint64_t first_in(Cycle at) const { return core_.first_edge_in(at); }
  Cycle to_shader(uint64_t core_cycle) const { return core_.to_shader(core_cycle); }

  /// When a packet that arrives at core cycle `at` would begin to pass; `with_previous`: it is merged with the previous
  /// one, for the same word.
  uint64_t begin(uint64_t at, bool with_previous) const {
    return std::max(at, with_previous ? std::max<uint64_t>(free_, 1) - 1 : free_);
  }
  /// Core cycles that a packet with this amount of data takes.
  uint32_t cycles(uint32_t granules) const { return cycles_[granules]; }
  /// Core cycles that it takes if so many of these granules have masks.
  uint32_t cycles(uint32_t granules, uint32_t masked) const { return cycles_[masked * kGranules + granules]; }
  /// Core cycles that a packet takes whose data are not in granules; 0 bytes without a header take none.
  uint32_t cycles_of_bytes(uint32_t bytes) const { return ((bytes + header_) * parts_ + width_ - 1) / width_; }
  /// Transfers a packet of so many cycles, beginning in core cycle `begin`; returns the core cycle at which it has
  /// passed.
  uint64_t pass(uint64_t begin, bool with_previous, uint32_t cycles) {
    if (with_previous) return begin + 1;
    busy_ += cycles;
    return free_ = begin + cycles;
  }
  /// Busy cycles of the core clock itself.
  uint64_t busy() const { return busy_ / parts_; }
  uint32_t parts() const { return parts_; }

 private:
  static constexpr uint32_t kGranules = 8, kMasked = PartitionRequest::kBlock / PartitionRequest::kGranule + 1;

  ClockRatio core_;
  uint32_t parts_, width_, header_;
  std::array<uint32_t, size_t{kGranules} * kMasked> cycles_{};  // by masks, and granules of data
  uint64_t free_ = 0;                                           // first free core cycle
  uint64_t busy_ = 0;

 public:
  /// Saves or restores what changes (base/state_archive.h).
  template <class Archive>
  void serialize(Archive& archive) {
    archive(free_, busy_);
  }
};

/// The window edge at which an event of `cycle` becomes visible to others: the first edge after it. The length of a
/// window is a power of two.
inline Cycle edge_after(Cycle cycle, Cycle window) { return (cycle | (window - 1)) + 1; }

inline ClockRatio clock_ratio(double shader_mhz, double domain_mhz, uint32_t parts = 1) {
  auto khz = [](double mhz) { return static_cast<uint64_t>(mhz * 1000 + 0.5); };
  return ClockRatio(khz(shader_mhz), khz(domain_mhz) * parts);
}
/// The clock of the crossbar's ports.
inline ClockRatio port_clock(const MachineConfig& machine) {
  return clock_ratio(machine.clocks.shader_mhz, machine.clocks.core_mhz, machine.interconnect.cycle_parts);
}

/// Sectors of a request whose bytes a store does not all write, or that an atomic operation changes.
inline uint32_t masked_sectors(const PendingStore* store, bool atomic, uint32_t granules) {
  if (store == nullptr) return 0;
  return static_cast<uint32_t>(std::popcount(atomic ? granules : granules & ~store->whole_granules()));
}

}  // namespace warptime::sim
