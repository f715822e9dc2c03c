// The bytes of device memory and the allocations in them. Values only: nothing here takes time.
//
// Only what the program touches costs host memory (device_bytes.h).
// Loads read it while SMs run; it is written only between steps (by the partitions, in order) and by the host between
// launches. Addresses that were released are given out again only when no others are left, so that a use after the
// release is detected for as long as possible.
#pragma once

#include <cstddef>
#include <deque>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/clock.h"
#include "sim/mem/device_bytes.h"
#include "sim/model/address_space.h"

namespace warptime::sim {

class DeviceMemory {
 public:
  struct Allocation {
    Addr begin = 0;
    uint64_t bytes = 0;  // as requested; not rounded up
    std::string name;
    Addr end() const { return begin + bytes; }
  };

  DeviceMemory(uint64_t capacity, uint32_t alignment);
  DeviceMemory(const DeviceMemory&) = delete;
  DeviceMemory& operator=(const DeviceMemory&) = delete;

  /// nullopt if it does not fit. Allocations are at multiples of `alignment` (at least the machine's), in increasing
  /// addresses, with a gap of at least one alignment unit, so that an overrun is detected. Zero-filled.
  /// Once something was released and the addresses above are used up, the lowest gap that is large enough.
  std::optional<Addr> allocate(uint64_t bytes, std::string name, uint32_t alignment = 0);
  /// At this address. False: there is something, or it is beyond the memory.
  bool allocate_at(Addr begin, uint64_t bytes, std::string name);
  /// False if no allocation begins at this address. Its bytes become zero, and the host gets its whole pages back.
  bool release(Addr begin);
  /// The largest allocation of the machine's alignment that fits.
  uint64_t bytes_free() const;
  /// The first address beyond the device's memory, also beyond what is free.
  Addr end() const { return kDeviceBase + capacity_; }

  /// The allocation that holds [address, address + bytes), or nullptr.
  const Allocation* find(Addr address, uint64_t bytes) const;
  /// In increasing addresses.
  std::span<const Allocation> allocations() const { return allocations_; }
  /// The latest of the last kReleasesKept released allocations that held this address, or nullptr.
  const Allocation* released_at(Addr address) const;
  static constexpr size_t kReleasesKept = 256;

  /// Until the next allocation.
  std::byte* at(Addr address) { return bytes_ + address; }
  const std::byte* at(Addr address) const { return bytes_ + address; }

 private:
  std::optional<Addr> allocate_in_gap(uint64_t bytes, std::string& name, uint64_t unit);
  void reach(Addr end) { bytes_ = memory_.reach(end); }

  DeviceBytes memory_;
  std::byte* bytes_ = nullptr;  // of it; index is the device address
  uint64_t capacity_ = 0;
  uint32_t alignment_ = 256;
  Addr next_ = kDeviceBase;
  std::vector<Allocation> allocations_;
  bool has_released_ = false;
  std::deque<Allocation> released_;  // the last ones, for messages
};

}  // namespace warptime::sim
