// The caches inside a TPC: each SM's and those that its SMs share (model/cache_levels.h lists them). A read goes
// outwards until a level has the line; what no level has is fetched from the partitions, once for all in the TPC that
// read it meanwhile, and is put into every level on the way.
//
// Left out: a line takes no time to be written into a cache, and lookups of several warps do not compete for its port.
#pragma once

#include <array>
#include <vector>

#include "base/slot_pool.h"
#include "sim/mem/cache_tags.h"
#include "sim/mem/memory_system.h"
#include "sim/model/statistics.h"

namespace warptime::sim {

class TpcCaches {
 public:
  TpcCaches(const MachineConfig& machine, uint32_t tpc, TpcMemory& memory);

  /// Whether reads of this kind go through here at all.
  bool caches(ReadKind kind) const { return of(kind).line_bytes != 0; }
  /// Bytes of a line of the level that the SM looks up first.
  uint32_t line_bytes(ReadKind kind) const { return of(kind).line_bytes; }

  /// SM `sm_in_tpc` reads the line of `address` at `now`; calls come in (cycle, SM) order. Returns the cycle from which
  /// the SM has it (not before `now`), or kNever: it has to come from a partition, and fill() will name `waiter`.
  Cycle read(ReadKind kind, uint32_t sm_in_tpc, Addr address, uint32_t waiter, Cycle now);
  /// The L1 data cache learns of a store of its SM: the line goes, so that later loads fetch it anew.
  void store(uint32_t sm_in_tpc, Addr address) {
    of(ReadKind::Data).sms[sm_in_tpc].evict(address);
    of(ReadKind::Data).tpc.evict(address);
  }
  /// Lines of an SM's L1 that are on their way.
  uint32_t pending(ReadKind kind, uint32_t sm_in_tpc) const { return of(kind).pending[sm_in_tpc]; }

  /// An answer to a read() that returned kNever. Calls ready(sm_in_tpc, waiter) for each read that waits, in the order
  /// of their reads.
  template <class Ready>
  void fill(const Response& response, Ready&& ready) {
    for (uint32_t waiter = arrived(response); waiter != kNone;) {
      Waiter one = waiters_[waiter];
      waiters_.give_back(waiter);
      ready(one.sm, one.waiter);
      waiter = one.next;
    }
  }

  const CacheStats& statistics(ReadKind kind) const { return of(kind).statistics; }

 private:
  static constexpr uint32_t kNone = ~uint32_t{0};

  struct Levels {
    std::vector<CacheTags> sms;  // by SM in the TPC
    CacheTags tpc;
    bool has_inner = false;                    // `sms` are caches
    uint32_t line_bytes = 0;                   // of the innermost level; 0: no cache
    uint32_t fetch_bytes = 0;                  // of the outermost
    uint16_t sm_latency = 0, tpc_latency = 0;  // machine.h: 10000 at most
    std::vector<uint32_t> pending;             // by SM: lines it waits for
    CacheStats statistics;
  };
  /// A line that is being fetched, and the reads that wait for it.
  struct Mshr {
    ReadKind kind = ReadKind::Plain;
    Addr line = 0;
    uint32_t sm = 0;                       // that the fetch is for, where a level is not shared
    uint32_t first = kNone, last = kNone;  // of those that wait
    uint32_t next = kNone;                 // in its bucket
  };
  struct Waiter {
    uint32_t sm = 0;
    uint32_t waiter = 0;
    Addr address = 0;
    uint32_t next = kNone;
  };

  Levels& of(ReadKind kind) { return levels_[static_cast<size_t>(kind)]; }
  const Levels& of(ReadKind kind) const { return levels_[static_cast<size_t>(kind)]; }
  void set_up(ReadKind kind, const MachineConfig& machine);
  void fetch(ReadKind kind, uint32_t sm_in_tpc, Addr address, uint32_t waiter, Cycle now);
  /// Puts the line into the caches; the first waiter.
  uint32_t arrived(const Response& response);

  TpcMemory* memory_;
  uint32_t first_sm_;  // on the chip
  std::array<Levels, kReadKinds> levels_;
  SlotPool<Mshr> mshrs_;
  static constexpr size_t kBuckets = 512;
  static size_t bucket_of(Addr line) { return line / 32 % kBuckets; }  // no line is shorter
  std::array<uint32_t, kBuckets> buckets_;                             // MSHRs in use, by line
  SlotPool<Waiter> waiters_;
};

}  // namespace warptime::sim
