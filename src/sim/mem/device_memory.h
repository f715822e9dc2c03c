// The bytes of device memory and the allocations in them. Values only: nothing here takes time.
//
// The whole capacity is one anonymous mapping without reserve, so only pages that the program touches cost host memory.
// Loads read it while SMs run; it is written only between steps (by the partitions, in order) and by the host between
// launches.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/clock.h"
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
  ~DeviceMemory();
  DeviceMemory(const DeviceMemory&) = delete;
  DeviceMemory& operator=(const DeviceMemory&) = delete;

  /// nullopt if it does not fit. Allocations are at multiples of `alignment` (at least the machine's), in increasing
  /// addresses, with a gap of at least one alignment unit, so that an overrun is detected. Zero-filled.
  std::optional<Addr> allocate(uint64_t bytes, std::string name, uint32_t alignment = 0);
  uint64_t bytes_free() const;

  /// The allocation that holds [address, address + bytes), or nullptr.
  const Allocation* find(Addr address, uint64_t bytes) const;
  std::span<const Allocation> allocations() const { return allocations_; }

  std::byte* at(Addr address) { return bytes_ + address; }
  const std::byte* at(Addr address) const { return bytes_ + address; }

 private:
  std::byte* bytes_ = nullptr;  // index is the device address
  uint64_t capacity_ = 0;
  uint32_t alignment_ = 256;
  Addr next_ = kDeviceBase;
  std::vector<Allocation> allocations_;
};

}  // namespace warptime::sim
