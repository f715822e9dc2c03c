// The bytes of everything allocated in device memory at one moment, to go back to.
#pragma once

#include <algorithm>
#include <vector>

#include "sim/mem/device_memory.h"

namespace warptime::sim {

class MemoryImage {
 public:
  explicit MemoryImage(DeviceMemory& memory) : memory_(memory) {
    for (const DeviceMemory::Allocation& a : memory.allocations()) {
      const std::byte* at = memory.at(a.begin);
      bytes_.emplace_back(at, at + a.bytes);
    }
  }
  void restore() const {
    for (size_t i = 0; i < bytes_.size(); ++i)
      std::copy(bytes_[i].begin(), bytes_[i].end(), memory_.at(memory_.allocations()[i].begin));
  }

 private:
  DeviceMemory& memory_;
  std::vector<std::vector<std::byte>> bytes_;  // by allocation: none comes or goes while this is
};

}  // namespace warptime::sim
