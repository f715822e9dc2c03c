// Variables by their names in C: parameters of kernels, shared arrays and, of modules that were compiled with nvcc -G,
// everything that the debug information describes (DWARF in the sections .debug_info, .debug_abbrev and .debug_loc of
// PTX). Without -G, PTX has no names of parameters: they come from the CUDA source, if that is on this host.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "debug/names/c_type.h"

namespace warptime::debug {

class KernelNames;

/// Where a variable is while the PTX lines [begin, end) execute: in a register, or in memory.
struct CPlace {
  uint32_t begin = 0, end = ~0u;
  std::string reg{};                    // "%r1"; empty: in memory
  ptx::Space space = ptx::Space::None;  // of memory; None: it is nowhere
  uint64_t address = 0;                 // in its space; of a variable in global memory, from the symbol on
  std::string symbol{};                 // of a variable in global memory
};

struct CVariable {
  std::string name;
  uint32_t type = 0;              // in CNames::types
  uint32_t begin = 0, end = ~0u;  // the PTX lines whose code may name it
  uint32_t declared = 0;          // line of the CUDA source; 0: not known
  bool is_parameter = false;      // of the kernel, or of a device function
  bool is_of_module = false;      // at file scope
  std::vector<CPlace> places{};
};

class CNames {
 public:
  explicit CNames(const KernelNames& names);

  const CTypes& types() const { return types_; }
  /// Whether the module has debug information, so that locals are known.
  bool has_locals() const { return has_locals_; }
  /// The variable that code of this PTX line means by a name; nullptr: none.
  const CVariable* find(std::string_view name, uint32_t line) const;
  /// All that code of this PTX line may name, outer scopes first, without those that an inner one hides.
  std::vector<const CVariable*> visible(uint32_t line) const;
  /// Where it is at this PTX line; nullptr: nowhere.
  static const CPlace* place(const CVariable& variable, uint32_t line);

 private:
  CTypes types_;
  std::vector<CVariable> variables_;
  bool has_locals_ = false;
};

}  // namespace warptime::debug
