// What could be gained, equations 4.25 to 4.30 of the book (execution_time.h names it), and the roofline, 4.31. Cycles
// are shader cycles of one SM.
#pragma once

#include <algorithm>

#include "analysis/mwp_cwp/execution_time.h"

namespace warptime::analysis {

/// (4.25) Cycles of the floating-point instructions alone.
constexpr double t_fp(double fp_insts, double total_warps, double fp_lat, double active_sms, double itilp) {
  return fp_insts * total_warps * fp_lat / (active_sms * itilp);
}

/// (4.26) Cycles to move the data once. The book leaves the unit of size_of_data open. Here: requests of a warp, on one
/// SM (data_requests), so that the result is cycles, as (4.30) subtracts it from cycles.
constexpr double t_mem_min(double size_of_data, double avg_dram_lat, double mwp_peak_bw) {
  return size_of_data * avg_dram_lat / mwp_peak_bw;
}
/// size_of_data of (4.26): so many bytes of the whole launch. transaction_size: bytes of a warp's request, as in
/// (4.24).
constexpr double data_requests(double bytes, double transaction_size, double active_sms) {
  return bytes / (transaction_size * active_sms);
}

/// (4.27) Cycles that full pipelines would save.
constexpr double b_itilp(double w_parallel, double insts, double total_warps, double avg_inst_lat, double active_sms,
                         double itilp_max) {
  return w_parallel - insts * total_warps * avg_inst_lat / (active_sms * itilp_max);
}

/// (4.28) Cycles that no serialisation would save.
constexpr double b_serial(double w_serial) { return w_serial; }

/// (4.29) Cycles that belong to no floating-point instruction.
constexpr double b_fp(double t_comp, double t_fp, double b_itilp, double b_serial) {
  return t_comp - t_fp - b_itilp - b_serial;
}

/// (4.30) Cycles that more requests at once would save. visible_t_mem: T'_mem = T_mem - T_overlap.
constexpr double b_memlp(double visible_t_mem, double t_mem_min) { return std::max(visible_t_mem - t_mem_min, 0.0); }

/// (4.31) GFLOP/s below the roofline. stream_bandwidth: GB/s; intensity: operations per byte.
constexpr double attainable_gflops(double peak_gflops, double stream_bandwidth, double intensity) {
  return std::min(peak_gflops, stream_bandwidth * intensity);
}

}  // namespace warptime::analysis
