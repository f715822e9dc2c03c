// The blocks of malloc and free in device code, with the places of these calls.
#pragma once

#include <map>
#include <string>

#include "debug/check/finding.h"

namespace warptime::debug {

struct HeapBlock {
  Addr begin = 0;
  uint64_t bytes = 0;              // as requested
  std::string where, freed_where;  // "allocated at line 12 by ..."
  Finding leak;                    // what is reported if it is never freed
  Addr end() const { return begin + bytes; }
};

class HeapBlocks {
 public:
  /// Whether an address lies in the heap.
  bool holds(Addr address) const { return address - begin_ < bytes_; }
  /// The last allocated block that begins at or before the address.
  const HeapBlock* block_before(Addr address) const;
  /// The block that was there when it was freed, if no newer one is there.
  const HeapBlock* freed_at(Addr address) const;
  void change(const sim::LaunchContext& launch, const sim::HeapEvent& event);
  const std::map<Addr, HeapBlock>& allocated() const { return allocated_; }

 private:
  static constexpr size_t kFreedKept = 1 << 16;

  Addr begin_ = 0;
  uint64_t bytes_ = 0;
  std::map<Addr, HeapBlock> allocated_, freed_;
};

}  // namespace warptime::debug
