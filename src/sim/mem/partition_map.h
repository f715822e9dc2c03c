// Maps an address to a memory partition and an offset in it. Linear memory of a G80 is interleaved over the partitions
// in 256-byte blocks, one at a time (short) or four at a time (long); `xor` flips the lowest partition bit by the
// parity of the low five bits of the block's index in its partition, as for block-linear surfaces (envytools,
// docs/hw/memory/g80-vram). Left out: the large-page limits of the long cycle.
#pragma once

#include "base/clock.h"
#include "base/divider.h"
#include "sim/model/machine.h"

namespace warptime::sim {

struct PartitionAddress {
  uint32_t partition = 0;
  Addr offset = 0;  // bytes within the partition
};

class PartitionMap {
 public:
  explicit PartitionMap(const MemoryConfig& memory);
  PartitionAddress locate(Addr address) const;
  /// The inverse of locate.
  Addr address_of(PartitionAddress place) const;

 private:
  uint32_t flipped(uint32_t partition, Addr block_in_partition) const;

  AddressMap kind_;
  uint32_t block_shift_;
  Divider partitions_;
};

}  // namespace warptime::sim
