#include "sim/gpu/wait_chain.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include "base/plural.h"
#include "ptx/user/user_lines.h"
#include "ptx/user/variables.h"
#include "sim/exec/memory_values.h"
#include "sim/gpu/fault_text.h"

namespace warptime::sim {

using ptx::Effect;

namespace {

constexpr size_t kMostLinks = 12;

/// Lanes of the warp that are not at its next instruction, by where they wait.
std::vector<WaitingLanes> lanes_behind(const Warp& warp, bool independent) {
  std::vector<WaitingLanes> out;
  auto add = [&](uint32_t pc, uint32_t lanes) { out.push_back({pc, lanes}); };
  if (independent) warp.stack.for_each_waiting(add);
  else warp.stack.for_each_place(add);
  return out;
}

bool in_loop(SpinWatch::Loop loop, uint32_t pc) { return loop.first <= pc && pc <= loop.last; }

/// Those that have left the loop.
std::vector<WaitingLanes> lanes_past(const SmState& state, const Warp& warp, SpinWatch::Loop loop) {
  std::vector<WaitingLanes> out = lanes_behind(warp, state.independent_lanes());
  std::erase_if(out, [&](const WaitingLanes& lanes) { return in_loop(loop, lanes.pc); });
  return out;
}

std::string warp_name(const SmState& state, const Warp& warp) {
  auto block = position_of(state.block_of(warp).index, warp.kernel->launch().grid);
  return fmt::format("block ({},{},{}) warp {}", block[0], block[1], block[2], warp.index_in_block);
}

std::string lanes_text(uint32_t lanes) {
  return fmt::format("lane{} {}", std::has_single_bit(lanes) ? "" : "s", lane_list(lanes));
}

/// The first instruction of a loop that reads memory which others may write; nullopt: none does.
std::optional<uint32_t> polling_pc(const CompiledKernel& kernel, SpinWatch::Loop loop) {
  for (uint32_t pc = loop.first; pc <= loop.last; ++pc)
    if (may_poll(kernel.insns[pc])) return pc;
  return std::nullopt;
}

/// The word that lanes poll, as a number; empty if it is not to be read from here.
std::string polled_value(const LaunchContext& launch, const Insn& insn, Addr address) {
  const uint32_t bytes = insn.access().bytes();
  if (insn.access().space != ptx::Space::Global || bytes > 8 || launch.memory->find(address, bytes) == nullptr)
    return {};
  uint64_t value = 0;
  std::memcpy(&value, launch.memory->at(address), bytes);
  return value < 10'000 ? fmt::format("{}", value) : fmt::format("{:#x}", value);
}

}  // namespace

/// Whether an instruction of the loop writes the register that `of` has its address in.
bool writes_address(const CompiledKernel& kernel, SpinWatch::Loop loop, const Insn& of) {
  const RowRef base = of.access().address.base;
  if (!base.is_register()) return false;
  uint32_t row = base.offset() / kRowBytes;
  for (uint32_t pc = loop.first; pc <= loop.last; ++pc)
    for (size_t i = 0; i < kernel.insns[pc].native.write_count; ++i)
      if (kernel.native.write(kernel.insns[pc].native, i) == row) return true;
  return false;
}

bool may_poll(const Insn& insn) {
  if (insn.effect != Effect::Load && insn.effect != Effect::Atomic) return false;
  const ptx::Space space = insn.access().space;
  return space == ptx::Space::Global || space == ptx::Space::Shared || space == ptx::Space::None ||
         space == ptx::Space::Generic;
}

std::vector<WaitingLanes> lanes_at_barrier(const SmState& state, const Warp& warp) {
  std::vector<WaitingLanes> out;
  if (state.independent_lanes())
    warp.stack.for_each_waiting([&](uint32_t pc, uint32_t lanes) { out.push_back({pc, lanes}); });
  // Those that only arrived at another barrier have gone on.
  std::stable_sort(out.begin(), out.end(), [](const WaitingLanes& a, const WaitingLanes& b) { return a.pc < b.pc; });
  if (out.empty()) out.push_back({warp.barrier_pc, warp.stack.live()});
  return out;
}

std::string line_text(const LaunchContext& launch, uint32_t pc) {
  const ptx::Instruction* instruction = launch.instruction(pc);
  if (instruction == nullptr) return "the end of the kernel";
  const std::string user = short_place(ptx::UserLines(*launch.kernel->module).of(instruction->location));
  return user.empty() ? fmt::format("PTX line {}", instruction->line) : user;
}

std::string address_text(const LaunchContext& launch, const Insn& insn, Addr address) {
  const AccessPayload& access = insn.access();
  std::string name;
  if (const DeviceMemory::Allocation* in =
          access.space == ptx::Space::Global ? launch.memory->find(address, access.bytes()) : nullptr)
    name = ptx::element_text(in->name, address - in->begin, in->bytes, access.element_bytes);
  if (access.space == ptx::Space::Shared)
    if (const ptx::Symbol* symbol =
            ptx::variable_at(*launch.kernel->module, *launch.kernel->kernel, ptx::Space::Shared, address))
      name = ptx::element_text(symbol->name, address - symbol->offset, symbol->size, access.element_bytes);
  if (!name.empty()) return fmt::format("{} at {:#x}", name, address);
  return fmt::format("{}address {:#x}", access.space == ptx::Space::Shared ? "shared " : "", address);
}

std::optional<SpinWatch::Loop> WaitChain::loop_of(const Link& link) const {
  const Sm& sm = sms_[link.sm];
  if (sm.watch == nullptr || warp(link).barrier != kNoBarrier) return std::nullopt;
  SpinWatch::Loop loop = sm.watch->loop(link.slot);
  const auto last = static_cast<uint32_t>(sm.state->launch_of(link.slot).kernel->insns.size()) - 1;
  return SpinWatch::Loop{std::min(loop.first, last), std::min(loop.last, last)};
}

std::optional<WaitChain::Link> WaitChain::first() const {
  for (size_t i = 0; i < sms_.size(); ++i)
    for (uint32_t slot = 0; slot < sms_[i].state->warp_slots(); ++slot)
      if (Link link{i, slot, false}; warp(link).resident && (warp(link).barrier != kNoBarrier || loop_of(link)))
        return link;
  return std::nullopt;
}

/// Threads that have left the loop which `from` repeats: lanes that lockstep holds back, then warps that wait at a
/// barrier behind it or poll something else there.
std::optional<WaitChain::Link> WaitChain::past_the_loop(const Link& from) const {
  const SpinWatch::Loop loop = *loop_of(from);
  const uint64_t block = sms_[from.sm].state->block_of(warp(from)).index;
  auto is_past = [&](const Link& link, bool held) {
    const Warp& other = warp(link);
    const std::optional<SpinWatch::Loop> own = loop_of(link);
    if (held) return own && own->first == loop.first && !lanes_past(*sms_[link.sm].state, other, loop).empty();
    return own ? own->first > loop.last : other.barrier != kNoBarrier && other.barrier_pc > loop.last;
  };
  if (is_past(from, true)) return Link{from.sm, from.slot, true};
  for (bool held : {true, false})
    for (bool same_block : {true, false})
      for (size_t i = 0; i < sms_.size(); ++i)
        for (uint32_t slot = 0; slot < sms_[i].state->warp_slots(); ++slot) {
          const Link link{i, slot, held};
          if (!warp(link).resident || (sms_[i].state->block_of(warp(link)).index == block) != same_block) continue;
          if (is_past(link, held)) return link;
        }
  return std::nullopt;
}

std::optional<WaitChain::Link> WaitChain::next(const Link& link) const {
  if (link.held) return Link{link.sm, link.slot, false};
  if (loop_of(link)) return past_the_loop(link);
  const SmState& state = *sms_[link.sm].state;
  const Warp& waiting = warp(link);
  if (waiting.barrier >= ptx::kBarriers) return std::nullopt;
  const ResidentBlock& block = state.block_of(waiting);
  for (uint64_t rest = block.warps & ~block.barriers[waiting.barrier].waiting; rest != 0; rest &= rest - 1)
    if (Link other{link.sm, static_cast<uint32_t>(std::countr_zero(rest)), false}; other != link) return other;
  return std::nullopt;
}

std::string WaitChain::barrier_text(const Link& link) const {
  const SmState& state = *sms_[link.sm].state;
  const Warp& at = warp(link);
  const LaunchContext& launch = at.kernel->launch();
  const std::string name = warp_name(state, at);
  if (at.barrier == kNoBarrier) return fmt::format("{} is at {}", name, line_text(launch, at.stack.pc()));
  const std::vector<WaitingLanes> places = lanes_at_barrier(state, at);
  if (at.barrier == kMembers || at.barrier == kWholeWarp)
    return fmt::format("{} waits for the {} at {}", name,
                       at.barrier == kMembers ? "lanes of its member mask" : "other lanes of the warp",
                       line_text(launch, places.front().pc));
  if (places.size() > 1) {
    std::string out;
    for (const WaitingLanes& lanes : places) {
      const uint32_t barrier = state.barrier_use(at, lanes.lanes, at.code[lanes.pc]).barrier;
      out += fmt::format("{}{} wait{} at barrier {} ({})", out.empty() ? "" : ", ", lanes_text(lanes.lanes),
                         std::has_single_bit(lanes.lanes) ? "s" : "", barrier, line_text(launch, lanes.pc));
    }
    return fmt::format("{}: {}", name, out);
  }
  const ResidentBlock& block = state.block_of(at);
  const Barrier& barrier = block.barriers[at.barrier];
  std::string out = fmt::format("{} waits at barrier {} ({})", name, at.barrier, line_text(launch, places.front().pc));
  if (barrier.arrivals == 0) return out + " for other lanes of the warp";
  if (barrier.expected != 0)
    return out +
           fmt::format(" for {}; {} have arrived", plural(barrier.expected, "thread"), barrier.arrivals * kWarpSize);
  return out + fmt::format(" for all warps of its block; {} of {} have arrived", barrier.arrivals,
                           std::popcount(block.warps));
}

std::string WaitChain::loop_text(const Link& link, SpinWatch::Loop loop) const {
  const SmState& state = *sms_[link.sm].state;
  const LaunchContext& launch = state.launch_of(link.slot);
  const Warp& in = warp(link);
  const uint32_t active = in.stack.active();
  std::string out = warp_name(state, in);
  if (active != in.stack.live()) out += " " + lanes_text(active);
  const std::optional<uint32_t> pc = polling_pc(*launch.kernel, loop);
  out += fmt::format(" repeat{} {}", active == in.stack.live() || std::has_single_bit(active) ? "s" : "",
                     line_text(launch, pc.value_or(loop.first)));
  if (!pc || writes_address(*launch.kernel, loop, launch.kernel->insns[*pc])) return out;
  const Insn& insn = launch.kernel->insns[*pc];
  std::array<Addr, kWarpSize> addresses{};
  const auto lane = static_cast<uint32_t>(std::countr_zero(active));
  lane_addresses(in.values, insn.access().address, 1u << lane, addresses);
  out += fmt::format(" until {} changes", address_text(launch, insn, addresses[lane]));
  std::string value = polled_value(launch, insn, addresses[lane]);
  return value.empty() ? out : out + fmt::format(" (it is {})", value);
}

std::string WaitChain::held_text(const Link& link) const {
  const SmState& state = *sms_[link.sm].state;
  const LaunchContext& launch = state.launch_of(link.slot);
  const Warp& of = warp(link);
  const SpinWatch::Loop loop = *loop_of(link);
  const WaitingLanes held = lanes_past(state, of, loop).front();
  const std::optional<uint32_t> pc = polling_pc(*launch.kernel, loop);
  const bool one = std::has_single_bit(held.lanes);
  const bool is_lock = pc && launch.kernel->insns[*pc].effect == Effect::Atomic;
  std::string out =
      fmt::format("{} {} {}, but wait{} ", warp_name(state, of), lanes_text(held.lanes),
                  is_lock ? one ? "has left that loop and holds the lock" : "have left that loop and hold the lock"
                  : one   ? "has left that loop"
                          : "have left that loop",
                  one ? "s" : "");
  if (state.independent_lanes()) return out + fmt::format("at {}", line_text(launch, held.pc));
  return out + fmt::format("before {} until {} leave it, too: here the lanes of a warp go on together",
                           line_text(launch, held.pc), lanes_text(of.stack.active()));
}

std::string WaitChain::link_text(const Link& link) const {
  if (link.held) return held_text(link);
  const std::optional<SpinWatch::Loop> loop = loop_of(link);
  return loop ? loop_text(link, *loop) : barrier_text(link);
}

/// Behind a last link that waits for no other warp.
std::string WaitChain::end_text(const Link& last) const {
  const LaunchContext& launch = sms_[last.sm].state->launch_of(last.slot);
  const bool polls = loop_of(last).has_value();
  if (polls && left_.count != 0) {
    auto block = position_of(left_.first, launch.grid);
    const bool one = left_.count == 1;
    return fmt::format(
        "{} of {} blocks {} no place (the first is block ({},{},{})): {} begins when a resident block "
        "ends\n",
        left_.count, uint64_t{launch.grid[0]} * launch.grid[1] * launch.grid[2], one ? "has" : "have", block[0],
        block[1], block[2], one ? "it" : "each");
  }
  if (polls) return "no thread is left that could change it\n";
  return warp(last).barrier < ptx::kBarriers ? "no other warp will arrive there\n" : "";
}

std::optional<uint32_t> WaitChain::first_pc() const {
  const std::optional<Link> begin = first();
  if (!begin) return std::nullopt;
  const SmState& state = *sms_[begin->sm].state;
  if (const std::optional<SpinWatch::Loop> loop = loop_of(*begin))
    return polling_pc(*state.launch_of(begin->slot).kernel, *loop).value_or(loop->first);
  return lanes_at_barrier(state, warp(*begin)).front().pc;
}

std::string WaitChain::text() const {
  std::vector<Link> links;
  std::optional<Link> link = first();
  while (link && links.size() < kMostLinks && std::find(links.begin(), links.end(), *link) == links.end()) {
    links.push_back(*link);
    link = next(*link);
  }
  std::string out;
  for (const Link& each : links) out += link_text(each) + "\n";
  if (links.empty()) return out;
  if (!link) return out + end_text(links.back());
  if (links.size() == kMostLinks) return out + "and so on\n";
  return out +
         fmt::format("each waits for the next, and the last for {}\n", warp_name(*sms_[link->sm].state, warp(*link)));
}

}  // namespace warptime::sim
