// The memory requests of a functional launch: each warp's in the order in which it makes them, but without an order of
// different warps (sim/gpu/request_recorder.h records it). Models of the memory hierarchy draw such orders themselves.
#pragma once

#include <cstdint>
#include <vector>

#include "base/clock.h"

namespace warptime::sim {

/// One transaction of a global or local access, one line of the constant or texture cache, or a barrier.
struct RecordedRequest {
  enum class Kind : uint8_t { Load, Store, Atomic, Constant, Texture, Barrier };
  Addr address = 0;
  uint32_t pc = 0;     // instruction index in the kernel
  uint16_t bytes = 0;  // of a line: 0
  Kind kind = Kind::Load;
  bool continues = false;  // of the same warp instruction as the request before it
};
static_assert(sizeof(RecordedRequest) == 16);

struct RecordedWarp {
  uint64_t block = 0;  // its number in the order of launch
  uint32_t index_in_block = 0;
  std::vector<RecordedRequest> requests = {};
};

struct RequestRecord {
  // What to record: blocks are recorded whole, and no further block of an SM once it has its share of this many.
  uint64_t most_requests = uint64_t{1} << 23;

  // What was recorded, of the last launch.
  std::vector<RecordedWarp> warps = {};  // by block, then by warp
  uint64_t recorded_blocks = 0;
  uint64_t blocks = 0;               // of the launch
  uint32_t blocks_per_sm = 0;        // that an SM can hold at once
  std::vector<uint32_t> lines = {};  // of the PTX, by instruction index
};

}  // namespace warptime::sim
