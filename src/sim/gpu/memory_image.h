// A copy of all allocations in device memory, and of the state of its heap, at one moment, for restoring them.
#pragma once

#include <algorithm>
#include <vector>

#include "sim/mem/device_memory.h"
#include "sim/runtime/device_heap.h"

namespace warptime::sim {

class MemoryImage {
 public:
  /// `heap`: nullptr, if the kernel does not use it.
  MemoryImage(DeviceMemory& memory, DeviceHeap* heap) : memory_(memory), heap_(heap) {
    if (heap != nullptr) kept_heap_ = *heap;
    for (const DeviceMemory::Allocation& a : memory.allocations()) {
      const std::byte* at = memory.at(a.begin);
      bytes_.emplace_back(at, at + a.bytes);
    }
  }
  void restore() const {
    if (heap_ != nullptr) *heap_ = kept_heap_;
    for (size_t i = 0; i < bytes_.size(); ++i)
      std::copy(bytes_[i].begin(), bytes_[i].end(), memory_.at(memory_.allocations()[i].begin));
  }

 private:
  DeviceMemory& memory_;
  DeviceHeap* heap_;
  DeviceHeap kept_heap_;
  std::vector<std::vector<std::byte>> bytes_;  // by allocation: none comes or goes while this is
};

}  // namespace warptime::sim
