// A race as a finding: the access that came second in this run, and the one that came first.
#pragma once

#include <optional>

#include "debug/check/finding.h"
#include "debug/check/race_shadow.h"

namespace warptime::debug {

struct RaceSide {
  Mark mark;
  bool writes = false;
  std::optional<uint32_t> value;  // that it writes; an atomic operation's is not known
};

struct Race {
  RaceSide first, second;
  ptx::Space space = ptx::Space::Shared;
  Addr address = 0;
  uint32_t element_bytes = 0;
};

void report_race(Findings& findings, const sim::LaunchContext& launch, const Race& race);

}  // namespace warptime::debug
