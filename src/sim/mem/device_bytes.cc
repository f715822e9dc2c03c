#include "sim/mem/device_bytes.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <limits>

#include "base/host_memory.h"

namespace warptime::sim {

namespace {

constexpr const char* kName = "device memory (memory.bytes)";
/// The least that an array begins with; and what lies behind the last address that was asked for.
constexpr uint64_t kLeastBytes = 1 << 20, kSlack = 4096;

uint64_t page_bytes() { return static_cast<uint64_t>(sysconf(_SC_PAGESIZE)); }
uint64_t round_up(uint64_t value, uint64_t unit) { return (value + unit - 1) / unit * unit; }

}  // namespace

MappedBytes::MappedBytes(uint64_t end) : end_(end) {
  void* mapping = mmap(nullptr, mapped(), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  // HostMemoryError: not a device memory that is full.
  if (mapping == MAP_FAILED) throw_no_host_memory(kName, mapped());
  bytes_ = static_cast<std::byte*>(mapping);
  mprotect(bytes_ + mapped() - page_bytes(), page_bytes(), PROT_NONE);
}

MappedBytes::~MappedBytes() { munmap(bytes_, mapped()); }

uint64_t MappedBytes::mapped() const { return round_up(end_, page_bytes()) + page_bytes(); }

/// Fresh pages without contents take the place of whole ones.
void MappedBytes::clear(Addr begin, uint64_t bytes) {
  Addr end = begin + bytes;
  Addr first = std::min(round_up(begin, page_bytes()), end);  // address 0 is at the beginning of a page
  Addr last = std::max(first, end / page_bytes() * page_bytes());
  if (last > first && mmap(bytes_ + first, last - first, PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0) == MAP_FAILED)
    last = first;
  std::memset(bytes_ + begin, 0, first - begin);
  std::memset(bytes_ + last, 0, end - last);
}

std::byte* GrownBytes::reach(Addr end) {
  const uint64_t now = size();
  if (end + kSlack <= now) return bytes_.data();
  const uint64_t wanted = std::max({end + kSlack, now + now / 4, kLeastBytes});
  const uint64_t then = std::max(end + kSlack, std::min(wanted, end_ + kSlack));
  if (then > std::numeric_limits<std::ptrdiff_t>::max()) throw_no_host_memory(kName, then);
  try {
    bytes_.reserve(then);  // no more than that
    bytes_.resize(then);
  } catch (const std::bad_alloc&) {
    throw_no_host_memory(kName, then);
  }
  return bytes_.data();
}

void GrownBytes::clear(Addr begin, uint64_t bytes) { std::memset(bytes_.data() + begin, 0, bytes); }

}  // namespace warptime::sim
