// Calls, returns and indexed branches of one SM's warps: the values that move, and where lanes go.
#include <algorithm>
#include <bit>
#include <cstring>

#include "base/assert.h"
#include "sim/exec/lanes_of_mask.h"
#include "sim/state/call_values.h"
#include "sim/state/sm_state.h"

namespace warptime::sim {

using ptx::Effect;

void SmState::jump(uint32_t slot, const Insn& insn, uint32_t lanes, DivergenceStats& divergence, FaultRecord& fault) {
  if (insn.effect == Effect::IndexedBranch) indexed_branch(slot, insn, lanes, divergence, fault);
  else if (lanes == 0) warps_[slot].stack.advance();
  else if (insn.effect == Effect::Call) call(slot, insn, lanes, fault);
  else ret(slot, insn, lanes);
}

/// The function that lanes call together: all whose register holds the address that the first one's does. nullptr: no
/// function is there that the call could be of.
const Callee* SmState::callee(const Warp& warp, const Insn& insn, uint32_t& lanes, uint64_t& address) const {
  const Linkage& linkage = warp.kernel->kernel().linkages[insn.linkage().linkage];
  if (linkage.address_bytes == 0) return linkage.callees.data();
  const std::byte* row = insn.src[0].in(warp.values);
  auto address_in = [&](uint32_t lane) {
    return linkage.address_bytes == 8 ? lane_of<uint64_t>(row, lane) : uint64_t{lane_of<uint32_t>(row, lane)};
  };
  address = address_in(static_cast<uint32_t>(std::countr_zero(lanes)));
  uint32_t together = 0;
  for_lanes_of(lanes, [&](uint32_t lane) { together |= uint32_t{address_in(lane) == address} << lane; });
  lanes = together;
  for (const Callee& callee : linkage.callees)
    if (callee.address == address) return &callee;
  return nullptr;
}

/// Where lanes call different functions through a register, those go that call what the first one does; the others
/// come to the call once more.
void SmState::call(uint32_t slot, const Insn& insn, uint32_t lanes, FaultRecord& fault) {
  Warp& warp = warps_[slot];
  const CompiledKernel& kernel = warp.kernel->kernel();
  uint32_t together = lanes;
  uint64_t address = 0;
  const Callee* to = callee(warp, insn, together, address);
  if (to == nullptr) {
    fault.kind = Fault::Kind::CallTarget;
    fault.raised = true;
    fault.address = address;
    return locate(fault, slot, together);
  }
  if (to->recursion == ptx::kNoIndex) {
    transfer(warp.values, to->arguments, together);
  } else {
    const Recursion& function = kernel.recursions[to->recursion];
    take_values(warp.values, to->arguments, together, passed_);
    if (uint32_t full = stacks_[slot].push(warp.values, function, together, kernel.stack_begin); full != 0) {
      fault.kind = Fault::Kind::StackOverflow;
      fault.raised = true;
      fault.limit = kStackBytes;
      fault.bytes = warp.stack.calls();
      return locate(fault, slot, full);
    }
    put_values(warp.values, to->arguments, together, passed_);
  }
  warp.stack.call(together, to->target, lanes & ~together);
}

void SmState::ret(uint32_t slot, const Insn& insn, uint32_t lanes) {
  Warp& warp = warps_[slot];
  const CompiledKernel& kernel = warp.kernel->kernel();
  const std::vector<Callee>& callees = kernel.linkages[warp.code[warp.stack.caller()].linkage().linkage].callees;
  uint32_t function = kernel.linkages[insn.linkage().linkage].function;
  auto from = std::find_if(callees.begin(), callees.end(), [&](const Callee& c) { return c.target == function; });
  SIM_ASSERT(from != callees.end(), "a return to a call of another function");
  if (from->recursion == ptx::kNoIndex) {
    transfer(warp.values, from->results, lanes);
  } else {  // caller and function may be the same: its rows first, then the results into them
    take_values(warp.values, from->results, lanes, passed_);
    stacks_[slot].pop(warp.values, kernel.recursions[from->recursion], lanes);
    put_values(warp.values, from->results, lanes, passed_);
  }
  warp.stack.ret(lanes);
}

void SmState::indexed_branch(uint32_t slot, const Insn& insn, uint32_t lanes, DivergenceStats& divergence,
                             FaultRecord& fault) {
  Warp& warp = warps_[slot];
  const std::vector<uint32_t>& list = warp.kernel->kernel().linkages[insn.linkage().linkage].targets;
  const std::byte* row = insn.src[0].in(warp.values);
  std::array<uint32_t, kWarpSize> targets{};
  for (uint32_t rest = lanes; rest != 0; rest &= rest - 1) {
    auto lane = static_cast<uint32_t>(std::countr_zero(rest));
    uint32_t index = 0;
    std::memcpy(&index, row + lane * 4, 4);
    if (index >= list.size()) {
      fault.kind = Fault::Kind::BranchIndex;
      fault.raised = true;
      fault.address = index;
      fault.limit = list.size();
      return locate(fault, slot, 1u << lane);
    }
    targets[lane] = list[index];
  }
  ++divergence.branches;
  if (warp.stack.branch(lanes, targets, insn.linkage().reconvergence)) ++divergence.divergent_branches;
}

}  // namespace warptime::sim
