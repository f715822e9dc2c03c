// Values of loads and stores: lane addresses, and the copies between registers and bytes. No bounds checks, no time.
#pragma once

#include <array>

#include "base/clock.h"
#include "sim/exec/insn.h"

namespace warptime::sim {

/// base + offset for each lane of `mask`; other entries are left as they were. 32-bit addresses wrap at 4 GiB.
void lane_addresses(const WarpValues& warp, const AddressOperand& address, uint32_t mask,
                    std::array<Addr, kWarpSize>& out);

/// Loads each lane's elements from `from[lane]` into the data registers, extending as the instruction says.
void load_values(const WarpValues& warp, const Insn& insn, uint32_t mask,
                 const std::array<const std::byte*, kWarpSize>& from);

/// Loads elements from one place for all lanes (kernel parameters, uniform constants).
void load_uniform(const WarpValues& warp, const Insn& insn, uint32_t mask, const std::byte* from);

/// Writes each lane's elements to `to[lane]`, in lane order (of lanes with one address the last one's stay).
void store_values(const WarpValues& warp, const Insn& insn, uint32_t mask, const std::array<std::byte*, kWarpSize>& to);

/// ld.param and st.param of a .param variable that is passed to or from a device function: its rows begin at `base`.
void load_passed(const WarpValues& warp, const Insn& insn, uint32_t mask);
void store_passed(const WarpValues& warp, const Insn& insn, uint32_t mask);

}  // namespace warptime::sim
