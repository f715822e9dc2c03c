// Filling in the record of an access that is illegal.
#pragma once

#include <cstdint>

#include "ptx/isa/types.h"
#include "sim/state/fault_record.h"

namespace warptime::sim {

/// The access of `bytes` at `address` by a lane of the warp is illegal; `limit`: what Fault::limit is for this kind.
/// Always false, as the checks that end with it. The caller knows the rest of the record.
inline bool fault_at(FaultRecord& fault, Fault::Kind kind, ptx::Space space, uint32_t lane, Addr address,
                     uint32_t bytes, uint64_t limit = 0) {
  fault.raised = true;
  fault.kind = kind;
  fault.space = space;
  fault.thread = lane;
  fault.address = address;
  fault.bytes = bytes;
  fault.limit = limit;
  return false;
}

}  // namespace warptime::sim
