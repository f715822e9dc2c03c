// What the instructions with the effect Async do to values: groups of copies, and mbarrier objects in shared memory. It
// is the same in timed and in functional runs, which differ in when copies are complete. `Events` is notified of
// copies that arrive and of each use of an mbarrier object; without an observer, nothing of that is compiled in.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>

#include "sim/state/load_store.h"
#include "sim/state/mbarrier.h"
#include "sim/state/sm_state.h"

namespace warptime::sim {

/// A thread's use of an mbarrier object.
struct MbarrierUse {
  uint32_t block = 0;   // slot of its block
  uint32_t thread = 0;  // in its block
  uint32_t pc = 0;
  uint32_t address = 0;  // in shared memory
  AsyncOperation operation = AsyncOperation::Arrive;
  uint32_t count = 0;  // arrivals, or bytes of ExpectTx and CompleteTx
  uint64_t value = 0;  // of a wait: the state or the parity
  bool is_parity = false;
  bool is_true = false;    // of a wait: the phase is complete
  bool is_remote = false;  // `thread` is of another block of the cluster
  bool by_copies = false;  // an arrival that waited for copies
  uint64_t before = 0, after = 0;
};

struct NoAsyncEvents {
  static void copied(const AsyncCopy& /*copy*/, uint32_t /*lanes*/, const AsyncArrival* /*arrival*/) {}
  static void arrived(const BulkCopy& /*copy*/) {}
  static void used(const MbarrierUse& /*use*/) {}
};

/// Where the mbarrier objects of lanes are.
struct MbarrierPlaces {
  std::array<uint32_t, kWarpSize> at{};             // offset in shared memory
  std::array<uint32_t, kWarpSize> cluster_block{};  // 0: of the own block; else one more than its number in the cluster
};
/// False: `fault` has the reason.
bool find_mbarriers(const SmState& state, uint32_t slot, const Insn& insn, uint32_t lanes, MbarrierPlaces& out,
                    FaultRecord& fault);
/// Whether the instruction uses an mbarrier object.
inline bool uses_mbarrier(AsyncOperation operation) {
  return operation >= AsyncOperation::CopyArrive && operation <= AsyncOperation::TryWait;
}
/// Whether it may use that of another block.
inline bool reaches_other_blocks(AsyncOperation operation) {
  return operation == AsyncOperation::Arrive || operation == AsyncOperation::ExpectTx ||
         operation == AsyncOperation::CompleteTx;
}
inline bool tests_mbarrier(AsyncOperation operation) {
  return operation == AsyncOperation::TestWait || operation == AsyncOperation::TryWait;
}

template <class Events>
class AsyncOperations {
 public:
  /// `lazy`: arrivals that wait for copies come only when a test of their mbarrier object would fail without them.
  AsyncOperations(SmState& state, LoadStore& load_store, FaultRecord& fault, Cycle now, bool lazy, Events& events)
      : state_(state), load_store_(load_store), fault_(fault), now_(now), lazy_(lazy), events_(events) {}

  /// Performs the instruction for `lanes` (not empty). False: `fault` has the reason.
  bool perform(uint32_t slot, const Insn& insn, uint32_t lanes) {
    const AsyncPayload& payload = insn.async();
    Warp& warp = state_.warp(slot);
    const uint32_t block = warp.slot_of_block, index = warp.index_in_block;
    switch (payload.operation) {
      case AsyncOperation::CommitGroup: state_.async().commit(block, index, lanes); return true;
      case AsyncOperation::BulkCommit:
      case AsyncOperation::BulkWait:
      case AsyncOperation::ClusterWait: return true;
      case AsyncOperation::ClusterArrive: state_.arrive_in_cluster(slot, lanes); return true;
      case AsyncOperation::WaitGroup: arrive(warp, lanes, payload.count); return true;
      case AsyncOperation::WaitAll: arrive(warp, lanes, AsyncCopies::kAll); return true;
      case AsyncOperation::PendingCount:
        for_lanes_of(lanes, [&](uint32_t lane) {
          const auto state = lane_of<uint64_t>(payload.value.in(warp.values), lane);
          set_lane(warp.values.rows() + insn.dst, lane, Mbarrier::of(state).pending);
        });
        return true;
      case AsyncOperation::CopyArrive:
      case AsyncOperation::Init:
      case AsyncOperation::Inval:
      case AsyncOperation::Arrive:
      case AsyncOperation::ExpectTx:
      case AsyncOperation::CompleteTx:
      case AsyncOperation::TestWait:
      case AsyncOperation::TryWait: break;
    }
    MbarrierPlaces places;
    if (!find_mbarriers(state_, slot, insn, lanes, places, fault_)) return false;
    const std::array<uint32_t, kWarpSize>& at = places.at;
    settle_all(warp, insn, lanes, at);
    for_lanes_of(lanes, [&](uint32_t lane) { use(warp, insn, lane, at[lane], places.cluster_block[lane]); });
    if (payload.operation == AsyncOperation::CopyArrive) {
      AsyncArrival arrival{.lanes = lanes, .warp = index, .pc = insn.number, .at = at};
      state_.async().arrive_later(block, arrival);
      load_store_.changes_memory();
    }
    return true;
  }

  /// What lanes of another block of the cluster, on another SM, do to objects of the block in a slot; `counts` is
  /// what they name.
  void perform_for(uint32_t block, std::byte* shared, const Insn& insn, uint32_t lanes,
                   const std::array<uint32_t, kWarpSize>& at, const std::array<uint32_t, kWarpSize>& counts) {
    settle(block, shared, AsyncCopies::kAnywhere);
    for_lanes_of(lanes, [&](uint32_t lane) {
      MbarrierUse use{.block = block,
                      .thread = lane,
                      .pc = insn.number,
                      .address = at[lane],
                      .operation = insn.async().operation,
                      .count = counts[lane],
                      .is_remote = true,
                      .before = word(shared, at[lane])};
      Mbarrier object = Mbarrier::of(use.before);
      count(insn.async(), use, object);
      finish(shared, use, object);
    });
  }

  /// Whether all lanes find the phases complete that a test waits for. Faults are left to perform().
  bool is_complete(uint32_t slot, const Insn& insn, uint32_t lanes) {
    Warp& warp = state_.warp(slot);
    MbarrierPlaces places;
    FaultRecord ignored;
    if (!find_mbarriers(state_, slot, insn, lanes, places, ignored)) return true;
    const std::array<uint32_t, kWarpSize>& at = places.at;
    settle_all(warp, insn, lanes, at);
    bool all = true;
    for_lanes_of(lanes,
                 [&](uint32_t lane) { all &= test(warp, insn, lane, Mbarrier::of(word(warp.shared, at[lane]))); });
    return all;
  }

 private:
  static uint64_t word(const std::byte* shared, uint32_t at) {
    uint64_t out = 0;
    std::memcpy(&out, shared + at, sizeof out);
    return out;
  }
  void put(std::byte* shared, uint32_t at, uint64_t before, uint64_t after) {
    if (before != after) load_store_.changes_memory();
    std::memcpy(shared + at, &after, sizeof after);
  }

  void arrive(Warp& warp, uint32_t lanes, uint32_t groups) {
    state_.async().arrive(warp.slot_of_block, warp.index_in_block, lanes, groups, warp.shared,
                          [&](const AsyncCopy& copy, uint32_t of) { arrived(copy, of, nullptr); });
  }
  void arrived(const AsyncCopy& copy, uint32_t lanes, const AsyncArrival* arrival) {
    load_store_.changes_memory();
    events_.copied(copy, lanes, arrival);
  }

  /// Arrivals of the block whose copies are complete.
  void settle_all(const Warp& warp, const Insn& insn, uint32_t lanes, const std::array<uint32_t, kWarpSize>& at) {
    if (!lazy_) return settle(warp, AsyncCopies::kAnywhere);
    if (!tests_mbarrier(insn.async().operation)) return;
    uint32_t last = AsyncCopies::kAnywhere;
    for_lanes_of(lanes, [&](uint32_t lane) {
      if (at[lane] == last || test(warp, insn, lane, Mbarrier::of(word(warp.shared, at[lane])))) return;
      settle(warp, at[lane]);
      last = at[lane];
    });
  }
  void settle(const Warp& warp, uint32_t address) { settle(warp.slot_of_block, warp.shared, address); }
  void settle(uint32_t block, std::byte* shared, uint32_t address) {
    AsyncCopies& copies = state_.async();
    while (const BulkCopy* next = copies.next_bulk(block, now_, address)) {
      const BulkCopy copy = copies.take_bulk(next, shared);
      load_store_.changes_memory();
      events_.arrived(copy);
      MbarrierUse use{.block = block,
                      .thread = copy.thread,
                      .pc = copy.pc,
                      .address = copy.mbarrier,
                      .operation = AsyncOperation::CompleteTx,
                      .count = static_cast<uint32_t>(copy.data.size()),
                      .is_remote = copy.is_remote,
                      .by_copies = true,
                      .before = word(shared, copy.mbarrier)};
      Mbarrier object = Mbarrier::of(use.before);
      object.complete_bytes(use.count);
      finish(shared, use, object);
    }
    while (const AsyncArrival* next = copies.next_arrival(block, now_, address)) {
      const AsyncArrival arrival = copies.take_arrival(
          block, next, shared,
          [&](const AsyncCopy& copy, uint32_t of, const AsyncArrival& due) { arrived(copy, of, &due); });
      for_lanes_of(arrival.lanes, [&](uint32_t lane) {
        MbarrierUse use{.block = block,
                        .thread = arrival.warp * kWarpSize + lane,
                        .pc = arrival.pc,
                        .address = arrival.at[lane],
                        .operation = AsyncOperation::Arrive,
                        .count = 1,
                        .by_copies = true,
                        .before = word(shared, arrival.at[lane])};
        Mbarrier object = Mbarrier::of(use.before);
        object.arrive(1);
        finish(shared, use, object);
      });
    }
  }

  bool test(const Warp& warp, const Insn& insn, uint32_t lane, const Mbarrier& object) const {
    const AsyncPayload& payload = insn.async();
    const std::byte* row = payload.value.in(warp.values);
    return payload.is_parity ? object.has_completed_parity(lane_of<uint32_t>(row, lane))
                             : object.has_completed(lane_of<uint64_t>(row, lane));
  }

  /// What a thread of any block of the cluster may do to an object.
  static void count(const AsyncPayload& payload, MbarrierUse& use, Mbarrier& object) {
    if (payload.operation == AsyncOperation::CompleteTx) return object.complete_bytes(use.count);
    if (payload.operation == AsyncOperation::ExpectTx || payload.expects)
      object.bytes += static_cast<int32_t>(use.count);
    if (payload.operation == AsyncOperation::ExpectTx) return;
    if (payload.expects) use.count = 1;
    if (payload.drops) object.expected = (object.expected - use.count) & Mbarrier::kMostCount;
    object.arrive(use.count);
  }

  void finish(std::byte* shared, MbarrierUse& use, const Mbarrier& object) {
    use.after = object.word();
    put(shared, use.address, use.before, use.after);
    events_.used(use);
  }

  void use(Warp& warp, const Insn& insn, uint32_t lane, uint32_t at, uint32_t cluster_block) {
    const AsyncPayload& payload = insn.async();
    std::byte* shared = cluster_block == 0 ? warp.shared : warp.kernel->shared_of(warp.shared, cluster_block - 1);
    MbarrierUse use{.block = warp.slot_of_block,
                    .thread = warp.index_in_block * kWarpSize + lane,
                    .pc = insn.number,
                    .address = at,
                    .operation = payload.operation,
                    .count = 1,
                    .is_parity = payload.is_parity,
                    .before = word(shared, at)};
    if (shared != warp.shared) {
      const uint32_t blocks = warp.kernel->launch().cluster_blocks;
      const uint32_t first = state_.block_of(warp).place / blocks * blocks;
      use.block = state_.slot_of_place(*warp.kernel, first + cluster_block - 1);
      use.is_remote = true;
    }
    if (payload.has_value) {
      const std::byte* row = payload.value.in(warp.values);
      const bool is_state = tests_mbarrier(payload.operation) && !payload.is_parity;
      use.value = is_state ? lane_of<uint64_t>(row, lane) : lane_of<uint32_t>(row, lane);
      if (!tests_mbarrier(payload.operation)) use.count = static_cast<uint32_t>(use.value);
    }
    Mbarrier object = Mbarrier::of(use.before);
    switch (payload.operation) {
      case AsyncOperation::Init: object = Mbarrier::with(use.count); break;
      case AsyncOperation::Inval: object = {}; break;
      case AsyncOperation::Arrive:
        count(payload, use, object);
        if (payload.has_result) set_lane(warp.values.rows() + insn.dst, lane, use.before);
        break;
      case AsyncOperation::ExpectTx:
      case AsyncOperation::CompleteTx: count(payload, use, object); break;
      case AsyncOperation::CopyArrive:
        if (!payload.keeps_count) object.pending = (object.pending + 1) & Mbarrier::kMostCount;
        break;
      case AsyncOperation::TestWait:
      case AsyncOperation::TryWait: {
        use.is_true = test(warp, insn, lane, object);
        uint32_t& predicate = warp.values.predicates[insn.dst];
        if (payload.has_result) predicate = (predicate & ~(1u << lane)) | uint32_t{use.is_true} << lane;
        break;
      }
      case AsyncOperation::CommitGroup:
      case AsyncOperation::BulkCommit:
      case AsyncOperation::BulkWait:
      case AsyncOperation::WaitGroup:
      case AsyncOperation::WaitAll:
      case AsyncOperation::ClusterArrive:
      case AsyncOperation::ClusterWait:
      case AsyncOperation::PendingCount: break;
    }
    finish(shared, use, object);
  }

  SmState& state_;
  LoadStore& load_store_;
  FaultRecord& fault_;
  Cycle now_;
  bool lazy_;
  Events& events_;
};

}  // namespace warptime::sim
