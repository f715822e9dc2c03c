// What stops a launch: breakpoints, watchpoints and catchpoints, numbered as the user sets them; and the moments at
// which they do.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "ptx/isa/types.h"
#include "sim/model/stall.h"

namespace warptime::debug {

struct Point {
  enum class Kind : uint8_t {
    Line,        // before an instruction of a line
    Register,    // after an instruction that changes it
    Memory,      // after an instruction that accesses these bytes
    Stall,       // before an instruction that waited for a reason
    Divergence,  // after a branch at which the lanes of a warp diverge
    Barrier,     // before an instruction at which warps wait for each other
    Launch,      // at the beginning of a launch of a kernel; of any, if it has no name
    End,         // at the end of a launch
    Finding,     // before an instruction at which a checker has found something
  };
  Kind kind = Kind::Line;
  uint32_t number = 0;
  bool temporary = false;   // it is deleted when it has stopped the launch
  std::string text{};       // as the user wrote it
  std::string condition{};  // empty: none
  uint64_t hits = 0;

  std::string file{};  // of a Line; empty: the PTX text. Of a Launch the kernel
  uint32_t line = 0;   // of a Line, as it was asked for

  std::string name{};              // of a Register
  uint64_t block = 0;              // of a Register, and of Memory that is not global: whose it is
  uint32_t warp = 0;               // in its block; of a Register, and of local Memory
  std::optional<uint32_t> lane{};  // nullopt: any lane

  ptx::Space space = ptx::Space::None;  // of Memory
  Addr address = 0;
  uint32_t bytes = 0;
  bool reads = false, writes = true;

  sim::Stall reason = sim::Stall::Barrier;  // of a Stall
  Cycle at_least = 1;                       // cycles
};

/// A moment at which a point would stop the launch.
struct Hit {
  Cycle position = 0;   // of the stop: everything before this cycle has happened
  uint32_t number = 0;  // of the point; 0: the goal of a step
  uint32_t sm = 0, slot = 0, lane = 0, pc = 0;
  uint64_t block = 0;
  Cycle issue = 0;  // cycle of the instruction
  std::string detail;
};

}  // namespace warptime::debug
