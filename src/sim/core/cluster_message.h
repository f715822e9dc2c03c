// What an SM sends to another one for a cluster whose blocks are on several SMs. It has its effect in the cycle in
// which it arrives, at least a window after it was sent, so that SMs need not look at each other within one. Values
// travel with it: those that a load returns are read when its request arrives.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <tuple>
#include <vector>

#include "base/clock.h"
#include "sim/state/async_copies.h"
#include "sim/state/async_operations.h"
#include "sim/state/launch_context.h"
#include "sim/state/load_store.h"

namespace warptime::sim {

struct ClusterMessage {
  enum class Kind : uint8_t {
    Access,   // a load, store or atomic operation of `lanes` in shared memory
    Answer,   // what lanes of the SM get for one
    Object,   // an arrival at, or bytes of, an mbarrier object
    Copy,     // a bulk copy, or the registers of one lane, for an mbarrier object to count
    Barrier,  // a block has arrived at the barrier of the cluster
  };

  Kind kind = Kind::Access;
  Cycle cycle = 0;            // in which it arrives
  uint16_t from = 0, to = 0;  // SMs
  uint64_t number = 0;        // among those of its sender, in the order of issue
  uint32_t launch = 0;
  uint64_t block = 0;           // in its grid, to whose shared memory it goes
  uint64_t sender = 0;          // block that it is from
  uint32_t thread = 0, pc = 0;  // in that; the instruction
  uint32_t lanes = 0;
  uint32_t load = PendingAtomic::kNoLoad;    // of the SM that gets the answer
  uint32_t rank = 0, phases = 0;             // Barrier: of the sender
  std::array<uint32_t, kWarpSize> at{};      // offsets in shared memory
  std::array<uint32_t, kWarpSize> counts{};  // Object
  std::vector<std::byte> data;               // of each lane (LoadStore::kLaneBytes)
  BulkCopy copy;

  /// In this order those that arrive at the same SM take effect.
  bool operator<(const ClusterMessage& other) const {
    return std::tie(cycle, to, from, number) < std::tie(other.cycle, other.to, other.from, other.number);
  }

  /// Whether it is one that this launch can send: of a restored state.
  bool is_of(const LaunchContext& of) const {
    if (launch != of.number || pc >= of.kernel->insns.size() || rank >= kMostClusterBlocks) return false;
    const Insn& insn = of.kernel->insns[pc];
    const bool accesses = kind == Kind::Access || kind == Kind::Answer;
    if (accesses && (!insn.has_access() || data.size() != std::popcount(lanes) * size_t{LoadStore::kLaneBytes} ||
                     insn.effect == ptx::Effect::AsyncCopy || insn.access().of_warp ||
                     insn.access().bytes() > LoadStore::kLaneBytes / 2))
      return false;
    if (kind == Kind::Object && insn.effect != ptx::Effect::Async) return false;
    if (kind != Kind::Access && kind != Kind::Object) return true;
    const uint32_t bytes = kind == Kind::Object ? 8 : insn.access().bytes();
    bool good = true;
    for_lanes_of(lanes, [&](uint32_t lane) { good &= uint64_t{at[lane]} + bytes <= of.shared_bytes; });
    return good;
  }

  template <class Archive>
  void serialize(Archive& archive) {
    archive(kind, cycle);
    archive.index(from, archive.limits.sms);
    archive.index(to, archive.limits.sms);
    uint64_t bytes = data.size();
    archive(number, launch, block, sender, thread, pc, lanes, load, rank, phases, at, counts, bytes);
    archive.expect(bytes <= kWarpSize * LoadStore::kLaneBytes);
    data.resize(bytes);
    archive.bytes(data);
    if (kind == Kind::Copy) archive(copy);
  }
};

}  // namespace warptime::sim
