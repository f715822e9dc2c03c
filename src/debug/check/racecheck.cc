#include "debug/check/racecheck.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "debug/check/code_paths.h"
#include "sim/exec/member_masks.h"

namespace warptime::debug {

using ptx::Mod, ptx::Space;
using sim::kWarpSize;

Racecheck::Order Racecheck::order_of(const ptx::Instruction& instruction) {
  const ptx::ModSet& mods = instruction.mods;
  const ptx::Effect effect = effect_of(*instruction.card->card, *instruction.form);
  Order out;
  out.meets_lanes = mods.has(Mod::Warp) && mods.has(Mod::Sync) && effect == ptx::Effect::Nop;
  out.on_device = !mods.has(Mod::ScopeCta);
  out.is_fence = effect == ptx::Effect::Fence && !mods.has(Mod::Proxy);
  out.is_proxy_fence =
      effect == ptx::Effect::Fence && mods.has(Mod::Proxy) && mods.has(Mod::Async) && !mods.has(Mod::Global);
  if (effect == ptx::Effect::Async) {  // what uses an mbarrier object is in order with what else does
    const bool changes_it = mods.has(Mod::Init) || mods.has(Mod::Inval);
    out.strength = changes_it ? Strength::Weak : Strength::InBlock;
    out.acquires = out.releases = !mods.has(Mod::Relaxed);
  }
  if (effect == ptx::Effect::BulkCopy && mods.has(Mod::Reduce)) out.strength = Strength::OnDevice;
  if (!accesses(effect)) return out;
  out.acquires = mods.has(Mod::Acquire) || mods.has(Mod::AcqRel);
  out.releases = mods.has(Mod::Release) || mods.has(Mod::AcqRel);
  const bool strong = out.acquires || out.releases || mods.has(Mod::Volatile) || mods.has(Mod::Relaxed) ||
                      mods.has(Mod::Mmio) || effect == ptx::Effect::Atomic;
  out.is_volatile = mods.has(Mod::Volatile) && effect != ptx::Effect::Atomic;
  if (strong) out.strength = out.on_device ? Strength::OnDevice : Strength::InBlock;
  return out;
}

void Racecheck::begins(const sim::LaunchContext& launch) {
  launch_ = &launch;
  async_.begins(launch);
  products_.begins(launch);
  proxies_.begins(launch);
  clusters_.clear();
  independent_ = launch.machine->sm.reconvergence == sim::Reconvergence::independent;
  orders_.clear();
  for (const ptx::Instruction& instruction : launch.kernel->kernel->instructions)
    orders_.push_back(order_of(instruction));
  for (uint32_t pc = 0; pc < orders_.size(); ++pc)
    if (independent_ && orders_[pc].is_volatile)
      orders_[pc].waits_for_value = ends_its_loop(*launch.kernel->kernel, pc);
  orders_.emplace_back();  // the exit behind them
  global_.restart();
  resident_.clear();
}

void Racecheck::starts(const sim::SmState& sm, uint64_t slots) {
  const auto slot = static_cast<uint32_t>(std::countr_zero(slots));
  const size_t place = size_t{sm.index()} * launch_->blocks_per_sm + sm.warp(slot).slot_of_block;
  if (resident_.size() <= place) resident_.resize(place + 1);
  if (resident_[place] == nullptr) resident_[place] = std::make_unique<ResidentShadow>();
  ResidentShadow& block = *resident_[place];
  block.clock.start(static_cast<uint32_t>(sm.block_of(sm.warp(slot)).index), launch_->warps_per_block, independent_);
  block.shared.restart();
  block.mbarriers.clear();
  async_.starts(sm, slots);
  products_.starts(sm, slots);
  proxies_.starts(sm, slots);
}

void Racecheck::executes(const sim::WarpEvent& event) {
  if (products_.follows()) products(event);
  if (event.insn.effect == ptx::Effect::Async && event.lanes != 0) {
    async_.executes(event, resident(event.sm, event.slot).clock);
    if (event.insn.async().operation == sim::AsyncOperation::ClusterArrive) arrives_in_cluster(event);
  }
  const Order& order = orders_[event.pc];
  if (event.lanes == 0 || (!order.is_fence && !order.meets_lanes && !order.is_proxy_fence)) return;
  BlockClock& clock = resident(event.sm, event.slot).clock;
  if (order.is_proxy_fence && proxies_.follows()) proxies_.fence(event, clock);
  const uint32_t warp = event.warp().index_in_block;
  if (order.is_fence) return clock.fence(warp, event.lanes, order.on_device);
  if (!independent_ || !order.meets_lanes) return;
  const uint32_t live = event.warp().stack.live();
  for_member_groups(event.warp().values, event.insn, event.lanes,
                    [&](uint32_t mask, uint32_t group) { clock.lanes(warp).arrive(mask, group, live, clock.time); });
}

void Racecheck::arrived(const sim::WarpEvent& event, const sim::SmState::Arrival& arrival) {
  BlockClock& clock = resident(event.sm, event.slot).clock;
  clock.arrive(arrival.barrier, event.warp().index_in_block);
  if (arrival.released != 0)
    released(event.sm, arrival.released, event.sm.barrier_use(event.warp(), event.lanes, event.insn));
}

void Racecheck::exited(const sim::WarpEvent& event, const sim::SmState::Exited& exited) {
  if (exited.released != 0) released(event.sm, exited.released, barrier_of_waiting(event.sm, exited.released));
  if (exited.block_done) async_.ended(event);
}

/// The warps of `slots` continue after a barrier.
void Racecheck::released(const sim::SmState& sm, uint64_t slots, const sim::SmState::BarrierUse& use) {
  const auto slot = static_cast<uint32_t>(std::countr_zero(slots));
  BlockClock& clock = resident(sm, slot).clock;
  const bool all_wait = static_cast<uint32_t>(std::popcount(slots)) == launch_->warps_per_block;
  if (all_wait || use.threads == 0) return clock.release_all(use.barrier);
  clock.release(use.barrier, slots >> (slot - sm.warp(slot).index_in_block));
}

Mark Racecheck::mark(const Agent& agent, uint32_t lane, bool has_value) const {
  return {.time = agent.clock.time,
          .block = agent.clock.block,
          .pc = agent.access.event.pc,
          .thread = static_cast<uint16_t>(agent.first_thread + lane),
          .strength = agent.order.strength,
          .has_value = has_value};
}

/// Whether the mark is of the thread, or of its warp where lanes run in lockstep.
bool Racecheck::is_own(const Agent& agent, const Mark& mark, uint32_t lane) const {
  if (mark.block != agent.clock.block || mark.thread / kWarpSize != agent.warp) return false;
  return !independent_ || mark.thread % kWarpSize == lane;
}

bool Racecheck::is_ordered(const Agent& agent, const Mark& mark, uint32_t lane) const {
  const BlockClock& clock = agent.clock;
  const uint32_t warp = mark.thread / kWarpSize;
  if (mark.block == clock.block) {
    if (mark.time < clock.all_known) return true;
    if (warp != agent.warp) return mark.time < clock.known(agent.warp, warp);
    return !independent_ || clock.lanes(warp).knows(lane, mark.thread % kWarpSize, mark.time);
  }
  return clock.has_fences() && mark.time < clock.fences(agent.warp).foreign.time_of(mark.block, warp);
}

/// Volatile accesses to shared memory by lanes of one warp, none of which waits for the other's value.
bool Racecheck::is_exchange(const Agent& agent, const Mark& mark) const {
  if (!independent_ || agent.access.space != Space::Shared || mark.thread / kWarpSize != agent.warp) return false;
  const Order& other = orders_[mark.pc];
  return agent.order.is_volatile && other.is_volatile && !agent.order.waits_for_value && !other.waits_for_value;
}

bool Racecheck::conflicts(const Agent& agent, const Mark& mark, uint32_t lane) const {
  if (mark.time == 0 || is_ordered(agent, mark, lane)) return false;
  if (mark.strength == Strength::Weak || agent.order.strength == Strength::Weak) return true;
  if (is_exchange(agent, mark)) return true;
  const bool in_scope = mark.strength == Strength::OnDevice && agent.order.strength == Strength::OnDevice;
  return !in_scope && mark.block != agent.clock.block;
}

void Racecheck::check(const SpaceAccess& access) {
  if (access.space != Space::Shared && access.space != Space::Global) return;
  const BlockClock& clock = resident(access.event.sm, access.event.slot).clock;
  uint32_t met = async_.check(access, clock);
  if (products_.follows()) met |= products_.check(access);
  if (proxies_.follows() && access.space == Space::Shared) proxies_.check(access, clock);
  if (met == 0) [[likely]]
    return check_lanes(access);
  SpaceAccess rest = access;
  rest.lanes &= ~met;
  if (rest.lanes != 0) check_lanes(rest);
}

void Racecheck::check_lanes(const SpaceAccess& access) {
  const sim::Warp& warp = access.event.warp();
  ResidentShadow& block = resident(access.event.sm, access.event.slot);
  const Agent agent{.clock = block.clock,
                    .shadow = access.space == Space::Shared ? block.shared : global_,
                    .access = access,
                    .order = orders_[access.event.pc],
                    .warp = warp.index_in_block,
                    .first_thread = warp.index_in_block * kWarpSize};
  uint32_t lanes = access.lanes;
  if (access.has_value()) lanes &= ~doubled_stores(agent);
  const bool is_mbarrier = access.event.insn.effect == ptx::Effect::Async;
  if ((agent.order.strength != Strength::Weak && !is_mbarrier) || !agent.shadow.variables().empty())
    sim::for_lanes_of(lanes, [&](uint32_t each) { synchronise(agent, each); });
  if (!access.writes() && !independent_ && access.bytes == 4 && agent.order.strength == Strength::Weak &&
      block.clock.is_plain())
    return read_words(agent);
  // One of several neighbouring lanes that read one address is enough; two, where each lane is a thread of its own.
  const uint32_t most = independent_ ? 2 : 1;
  Addr last = ~Addr{0};
  uint32_t same = 0;
  sim::for_lanes_of(lanes, [&](uint32_t each) {
    same = access.addresses[each] == last ? same + 1 : 1;
    last = access.addresses[each];
    if (same <= most || access.has_value()) lane(agent, each);
  });
}

/// The bulk of all accesses: words read by lanes in lockstep, in a block that only barriers for all have synchronised.
/// Then accesses of the block are ordered by its last barrier alone, and those of other blocks by nothing: a word that
/// two others have read since needs no third reader.
void Racecheck::read_words(const Agent& agent) {
  const uint32_t block = agent.clock.block, known = agent.clock.all_known, warp = agent.warp;
  auto is_live = [&](const Mark& mark) { return mark.time != 0 && (mark.block != block || mark.time >= known); };
  Addr last = ~Addr{0};
  sim::for_lanes_of(agent.access.lanes, [&](uint32_t each) {
    const Addr address = agent.access.addresses[each];
    if (address == last) return;
    last = address;
    Cell& cell = agent.shadow.word(address);
    const Mark& write = cell.write;
    const bool fine =
        write.time == 0 || (write.block == block && (write.time < known || write.thread / kWarpSize == warp));
    if (!fine || cell.split != 0) return lane(agent, each);
    Mark* free = nullptr;
    for (Mark& reader : cell.reads) {
      if (!is_live(reader)) free = &reader;
      else if (reader.block == block && reader.thread / kWarpSize == warp) return;
    }
    if (free != nullptr) *free = mark(agent, each, false);
    else if (cell.reads[0].strength != Strength::Weak || cell.reads[1].strength != Strength::Weak) lane(agent, each);
  });
}

namespace {

/// The bytes that a lane stores from `offset` on, up to four.
uint32_t stored_value(const sim::WarpEvent& event, uint32_t lane, uint32_t offset, uint32_t bytes) {
  const sim::LoadStorePayload& store = event.insn.load_store();
  const uint32_t element = store.access.element_bytes;
  uint32_t value = 0;
  const std::byte* row = store.data[offset / element].in(event.warp().values);
  std::memcpy(&value, row + size_t{lane} * store.register_bytes + offset % element, std::min(bytes, element));
  return value;
}

/// The word of a store, four bytes or fewer; its elements may be smaller.
uint32_t stored_word(const SpaceAccess& access, uint32_t lane, uint32_t offset) {
  const uint32_t word = std::min(access.bytes, 4u);
  const uint32_t part = std::min<uint32_t>(access.event.insn.load_store().access.element_bytes, word);
  uint32_t value = 0;
  for (uint32_t at = 0; at < word; at += part) value |= stored_value(access.event, lane, offset + at, part) << (8 * at);
  return value;
}

/// The offset of the first word in which the stores of two lanes differ; 0 if they are equal.
uint32_t first_difference(const SpaceAccess& access, uint32_t lane, uint32_t other) {
  for (uint32_t at = 0; at < access.bytes; at += 4)
    if (stored_word(access, lane, at) != stored_word(access, other, at)) return at;
  return 0;
}

}  // namespace

/// Lanes of a store at whose address an earlier lane stores as well: which value stays is undefined.
uint32_t Racecheck::doubled_stores(const Agent& agent) {
  const SpaceAccess& access = agent.access;
  Addr next = 0;  // the least address that keeps them rising
  bool rising = true;
  sim::for_lanes_of(access.lanes, [&](uint32_t lane) {
    rising = rising && access.addresses[lane] >= next;
    next = access.addresses[lane] + 1;
  });
  if (rising) return 0;
  uint32_t doubled = 0;
  std::array<uint32_t, 64> lanes_of{};  // by a hash of the address
  sim::for_lanes_of(access.lanes, [&](uint32_t lane) {
    const Addr address = access.addresses[lane];
    uint32_t& here = lanes_of[address / access.bytes % lanes_of.size()];
    for (uint32_t rest = here; rest != 0; rest &= rest - 1) {
      auto other = static_cast<uint32_t>(std::countr_zero(rest));
      if (access.addresses[other] != address) continue;
      doubled |= 1u << lane;
      const uint32_t at = first_difference(access, lane, other);
      report(agent, lane, {mark(agent, other, true), true, stored_word(access, other, at)},
             stored_word(access, lane, at));
      break;
    }
    here |= 1u << lane;
  });
  return doubled;
}

void Racecheck::lane(const Agent& agent, uint32_t lane) {
  const SpaceAccess& access = agent.access;
  const Addr begin = access.addresses[lane];
  const bool writes = access.writes(), has_value = access.has_value();
  if (access.bytes < 4) {
    RaceShadow::Bytes& bytes = agent.shadow.bytes_of(begin);
    const uint32_t value = writes && has_value ? stored_word(access, lane, 0) : 0;
    for (uint32_t i = 0; i < access.bytes; ++i) {
      Cell& cell = bytes[(begin + i) % 4];
      if (!writes) read(agent, cell, lane);
      else if (write(agent, cell, lane, value >> (8 * i) & 0xff)) break;
    }
    return;
  }
  for (uint32_t at = 0; at < access.bytes; at += 4) {
    Cell& cell = agent.shadow.word(begin + at);
    const uint32_t value = writes && has_value ? stored_word(access, lane, at) : 0;
    if (cell.split == 0) {
      if (writes) write(agent, cell, lane, value);
      else read(agent, cell, lane);
      continue;
    }
    RaceShadow::Bytes& bytes = agent.shadow.bytes_of(begin + at);
    for (uint32_t i = 0; i < 4; ++i) {
      if (!writes) read(agent, bytes[i], lane);
      else if (write(agent, bytes[i], lane, value >> (8 * i) & 0xff)) break;
    }
  }
}

namespace {

std::optional<uint32_t> value_of(const Cell& cell) {
  return cell.write.has_value ? std::optional(cell.value) : std::nullopt;
}

}  // namespace

void Racecheck::read(const Agent& agent, Cell& cell, uint32_t lane) {
  const Mark& first = cell.reads[0];
  if (first.time == agent.clock.time && is_own(agent, first, lane) && first.strength == agent.order.strength) return;
  if (conflicts(agent, cell.write, lane)) [[unlikely]]
    report(agent, lane, {cell.write, true, value_of(cell)}, std::nullopt);
  const Mark own = mark(agent, lane, false);
  for (Mark& known : cell.reads)
    if (known.time != 0 && is_own(agent, known, lane)) {
      known = own;
      return;
    }
  for (Mark& known : cell.reads)
    if (known.time == 0 || is_ordered(agent, known, lane)) {
      known = own;
      return;
    }
  if (own.strength == Strength::Weak && cell.reads[1].strength != Strength::Weak) cell.reads[1] = own;
}

bool Racecheck::write(const Agent& agent, Cell& cell, uint32_t lane, uint32_t value) {
  const bool has_value = agent.access.has_value();
  const std::optional<uint32_t> own = has_value ? std::optional(value) : std::nullopt;
  bool found = conflicts(agent, cell.write, lane);
  if (found) [[unlikely]]
    report(agent, lane, {cell.write, true, value_of(cell)}, own);
  for (const Mark& reader : cell.reads) {
    if (found || !conflicts(agent, reader, lane)) continue;
    found = true;
    report(agent, lane, {reader, false, std::nullopt}, own);
  }
  cell.write = mark(agent, lane, has_value);
  cell.reads = {};
  cell.value = value;
  return found;
}

/// What strong accesses hand over: a fence before a strong write, and one after a strong read of it.
void Racecheck::synchronise(const Agent& agent, uint32_t lane) {
  auto& variables = agent.shadow.variables();
  const Addr address = agent.access.addresses[lane];
  const Order& order = agent.order;
  const bool strong = order.strength != Strength::Weak;
  BlockClock& clock = agent.clock;
  if (strong && agent.access.reads()) {
    auto found = variables.find(address);
    if (found != variables.end()) {
      const SyncVariable& variable = found->second;
      FenceClocks& own = clock.fences_of(agent.warp);
      own.pending_device.join(variable.device);
      if (variable.in_block == clock.block) own.pending_block.join(variable.block);
      const bool on_device = order.strength == Strength::OnDevice;
      if (order.acquires && on_device) clock.learn(agent.warp, 1u << lane, own.pending_device);
      if (order.acquires) clock.learn(agent.warp, 1u << lane, own.pending_block);
    }
  }
  if (!agent.access.writes()) return;
  if (order.releases) clock.fence(agent.warp, 1u << lane, order.strength == Strength::OnDevice);
  const bool hands_over = strong && clock.has_fences() && !clock.fences(agent.warp).release_block.empty();
  if (!hands_over) {
    if (!agent.access.is_atomic()) variables.erase(address);
    return;
  }
  SyncVariable& variable = variables[address];
  if (!agent.access.is_atomic()) variable = {};
  if (order.strength == Strength::OnDevice) variable.device.join(clock.fences(agent.warp).release_device);
  if (variable.in_block != clock.block) variable.block.clear();
  variable.in_block = clock.block;
  variable.block.join(clock.fences(agent.warp).release_block);
}

void Racecheck::report(const Agent& agent, uint32_t lane, const RaceSide& other, std::optional<uint32_t> value) {
  const SpaceAccess& access = agent.access;
  report_race(findings_, *launch_,
              {.first = other,
               .second = {mark(agent, lane, value.has_value()), access.writes(), value},
               .space = access.space,
               .address = access.addresses[lane],
               .element_bytes = access.element_bytes()});
}

}  // namespace warptime::debug
