// `info`: the state of the machine.
#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "debug/commands/console.h"
#include "ptx/user/demangle.h"
#include "sim/core/pipes.h"
#include "sim/core/scoreboard.h"
#include "sim/core/sub_core.h"
#include "sim/core/warp_table.h"

namespace warptime::debug {

namespace {

std::string cycle_text(const sim::Wait& wait) {
  return wait.known() ? fmt::format("until cycle {}", wait.cycle()) : "until it arrives";
}

/// "256 x 1 x 1".
std::string shape_text(const std::array<uint32_t, 3>& shape) {
  return fmt::format("{} x {} x {}", shape[0], shape[1], shape[2]);
}

}  // namespace

std::string Console::wait_text(const WarpPlace& warp) {
  auto times = debugger_->session().times(warp.sm);
  if (!times) return {};
  using sim::WarpStatus;
  const sim::WarpTable::Row& row = (*times->warps)[warp.slot];
  const sim::SmState* sm = debugger_->session().sm(warp.sm);
  switch (row.status) {
    case WarpStatus::Empty: return "no warp";
    case WarpStatus::AtBarrier: return fmt::format("at barrier {}", sm->warp(warp.slot).barrier);
    case WarpStatus::AtFence: return "at a fence: its stores";
    case WarpStatus::BeforeAtomic: return "an atomic operation on the words that it loads";
    case WarpStatus::RuntimeCall: return "its call of malloc or free";
    case WarpStatus::AtCopies: return "its asynchronous copies";
    case WarpStatus::AtMbarrier: return "an mbarrier object";
    case WarpStatus::Runnable:
    case WarpStatus::AwaitsLoad: break;
  }
  const sim::NativeInsn& next = sm->launch().kernel->insns[sm->warp(warp.slot).stack.pc()].native;
  const uint32_t sub_core = row.sub_core;
  if (row.wait.known() && row.wait.cycle() > debugger_->now() && row.wait.reason() == sim::Stall::NoWarp)
    return fmt::format("the launch of its block {}", cycle_text(row.wait));
  if (!row.wait.known() || row.wait.cycle() > debugger_->now())
    return fmt::format("{} {}", sim::info(row.wait.reason()).key, cycle_text(row.wait));
  if (Cycle free = times->pipes->free(next.unit, sub_core); free > debugger_->now() && free != kNever)
    return fmt::format("{} until cycle {}", sim::info(sim::busy_stall(next.unit)).key, free);
  return "ready";
}

void Console::info_launch(std::string_view) {
  const sim::Launch& launch = debugger_->launch();
  print_(fmt::format("launch {}: kernel {}, grid {}, block {}, {}, cycle {}; {} blocks have ended\n",
                     debugger_->launch_number(), debugger_->names().kernel_name(), shape_text(launch.grid),
                     shape_text(launch.block), debugger_->names().file_name(0), debugger_->now(),
                     debugger_->session().ended_blocks()));
}

void Console::info_sms(std::string_view) {
  std::string out = " SM  blocks  warps  next issue\n";
  for (uint32_t index = 0; index < debugger_->sms(); ++index) {
    const sim::SmState* sm = debugger_->session().sm(index);
    auto times = debugger_->session().times(index);
    if (sm == nullptr || !times) {
      out += fmt::format("{:>3}  has had no block\n", index);
      continue;
    }
    uint64_t blocks = 0;
    uint32_t warps = 0;
    for (uint32_t slot = 0; slot < sm->warp_slots(); ++slot) {
      if (!sm->warp(slot).resident || sm->warp(slot).stack.done()) continue;
      ++warps;
      blocks |= uint64_t{1} << sm->warp(slot).slot_of_block;
    }
    Cycle next = kNever;
    for (const sim::SubCore& sub_core : times->sub_cores) next = std::min(next, sub_core.next());
    out += fmt::format("{:>3}  {:>6}  {:>5}  {}\n", index, std::popcount(blocks), warps,
                       warps == 0       ? "no warp"
                       : next == kNever ? "after an answer of memory"
                                        : fmt::format("cycle {} or later", next));
  }
  print_(out);
}

void Console::info_blocks(std::string_view) {
  std::string out = " SM  block          warps\n";
  for (uint32_t index = 0; index < debugger_->sms(); ++index) {
    const sim::SmState* sm = debugger_->session().sm(index);
    uint32_t last = ~0u;
    for (uint32_t slot = 0; sm != nullptr && slot < sm->warp_slots(); ++slot) {
      const sim::Warp& warp = sm->warp(slot);
      if (!warp.resident || warp.stack.done() || warp.slot_of_block == last) continue;
      last = warp.slot_of_block;
      const sim::ResidentBlock& block = sm->block_of(warp);
      out += fmt::format("{:>3}  {:<13}  {}\n", index,
                         position_text(position_of(block.index, debugger_->launch().grid)), std::popcount(block.warps));
    }
  }
  print_(out);
}

void Console::info_warps(std::string_view) {
  auto lane = thread();
  if (!lane) return;
  KernelNames& names = debugger_->names();
  std::string out =
      fmt::format("SM {}, cycle {}\n warp  block        in block  lanes     at                 waits for\n",
                  lane->sm->index(), debugger_->now());
  debugger_->for_each_warp([&](const WarpPlace& place) {
    if (place.sm != lane->sm->index()) return;
    const sim::Warp& warp = lane->sm->warp(place.slot);
    Line line = names.line_of(warp.stack.pc());
    out += fmt::format("{}{:>4}  {:<11}  {:>8}  {:08x}  {:<17}  {}\n", place.slot == lane->slot ? "*" : " ", place.slot,
                       position_text(position_of(place.block, debugger_->launch().grid)), warp.index_in_block,
                       warp.stack.active(), fmt::format("{}:{}", names.file_name(line.file), line.number),
                       wait_text(place));
  });
  print_(out);
}

void Console::info_lanes(std::string_view) {
  auto lane = thread();
  if (!lane) return;
  const sim::ControlFlow& stack = lane->warp().stack;
  std::string out = " lane  thread         state\n";
  const uint32_t focus = lane->lane;
  for (lane->lane = 0; lane->lane < sim::kWarpSize; ++lane->lane) {
    bool live = ((stack.live() >> lane->lane) & 1) != 0;
    out += fmt::format("{}{:>4}  {:<13}  {}\n", lane->lane == focus ? "*" : " ", lane->lane, thread_text(*lane),
                       lane->is_active() ? "active"
                       : live            ? "waits for others of its warp"
                                         : "has exited or does not exist");
  }
  print_(out);
}

void Console::info_threads(std::string_view) {
  std::string out;
  KernelNames& names = debugger_->names();
  std::vector<std::pair<Line, uint32_t>> lines;  // and how many warps are there
  debugger_->for_each_warp([&](const WarpPlace& place) {
    Line line = names.line_of(debugger_->session().sm(place.sm)->warp(place.slot).stack.pc());
    auto found = std::find_if(lines.begin(), lines.end(), [&](const auto& other) { return other.first == line; });
    if (found == lines.end()) lines.emplace_back(line, 1);
    else ++found->second;
  });
  std::sort(lines.begin(), lines.end(), [](const auto& a, const auto& b) {
    return std::pair(a.first.file, a.first.number) < std::pair(b.first.file, b.first.number);
  });
  for (const auto& [line, warps] : lines)
    out += fmt::format("{:>5} warps at {}:{}\n", warps, names.file_name(line.file), line.number);
  print_(out.empty() ? "no warp is resident at this cycle\n" : out);
}

void Console::info_registers(std::string_view) {
  auto lane = thread();
  if (!lane) return;
  const ptx::Kernel& kernel = debugger_->names().kernel();
  std::string out;
  for (uint32_t reg : debugger_->names().registers_at(lane->pc())) {
    Value value = register_value(*lane, reg);
    out += fmt::format("{:<8} .{:<6} {:<18} {}\n", kernel.registers[reg].name, ptx::name(kernel.registers[reg].type),
                       format_value(value), value.type == ptx::Type::Pred ? "" : format_value(value, 'x'));
  }
  print_(out.empty() ? "no register has a value yet\n" : out);
}

void Console::info_line(std::string_view) {
  auto lane = thread();
  if (!lane) return;
  std::string out = fmt::format("{}, instruction {}\n{}", place_text(lane->pc()), lane->pc(), source_text(lane->pc()));
  for (const std::string& call : debugger_->names().calls(lane->pc())) out += fmt::format("  inlined: {}\n", call);
  print_(out);
}

void Console::info_native(std::string_view) {
  auto lane = thread();
  if (!lane) return;
  const Line line = debugger_->names().ptx_line(lane->pc());
  print_(fmt::format("{}:{}\t{}\n{}", debugger_->names().file_name(0), line.number,
                     debugger_->names().instruction_text(lane->pc()), native_text(line)));
}

void Console::info_stack(std::string_view) {
  auto lane = thread();
  if (!lane) return;
  KernelNames& names = debugger_->names();
  const sim::ControlFlow& stack = lane->warp().stack;
  auto line = [&](uint32_t pc) {
    return pc == ptx::kNoIndex ? std::string("none") : fmt::format("line {}", names.ptx_line(pc).number);
  };
  std::string entries;
  for (const auto& [pc, reconvergence, lanes] : stack.waiting())
    entries =
        fmt::format("  {:08x}  waits    {:<10}  reconvergence {}\n", lanes, line(pc), line(reconvergence)) + entries;
  print_(fmt::format("  lanes     state    PTX\n  {:08x}  executes {:<10}  reconvergence {}\n{}", stack.active(),
                     line(stack.pc()), line(stack.reconvergence()), entries));
}

void Console::info_barriers(std::string_view) {
  auto lane = thread();
  if (!lane) return;
  const sim::ResidentBlock& block = lane->sm->block_of(lane->warp());
  std::string out;
  for (size_t i = 0; i < block.barriers.size(); ++i) {
    const sim::Barrier& barrier = block.barriers[i];
    if (barrier.arrivals == 0) continue;
    out += fmt::format(
        "barrier {}: {} of {} warps have arrived\n", i, barrier.arrivals,
        barrier.expected == 0 ? std::popcount(block.warps) : static_cast<int>(barrier.expected / sim::kWarpSize));
  }
  print_(out.empty() ? "no warp of the block waits at a barrier\n" : out);
}

void Console::info_scoreboard(std::string_view) {
  auto lane = thread();
  if (!lane) return;
  auto times = debugger_->session().times(lane->sm->index());
  const ptx::Kernel& kernel = debugger_->names().kernel();
  std::string out;
  for (uint32_t reg : debugger_->names().registers_at(lane->pc())) {
    sim::Wait wait = times->scoreboard->of(lane->slot, debugger_->names().scoreboard_slot(reg));
    if (wait.known() && wait.cycle() <= debugger_->now()) continue;
    out += fmt::format("{:<8} {} {}\n", kernel.registers[reg].name, sim::info(wait.reason()).key, cycle_text(wait));
  }
  out += fmt::format("{} loads and {} stores of the warp are under way\n", lane->warp().outstanding_loads,
                     lane->warp().outstanding_stores);
  print_(out);
}

void Console::info_pipes(std::string_view) {
  auto lane = thread();
  if (!lane) return;
  auto times = debugger_->session().times(lane->sm->index());
  std::string out;
  for (const sim::SubCore& sub_core : times->sub_cores) {
    auto line = [&](std::string_view name, Cycle free) {
      bool busy = free > debugger_->now();
      out += fmt::format("  {:<16} {}\n", name,
                         !busy            ? "free"
                         : free == kNever ? "busy until an answer of memory"
                                          : fmt::format("busy until cycle {}", free));
    };
    out += fmt::format("SM {}, warp scheduler {}\n", lane->sm->index(), sub_core.index());
    line("warp scheduler", sub_core.free());
    for (size_t unit = 0; unit < ptx::kUnits.size(); ++unit)
      if (auto u = static_cast<ptx::Unit>(unit); u != ptx::Unit::Control)
        line(ptx::info(u).key, times->pipes->free(u, sub_core.index()));
  }
  print_(out);
}

void Console::info_checkpoints(std::string_view) {
  const ReplayStore& store = debugger_->replay().store();
  std::string out;
  for (const sim::Snapshot& kept : store.kept()) out += fmt::format("cycle {}, {} bytes\n", kept.now(), kept.bytes());
  print_(out + fmt::format("{} in all, {} bytes\n", store.kept().size(), store.bytes()));
}

void Console::info_findings(std::string_view) {
  if (!settings_.has_checkers) return print_(kNoCheckers);
  const sim::Launch& launch = debugger_->launch();
  std::string out;
  for (const FindingMoment& moment : debugger_->findings()) {
    const LocatedFinding& found = moment.found;
    out += fmt::format("{}, block {}, thread {}, {}\n  {}\n", place_text(found.pc),
                       position_text(position_of(found.block, launch.grid)),
                       position_text(position_of(found.warp * sim::kWarpSize + found.lane, launch.block)),
                       moment.reached ? fmt::format("cycle {}", *moment.reached) : "not reached yet",
                       found.text.substr(0, found.text.find('\n')));
  }
  print_(out.empty() ? "the checkers have found nothing new in this launch\n" : out);
}

void Console::info_memory(std::string_view) {
  auto lane = thread();
  if (!lane) return;
  std::string out;
  for (const auto& a : lane->sm->launch().memory->allocations())
    out += fmt::format("global  0x{:<12x} {:>10} bytes  {}\n", a.begin, a.bytes, a.name);
  auto of = [&](const std::vector<ptx::Symbol>& symbols) {
    for (const ptx::Symbol& symbol : symbols) {
      if (symbol.passed || symbol.space == ptx::Space::Global) continue;
      std::string_view space = symbol.space == ptx::Space::Shared  ? "shared"
                               : symbol.space == ptx::Space::Local ? "local"
                               : symbol.space == ptx::Space::Const ? "const"
                               : symbol.space == ptx::Space::Param ? "param"
                                                                   : "";
      if (!space.empty())
        out += fmt::format("{:<7} 0x{:<12x} {:>10} bytes  {}\n", space, symbol.offset, symbol.size,
                           ptx::short_name(symbol.name));
    }
  };
  of(debugger_->names().kernel().symbols);
  for (const ptx::Symbol& symbol : debugger_->names().module().symbols)
    if (symbol.space == ptx::Space::Const)
      out +=
          fmt::format("const   0x{:<12x} {:>10} bytes  {}\n", symbol.offset, symbol.size, ptx::short_name(symbol.name));
  print_(out.empty() ? "there is none\n" : out);
}

}  // namespace warptime::debug
