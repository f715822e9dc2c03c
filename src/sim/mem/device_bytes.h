// The host's bytes behind device memory: [0, end), zero until they are written. Where the host maps pages, the whole
// end is mapped without reserve, so only pages that the program touches cost memory. Where it has one linear memory
// without page faults (WebAssembly), an array grows to what has been asked for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/clock.h"

namespace warptime::sim {

/// One anonymous mapping. A page without access follows it, so that our own overrun is caught at once.
class MappedBytes {
 public:
  explicit MappedBytes(uint64_t end);
  ~MappedBytes();
  MappedBytes(const MappedBytes&) = delete;
  MappedBytes& operator=(const MappedBytes&) = delete;

  /// Where address 0 is, from now until the next call: [0, end) may be used. Throws HostMemoryError.
  std::byte* reach(Addr /*end*/) { return bytes_; }
  /// Makes these bytes zero; whole pages go back to the host.
  void clear(Addr begin, uint64_t bytes);

 private:
  uint64_t mapped() const;

  std::byte* bytes_ = nullptr;
  uint64_t end_ = 0;
};

/// An array that grows, by a quarter at least, so that many small allocations do not copy it each time.
class GrownBytes {
 public:
  explicit GrownBytes(uint64_t end) : end_(end) {}

  std::byte* reach(Addr end);
  void clear(Addr begin, uint64_t bytes);
  /// What the host has given.
  uint64_t size() const { return bytes_.size(); }

 private:
  std::vector<std::byte> bytes_;
  uint64_t end_ = 0;
};

#ifdef __EMSCRIPTEN__
using DeviceBytes = GrownBytes;
#else
using DeviceBytes = MappedBytes;
#endif

}  // namespace warptime::sim
