#include "sim/mem/device_memory.h"

#include <algorithm>
#include <utility>

namespace warptime::sim {

namespace {

uint64_t round_up(uint64_t value, uint64_t unit) { return (value + unit - 1) / unit * unit; }

}  // namespace

DeviceMemory::DeviceMemory(uint64_t capacity, uint32_t alignment)
    : memory_(kDeviceBase + capacity), capacity_(capacity), alignment_(std::max(1u, alignment)) {
  reach(kDeviceBase);
}

std::optional<Addr> DeviceMemory::allocate(uint64_t bytes, std::string name, uint32_t alignment) {
  uint64_t unit = std::max(alignment_, alignment);
  Addr begin = round_up(next_, unit);
  Addr limit = kDeviceBase + capacity_;
  if (begin > limit || bytes > limit - begin) return allocate_in_gap(bytes, name, unit);
  reach(begin + bytes);
  allocations_.push_back({begin, bytes, std::move(name)});
  next_ = begin + bytes + alignment_;
  return begin;
}

std::optional<Addr> DeviceMemory::allocate_in_gap(uint64_t bytes, std::string& name, uint64_t unit) {
  if (!has_released_ || bytes > capacity_) return std::nullopt;
  Addr low = kDeviceBase;
  for (auto it = allocations_.begin();; ++it) {
    Addr begin = round_up(low, unit);
    bool is_last = it == allocations_.end();
    // The end of memory needs no gap before it.
    Addr end = is_last ? kDeviceBase + capacity_ : it->begin - std::min<Addr>(alignment_, it->begin);
    if (begin <= end && bytes <= end - begin) {
      reach(begin + bytes);
      allocations_.insert(it, {begin, bytes, std::move(name)});
      if (is_last) next_ = std::max(next_, begin + bytes + alignment_);
      return begin;
    }
    if (is_last) return std::nullopt;
    low = it->end() + alignment_;
  }
}

bool DeviceMemory::allocate_at(Addr begin, uint64_t bytes, std::string name) {
  if (begin < kDeviceBase || begin > end() || bytes > end() - begin) return false;
  auto after = std::lower_bound(allocations_.begin(), allocations_.end(), begin,
                                [](const Allocation& allocation, Addr at) { return allocation.begin < at; });
  if (after != allocations_.end() && after->begin - begin < std::max<uint64_t>(bytes, 1)) return false;
  if (after != allocations_.begin() && std::prev(after)->end() > begin) return false;
  reach(begin + bytes);
  allocations_.insert(after, {begin, bytes, std::move(name)});
  next_ = std::max(next_, begin + bytes + alignment_);
  has_released_ = true;  // there may be a gap below it
  return true;
}

bool DeviceMemory::release(Addr begin) {
  auto it = std::lower_bound(allocations_.begin(), allocations_.end(), begin,
                             [](const Allocation& allocation, Addr at) { return allocation.begin < at; });
  if (it == allocations_.end() || it->begin != begin) return false;
  memory_.clear(begin, it->bytes);
  if (released_.size() == kReleasesKept) released_.pop_front();
  released_.push_back(std::move(*it));
  allocations_.erase(it);
  has_released_ = true;
  return true;
}

uint64_t DeviceMemory::bytes_free() const {
  Addr begin = round_up(next_, alignment_), limit = kDeviceBase + capacity_;
  uint64_t most = begin < limit ? limit - begin : 0;
  if (!has_released_) return most;
  Addr low = kDeviceBase;
  for (const Allocation& allocation : allocations_) {
    begin = round_up(low, alignment_);
    if (begin + alignment_ < allocation.begin) most = std::max(most, allocation.begin - alignment_ - begin);
    low = allocation.end() + alignment_;
  }
  begin = round_up(low, alignment_);
  return begin < limit ? std::max(most, limit - begin) : most;
}

const DeviceMemory::Allocation* DeviceMemory::released_at(Addr address) const {
  for (size_t i = released_.size(); i-- > 0;) {
    const Allocation& old = released_[i];
    if (address >= old.begin && address - old.begin < std::max<uint64_t>(old.bytes, 1)) return &old;
  }
  return nullptr;
}

const DeviceMemory::Allocation* DeviceMemory::find(Addr address, uint64_t bytes) const {
  auto after = std::upper_bound(allocations_.begin(), allocations_.end(), address,
                                [](Addr at, const Allocation& allocation) { return at < allocation.begin; });
  if (after == allocations_.begin()) return nullptr;
  const Allocation& candidate = *(after - 1);
  uint64_t offset = address - candidate.begin;
  return offset < candidate.bytes && bytes <= candidate.bytes - offset ? &candidate : nullptr;
}

}  // namespace warptime::sim
