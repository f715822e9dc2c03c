#include "analysis/mwp_cwp/prediction.h"

#include <fmt/format.h>

#include <algorithm>

#include "analysis/mwp_cwp/benefits.h"
#include "analysis/mwp_cwp/computation_cost.h"
#include "analysis/mwp_cwp/memory_cost.h"
#include "analysis/mwp_cwp/warp_parallelism.h"

namespace warptime::analysis {

namespace {

std::vector<ModelTerm> input_terms(const ModelInputs& in) {
  const std::string counted = "counted by the functional run", machine = "machine file";
  return {
      {"#total_warps", in.total_warps, "warps", "grid and block"},
      {"#active_SMs", in.active_sms, "SMs", "blocks, divided by those of the SM that gets most"},
      {"N", in.n, "warps per SM", "occupancy, at most the warps that there are"},
      {"#insts", in.insts, "per warp",
       counted + ": native instructions other than special functions, lanes that diverged left out"},
      {"#mem_insts", in.mem_insts, "per warp", counted},
      {"#sync_insts", in.sync_insts, "per warp", counted},
      {"#SFU_insts", in.sfu_insts, "per warp", counted + ": native instructions"},
      {"#FP_insts", in.fp_insts, "per warp", counted},
      {"avg_inst_lat", in.avg_inst_lat, "cycles", machine + ", by executed instructions"},
      {"FP_lat", in.fp_lat, "cycles", machine + ", by executed instructions"},
      {"SIMD_width", in.simd_width, "lanes per cycle",
       machine + ": of the scheduler or pipe that these instructions fill first"},
      {"SFU_width", in.sfu_width, "lanes per cycle", machine},
      {"ILP", in.ilp, "instructions",
       "data-dependence graph: latencies of a warp alone, divided by its time without memory"},
      {"MLP", in.mlp, "requests", "data-dependence graph: latencies of its requests, divided by its waits for them"},
      {"DRAM_lat", in.dram_lat, "cycles", machine + ": a load that nothing delays"},
      {"Delta", in.delta, "cycles", machine + ": between two transactions"},
      {"avg_trans_warp", in.avg_trans_warp, "transactions", counted + ": per request of a warp"},
      {"miss_ratio", in.miss_ratio, "share", in.caches.how},
      {"hit_lat", in.hit_lat, "cycles", machine + ": what caches add to the latency, or take in place of DRAM"},
      {"Gamma", in.gamma, "instructions", machine + ": issue.policy"},
      {"freq", in.freq, "GHz", machine},
      {"transaction_size", in.transaction_size, "bytes", counted + ": all transactions of a warp's request"},
      {"mem_peak_bandwidth", in.peak.gb_s, "GB/s", fmt::format("{}: {} need longest", machine, in.peak.limit)},
      {"size_of_data", in.size_of_data, "bytes", counted + ": requested by lanes, at most what was moved"},
      {"W", in.work, "thread instructions", counted},
      {"D", in.depth, "instructions", "data-dependence graph: the longest chain of an average warp"},
      {"W/D", in.depth == 0 ? 0 : in.work / in.depth, "instructions", "parallelism of the launch"},
  };
}

/// Terms in the order of the equations.
class Evaluation {
 public:
  explicit Evaluation(const ModelInputs& in) : in_(in) {
    computation();
    memory();
    sum();
    benefits();
  }

  std::vector<ModelTerm> terms, gains;
  double cycles_ = 0;

 private:
  double term(std::string_view name, double value, std::string_view unit, std::string from) {
    terms.push_back({name, value, unit, std::move(from)});
    return value;
  }
  bool computes() const { return in_.avg_inst_lat > 0 && in_.insts > 0; }

  void computation() {
    if (computes()) {
      itilp_max_ =
          term("ITILP_max", itilp_max(in_.avg_inst_lat, in_.warp_size, in_.simd_width), "instructions", "(4.5)");
      itilp_ = term("ITILP", itilp(in_.ilp, in_.n, itilp_max_), "instructions", "(4.4)");
      w_parallel_ = w_parallel(in_.insts, in_.total_warps, in_.active_sms, in_.avg_inst_lat, itilp_);
      o_cfdiv_ = w_parallel(in_.divergent_insts, in_.total_warps, in_.active_sms, in_.avg_inst_lat, itilp_);
      const double f = f_sync(in_.gamma, in_.avg_dram_lat, in_.mem_insts, in_.insts);
      o_sync_ = o_sync(in_.sync_insts, in_.total_warps, in_.active_sms, f);
      const double visible = f_sfu(in_.sfu_insts, in_.insts, in_.sfu_width, in_.simd_width);
      o_sfu_ = o_sfu(in_.sfu_insts, in_.total_warps, in_.active_sms, in_.warp_size, in_.sfu_width, visible);
      term("F_sync", f, "cycles", "(4.8)");
      term("F_SFU", visible, "share", "(4.10)");
    }
    o_bank_ = per_sm(in_.bank_cycles, in_.total_warps, in_.active_sms);
    term("W_parallel", w_parallel_, "cycles", "(4.3)");
    term("O_sync", o_sync_, "cycles", "(4.7)");
    term("O_SFU", o_sfu_, "cycles", "(4.9)");
    term("O_CFdiv", o_cfdiv_, "cycles", "as (4.3), of the lanes that diverged");
    term("O_bank", o_bank_, "cycles", "conflict passes of the functional run, machine file");
    w_serial_ = term("W_serial", w_serial(o_sync_, o_sfu_, o_cfdiv_, o_bank_), "cycles", "(4.6)");
    t_comp_ = term("T_comp", t_comp(w_parallel_, w_serial_), "cycles", "(4.2)");
  }

  void memory() {
    if (in_.mem_insts == 0) return;
    term("avg_DRAM_lat", in_.avg_dram_lat, "cycles",
         "(4.13), of loads; of stores, which nothing waits for, their departure");
    const double amat_ = term("AMAT", amat(in_.avg_dram_lat, in_.miss_ratio, in_.hit_lat), "cycles", "(4.12)");
    const double bw =
        term("BW_per_warp", bw_per_warp(in_.freq, in_.transaction_size, in_.avg_dram_lat), "GB/s", "(4.24)");
    peak_ = term("MWP_peak_bw", mwp_peak_bw(in_.peak.gb_s, bw, in_.active_sms), "warps", "(4.23)");
    mwp_ = term("MWP", mwp(in_.avg_dram_lat, in_.delta, peak_, in_.n), "warps", "(4.22)");
    const double waits = term("mem_cycles", mem_cycles(in_.mem_insts, amat_, in_.mlp), "cycles", "(4.21)");
    const double insts = in_.insts + in_.divergent_insts;
    const double computes_for =
        term("comp_cycles", computes() ? comp_cycles(insts, in_.avg_inst_lat, itilp_) : 0, "cycles", "(4.20)");
    const double full = computes_for == 0 ? in_.n : cwp_full(waits, computes_for);
    term("CWP_full", full, "warps", "(4.19)");
    cwp_ = term("CWP", cwp(full, in_.n), "warps", "(4.18)");
    const double overlapping = term("MWP_cp", mwp_cp(cwp_, mwp_), "warps", "(4.15)");
    const double at_once = term("ITMLP", itmlp(in_.mlp, overlapping, peak_), "requests", "(4.14)");
    t_mem_ = term("T_mem", t_mem(in_.mem_insts, in_.total_warps, in_.active_sms, at_once, amat_), "cycles", "(4.11)");
  }

  void sum() {
    if (in_.mem_insts != 0) {
      const double share = term("F_overlap", f_overlap(in_.n, cwp_, mwp_), "share", "(4.17)");
      t_overlap_ = t_overlap(t_comp_, share, t_mem_);
    }
    term("T_overlap", t_overlap_, "cycles", "(4.16)");
    const double total = term("T_exec", t_exec(t_comp_, t_mem_, t_overlap_), "cycles", "(4.1)");
    cycles_ = total + term("T_fetch", in_.fetch, "cycles",
                           "not in the book: lines of code from DRAM, and to caches that are too small");
  }

  void benefits() {
    double t_fp_ = 0, gain_of_itilp = 0, data = 0;
    if (computes()) {
      t_fp_ = t_fp(in_.fp_insts, in_.total_warps, in_.fp_lat, in_.active_sms, itilp_);
      if (itilp_ < itilp_max_)
        gain_of_itilp = b_itilp(w_parallel_, in_.insts, in_.total_warps, in_.avg_inst_lat, in_.active_sms, itilp_max_);
    }
    if (in_.mem_insts != 0)
      data = t_mem_min(data_requests(in_.size_of_data, in_.transaction_size, in_.active_sms), in_.avg_dram_lat, peak_);
    term("T_fp", t_fp_, "cycles", "(4.25)");
    term("T_mem_min", data, "cycles", "(4.26), size_of_data as requests of a warp on one SM");
    gains.push_back({"B_itilp", gain_of_itilp, "cycles", "(4.27)"});
    gains.push_back({"B_memlp", b_memlp(t_mem_ - t_overlap_, data), "cycles", "(4.30)"});
    gains.push_back({"B_fp", b_fp(t_comp_, t_fp_, gain_of_itilp, b_serial(w_serial_)), "cycles", "(4.29)"});
    gains.push_back({"B_serial", b_serial(w_serial_), "cycles", "(4.28)"});
  }

  const ModelInputs& in_;
  double itilp_ = 1, itilp_max_ = 1, w_parallel_ = 0, o_sync_ = 0, o_sfu_ = 0, o_cfdiv_ = 0, o_bank_ = 0, w_serial_ = 0;
  double t_comp_ = 0, peak_ = 0, mwp_ = 0, cwp_ = 0, t_mem_ = 0, t_overlap_ = 0;
};

}  // namespace

double Prediction::operator[](std::string_view name) const {
  for (const auto* list : {&inputs, &terms, &benefits})
    for (const ModelTerm& term : *list)
      if (term.name == name) return term.value;
  return 0;
}

Prediction predict(const ModelInputs& in) {
  Prediction out;
  out.inputs = input_terms(in);
  Evaluation evaluation(in);
  out.terms = std::move(evaluation.terms);
  out.benefits = std::move(evaluation.gains);
  out.cycles = evaluation.cycles_;
  out.microseconds = out.cycles / (in.freq * 1000);
  if (in.insts == 0) out.notes.push_back("no instruction takes time: T_comp is only what was counted apart");
  if (in.mem_insts == 0)
    out.notes.push_back("nothing accesses global memory: T_mem is 0, and MWP and CWP have no meaning");
  if (in.fp_insts == 0)
    out.notes.push_back("no floating-point instruction: T_fp is 0, and B_fp is all of the computation");
  if (in.n == 1) out.notes.push_back("one warp per SM: nothing overlaps with its waits");
  return out;
}

}  // namespace warptime::analysis
