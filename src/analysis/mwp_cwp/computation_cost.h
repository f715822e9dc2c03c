// The computation cost, equations 4.3 to 4.10 of the book (execution_time.h names it). Cycles are shader cycles of one
// SM; counts are warp instructions per warp.
#pragma once

#include <algorithm>

#include "analysis/mwp_cwp/execution_time.h"

namespace warptime::analysis {

/// (4.3) Cycles that the instructions of an SM take, each avg_inst_lat, ITILP of them at once.
constexpr double w_parallel(double insts, double total_warps, double active_sms, double avg_inst_lat, double itilp) {
  return per_sm(insts, total_warps, active_sms) * (avg_inst_lat / itilp);
}

/// (4.4) Instructions of an SM at once: of each of its N warps ILP, and no more than hide the pipeline's latency.
constexpr double itilp(double ilp, double n, double itilp_max) { return std::min(ilp * n, itilp_max); }

/// (4.5) Instructions at once with which the pipeline is full. simd_width: lanes per cycle.
constexpr double itilp_max(double avg_inst_lat, double warp_size, double simd_width) {
  return avg_inst_lat / (warp_size / simd_width);
}

/// (4.6) Cycles.
constexpr double w_serial(double o_sync, double o_sfu, double o_cfdiv, double o_bank) {
  return o_sync + o_sfu + o_cfdiv + o_bank;
}

/// (4.7) Cycles that the warps of an SM wait at barriers. f_sync: cycles for each.
constexpr double o_sync(double sync_insts, double total_warps, double active_sms, double f_sync) {
  return per_sm(sync_insts, total_warps, active_sms) * f_sync;
}

/// (4.8) Cycles that a warp waits at a barrier: Gamma instructions' share of the latency of memory.
constexpr double f_sync(double gamma, double avg_dram_lat, double mem_insts, double insts) {
  return gamma * avg_dram_lat * (mem_insts / insts);
}

/// (4.9) Cycles of the special functions that other instructions do not hide. sfu_width: lanes per cycle.
constexpr double o_sfu(double sfu_insts, double total_warps, double active_sms, double warp_size, double sfu_width,
                       double f_sfu) {
  return per_sm(sfu_insts, total_warps, active_sms) * (warp_size / sfu_width) * f_sfu;
}

/// (4.10) The visible part of special functions, 0 to 1. insts: without them.
constexpr double f_sfu(double sfu_insts, double insts, double sfu_width, double simd_width) {
  return std::min(std::max(sfu_insts / insts - sfu_width / simd_width, 0.0), 1.0);
}

}  // namespace warptime::analysis
