// The inputs of the model (the book's Table 4.1) for one launch: counted by a functional run, read from the machine
// file, or found in the program's data-dependence graph. No time is simulated.
#pragma once

#include <string>
#include <vector>

#include "analysis/mwp_cwp/bandwidth.h"
#include "analysis/program/code_blocks.h"
#include "analysis/program/instruction_cost.h"
#include "analysis/program/warp_path.h"
#include "ptx/module.h"
#include "sim/model/machine.h"
#include "sim/model/statistics.h"

namespace warptime::analysis {

struct MemoryEstimate;

/// What of the reads is found in caches, by an estimate.
struct CacheShares {
  double missed_in_tpc = 1;  // of all reads: not found in the SM or the TPC
  double missed = 1;         // of all reads: served by DRAM
  std::string how;           // the estimate, in words
};

struct ModelInputs {
  // Numbers of the launch.
  double total_warps = 0, active_sms = 0;
  double n = 0;  // warps on an SM at once
  double warp_size = 32;
  // Warp instructions per warp. `insts`: native, without special functions, as if no warp had diverged.
  double insts = 0, mem_insts = 0, sync_insts = 0, sfu_insts = 0, fp_insts = 0;
  double divergent_insts = 0;  // further instructions, in which lanes are off because of divergent branches
  double bank_cycles = 0;      // cycles of bank conflicts per warp
  double fp_lat = 0, avg_inst_lat = 0;
  double simd_width = 0, sfu_width = 0;
  double ilp = 1, mlp = 1;
  double dram_lat = 0, delta = 0, avg_trans_warp = 0;
  double avg_dram_lat = 0;  // (4.13), over loads, which wait for it, and stores, which only leave
  double miss_ratio = 1, hit_lat = 0;
  double gamma = 0;
  double freq = 0, transaction_size = 0;  // GHz; bytes of a warp's request
  PeakBandwidth peak;
  double size_of_data = 0;  // bytes
  double work = 0, depth = 0;
  double fetch = 0;       // cycles of an SM that wait for instructions
  double path_alone = 0;  // cycles of an average warp alone on an SM, waits for memory included
  CacheShares caches;
};

/// What the work flow graph needs besides.
struct ModelProgram {
  std::vector<CodeBlock> blocks;
  std::vector<InstructionCost> costs;
  WarpPath path;                  // of a warp alone
  std::vector<double> latencies;  // by instruction, to the result; of loads what AMAT averages
};

/// `launch`: of a functional or timed run that counted by instruction. `kernel` is of the module whose lines these are.
/// `memory`: hits of the stochastic memory hierarchy; nullptr: a simple estimate.
ModelInputs model_inputs(const sim::MachineConfig& machine, const ptx::Module& module, const ptx::Kernel& kernel,
                         const sim::LaunchStatistics& launch, ModelProgram& program,
                         const MemoryEstimate* memory = nullptr);

}  // namespace warptime::analysis
