#include "sim/gpu/livelock.h"

#include <fmt/format.h>

#include <algorithm>

#include "sim/gpu/fault_text.h"
#include "sim/gpu/wait_chain.h"

namespace warptime::sim {

using ptx::Effect;

bool Livelock::look(uint64_t now) {
  if (!watching_) {
    begin(now);
    return false;
  }
  if (is_changed()) {
    most_looks_ = kFewestLooks;
    spacing_ = shortest_spacing_;
    stop(now);
    return false;
  }
  return all_ ? all_repeat(now) : one_repeats(now);
}

bool Livelock::is_changed() const {
  return disturbed_ || std::any_of(sms_.begin(), sms_.end(), [](const Watched& sm) { return sm.watch->changed(); });
}

void Livelock::begin(uint64_t now) {
  next_ = now + spacing_;
  if (!choose(first_)) return;
  for (const Watched& sm : sms_)
    if (!sm.watch->may_begin()) return;
  for (const Watched& sm : sms_) sm.watch->begin();
  sms_[first_.sm].watch->follow(uint64_t{1} << first_.warp);
  watching_ = true;
  disturbed_ = all_ = false;
  next_ = 0;
}

void Livelock::stop(uint64_t now) {
  for (const Watched& sm : sms_) sm.watch->end();
  watching_ = false;
  next_ = now + spacing_;
}

void Livelock::stop_in_vain(uint64_t now) {
  if (most_looks_ < kMostLooks) {
    most_looks_ *= 2;
    spacing_ *= 2;
  }
  stop(now);
}

/// The first warp from there on that is at no barrier, round the chip. False: there is none.
bool Livelock::choose(Place from) {
  for (size_t i = 0; i <= sms_.size(); ++i) {
    size_t sm = (from.sm + i) % sms_.size();
    const SmState& state = *sms_[sm].state;
    for (uint32_t slot = i == 0 ? from.warp : 0; slot < state.warp_slots(); ++slot) {
      const Warp& warp = state.warp(slot);
      if (!warp.resident || warp.barrier != kNoBarrier) continue;
      first_ = {sm, slot, warp.generation};
      return true;
    }
  }
  return false;
}

bool Livelock::one_repeats(uint64_t now) {
  const Watched& sm = sms_[first_.sm];
  const Warp& warp = sm.state->warp(first_.warp);
  if (!warp.resident || warp.generation != first_.generation || warp.barrier != kNoBarrier) {
    ++first_.warp;
    stop(now);
  } else if (sm.watch->finding(first_.warp) == SpinWatch::Finding::Repeats) {
    all_ = true;
    for (const Watched& other : sms_) other.watch->follow(~uint64_t{0});
  } else if (sm.watch->looks(first_.warp) > most_looks_) {
    stop_in_vain(now);
  }
  return false;
}

bool Livelock::all_repeat(uint64_t now) {
  bool all = true;
  for (size_t i = 0; i < sms_.size(); ++i) {
    const Watched& sm = sms_[i];
    for (uint32_t slot = 0; slot < sm.state->warp_slots(); ++slot) {
      const Warp& warp = sm.state->warp(slot);
      if (!warp.resident || sm.watch->finding(slot) != SpinWatch::Finding::Unknown) continue;
      all = false;
      if (sm.watch->looks(slot) <= most_looks_) continue;
      first_ = {i, slot, warp.generation};
      stop_in_vain(now);
      return false;
    }
  }
  return all;
}

namespace {

std::string what_it_repeats(const SmState& state, uint32_t slot, SpinWatch::Loop loop) {
  const CompiledKernel& kernel = *state.launch_of(slot).kernel;
  const auto& instructions = kernel.kernel->instructions;
  auto line = [&](uint32_t pc) { return instructions[std::min<size_t>(pc, instructions.size() - 1)].line; };
  // "line 12" of the PTX, which the sentence names before it, or "k.cu:7".
  auto place = [&](uint32_t pc) {
    std::string text = line_text(state.launch_of(slot), pc);
    return text.starts_with("PTX ") ? text.substr(4) : text;
  };
  uint32_t first = ~uint32_t{0}, last = 0;
  std::string polls;
  constexpr uint32_t kMostPolled = 3;
  uint32_t polled = 0;
  const Warp& warp = state.warp(slot);
  for (uint32_t pc = loop.first; pc <= loop.last; ++pc) {
    first = std::min(first, line(pc));
    last = std::max(last, line(pc));
    const Insn& insn = kernel.insns[pc];
    if (!may_poll(insn) || polled == kMostPolled) continue;
    polls += fmt::format("{}", polled++ == 0 ? ", polls " : ", ");
    if (writes_address(kernel, loop, insn)) {
      polls += fmt::format("memory in {}", place(pc));
      continue;
    }
    std::array<Addr, kWarpSize> addresses{};
    auto lane = static_cast<uint32_t>(std::countr_zero(warp.stack.active()));
    lane_addresses(warp.values, insn.access().address, 1u << lane, addresses);
    polls += fmt::format("{}address {:#x} ({})", insn.access().space == ptx::Space::Shared ? "shared " : "",
                         addresses[lane], place(pc));
  }
  return fmt::format("repeats PTX line{} {}{}", first == last ? "" : "s",
                     first == last ? fmt::to_string(first) : fmt::format("{}-{}", first, last), polls);
}

}  // namespace

WaitChain Livelock::chain(BlocksLeft left) const {
  WaitChain out(left);
  for (const Watched& sm : sms_) out.add(*sm.state, sm.watch);
  return out;
}

std::string Livelock::who_repeats() const {
  WarpLines lines;
  for (const Watched& sm : sms_)
    lines.add(
        *sm.state, [&](uint32_t slot) { return what_it_repeats(*sm.state, slot, sm.watch->loop(slot)); }, false);
  return lines.text();
}

}  // namespace warptime::sim
