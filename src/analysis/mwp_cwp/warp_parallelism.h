// What overlaps, and the warps that compute and that wait for memory at once: equations 4.16 to 4.24 of the book
// (execution_time.h names it). Cycles are shader cycles; counts are warp instructions per warp; N is the number of
// warps that an SM holds.
#pragma once

#include <algorithm>

namespace warptime::analysis {

/// (4.16) Cycles in which an SM computes and waits for memory.
constexpr double t_overlap(double t_comp, double f_overlap, double t_mem) {
  return std::min(t_comp * f_overlap, t_mem);
}

/// (4.17) The part of the computation that may overlap: all of it where memory limits, else that of all warps but one.
constexpr double f_overlap(double n, double cwp, double mwp) { return (n - (cwp <= mwp ? 1 : 0)) / n; }

/// (4.18) Warps that compute while one waits for memory, and itself.
constexpr double cwp(double cwp_full, double n) { return std::min(cwp_full, n); }

/// (4.19)
constexpr double cwp_full(double mem_cycles, double comp_cycles) { return (mem_cycles + comp_cycles) / comp_cycles; }

/// (4.20) Cycles in which one warp computes.
constexpr double comp_cycles(double insts, double avg_inst_lat, double itilp) { return insts * avg_inst_lat / itilp; }

/// (4.21) Cycles in which one warp waits for memory.
constexpr double mem_cycles(double mem_insts, double amat, double mlp) { return mem_insts * amat / mlp; }

/// (4.22) Warps that can access memory at once.
constexpr double mwp(double avg_dram_lat, double delta, double mwp_peak_bw, double n) {
  return std::min({avg_dram_lat / delta, mwp_peak_bw, n});
}

/// (4.23) Warps of an SM whose requests take all of the bandwidth. GB/s.
constexpr double mwp_peak_bw(double mem_peak_bandwidth, double bw_per_warp, double active_sms) {
  return mem_peak_bandwidth / (bw_per_warp * active_sms);
}

/// (4.24) GB/s of a warp with one request at a time. freq: GHz; transaction_size: bytes of a request.
constexpr double bw_per_warp(double freq, double transaction_size, double avg_dram_lat) {
  return freq * transaction_size / avg_dram_lat;
}

}  // namespace warptime::analysis
