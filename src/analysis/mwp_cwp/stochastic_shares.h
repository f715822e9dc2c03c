// What of a launch's reads caches serve, from the stochastic memory hierarchy (analysis/memory/).
#pragma once

#include "analysis/memory/memory_estimate.h"
#include "analysis/mwp_cwp/model_inputs.h"

namespace warptime::analysis {

/// The shares of reads; if the L1 and L2 see loads and stores alike, the ratios are those of both.
CacheShares stochastic_shares(const MemoryEstimate& estimate);

}  // namespace warptime::analysis
