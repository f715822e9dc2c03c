// The kinds of findings: one row each, from which help, `warptime list`, JSON and messages take their words.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace warptime::debug {

enum class Tool : uint8_t { Memcheck, Initcheck, Racecheck, Synccheck, Launch };

struct ToolRow {
  std::string_view name;
  std::string_view what;
};
inline constexpr std::array kTools{
    ToolRow{"memcheck", "accesses outside allocated memory, misaligned accesses, invalid calls of free"},
    ToolRow{"initcheck", "reads of memory and registers that nothing has written; device memory that is never freed"},
    ToolRow{"racecheck", "accesses to shared and global memory that nothing orders"},
    ToolRow{"synccheck", "barriers and .sync instructions that not all of their threads reach"},
    ToolRow{"launch", "any other fault that ends a launch"}};
/// Those that --tool names.
inline constexpr size_t kToolChoices = 4;

// A row: enumerator, tool, name, whether it is only a warning, what it means. A warning does not change the exit
// status.
// clang-format off
#define WARPTIME_CHECK_KINDS(X)                                                                                        \
  X(OutOfBoundsGlobal, Memcheck, "out_of_bounds_global", false, "an access to global memory outside all allocations") \
  X(OutOfBoundsShared, Memcheck, "out_of_bounds_shared", false, "an access beyond the shared memory of the block")     \
  X(OutOfBoundsLocal, Memcheck, "out_of_bounds_local", false, "an access beyond the local memory of the thread")       \
  X(OutOfBoundsConstant, Memcheck, "out_of_bounds_constant", false, "a load beyond the constant variables of the module") \
  X(OutOfBoundsParameter, Memcheck, "out_of_bounds_parameter", false, "a load beyond the parameters of the kernel")    \
  X(OutOfBoundsTexture, Memcheck, "out_of_bounds_texture", false, "a fetch at integer coordinates outside the texture, or from a handle without a texture")  \
  X(MisalignedGlobal, Memcheck, "misaligned_global", false, "an address in global memory that is not a multiple of the size of the access") \
  X(MisalignedShared, Memcheck, "misaligned_shared", false, "the same in shared memory")                               \
  X(MisalignedLocal, Memcheck, "misaligned_local", false, "the same in local memory")                                  \
  X(MisalignedConstant, Memcheck, "misaligned_constant", false, "the same in constant memory")                         \
  X(MisalignedParameter, Memcheck, "misaligned_parameter", false, "the same in parameter memory")                      \
  X(UseAfterFree, Memcheck, "use_after_free", false, "an access to memory that has been freed")                        \
  X(DoubleFree, Memcheck, "double_free", false, "free() of a block that has been freed")                               \
  X(InvalidFree, Memcheck, "invalid_free", false, "free() of an address that malloc() did not return")                 \
  X(WriteToConstant, Memcheck, "write_to_constant", false, "a store to constant or parameter memory by a generic address") \
  X(UninitializedGlobal, Initcheck, "uninitialized_global", false, "a read of global memory that nothing has written") \
  X(UninitializedShared, Initcheck, "uninitialized_shared", false, "a read of shared memory that no thread of the block has written") \
  X(UninitializedLocal, Initcheck, "uninitialized_local", false, "a read of local memory that the thread has not written") \
  X(UninitializedRegister, Initcheck, "uninitialized_register", false, "a read of a register that the thread has not written") \
  X(UninitializedPredicate, Initcheck, "uninitialized_predicate", false, "a read of a predicate that the thread has not written") \
  X(Leak, Initcheck, "leak", false, "a block of malloc() in device code that is never freed")                          \
  X(RaceRawShared, Racecheck, "race_raw_shared", false, "a read of shared memory that nothing orders after another thread's write") \
  X(RaceWarShared, Racecheck, "race_war_shared", false, "a write to shared memory that nothing orders after another thread's read") \
  X(RaceWawShared, Racecheck, "race_waw_shared", false, "two writes to the same shared memory that nothing orders")    \
  X(RaceRawGlobal, Racecheck, "race_raw_global", false, "a read of global memory that nothing orders after another thread's write") \
  X(RaceWarGlobal, Racecheck, "race_war_global", false, "a write to global memory that nothing orders after another thread's read") \
  X(RaceWawGlobal, Racecheck, "race_waw_global", false, "two writes to the same global memory that nothing orders")    \
  X(RaceSameValueShared, Racecheck, "race_same_value_shared", true, "two writes of one value to the same shared memory that nothing orders") \
  X(RaceSameValueGlobal, Racecheck, "race_same_value_global", true, "two writes of one value to the same global memory that nothing orders") \
  X(DivergentBarrier, Synccheck, "divergent_barrier", false, "a barrier that only some threads of a warp reach")       \
  X(BarrierCount, Synccheck, "barrier_count", false, "a barrier with an invalid thread count, or with another than the warps that wait there") \
  X(BarrierExited, Synccheck, "barrier_exited", false, "a barrier of the whole block after some of its threads have exited")           \
  X(SyncMask, Synccheck, "sync_mask", false, "a member mask that leaves out a lane that executes the instruction, or names one that has exited") \
  X(Deadlock, Synccheck, "deadlock", false, "warps that wait for each other forever")                                 \
  X(Fault, Launch, "fault", false, "any other fault of the program: the launch ends there")
// clang-format on

enum class Kind : uint8_t {
#define X(enumerator, ...) enumerator,
  WARPTIME_CHECK_KINDS(X)
#undef X
};

struct KindRow {
  Kind kind;
  Tool tool;
  std::string_view name;
  bool is_warning;
  std::string_view what;
};
inline constexpr std::array kKinds {
#define X(enumerator, tool, name, warning, what) KindRow{Kind::enumerator, Tool::tool, name, warning, what},
  WARPTIME_CHECK_KINDS(X)
#undef X
};
constexpr const KindRow& row_of(Kind kind) { return kKinds[static_cast<size_t>(kind)]; }
constexpr std::string_view name(Tool tool) { return kTools[static_cast<size_t>(tool)].name; }

}  // namespace warptime::debug
