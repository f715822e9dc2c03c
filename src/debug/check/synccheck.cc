#include "debug/check/synccheck.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "debug/check/code_paths.h"
#include "debug/check/space_access.h"
#include "debug/check/variables.h"
#include "ptx/user/demangle.h"
#include "sim/exec/member_masks.h"
#include "sim/gpu/fault_text.h"
#include "sim/gpu/wait_chain.h"

namespace warptime::debug {

using sim::kWarpSize;

namespace {

std::string mask_text(uint32_t mask) { return fmt::format("{:#010x}", mask); }

uint32_t first_of(uint32_t lanes) { return static_cast<uint32_t>(std::countr_zero(lanes)); }

/// The lanes of a warp that the launch gave threads.
uint32_t started_lanes(const sim::LaunchContext& launch, uint32_t index_in_block) {
  const uint32_t threads = launch.threads_per_block - index_in_block * kWarpSize;
  return threads >= kWarpSize ? sim::kFullMask : (1u << threads) - 1;
}

uint64_t exited_threads(const sim::WarpEvent& event) {
  const sim::LaunchContext& launch = event.sm.launch();
  const uint32_t first = event.slot - event.warp().index_in_block;
  uint64_t exited = 0;
  for (uint32_t i = 0; i < launch.warps_per_block; ++i) {
    const sim::Warp& warp = event.sm.warp(first + i);
    const uint32_t staying = warp.resident ? event.sm.staying_lanes(warp) : 0;
    exited += static_cast<uint64_t>(std::popcount(started_lanes(launch, i) & ~staying));
  }
  return exited;
}

/// "line 5", of the CUDA source where there is one.
std::string line_of(const ptx::Instruction& instruction) {
  return fmt::format("line {}", instruction.source_line != 0 ? instruction.source_line : instruction.line);
}

/// The variable of shared memory that is used next to a barrier: before it, else behind it.
std::string variable_near(const sim::LaunchContext& launch, uint32_t pc) {
  const MeantVariables meant(launch);
  auto name_at = [&](uint32_t at) {
    const ptx::Symbol* symbol = meant.of(at);
    return symbol != nullptr && symbol->space == ptx::Space::Shared ? ptx::short_name(symbol->name) : std::string();
  };
  const auto count = static_cast<uint32_t>(launch.kernel->kernel->instructions.size());
  for (uint32_t at = pc; at-- > 0;)
    if (std::string name = name_at(at); !name.empty()) return name;
  for (uint32_t at = pc; at < count; ++at)
    if (std::string name = name_at(at); !name.empty()) return name;
  return {};
}

/// A barrier that some threads do not reach: which branch keeps them from it.
void explain_barrier(Finding& finding, const sim::LaunchContext& launch, uint32_t pc, bool have_exited) {
  const ptx::Kernel& kernel = *launch.kernel->kernel;
  finding.variable = variable_near(launch, pc);
  const CodePaths paths(kernel);
  auto branch = have_exited ? paths.early_exit(pc) : paths.guarding_branch(pc);
  if (!branch) branch = have_exited ? paths.guarding_branch(pc) : paths.early_exit(pc);
  if (!branch) return;
  finding.remedy = fmt::format(
      "the condition in {} around the accesses alone, without a return, so that all threads of the block reach the "
      "barrier",
      line_of(kernel.instructions[*branch]));
}

}  // namespace

void Synccheck::begins(const sim::LaunchContext& launch) {
  launch_ = &launch;
  has_masks_ = false;
  is_aligned_.clear();
  is_divergent_.assign(launch.kernel->insns.size(), false);
  for (const ptx::Instruction& instruction : launch.kernel->kernel->instructions)
    is_aligned_.push_back(instruction.card->card->name == "bar" || instruction.mods.has(ptx::Mod::Aligned));
  for (const sim::Insn& insn : launch.kernel->insns)
    has_masks_ = has_masks_ || insn.payload == sim::Payload::MemberMask;
  sms_.clear();
  waiting_.clear();
  parked_.clear();
}

void Synccheck::starts(const sim::SmState& sm, uint64_t slots) {
  if (std::find(sms_.begin(), sms_.end(), &sm) == sms_.end()) sms_.push_back(&sm);
  if (waiting_.size() < size_t{sm.index() + 1} * sm.warp_slots())
    waiting_.resize(size_t{sm.index() + 1} * sm.warp_slots());
  parked_.resize(waiting_.size());
  forget_parked(sm, slots);
  for (; slots != 0; slots &= slots - 1)
    waiting_[size_t{sm.index()} * sm.warp_slots() + static_cast<uint32_t>(std::countr_zero(slots))].clear();
}

void Synccheck::executes(const sim::WarpEvent& event) {
  if (event.lanes == 0) return;
  if (event.insn.effect == ptx::Effect::Barrier) barrier(event);
  else if (event.insn.payload == sim::Payload::MemberMask) member_mask(event);
}

void Synccheck::barrier(const sim::WarpEvent& event) {
  if (!is_aligned_[event.pc]) return;
  const uint32_t staying = event.sm.staying_lanes(event.warp());
  if (!event.sm.independent_lanes()) {
    if (event.lanes != staying) divergent(event, event.pc, event.lanes, staying & ~event.lanes);
    return;
  }
  std::vector<Parked>& parked = parked_[index_of(event)];
  uint32_t all = event.lanes;
  for (const Parked& others : parked) {
    if (others.pc != event.pc) divergent(event, event.pc, event.lanes, others.lanes);
    all |= others.lanes;
  }
  parked.push_back({event.pc, event.lanes});
  if (all == staying && event.insn.barrier().kind == sim::BarrierKind::Arrive) parked.clear();
}

/// `lanes` are at the barrier at `pc`, and the others are not.
void Synccheck::divergent(const sim::WarpEvent& event, uint32_t pc, uint32_t lanes, uint32_t others) {
  is_divergent_[pc] = true;
  if (!findings_.is_new(Kind::DivergentBarrier, *launch_, pc)) return;
  Finding finding =
      finding_at(Kind::DivergentBarrier, {event.sm, event.slot, pc, event.sm.insn(pc), lanes}, first_of(lanes));
  finding.message = "a barrier in divergent code: some threads of the warp do not reach it";
  finding.hint =
      fmt::format("lanes {} are at the barrier, lanes {} are not", sim::lane_list(lanes), sim::lane_list(others));
  explain_barrier(finding, *launch_, pc, false);
  findings_.add(std::move(finding));
}

void Synccheck::mask_names_exited(const sim::WarpEvent& event, uint32_t pc, uint32_t mask, uint32_t lane,
                                  uint32_t exited) {
  if (!findings_.is_new(Kind::SyncMask, *launch_, pc)) return;
  const sim::WarpEvent there{event.sm, event.slot, pc, event.sm.insn(pc), 1u << lane};
  Finding finding = finding_at(Kind::SyncMask, there, lane);
  finding.message = fmt::format("the member mask {} names threads that have exited", mask_text(mask));
  finding.hint = fmt::format("the threads are lanes {} of the warp", sim::lane_list(exited));
  findings_.add(std::move(finding));
}

void Synccheck::member_mask(const sim::WarpEvent& event) {
  const sim::Warp& warp = event.warp();
  const uint32_t live = warp.stack.live();
  const uint32_t exited = started_lanes(*launch_, warp.index_in_block) & ~live;
  for_member_groups(warp.values, event.insn, event.lanes, [&](uint32_t mask, uint32_t group) {
    if (uint32_t left_out = group & ~mask; left_out != 0) {
      if (!findings_.is_new(Kind::SyncMask, *launch_, event.pc)) return;
      Finding finding = finding_at(Kind::SyncMask, event, first_of(left_out));
      finding.message =
          fmt::format("the member mask {} does not name the thread that executes the instruction", mask_text(mask));
      finding.hint = fmt::format("lanes {} execute it; the mask does not name {}", sim::lane_list(group),
                                 sim::lane_list(left_out));
      findings_.add(std::move(finding));
      return;
    }
    if ((mask & exited) != 0) mask_names_exited(event, event.pc, mask, first_of(group), mask & exited);
    if (!event.sm.independent_lanes()) return;
    std::vector<Waiting>& others = waiting_[index_of(event)];
    auto same = [mask](const Waiting& w) { return w.mask == mask; };
    uint32_t arrived = group;
    for (const Waiting& w : others) arrived |= same(w) ? w.arrived : 0;
    if ((mask & live & ~arrived) == 0) std::erase_if(others, same);
    else others.push_back({event.pc, mask, group});
  });
}

void Synccheck::exits(const sim::WarpEvent& event) {
  for (const Parked& others : parked_[index_of(event)]) divergent(event, others.pc, others.lanes, event.lanes);
  for (const Waiting& w : waiting_[index_of(event)])
    if ((w.mask & event.lanes) != 0) mask_names_exited(event, w.pc, w.mask, first_of(w.arrived), w.mask & event.lanes);
}

void Synccheck::arrived(const sim::WarpEvent& event, const sim::SmState::Arrival& arrival) {
  if (arrival.released == 0) return;
  if (event.sm.barrier_use(event.warp(), event.lanes, event.insn).threads == 0) released(event, arrival.released);
  forget_parked(event.sm, arrival.released);
}

void Synccheck::exited(const sim::WarpEvent& event, const sim::SmState::Exited& exited) {
  if (exited.released != 0) {
    if (barrier_of_waiting(event.sm, exited.released).threads == 0) released(event, exited.released);
    forget_parked(event.sm, exited.released);
  }
  const uint32_t live = event.warp().stack.live();
  if (exited.warp_done) parked_[index_of(event)].clear();
  if (exited.warp_done) return waiting_[index_of(event)].clear();
  // Groups that are complete without the lanes that have exited go on.
  std::vector<Waiting>& all = waiting_[index_of(event)];
  const std::vector<Waiting> before = all;
  std::erase_if(all, [&](const Waiting& each) {
    uint32_t here = 0;
    for (const Waiting& w : before) here |= w.mask == each.mask ? w.arrived : 0;
    return (each.mask & live & ~here) == 0;
  });
}

void Synccheck::forget_parked(const sim::SmState& sm, uint64_t slots) {
  for (; slots != 0; slots &= slots - 1)
    parked_[size_t{sm.index()} * sm.warp_slots() + static_cast<uint32_t>(std::countr_zero(slots))].clear();
}

/// A barrier of the whole block has released these warps.
void Synccheck::released(const sim::WarpEvent& event, uint64_t slots) {
  const uint64_t exited = exited_threads(event);
  if (exited == 0) return;
  const auto slot = static_cast<uint32_t>(std::countr_zero(slots));
  const sim::Warp& warp = event.sm.warp(slot);
  const uint32_t pc = warp.barrier_pc;
  if (is_divergent_[pc]) return;  // that is what is wrong with it
  if (!findings_.is_new(Kind::BarrierExited, *launch_, pc)) return;
  const uint32_t staying = event.sm.staying_lanes(warp);
  Finding finding =
      finding_at(Kind::BarrierExited, {event.sm, slot, pc, event.sm.insn(pc), staying}, first_of(staying));
  finding.message = fmt::format("a barrier of the whole block, of which {} of {} threads have exited", exited,
                                launch_->threads_per_block);
  finding.hint = "all threads of the block must reach the barrier: guard the work, not the barrier";
  explain_barrier(finding, *launch_, pc, true);
  findings_.add(std::move(finding));
}

void Synccheck::explain(Finding& deadlock) const {
  for (const sim::SmState* sm : sms_)
    for (uint32_t slot = 0; slot < sm->warp_slots(); ++slot) {
      const sim::Warp& warp = sm->warp(slot);
      if (!warp.resident || warp.barrier == sim::kNoBarrier) continue;
      const sim::WaitingLanes at = sim::lanes_at_barrier(*sm, warp).front();
      const sim::WarpEvent there{*sm, slot, at.pc, sm->insn(at.pc), at.lanes};
      Finding finding = finding_at(Kind::Deadlock, there, first_of(at.lanes));
      finding.message = deadlock.message;
      finding.hint = deadlock.hint;
      deadlock = std::move(finding);
      return;
    }
}

}  // namespace warptime::debug
