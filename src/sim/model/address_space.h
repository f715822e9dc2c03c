// Generic addresses: windows for shared and local memory, constants and kernel parameters, everything else is global.
// Below any window is device memory, which starts above zero so that a null pointer is never valid.
#pragma once

#include "base/clock.h"

namespace warptime::sim {

/// First device address that an allocation may have.
inline constexpr Addr kDeviceBase = 0x10000;

/// Windows of the generic address space (16 MiB each); chosen for modules with 32- and 64-bit addresses.
struct GenericWindows {
  Addr shared_base;
  Addr local_base;
  Addr const_base;
  static constexpr Addr kBytes = Addr{1} << 24;
  static constexpr GenericWindows for_address_bytes(unsigned bytes) {
    return bytes == 8 ? GenericWindows{0x7f0000000000, 0x7f1000000000, 0x7f2000000000}
                      : GenericWindows{0xfc000000, 0xfe000000, 0xf8000000};
  }
  constexpr Addr param_base() const { return const_base + kBytes; }
};

/// Addresses in the shared memory of the blocks of a cluster, as mapa makes them: these bits are one more than the
/// number of the block in the cluster; without them, an address is in the block's own.
inline constexpr uint32_t kClusterBlockShift = 24, kMostClusterBlocks = 16;
constexpr uint32_t cluster_block_bits(Addr address) {
  return static_cast<uint32_t>(address >> kClusterBlockShift) & 0x1f;
}
inline constexpr Addr kClusterBlockMask = Addr{0x1f} << kClusterBlockShift;

}  // namespace warptime::sim
