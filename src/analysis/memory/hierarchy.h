// The caches and DRAM rows of a chip, driven by requests in random orders (Baghsorkhi 2012; the book, 4.2.3, step 1).
// Requests that miss in SM and TPC wait in a pool; the next one that a partition serves is drawn from it. What its
// cache lacks waits in the partition's DRAM queue, which serves the open row first.
//
// Readings taken, where the book leaves them open: a line arrives when its request is served, and not before; until
// then, other reads of it are misses and fetch nothing. A partition serves requests as long as its DRAM queue has room.
#pragma once

#include <deque>
#include <unordered_map>
#include <vector>

#include "analysis/memory/lru_cache.h"
#include "analysis/memory/memory_level.h"
#include "base/random.h"
#include "sim/model/cache_levels.h"
#include "sim/model/dram_map.h"
#include "sim/model/partition_map.h"
#include "sim/model/request_record.h"

namespace warptime::analysis {

class Hierarchy {
 public:
  /// `instructions`: of the kernel.
  Hierarchy(const sim::MachineConfig& machine, size_t instructions);

  /// A request of SM `sm`, which passes the levels in SM and TPC now. Whether `waiter` has to wait for it.
  bool request(uint32_t sm, const sim::RecordedRequest& request, uint32_t waiter);
  /// Reads of lines that the SM's L1 waits for.
  uint32_t outstanding(uint32_t sm) const { return outstanding_[sm]; }
  /// Serves the next request, which `random` draws. Calls of returned() then say who waits for one line less. False:
  /// nothing waits.
  bool serve(SplitMix64& random);
  const std::vector<uint32_t>& returned() const { return returned_; }

  const HitCounts& counts() const { return counts_; }
  /// By instruction index.
  const std::vector<HitCounts>& counts_of_instructions() const { return of_instruction_; }

 private:
  using ReadKind = sim::ReadKind;
  struct Waiter {
    uint32_t sm, warp;
  };
  /// A request on its way, with those that wait for its answer.
  struct Fetch {
    uint32_t pc = 0;
    uint32_t sm = 0;
    Addr address = 0;
    uint32_t bytes = 0;
    ReadKind kind = ReadKind::Plain;
    bool writes = false;
    std::vector<Waiter> waiters = {};
    std::vector<uint32_t> merged = {};  // fetches of other TPCs that its DRAM read answers, too
  };
  struct Columns {  // of one request in one row
    static constexpr uint32_t kNone = ~uint32_t{0};
    uint32_t pc = 0;
    uint32_t bank = 0;
    uint64_t row = 0;
    uint32_t count = 0;
    uint32_t fetch = kNone;  // that it answers
  };
  struct Partition {
    std::vector<LruCache> caches;    // by ReadKind
    std::vector<uint64_t> open_row;  // by bank
    std::deque<Columns> queue = {};
    std::unordered_map<Addr, uint32_t> reads = {};  // fetches that DRAM is to read, by offset
  };
  struct Key {
    const LruCache* cache;
    Addr line;
    bool operator==(const Key&) const = default;
  };
  struct Hash {
    size_t operator()(const Key& of) const {
      return (of.line ^ reinterpret_cast<uintptr_t>(of.cache)) * 0x9e3779b97f4a7c15 >> 16;
    }
  };

  LruCache& sm_cache(uint32_t sm, ReadKind kind) { return of_sm_[sm][static_cast<size_t>(kind)]; }
  LruCache& tpc_cache(uint32_t sm, ReadKind kind) {
    return of_tpc_[sm / machine_.chip.sms_per_tpc][static_cast<size_t>(kind)];
  }
  void count(MemoryLevel level, uint32_t pc, bool hit);
  bool read_inner(uint32_t sm, uint32_t pc, ReadKind kind, Addr address, uint32_t warp);
  uint32_t add_fetch(Fetch fetch);
  void look_up(uint32_t fetch);
  void to_dram(Partition& partition, uint32_t pc, Addr offset, uint32_t bytes, uint32_t fetch);
  void serve_dram(Partition& partition);
  void answer(uint32_t fetch);
  LruCache& partition_cache(Partition& partition, ReadKind kind);

  const sim::MachineConfig& machine_;
  sim::PartitionMap map_;
  sim::DramMap banks_;
  uint32_t burst_bytes_;
  std::vector<std::vector<LruCache>> of_sm_, of_tpc_;  // [unit][ReadKind]
  std::vector<Partition> partitions_;
  std::vector<Fetch> fetches_;
  std::vector<uint32_t> free_;              // entries of fetches_
  std::vector<uint32_t> pool_, next_pool_;  // fetches that no partition has served: this pool, and what came since
  std::unordered_map<Key, uint32_t, Hash> inner_;  // fetches for a cache of an SM or TPC
  std::vector<uint32_t> outstanding_;              // by SM
  std::vector<uint32_t> returned_;
  HitCounts counts_{};
  std::vector<HitCounts> of_instruction_;
};

}  // namespace warptime::analysis
