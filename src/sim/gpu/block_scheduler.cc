#include "sim/gpu/block_scheduler.h"

#include <algorithm>
#include <bit>
#include <tuple>

#include "base/assert.h"

namespace warptime::sim {

namespace {

uint64_t mask_of(uint32_t bits) { return bits >= 64 ? ~uint64_t{0} : (uint64_t{1} << bits) - 1; }

uint64_t lowest_bits(uint64_t mask, uint32_t count) {
  uint64_t out = 0;
  for (; count > 0; --count) {
    const uint64_t bit = mask & (~mask + 1);
    out |= bit;
    mask &= ~bit;
  }
  return out;
}

uint32_t lowest_bit(uint64_t mask) { return static_cast<uint32_t>(std::countr_zero(mask)); }

}  // namespace

BlockScheduler::BlockScheduler(const MachineConfig& machine)
    : chip_(machine.chip),
      sms_(
          size_t{chip_.tpcs} * chip_.sms_per_tpc,
          SmRoom{mask_of(machine.sm.max_warps), mask_of(machine.sm.max_blocks), machine.sm.max_threads,
                 machine.sm.registers, machine.sm.shared.bytes, 0, std::vector<SmState::Room>(machine.sm.max_blocks)}) {
  uint32_t end = 0;
  for (const uint32_t tpcs : tpcs_of_gpcs(chip_)) gpc_ends_.push_back(end += tpcs * chip_.sms_per_tpc);
}

void BlockScheduler::add(const Grid& grid) {
  LaunchBlocks& launch = launches_.emplace_back();
  launch.grid = grid;
  launch.total = grid.chosen.empty() ? grid.blocks : grid.chosen.size();
  launch.places.resize(sms_.size());
}

uint64_t BlockScheduler::next_block(uint32_t launch) const {
  const LaunchBlocks& of = launches_[launch];
  return !of.all_handed_out() && !of.grid.chosen.empty() ? of.grid.chosen[of.next] : of.next;
}

const std::vector<Placement>& BlockScheduler::arrives(uint32_t launch, Cycle cycle) {
  placed_.clear();
  launches_[launch].arrived = true;
  launches_[launch].begin = cycle + chip_.launch_cycles;
  if (first_waiting() == launch) fill(cycle);
  return placed_;
}

const std::vector<Placement>& BlockScheduler::follow(std::vector<BlockEnd>& ended) {
  placed_.clear();
  std::sort(ended.begin(), ended.end(), [](const BlockEnd& a, const BlockEnd& b) {
    return std::tie(a.cycle, a.sm, a.slot) < std::tie(b.cycle, b.sm, b.slot);
  });
  for (const BlockEnd& end : ended) {
    take_back(end);
    offer(end.sm, end.cycle);
  }
  return placed_;
}

/// The first launch with blocks to hand out; the number of launches: there is none.
uint32_t BlockScheduler::first_waiting() const {
  uint32_t launch = 0;
  while (launch < launches_.size() && (!launches_[launch].arrived || launches_[launch].all_handed_out())) ++launch;
  return launch;
}

/// Where an SM has blocks of one launch alone, `blocks_per_sm` says how many it holds.
bool BlockScheduler::has_room(const LaunchBlocks& launch, uint32_t sm) const {
  const SmRoom& room = sms_[sm];
  const uint64_t places = launch.places[sm];
  if (free_place(launch, sm) >= launch.grid.blocks_per_sm) return false;
  if (room.launches == (places != 0 ? 1u : 0u)) return true;
  const BlockNeed& need = launch.grid.need;
  return room.slots != 0 && static_cast<uint32_t>(std::popcount(room.warps)) >= need.warps &&
         room.threads >= need.threads && room.registers >= need.registers && room.shared_bytes >= need.shared_bytes;
}

/// The first place that is free.
uint32_t BlockScheduler::free_place(const LaunchBlocks& launch, uint32_t sm) {
  const uint64_t places = launch.places[sm];
  return places == ~uint64_t{0} ? 64 : lowest_bit(~places);
}

void BlockScheduler::hand_out(uint32_t number, uint32_t sm, Cycle free_at) {
  LaunchBlocks& launch = launches_[number];
  SmRoom& room = sms_[sm];
  const BlockNeed& need = launch.grid.need;
  SmState::Room taken{number, lowest_bit(room.slots), free_place(launch, sm), lowest_bits(room.warps, need.warps)};
  SIM_ASSERT(taken.slot < room.blocks.size() && static_cast<uint32_t>(std::popcount(taken.warps)) == need.warps,
             "SM {} has no room for a block of {} warps", sm, need.warps);
  room.launches += launch.places[sm] == 0 ? 1 : 0;
  launch.places[sm] |= uint64_t{1} << taken.place;
  room.slots &= ~(uint64_t{1} << taken.slot);
  room.warps &= ~taken.warps;
  room.threads -= need.threads;
  room.registers -= need.registers;
  room.shared_bytes -= need.shared_bytes;
  room.blocks[taken.slot] = taken;

  const Cycle at = std::max({free_at, port_free_, launch.begin});
  if (in_interval_ == 0 || at >= interval_begin_ + chip_.block_interval_cycles) {
    interval_begin_ = at;
    in_interval_ = 0;
  }
  port_free_ = at;
  if (++in_interval_ >= chip_.block_interval_blocks) {
    port_free_ = interval_begin_ + chip_.block_interval_cycles;
    in_interval_ = 0;
  }
  placed_.push_back({next_block(number), sm, taken, at + chip_.block_launch_cycles});
  ++launch.next;
}

void BlockScheduler::take_back(const BlockEnd& end) {
  SmRoom& room = sms_[end.sm];
  const SmState::Room& taken = room.blocks[end.slot];
  LaunchBlocks& launch = launches_[taken.launch];
  const BlockNeed& need = launch.grid.need;
  launch.places[end.sm] &= ~(uint64_t{1} << taken.place);
  room.launches -= launch.places[end.sm] == 0 ? 1 : 0;
  room.slots |= uint64_t{1} << taken.slot;
  room.warps |= taken.warps;
  room.threads += need.threads;
  room.registers += need.registers;
  room.shared_bytes += need.shared_bytes;
  ++launch.finished;
}

/// Room on one SM, for the launch whose turn it is. When that has no block left, the next ones get room on all SMs.
void BlockScheduler::offer(uint32_t sm, Cycle cycle) {
  const uint32_t number = first_waiting();
  if (number == launches_.size()) return;
  LaunchBlocks& launch = launches_[number];
  if (launch.grid.cluster_blocks > 1) [[unlikely]]
    while (hand_out_cluster(number, gpc_of(sm), cycle)) continue;
  else
    while (!launch.all_handed_out() && has_room(launch, sm)) hand_out(number, sm, cycle);
  if (launch.all_handed_out()) fill(cycle);
}

/// Blocks for all SMs, in turn.
void BlockScheduler::fill(Cycle cycle) {
  for (uint32_t number = first_waiting(); number < launches_.size(); number = first_waiting()) {
    LaunchBlocks& launch = launches_[number];
    bool any = launch.grid.cluster_blocks == 1;
    if (!any) fill_gpcs(number, cycle);
    while (any && !launch.all_handed_out()) {
      any = false;
      for (uint32_t i = 0; i < sms_.size() && !launch.all_handed_out(); ++i) {
        if (!has_room(launch, first_sm(i))) continue;
        hand_out(number, first_sm(i), cycle);
        any = true;
      }
    }
    if (!launch.all_handed_out()) return;
  }
}

uint32_t BlockScheduler::first_sm(uint32_t i) const {
  if (chip_.block_order == BlockOrder::sm_first) return i;
  return i % chip_.tpcs * chip_.sms_per_tpc + i / chip_.tpcs;
}

}  // namespace warptime::sim
