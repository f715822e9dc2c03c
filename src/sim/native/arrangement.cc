#include "sim/native/arrangement.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "ptx/analysis/layout.h"
#include "ptx/analysis/liveness.h"
#include "ptx/native/later_registers.h"
#include "ptx/native/register_surplus.h"
#include "sim/model/occupancy.h"
#include "sim/native/list_scheduler.h"

namespace warptime::sim {

namespace {

bool is_alone(const ptx::Kernel& kernel) {
  return kernel.functions.empty() && kernel.passed_rows == 0 && kernel.unsupported == ptx::kNoIndex;
}

/// What follows from the instructions.
void complete(uint16_t version, ptx::Kernel& kernel) {
  std::vector<ptx::LiveInterval> intervals = ptx::find_liveness(kernel).intervals;
  kernel.estimated_registers = ptx::later_registers(kernel);
  kernel.native = ptx::find_native_code(kernel);
  kernel.native.registers += ptx::registers_beyond_scan(version);
  kernel.rows = ptx::assign_rows(kernel, std::move(intervals));
  ptx::lay_out_kernel(kernel);
}

}  // namespace

Arrangement arrange(const MachineConfig& machine, const ptx::Module& module, const ptx::Kernel& kernel) {
  const bool schedules = machine.native.schedule == NativeSchedule::list;
  const bool allocates = machine.native.allocate == NativeAllocation::linear_scan;
  Arrangement out;
  if (!(schedules || allocates) || !is_alone(kernel)) return out;
  auto arranged = std::make_unique<ptx::Kernel>(kernel);
  out.source_of.resize(kernel.instructions.size());
  std::iota(out.source_of.begin(), out.source_of.end(), 0);
  if (schedules) {
    out.source_of = list_order(machine, module, kernel);
    for (size_t i = 0; i < out.source_of.size(); ++i) arranged->instructions[i] = kernel.instructions[out.source_of[i]];
  }
  if (allocates) {
    out.registers = allocate_registers(allocation_limit(machine, kernel), *arranged, out.source_of);
    arranged->allocated_registers = std::max(1u, out.registers.registers);
  }
  complete(module.version, *arranged);
  out.kernel = std::move(arranged);
  return out;
}

}  // namespace warptime::sim
