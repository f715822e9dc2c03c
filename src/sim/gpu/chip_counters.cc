#include "sim/gpu/chip_counters.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <type_traits>

#include "base/assert.h"
#include "sim/gpu/gather.h"
#include "sim/gpu/resource_use.h"

namespace warptime::sim {

namespace {

template <class F>
void zip(SmCounters& a, const SmCounters& b, F&& f) {
  SIM_ASSERT(a.instructions.size() == b.instructions.size() && a.slots.size() == b.slots.size() &&
                 a.lines.size() == b.lines.size(),
             "counters of different kernels");
  for (size_t i = 0; i < a.instructions.size(); ++i) {
    ExecutionCounters &to = a.instructions[i], from = b.instructions[i];
    f(to.warp_instructions, from.warp_instructions);
    f(to.thread_instructions, from.thread_instructions);
  }
  for (size_t i = 0; i < a.slots.size(); ++i) {
    SlotCounters &to = a.slots[i], from = b.slots[i];
    f(to.issued, from.issued);
    for_each_number(to.stalls, from.stalls, f);
  }
  for (size_t i = 0; i < a.lines.size(); ++i) for_each_number(a.lines[i], b.lines[i], f);
  for_each_number(a.pipe_busy, b.pipe_busy, f);
  SmStatistics::zip_groups(a, b, [&f](const StatGroup&, auto& x, const auto& y) { for_each_number(x, y, f); });
}

template <class F>
void zip(ChipCounters& a, const ChipCounters& b, F&& f) {
  SIM_ASSERT(
      a.sms.size() == b.sms.size() && a.tpcs.size() == b.tpcs.size() && a.partitions.size() == b.partitions.size(),
      "counters of different chips");
  for (size_t i = 0; i < a.sms.size(); ++i) zip(a.sms[i], b.sms[i], f);
  for (size_t i = 0; i < a.tpcs.size(); ++i) for_each_number(a.tpcs[i], b.tpcs[i], f);
  for (size_t i = 0; i < a.partitions.size(); ++i) for_each_number(a.partitions[i], b.partitions[i], f);
  ChipStatistics::zip_groups(a, b, [&f](const StatGroup&, auto& x, const auto& y) { for_each_number(x, y, f); });
}

uint64_t sum(const StallCounts& counts) { return std::accumulate(counts.begin(), counts.end(), uint64_t{0}); }

uint64_t scaled(uint64_t number, double factor) {
  return static_cast<uint64_t>(std::llround(static_cast<double>(number) * factor));
}

/// Multiplies the stalls of all rows so that they add up to `slots`; what rounding leaves goes to the largest, and
/// where there are none to what nobody waited for.
void fit_stalls(SmCounters& sm, uint64_t slots) {
  uint64_t before = 0, after = 0;
  for (const SlotCounters& row : sm.slots) before += sum(row.stalls);
  uint64_t* largest = &sm.no_instruction().stalls[static_cast<size_t>(Stall::Drained)];
  double factor = before == 0 ? 0 : static_cast<double>(slots) / static_cast<double>(before);
  for (SlotCounters& row : sm.slots)
    for (uint64_t& stall : row.stalls) {
      stall = scaled(stall, factor);
      after += stall;
      if (stall > *largest) largest = &stall;
    }
  *largest += slots - after;  // unsigned: also downwards
}

/// Scales the causes of memory_queue_full so that they add up to it.
void fit_causes(SmCounters& sm) {
  uint64_t all = 0, before = 0, after = 0;
  for (const SlotCounters& row : sm.slots) all += row.stalls[static_cast<size_t>(Stall::MemoryQueueFull)];
  QueueFullCycles& causes = sm.memory_queue_full;
  for_each_number(causes, causes, [&](uint64_t& cause, uint64_t) { before += cause; });
  uint64_t* largest = &causes.memory_queue;
  const double factor = before == 0 ? 0 : static_cast<double>(all) / static_cast<double>(before);
  for_each_number(causes, causes, [&](uint64_t& cause, uint64_t) {
    cause = scaled(cause, factor);
    after += cause;
    if (cause > *largest) largest = &cause;
  });
  *largest += all - after;  // unsigned: also downwards
}

}  // namespace

void ChipCounters::add(const ChipCounters& other) {
  zip(*this, other, [](auto& a, const auto& b) { a += b; });
}

void ChipCounters::subtract(const ChipCounters& earlier) {
  zip(*this, earlier, [](auto& a, const auto& b) { a -= b; });
}

void ChipCounters::scale(double factor) {
  zip(*this, *this, [factor](auto& a, const auto&) {
    if constexpr (std::is_arithmetic_v<std::remove_reference_t<decltype(a)>>) a = scaled(a, factor);
  });
}

uint64_t ChipCounters::warp_instructions() const {
  uint64_t all = 0;
  for (const SmCounters& sm : sms)
    for (const ExecutionCounters& row : sm.instructions) all += row.warp_instructions;
  return all;
}

void ChipCounters::take_values(const SmCounters& all_sms) {
  const SmStatistics none;
  for (SmCounters& sm : sms) {
    bool first = &sm == &sms.front();
    for (size_t i = 0; i < sm.instructions.size(); ++i) {
      sm.instructions[i].warp_instructions = first ? all_sms.instructions[i].warp_instructions : 0;
      sm.instructions[i].thread_instructions = first ? all_sms.instructions[i].thread_instructions : 0;
    }
    for (size_t i = 0; i < sm.lines.size(); ++i) {
      sm.lines[i].memory = first ? all_sms.lines[i].memory : LineMemory{};
      sm.lines[i].divergence = first ? all_sms.lines[i].divergence : LineDivergence{};
    }
    SmStatistics::zip_groups(sm, first ? static_cast<const SmStatistics&>(all_sms) : none,
                             [](const StatGroup& group, auto& to, const auto& from) {
                               if (!group.timed()) to = from;
                             });
  }
}

void ChipCounters::reconcile(Cycle cycles, uint32_t ports, bool attributed) {
  uint64_t slots = cycles * ports;
  for (SmCounters& sm : sms) {
    uint64_t executed = 0, issued = 0;
    for (const ExecutionCounters& row : sm.instructions) executed += row.warp_instructions;
    for (const SlotCounters& row : sm.slots) issued += row.issued;
    uint64_t lanes = std::accumulate(sm.active_lanes_histogram.begin(), sm.active_lanes_histogram.end(), uint64_t{0});
    sm.sm_cycles.active = std::min(sm.sm_cycles.active, cycles);
    *std::max_element(sm.active_lanes_histogram.begin(), sm.active_lanes_histogram.end()) += executed - lanes;
    if (!attributed) continue;
    WarpCycles& warps = sm.warp_cycles;
    warps.resident = sm.sm_cycles.warps = warps.issuing + warps.not_selected + sum(warps.waiting);
    // An estimate of the time may be shorter than what was issued takes, by less than the estimate is off.
    if (issued > slots) {
      double factor = static_cast<double>(slots) / static_cast<double>(issued);
      issued = 0;
      for (SlotCounters& row : sm.slots)
        issued += row.issued = static_cast<uint64_t>(static_cast<double>(row.issued) * factor);
    }
    fit_stalls(sm, slots - issued);
    fit_causes(sm);
  }
}

RunCounts counts_of(const ChipCounters& counters, bool attributed) {
  RunCounts out{.warp_instructions = counters.warp_instructions()};
  if (!attributed) return out;
  out.issue.emplace();
  for (const SmCounters& sm : counters.sms)
    for (const SlotCounters& row : sm.slots) {
      out.issue->issued += row.issued;
      add_numbers(out.issue->stalls, row.stalls);
    }
  out.issue->slots = out.issue->issued + sum(out.issue->stalls);
  return out;
}

void fill(LaunchStatistics& statistics, const LaunchContext& context, const ChipCounters& counters, Cycle cycles,
          bool per_instruction) {
  statistics.cycles = cycles;
  statistics.detailed = per_instruction;
  statistics.staged = per_instruction && context.machine->l2.cache.bytes != 0;
  SmCounters sum(per_instruction ? context.kernel->insns.size() : 0, per_instruction, per_instruction);
  for (const SmCounters& sm : counters.sms) {
    add_sm(statistics, context, sm, cycles * context.machine->issue.ports);
    if (per_instruction) add_instructions(sum, sm);
  }
  statistics.sm_cycles.elapsed = cycles * counters.sms.size();
  statistics.sm_cycles.most_warps = statistics.sm_cycles.active * context.machine->sm.max_warps;
  ChipStatistics::zip_groups(statistics, counters, [](const StatGroup&, auto& to, const auto& from) { to = from; });
  statistics.queues.load_table.cycles = statistics.queues.memory_queue.cycles = cycles * counters.sms.size();
  statistics.queues.partition.cycles = cycles * counters.partitions.size();
  statistics.resources = resource_uses(*context.machine, counters, cycles);
  statistics.busy_by_unit = busy_by_unit(*context.machine, counters, cycles);
  if (per_instruction) fill_instruction_rows(statistics, context, sum);
}

}  // namespace warptime::sim
