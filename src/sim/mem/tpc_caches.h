// The caches inside a TPC: those of each SM and those that its SMs share (model/cache_levels.h lists them). A read
// looks up one level after the other; a line that no level has is fetched from the partitions, once for all of its
// readers in the TPC, and allocated in every level.
//
// tpc_caches.cc: caches of lines that only read, all but the L1 data cache. l1_data.cc: that.
//
// Lines that reach an SM's constant cache do so one after another (`constant.fill_cycles`). Left out: the time to write
// a line into any other cache, and contention of several warps for its port.
#pragma once

#include <algorithm>
#include <array>
#include <memory>
#include <vector>

#include "base/slot_pool.h"
#include "sim/mem/cache_tags.h"
#include "sim/mem/chip_contents.h"
#include "sim/mem/l1_policy.h"
#include "sim/mem/memory_view.h"
#include "sim/mem/tpc_memory.h"
#include "sim/model/statistics.h"

namespace warptime::sim {

class TpcCaches {
 public:
  TpcCaches(const MachineConfig& machine, uint32_t tpc, TpcMemory& memory);

  /// Whether reads of this kind use these caches at all.
  bool caches(ReadKind kind) const { return of(kind).line_bytes != 0; }
  /// Bytes of a line of the level that the SM looks up first.
  uint32_t line_bytes(ReadKind kind) const { return of(kind).line_bytes; }

  /// SM `sm_in_tpc` reads the line of `address` at `now`; calls come in (cycle, SM) order. Returns the cycle from which
  /// the SM has it (not before `now`), or kNever: it is fetched from a partition, and fill() will name `waiter`.
  /// `launch`: LaunchContext::number.
  Cycle read(ReadKind kind, uint32_t sm_in_tpc, Addr address, uint32_t waiter, Cycle now, uint32_t launch) {
    const Cycle ready = look_up(kind, sm_in_tpc, address, waiter, now, launch);
    if (shares_ != nullptr) [[unlikely]]
      count_lookup((*shares_)[launch][static_cast<size_t>(kind)], is_hit(kind));
    return ready;
  }
  /// What the cache for uniform constants of a sub-core has of a line.
  struct UniformLine {
    enum class State : uint8_t {
      There,      // it can be used
      Coming,     // another warp has asked for it; it is there at `ready` if no other line has replaced it by then
      Requested,  // this call has asked for it; the warp gets it at `ready`
      Far,        // the cache behind lacks it, too
    } state;
    Cycle ready;
  };
  struct UniformLookup {
    uint32_t sm_in_tpc = 0, sub_core = 0;
    Addr address = 0;
    bool is_parameter = false;  // the cache behind holds them when a launch begins
    uint32_t launch = 0;
  };
  /// A warp of the sub-core looks up the line of an address. A miss replaces a line at once.
  UniformLine find_uniform(const UniformLookup& read, Cycle now);
  /// A line that find_uniform() finds far is fetched for one load, and the cache behind gets it: what read() returns.
  Cycle fetch_uniform(uint32_t sm_in_tpc, Addr address, uint32_t waiter, Cycle now, uint32_t launch);
  /// Brings the line of `address` to the SM, if it is not there; nothing waits for it. Calls come as those of read().
  void prefetch(ReadKind kind, uint32_t sm_in_tpc, Addr address, Cycle now, uint32_t launch);
  /// A load reads the L1 data cache of its SM at `address`, where a line begins; `granules`: bit i: the 32 bytes from
  /// address + 32 i on; 0: the whole line. Returns what read() does.
  Cycle read_data(uint32_t sm_in_tpc, Addr address, uint32_t granules, uint32_t waiter, Cycle now, uint32_t launch);
  /// Where the last read found its line; Partition: not in these caches.
  CachePlace found_in() const { return found_in_; }
  /// A store or a load of the SM that passes the L1 data cache evicts its line there, so that later loads fetch it
  /// again.
  void discard(uint32_t sm_in_tpc, Addr address) {
    of(ReadKind::Data).sms[sm_in_tpc].evict(address);
    of(ReadKind::Data).tpc.evict(address);
  }
  /// MSHRs of an SM's L1 data cache that are in use.
  uint32_t mshrs_in_use(uint32_t sm_in_tpc) const { return of(ReadKind::Data).pending[sm_in_tpc]; }
  /// Whether the SM's L1 data cache can take a read of the line of `address` now: it has the line, or an MSHR for it.
  bool has_room(uint32_t sm_in_tpc, Addr address, uint32_t granules) {
    const Levels& levels = of(ReadKind::Data);
    if (levels.pending[sm_in_tpc] < l1_mshrs_ && l1_mshr_reads_ == kAnyReads) [[likely]]
      return true;
    return find_room(sm_in_tpc, address, granules);
  }

  /// A store in an aligned 128 bytes. `granules` of 32 bytes of these are written, `whole` with all of their bytes.
  struct Stored {
    Addr block = 0;
    uint32_t granules = 0, whole = 0;
  };
  /// A store to local memory, which the L1 keeps.
  void store_local(uint32_t sm_in_tpc, const Stored& stored, uint32_t launch, Cycle now);
  /// A store that goes on to the L2, in a machine whose L1 does not evict its line.
  void store_through(uint32_t sm_in_tpc, const Stored& stored, uint32_t launch, Cycle now);
  /// Sectors that were stored to, of lines that the L1s have replaced since the last call.
  struct Evicted {
    Addr line = 0;
    uint32_t dirty = 0;   // by sector
    uint32_t launch = 0;  // whose access took their place
  };
  template <class F>
  void take_evicted(const F& f) {
    for (const Evicted& one : evicted_) f(one);
    evicted_.clear();
  }
  /// An answer to a read() that returned kNever. Calls ready(sm_in_tpc, waiter, cycle) for each waiting read, in the
  /// order of the reads; from `cycle` on the SM has the line.
  template <class Ready>
  void fill(const Response& response, Ready&& ready) {
    for (uint32_t waiter = arrived(response); waiter != kNone;) {
      Waiter one = waiters_[waiter];
      waiters_.give_back(waiter);
      if (one.waiter != kNobody) ready(one.sm, one.waiter, there(response, one));
      waiter = one.next;
    }
  }

  /// At the end of a launch: the lines that the caches have, for the next one.
  void leave(ChipContents& contents) const;

  const DataCacheStats& statistics(ReadKind kind) const { return of(kind).statistics; }
  /// With shares (launch_shares.h): that of a launch which has ended.
  CacheCounts take_share(uint32_t launch) { return shares_->take(launch); }
  /// The caches of the SM and of the TPC, as far as the machine has them, and the line of an address.
  std::vector<CacheView> view(const MachineConfig& machine, uint32_t sm_in_tpc, std::optional<Addr> address) const;

 private:
  static constexpr uint32_t kNone = ~uint32_t{0};
  static constexpr uint32_t kNobody = ~uint32_t{0};  // waits: a prefetch
  static constexpr uint32_t kGranule = 32;           // bytes

  struct Levels {
    std::vector<CacheTags> sms;  // by SM in the TPC
    CacheTags tpc;
    bool has_inner = false;                    // `sms` are caches
    uint32_t line_bytes = 0;                   // of the innermost level; 0: no cache
    uint32_t fetch_bytes = 0;                  // of the outermost
    uint16_t sm_latency = 0, tpc_latency = 0;  // machine.h: 10000 at most
    std::vector<uint32_t> pending;             // by SM: MSHRs in use
    // lookups_in_misses: of a line that arrives, cycles until the SM's own cache has it, and from there to the SM.
    uint16_t to_inner = 0, to_sm = 0;
    DataCacheStats statistics;

    template <class Archive>
    void serialize(Archive& archive) {
      archive.table(sms);
      archive.table(pending);
      archive(tpc, statistics);
    }
  };
  /// A line that is being fetched, and the reads that wait for it.
  struct Mshr {
    ReadKind kind = ReadKind::Plain;
    Addr line = 0;
    uint32_t granules = 0;                 // of the line, in an L1 data cache: those that are fetched
    uint32_t sm = 0;                       // the reader, if the level is not shared
    uint32_t first = kNone, last = kNone;  // of those that wait
    uint32_t reads = 0;                    // that wait
    uint32_t launch = 0;                   // of the first
    uint32_t next = kNone;                 // in its bucket

    template <class Archive>
    void serialize(Archive& archive) {
      archive(kind, line, granules);
      archive.index(sm, archive.limits.sms);
      archive(first, last, reads, launch, next);
    }
  };
  struct Waiter {
    uint32_t sm = 0;
    uint32_t waiter = 0;
    Addr address = 0;
    uint32_t next = kNone;

    template <class Archive>
    void serialize(Archive& archive) {
      archive(sm, waiter, address, next);
    }
  };

  void count_uniform(uint32_t launch);
  /// The line in the cache of the TPC; nullptr: it is not there.
  const CacheTags::Line* find_in_tpc(ReadKind kind, Addr address, Cycle now) {
    const CacheTags::Line* line = of(kind).tpc.find(address);
    if (line != nullptr || kind != ReadKind::Instruction || !code_is_preloaded_) return line;
    of(kind).tpc.fill(address, now);
    return of(kind).tpc.find(address);
  }
  Levels& of(ReadKind kind) { return levels_[static_cast<size_t>(kind)]; }
  const Levels& of(ReadKind kind) const { return levels_[static_cast<size_t>(kind)]; }
  /// A line that the TPC has at `ready` reaches the SM's own cache.
  Cycle reaches(ReadKind kind, uint32_t sm, Cycle ready) {
    if (kind != ReadKind::Constant || fill_cycles_ == 0) return ready;
    ready = std::max(ready, way_free_[sm]);
    way_free_[sm] = ready + fill_cycles_;
    return ready;
  }
  /// From when on a waiter has the line of a response.
  Cycle there(const Response& response, const Waiter& waiter) {
    Levels& levels = of(response.kind);
    const Cycle at_inner = response.cycle + levels.to_inner;
    if (response.kind != ReadKind::Constant || fill_cycles_ == 0) return at_inner + levels.to_sm;
    const CacheTags::Line* line = levels.sms[waiter.sm].find(waiter.address);
    return (line == nullptr ? at_inner : std::max<Cycle>(at_inner, line->ready)) + levels.to_sm;
  }
  void set_up(ReadKind kind, const MachineConfig& machine);
  void find(const ChipContents& contents);
  /// Calls f(level, unit, tags) for each cache; `unit`: its SM or TPC.
  template <class Self, class F>
  static void for_each_cache(Self& self, const F& f) {
    for (size_t level = 0; level < kCacheLevels.size(); ++level) {
      const CacheLevel& row = kCacheLevels[level];
      auto& levels = self.levels_[static_cast<size_t>(row.reads)];
      const auto sms = static_cast<uint32_t>(levels.sms.size());
      if (row.place == CachePlace::Tpc) f(level, self.first_sm_ / sms, levels.tpc);
      if (row.place != CachePlace::Sm) continue;
      for (uint32_t sm = 0; sm < sms; ++sm) f(level, self.first_sm_ + sm, levels.sms[sm]);
    }
  }
  Cycle look_up(ReadKind kind, uint32_t sm_in_tpc, Addr address, uint32_t waiter, Cycle now, uint32_t launch);
  /// The last one. Where there is no inner level, the outer one is what the SM sees.
  bool is_hit(ReadKind kind) const {
    return found_in_ == CachePlace::Sm || (found_in_ == CachePlace::Tpc && !of(kind).has_inner);
  }
  void fetch(ReadKind kind, uint32_t sm_in_tpc, Addr address, uint32_t waiter, Cycle now, uint32_t launch);
  /// What a read that needs these granules of its line must fetch, besides what `line` has, which may be nullptr.
  uint32_t lacking(const CacheTags& cache, const CacheTags::Line* line, uint32_t granules) const;
  void fetch_data(uint32_t sm_in_tpc, CacheTags::Line* line, Addr address, uint32_t granules, uint32_t waiter,
                  Cycle now, uint32_t launch);
  void arrived_data(const Mshr& mshr, Cycle ready);
  /// A new MSHR; the caller sends the request, with its number as tag.
  [[gnu::always_inline]] uint32_t take_mshr(const Mshr& mshr) {
    const uint32_t id = mshrs_.take();
    uint32_t& bucket = buckets_[bucket_of(mshr.line)];
    mshrs_[id] = mshr;
    mshrs_[id].next = bucket;
    bucket = id;
    ++of(mshr.kind).pending[mshr.sm];
    return id;
  }
  void wait_for(Mshr& mshr, uint32_t node) {
    waiters_[mshr.last].next = node;
    mshr.last = node;
    ++mshr.reads;
  }
  /// The MSHR of a line that brings all of these granules; kNone: they are not on their way.
  [[gnu::always_inline]] uint32_t find_mshr(ReadKind kind, uint32_t sm_in_tpc, Addr line, uint32_t granules = 0) const {
    const bool shared = of(kind).tpc.exists();
    auto same = [&](const Mshr& mshr) {
      return mshr.kind == kind && mshr.line == line && (shared || mshr.sm == sm_in_tpc) &&
             (granules & ~mshr.granules) == 0;
    };
    uint32_t found = buckets_[bucket_of(line)];
    while (found != kNone && !same(mshrs_[found])) found = mshrs_[found].next;
    return found;
  }
  [[gnu::noinline]] bool find_room(uint32_t sm_in_tpc, Addr address, uint32_t granules);
  /// Allocates the line in the caches; returns the first waiter.
  uint32_t arrived(const Response& response);
  void fill_inner(ReadKind kind, uint32_t sm_in_tpc, Addr address, Cycle ready);
  /// The line of an SM's L1 data cache, allocated if it is not there.
  CacheTags::Line& allocate_data(uint32_t sm_in_tpc, Addr address, Cycle now, uint32_t launch);
  void note_evicted(const CacheTags::Line& line, uint32_t launch);
  /// What the L1 data caches count is also counted for the launch, where shares are kept.
  template <class F>
  void share_data(uint32_t launch, const F& f) {
    if (shares_ == nullptr) [[likely]]
      return f();
    const DataCacheStats before = statistics(ReadKind::Data);
    f();
    DataCacheStats& share = (*shares_)[launch][static_cast<size_t>(ReadKind::Data)];
    share.add(statistics(ReadKind::Data));
    share.subtract(before);
  }

  TpcMemory* memory_;
  CachePlace found_in_ = CachePlace::Partition;
  uint32_t first_sm_;                          // on the chip
  uint32_t fill_cycles_;                       // of an SM's constant cache, for each line
  static constexpr uint32_t kAnyReads = 4096;  // machine.h: the most
  uint32_t l1_mshrs_, l1_mshr_reads_;
  uint32_t l1_fetch_granules_;  // that an L1 fetches together
  bool reserves_at_miss_, allocates_stores_;
  std::vector<Cycle> way_free_;  // by SM: first cycle at which another line may reach that
  std::array<Levels, kReadKinds> levels_;
  SlotPool<Mshr> mshrs_;
  static constexpr size_t kBuckets = 512;
  static size_t bucket_of(Addr line) { return line / 32 % kBuckets; }  // no line is shorter
  std::array<uint32_t, kBuckets> buckets_;                             // MSHRs in use, by line
  SlotPool<Waiter> waiters_;
  std::vector<Evicted> evicted_;                       // empty between two accesses
  std::vector<L1Policy> policies_;                     // by SM in the TPC
  std::unique_ptr<LaunchShares<CacheCounts>> shares_;  // nullptr: none are kept
  /// The caches for uniform constants of an SM.
  struct UniformCaches {
    std::vector<CacheTags> sub_cores;  // empty: there are none
    Cycle port_free = 0;               // of the SM, to the cache of the TPC

    template <class Archive>
    void serialize(Archive& archive) {
      archive.table(sub_cores);
      archive(port_free);
    }
  };
  std::vector<UniformCaches> uniform_;  // by SM in the TPC
  UniformCacheConfig uniform_config_;
  bool code_is_preloaded_;

 public:
  /// Saves or restores what changes (base/state_archive.h).
  template <class Archive>
  void serialize(Archive& archive) {
    archive.table(way_free_);
    archive(found_in_, levels_, mshrs_, buckets_, waiters_);
    archive.table(policies_);
    archive.table(uniform_);
    if (shares_ != nullptr) archive(*shares_);
    auto is_mshr = [&](uint32_t number) { return number == kNone || number < mshrs_.capacity(); };
    auto is_waiter = [&](uint32_t number) { return number == kNone || number < waiters_.capacity(); };
    for (const uint32_t first : buckets_) archive.expect(is_mshr(first));
    mshrs_.for_each_in_use([&](Mshr& mshr) {
      archive.expect(is_mshr(mshr.next) && is_waiter(mshr.first) && is_waiter(mshr.last) && mshr.sm < way_free_.size());
    });
    waiters_.for_each_in_use(
        [&](Waiter& waiter) { archive.expect(is_waiter(waiter.next) && waiter.sm < way_free_.size()); });
    archive.limits.lines.resize(archive.limits.tpcs);
    archive.limits.lines[first_sm_ / std::max<size_t>(1, way_free_.size())] = mshrs_.capacity();
  }
};

}  // namespace warptime::sim
