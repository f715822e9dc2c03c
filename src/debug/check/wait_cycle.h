// Who waits for whom at the barriers of a block.
#pragma once

#include <string>

#include "sim/state/sm_state.h"

namespace warptime::debug {

/// "warp 0 waits at barrier 1 (line 17), warp 1 waits at barrier 2 (line 21); each waits for the next, and the last for
/// warp 0"; or that it waits for threads that do not exist or have exited. `slot`: of a warp that waits.
std::string wait_cycle(const sim::SmState& sm, uint32_t slot);

}  // namespace warptime::debug
