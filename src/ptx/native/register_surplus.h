// The registers of a G80 that the linear scan of today's PTX does not show.
#pragma once

#include <cstdint>

namespace warptime::ptx {

/// What a compiler of the time used beyond that for a kernel of this `.version` (times ten). The PTX of Open64 (before
/// 2.0) has that compiler's own values: none. PTX of today keeps fewer values: one, fitted to the four kernels of Ryoo
/// et al. 2008, section 4 (published 10, 10, 9 and 11, without it 8, 11, 8 and 10).
inline uint32_t registers_beyond_scan(uint16_t ptx_version) { return ptx_version < 20 ? 0 : 1; }

}  // namespace warptime::ptx
