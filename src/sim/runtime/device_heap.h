// The heap that malloc and free of device code share ("Dynamic Global Memory Allocation and Operations" in the CUDA C++
// Programming Guide): a range of device memory. It lasts as long as the device, over all launches.
//
// malloc takes the smallest free range that is large enough, of several the lowest. The bookkeeping is outside of the
// heap: every byte of it can be allocated, and a program that writes beyond its block can only destroy other blocks.
// Requests come one at a time, in an order that does not depend on host threads.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <utility>

#include "base/clock.h"

namespace warptime::sim {

class DeviceHeap {
 public:
  /// Blocks are at multiples of this (Guide: 16 bytes), and have multiples of it.
  static constexpr uint64_t kAlignment = 16;

  bool is_placed() const { return end_ != 0; }
  /// The heap lies in [begin, begin + bytes), which is used only for it.
  void place(Addr begin, uint64_t bytes);

  /// The address of a block of at least `bytes`; 0: there is no room.
  Addr allocate(uint64_t bytes);
  /// False: no block that is allocated begins there.
  bool free(Addr address);

  /// What is at an address that free() did not accept.
  enum class Place : uint8_t { Outside, WithinBlock, Free };
  Place place_of(Addr address) const;
  uint64_t bytes_free() const;

 private:
  void add_free(Addr begin, uint64_t bytes);
  void remove_free(std::map<Addr, uint64_t>::iterator range);

  Addr begin_ = 0, end_ = 0;
  std::map<Addr, uint64_t> allocated_, free_;         // by address: bytes
  std::set<std::pair<uint64_t, Addr>> free_by_size_;  // the same as free_

 public:
  /// Saves or restores what changes (base/state_archive.h).
  template <class Archive>
  void serialize(Archive& archive) {
    archive(begin_, end_, allocated_, free_, free_by_size_);
  }
};

}  // namespace warptime::sim
