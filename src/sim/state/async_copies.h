// The asynchronous copies of an SM that are under way, and the arrivals at mbarrier objects that wait for them. A copy
// has read its source when it was issued; its bytes are in shared memory only when a thread waits for it, or when an
// mbarrier object counts it. Copies of a thread are complete in the order of their issue.
//
// The timing of the SM sets the cycle from which on a copy is complete (`ready`; kNever: not known yet). In functional
// runs a copy is complete at once, and its bytes arrive as late as they may.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "base/clock.h"
#include "base/slot_pool.h"
#include "sim/exec/atomic_operation.h"
#include "sim/exec/lanes_of_mask.h"
#include "sim/mem/tensor_box.h"

namespace warptime::sim {

/// cp.async of a warp: of each lane some bytes.
struct AsyncCopy {
  static constexpr uint32_t kMostBytes = 16;  // of a lane

  uint32_t lanes = 0;  // whose bytes have not arrived
  uint32_t open = 0;   // lanes that have not committed it to a group
  uint32_t pc = 0;
  uint32_t bytes = 0;
  uint32_t block = 0, warp = 0;  // slot of its block, and number in the block
  uint64_t number = 0;           // in the order of issue, of its block
  Cycle ready = 0;
  std::array<uint32_t, kWarpSize> group{};  // of lanes that have committed it: the number of their group
  std::array<uint32_t, kWarpSize> to{};     // offset in shared memory
  std::array<Addr, kWarpSize> from{};       // in global memory
  std::array<uint32_t, kWarpSize> read{};   // bytes of it
  std::array<std::array<std::byte, kMostBytes>, kWarpSize> data{};

  template <class Archive>
  void serialize(Archive& archive) {
    archive(lanes, open, bytes);
    archive.index(pc, archive.limits.code);
    archive.index(block, archive.limits.blocks);
    archive.index(warp, archive.limits.warps);
    archive(number, ready, group, to, from, read);
    for (auto& lane : data) archive.bytes(lane.data(), lane.size());
    archive.expect(bytes <= kMostBytes);
  }
};

/// cp.async.mbarrier.arrive of a warp: lanes that arrive when the copies before it are complete.
struct AsyncArrival {
  uint32_t lanes = 0;
  uint32_t warp = 0;  // in its block
  uint32_t pc = 0;
  uint64_t number = 0;  // copies before this number are meant
  std::array<uint32_t, kWarpSize> at{};

  template <class Archive>
  void serialize(Archive& archive) {
    archive(lanes);
    archive.index(warp, archive.limits.warps);
    archive.index(pc, archive.limits.code);
    archive(number, at);
  }
};

/// Bytes of global memory that follow each other.
struct BulkRow {
  Addr from = 0;
  uint32_t bytes = 0;

  template <class Archive>
  void serialize(Archive& archive) {
    archive(from, bytes);
  }
};

/// A block on another SM that gets what a copy has.
struct CopyTarget {
  uint64_t block = 0;  // in its grid
  uint16_t sm = 0;

  template <class Archive>
  void serialize(Archive& archive) {
    archive(block);
    archive.index(sm, archive.limits.sms);
  }
};

/// A copy of a thread to shared memory that an mbarrier object counts: of a range, a box, or registers.
struct BulkCopy {
  uint32_t block = 0, thread = 0;  // slot of its block, and number in the block
  uint32_t pc = 0;
  uint32_t to = 0, mbarrier = 0;  // offsets in shared memory
  Addr from = 0;                  // in global memory, or in shared
  bool from_shared = false;
  uint32_t parts = 0;                // under way
  Cycle last = 0;                    // of those that have arrived
  Cycle ready = 0;                   // kNever: not known yet
  uint32_t swizzle = 0;              // swizzle_mask() of a tensor
  uint32_t row_bytes = 0;            // TensorMap::short_row_bytes()
  bool is_remote = false;            // `thread` is of another block of the cluster
  uint32_t also = kNone;             // the copy of another block that is complete together with this
  AtomicOperation reduce = nullptr;  // nullptr: the target becomes what the data are
  uint8_t word_bytes = 4;            // of a reduction
  std::vector<CopyTarget> targets;   // on other SMs, where it goes when it is complete; it is then in no slot's list
  uint32_t late = 0;                 // cycles from its last part until it is complete
  uint32_t onward = 0;               // cycles from then until it is there
  uint64_t sent = 0, sender = 0;     // number among the messages of its SM; block of its thread
  uint32_t launch = 0;               // of that
  std::vector<BulkRow> rows;         // the source, of a box of a tensor, in global memory
  std::vector<std::byte> data;

  static constexpr uint32_t kNone = ~uint32_t{0};

  bool is_outgoing() const { return sent != 0; }

  /// Bytes of shared memory, from the first to the last.
  uint32_t extent() const { return placed_bytes(static_cast<uint32_t>(data.size()), row_bytes, swizzle); }

  template <class Archive>
  void serialize(Archive& archive) {
    archive.index(block, archive.limits.blocks);
    archive(thread);
    archive.index(pc, archive.limits.code);
    uint64_t bytes = data.size();
    archive(to, mbarrier, from, from_shared, parts, last, ready, bytes, swizzle, row_bytes, is_remote, also, word_bytes,
            targets, late, onward, sent, sender, launch, rows);
    archive.function_pointer(reduce);
    archive.expect(swizzle <= 7 && (word_bytes == 4 || word_bytes == 8) && bytes <= archive.limits.shared);
    archive.expect(row_bytes % 16 == 0 && row_bytes < 16 * (swizzle + 1) && (swizzle == 0 || bytes % 16 == 0));
    const uint64_t extent = placed_bytes(static_cast<uint32_t>(bytes), row_bytes, swizzle);
    archive.expect(swizzle == 0 || (to % 128 == 0 && to + (extent + 127) / 128 * 128 <= archive.limits.shared));
    archive.expect(to <= archive.limits.shared - bytes && mbarrier % 8 == 0 &&
                   uint64_t{mbarrier} + 8 <= archive.limits.shared && thread < archive.limits.warps * kWarpSize);
    data.resize(bytes);
    archive.bytes(data);
  }
};

class AsyncCopies {
 public:
  static constexpr uint32_t kNone = SlotPool<AsyncCopy>::kNone;
  /// Groups of a thread that may be under way: for all copies, also those of no group.
  static constexpr uint32_t kAll = ~uint32_t{0};

  /// A block starts there.
  void start_block(uint32_t block) {
    if (block < blocks_.size()) clear(blocks_[block]);
  }
  bool any_arrival() const;
  uint32_t capacity() const { return pool_.capacity(); }
  const AsyncCopy& operator[](uint32_t id) const { return pool_[id]; }
  AsyncCopy& operator[](uint32_t id) { return pool_[id]; }

  /// A copy of a warp; the caller fills in where to, and the data.
  uint32_t begin(uint32_t block, uint32_t warp, uint32_t pc, uint32_t lanes, uint32_t bytes);
  /// Time: the copy is complete from `ready` on; of a bulk copy, a part of it.
  void completes(uint32_t id, Cycle ready) {
    if ((id & kBulk) == 0) pool_[id].ready = ready;
    else complete_part(bulk_[id & ~kBulk], ready);
  }
  static constexpr uint32_t kBulk = 1u << 30;  // of the number of a bulk copy
  bool has(uint32_t id) const { return (id & kBulk) == 0 ? id < pool_.capacity() : (id & ~kBulk) < bulk_.capacity(); }
  BulkCopy& bulk(uint32_t id) { return bulk_[id & ~kBulk]; }
  /// The number of a new bulk copy, of no parts yet.
  uint32_t begin_bulk(uint32_t block);
  /// The number of a new bulk copy to other SMs alone, whose `targets` the caller fills in.
  uint32_t begin_outgoing();
  /// Calls f(copy) for those that are complete, in the order of issue, and forgets them.
  template <class F>
  void take_outgoing(const F& f) {
    std::erase_if(outgoing_, [&](uint32_t id) {
      if (bulk_[id].ready == kNever) return false;
      f(bulk_[id]);
      bulk_.give_back(id);
      return true;
    });
  }
  /// What another SM has sent to the block in a slot, complete from `ready` on.
  void receive(uint32_t block, BulkCopy copy, Cycle ready);
  /// They are complete together: the second has no parts of its own.
  void join(uint32_t first, uint32_t second);
  /// The first bulk copy of the block that is complete by `now`, counted by `mbarrier` if that is not kAnywhere.
  const BulkCopy* next_bulk(uint32_t block, Cycle now, uint32_t mbarrier) const;
  /// Its bytes arrive, and it is forgotten.
  BulkCopy take_bulk(const BulkCopy* copy, std::byte* shared);
  /// Lanes commit their copies to a group.
  void commit(uint32_t block, uint32_t warp, uint32_t lanes);
  /// Since when the copies of these lanes are complete but for the last `groups` groups.
  Cycle ready(uint32_t block, uint32_t warp, uint32_t lanes, uint32_t groups) const;
  /// Their bytes arrive in the block's shared memory. Calls f(copy, lanes) for each copy.
  template <class F>
  void arrive(uint32_t block, uint32_t warp, uint32_t lanes, uint32_t groups, std::byte* shared, const F& f) {
    Warp& of = warp_of(block, warp);
    arrive_due(of, shared, f, [&](const AsyncCopy& copy) { return due(of, copy, lanes, groups); });
  }

  /// Lanes arrive at mbarrier objects when their copies are complete.
  void arrive_later(uint32_t block, AsyncArrival arrival);
  /// The first arrival of the block that is complete by `now`, at `address` if that is not kAnywhere; nullptr: none.
  static constexpr uint32_t kAnywhere = ~uint32_t{0};
  const AsyncArrival* next_arrival(uint32_t block, Cycle now, uint32_t address) const;
  /// The copies of that arrival, then it is forgotten.
  template <class F>
  AsyncArrival take_arrival(uint32_t block, const AsyncArrival* arrival, std::byte* shared, const F& f) {
    std::vector<AsyncArrival>& all = blocks_[block].arrivals;
    const AsyncArrival taken = *arrival;
    all.erase(all.begin() + (arrival - all.data()));
    arrive_due(warp_of(block, taken.warp), shared, f,
               [&](const AsyncCopy& copy) { return copy.number < taken.number ? copy.lanes & taken.lanes : 0u; });
    return taken;
  }
  /// The first cycle after `now` at which an arrival of the block is known to be complete; kNever: none.
  Cycle next_ready(uint32_t block, Cycle now) const;
  /// The lanes of a copy that arrive at an mbarrier object when it is complete.
  uint32_t arriving(const AsyncCopy& copy) const;
  /// Calls f(copy) for those of the block that are under way.
  template <class F>
  void for_each_of(uint32_t block, const F& f) const {
    if (block >= blocks_.size()) return;
    for (const Warp& warp : blocks_[block].warps)
      for (uint32_t id : warp.copies) f(pool_[id]);
  }
  template <class F>
  void for_each_bulk_of(uint32_t block, const F& f) const {
    if (block >= blocks_.size()) return;
    for (uint32_t id : blocks_[block].bulk) f(bulk_[id]);
  }

 private:
  struct Warp {
    std::vector<uint32_t> copies;              // in the pool, in the order of issue
    std::array<uint32_t, kWarpSize> groups{};  // that each lane has committed

    template <class Archive>
    void serialize(Archive& archive) {
      archive(copies, groups);
    }
  };
  struct Block {
    std::vector<Warp> warps;
    std::vector<AsyncArrival> arrivals;
    std::vector<uint32_t> bulk;  // bulk copies, in the order of issue
    uint64_t copies = 0;         // issued

    template <class Archive>
    void serialize(Archive& archive) {
      archive(warps, arrivals, bulk, copies);
    }
  };

  void clear(Block& block);
  void complete_part(BulkCopy& copy, Cycle ready);
  Block& block_of(uint32_t block);
  Warp& warp_of(uint32_t block, uint32_t warp);
  const Warp* find(uint32_t block, uint32_t warp) const;
  static uint32_t due(const Warp& warp, const AsyncCopy& copy, uint32_t lanes, uint32_t groups);
  Cycle ready_of(const Block& block, const AsyncArrival& arrival) const;

  template <class F, class Due>
  void arrive_due(Warp& of, std::byte* shared, const F& f, const Due& due) {
    size_t kept = 0;
    for (uint32_t id : of.copies) {
      AsyncCopy& copy = pool_[id];
      if (const uint32_t lanes = due(copy); lanes != 0) {
        for_lanes_of(lanes,
                     [&](uint32_t lane) { std::memcpy(shared + copy.to[lane], copy.data[lane].data(), copy.bytes); });
        f(copy, lanes);
        copy.lanes &= ~lanes;
      }
      if (copy.lanes != 0) of.copies[kept++] = id;
      else pool_.give_back(id);
    }
    of.copies.resize(kept);
  }

  SlotPool<AsyncCopy, 16> pool_;
  SlotPool<BulkCopy, 16> bulk_;
  std::vector<Block> blocks_;       // by block slot; as many as have had copies
  std::vector<uint32_t> outgoing_;  // bulk copies to other SMs, in the order of issue

 public:
  /// Saves or restores what changes (base/state_archive.h).
  template <class Archive>
  void serialize(Archive& archive) {
    archive(pool_, bulk_, blocks_, outgoing_);
    archive.expect(blocks_.size() <= archive.limits.blocks);
    std::vector<bool> seen(pool_.capacity());
    std::vector<bool> seen_bulk(bulk_.capacity());
    for (uint32_t id : outgoing_) {
      archive.expect(id < bulk_.capacity() && !seen_bulk[id]);
      seen_bulk[id] = true;
    }
    for (const Block& block : blocks_) {
      for (uint32_t id : block.bulk) {
        archive.expect(id < bulk_.capacity() &&
                       (bulk_[id].also == BulkCopy::kNone || bulk_[id].also < bulk_.capacity()));
        archive.expect(id < bulk_.capacity() && !seen_bulk[id]);
        seen_bulk[id] = true;
      }
      archive.expect(block.warps.size() <= archive.limits.warps);
      for (const AsyncArrival& arrival : block.arrivals)
        for (uint32_t at : arrival.at)
          archive.expect(at % 8 == 0 && (at == 0 || uint64_t{at} + 8 <= archive.limits.shared));
      for (const Warp& warp : block.warps)
        for (uint32_t id : warp.copies) {
          archive.expect(id < pool_.capacity() && !seen[id]);
          seen[id] = true;
          for (uint32_t to : pool_[id].to) archive.expect(uint64_t{to} + pool_[id].bytes <= archive.limits.shared);
        }
    }
  }
};

}  // namespace warptime::sim
