// Computes the number of blocks per SM, and the limiting resource (CUDA C Programming Guide 4.2, 4.2 "Hardware
// Multithreading").
//
// Registers are allocated to a block as a whole (compute capability 1.x: its warps rounded up to an even number, 32
// threads each, the product rounded up to the register unit) or to each warp (2.x and later), from 3.x on out of the
// registers of one sub-partition of the SM. Shared memory is rounded up to its unit.
//
// Where a launch does not give the registers per thread, they are estimated: by the rules of a G80
// (ptx/native/native_registers.h) or those of later machines (ptx/native/later_registers.h).
#pragma once

#include <cstdint>
#include <vector>

#include "ptx/module.h"
#include "sim/model/machine.h"
#include "sim/model/statistics.h"

namespace warptime::sim {

/// The limiter is the resource that allows the fewest blocks; of several that allow equally few, the first of threads,
/// warps, blocks, registers, shared_memory. `blocks_per_sm` 0: the block can never fit, and the limiter says why.
Occupancy occupancy(const MachineConfig& machine, uint32_t threads_per_block, uint32_t registers_per_thread,
                    uint32_t shared_bytes_per_block);

/// Registers that the allocation takes for one block.
uint64_t registers_per_block(const MachineConfig& machine, uint32_t threads_per_block, uint32_t registers_per_thread);

/// Registers of a block as the launch compares them with max_registers_per_block: where each warp gets its own, as if
/// all sub-partitions held equally many warps (CUDA occupancy calculator).
uint64_t registers_at_launch(const MachineConfig& machine, uint32_t threads_per_block, uint32_t registers_per_thread);

/// The most registers of a block.
uint32_t max_registers_per_block(const MachineConfig& machine);

/// Bytes of shared memory that the allocation takes for a block that has so many.
uint64_t allocated_shared(const MachineConfig& machine, uint32_t shared_bytes_per_block);

/// The sizes that shared memory may have of the array that it shares with the L1 data cache, in order; empty: none, or
/// a word is not a number.
std::vector<uint32_t> carveouts(const L1Config& l1);

/// Bytes of the L1 data cache while a launch runs whose blocks on an SM have `shared` bytes together.
uint32_t l1_bytes_beside(const MachineConfig& machine, uint64_t shared);

/// Registers per thread, if not stated: estimated from the PTX, or from the native code of a G80 (`native_cost: g80`);
/// of a kernel whose registers are allocated (`native.allocate: linear_scan`), those.
uint32_t registers_estimated(const MachineConfig& machine, const ptx::Kernel& kernel);

/// Registers that .maxnreg and .minnctapersm (with the block size of .maxntid or .reqntid) leave to a thread; 0: they
/// set no limit.
uint32_t register_limit(const MachineConfig& machine, const ptx::Kernel& kernel);

/// The most registers that an allocator may give to a thread: those of the machine, of .maxnreg, of .minnctapersm, and
/// those with which one block of .maxntid or .reqntid threads fits.
uint32_t allocation_limit(const MachineConfig& machine, const ptx::Kernel& kernel);

/// Registers of a thread where a launch does not state them: the estimate. A lower limit of the program does not reduce
/// them, because what it costs, the spilled values, is not simulated; only if no block would fit otherwise are they as
/// many as let one block fit, and the limit at least.
uint32_t registers_allocated(const MachineConfig& machine, const ptx::Kernel& kernel, uint32_t threads_per_block);

/// The registers of the estimate beyond the program's limit: as many values would be spilled. 0: none, or a launch
/// that states its registers keeps to the limit.
uint32_t registers_over_limit(const MachineConfig& machine, const ptx::Kernel& kernel, uint32_t registers_per_thread);

/// Shared bytes of a block: static + dynamic, and where parameters live in shared memory the header and the parameters
/// (an address parameter counts as `sm.address_bytes`).
uint32_t shared_bytes_per_block(const MachineConfig& machine, const ptx::Kernel& kernel, uint32_t dynamic_shared_bytes);

}  // namespace warptime::sim
