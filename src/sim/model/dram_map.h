// Where the bytes of a partition lie in its DRAM. From the highest bits of an offset to the lowest: row, column within
// the row, bank, column within dram.bank_bytes; where those are a whole row: row, bank, column. Assumed, because no
// vendor documents it.
#pragma once

#include <algorithm>
#include <cstdint>

#include "base/log2.h"
#include "sim/model/machine.h"

namespace warptime::sim {

/// Bytes that the data buses of a partition move per cycle of the memory clock: two transfers.
inline uint32_t bytes_per_memory_cycle(const DramConfig& dram) { return 2 * dram.pseudo_channels * dram.bus_bytes; }

class DramMap {
 public:
  explicit DramMap(const DramConfig& dram)
      : row_shift_(log2_of(dram.row_bytes) + log2_of(dram.banks)),
        bank_shift_(log2_of(std::min(dram.bank_bytes, dram.row_bytes))),
        bank_mask_(dram.banks - 1),
        hash_mask_(dram.bank_hash == BankHash::row ? dram.banks - 1 : 0) {}

  uint64_t row_of(Addr offset) const { return offset >> row_shift_; }
  uint32_t bank_of(Addr offset) const {
    return (static_cast<uint32_t>(offset >> bank_shift_) ^ (static_cast<uint32_t>(row_of(offset)) & hash_mask_)) &
           bank_mask_;
  }
  /// From an offset, up to the next that may be in another bank.
  uint64_t bytes_left(Addr offset) const {
    const Addr bytes = Addr{1} << bank_shift_;
    return bytes - (offset & (bytes - 1));
  }

 private:
  uint32_t row_shift_, bank_shift_, bank_mask_, hash_mask_;
};

}  // namespace warptime::sim
