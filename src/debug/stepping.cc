// Steps of the warp in focus.
#include <algorithm>
#include <limits>
#include <memory>
#include <utility>

#include "debug/debugger.h"

namespace warptime::debug {

using sim::ProbeEvent;

namespace {

/// The last lanes of the warp exit.
bool is_end_of_warp(const ProbeEvent& event) {
  const sim::Insn& insn = event.sm->insn(event.pc);
  return event.kind == ProbeEvent::Kind::Issued && insn.effect == ptx::Effect::Exit &&
         event.lanes == event.sm->warp(event.slot).stack.live();
}

}  // namespace

/// A step also ends with its warp.
Debugger::Goal Debugger::goal_of_step(Goal own) const {
  return [own = std::move(own)](const ProbeEvent& event) {
    auto position = own(event);
    return position || !is_end_of_warp(event) ? position : std::optional<Cycle>(event.cycle + 1);
  };
}

Stop Debugger::step_instructions(uint64_t count) {
  auto left = std::make_shared<uint64_t>(count);
  return run(kNever, goal_of_step([left](const ProbeEvent& event) -> std::optional<Cycle> {
               if (event.kind != ProbeEvent::Kind::Issued || --*left != 0) return std::nullopt;
               return event.cycle + 1;
             }));
}

Stop Debugger::step_line(Calls calls) {
  if (!is_focus_resident()) return run();
  const sim::Warp& warp = session().sm(focus_.sm)->warp(focus_.slot);
  const Line line = names_.line_of(warp.stack.pc());
  const uint32_t depth = warp.stack.calls();
  return run(kNever, goal_of_step([this, line, depth, calls](const ProbeEvent& event) -> std::optional<Cycle> {
               if (event.kind != ProbeEvent::Kind::Issues) return std::nullopt;
               uint32_t now = event.sm->warp(event.slot).stack.calls();
               bool is_end = calls == Calls::Out
                                 ? now < depth
                                 : names_.line_of(event.pc) != line && (calls == Calls::Into || now <= depth);
               return is_end ? std::optional(event.cycle) : std::nullopt;
             }));
}

Stop Debugger::until(std::function<bool(uint32_t pc)> is_there) {
  return run(kNever, goal_of_step([is_there = std::move(is_there)](const ProbeEvent& event) -> std::optional<Cycle> {
               if (event.kind != ProbeEvent::Kind::Issues || !is_there(event.pc)) return std::nullopt;
               return event.cycle;
             }));
}

Stop Debugger::step_back_instructions(uint64_t count) {
  auto before = past([count](const auto& known) { return known.size() >= count; });
  if (before.empty()) return go_to(0);
  return go_to(before[before.size() - std::min<size_t>(count, before.size())].cycle);
}

Stop Debugger::step_back_line(Calls calls) {
  const uint32_t depth = is_focus_resident() ? session().sm(focus_.sm)->warp(focus_.slot).stack.calls()
                                             : std::numeric_limits<uint32_t>::max();
  if (calls == Calls::Out) {
    auto last_call = [depth](const auto& known) {
      size_t at = known.size();
      while (at > 0 && known[at - 1].calls >= depth) --at;
      return at;  // behind it
    };
    const auto before = past([&](const auto& known) { return last_call(known) > 0; });
    const size_t at = last_call(before);
    return go_to(at == 0 ? 0 : before[at - 1].cycle);
  }
  auto own = [&](std::vector<ExecutedInstruction> known) {
    for (size_t at = known.size(); calls == Calls::Over && at > 0; --at)
      if (known[at - 1].calls > depth) known.erase(known.begin() + static_cast<ptrdiff_t>(at - 1));
    return known;
  };
  const auto before = own(past([&](const auto& known) {
    const auto mine = own(known);
    return !mine.empty() && names_.line_of(mine.front().pc) != names_.line_of(mine.back().pc);
  }));
  if (before.empty()) return go_to(0);
  const Line line = names_.line_of(before.back().pc);
  size_t first = before.size() - 1;
  while (first > 0 && names_.line_of(before[first - 1].pc) == line) --first;
  return go_to(before[first].cycle);
}

}  // namespace warptime::debug
