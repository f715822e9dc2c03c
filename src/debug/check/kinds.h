// The kinds of findings: one row each, from which help, `warptime list`, JSON and messages take their words.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/diagnostics.h"

namespace warptime::debug {

enum class Tool : uint8_t { Memcheck, Initcheck, Racecheck, Synccheck, Launch };

struct ToolRow {
  std::string_view name;
  std::string_view what;
};
inline constexpr std::array kTools{
    ToolRow{"memcheck", "accesses outside allocated memory, misaligned accesses, invalid calls of free"},
    ToolRow{"initcheck", "reads of memory and registers that nothing has written; memory never freed or used"},
    ToolRow{"racecheck", "accesses to shared and global memory that nothing orders"},
    ToolRow{"synccheck", "barriers, shuffles and .sync instructions that not all of their threads reach"},
    ToolRow{"launch", "any other fault that ends a launch"}};
/// Those that --tool names.
inline constexpr size_t kToolChoices = 4;

// A row: enumerator, tool, name, severity, what it means, what mends it where nothing more is known. Only errors change
// the exit status; a note names what is right here, and may be wrong elsewhere.
// clang-format off
#define WARPTIME_CHECK_KINDS(X)                                                                                        \
  X(OutOfBoundsGlobal, Memcheck, "out_of_bounds_global", Error, "an access to global memory outside all allocations", "an index inside the allocation, or a larger allocation") \
  X(OutOfBoundsShared, Memcheck, "out_of_bounds_shared", Error, "an access beyond the shared memory of the block", "an index inside the array, or more shared memory") \
  X(OutOfBoundsLocal, Memcheck, "out_of_bounds_local", Error, "an access beyond the local memory of the thread", "an index inside the array") \
  X(OutOfBoundsConstant, Memcheck, "out_of_bounds_constant", Error, "a load beyond the constant variables of the module", "an index inside the variable") \
  X(OutOfBoundsParameter, Memcheck, "out_of_bounds_parameter", Error, "a load beyond the parameters of the kernel", "an offset inside the parameters") \
  X(OutOfBoundsTexture, Memcheck, "out_of_bounds_texture", Error, "a fetch at integer coordinates outside the texture, or from a handle without a texture", "coordinates inside the texture, and a texture bound before the launch") \
  X(MisalignedGlobal, Memcheck, "misaligned_global", Error, "an address in global memory that is not a multiple of the size of the access", "an address that is a multiple of the size of the access") \
  X(MisalignedShared, Memcheck, "misaligned_shared", Error, "the same in shared memory", "an address that is a multiple of the size of the access") \
  X(MisalignedLocal, Memcheck, "misaligned_local", Error, "the same in local memory", "an address that is a multiple of the size of the access") \
  X(MisalignedConstant, Memcheck, "misaligned_constant", Error, "the same in constant memory", "an address that is a multiple of the size of the access") \
  X(MisalignedParameter, Memcheck, "misaligned_parameter", Error, "the same in parameter memory", "an address that is a multiple of the size of the access") \
  X(UseAfterFree, Memcheck, "use_after_free", Error, "an access to memory that has been freed", "a free that comes after the last access") \
  X(DoubleFree, Memcheck, "double_free", Error, "free() of a block that has been freed", "one free() for each malloc()") \
  X(InvalidFree, Memcheck, "invalid_free", Error, "free() of an address that malloc() did not return", "free() of the pointer that malloc() returned") \
  X(WriteToConstant, Memcheck, "write_to_constant", Error, "a store to constant or parameter memory by a generic address", "a copy in memory that can be written") \
  X(UninitializedGlobal, Initcheck, "uninitialized_global", Error, "a read of global memory that nothing has written", "a write, a copy or cudaMemset() before the read") \
  X(UninitializedShared, Initcheck, "uninitialized_shared", Error, "a read of shared memory that no thread of the block has written", "a write to it before the read, and a barrier (__syncthreads()) behind the write") \
  X(UninitializedLocal, Initcheck, "uninitialized_local", Error, "a read of local memory that the thread has not written", "an initial value") \
  X(UninitializedRegister, Initcheck, "uninitialized_register", Error, "a read of a register that the thread has not written", "an initial value, or a write on every path to the read") \
  X(UninitializedPredicate, Initcheck, "uninitialized_predicate", Error, "a read of a predicate that the thread has not written", "an initial value, or a write on every path to the read") \
  X(UninitializedCarry, Initcheck, "uninitialized_carry", Error, "a read of the carry flag that no instruction of the thread has written", "add.cc, sub.cc or mad.cc before it, in the same asm statement") \
  X(Leak, Initcheck, "leak", Error, "a block of malloc() in device code that is never freed", "free() of the block") \
  X(GridTooSmall, Initcheck, "grid_too_small", Note, "a buffer whose first elements each thread of the grid has written, and whose other elements nothing touches", "more blocks: the number of elements divided by the threads of a block, rounded up") \
  X(RaceRawShared, Racecheck, "race_raw_shared", Error, "a read of shared memory that nothing orders after another thread's write", "") \
  X(RaceWarShared, Racecheck, "race_war_shared", Error, "a write to shared memory that nothing orders after another thread's read", "") \
  X(RaceWawShared, Racecheck, "race_waw_shared", Error, "two writes to the same shared memory that nothing orders", "") \
  X(RaceRawGlobal, Racecheck, "race_raw_global", Error, "a read of global memory that nothing orders after another thread's write", "") \
  X(RaceWarGlobal, Racecheck, "race_war_global", Error, "a write to global memory that nothing orders after another thread's read", "") \
  X(RaceWawGlobal, Racecheck, "race_waw_global", Error, "two writes to the same global memory that nothing orders", "") \
  X(RaceSameValueShared, Racecheck, "race_same_value_shared", Warning, "two writes of one value to the same shared memory that nothing orders", "") \
  X(RaceSameValueGlobal, Racecheck, "race_same_value_global", Warning, "two writes of one value to the same global memory that nothing orders", "") \
  X(AsyncRead, Racecheck, "async_copy_read", Error, "a read of shared memory that an asynchronous copy may still write", "a wait for the copy (cp.async.wait_group, or at its mbarrier object) before the read, and a barrier if another thread copies") \
  X(AsyncOverwrite, Racecheck, "async_copy_overwritten", Error, "a write to shared memory that an asynchronous copy may still write", "a wait for the copy before the write") \
  X(AsyncSource, Racecheck, "async_copy_source", Error, "a write to memory that an asynchronous copy may still read", "a wait for the copy before the write, and a barrier behind the wait if another thread copies") \
  X(AsyncUnwaited, Racecheck, "async_copy_unwaited", Error, "an asynchronous copy that no thread waits for", "cp.async.commit_group and cp.async.wait_group, or a wait at its mbarrier object") \
  X(AsyncProxy, Racecheck, "async_copy_proxy", Error, "a bulk copy (cp.async.bulk) from shared memory that was written with no fence.proxy.async behind the write", "fence.proxy.async behind the stores, and a barrier behind it if another thread copies") \
  X(MbarrierInvalid, Racecheck, "mbarrier_invalid", Error, "a use of an mbarrier object that is not initialised, or an initialisation of one that is", "mbarrier.init by one thread before all other uses, with a barrier behind it, and mbarrier.inval before the next one") \
  X(MbarrierCount, Racecheck, "mbarrier_count", Error, "more arrivals or bytes than a phase of an mbarrier object has", "the number of arrivals that mbarrier.init has named") \
  X(MbarrierPhase, Racecheck, "mbarrier_phase", Warning, "a wait at an mbarrier object for a phase that is long over, or that the thread has waited for before", "the parity flipped after each wait, or the state of the last arrival") \
  X(MbarrierAccess, Racecheck, "mbarrier_access", Error, "a load, a store or a copy of the bytes of an mbarrier object", "memory of its own for the mbarrier object") \
  X(ProductRegister, Racecheck, "wgmma_register", Error, "an access to a register that a product of a warpgroup (wgmma) under way still reads or writes", "wgmma.commit_group behind the product and wgmma.wait_group before the access") \
  X(ProductOverwrite, Racecheck, "wgmma_overwritten", Error, "a write to shared memory that a product of a warpgroup under way may still read", "wgmma.wait_group before the write, and a barrier if another warp multiplies") \
  X(ProductProxy, Racecheck, "wgmma_proxy", Error, "a product of a warpgroup that reads shared memory which was written with no fence.proxy.async behind the write", "fence.proxy.async behind the stores, and a barrier behind it") \
  X(ProductFence, Racecheck, "wgmma_fence", Warning, "a product of a warpgroup with no wgmma.fence since its registers were written", "wgmma.fence before the first product, behind the last write of its registers") \
  X(WarpSynchronous, Racecheck, "warp_synchronous", Note, "lanes of a warp that exchange values without a barrier: right where lanes run in lockstep, a race from compute capability 7.0 on", "__syncwarp() between the accesses") \
  X(DivergentBarrier, Synccheck, "divergent_barrier", Error, "a barrier that only some threads of a warp reach", "a barrier that all threads of the block execute") \
  X(BarrierCount, Synccheck, "barrier_count", Error, "a barrier with an invalid thread count, or with another than the warps that wait there", "one thread count, a multiple of 32, for all warps at the barrier") \
  X(BarrierExited, Synccheck, "barrier_exited", Error, "a barrier of the whole block after some of its threads have exited", "a barrier that all threads of the block execute") \
  X(SyncMask, Synccheck, "sync_mask", Error, "a member mask that leaves out a lane that executes the instruction, or names one that has exited", "a mask that names exactly the lanes that execute the instruction") \
  X(ShuffleSource, Synccheck, "shuffle_source", Error, "a value that is used, and that a shuffle has read from a lane that does not execute it", "a shuffle that all lanes which are read execute, outside of the branch, with a mask that names them") \
  X(SpinWithinWarp, Synccheck, "spin_within_warp", Note, "a lane that waits for another lane of its warp in a loop: with lanes in lockstep (compute capability up to 6.x) for ever", "the lock taken, used and released inside the loop, or by one lane of a warp") \
  X(Deadlock, Synccheck, "deadlock", Error, "warps that wait for each other forever", "the same barriers in the same order for all threads that they wait for") \
  X(Fault, Launch, "fault", Error, "any other fault of the program: the launch ends there", "")
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
  Severity severity;
  std::string_view what;
  std::string_view remedy;
};
inline constexpr std::array kKinds {
#define X(enumerator, tool, name, severity, what, remedy) \
  KindRow{Kind::enumerator, Tool::tool, name, Severity::severity, what, remedy},
  WARPTIME_CHECK_KINDS(X)
#undef X
};
constexpr const KindRow& row_of(Kind kind) { return kKinds[static_cast<size_t>(kind)]; }
constexpr std::string_view name(Tool tool) { return kTools[static_cast<size_t>(tool)].name; }

}  // namespace warptime::debug
