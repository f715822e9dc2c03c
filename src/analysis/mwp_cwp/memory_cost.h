// The memory cost, equations 4.11 to 4.15 of the book (execution_time.h names it). Cycles are shader cycles of one SM;
// counts are warp instructions per warp.
#pragma once

#include <algorithm>

#include "analysis/mwp_cwp/execution_time.h"

namespace warptime::analysis {

/// (4.11) Cycles that the requests of an SM take, each AMAT, ITMLP of them at once.
constexpr double t_mem(double mem_insts, double total_warps, double active_sms, double itmlp, double amat) {
  return per_sm(mem_insts, total_warps, active_sms) / itmlp * amat;
}

/// (4.12) Average memory access time, cycles.
constexpr double amat(double avg_dram_lat, double miss_ratio, double hit_lat) {
  return avg_dram_lat * miss_ratio + hit_lat;
}

/// (4.13) Latency of a request to DRAM, cycles: each of its transactions leaves `delta` after the one before it.
constexpr double avg_dram_lat(double dram_lat, double avg_trans_warp, double delta) {
  return dram_lat + (avg_trans_warp - 1) * delta;
}

/// (4.14) Requests of an SM that are served at once.
constexpr double itmlp(double mlp, double mwp_cp, double mwp_peak_bw) { return std::min(mlp * mwp_cp, mwp_peak_bw); }

/// (4.15) Warps whose requests overlap in the time of one warp's computation.
constexpr double mwp_cp(double cwp, double mwp) { return std::min(std::max(1.0, cwp - 1), mwp); }

}  // namespace warptime::analysis
