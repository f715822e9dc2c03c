// Rows of values that are not a warp's own (RowArea): kernel parameters and special registers (PTX ISA 9.0, chapter
// 10). What all SMs and blocks have in common is there once.
#pragma once

#include <cstdint>

#include "sim/state/launch_context.h"

namespace warptime::sim {

/// Its launch_rows and thread_rows, when all that they tell is there: grid, block, shared memory, parameters.
void fill_rows(LaunchContext& launch);
/// The rows of RowArea::Block, for block `index` of the grid.
void fill_block_rows(const LaunchContext& launch, uint64_t index, std::byte* rows);
/// Of a warp's own rows those that tell SM and place.
void fill_place_rows(const LaunchContext& launch, uint32_t sm, uint32_t place, std::byte* rows);
/// Of a warp's own rows those that tell the time: this cycle of the shader clock.
void fill_clock_rows(const LaunchContext& launch, uint64_t cycle, std::byte* rows);

}  // namespace warptime::sim
