#include "cli/model/modelled_launch.h"

#include <algorithm>
#include <cmath>
#include <initializer_list>

#include "analysis/memory/first_uses.h"
#include "ptx/load_module.h"

namespace warptime::cli {

namespace {

/// Slots of the launch that passed for these reasons, as cycles of each SM that had blocks.
double slots_per_sm(const sim::LaunchStatistics& launch, double active_sms, std::initializer_list<sim::Stall> reasons) {
  double slots = 0;
  for (sim::Stall reason : reasons) slots += static_cast<double>(launch.issue.stalls[static_cast<size_t>(reason)]);
  const double ports = static_cast<double>(launch.issue.slots) / static_cast<double>(launch.sm_cycles.elapsed);
  return slots / ports / active_sms;
}

std::vector<ComparedTerm> compare_terms(const analysis::Prediction& prediction, const sim::LaunchStatistics& launch) {
  using sim::Stall;
  const double sms = prediction["#active_SMs"];  // the others have nothing to wait for
  auto slots = [&](std::initializer_list<Stall> reasons) { return slots_per_sm(launch, sms, reasons); };
  const double all_sms = static_cast<double>(launch.sm_cycles.elapsed) / static_cast<double>(launch.cycles);
  const double idle = (all_sms - sms) / sms * static_cast<double>(launch.cycles);
  const double issued = static_cast<double>(launch.issue.issued) * static_cast<double>(launch.sm_cycles.elapsed) /
                        static_cast<double>(launch.issue.slots) / sms;
  const double computes = prediction["T_comp"] - prediction["O_sync"] - prediction["O_SFU"];
  const double waits = prediction["T_exec"] - prediction["T_comp"];
  return {
      {"W_parallel + O_CFdiv + O_bank", computes,
       issued + slots({Stall::SpBusy, Stall::DpBusy, Stall::TensorBusy, Stall::AluDependency, Stall::SharedDependency,
                       Stall::ConstantDependency})},
      {"O_sync", prediction["O_sync"], slots({Stall::Barrier})},
      {"O_SFU", prediction["O_SFU"], slots({Stall::SfuBusy})},
      {"T_mem - T_overlap", waits,
       slots({Stall::GlobalDependency, Stall::TextureDependency, Stall::MemoryPortBusy, Stall::MemoryQueueFull,
              Stall::CopyEngineBusy, Stall::Fence})},
      {"T_fetch", prediction["T_fetch"], slots({Stall::InstructionFetch})},
      {"SMs without a warp (no term)", 0, std::max(0.0, slots({Stall::NoWarp, Stall::Drained}) - idle)},
  };
}

}  // namespace

double error_of(const ModelledLaunch& launch) {
  const double simulated = launch.simulated_us.value_or(0);
  return simulated == 0 ? 0 : launch.prediction.microseconds / simulated - 1;
}

const ComparedTerm& most_different(const ModelledLaunch& launch) {
  return *std::max_element(launch.compared.begin(), launch.compared.end(),
                           [](const ComparedTerm& a, const ComparedTerm& b) {
                             return std::abs(a.modelled - a.simulated) < std::abs(b.modelled - b.simulated);
                           });
}

std::shared_ptr<const ptx::Module> ModellingObserver::module_of(const std::shared_ptr<const SourceText>& ptx) {
  std::shared_ptr<const ptx::Module>& module = modules_[ptx];
  Diagnostics known;  // the device has loaded the same text
  if (module == nullptr) module = ptx::load_module(ptx, known);
  return module;
}

const analysis::MemoryEstimate* ModellingObserver::memory_of(const ptx::Kernel& kernel) {
  constexpr uint32_t kTrials = 40;
  constexpr uint64_t kSeed = 1;
  if (log_ == nullptr) return nullptr;
  size_t requests = 0;
  for (const sim::RecordedWarp& warp : log_->warps) requests += warp.requests.size();
  Estimated& of = estimated_[kernel.name];
  if (of.estimate.trials == 0 || requests > of.requests)
    of = {requests, analysis::estimate_memory(machine_, *log_, analysis::first_uses_in_text(kernel), kTrials, kSeed)};
  return &of.estimate;
}

void ModellingObserver::launch(const sim::LaunchStatistics& launch) {
  ModelledLaunch out;
  out.kernel = launch.kernel;
  out.module = module_of(launch.ptx);
  const ptx::Kernel& original = *out.module->find_kernel(launch.kernel);
  out.arrangement = sim::arrange(machine_, *out.module, original);
  const ptx::Kernel& kernel = sim::executed(out.arrangement, original);
  const analysis::MemoryEstimate* memory = memory_of(kernel);
  if (memory != nullptr) out.memory = *memory;
  out.inputs = analysis::model_inputs(machine_, *out.module, kernel, launch, out.program, memory);
  out.prediction = analysis::predict(out.inputs);
  const bool is_longest = launches.empty() || out.prediction.cycles > launches[longest_].prediction.cycles;
  analysis::ModelProgram& dropped = is_longest && !launches.empty() ? launches[longest_].program : out.program;
  if (!launches.empty()) dropped = {};
  if (is_longest) longest_ = launches.size();
  launches.push_back(std::move(out));
}

void ComparingObserver::launch(const sim::LaunchStatistics& launch) {
  if (next_ >= launches_.size()) return;
  ModelledLaunch& of = launches_[next_++];
  of.simulated_us = launch.time_us;
  of.simulated_hits = simulated_hits(launch);
  if (launch.cycles != 0) of.compared = compare_terms(of.prediction, launch);
}

}  // namespace warptime::cli
