// `warptime model`: the launches of a run, each with the prediction of the model, and how long the simulator says that
// it takes.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "analysis/mwp_cwp/prediction.h"
#include "cli/model/memory_output.h"
#include "host/device/device.h"
#include "sim/native/arrangement.h"

namespace warptime::cli {

/// A part of the simulated time and the terms of the model that stand for it, cycles of an SM.
struct ComparedTerm {
  std::string name;
  double modelled = 0, simulated = 0;
};

struct ModelledLaunch {
  std::string kernel;
  analysis::ModelInputs inputs;
  analysis::Prediction prediction;
  std::shared_ptr<const ptx::Module> module;
  sim::Arrangement arrangement;    // of the kernel, as the machine executes it
  analysis::ModelProgram program;  // of the longest launch; of others it is dropped again

  std::optional<analysis::MemoryEstimate> memory;  // with --memory

  // With --simulate.
  std::optional<double> simulated_us;
  std::vector<ComparedTerm> compared;
  std::optional<SimulatedHits> simulated_hits;
};

/// predicted / simulated - 1.
double error_of(const ModelledLaunch& launch);
/// The error from which on a launch is warned of.
inline constexpr double kDisagreement = 0.3;
/// The term that differs most.
const ComparedTerm& most_different(const ModelledLaunch& launch);

/// Models each launch of a functional run as it ends.
class ModellingObserver : public host::RunObserver {
 public:
  /// `log`: of the last launch's requests, for estimates of hit ratios; nullptr: without.
  explicit ModellingObserver(const sim::MachineConfig& machine, const sim::RequestRecord* log = nullptr)
      : machine_(machine), log_(log) {}
  void launch(const sim::LaunchStatistics& launch) override;
  void event(const host::TimelineEvent&) override {}

  std::vector<ModelledLaunch> launches;
  const ModelledLaunch& longest() const { return launches[longest_]; }

 private:
  std::shared_ptr<const ptx::Module> module_of(const std::shared_ptr<const SourceText>& ptx);

  /// The estimate of the kernel's largest launch so far.
  const analysis::MemoryEstimate* memory_of(const ptx::Kernel& kernel);

  struct Estimated {
    size_t requests = 0;
    analysis::MemoryEstimate estimate;
  };
  const sim::MachineConfig& machine_;
  const sim::RequestRecord* log_;
  std::map<std::string, Estimated> estimated_;  // by kernel
  std::map<std::shared_ptr<const SourceText>, std::shared_ptr<const ptx::Module>> modules_;
  size_t longest_ = 0;
};

/// Adds what the simulator says of each launch, in order, to the launches of the functional run.
class ComparingObserver : public host::RunObserver {
 public:
  explicit ComparingObserver(std::vector<ModelledLaunch>& launches) : launches_(launches) {}
  void launch(const sim::LaunchStatistics& launch) override;
  void event(const host::TimelineEvent&) override {}

 private:
  std::vector<ModelledLaunch>& launches_;
  size_t next_ = 0;
};

}  // namespace warptime::cli
