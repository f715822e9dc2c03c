// Variables by their names, with the element: "tile[17]"; and which variable an instruction means, so that an access
// beyond its end is found even where another variable begins there.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sim/state/launch_context.h"

namespace warptime::debug {

struct Variable {
  std::string name;
  Addr begin = 0;
  uint64_t bytes = 0;  // 0: to the end of what there is
};

/// The variable or buffer at an address of a space.
std::optional<Variable> variable_at(const sim::LaunchContext& launch, ptx::Space space, Addr address);
/// "tile[17]" of elements of so many bytes; the name alone if the variable is not larger. Also beyond its ends.
std::string element_of(const Variable& variable, Addr address, uint32_t bytes);
/// element_of of the variable that an access is in; empty: it is in none.
std::string element_at(const sim::LaunchContext& launch, ptx::Space space, Addr address, uint32_t bytes);
/// By instruction of the kernel's .shared and .const accesses: the variable from whose address its own is computed by
/// additions; nullptr: none, or several.
class MeantVariables {
 public:
  explicit MeantVariables(const sim::LaunchContext& launch);
  const ptx::Symbol* of(uint32_t pc) const { return of_[pc]; }

 private:
  std::vector<const ptx::Symbol*> of_;
};

}  // namespace warptime::debug
