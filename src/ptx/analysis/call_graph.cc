// Cycles are the strongly connected components of the graph (Tarjan 1972, "Depth-First Search and Linear Graph
// Algorithms"), with a stack of its own: a chain of calls may be as long as the file.
#include "ptx/analysis/call_graph.h"

#include <algorithm>
#include <unordered_set>

namespace warptime::ptx {

std::vector<uint32_t> call_targets(const Module& module, uint32_t prototype) {
  const Kernel& wanted = module.functions[prototype];
  std::vector<uint32_t> listed = wanted.targets, out;
  std::sort(listed.begin(), listed.end());
  for (uint32_t function : module.addressed_functions) {
    bool fits = listed.empty() ? same_signature(module.functions[function], wanted)
                               : std::binary_search(listed.begin(), listed.end(), function);
    if (fits && module.functions[function].has_body) out.push_back(function);
  }
  return out;
}

CallGraph::CallGraph(const Module& module)
    : module_(module),
      nodes_(module.functions.size()),
      number_(module.functions.size(), 0),
      lowest_(module.functions.size(), 0),
      component_(module.functions.size(), 0) {
  for (const Kernel& function : module.functions) callees_.push_back(callees_of(function));
  for (uint32_t function = 0; function < module.functions.size(); ++function)
    if (number_[function] == 0) search(function);
}

std::vector<uint32_t> CallGraph::callees_of(const Kernel& code) const {
  std::vector<uint32_t> out;
  std::unordered_set<uint32_t> taken, prototypes;
  auto take = [&](uint32_t function) {
    if (taken.insert(function).second) out.push_back(function);
  };
  for (const Instruction& instruction : code.instructions) {
    std::span<const Operand> operands = code.operands_of(instruction);
    for (const Operand& operand : operands) {
      if (operand.kind != Operand::Kind::Function) continue;
      if (!is_indirect_call(operands)) {
        take(operand.index);
      } else if (prototypes.insert(operand.index).second) {
        for (uint32_t target : call_targets(module_, operand.index)) take(target);
      }
    }
  }
  return out;
}

void CallGraph::open(uint32_t function) {
  number_[function] = lowest_[function] = ++visited_;
  open_.push_back(function);
}

void CallGraph::search(uint32_t start) {
  std::vector<std::pair<uint32_t, size_t>> path{{start, 0}};  // function, next of its callees
  open(start);
  while (!path.empty()) {
    auto& [function, next] = path.back();
    if (next < callees_[function].size()) {
      uint32_t callee = callees_[function][next++];
      bool is_open = number_[callee] != 0 && component_[callee] == 0;
      if (is_open) lowest_[function] = std::min(lowest_[function], number_[callee]);
      if (number_[callee] != 0) continue;
      open(callee);
      path.emplace_back(callee, 0);
      continue;
    }
    uint32_t done = function;
    path.pop_back();
    if (!path.empty()) lowest_[path.back().first] = std::min(lowest_[path.back().first], lowest_[done]);
    if (lowest_[done] == number_[done]) close(done);
  }
}

/// Everything that was opened from `first` on is one component; what it calls besides is in another one already.
void CallGraph::close(uint32_t first) {
  std::vector<uint32_t> members;
  ++components_;
  do {
    members.push_back(open_.back());
    component_[open_.back()] = components_;
    open_.pop_back();
  } while (members.back() != first);
  Node own, below;
  bool cycle = members.size() > 1;
  for (uint32_t member : members) {
    const Kernel& function = module_.functions[member];
    own.registers = std::max(own.registers, function.estimated_registers);
    own.native_registers = std::max(own.native_registers, function.native.registers);
    for (uint32_t callee : callees_[member]) {
      if (component_[callee] == components_) {
        cycle = cycle || callee == member;
        continue;
      }
      below.depth = std::max(below.depth, nodes_[callee].depth + 1);
      below.registers = std::max(below.registers, nodes_[callee].registers);
      below.native_registers = std::max(below.native_registers, nodes_[callee].native_registers);
    }
  }
  if (cycle) ++cycles_;
  for (uint32_t member : members)
    nodes_[member] = {cycle ? cycles_ : 0, below.depth, own.registers + below.registers,
                      own.native_registers + below.native_registers};
}

}  // namespace warptime::ptx
