#include "sim/runtime/device_heap.h"

#include <algorithm>

namespace warptime::sim {

void DeviceHeap::place(Addr begin, uint64_t bytes) {
  begin_ = (begin + kAlignment - 1) / kAlignment * kAlignment;
  end_ = begin + bytes;
  if (begin_ < end_) add_free(begin_, (end_ - begin_) / kAlignment * kAlignment);
}

Addr DeviceHeap::allocate(uint64_t bytes) {
  if (bytes > end_ - begin_) return 0;
  bytes = std::max(kAlignment, (bytes + kAlignment - 1) / kAlignment * kAlignment);
  auto found = free_by_size_.lower_bound({bytes, 0});
  if (found == free_by_size_.end()) return 0;
  auto [size, address] = *found;
  remove_free(free_.find(address));
  if (size > bytes) add_free(address + bytes, size - bytes);
  allocated_[address] = bytes;
  return address;
}

bool DeviceHeap::free(Addr address) {
  auto block = allocated_.find(address);
  if (block == allocated_.end()) return false;
  Addr begin = block->first;
  uint64_t bytes = block->second;
  allocated_.erase(block);
  auto after = free_.lower_bound(begin);
  if (after != free_.begin()) {
    auto before = std::prev(after);
    if (before->first + before->second == begin) {
      begin = before->first;
      bytes += before->second;
      remove_free(before);
    }
  }
  if (after != free_.end() && begin + bytes == after->first) {
    bytes += after->second;
    remove_free(after);
  }
  add_free(begin, bytes);
  return true;
}

DeviceHeap::Place DeviceHeap::place_of(Addr address) const {
  if (address < begin_ || address >= end_) return Place::Outside;
  auto block = allocated_.upper_bound(address);
  if (block == allocated_.begin()) return Place::Free;
  --block;
  return address - block->first < block->second ? Place::WithinBlock : Place::Free;
}

uint64_t DeviceHeap::bytes_free() const {
  uint64_t bytes = 0;
  for (auto [begin, size] : free_) bytes += size;
  return bytes;
}

void DeviceHeap::add_free(Addr begin, uint64_t bytes) {
  free_[begin] = bytes;
  free_by_size_.insert({bytes, begin});
}

void DeviceHeap::remove_free(std::map<Addr, uint64_t>::iterator range) {
  free_by_size_.erase({range->second, range->first});
  free_.erase(range);
}

}  // namespace warptime::sim
