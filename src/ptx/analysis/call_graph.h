// The call graph of device functions and its cycles: a function of a cycle may be active several times in one thread
// (recursion), every other function only once.
#pragma once

#include "ptx/module.h"

namespace warptime::ptx {

/// Whether two functions give and take values of the same sizes.
bool same_signature(const Kernel& a, const Kernel& b);
/// The functions that a call with this prototype may come to: those whose address is taken and that it lists, or, if it
/// lists none, that have its signature.
std::vector<uint32_t> call_targets(const Module& module, uint32_t prototype);

class CallGraph {
 public:
  /// The module's functions are analysed, but for their calls.
  explicit CallGraph(const Module& module);

  /// What a function needs together with those that it calls, directly or not.
  struct Node {
    uint32_t cycle = 0;      // functions with the same number may call each other, directly or not; 0: none, not itself
    uint32_t depth = 0;      // calls below it, without those within a cycle
    uint32_t registers = 0;  // estimate, with the deepest chain below it; of a cycle the largest function counts once
    uint32_t native_registers = 0;
  };
  const Node& operator[](uint32_t function) const { return nodes_[function]; }

  /// The functions that code may call itself, each once.
  std::vector<uint32_t> callees_of(const Kernel& code) const;
  const std::vector<uint32_t>& callees(uint32_t function) const { return callees_[function]; }

 private:
  void search(uint32_t start);
  void open(uint32_t function);
  void close(uint32_t first);

  const Module& module_;
  std::vector<std::vector<uint32_t>> callees_;  // by function
  std::vector<Node> nodes_;                     // by function
  uint32_t cycles_ = 0;
  // State of the search, by function: its number in the order of visits (0: none yet), the lowest that it reaches, its
  // component (0: none yet).
  std::vector<uint32_t> number_, lowest_, component_;
  std::vector<uint32_t> open_;  // visited, and in no component yet
  uint32_t visited_ = 0, components_ = 0;
};

}  // namespace warptime::ptx
