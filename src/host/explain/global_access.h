// What a launch's accesses to global memory cost, and what the fewest transactions for their bytes would.
#pragma once

#include <algorithm>

#include "host/explain/facts.h"

namespace warptime::host {

inline constexpr double kSmallestTransaction = 32;  // bytes

/// The transactions of loads, or of stores.
struct Transfer {
  double transactions = 0, bytes = 0;
  /// Cycles of a crossbar port of `width` bytes for what carries the data, and for what does not (requests of loads,
  /// acknowledgements of stores).
  double data_cycles(double width) const { return std::max(transactions, bytes / width); }
  double other_cycles() const { return transactions; }
};

struct GlobalAccesses {
  struct Cost {
    Transfer loads, stores;
    double transactions() const { return loads.transactions + stores.transactions; }
    double bytes() const { return loads.bytes + stores.bytes; }
  };
  Cost now, ideal;
  double requests = 0, uncoalesced = 0;
  const InstructionRow* worst = nullptr;  // the line with the most transactions beyond the ideal
  double worst_part = 0;                  // of all of these, its part

  /// By line where there are rows; else by the launch's sums: a request that coalesces takes a transaction for each 128
  /// bytes, and of the others one moves 32 bytes, the smallest size there is.
  explicit GlobalAccesses(const Facts& facts);
};

}  // namespace warptime::host
