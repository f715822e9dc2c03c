#include "analysis/mwp_cwp/model_inputs.h"

#include <algorithm>
#include <cmath>

#include "analysis/mwp_cwp/cache_estimate.h"
#include "analysis/mwp_cwp/memory_cost.h"
#include "analysis/mwp_cwp/stochastic_shares.h"
#include "analysis/program/code_fetch.h"

namespace warptime::analysis {

namespace {

/// Sums over all instructions, by their executions.
struct InstructionSums {
  double insts = 0, undiverged = 0, specials = 0, fp = 0, fp_latency = 0, barriers = 0;
  double latency = 0;  // of those in insts
  double issue = 0, sp = 0, sfu = 0, dp = 0, tensor = 0, port = 0;
  double held = 0;               // cycles for which schedulers keep the SPs waiting
  double loads = 0, others = 0;  // instructions that access global memory, by whether they wait
  double trans_of_loads = 0, trans_of_others = 0;
  double conflict_passes = 0;
  double bytes_requested = 0;
  Traffic traffic;
};

double transactions_of(const sim::InstructionRow& row, Work work) {
  const sim::LineMemory& memory = row.line_statistics.memory;
  // A functional run does not count those of texture fetches: lines of 32 bytes for neighbouring texels of 4 bytes.
  if (work == Work::Texture) return 4.0 * static_cast<double>(memory.accesses);
  return static_cast<double>(memory.transactions);
}

class SumFinder {
 public:
  SumFinder(const sim::MachineConfig& machine, const ModelProgram& program, const sim::InstructionRows& rows,
            double entry_lanes)
      : machine_(machine) {
    const double per_group = static_cast<double>(machine.sp.initiation) / machine.sp.groups;
    slack_ = std::max(0.0, per_group * machine.issue.ports - machine.issue.interval);
    for (const CodeBlock& block : program.blocks)
      for (uint32_t i = block.begin; i < block.end; ++i)
        add(program.costs[i], rows[i], std::min(1.0, block.lanes / entry_lanes));
  }
  const InstructionSums& sums() const { return sums_; }

 private:
  void add(const InstructionCost& cost, const sim::InstructionRow& row, double undiverged) {
    const auto times = static_cast<double>(row.warp_instructions);
    if (times == 0) return;
    sums_.insts += times * cost.insts;
    sums_.undiverged += times * cost.insts * undiverged;
    sums_.specials += times * cost.specials;
    sums_.issue += times * cost.issue;
    sums_.sp += times * cost.sp;
    sums_.sfu += times * cost.sfu;
    sums_.dp += times * cost.dp;
    sums_.tensor += times * cost.tensor;
    sums_.port += times * cost.port;
    const double not_held = cost.sp == 0 ? slack_ : cost.sp * machine_.issue.ports / machine_.sp.groups;
    sums_.held += times * std::max(0.0, cost.issue - not_held);
    if (cost.insts != 0) sums_.latency += times * (is_global(cost.work) ? cost.next : cost.latency);
    if (cost.is_fp) {
      sums_.fp += times;
      sums_.fp_latency += times * cost.latency;
    }
    if (cost.work == Work::Barrier) sums_.barriers += times;
    sums_.conflict_passes += static_cast<double>(row.line_statistics.memory.conflict_passes);
    if (is_global(cost.work)) add_access(cost.work, row);
  }

  void add_access(Work work, const sim::InstructionRow& row) {
    const sim::LineMemory& memory = row.line_statistics.memory;
    const double trans = transactions_of(row, work), times = static_cast<double>(row.warp_instructions);
    const bool texture = work == Work::Texture, writes = work == Work::Store;
    const double bytes = texture ? trans * 32 : static_cast<double>(memory.bytes_moved);
    (writes ? sums_.others : sums_.loads) += times;
    (writes ? sums_.trans_of_others : sums_.trans_of_loads) += trans;
    sums_.bytes_requested += texture ? bytes : static_cast<double>(memory.bytes_requested);
    if (!writes) {
      sums_.traffic.reads += trans;
      sums_.traffic.read_bytes += bytes;
    }
    if (writes || work == Work::Atomic) {
      sums_.traffic.writes += trans;
      sums_.traffic.write_bytes += bytes;
    }
  }

  const sim::MachineConfig& machine_;
  double slack_ = 0;
  InstructionSums sums_;
};

/// Cycles of an SM for these instructions when no latency shows: of the scheduler or pipe that needs most.
double busy_cycles(const sim::MachineConfig& machine, const InstructionSums& sums) {
  const double ports = machine.issue.ports;
  return std::max({sums.issue / ports, sums.sp / machine.sp.groups + sums.held / ports, sums.dp / machine.dp.groups,
                   sums.tensor / machine.tensor.groups, sums.port});
}

/// Cycles of bank conflicts that show. Where shared memory has a pipe of its own, they do from the point on at which it
/// is occupied longer than the others.
double conflict_cycles(const sim::MachineConfig& machine, const InstructionSums& sums, double busy) {
  const sim::SharedConfig& shared = machine.sm.shared;
  const double cycles = sums.conflict_passes * shared.cycles_per_degree * shared.request_lanes / ptx::kWarpThreads;
  return shared.pipe == sim::OnChipPipe::sp ? cycles : std::max(0.0, sums.port + cycles - busy);
}

/// Gamma of (4.8): instructions by which the last warp of a block is behind the first when it reaches a barrier. Warps
/// that take turns are one apart; for other policies the book's value, which is of a Fermi GPU.
double gamma_of(const sim::MachineConfig& machine) {
  constexpr double kOfBook = 64;
  return machine.issue.policy == sim::WarpPolicy::round_robin ? 1 : kOfBook;
}

double threads_of_block(const sim::LaunchStatistics& launch) {
  return static_cast<double>(launch.block[0]) * launch.block[1] * launch.block[2];
}

/// Blocks of the SM that gets most. The first ones are spread over all SMs. In the last round, places become free in
/// any order, so that an SM may get several blocks and another none: so many that half an SM, on average, gets as many.
double most_blocks(double blocks, double sms, double resident) {
  if (blocks <= sms * resident) return std::ceil(blocks / sms);
  const double rounds = std::floor(blocks / (sms * resident)), left = blocks - rounds * sms * resident;
  if (left == 0) return rounds * resident;
  const double taken = left / (sms * resident);  // share of the places
  double most = 1, at_least = 0, exactly = std::pow(taken, resident);
  for (auto m = static_cast<uint32_t>(resident); m > 1; --m) {  // binomial: m of the SM's places
    at_least += exactly;
    if (sms * at_least >= 0.5) {
      most = m;
      break;
    }
    exactly *= m / (resident - m + 1) * (1 - taken) / taken;
  }
  return rounds * resident + most;
}

void launch_inputs(const sim::MachineConfig& machine, const sim::LaunchStatistics& launch, ModelInputs& out) {
  const double warps_of_block = std::ceil(threads_of_block(launch) / out.warp_size);
  const double grid = static_cast<double>(launch.grid[0]) * launch.grid[1] * launch.grid[2];
  // A launch may run part of its grid. Each warp executes the first instruction, once unless a loop begins there.
  const auto begun = static_cast<double>(launch.instructions.front().warp_instructions);
  const double blocks = std::min(grid, std::ceil(begun / warps_of_block));
  const double resident = std::max(1u, launch.occupancy.blocks_per_sm);
  const double most = most_blocks(blocks, sim::sm_count(machine), resident);
  out.total_warps = blocks * warps_of_block;
  out.active_sms = blocks / most;
  out.n = warps_of_block * std::min(most, resident);
}

}  // namespace

ModelInputs model_inputs(const sim::MachineConfig& machine, const ptx::Module& module, const ptx::Kernel& kernel,
                         const sim::LaunchStatistics& launch, ModelProgram& program, const MemoryEstimate* memory) {
  ModelInputs out;
  launch_inputs(machine, launch, out);
  const sim::InstructionRows& rows = launch.instructions;
  std::vector<bool> off_chip;
  for (const sim::InstructionRow& row : rows) off_chip.push_back(row.line_statistics.memory.transactions != 0);
  program.blocks = code_blocks(module, kernel, rows);
  program.costs = instruction_costs(machine, kernel, off_chip);

  const double threads_of_warp = threads_of_block(launch) / std::ceil(threads_of_block(launch) / out.warp_size);
  const InstructionSums sums = SumFinder(machine, program, rows, threads_of_warp).sums();
  const double warps = out.total_warps;
  out.insts = sums.undiverged / warps;
  out.divergent_insts = (sums.insts - sums.undiverged) / warps;
  out.mem_insts = (sums.loads + sums.others) / warps;
  out.sync_insts = sums.barriers / warps;
  out.sfu_insts = sums.specials / warps;
  out.fp_insts = sums.fp / warps;
  out.fp_lat = sums.fp == 0 ? 0 : sums.fp_latency / sums.fp;
  out.avg_inst_lat = sums.insts == 0 ? 0 : sums.latency / sums.insts;
  const double busy = busy_cycles(machine, sums);
  out.bank_cycles = conflict_cycles(machine, sums, busy) / warps;
  out.simd_width = busy == 0 ? 0 : out.warp_size * sums.insts / busy;
  out.sfu_width = sums.sfu == 0 ? out.warp_size / machine.sfu.initiation * machine.sfu.groups
                                : out.warp_size * sums.specials * machine.sfu.groups / sums.sfu;
  out.gamma = gamma_of(machine);
  out.freq = machine.clocks.shader_mhz / 1000;
  out.work = static_cast<double>(launch.counts.thread_instructions);
  out.depth = cycles_per_warp(dependence_path(kernel, program.blocks, program.costs), program.blocks, warps);

  // Memory.
  Traffic traffic = sums.traffic;
  out.caches = memory != nullptr ? stochastic_shares(*memory)
                                 : cache_estimate(machine, kernel, program.costs, rows, out.n,
                                                  threads_of_block(launch) / threads_of_warp);
  traffic.crossing = out.caches.missed_in_tpc;
  traffic.from_dram = out.caches.missed;
  out.peak = peak_bandwidth(machine, traffic, out.active_sms);
  const double bytes = traffic.transactions() == 0 ? 32 : traffic.bytes() / traffic.transactions();
  out.delta = departure_delay(machine, bytes);
  out.dram_lat = unloaded_latency(machine, bytes);
  const double hit_in_partition = out.caches.missed_in_tpc - out.caches.missed;
  out.miss_ratio = out.caches.missed;
  out.hit_lat = hit_latency_in_tpc(machine) + hit_in_partition * unloaded_cache_latency(machine, bytes);
  const double accesses = sums.loads + sums.others;
  if (accesses != 0) {
    out.avg_trans_warp = (sums.trans_of_loads + sums.trans_of_others) / accesses;
    out.transaction_size = traffic.bytes() / accesses;
    const double of_load =
        sums.loads == 0 ? 0 : avg_dram_lat(out.dram_lat, sums.trans_of_loads / sums.loads, out.delta);
    out.avg_dram_lat = (sums.loads * of_load + sums.trans_of_others * out.delta) / accesses;
  }
  out.size_of_data = std::min(sums.bytes_requested, traffic.bytes());

  const double code_line = machine.instruction.sm_cache.line_bytes;
  const double of_tpc = machine.instruction.tpc_cache.latency;
  const FetchLatency fetch{of_tpc, of_tpc + unloaded_cache_latency(machine, code_line),
                           of_tpc + unloaded_latency(machine, code_line)};
  out.fetch =
      fetch_cycles(machine, fetch, kernel, program.blocks, program.costs, warps, warps / out.active_sms / out.n);

  // A warp alone, without and with its waits for memory.
  auto latency = [&](uint32_t i) {
    return is_global(program.costs[i].work) ? program.costs[i].next : program.costs[i].latency;
  };
  const double alone =
      cycles_per_warp(in_order_path(kernel, program.blocks, program.costs, latency), program.blocks, warps);
  auto with_memory = [&](uint32_t i) {
    const Work work = program.costs[i].work;
    if (!is_global(work) || work == Work::Store) return latency(i);
    const auto accesses_of = static_cast<double>(rows[i].line_statistics.memory.accesses);
    const double trans = accesses_of == 0 ? 1 : transactions_of(rows[i], work) / accesses_of;
    return amat(avg_dram_lat(out.dram_lat, std::max(1.0, trans), out.delta), out.miss_ratio, out.hit_lat);
  };
  program.latencies.resize(kernel.instructions.size());
  for (uint32_t i = 0; i < program.latencies.size(); ++i) program.latencies[i] = with_memory(i);
  program.path = in_order_path(kernel, program.blocks, program.costs, [&](uint32_t i) { return program.latencies[i]; });
  out.path_alone = cycles_per_warp(program.path, program.blocks, warps);
  const double all_insts = out.insts + out.divergent_insts;
  out.ilp = alone == 0 ? 1 : all_insts * out.avg_inst_lat / alone;
  const double waits = out.path_alone - alone;
  const double all_latency = out.mem_insts * amat(out.avg_dram_lat, out.miss_ratio, out.hit_lat);
  out.mlp = std::max(1.0, waits * out.mem_insts > all_latency ? all_latency / waits : out.mem_insts);
  return out;
}

}  // namespace warptime::analysis
