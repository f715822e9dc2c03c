// Assigns the blocks of launches to SMs, one at a time: in the machine's order while SMs have room, then one for each
// block that ends. The blocks of a cluster are assigned together, to SMs of one GPC. It works between steps, on events
// in (cycle, SM) order, so its decisions do not depend on host threads.
//
// Launches that run at the same time (`chip.concurrent_kernels`) are served in order: blocks of a later one are
// assigned only when no block of an earlier one is left to be assigned, into the room that those leave (the "leftover"
// policy; docs/sources.md, Xu 2016).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sim/core/sm.h"
#include "sim/model/machine.h"

namespace warptime::sim {

struct Placement {
  uint64_t block = 0;  // linear index in the grid
  uint32_t sm = 0;
  SmState::Room room;
  Cycle start = 0;  // first cycle at which its warps may issue

  template <class Archive>
  void serialize(Archive& archive) {
    archive(block);
    archive.index(sm, archive.limits.sms);
    archive(room.launch, room.slot, room.place, room.warps, start);
    archive.expect(room.launch == 0 && room.slot < archive.limits.blocks && room.place < archive.limits.blocks);
  }
};

/// The blocks of a launch.
struct Grid {
  uint64_t blocks = 0;
  std::span<const uint64_t> chosen = {};  // of them, in this order; empty: all
  uint32_t blocks_per_sm = 1;
  BlockNeed need = {};
  uint32_t cluster_blocks = 1;  // which SMs of one GPC get together
};

class BlockScheduler {
 public:
  explicit BlockScheduler(const MachineConfig& machine);

  /// Another launch, which has not arrived yet. Its number is the number of launches before it.
  void add(const Grid& grid);

  /// The launch may begin at `cycle`: the blocks for which there is room. Valid until the next call.
  const std::vector<Placement>& arrives(uint32_t launch, Cycle cycle);
  /// The blocks that follow those that ended; sorts `ended`. Valid until the next call.
  const std::vector<Placement>& follow(std::vector<BlockEnd>& ended);

  bool all_finished(uint32_t launch = 0) const { return launches_[launch].finished == launches_[launch].total; }
  uint64_t finished(uint32_t launch = 0) const { return launches_[launch].finished; }
  uint64_t handed_out(uint32_t launch = 0) const { return launches_[launch].next; }
  uint64_t total(uint32_t launch = 0) const { return launches_[launch].total; }
  /// The next one to be handed out, if one is left.
  uint64_t next_block(uint32_t launch = 0) const;

 private:
  struct LaunchBlocks {
    Grid grid;
    uint64_t total = 0, next = 0, finished = 0;
    bool arrived = false;
    Cycle begin = 0;               // its first block may go no earlier
    std::vector<uint64_t> places;  // by SM: mask of those taken

    bool all_handed_out() const { return next == total; }
  };
  /// What an SM has free, and who has the rest.
  struct SmRoom {
    uint64_t warps, slots;  // masks
    uint64_t threads, registers, shared_bytes;
    uint32_t launches = 0;              // of which it has blocks
    std::vector<SmState::Room> blocks;  // by slot
  };
  bool has_room(const LaunchBlocks& launch, uint32_t sm) const;
  static uint32_t free_place(const LaunchBlocks& launch, uint32_t sm);
  void hand_out(uint32_t launch, uint32_t sm, Cycle free_at);
  // block_scheduler_clusters.cc
  uint32_t room_for(const LaunchBlocks& launch, uint32_t sm) const;
  bool hand_out_cluster(uint32_t launch, uint32_t gpc, Cycle free_at);
  uint32_t best_sm(const LaunchBlocks& launch, uint32_t gpc, size_t first_of_cluster) const;
  uint32_t gpc_of(uint32_t sm) const;
  void fill_gpcs(uint32_t launch, Cycle cycle);
  void fill(Cycle cycle);
  void offer(uint32_t sm, Cycle cycle);
  void take_back(const BlockEnd& end);
  uint32_t first_waiting() const;
  /// SMs of TPC t are numbered t * sms_per_tpc and up.
  uint32_t first_sm(uint32_t i) const;

  ChipConfig chip_;
  std::vector<uint32_t> gpc_ends_;  // the SM behind the last of each
  std::vector<LaunchBlocks> launches_;
  std::vector<SmRoom> sms_;
  std::vector<Placement> placed_;
  Cycle port_free_ = 0;       // the next block may go
  Cycle interval_begin_ = 0;  // of the block that went last
  uint32_t in_interval_ = 0;  // blocks of it

 public:
  /// Saves or restores what changes, of a run of one launch (base/state_archive.h).
  template <class Archive>
  void serialize(Archive& archive) {
    LaunchBlocks& launch = launches_.front();
    archive(launch.next, launch.finished, port_free_, interval_begin_, in_interval_);
    archive.table(launch.places);
    for (SmRoom& sm : sms_) {
      archive(sm.warps, sm.slots, sm.threads, sm.registers, sm.shared_bytes, sm.launches);
      for (SmState::Room& block : sm.blocks) archive(block.place, block.warps);
    }
    archive.expect(launch.finished <= launch.next && launch.next <= launch.total);
  }
};

}  // namespace warptime::sim
