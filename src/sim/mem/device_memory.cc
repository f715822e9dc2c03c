// Device memory as one anonymous mapping. `bytes_` is placed so that a device address is an index into it; a page
// without access follows the capacity, so that our own overrun is caught at once.
#include "sim/mem/device_memory.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>

#include "base/assert.h"

namespace warptime::sim {

namespace {

uint64_t round_up(uint64_t value, uint64_t unit) { return (value + unit - 1) / unit * unit; }

uint64_t page_bytes() { return static_cast<uint64_t>(sysconf(_SC_PAGESIZE)); }

}  // namespace

DeviceMemory::DeviceMemory(uint64_t capacity, uint32_t alignment) : alignment_(std::max(1u, alignment)) {
  uint64_t readable = round_up(kDeviceBase + capacity, page_bytes());
  void* mapping = mmap(nullptr, readable + page_bytes(), PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (mapping == MAP_FAILED) return;  // a host that cannot give the addresses: nothing fits, and the caller says so
  bytes_ = static_cast<std::byte*>(mapping);
  capacity_ = capacity;
  mprotect(bytes_ + readable, page_bytes(), PROT_NONE);
}

DeviceMemory::~DeviceMemory() {
  if (bytes_ != nullptr) munmap(bytes_, round_up(kDeviceBase + capacity_, page_bytes()) + page_bytes());
}

std::optional<Addr> DeviceMemory::allocate(uint64_t bytes, std::string name, uint32_t alignment) {
  uint64_t unit = std::max(alignment_, alignment);
  Addr begin = round_up(next_, unit);
  Addr limit = kDeviceBase + capacity_;
  if (begin > limit || bytes > limit - begin) return std::nullopt;
  allocations_.push_back({begin, bytes, std::move(name)});
  next_ = begin + bytes + alignment_;
  return begin;
}

uint64_t DeviceMemory::bytes_free() const {
  Addr begin = round_up(next_, alignment_), limit = kDeviceBase + capacity_;
  return begin < limit ? limit - begin : 0;
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
