// The shared memory that a product of a warpgroup reads, for checkers.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/exec/warpgroup_product.h"

namespace warptime::sim {

/// The pieces of 16 bytes that a warp reads, as far as they are in shared memory: their addresses, in order, each once.
std::vector<uint32_t> pieces_read(const WarpgroupProduct& of, const ProductInput& in);

}  // namespace warptime::sim
