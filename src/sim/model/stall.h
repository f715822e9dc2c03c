// The stall reasons. Every issue slot of every SM is charged to `issued` or to exactly one reason, and every cycle of
// every resident warp to exactly one state. No `default:` on the list. It is open, up to 256: a Wait has eight bits for
// its reason (core/scoreboard.h).
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "ptx/isa/unit.h"

namespace warptime::sim {

//        enumerator          key                   the wait of the warp scheduler, or of the warp that issues next
//        the equivalent warp state of Nsight Compute; most of them classify waits differently
#define STALL_OF_PIPE(X, name, key, unit, what, ...) \
  X(name##Busy, #key "_busy", "the " what ", busy with an earlier warp instruction", "")
#define STALL_REASONS(X)                                                                                               \
  X(AluDependency, "alu_dependency", "the result of an arithmetic instruction of the same warp", "")                   \
  X(SharedDependency, "shared_dependency", "a value loaded from shared memory", "")                                    \
  X(ConstantDependency, "constant_dependency", "a value loaded from constant memory or a kernel parameter", "")        \
  X(TextureDependency, "texture_dependency", "a value fetched from a texture", "")                                     \
  X(GlobalDependency, "global_dependency", "a value loaded from global or local memory", "")                           \
  X(Barrier, "barrier", "other warps of the block at a barrier", "barrier")                                            \
  X(Fence, "fence", "earlier stores of the warp to be acknowledged at a memory fence", "membar")                       \
  X(AsyncWait, "async_wait", "asynchronous copies, at a wait for their groups or at an mbarrier object", "")           \
  X(InstructionFetch, "instruction_fetch", "the next instruction of the warp, after a branch or a cache miss", "")     \
  PTX_PIPES(STALL_OF_PIPE, X)                                                                                          \
  X(MemoryPortBusy, "memory_port_busy", "the memory port, still sending an earlier instruction's transactions", "")    \
  X(MemoryQueueFull, "memory_queue_full", "a free entry in the memory queue or in the table of outstanding loads", "") \
  X(NoWarp, "no_warp", "a new block: the SM has or will get a block, but this warp scheduler has no resident warp",    \
    "")                                                                                                                \
  X(Drained, "drained", "nothing: no block is resident and none will come", "")

enum class Stall : uint8_t {
#define X(name, ...) name,
  STALL_REASONS(X)
#undef X
};
inline constexpr size_t kStallCount = 0
#define X(...) +1
    STALL_REASONS(X)
#undef X
    ;

struct StallInfo {
  std::string_view key;
  std::string_view what;
  std::string_view warp_state;  // smsp__warps_issue_stalled_...
};
inline constexpr std::array<StallInfo, kStallCount> kStalls{{
#define X(name, key, what, warp_state) {key, what, warp_state},
    STALL_REASONS(X)
#undef X
}};
constexpr const StallInfo& info(Stall stall) { return kStalls[static_cast<size_t>(stall)]; }

using StallCounts = std::array<uint64_t, kStallCount>;

}  // namespace warptime::sim
