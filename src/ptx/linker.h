// Device functions: which calls which, and the copy of each that a kernel gets.
//
// A call graph without cycles lets every function have registers of its own in every kernel, at fixed rows: nothing is
// ever saved, and there is no stack in memory. So recursion is an error, as it was on GPUs before compute capability
// 2.0 (CUDA C Programming Guide 4.2, B.1.4).
#pragma once

#include "ptx/module.h"

namespace warptime::ptx {

class Linker {
 public:
  /// The module's functions have their rows (module.cc).
  Linker(const Module& module, Diagnostics& diagnostics);

  /// Reports recursion, and calls that are nested too deep; true if there are none.
  bool check();
  /// Puts the code of every function that the kernel calls behind its own; of one that is only declared there is none,
  /// and the kernel cannot be launched. Its rows may then be kTooManyRows.
  void link(Kernel& kernel) const;

 private:
  /// What a search from one function found about its calls, directly or not.
  struct Found {
    enum class State : uint8_t { New, Open, Done };
    State state = State::New;
    uint32_t depth = 0;      // calls below it
    uint32_t registers = 0;  // estimate, with the deepest chain below it
    uint32_t native_registers = 0;
  };
  struct Call {
    uint32_t function, instruction;
  };
  static std::vector<Call> calls_of(const Kernel& kernel);
  void search(uint32_t start);
  void report_cycle(const std::vector<std::pair<uint32_t, size_t>>& path, uint32_t function, SourceSpan where);

  const Module& module_;
  Diagnostics& diagnostics_;
  std::vector<std::vector<Call>> calls_;  // by function
  std::vector<Found> found_;              // by function
};

}  // namespace warptime::ptx
