#include "analysis/mwp_cwp/stochastic_shares.h"

#include <fmt/format.h>

namespace warptime::analysis {

CacheShares stochastic_shares(const MemoryEstimate& estimate) {
  auto missed = [&](MemoryLevel level) {
    const auto& of = estimate.levels[static_cast<size_t>(level)];
    return of ? 1 - of->mean : 1;
  };
  const double in_tpc = missed(MemoryLevel::L1);
  return {in_tpc, in_tpc * missed(MemoryLevel::L2),
          fmt::format("mean of {} random orders of the requests (4.2.3)", estimate.trials)};
}

}  // namespace warptime::analysis
