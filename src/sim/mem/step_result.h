// What a unit of the memory system, or an SM, says of a step of the simulation that it has run.
#pragma once

#include <algorithm>

#include "base/clock.h"

namespace warptime::sim {

/// The result of a step, of one of its tasks or of several together.
struct StepResult {
  Cycle next = kNever;  // its own next event, or the first effect of its packets elsewhere
  bool ended_blocks = false;
  bool fault = false;
  bool heap_requests = false;  // unanswered calls of malloc or free

  template <class Archive>
  void serialize(Archive& archive) {
    archive(next, ended_blocks, fault, heap_requests);
  }

  void add(const StepResult& other) {
    next = std::min(next, other.next);
    ended_blocks |= other.ended_blocks;
    fault |= other.fault;
    heap_requests |= other.heap_requests;
  }
};

}  // namespace warptime::sim
