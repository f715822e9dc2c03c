#include "sim/model/partition_map.h"

#include <bit>

namespace warptime::sim {

namespace {
constexpr uint32_t kLongShift = 2;  // the long cycle gives a partition 4 blocks at a time
}

PartitionMap::PartitionMap(const MemoryConfig& memory)
    : kind_(memory.address_map),
      block_shift_(static_cast<uint32_t>(std::countr_zero(memory.interleave_bytes))),
      partitions_(memory.partitions) {}

/// Swaps neighbours 0-1, 2-3, ... where the parity is odd; the last of an odd number of partitions has no neighbour.
uint32_t PartitionMap::flipped(uint32_t partition, Addr block_in_partition) const {
  auto parity = static_cast<uint32_t>(std::popcount(block_in_partition & 31) & 1);
  uint32_t other = partition ^ parity;
  return other < partitions_.divisor() ? other : partition;
}

/// The partition at which a round begins: the round's number mixed (two rounds of multiply and shift), then scaled.
uint32_t PartitionMap::first_of(Addr round) const {
  auto mixed = static_cast<uint32_t>(round ^ (round >> 32)) * 0x9e3779b1u;
  mixed = (mixed ^ (mixed >> 15)) * 0x85ebca6bu;
  mixed ^= mixed >> 13;
  return static_cast<uint32_t>((uint64_t{mixed} * partitions_.divisor()) >> 32);
}

PartitionAddress PartitionMap::locate(Addr address) const {
  Addr block = address >> block_shift_;
  Addr in_block = address - (block << block_shift_);
  uint32_t run_shift = kind_ == AddressMap::long_ ? kLongShift : 0;
  Addr run = block >> run_shift;  // blocks that stay together
  Addr round = partitions_.quotient(run);
  auto partition = static_cast<uint32_t>(run - round * partitions_.divisor());
  Addr local_block = (round << run_shift) + (block - (run << run_shift));
  if (kind_ == AddressMap::xor_) partition = flipped(partition, local_block);
  if (kind_ == AddressMap::hashed) {
    partition += first_of(round);
    if (partition >= partitions_.divisor()) partition -= static_cast<uint32_t>(partitions_.divisor());
  }
  return {partition, (local_block << block_shift_) + in_block};
}

Addr PartitionMap::address_of(PartitionAddress place) const {
  Addr local_block = place.offset >> block_shift_;
  Addr in_block = place.offset - (local_block << block_shift_);
  uint32_t run_shift = kind_ == AddressMap::long_ ? kLongShift : 0;
  Addr round = local_block >> run_shift;
  uint32_t partition = kind_ == AddressMap::xor_ ? flipped(place.partition, local_block) : place.partition;
  if (kind_ == AddressMap::hashed) {
    const uint32_t first = first_of(round);
    partition =
        partition >= first ? partition - first : partition + static_cast<uint32_t>(partitions_.divisor()) - first;
  }
  Addr run = round * partitions_.divisor() + partition;
  Addr block = (run << run_shift) + (local_block - (round << run_shift));
  return (block << block_shift_) + in_block;
}

}  // namespace warptime::sim
