#include "debug/check/lockstep_notes.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "debug/check/code_paths.h"
#include "debug/check/variables.h"
#include "sim/exec/member_masks.h"
#include "sim/exec/memory_values.h"

namespace warptime::debug {

using ptx::Effect, ptx::Mod, ptx::Space;
using sim::kWarpSize;

namespace {

Effect effect_at(const ptx::Kernel& kernel, uint32_t pc) {
  const ptx::Instruction& instruction = kernel.instructions[pc];
  return effect_of(*instruction.card->card, *instruction.form);
}

}  // namespace

void LockstepExchange::begins(const sim::LaunchContext& launch) {
  launch_ = &launch;
  is_on_ = launch.machine->sm.reconvergence != sim::Reconvergence::independent && launch.shared_bytes != 0;
  words_.clear();
  lanes_.clear();
  named_.clear();
  meets_lanes_.clear();
  for (const ptx::Instruction& instruction : launch.kernel->kernel->instructions)
    meets_lanes_.push_back(is_barrier(instruction, true) && !is_barrier(instruction, false));
}

void LockstepExchange::starts(const sim::SmState& sm, uint64_t slots) {
  if (!is_on_) return;
  const auto first = static_cast<uint32_t>(std::countr_zero(slots));
  const size_t block = size_t{sm.index()} * launch_->blocks_per_sm + sm.warp(first).slot_of_block;
  if (words_.size() <= block) words_.resize(block + 1);
  words_[block].assign(launch_->shared_bytes, {});
  const size_t most = (size_t{sm.index()} + 1) * sm.warp_slots();
  if (lanes_.size() < most) lanes_.resize(most);
  for (uint64_t rest = slots; rest != 0; rest &= rest - 1)
    lanes(sm, static_cast<uint32_t>(std::countr_zero(rest))) = {};
}

void LockstepExchange::released(const sim::SmState& sm, uint64_t slots) {
  if (!is_on_) return;
  ++time_;
  for (; slots != 0; slots &= slots - 1) lanes(sm, static_cast<uint32_t>(std::countr_zero(slots))).all = time_;
}

void LockstepExchange::executes(const sim::WarpEvent& event) {
  if (!is_on_ || event.lanes == 0 || event.pc >= meets_lanes_.size() || !meets_lanes_[event.pc]) return;
  const uint32_t live = event.warp().stack.live();
  for_member_groups(event.warp().values, event.insn, event.lanes, [&](uint32_t mask, uint32_t group) {
    lanes(event.sm, event.slot).arrive(mask, group, live, time_);
  });
}

void LockstepExchange::check(const SpaceAccess& access) {
  if (!is_on_ || access.space != Space::Shared || access.is_atomic()) return;
  const sim::SmState& sm = access.event.sm;
  const sim::Warp& warp = access.event.warp();
  std::vector<Word>& words = words_[size_t{sm.index()} * launch_->blocks_per_sm + warp.slot_of_block];
  const LaneClocks& clocks = lanes(sm, access.event.slot);
  const uint32_t step = access.bytes < 4 ? 1 : 4;
  sim::for_lanes_of(access.lanes, [&](uint32_t lane) {
    const Mark own{time_, access.event.pc, static_cast<uint16_t>(warp.index_in_block * kWarpSize + lane)};
    // An access of another lane of the warp, and no barrier since.
    auto is_foreign = [&](const Mark& mark) {
      return mark.time != 0 && mark.thread / kWarpSize == warp.index_in_block &&
             !clocks.knows(lane, mark.thread % kWarpSize, mark.time);
    };
    for (uint32_t at = 0; at < access.bytes; at += step) {
      Word& word = words[access.addresses[lane] + at];
      if (is_foreign(word.write) && word.write.pc != own.pc) report(access, lane, word.write);
      if (access.writes()) {
        for (const Mark& read : word.reads)
          if (is_foreign(read)) report(access, lane, read);
        word = {own, {}};
      } else if (!is_foreign(word.reads[0])) {
        word.reads[0] = own;
      } else {
        word.reads[1] = own;
      }
    }
  });
}

void LockstepExchange::report(const SpaceAccess& access, uint32_t lane, const Mark& other) {
  const Addr address = access.addresses[lane];
  const auto variable = variable_at(*launch_, Space::Shared, address);
  const std::string name = variable ? variable->name : std::string();
  if (!named_.insert(name).second) return;
  const sim::WarpEvent& event = access.event;
  if (!findings_.is_new(Kind::WarpSynchronous, *launch_, event.pc, 1, name)) return;
  Finding finding = finding_at(Kind::WarpSynchronous, event, lane);
  finding.address = address;
  finding.buffer = name;
  if (variable) finding.variable = element_of(*variable, address, access.element_bytes());
  finding.other =
      other_access(*launch_, other.pc, event.sm.block_of(event.warp()).index, other.thread, finding.variable);
  const bool has_source = finding.cuda_line != 0 && finding.other->cuda_line != 0;
  const uint32_t here = has_source ? finding.cuda_line : finding.place.line;
  const uint32_t there = has_source ? finding.other->cuda_line : finding.other->place.line;
  finding.message =
      "lanes of a warp exchange values with no barrier between: right on this machine, where they run in "
      "lockstep, a race from compute capability 7.0 on";
  finding.hint = fmt::format("the other access is in line {}", there);
  finding.remedy = here == there ? fmt::format("__syncwarp() between the accesses in line {}", here)
                                 : fmt::format("__syncwarp() between lines {} and {}, and behind each such step",
                                               std::min(here, there), std::max(here, there));
  findings_.add(std::move(finding));
}

void WarpSpins::begins(const sim::LaunchContext& launch) {
  launch_ = &launch;
  const ptx::Kernel& kernel = *launch.kernel->kernel;
  loops_.assign(kernel.instructions.size(), {});
  if (launch.machine->sm.reconvergence != sim::Reconvergence::independent) return;
  for (uint32_t pc = 0; pc < kernel.instructions.size(); ++pc) {
    const sim::Insn& insn = launch.kernel->insns[pc];
    if (insn.effect != Effect::Branch || insn.branch().target > pc) continue;
    Loop loop{insn.branch().target};
    uint32_t locks = 0, others = 0;
    for (uint32_t at = loop.begin; at <= pc; ++at) {
      const ptx::ModSet& mods = kernel.instructions[at].mods;
      const Effect effect = effect_at(kernel, at);
      const bool is_lock = effect == Effect::Atomic && (mods.has(Mod::Cas) || mods.has(Mod::Exch));
      if (is_lock) loop.lock = at;
      locks += uint32_t{is_lock};
      others += uint32_t{!is_lock && (effect == Effect::Atomic || effect == Effect::Store ||
                                      effect == Effect::Barrier || effect == Effect::Call)};
    }
    if (locks == 1 && others == 0) loops_[pc] = loop;
  }
}

void WarpSpins::executes(const sim::WarpEvent& event) {
  if (event.insn.effect != Effect::Branch || event.lanes == 0 || event.pc >= loops_.size()) return;
  const Loop& loop = loops_[event.pc];
  if (loop.begin == ptx::kNoIndex) return;
  uint32_t gone = 0;
  event.warp().stack.for_each_place([&](uint32_t pc, uint32_t lanes) {
    if (pc < loop.begin || pc > event.pc) gone |= lanes;
  });
  if (gone == 0) return;
  const auto lane = static_cast<uint32_t>(std::countr_zero(event.lanes));
  std::array<Addr, kWarpSize> addresses{};
  const sim::Insn& lock = event.sm.insn(loop.lock);
  lane_addresses(event.warp().values, lock.access().address, event.lanes, addresses);
  const Space space = lock.access().space == Space::Shared ? Space::Shared : Space::Global;
  const std::string name = element_at(*launch_, space, addresses[lane], lock.access().element_bytes);
  if (!findings_.is_new(Kind::SpinWithinWarp, *launch_, loop.lock, 1, name)) return;
  Finding finding = finding_at(Kind::SpinWithinWarp, {event.sm, event.slot, loop.lock, lock, event.lanes}, lane);
  finding.variable = name;
  finding.message =
      "lanes wait in this loop for a lane of their warp that has left it: where lanes run in lockstep "
      "(compute capability up to 6.x) it never ends";
  finding.hint = fmt::format("lane {} waits, lane {} has left the loop", lane, std::countr_zero(gone));
  findings_.add(std::move(finding));
}

}  // namespace warptime::debug
