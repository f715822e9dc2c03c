// Rows of values that warps share (RowArea): kernel parameters and special registers (PTX ISA 9.0, chapter 10). Values
// that are equal for all SMs and blocks exist once.
#pragma once

#include <cstdint>

#include "sim/state/launch_context.h"

namespace warptime::sim {

/// Fills launch_rows and thread_rows, once grid, block, shared memory and parameters are set.
void fill_rows(LaunchContext& launch);
/// What lane `lane` of warp `warp` of any block reads; not those of the block, the SM, the warp slot or the time.
uint64_t special_value(const LaunchContext& launch, ptx::Special special, uint32_t warp, uint32_t lane);
/// The rows of RowArea::Block, for block `index` of the grid.
void fill_block_rows(const LaunchContext& launch, uint64_t index, std::byte* rows);
/// Fills the warp's rows for the SM and the warp slot.
void fill_slot_rows(const LaunchContext& launch, uint32_t sm, uint32_t slot, std::byte* rows);
/// Fills the warp's rows for the time: this cycle of the shader clock.
void fill_clock_rows(const LaunchContext& launch, uint64_t cycle, std::byte* rows);

}  // namespace warptime::sim
