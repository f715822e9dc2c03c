#include "debug/check/undefined_lanes.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "ptx/analysis/register_uses.h"
#include "ptx/isa/cards.h"
#include "sim/exec/lanes_of_mask.h"
#include "sim/exec/memory_values.h"
#include "sim/exec/shuffle_source.h"
#include "sim/model/address_space.h"

namespace warptime::debug {

using ptx::Effect, ptx::Mod;

namespace {

sim::Shuffle mode_of(const ptx::Instruction& shuffle) {
  if (shuffle.mods.has(Mod::Up)) return sim::Shuffle::Up;
  if (shuffle.mods.has(Mod::Down)) return sim::Shuffle::Down;
  return shuffle.mods.has(Mod::Bfly) ? sim::Shuffle::Butterfly : sim::Shuffle::Index;
}

/// The lanes that the launch gave threads.
uint32_t started_lanes(const sim::WarpEvent& event) {
  const uint32_t threads = event.sm.launch().threads_per_block - event.warp().index_in_block * sim::kWarpSize;
  return threads >= sim::kWarpSize ? sim::kFullMask : (1u << threads) - 1;
}

/// A store to memory of the thread, as unoptimised code keeps all values.
bool is_to_local(const sim::WarpEvent& event) {
  if (event.insn.effect != Effect::Store || event.lanes == 0) return false;
  const ptx::Space space = event.insn.access().space;
  if (space == ptx::Space::Local || space == ptx::Space::Param) return true;
  if (space != ptx::Space::None && space != ptx::Space::Generic) return false;
  std::array<Addr, sim::kWarpSize> addresses{};
  lane_addresses(event.warp().values, event.insn.access().address, event.lanes, addresses);
  const auto windows = sim::GenericWindows::for_address_bytes(event.sm.launch().kernel->module->address_bytes);
  return addresses[static_cast<size_t>(std::countr_zero(event.lanes))] - windows.local_base <
         sim::GenericWindows::kBytes;
}

}  // namespace

UndefinedLanes::Uses UndefinedLanes::uses_of(const ptx::Kernel& kernel, const ptx::Instruction& instruction) {
  Uses out;
  for (const ptx::Operand& operand : kernel.operands_of(instruction))
    ptx::for_each_register(
        kernel, operand, [&](uint32_t reg, bool is_written) { (is_written ? out.writes : out.reads).push_back(reg); });
  const Effect effect = effect_of(*instruction.card->card, *instruction.form);
  out.is_shuffle = ptx::is<ptx::Shfl>(instruction);
  out.is_select = ptx::is<ptx::Selp>(instruction);
  out.combines_lanes = ptx::is<ptx::Vote, ptx::Match, ptx::Redux>(instruction);
  out.is_use = effect != Effect::None && effect != Effect::Collective && effect != Effect::Nop;
  return out;
}

void UndefinedLanes::begins(const sim::LaunchContext& launch) {
  launch_ = &launch;
  uses_.clear();
  warps_.clear();
  first_.clear();
  const ptx::Kernel& kernel = *launch.kernel->kernel;
  has_shuffles_ = std::any_of(kernel.instructions.begin(), kernel.instructions.end(),
                              [](const ptx::Instruction& i) { return ptx::is<ptx::Shfl>(i); });
  if (!has_shuffles_) return;
  for (const ptx::Instruction& instruction : kernel.instructions) uses_.push_back(uses_of(kernel, instruction));
}

UndefinedLanes::WarpLanes& UndefinedLanes::warp_of(const sim::SmState& sm, uint32_t slot) {
  const size_t place = size_t{sm.index()} * sm.warp_slots() + slot;
  if (warps_.size() <= place) warps_.resize(place + 1);
  return warps_[place];
}

void UndefinedLanes::starts(const sim::SmState& sm, uint64_t slots) {
  if (!has_shuffles_) return;
  for (; slots != 0; slots &= slots - 1) {
    WarpLanes& warp = warp_of(sm, static_cast<uint32_t>(std::countr_zero(slots)));
    const size_t registers = launch_->kernel->kernel->registers.size();
    warp.undefined.assign(registers, 0);
    warp.from.assign(registers, ptx::kNoIndex);
    warp.registers = 0;
  }
}

void UndefinedLanes::executes(const sim::WarpEvent& event) {
  if (!has_shuffles_ || event.pc >= uses_.size()) return;
  const Uses& uses = uses_[event.pc];
  WarpLanes& warp = warp_of(event.sm, event.slot);
  if (warp.registers == 0 && !uses.is_shuffle) return;
  Lanes result;
  const uint32_t guard = launch_->kernel->kernel->instructions[event.pc].guard;
  if (guard != ptx::kNoIndex) result.add(warp.undefined[guard] & event.warp().stack.active(), warp.from[guard]);
  uint32_t written = event.lanes | result.lanes;
  const Lanes read = uses.is_shuffle ? shuffled(event, warp, uses) : read_by(event, warp, uses);
  result.add(read.lanes, read.from);
  if (uses.is_use) {
    if (result.lanes != 0 && !is_to_local(event)) report(event, result);
    result = {};  // what a load gives is there
  }
  for (uint32_t reg : uses.writes) set(warp, reg, written, result);
}

UndefinedLanes::Lanes UndefinedLanes::read_by(const sim::WarpEvent& event, const WarpLanes& warp,
                                              const Uses& uses) const {
  Lanes out;
  if (uses.is_select) {  // each lane takes one of the two
    const ptx::Instruction& select = launch_->kernel->kernel->instructions[event.pc];
    const auto operands = launch_->kernel->kernel->operands_of(select);
    const uint32_t chosen = event.warp().values.predicates[event.insn.src[2].bits];
    auto add = [&](const ptx::Operand& operand, uint32_t lanes) {
      if (operand.kind != ptx::Operand::Kind::Register) return;
      out.add(warp.undefined[operand.index] & lanes & event.lanes, warp.from[operand.index]);
    };
    add(operands[1], chosen);
    add(operands[2], ~chosen);
    add(operands[3], sim::kFullMask);
    return out;
  }
  for (uint32_t reg : uses.reads)
    if (warp.undefined[reg] != 0) out.add(warp.undefined[reg] & event.lanes, warp.from[reg]);
  if (uses.combines_lanes && out.lanes != 0) out.lanes = event.lanes;
  return out;
}

UndefinedLanes::Lanes UndefinedLanes::shuffled(const sim::WarpEvent& event, const WarpLanes& warp, const Uses& uses) {
  const ptx::Instruction& shuffle = launch_->kernel->kernel->instructions[event.pc];
  const ptx::Operand& source = launch_->kernel->kernel->operands_of(shuffle)[1];
  const bool in_register = source.kind == ptx::Operand::Kind::Register;
  const sim::WarpValues& values = event.warp().values;
  const std::byte *b = event.insn.src[1].in(values), *c = event.insn.src[2].in(values);
  const bool waits = event.sm.independent_lanes() && event.insn.payload == sim::Payload::MemberMask;
  const std::byte* masks = waits ? event.insn.member_mask().mask.in(values) : nullptr;
  const uint32_t started = started_lanes(event);
  Lanes out;
  sim::for_lanes_of(event.lanes, [&](uint32_t lane) {
    const uint32_t from =
        sim::shuffle_source(mode_of(shuffle), lane, sim::lane_of<uint32_t>(b, lane), sim::lane_of<uint32_t>(c, lane))
            .from;
    const uint32_t here = waits ? sim::lane_of<uint32_t>(masks, lane) & started : event.lanes;
    if (from != lane && (here >> from & 1) == 0) {
      first_.try_emplace(event.pc, std::array<uint32_t, 2>{lane, from});
      out.add(1u << lane, event.pc);
    } else if (in_register && (warp.undefined[source.index] >> from & 1) != 0) {
      out.add(1u << lane, warp.from[source.index]);
    }
  });
  for (uint32_t reg : uses.reads)
    if (!in_register || reg != source.index) out.add(warp.undefined[reg] & event.lanes, warp.from[reg]);
  return out;
}

void UndefinedLanes::set(WarpLanes& warp, uint32_t reg, uint32_t written, const Lanes& by) {
  const uint32_t before = warp.undefined[reg];
  const uint32_t after = (before & ~written) | by.lanes;
  warp.undefined[reg] = after;
  if (by.lanes != 0) warp.from[reg] = by.from;
  warp.registers += static_cast<uint32_t>(after != 0) - static_cast<uint32_t>(before != 0);
}

void UndefinedLanes::report(const sim::WarpEvent& event, const Lanes& used) {
  const auto count = static_cast<uint64_t>(std::popcount(used.lanes));
  if (used.from == ptx::kNoIndex || !findings_.is_new(Kind::ShuffleSource, *launch_, used.from, count)) return;
  const auto lane = static_cast<uint32_t>(std::countr_zero(used.lanes));
  const sim::Warp& warp = event.warp();
  const uint64_t block = event.sm.block_of(warp).index;
  const uint32_t thread = warp.index_in_block * sim::kWarpSize + lane;
  Finding finding = finding_at(Kind::ShuffleSource, *launch_, used.from, block, thread);
  const auto [reader, source] = first_[used.from];
  finding.message =
      fmt::format("a shuffle from lane {}, which does not execute it: lane {} gets an undefined value", source, reader);
  finding.other = other_access(*launch_, event.pc, block, thread);
  const uint32_t line = finding.other->cuda_line != 0 ? finding.other->cuda_line : finding.other->place.line;
  finding.hint = fmt::format("line {} uses what it gives", line);
  const ptx::Kernel& kernel = *launch_->kernel->kernel;
  for (uint32_t reg : uses_[used.from].writes)
    if (finding.variable.empty()) finding.variable = kernel.registers[reg].name;
  finding.count = count;
  findings_.add(std::move(finding));
}

}  // namespace warptime::debug
