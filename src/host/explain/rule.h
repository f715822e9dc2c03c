// The rules of `explain`: one row a rule. A rule looks at one thing that may cost time, says what the launch would be
// without it, and how to try that.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "host/explain/facts.h"
#include "host/explain/time_model.h"
#include "sim/model/assumptions.h"

namespace warptime::host {

/// How `--check` makes a launch that does not have what a finding names.
struct WhatIf {
  std::vector<std::string> settings = {};  // "PATH=VALUE" of the machine, as --set takes them
  sim::Assumptions assumptions = {};       // what no machine has
  bool operator==(const WhatIf&) const = default;
  bool is_any() const { return *this != WhatIf{}; }
};

struct Rule {
  std::string_view name;
  std::string_view lifts;   // the bound that it would lift; empty: that of the memory resource nearest to its limit
  bool needs_machine;       // its estimate needs parameters
  std::string_view untold;  // why there is no what-if, where there is none
  /// What would change; nothing: the launch does not have this.
  std::optional<Change> (*change)(const Facts&);
  /// The instruction that it is about; nullptr: none, or not known.
  const InstructionRow* (*place)(const Facts&);
  /// One or two sentences. The place, if known, is named before them.
  std::string (*sentence)(const Facts&, const InstructionRow* place);
  WhatIf (*what_if)(const Facts&, const InstructionRow* place);
};

/// A finding that would save less is none.
inline constexpr double kLeastSaved = 0.05;

// The rows, by what they are about.
std::span<const Rule> access_rules();      // how lanes' addresses lie: coalescing, banks, partitions
std::span<const Rule> space_rules();       // constants read one by one, contended atomic operations, local memory
std::span<const Rule> resource_rules();    // a resource that is busy all the time
std::span<const Rule> wait_rules();        // waits that no other warp hides
std::span<const Rule> divergence_rules();  // lanes that are off
std::span<const Rule> block_rules();       // barriers, the end of the grid

}  // namespace warptime::host
