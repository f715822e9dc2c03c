#include "sim/native/arrangement.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "ptx/analysis/layout.h"
#include "ptx/analysis/liveness.h"
#include "ptx/native/later_registers.h"
#include "ptx/native/register_surplus.h"
#include "sim/model/native_code.h"
#include "sim/model/occupancy.h"
#include "sim/native/list_scheduler.h"
#include "sim/native/unroll_loops.h"
#include "sim/native/wide_loads.h"

namespace warptime::sim {

namespace {

bool is_alone(const ptx::Kernel& kernel) {
  return kernel.functions.empty() && kernel.passed_rows == 0 && kernel.unsupported == ptx::kNoIndex;
}

void put_in_order(const std::vector<uint32_t>& order, ptx::Kernel& arranged) {
  const std::vector<ptx::Instruction> instructions = arranged.instructions;
  std::vector<uint32_t> place(order.size());
  for (uint32_t i = 0; i < order.size(); ++i) {
    arranged.instructions[i] = instructions[order[i]];
    place[order[i]] = i;
  }
  if (arranged.later.empty()) return;
  const ptx::LaterCode before = arranged.later;
  for (size_t i = 0; i < order.size(); ++i) {
    arranged.later[i] = before[order[i]];
    uint32_t& whole = arranged.later[i].part_of;
    if (whole != ptx::kNoIndex) whole = place[whole];
  }
}

/// What follows from the instructions.
void complete(uint16_t version, ptx::Kernel& kernel) {
  std::vector<ptx::LiveInterval> intervals = ptx::find_liveness(kernel).intervals;
  kernel.estimated_registers =
      kernel.later.empty() ? ptx::later_registers(kernel) : ptx::registers_of_later_code(kernel);
  kernel.native = ptx::find_native_code(kernel);
  kernel.native.registers += ptx::registers_beyond_scan(version);
  kernel.rows = ptx::assign_rows(kernel, std::move(intervals));
  ptx::lay_out_kernel(kernel);
}

}  // namespace

Arrangement arrange(const MachineConfig& machine, const ptx::Module& module, const ptx::Kernel& kernel) {
  const bool schedules = machine.native.schedule == NativeSchedule::list;
  const bool allocates = machine.native.allocate == NativeAllocation::linear_scan;
  const bool later = issues_later(machine), alone = is_alone(kernel);
  Arrangement out;
  const bool unrolls = machine.native.unroll == NativeUnroll::loops;
  if (!later && !((schedules || allocates || unrolls) && alone)) return out;
  auto arranged = std::make_unique<ptx::Kernel>(kernel);
  out.source_of.resize(kernel.instructions.size());
  std::iota(out.source_of.begin(), out.source_of.end(), 0);
  if (unrolls && alone) out.source_of = unroll_loops(module, *arranged);
  if (later && alone) widen_loads(module, *arranged);
  if (later) arranged->later = ptx::find_later_code(*arranged, later_capability(machine.native_cost));
  if (!alone) {
    out.kernel = std::move(arranged);
    return out;
  }
  if (schedules) {
    const std::vector<uint32_t> order = list_order(machine, module, *arranged), sources = out.source_of;
    put_in_order(order, *arranged);
    for (size_t i = 0; i < order.size(); ++i) out.source_of[i] = sources[order[i]];
  }
  if (allocates) {
    out.registers = allocate_registers(allocation_limit(machine, kernel), *arranged, out.source_of);
    arranged->allocated_registers = std::max(1u, out.registers.registers);
    if (later)
      arranged->later = ptx::find_later_code(*arranged, later_capability(machine.native_cost));  // with what spills
  }
  complete(module.version, *arranged);
  out.kernel = std::move(arranged);
  return out;
}

}  // namespace warptime::sim
