// Copies each called device function into the kernel.
//
// Every function has its own registers in every kernel, at fixed rows. Without recursion no register is saved;
// recursive functions are marked, and calls save the registers that an inner activation overwrites.
#pragma once

#include "ptx/analysis/call_graph.h"

namespace warptime::ptx {

class Linker {
 public:
  /// The module's functions have their rows (module.cc).
  explicit Linker(const Module& module);

  /// How deep the calls of a kernel are nested, without those within a cycle.
  uint32_t depth_below(const Kernel& kernel) const;
  /// Puts the code of every function that the kernel calls behind its own; of one that is only declared there is none,
  /// and the kernel cannot be launched. Its rows may then be kTooManyRows.
  void link(Kernel& kernel) const;

 private:
  const Module& module_;
  CallGraph graph_;
};

}  // namespace warptime::ptx
