// The analytical model of Sim et al. as the book describes it (Kim, Vuduc, Baghsorkhi, Choi, Hwu: Performance Analysis
// and Tuning for General Purpose Graphics Processing Units, 2012, 4.1.1): the sum of everything. Cycles are shader
// cycles of one SM. Names are those of the book's Table 4.1.
#pragma once

namespace warptime::analysis {

/// (4.1) Cycles: computation and memory, less what overlaps.
constexpr double t_exec(double t_comp, double t_mem, double t_overlap) { return t_comp + t_mem - t_overlap; }

/// (4.2) Cycles: the base time and the overhead of what runs one after the other.
constexpr double t_comp(double w_parallel, double w_serial) { return w_parallel + w_serial; }

/// The first factor of (4.3), (4.7), (4.9) and (4.11): of so many per warp, those of one SM.
constexpr double per_sm(double per_warp, double total_warps, double active_sms) {
  return per_warp * total_warps / active_sms;
}

}  // namespace warptime::analysis
