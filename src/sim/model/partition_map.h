// Maps an address to a memory partition and an offset in it. Linear memory of a G80 is interleaved over the partitions
// in 256-byte blocks, one at a time (short) or four at a time (long); `xor` flips the lowest partition bit by the
// parity of the low five bits of the block's index in its partition, as for block-linear surfaces (envytools,
// docs/hw/memory/g80-vram). Left out: the large-page limits of the long cycle.
//
// `hashed` begins each round of the partitions at the one that a hash of the round's number selects, so that no pitch
// uses only a few partitions. Inferred: with `short`, rows of 6144 floats (a multiple of six blocks) would lie in one
// partition of a G80, but matrix-vector products of such rows reach the full rate (Baskaran et al. 2008, table 3).
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
  uint32_t first_of(Addr round) const;

  AddressMap kind_;
  uint32_t block_shift_;
  Divider partitions_;
};

}  // namespace warptime::sim
